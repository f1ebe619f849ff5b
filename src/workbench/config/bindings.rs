//! `[keys.PLACE]`: the keys of commands, by the table of keys.

use std::fmt;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::ConfigFault;
use crate::report::names::nearest;
use crate::workbench::key::Key;
use crate::workbench::keymap::Keymap;
use crate::workbench::keys::{Binding, Context, Rebinding, TABLE};

pub const SECTION: &str = "keys";

/// The user's keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bindings(pub Vec<Rebinding>);

impl Bindings {
    /// Returns the keys in use; `None` for the default keys.
    pub fn map(&self) -> Option<Arc<Keymap>> {
        (!self.0.is_empty()).then(|| Arc::new(Keymap::new(&self.0)))
    }
}

/// A command that has other keys in the file, and the number of its line.
pub type BindingMatch = (Rebinding, Option<usize>);

/// Reads the table of a place. Returns the line, the message and the help of each mistake.
pub fn read(
    place: &str,
    table: &DeTable,
    line: &dyn Fn(usize) -> Option<usize>,
    found: &mut Vec<BindingMatch>,
) -> Vec<ConfigFault> {
    let mut faults = Vec::new();
    let Some(context) = Context::named(place) else { return faults };
    for (name, value) in table {
        let (name, line) = (name.get_ref().as_ref(), line(name.span().start));
        match read_row(context, name, value.get_ref()) {
            Ok(rebinding) => found.push((rebinding, line)),
            Err((message, help)) => faults.push(ConfigFault { line, message, help }),
        }
    }
    faults
}

/// Returns message and help for a name in `[keys]` that is not a place.
pub fn unknown_place(name: &str, is_table: bool) -> (String, String) {
    let names: Vec<String> = Context::ALL.into_iter().map(Context::name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if !is_table {
        let message = format!("`{name}` is in no place");
        return match TABLE.iter().find(|row| row.action() == name) {
            Some(row) => (message, format!("it belongs in [{SECTION}.{}]", row.context.name())),
            None => (
                message,
                format!("write it below one of [{SECTION}.{}]", names.join(&format!("], [{SECTION}."))),
            ),
        };
    }
    let help = match nearest(name, &names) {
        Some(near) => format!("did you mean [{SECTION}.{near}]?"),
        None => format!("there are {}", names.join(", ")),
    };
    (format!("there is no place `{name}` for keys"), help)
}

fn read_row(context: Context, name: &str, value: &DeValue) -> Result<Rebinding, (String, String)> {
    let is_own = |row: &&Binding| row.context == context && row.action() == name;
    let Some(row) = TABLE.iter().position(|row| is_own(&row)) else {
        return Err(unknown_action(context, name));
    };
    let wrong = || {
        let help = "expected a key such as \"ctrl-s\", a list of keys, or [] for no key";
        (format!("`{name}` has a wrong value"), help.to_string())
    };
    let names: Vec<&str> = match value {
        DeValue::String(name) => vec![name.as_ref()],
        DeValue::Array(names) => {
            names.iter().map(|name| name.get_ref().as_str().ok_or_else(wrong)).collect::<Result<_, _>>()?
        }
        _ => return Err(wrong()),
    };
    let mut keys: Vec<Key> = Vec::new();
    for name in names {
        let key = read_key(context, name)?;
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    Ok(Rebinding { row, keys })
}

/// Control keys for which terminals send another key.
const SAME: [(char, &str); 3] = [('i', "tab"), ('m', "enter"), ('[', "esc")];

fn read_key(context: Context, name: &str) -> Result<Key, (String, String)> {
    let Some(key) = Key::read(name) else {
        let known: Vec<&str> = TABLE.iter().flat_map(|row| row.keys).copied().collect();
        let help = match nearest(&name.to_lowercase(), &known) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "a key is a character, f1 to f12, or a name such as enter or pageup, after ctrl-, alt- or shift-"
                .to_string(),
        };
        return Err((format!("there is no key `{name}`"), help));
    };
    if key.typed().is_some() && context.types() {
        let help = "use a function key, or write ctrl- or alt- before it".to_string();
        return Err((format!("`{name}` types a character there"), help));
    }
    match SAME.iter().find(|(letter, _)| key == Key::control(*letter)) {
        Some((_, same)) => {
            Err((format!("terminals send {same} for `{name}`"), "choose another key".to_string()))
        }
        None => Ok(key),
    }
}

fn unknown_action(context: Context, name: &str) -> (String, String) {
    let own: Vec<String> = TABLE.iter().filter(|row| row.context == context).map(Binding::action).collect();
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    let place = context.name();
    let elsewhere = TABLE.iter().find(|row| row.action() == name);
    let help = match (elsewhere, nearest(name, &own)) {
        (Some(row), _) => format!("it belongs in [{SECTION}.{}]", row.context.name()),
        (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) => "`myriad config` lists all commands".to_string(),
    };
    (format!("[{SECTION}.{place}] has no command `{name}`"), help)
}

/// Returns the changes without those that give a key to two commands of one place; each of these is a fault.
pub fn checked(mut found: Vec<BindingMatch>, faults: &mut Vec<ConfigFault>) -> Vec<Rebinding> {
    // The last line of two that differ is at fault.
    found.sort_by_key(|(_, line)| *line);
    loop {
        let changes: Vec<Rebinding> = found.iter().map(|(change, _)| change.clone()).collect();
        let Some((one, other, key)) = Keymap::new(&changes).conflict() else { return changes };
        // The default keys have no conflict, so one of the rows is in the file.
        let Some(at) = found.iter().rposition(|(change, _)| change.row == one || change.row == other) else {
            return changes;
        };
        let (change, line) = found.remove(at);
        let keeper = &TABLE[if change.row == one { other } else { one }];
        let (name, keeper, place) = (TABLE[change.row].action(), keeper.action(), keeper.context.name());
        let message = format!("`{key}` of `{name}` is also the key of `{keeper}` in [{SECTION}.{place}]");
        let help = format!("choose another key, or give `{keeper}` another one; {keeper} = [] frees its keys");
        faults.push(ConfigFault { line, message, help });
    }
}

/// Writes the default keys as comments.
pub fn write(f: &mut fmt::Formatter) -> fmt::Result {
    f.write_str(
        "\n# The keys of commands, by the place where they apply. Remove the `#` of a line to change it: its keys\n\
         # replace the default ones, and [] leaves the command without a key. F1 runs it nevertheless.\n",
    )?;
    for context in Context::ALL {
        let rows: Vec<&Binding> = TABLE.iter().filter(|row| row.context == context).collect();
        if rows.is_empty() {
            continue;
        }
        write!(f, "\n[{SECTION}.{}]\n", context.name())?;
        for row in rows {
            let keys: Vec<String> =
                row.default_keys().iter().map(|key| format!("{:?}", key.to_string())).collect();
            writeln!(f, "# {} = [{}]  # {}", row.action(), keys.join(", "), row.does)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::config::{Config, parse};
    use crate::workbench::keys::Command;

    #[test]
    fn uncommented_default_keys_are_the_default_keys() {
        let text = Config::default().to_string();
        let keys = text.split_once("\n[keys.anywhere]").expect("the section").1;
        let keys: Vec<&str> = keys.lines().map(|line| line.strip_prefix("# ").unwrap_or(line)).collect();
        let (_, keys, faults) = parse(&format!("[keys.anywhere]{}", keys.join("\n")));
        assert_eq!(faults, []);
        assert_eq!(keys.0.len(), TABLE.len());
        assert_eq!(*keys.map().expect("keys"), *Keymap::standard());
    }

    #[test]
    fn keys_of_the_file_replace_the_default_keys() {
        let (_, keys, faults) =
            parse("[keys]\nanywhere.save = [\"F2\", \"Ctrl+S\"]\nanywhere.previous_match = []\n");
        assert_eq!(faults, []);
        let keys = keys.map().expect("keys");
        let key = |name| Key::read(name).expect("a key");
        assert!(keys.invokes(Context::Anywhere, key("f2"), Command::Save));
        assert!(keys.invokes(Context::Anywhere, key("ctrl-s"), Command::Save));
        assert!(keys.binding(Context::Anywhere, key("shift-f3")).is_none());
    }

    #[test]
    fn keys_of_a_panel_that_was_renamed_stay() {
        let (_, keys, faults) = parse("[keys.mutant]\nshow_proof = \"z\"\n");
        assert_eq!(faults, []);
        let place = Context::Of(crate::workbench::panels::Panel::MUTANT);
        assert!(keys.map().expect("keys").invokes(place, Key::read("z").expect("a key"), Command::ShowProof));
    }

    #[test]
    fn keys_exchanged_in_the_file_are_no_conflict() {
        let (_, keys, faults) = parse("[keys.editor]\ncopy = \"ctrl-v\"\npaste = \"ctrl-c\"\n");
        assert_eq!(faults, []);
        let keys = keys.map().expect("keys");
        assert!(keys.invokes(Context::Editor, Key::control('v'), Command::Copy));
        assert!(keys.invokes(Context::Editor, Key::control('c'), Command::Paste));
    }

    #[test]
    fn wrong_keys_are_reported_with_line_and_suggestion() {
        for (text, line, message, help) in [
            ("[keys.editor]\nudno = \"f2\"", 2, "[keys.editor] has no command `udno`", "did you mean `undo`?"),
            ("[keys.editor]\nsave = \"f2\"", 2, "no command `save`", "it belongs in [keys.anywhere]"),
            ("[keys.edtor]\nundo = \"f2\"", 1, "no place `edtor`", "did you mean [keys.editor]?"),
            ("[keys]\nsave = \"f2\"", 2, "`save` is in no place", "it belongs in [keys.anywhere]"),
            ("[keys.editor]\nundo = \"crtl-u\"", 2, "there is no key `crtl-u`", "did you mean \"ctrl-u\"?"),
            ("[keys.editor]\nundo = \"f77\"", 2, "there is no key `f77`", "a key is a character"),
            ("[keys.editor]\nundo = \"u\"", 2, "`u` types a character", "write ctrl- or alt-"),
            ("[keys.editor]\nundo = \"ctrl-i\"", 2, "terminals send tab", "another key"),
            ("[keys.editor]\nundo = 3", 2, "`undo` has a wrong value", "a list of keys"),
            ("[keys.editor]\nundo = [3]", 2, "`undo` has a wrong value", "a list of keys"),
            (
                "[keys.editor]\nundo = \"ctrl-v\"",
                2,
                "`ctrl-v` of `undo` is also the key of `paste`",
                "paste = []",
            ),
            (
                "[keys.editor]\nundo = \"ctrl-]\"\ngo_to_definition = []\nredo = \"ctrl-]\"",
                4,
                "`ctrl-]` of `redo` is also the key of `undo` in [keys.editor]",
                "undo = []",
            ),
        ] {
            let (_, _, faults) = parse(text);
            assert_eq!(faults.len(), 1, "{text}: {faults:?}");
            assert_eq!(faults[0].line, Some(line), "{faults:?}");
            assert!(faults[0].message.contains(message) && faults[0].help.contains(help), "{faults:?}");
        }
    }

    #[test]
    fn command_with_a_conflict_keeps_its_default_keys() {
        let (_, keys, faults) = parse("[keys.editor]\nundo = \"ctrl-v\"\ncopy = \"alt-c\"\n");
        assert_eq!(faults.len(), 1);
        let keys = keys.map().expect("keys");
        assert!(keys.invokes(Context::Editor, Key::control('v'), Command::Paste));
        assert!(keys.invokes(Context::Editor, Key::control('u'), Command::Undo));
        assert!(keys.binding(Context::Editor, Key::control('c')).is_none());
    }
}
