//! The table of all keys.

use super::Config;
use crate::engine::choose::Preference;
use crate::lang::limits::{INPUTS, SAMPLES};
use crate::lang::mutation::Group;
use crate::learned::hybrid::router::Objective;
use crate::learned::synthesis::search::Level;
use crate::report::diagnostics::names::nearest;
use crate::session::Extent;

/// One key of the file.
pub struct Key {
    pub section: &'static str,
    pub name: &'static str,
    /// What it means, for the comment above it; lines may be broken.
    pub about: &'static str,
    /// Its value in a configuration, as TOML.
    pub show: fn(&Config) -> String,
    /// Takes a value.
    ///
    /// # Errors
    /// What is wanted instead.
    pub set: fn(&mut Config, Value) -> Result<(), String>,
    /// Another value than the default: an example, and what tests try.
    pub other: &'static str,
}

/// A value as the file has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Text(&'a str),
    Whole(i64),
    Number(f64),
    Bool(bool),
    /// A list, a table or a date.
    Other,
}

/// What an engine may be chosen by.
const CHOICES: [(&str, Preference); 4] =
    [("auto", Preference::Auto), ("cpu", Preference::Cpu), ("gpu", Preference::Gpu), ("all", Preference::All)];

/// How much may be done while nobody types.
const GROUPS: [(&str, Group); 3] = [
    (Group::Default.name(), Group::Default),
    (Group::Strong.name(), Group::Strong),
    (Group::Repair.name(), Group::Repair),
];
const EXTENTS: [(&str, Extent); 3] = [("off", Extent::Off), ("sample", Extent::Sample), ("all", Extent::All)];

/// What a result may need.
const EVIDENCE: [(&str, Level); 3] =
    [("proved", Level::Proved), ("verified", Level::Verified), ("tests", Level::Tests)];
/// What may be made least.
const OBJECTIVES: [(&str, Objective); 2] = [("time", Objective::Time), ("energy", Objective::Energy)];

/// All keys, those of a section together.
pub const KEYS: &[Key] = &[
    Key {
        section: "engine",
        name: "choice",
        about: "Which engine compiles and runs where `--engine` is not given: \"auto\" (the hardware\n\
                GPUs if there are any, else the CPU), \"cpu\", \"gpu\", or \"all\" of them together.",
        show: |config| format!("{:?}", name_of(&CHOICES, config.engine.choice)),
        set: |config, value| one_of(&CHOICES, value).map(|choice| config.engine.choice = choice),
        other: "\"gpu\"",
    },
    Key {
        section: "engine",
        name: "budget",
        about: "Mutants that a keystroke judges in the workbench, pairs of changes included.\n\
                All single changes are judged whatever it is.",
        show: |config| config.engine.budget.to_string(),
        set: |config, value| whole(value, 1, 65_536).map(|budget| config.engine.budget = budget),
        other: "4096",
    },
    Key {
        section: "engine",
        name: "shaders",
        about: "Whether the workbench sends every text through the shaders where the CPU engine\n\
                serves by itself, for want of a hardware GPU: a software adapter compiles and runs\n\
                it, and the Latency and Energy panels say what that takes.",
        show: |config| config.engine.shaders.to_string(),
        set: |config, value| truth(value).map(|shaders| config.engine.shaders = shaders),
        other: "false",
    },
    Key {
        section: "engine",
        name: "idle",
        about: "What the workbench does while nobody types: \"off\" (nothing), \"sample\" (the other\n\
                engine judges some of the mutants again, the conventional loop is timed on some,\n\
                and both together take at most some seconds of a core a minute), \"all\" (the other\n\
                engine judges all of them again).",
        show: |config| format!("{:?}", name_of(&EXTENTS, config.engine.idle)),
        set: |config, value| one_of(&EXTENTS, value).map(|extent| config.engine.idle = extent),
        other: "\"off\"",
    },
    Key {
        section: "engine",
        name: "inputs",
        about: "Inputs of each property that the workbench goes on to while nobody types, where its\n\
                domain has so many values: 1024 for no more than a keystroke pays for. Where `idle`\n\
                is \"off\", there are no more either.",
        show: |config| config.engine.inputs.to_string(),
        set: |config, value| whole(value, SAMPLES, INPUTS).map(|inputs| config.engine.inputs = inputs),
        other: "65536",
    },
    Key {
        section: "engine",
        name: "exact",
        about: "Whether every mutant runs on every input, also where it is known without how it ends\n\
                there, as with `--exact`. The verdicts are the same.",
        show: |config| config.engine.exact.to_string(),
        set: |config, value| truth(value).map(|exact| config.engine.exact = exact),
        other: "true",
    },
    Key {
        section: "engine",
        name: "subgroups",
        about: "Whether threads of a GPU exchange values within its subgroups where a trial at the\n\
                start shows that these work. Turn it off for a device whose driver fails at it:\n\
                they then use memory. The results are the same.",
        show: |config| config.engine.subgroups.to_string(),
        set: |config, value| truth(value).map(|subgroups| config.engine.subgroups = subgroups),
        other: "false",
    },
    Key {
        section: "engine",
        name: "group",
        about: "Whose operators make mutants, in the workbench and on the command line: \"default\", or\n\
                \"strong\" for more of them, or \"repair\" for many more (`myriad mutate --operators help`\n\
                lists all). Mutants have other ids then, and a program another score.",
        show: |config| format!("{:?}", name_of(&GROUPS, config.engine.group)),
        set: |config, value| one_of(&GROUPS, value).map(|group| config.engine.group = group),
        other: "\"strong\"",
    },
    Key {
        section: "energy",
        name: "cpu_watts",
        about: "Power of the processor under load, in watts. Energies are estimated from it where\n\
                no meter can be read.",
        show: |config| format!("{:?}", config.energy.cpu),
        set: |config, value| watts(value).map(|watts| config.energy.cpu = watts),
        other: "15.0",
    },
    Key {
        section: "energy",
        name: "gpu_watts",
        about: "Power of the GPU under load, likewise. The default is the paper's.",
        show: |config| format!("{:?}", config.energy.gpu),
        set: |config, value| watts(value).map(|watts| config.energy.gpu = watts),
        other: "75.0",
    },
    Key {
        section: "energy",
        name: "pcie_watts",
        about: "Power while data moves between host and device. The default is the paper's.",
        show: |config| format!("{:?}", config.energy.pcie),
        set: |config, value| watts(value).map(|watts| config.energy.pcie = watts),
        other: "10.0",
    },
    Key {
        section: "router",
        name: "evidence",
        about: "What a final result of the hybrid compiler needs: \"proved\", \"verified\" (all branches\n\
                tried, and a bounded error rate) or \"tests\" (the paper's algorithm to the letter).",
        show: |config| format!("{:?}", name_of(&EVIDENCE, config.router.evidence)),
        set: |config, value| one_of(&EVIDENCE, value).map(|level| config.router.evidence = level),
        other: "\"verified\"",
    },
    Key {
        section: "router",
        name: "objective",
        about: "What the tuned threshold makes least: \"time\" or \"energy\".",
        show: |config| format!("{:?}", name_of(&OBJECTIVES, config.router.objective)),
        set: |config, value| one_of(&OBJECTIVES, value).map(|objective| config.router.objective = objective),
        other: "\"energy\"",
    },
    Key {
        section: "router",
        name: "theta",
        about: "The score below which functions take the neural path: \"tuned\" to what the paths\n\
                cost on this machine, or a number.",
        show: |config| config.router.theta.map_or("\"tuned\"".to_string(), |theta| format!("{theta:?}")),
        set: |config, value| threshold(value).map(|theta| config.router.theta = theta),
        other: "1.5",
    },
];

/// A threshold, or none.
fn threshold(value: Value) -> Result<Option<f64>, String> {
    match value {
        Value::Text("tuned") => Ok(None),
        _ => number(value, -1e6, 1e6, "a score, such as 1.5; or \"tuned\"").map(Some),
    }
}

/// A power.
fn watts(value: Value) -> Result<f64, String> {
    number(value, 0.1, 10_000.0, "watts, such as 65")
}

/// Yes or no.
fn truth(value: Value) -> Result<bool, String> {
    match value {
        Value::Bool(truth) => Ok(truth),
        _ => Err("true or false is wanted".into()),
    }
}

/// A number between two, with or without a fraction.
pub fn number(value: Value, least: f64, most: f64, what: &str) -> Result<f64, String> {
    let found = match value {
        Value::Number(number) => Some(number),
        Value::Whole(number) => Some(number as f64),
        _ => None,
    };
    let wanted = || format!("a number from {least} to {most} is wanted: {what}");
    found.filter(|number| (least..=most).contains(number)).ok_or_else(wanted)
}

/// A whole number between two.
pub fn whole(value: Value, least: u32, most: u32) -> Result<u32, String> {
    let found = match value {
        Value::Whole(number) => u32::try_from(number).ok(),
        _ => None,
    };
    let wanted = || format!("a whole number from {least} to {most} is wanted");
    found.filter(|number| (least..=most).contains(number)).ok_or_else(wanted)
}

/// One of some words.
pub fn one_of<T: Copy>(choices: &[(&'static str, T)], value: Value) -> Result<T, String> {
    let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
    let listed = || words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
    let Value::Text(text) = value else { return Err(format!("one of {} is wanted", listed())) };
    let found = choices.iter().find(|(word, _)| *word == text).map(|(_, choice)| *choice);
    found.ok_or_else(|| match nearest(text, &words) {
        Some(near) => format!("did you mean \"{near}\"? One of {} is wanted", listed()),
        None => format!("one of {} is wanted", listed()),
    })
}

/// The word of a choice.
pub fn name_of<T: Copy + PartialEq>(choices: &[(&'static str, T)], choice: T) -> &'static str {
    choices.iter().find(|(_, c)| *c == choice).map_or("", |(word, _)| word)
}
