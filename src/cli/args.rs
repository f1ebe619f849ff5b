//! What may stand on the command line, declared for clap.
//!
//! Options that every subcommand takes are global, so that they may stand before or behind the subcommand's own.

use std::ffi::OsString;
use std::path::PathBuf;

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
  myriad neural samples/gcd.myr               bytecode by a neural network, and how sure it is
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
    /// Compile functions by a neural network, verify what it writes, and say how sure that is
    #[command(after_help = "Examples:
  myriad neural samples/gcd.myr
  myriad neural samples/gcd.myr --function gcd -k 100 --seed 7
  myriad neural samples/*.myr --risk 0.0001 --confidence 0.99 --format json
  myriad neural --eval --functions 200       measure the model, by class")]
    Neural(NeuralArgs),
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
    /// Train weights for neural compilation
    #[command(after_help = "Examples:
  myriad train --out weights --minutes 60
  myriad train --out weights --resume          goes on where it ended or was killed
  myriad train --out weights --plot            shows how it went
  myriad train --smoke                         a tiny model, in a minute or two

It needs a build with `--features train` (CPU) or `--features train-wgpu` (any adapter). An interrupt ends it with a checkpoint.")]
    Train(TrainArgs),
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
    /// Who makes the function's bytecode; `neural` says how sure it is
    #[arg(long, value_enum, default_value_t, value_name = "COMPILER")]
    pub compiler: Compiler,
    #[command(flatten)]
    pub drawing: Drawing,
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

#[derive(Debug, clap::Args)]
pub struct NeuralArgs {
    /// Programs; `-` is standard input
    #[arg(required_unless_present = "eval", conflicts_with = "eval", value_name = "FILE")]
    pub files: Vec<OsString>,
    /// Only this function
    #[arg(long, value_name = "F", conflicts_with = "eval")]
    pub function: Option<String>,
    #[command(flatten)]
    pub drawing: Drawing,
    /// Measure the model on functions that it was never trained on: generated ones, and ones that people wrote
    #[arg(long)]
    pub eval: bool,
    /// With `--eval`: how many generated functions; 2000 if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub functions: Option<u32>,
}

/// How candidates are drawn and verified.
#[derive(Clone, Debug, clap::Args)]
pub struct Drawing {
    /// Candidates drawn, beside the likeliest one; 1000 if not given, 100 with `--eval`
    #[arg(short, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub k: Option<u32>,
    /// Above 1 candidates differ more, below 1 less
    #[arg(long, value_name = "T", default_value_t = 1.0, value_parser = temperature)]
    pub temperature: f32,
    /// Draw among the likeliest words alone, whose probabilities add up to this
    #[arg(long, value_name = "P", default_value_t = 1.0, value_parser = nucleus)]
    pub top_p: f32,
    /// Decides, with k, which candidates are drawn
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u32,
    /// The error rate that verification is to exclude
    #[arg(long, value_name = "R", default_value_t = 0.001, value_parser = risk)]
    pub risk: f64,
    /// How surely it is to exclude it
    #[arg(long, value_name = "C", default_value_t = 0.95, value_parser = confidence)]
    pub confidence: f64,
    /// Other weights than those of this build
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
}

/// Who makes the bytecode of the function that is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Compiler {
    /// The deterministic compiler
    #[default]
    Traditional,
    /// The neural network, verified against the deterministic compiler
    Neural,
}

/// What training computes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TrainDevice {
    #[default]
    Cpu,
    Wgpu,
}

#[derive(Debug, clap::Args)]
pub struct TrainArgs {
    /// The folder of checkpoint, weights and log
    #[arg(long, value_name = "DIR", default_value = "training")]
    pub out: PathBuf,
    /// Go on with the folder's checkpoint
    #[arg(long)]
    pub resume: bool,
    /// End with this step, counted from the beginning of training
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// End after so many minutes
    #[arg(long, value_name = "M", value_parser = minutes)]
    pub minutes: Option<f64>,
    /// Width of the model, a multiple of 32
    #[arg(long, value_name = "N")]
    pub width: Option<usize>,
    /// Layers of the encoder, and as many of the decoder
    #[arg(long, value_name = "N")]
    pub layers: Option<usize>,
    /// Words of a batch, filling included
    #[arg(long, value_name = "N")]
    pub batch: Option<usize>,
    /// Learn from execution after every N-th step (0: never); if not given, at the end of the curriculum
    #[arg(long, value_name = "N")]
    pub practice: Option<u64>,
    /// Decides the first weights and the examples
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// What computes
    #[arg(long, value_enum, default_value_t, value_name = "DEVICE")]
    pub device: TrainDevice,
    /// A tiny model on simple functions for a few hundred steps: to see that training works
    #[arg(long)]
    pub smoke: bool,
    /// Show the log of the folder as curves, and train nothing
    #[arg(long)]
    pub plot: bool,
}

fn minutes(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(m) if m > 0.0 && m <= 1e6 => Ok(m),
        _ => Err("a number of minutes above 0 is wanted, such as 60 or 0.5".to_string()),
    }
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

/// A number for which `fits` holds.
fn number(text: &str, fits: impl Fn(f64) -> bool, wanted: &str) -> Result<f64, String> {
    text.parse().ok().filter(|n| fits(*n)).ok_or_else(|| format!("{wanted} is wanted"))
}

fn temperature(text: &str) -> Result<f32, String> {
    let fits = |t: f64| (0.01..=100.0).contains(&t);
    number(text, fits, "a number from 0.01 to 100, such as 0.8").map(|t| t as f32)
}

fn nucleus(text: &str) -> Result<f32, String> {
    let fits = |p: f64| (0.001..=1.0).contains(&p);
    number(text, fits, "a probability from 0.001 to 1, such as 0.95").map(|p| p as f32)
}

fn risk(text: &str) -> Result<f64, String> {
    number(text, |r| (1e-6..=0.5).contains(&r), "an error rate from 0.000001 to 0.5, such as 0.001")
}

fn confidence(text: &str) -> Result<f64, String> {
    number(text, |c| (0.5..=0.999_999).contains(&c), "a confidence from 0.5 to 0.999999, such as 0.95")
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
