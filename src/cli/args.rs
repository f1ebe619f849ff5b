//! What may stand on the command line, declared for clap.
//!
//! Options that every subcommand takes are global, so that they may stand before or behind the subcommand's own.

use std::ffi::OsString;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand, ValueEnum};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const EXAMPLES: &str = "\
Examples:
  myriad samples/gcd.myr                      open a program in the workbench
  myriad check *.myr                          compile, and show what is wrong
  myriad test samples/gcd.myr                 run its tests and properties
  myriad run samples/gcd.myr gcd 12 -18       call one function
  myriad mutate samples/gcd.myr --min-score 90
  cat a.myr | myriad test - --format json     a program from standard input, a document for machines

Exit codes: 0 all good; 1 the program under test falls short; 2 the call is wrong; 3 an engine failed.";

/// A live compiler workbench: each keystroke recompiles and tests a program together with all its mutants.
#[derive(Debug, Parser)]
#[command(
    name = "myriad",
    version,
    styles = STYLES,
    after_help = EXAMPLES,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Args {
    #[command(flatten)]
    pub common: Common,
    /// A program to open in the workbench
    pub file: Option<OsString>,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What every subcommand takes.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Common {
    /// Which engine compiles and runs; `auto` takes a hardware GPU where there is one, else the CPU
    #[arg(long, global = true, value_enum, default_value_t, value_name = "ENGINE")]
    pub engine: EngineChoice,
    /// Text for people, or one JSON document for machines
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// Add measured times
    #[arg(long, global = true)]
    pub timings: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EngineChoice {
    #[default]
    Auto,
    Cpu,
    Gpu,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    Text,
    Json,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile programs and show what is wrong with them
    #[command(after_help = "Examples:
  myriad check samples/*.myr
  myriad check - < program.myr
  myriad check broken.myr --format json

`myriad explain E0401` says more about a code that is shown.")]
    Check(Files),
    /// Run the tests and properties of programs
    #[command(after_help = "Examples:
  myriad test samples/gcd.myr
  myriad test samples/*.myr --engine gpu
  myriad test - --format json < program.myr")]
    Test(Files),
    /// Call one function and print its value
    #[command(
        after_help = "Arguments are literals of the language; quote them for the shell where it needs that:
  myriad run samples/gcd.myr gcd 12 -18
  myriad run samples/sorting.myr insertion_sort '[3, 1, 2]'
  myriad run samples/roman.myr value '\"MCMXCIV\"'"
    )]
    Run(RunArgs),
    /// Print what the stages leave behind: tokens, tree, types, IR, bytecode
    #[command(after_help = "Examples:
  myriad stages samples/gcd.myr
  myriad stages samples/gcd.myr --stage ast,types
  myriad stages samples/gcd.myr --stage ir --after lower")]
    Stages(StagesArgs),
    /// Judge all small changes of programs by their tests
    #[command(after_help = "Examples:
  myriad mutate samples/gcd.myr
  myriad mutate samples/*.myr --min-score 90      exit with 1 where a score is lower
  myriad mutate samples/gcd.myr --order 2 --budget 4096
  myriad mutate samples/gcd.myr --operators relational,constant")]
    Mutate(MutateArgs),
    /// List the adapters, which engine `auto` takes, and why
    #[command(after_help = "Examples:
  myriad engines
  myriad engines --format json")]
    Engines,
    /// Say more about a diagnostic's code, with an example
    #[command(after_help = "Examples:
  myriad explain E0401
  myriad explain          lists all codes")]
    Explain {
        /// A code such as E0401
        code: Option<String>,
    },
    /// Print a completion script for a shell
    #[command(after_help = "Examples:
  myriad completions bash > ~/.local/share/bash-completion/completions/myriad
  myriad completions fish > ~/.config/fish/completions/myriad.fish")]
    Completions {
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Measure
    Bench {
        #[command(subcommand)]
        what: BenchCommand,
    },
}

#[derive(Debug, clap::Args)]
pub struct Files {
    /// Programs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<OsString>,
}

#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// The program; `-` is standard input
    pub file: OsString,
    /// One of its functions
    pub function: String,
    /// The arguments, as literals: `12`, `-5`, `true`, `[1, 2]`, `"abc"`
    #[arg(value_name = "ARG")]
    pub arguments: Vec<String>,
}

/// A stage that can be dumped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StageName {
    Tokens,
    Ast,
    Types,
    Ir,
    Bytecode,
}

#[derive(Debug, clap::Args)]
pub struct StagesArgs {
    #[command(flatten)]
    pub files: Files,
    /// Which stages; all if not given
    #[arg(long, value_enum, value_delimiter = ',', value_name = "STAGE")]
    pub stage: Vec<StageName>,
    /// Show the IR as this optimizer pass left it (`lower` for none); the last if not given
    #[arg(long, value_name = "PASS")]
    pub after: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct MutateArgs {
    #[command(flatten)]
    pub files: Files,
    /// Exit with 1 where a score is lower, in percent
    #[arg(long, value_name = "P", value_parser = percent)]
    pub min_score: Option<f64>,
    /// 1: one change each; 2: also pairs of changes
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=2))]
    pub order: u32,
    /// Only mutants of these operators (`--operators help` lists them)
    #[arg(long, value_delimiter = ',', value_name = "OPERATOR")]
    pub operators: Vec<String>,
    /// At most so many mutants; if not given, all single changes, and with `--order 2` pairs up to 1,024 in all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub budget: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Replay an edit script without a terminal: from keystroke to base panels and to all verdicts
    #[command(after_help = "Examples:
  myriad bench keystrokes
  myriad bench keystrokes samples/crc.myr --engine gpu --format json")]
    Keystrokes {
        /// Programs; the gcd sample if none is given
        #[arg(value_name = "FILE")]
        files: Vec<OsString>,
        /// How many mutants a keystroke judges, pairs included
        #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=65536))]
        budget: u32,
        /// How often the script is typed
        #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
        rounds: u32,
    },
}

fn percent(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(p) if (0.0..=100.0).contains(&p) => Ok(p),
        _ => Err("a percentage from 0 to 100 is wanted, such as 90 or 87.5".to_string()),
    }
}

/// The words of the command line, with the negative numbers among them made safe.
///
/// clap takes `-5` for flags and knows only plain decimals as an exception; in `run`, `-0x10` and `-'a'` are arguments
/// as well. Literals may be surrounded by spaces, so such a word gets one in front, which hides its dash. No flag
/// begins with anything but a letter or a second dash.
pub fn words(raw: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = raw.into_iter().collect();
    if let Some(run) = words.iter().skip(1).position(|word| word == "run") {
        for word in &mut words[run + 2..] {
            let bytes = word.as_encoded_bytes();
            let is_flag = matches!(bytes.get(1), None | Some(b'-') | Some(b'a'..=b'z' | b'A'..=b'Z'));
            if bytes.first() == Some(&b'-') && !is_flag {
                let mut spaced = OsString::from(" ");
                spaced.push(&*word);
                *word = spaced;
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn declaration_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn negative_arguments_need_no_separator() {
        let line = ["myriad", "run", "a.myr", "f", "-5", "-0x10", "-'a'", "--format", "json"];
        let args = Args::parse_from(words(line.iter().map(OsString::from)));
        assert_eq!(args.common.format, Format::Json);
        let Some(Command::Run(run)) = args.command else { panic!("run is meant") };
        assert_eq!(run.arguments, [" -5", " -0x10", " -'a'"]);
    }

    #[test]
    fn common_options_stand_on_either_side() {
        for line in
            [["myriad", "--engine", "cpu", "check", "a.myr"], ["myriad", "check", "a.myr", "--engine", "cpu"]]
        {
            let args = Args::parse_from(words(line.iter().map(OsString::from)));
            assert_eq!(args.common.engine, EngineChoice::Cpu);
        }
    }
}
