//! The part of the configuration that a tape may have: settings that decide what a key does or which results appear.

use std::ops::Range;

use super::line::Fault;
use crate::workbench::config::keys::KEYS;
use crate::workbench::config::{Bindings, Config, bindings, parse};
use crate::workbench::keys::TABLE;

/// Keys of the configuration outside of `editor` that a tape may set.
const TAPED: [(&str, &str); 4] =
    [("engine", "opt"), ("engine", "budget"), ("engine", "group"), ("screen", "laboratory")];

/// Returns whether a tape may set the key that a line of the configuration begins with.
pub fn applies(line: &str) -> bool {
    let name = line.split('=').next().unwrap_or(line).trim();
    !line.contains('\n')
        && match name.split_once('.') {
            Some(("editor" | bindings::SECTION, _)) => true,
            Some((section, key)) => TAPED.contains(&(section, key.trim())),
            None => false,
        }
}

/// Returns the names of the keys that a tape may set.
pub fn applicable() -> Vec<String> {
    let mut names: Vec<String> = taped().map(|key| format!("{}.{}", key.section, key.name)).collect();
    names.push(format!("{}.PLACE.COMMAND", bindings::SECTION));
    names
}

fn taped() -> impl Iterator<Item = &'static crate::workbench::config::keys::ConfigKey> {
    KEYS.iter().filter(|key| key.section == "editor" || TAPED.contains(&(key.section, key.name)))
}

/// Returns the faults in a tape's lines of the configuration. `spans` are their places in the tape.
pub fn faults(lines: &[String], spans: &[Range<usize>]) -> Vec<Fault> {
    let (_, _, faults) = parse(&lines.join("\n"));
    let place = |line: Option<usize>| spans.get(line.unwrap_or(1).saturating_sub(1)).or(spans.first()).cloned();
    let fault = |fault: crate::workbench::config::ConfigFault| {
        Fault::new(place(fault.line).unwrap_or_default(), &fault.message, &fault.help)
    };
    faults.into_iter().map(fault).collect()
}

/// Returns the configuration of a tape; `None` if it has no lines of one.
pub fn of(lines: &[String]) -> Option<(Config, Bindings)> {
    let (config, keys, _) = parse(&lines.join("\n"));
    (!lines.is_empty()).then_some((config, keys))
}

/// Returns the lines that set up a configuration.
pub fn write(config: &Config, keys: &Bindings) -> Vec<String> {
    let own = taped().map(|key| format!("{}.{} = {}", key.section, key.name, (key.show)(config)));
    let rebound = keys.0.iter().map(|change| {
        let row = &TABLE[change.row];
        let names: Vec<String> = change.keys.iter().map(|key| format!("{:?}", key.to_string())).collect();
        // A line is written in single quotes.
        let names = names.join(", ").replace('\'', "\\u0027");
        format!("{}.{}.{} = [{names}]", bindings::SECTION, row.context.name(), row.action())
    });
    own.chain(rebound).collect()
}
