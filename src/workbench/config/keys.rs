//! The table of all configuration keys.

use super::Config;
use crate::engine::choose::Preference;
use crate::lang::level::{AUTOMATIC, LevelChoice, OptLevel};
use crate::lang::limits::{INPUTS, SAMPLES};
use crate::lang::mutation::Group;
use crate::learned::hybrid::router::{Objective, Route};
use crate::learned::synthesis::search::Level;
use crate::report::names::nearest;
use crate::session::CompareExtent;
use crate::workbench::modal::KeySet;
use crate::workbench::theme::Palette;

pub struct ConfigKey {
    pub section: &'static str,
    pub name: &'static str,
    /// Its description, printed as a comment above it; may contain line breaks.
    pub about: &'static str,
    /// Returns its value in a configuration, as TOML.
    pub show: fn(&Config) -> String,
    /// Sets its value in a configuration.
    ///
    /// # Errors
    /// Returns a description of the expected value.
    pub set: fn(&mut Config, KeyValue) -> Result<(), String>,
    /// A valid value that differs from the default, as an example and for tests.
    pub other: &'static str,
}

/// A value in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KeyValue<'a> {
    Text(&'a str),
    Whole(i64),
    Number(f64),
    Bool(bool),
    /// A list, a table or a date.
    Other,
}

/// Values of `engine.choice`.
pub const CHOICES: [(&str, Preference); 4] =
    [("auto", Preference::Auto), ("cpu", Preference::Cpu), ("gpu", Preference::Gpu), ("all", Preference::All)];

/// Values of `engine.group` and `engine.idle`.
pub const GROUPS: [(&str, Group); 3] = [
    (Group::Default.name(), Group::Default),
    (Group::Strong.name(), Group::Strong),
    (Group::Repair.name(), Group::Repair),
];
const EXTENTS: [(&str, CompareExtent); 3] =
    [("off", CompareExtent::Off), ("sample", CompareExtent::Sample), ("all", CompareExtent::All)];

/// Values of `router.evidence`.
const EVIDENCE: [(&str, Level); 3] =
    [("proved", Level::Proved), ("tested", Level::Tested), ("tests", Level::Tests)];
/// Values of `router.objective`.
const OBJECTIVES: [(&str, Objective); 2] = [("time", Objective::Time), ("energy", Objective::Energy)];

/// Values of `router.route`.
const ROUTES: [(&str, Route); 2] = [("cost", Route::Cost), ("paper", Route::Paper)];

/// Values of `screen.theme`.
const THEMES: [(&str, Option<Palette>); 4] = Palette::CHOICES;

/// Values of `editor.key_set`.
const KEY_SETS: [(&str, KeySet); 3] =
    [("standard", KeySet::Standard), ("helix", KeySet::Helix), ("vi", KeySet::Vi)];

/// A row of the table: the section and the name, how the value at a place of the configuration is shown and read, an example, and
/// the description.
macro_rules! key {
    ($section:ident.$name:ident: show $show:expr, set $set:expr, $other:literal, $about:literal) => {
        ConfigKey {
            section: stringify!($section),
            name: stringify!($name),
            about: $about,
            show: $show,
            set: $set,
            other: $other,
        }
    };
    ($section:ident.$name:ident: word $words:ident $(.$at:tt)+, $other:literal, $about:literal) => {
        key!($section.$name: show |config| format!("{:?}", name_of(&$words, config$(.$at)+)),
            set |config, value| one_of(&$words, value).map(|word| config$(.$at)+ = word), $other, $about)
    };
    ($section:ident.$name:ident: whole $least:tt $most:tt $(.$at:tt)+, $other:literal, $about:literal) => {
        key!($section.$name: show |config| config$(.$at)+.to_string(),
            set |config, value| whole(value, $least, $most).map(|number| config$(.$at)+ = number), $other, $about)
    };
    ($section:ident.$name:ident: watts $(.$at:tt)+, $other:literal, $about:literal) => {
        key!($section.$name: show |config| format!("{:?}", config$(.$at)+),
            set |config, value| watts(value).map(|watts| config$(.$at)+ = watts), $other, $about)
    };
    ($section:ident.$name:ident: truth $(.$at:tt)+, $other:literal, $about:literal) => {
        key!($section.$name: show |config| config$(.$at)+.to_string(),
            set |config, value| truth(value).map(|truth| config$(.$at)+ = truth), $other, $about)
    };
}

/// All keys, grouped by section.
pub const KEYS: &[ConfigKey] = &[
    key!(engine.choice: word CHOICES .engine.choice, "\"gpu\"",
        "The engine that compiles and runs, unless `--engine` is given: \"auto\" (the hardware\n\
             GPUs if there are any, else the CPU), \"cpu\", \"gpu\", or \"all\" of them together."),
    key!(engine.budget: whole 1 65_536 .engine.budget, "4096",
        "Number of mutants judged on each keystroke in the workbench, second-order ones included.\n\
             First-order mutants are always judged."),
    key!(engine.shaders: truth .engine.shaders, "false",
        "Whether the workbench also sends every text through the shaders when there is no\n\
             hardware GPU: a software adapter compiles and runs it, and the Latency and Energy\n\
             panels show its time and energy."),
    key!(engine.idle: word EXTENTS .engine.idle, "\"off\"",
        "Work that the workbench does while you do not type: \"off\" (nothing), \"sample\" (the other\n\
             engine judges some of the mutants again, the conventional loop is timed on some,\n\
             and both together take at most some seconds of a core a minute), \"all\" (the other\n\
             engine judges all of them again). Unless it is \"off\", survivors are also proved, in\n\
             bounded work for each; with \"off\", only while the panels of mutants are open."),
    key!(engine.inputs: whole SAMPLES INPUTS .engine.inputs, "65536",
        "Number of inputs that each property is tested on while you do not type, if its domain\n\
             is that large. 1024 is the number tested on each keystroke, so it adds none. If `idle`\n\
             is \"off\", no inputs are added."),
    key!(engine.exact: truth .engine.exact, "true",
        "Whether every mutant runs on every input, even on inputs whose result is already\n\
             known, as with `--exact`. The verdicts are the same."),
    key!(engine.opt: show |config| match config.engine.opt {
        LevelChoice::Automatic => format!("{AUTOMATIC:?}"),
        LevelChoice::Fixed(level) => level.number().to_string(),
    }, set |config, value| {
        config.engine.opt = match value {
            KeyValue::Text(AUTOMATIC) => LevelChoice::Automatic,
            value => {
                let number = whole(value, 0, OptLevel::ALL.len() as u32 - 1)
                    .map_err(|wanted| format!("{wanted}, or \"{AUTOMATIC}\""))?;
                OptLevel::from_number(number).unwrap_or_default().into()
            }
        };
        Ok(())
    }, "0",
        "The level that programs are optimized to, as with `--opt`: 0 leaves the code as\n\
             lowered, 1 takes the local passes, 2 also inlines calls and unrolls loops, 3 also\n\
             uses what `myriad improve` has learned; mutants are compiled at level 1 then. With\n\
             \"auto\" it is 1, but in the workbench 2 for a program whose long tests it shortens.\n\
             Steps depend on the level."),
    key!(engine.subgroups: truth .engine.subgroups, "false",
        "Whether GPU threads exchange values by subgroup operations if a trial at the start\n\
             shows that these work. Turn this off if the device's driver fails: threads then use\n\
             memory instead. The results are the same."),
    key!(engine.group: word GROUPS .engine.group, "\"strong\"",
        "The operator group that generates mutants, in all commands and the workbench: \"default\",\n\
             \"strong\" for more mutants, or \"repair\" for many more (`myriad mutate --operators help`\n\
             lists all). Mutant ids and scores depend on the group."),
    key!(engine.fill_seconds: whole 0 3_600 .engine.fill_seconds, "10",
        "The longest time that `myriad lsp` searches for an expression in the place of a `?`, in\n\
             seconds; an edit ends the search. 0 turns it off."),
    key!(energy.cpu_watts: watts .energy.cpu, "15.0",
        "Power of the processor under load, in watts. Energies are estimated from it if\n\
             no meter can be read."),
    key!(energy.gpu_watts: watts .energy.gpu, "75.0",
        "Power of the GPU under load, likewise. The default is the paper's."),
    key!(energy.pcie_watts: watts .energy.pcie, "10.0",
        "Power while data moves between host and device. The default is the paper's."),
    key!(router.evidence: show |config| format!("{:?}", name_of(&EVIDENCE, config.router.evidence)), set |config, value| {
        // The name of older versions.
        let value = if value == KeyValue::Text("verified") { KeyValue::Text("tested") } else { value };
        one_of(&EVIDENCE, value).map(|level| config.router.evidence = level)
    }, "\"tested\"",
        "Evidence that a final result of the hybrid compiler needs: \"proved\", \"tested\" (no difference,\n\
             all branches taken, and a bounded error rate) or \"tests\" (the paper's algorithm to the letter)."),
    key!(router.objective: word OBJECTIVES .router.objective, "\"energy\"",
        "The cost that the tuned threshold minimizes: \"time\" or \"energy\"."),
    key!(router.route: word ROUTES .router.route, "\"paper\"",
        "How functions are routed: \"cost\" compares the time to compile plus the expected executions\n\
             of each way, \"paper\" is the threshold of algorithm 3."),
    key!(router.theta: show |config| config.router.theta.map_or("\"tuned\"".to_string(), |theta| format!("{theta:?}")), set |config, value| threshold(value).map(|theta| config.router.theta = theta), "1.5",
        "The score below which functions take the neural path: a number, or \"tuned\"\n\
             to the measured costs of both paths on this machine."),
    key!(screen.theme: word THEMES .screen.theme, "\"light\"",
        "The colours of the workbench: \"dark\", \"light\", \"contrast\" (the highest contrast), or \"auto\",\n\
             which follows the terminal's background. NO_COLOR in the environment turns colours off."),
    key!(screen.laboratory: truth .screen.laboratory, "true",
        "Whether the paper's laboratory is shown: the tabs and keys of Neural, Router, Paper, Noise and\n\
             Learned. `--lab` shows it, too, and so does alt-N. Its keys open its panels in any case."),
    key!(editor.key_set: word KEY_SETS .editor.0.key_set, "\"vi\"",
        "The keys of the editor: \"standard\" (without modes), \"helix\" or \"vi\"; keys with ctrl or alt and function\n\
             keys are the same in all of them. docs/keys-modal.md lists the keys of the modes."),
    key!(editor.format_on_save: truth .editor.0.format_on_save, "true",
        "Whether the workbench writes a text in the standard layout when it saves it, as `myriad fmt`\n\
             does. A text with lexical or syntax errors is saved as it is."),
    key!(editor.close_brackets: truth .editor.0.close_brackets, "false",
        "Whether the workbench inserts the closing bracket when you type an opening one, unless text\n\
             follows. Typing the closing bracket moves over it."),
    key!(editor.suggest_names: truth .editor.0.suggest_names, "false",
        "Whether a list of names and keywords opens while you type a word; ctrl-space opens it always."),
    key!(editor.soft_wrap: truth .editor.0.soft_wrap, "true",
        "Whether lines that are wider than the editor continue on the next row; alt-z changes it."),
    key!(editor.values: truth .editor.0.values, "false",
        "Whether the values of a test's run follow the lines of the function under the cursor, if\n\
             the editor has 60 columns or more; alt-V changes it."),
];

/// Reads a threshold: a number, or `tuned` for `None`.
fn threshold(value: KeyValue) -> Result<Option<f64>, String> {
    match value {
        KeyValue::Text("tuned") => Ok(None),
        _ => number(value, -1e6, 1e6, "a score, such as 1.5; or \"tuned\"").map(Some),
    }
}

/// Reads a power in watts.
fn watts(value: KeyValue) -> Result<f64, String> {
    number(value, 0.1, 10_000.0, "watts, such as 65")
}

/// Reads a boolean.
fn truth(value: KeyValue) -> Result<bool, String> {
    match value {
        KeyValue::Bool(truth) => Ok(truth),
        _ => Err("expected true or false".into()),
    }
}

/// Reads a number in a range, with or without a fraction.
pub fn number(value: KeyValue, least: f64, most: f64, what: &str) -> Result<f64, String> {
    let found = match value {
        KeyValue::Number(number) => Some(number),
        KeyValue::Whole(number) => Some(number as f64),
        _ => None,
    };
    let wanted = || format!("expected a number from {least} to {most}: {what}");
    found.filter(|number| (least..=most).contains(number)).ok_or_else(wanted)
}

/// Reads a whole number in a range.
pub fn whole(value: KeyValue, least: u32, most: u32) -> Result<u32, String> {
    let found = match value {
        KeyValue::Whole(number) => u32::try_from(number).ok(),
        _ => None,
    };
    let wanted = || format!("expected a whole number from {least} to {most}");
    found.filter(|number| (least..=most).contains(number)).ok_or_else(wanted)
}

/// Reads one of the given words.
pub fn one_of<T: Copy>(choices: &[(&'static str, T)], value: KeyValue) -> Result<T, String> {
    let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
    let listed = || words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
    let KeyValue::Text(text) = value else { return Err(format!("expected one of {}", listed())) };
    let found = choices.iter().find(|(word, _)| *word == text).map(|(_, choice)| *choice);
    found.ok_or_else(|| match nearest(text, &words) {
        Some(near) => format!("did you mean \"{near}\"? Expected one of {}", listed()),
        None => format!("expected one of {}", listed()),
    })
}

pub fn name_of<T: Copy + PartialEq>(choices: &[(&'static str, T)], choice: T) -> &'static str {
    choices.iter().find(|(_, c)| *c == choice).map_or("", |(word, _)| word)
}
