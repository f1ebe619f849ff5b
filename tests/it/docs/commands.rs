//! `docs/cli.md` repeats the help between markers: the tasks, the options of many commands, and the arguments of each
//! command. `MYRIAD_BLESS=1` writes these parts.

use std::fs;
use std::path::Path;

use clap::{Arg, Command};

/// Options that several commands share, by their heading, and the command whose part of the page lists them.
const OWNERS: [(&str, &str); 2] = [("Draw candidates", "neural"), ("Routing", "router")];

/// What the help says of programs that many commands read.
const PROGRAMS: [&str; 2] = ["Programs; `-` is standard input", "The program; `-` is standard input"];

/// Returns an argument as an item of a list.
fn item(arg: &Arg) -> String {
    let names = arg.get_value_names().map(|names| names.join(" "));
    let value = names.unwrap_or_else(|| arg.get_id().as_str().to_uppercase());
    let flag = arg.get_long().map(|long| format!("--{long}"));
    let flag = arg.get_short().map(|short| format!("-{short}")).into_iter().chain(flag);
    let flag = flag.collect::<Vec<_>>().join(", ");
    let takes = arg.get_action().takes_values();
    let name = [flag.as_str(), if takes { value.as_str() } else { "" }].join(" ");
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let mut text = format!("- `{}`{}{help}", name.trim(), if help.is_empty() { "" } else { ": " });
    let possible = arg.get_possible_values();
    // A help that names all values needs no list of them.
    let named = possible.iter().all(|value| help.contains(&format!("`{}`", value.get_name())));
    if takes && !named && !arg.is_hide_possible_values_set() {
        let named = possible.iter().map(|value| match value.get_help() {
            Some(help) => format!("`{}` ({help})", value.get_name()),
            None => format!("`{}`", value.get_name()),
        });
        text += &format!(": {}", named.collect::<Vec<_>>().join(", "));
    }
    let default: Vec<String> = arg.get_default_values().iter().map(|it| it.display().to_string()).collect();
    if takes && !default.is_empty() {
        text += &format!(" (default `{}`)", default.join(","));
    }
    text + "\n"
}

/// Returns the list of some arguments, in groups by their headings. `owner` is the command that has the list.
fn items<'a>(arguments: impl Iterator<Item = &'a Arg>, owner: &str) -> String {
    // Every page of help has the names of its programs, and no more about them than that.
    let plain = |arg: &Arg| {
        arg.is_positional() && arg.get_help().is_some_and(|help| PROGRAMS.contains(&&*help.to_string()))
    };
    let arguments: Vec<&Arg> = arguments.filter(|arg| !arg.is_hide_set() && !plain(arg)).collect();
    let mut headings: Vec<Option<&str>> = vec![None];
    for heading in arguments.iter().map(|arg| arg.get_help_heading()) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    let mut text = String::new();
    for heading in headings {
        let group = arguments.iter().filter(|arg| arg.get_help_heading() == heading);
        let group: String = group.map(|arg| item(arg)).collect();
        let other = OWNERS.iter().find(|(name, command)| Some(*name) == heading && *command != owner);
        text += &match (heading, other) {
            (None, _) if group.is_empty() => String::new(),
            (None, _) => format!("\n{group}"),
            (Some(name), Some((_, command))) => format!("\n{name}: as for [`{command}`](#{command}).\n"),
            (Some(name), None) => format!("\n{name}:\n\n{group}"),
        };
    }
    text
}

/// Returns the list of subcommands; their own help has their arguments.
fn subcommands(command: &Command) -> String {
    let rows = command.get_subcommands().map(|one| format!("- `{}`: {}\n", one.get_name(), about(one)));
    format!("\n{}", rows.collect::<String>())
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// Returns the options of many commands that this one takes, but `--format`, which all of them take.
fn taken(all: &Command, command: &Command) -> String {
    let refused = |id: &str| command.get_arguments().any(|arg| arg.get_id() == id && arg.is_hide_set());
    let taken = all.get_arguments().filter(|arg| arg.is_global_set() && !refused(arg.get_id().as_str()));
    let names = taken.filter_map(|arg| arg.get_long()).filter(|long| *long != "format");
    let names: Vec<String> = names.map(|long| format!("`--{long}`")).collect();
    if names.is_empty() { String::new() } else { format!(" Takes {}.", names.join(", ")) }
}

/// Returns the parts of the page with the names of their markers.
fn parts() -> Vec<(String, String)> {
    let all = myriad::cli::command();
    let mut tasks = "| task | commands |\n|---|---|\n".to_string();
    let mut parts = Vec::new();
    for (task, commands) in myriad::cli::tasks() {
        let named = commands.iter().map(|(name, purpose)| format!("[`{name}`](#{name}): {purpose}"));
        tasks += &format!("| {task} | {} |\n", named.collect::<Vec<_>>().join(" · "));
        for (name, _) in commands {
            let command = all.find_subcommand(name).expect("a command");
            let own = match command.get_subcommands().next() {
                Some(_) => items(command.get_arguments(), name) + &subcommands(command),
                None => items(command.get_arguments(), name),
            };
            let text = format!("{}.{}\n{own}", about(command), taken(&all, command));
            parts.push((name.to_string(), text));
        }
    }
    let (common, own): (Vec<&Arg>, Vec<&Arg>) = all.get_arguments().partition(|arg| arg.is_global_set());
    parts.push(("tasks".into(), tasks));
    parts.push(("workbench".into(), own.into_iter().map(item).collect()));
    parts.push(("options".into(), common.into_iter().map(item).collect()));
    parts
}

#[test]
fn cli_page_repeats_the_help_of_every_command() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/cli.md");
    let page = fs::read_to_string(&path).expect("the page");
    let mut now = page.clone();
    for (name, text) in parts() {
        let begin = format!("<!-- help: {name} -->\n");
        let end = "<!-- end of help -->\n";
        assert_eq!(page.matches(&begin).count(), 1, "docs/cli.md has one part `{name}`");
        let (before, rest) = now.split_once(&begin).expect("a marker");
        let (_, after) = rest.split_once(end).expect("the end of a part");
        now = format!("{before}{begin}{text}{end}{after}");
    }
    if std::env::var_os("MYRIAD_BLESS").is_some() {
        fs::write(&path, now).expect("the page can be written");
        return;
    }
    assert_eq!(page, now, "run MYRIAD_BLESS=1 cargo test --test it on this test");
}
