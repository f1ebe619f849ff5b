//! Parses the file into a configuration and a list of faults.

use toml::de::{DeTable, DeValue};

use super::bindings::{self, Bindings};
use super::keys::{ConfigKey, KEYS, KeyValue};
use super::{Config, ConfigFault};
use crate::report::names::nearest;
use crate::report::places::Lines;
use crate::workbench::keys::Context;

/// Parses a configuration. A wrong key or value leaves that default; a syntax error leaves all defaults.
pub fn parse(text: &str) -> (Config, Bindings, Vec<ConfigFault>) {
    let mut config = Config::default();
    let (mut faults, mut rebound) = (Vec::new(), Vec::new());
    let lines = Lines::new(text);
    let line = |at: usize| Some(lines.line(at));
    let document = match DeTable::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            let help = "a key and its value are written `name = value`, text in quotes".to_string();
            faults.push(ConfigFault { line: line(at), message: error.message().to_string(), help });
            return (config, Bindings::default(), faults);
        }
    };
    for (section, value) in document.get_ref() {
        let (name, place) = (section.get_ref().as_ref(), line(section.span().start));
        let mut fault = |message, help| faults.push(ConfigFault { line: place, message, help });
        let known = name == bindings::SECTION || KEYS.iter().any(|key| key.section == name);
        let Some(table) = value.get_ref().as_table().filter(|_| known) else {
            let (message, help) = unknown_top_level(name, known);
            fault(message, help);
            continue;
        };
        let is_keys = name == bindings::SECTION;
        for (key, value) in table {
            let (name, place) = (key.get_ref().as_ref(), line(key.span().start));
            let entry = KEYS.iter().find(|k| k.section == section.get_ref().as_ref() && k.name == name);
            let wrong = match (entry, value.get_ref().as_table()) {
                (None, Some(rows)) if is_keys && Context::named(name).is_some() => {
                    faults.extend(bindings::read(name, rows, &line, &mut rebound));
                    None
                }
                (None, rows) if is_keys => Some(bindings::unknown_place(name, rows.is_some())),
                (None, _) => Some(unknown_key(section.get_ref(), name)),
                (Some(key), _) => set(key, &mut config, value.get_ref()).err(),
            };
            if let Some((message, help)) = wrong {
                faults.push(ConfigFault { line: place, message, help });
            }
        }
    }
    let keys = Bindings(bindings::checked(rebound, &mut faults));
    // The parser returns tables sorted by name; faults are reported from top to bottom.
    faults.sort_by_key(|fault| fault.line);
    (config, keys, faults)
}

fn set(key: &ConfigKey, config: &mut Config, value: &DeValue) -> Result<(), (String, String)> {
    let value = match value {
        DeValue::String(text) => KeyValue::Text(text),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => KeyValue::Whole(number),
            Err(_) => KeyValue::Other,
        },
        DeValue::Float(number) => number.as_str().parse().map_or(KeyValue::Other, KeyValue::Number),
        DeValue::Boolean(truth) => KeyValue::Bool(*truth),
        _ => KeyValue::Other,
    };
    (key.set)(config, value).map_err(|wanted| (format!("`{}` has a wrong value", key.name), wanted))
}

/// Returns message and help for an unknown key in a section.
fn unknown_key(section: &str, name: &str) -> (String, String) {
    let own: Vec<&str> = KEYS.iter().filter(|key| key.section == section).map(|key| key.name).collect();
    let elsewhere = KEYS.iter().find(|key| key.name == name);
    let help = match (nearest(name, &own), elsewhere) {
        (_, Some(key)) => format!("it belongs in [{}]", key.section),
        (Some(near), None) => format!("did you mean `{near}`?"),
        (None, None) => format!("[{section}] has {}", own.join(", ")),
    };
    (format!("[{section}] has no key `{name}`"), help)
}

/// Returns message and help for a top-level name that is not a section.
fn unknown_top_level(name: &str, known: bool) -> (String, String) {
    if known {
        return (format!("`{name}` is a section"), format!("write [{name}] on a line of its own"));
    }
    if let Some(key) = KEYS.iter().find(|key| key.name == name) {
        return (format!("`{name}` is in no section"), format!("it belongs in [{}]", key.section));
    }
    let mut sections: Vec<&str> = KEYS.iter().map(|key| key.section).chain([bindings::SECTION]).collect();
    sections.dedup();
    let help = match nearest(name, &sections) {
        Some(near) => format!("did you mean [{near}]?"),
        None => format!("there are [{}]", sections.join("], [")),
    };
    (format!("there is no section `{name}`"), help)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns line, message and help of each fault.
    fn faults(text: &str) -> Vec<(usize, String, String)> {
        let (_, _, faults) = parse(text);
        faults.into_iter().map(|f| (f.line.unwrap_or(0), f.message, f.help)).collect()
    }

    fn check(text: &str, line: usize, message: &str, help: &str) {
        let found = faults(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].0, line, "{found:?}");
        assert!(found[0].1.contains(message) && found[0].2.contains(help), "{found:?}");
    }

    #[test]
    fn configuration_faults_name_their_line() {
        check("[engine]\n\nbugdet = 5\n", 3, "no key `bugdet`", "did you mean `budget`?");
        check("[engine]\nbudget = \"lots\"", 2, "`budget`", "a whole number from 1 to 65536");
        check("[engine]\nbudget = 0", 2, "`budget`", "a whole number from 1 to 65536");
        check("[engine]\nchoice = \"gpuu\"", 2, "`choice`", "did you mean \"gpu\"?");
        check("# power\n[enrgy]\ncpu_watts = 3", 2, "no section `enrgy`", "did you mean [energy]?");
        check("cpu_watts = 3", 1, "in no section", "[energy]");
        check("[engine]\ncpu_watts = 3", 2, "no key", "it belongs in [energy]");
        check("engine = 3", 1, "`engine` is a section", "[engine]");
        check("[energy]\ncpu_watts = nan", 2, "`cpu_watts`", "a number from 0.1 to 10000");
        check("[energy]\ncpu_watts = [65]", 2, "`cpu_watts`", "a number");
        check("[energy]\ncpu_watts = 99999999999999999999", 2, "`cpu_watts`", "a number");
        check("[energy]\nzzz = 1", 2, "no key `zzz`", "cpu_watts, gpu_watts");
    }

    #[test]
    fn syntax_errors_name_their_line() {
        for (text, line) in
            [("[engine]\nbudget == 3", 2), ("[engine\n", 1), ("[engine]\nbudget = 1\nbudget = 2", 3)]
        {
            let found = faults(text);
            assert_eq!((found.len(), found[0].0), (1, line), "{text}: {found:?}");
        }
    }

    #[test]
    fn valid_keys_apply_despite_faults_elsewhere() {
        let (config, _, faults) =
            parse("[energy]\nnonsense = 1\ncpu_watts = 12\n[engine]\nbudget = 0x40\nchoice = 3\n");
        assert_eq!((config.energy.cpu, config.engine.budget), (12.0, 64));
        assert_eq!(faults.iter().map(|f| f.line).collect::<Vec<_>>(), [Some(2), Some(6)]);
        assert_eq!(parse(""), (Config::default(), Bindings::default(), vec![]));
    }
}
