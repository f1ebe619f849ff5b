//! The commands by task, as `myriad --help` and `docs/cli.md` list them.

use std::fmt::Write;

use super::STYLES;

/// A task with its commands, and a few words on the use of each.
pub type ArgTask = (&'static str, &'static [(&'static str, &'static str)]);

pub const TASKS: [ArgTask; 6] = [
    (
        "Write and run",
        &[
            ("check", "show errors"),
            ("fmt", "tidy layout"),
            ("run", "call a function"),
            ("watch", "test on save"),
            ("lsp", "serve an editor"),
            ("improve", "find faster code"),
            ("learn", "take lessons"),
        ],
    ),
    (
        "Test your tests",
        &[
            ("test", "run tests"),
            ("mutate", "judge tests by mutants"),
            ("repair", "mend programs"),
            ("fill", "write what is missing"),
            ("prove", "compare functions"),
        ],
    ),
    (
        "Look inside",
        &[
            ("stages", "output of the compiler's stages"),
            ("rules", "your own optimizer"),
            ("explain", "codes, passes, marks"),
        ],
    ),
    (
        "Judge and share",
        &[
            ("batch", "judge candidates"),
            ("merge", "join shards"),
            ("page", "one page of HTML"),
            ("export", "standalone C"),
            ("demo", "play tapes"),
        ],
    ),
    (
        "The paper's laboratory",
        &[
            ("neural", "compile by network"),
            ("router", "choose a compiler"),
            ("race", "compare all compilers"),
            ("model", "check the paper's figures"),
            ("noise", "simulate faults"),
            ("train", "train the network"),
            ("bench", "measure speed"),
        ],
    ),
    (
        "This program",
        &[
            ("engines", "CPU and GPUs"),
            ("config", "your settings"),
            ("completions", "complete in the shell"),
            ("man", "manual pages"),
        ],
    ),
];

/// Returns clap's template for the help of the whole program. Clap lists commands in one group only, so the template
/// has them as text.
pub fn template() -> String {
    let (header, literal) = (STYLES.get_header(), STYLES.get_literal());
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for (task, commands) in TASKS {
        // Writing to a string does not fail.
        let _ = write!(text, "\n{header}{task}:{header:#}\n");
        for (name, purpose) in commands {
            let _ = writeln!(text, "  {literal}{name:<12}{literal:#}{purpose}");
        }
    }
    let heading = |name: &str| format!("\n{header}{name}:{header:#}\n");
    text + &heading("Arguments") + "{positionals}\n" + &heading("Options") + "{options}{after-help}"
}
