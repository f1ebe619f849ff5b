//! What may stand on the command line, declared for clap.
//!
//! Options that every subcommand takes are global, so that they may stand before or behind the subcommand's own.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand, ValueEnum};

use crate::config::Config;
use crate::engine::choose::Preference;
use crate::noise::REPETITIONS;
use crate::race::Contestant;

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
  myriad race samples/gcd.myr                 every way of compiling against every other
  myriad noise samples/gcd.myr                tests on a simulated machine that errs
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
    /// Which engine compiles and runs; `auto` (the configuration's default) takes the hardware GPUs where there are any, else
    /// the CPU
    #[arg(long, global = true, value_enum, value_name = "ENGINE")]
    pub engine: Option<EngineChoice>,
    /// Text for people, or one JSON document for machines
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
    /// Add measured times
    #[arg(long, global = true)]
    pub timings: bool,
    /// The user's configuration, filled in before a command begins.
    #[arg(skip)]
    pub config: Config,
}

impl Common {
    /// With what the configuration says where the call says nothing.
    pub fn configured(self, config: Config) -> Common {
        let configured = match config.engine.choice {
            Preference::Auto => EngineChoice::Auto,
            Preference::Cpu => EngineChoice::Cpu,
            Preference::Gpu => EngineChoice::Gpu,
            Preference::All => EngineChoice::All,
        };
        Common { engine: self.engine.or(Some(configured)), config, ..self }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EngineChoice {
    #[default]
    Auto,
    Cpu,
    Gpu,
    /// All devices and the CPU, which share each batch
    All,
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
    /// The paper's model, beside what this machine measures
    #[command(after_help = "Examples:
  myriad model
  myriad model samples/crc.myr -k 200
  myriad model --equation 12 --equation 16
  myriad model samples/gcd.myr --format json

Each number is quoted (the paper's), modelled (the paper's formula with what was measured here) or measured.")]
    Model(ModelArgs),
    /// Write a program with its tests in another language
    #[command(after_help = "Examples:
  myriad export samples/gcd.myr --to c > gcd.c && cc gcd.c -o gcd && ./gcd
  myriad export samples/gcd.myr --to c | tcc -run -
  myriad export samples/gcd.myr --to c --format json

The program prints a line for each test and property, `pass`, `fail` or `trap KIND`, and ends with 0 where all pass.")]
    Export(ExportArgs),
    /// Race the same variants through every way of compiling and testing them
    #[command(after_help = "Examples:
  myriad race samples/gcd.myr
  myriad race samples/crc.myr -k 4000 --contestants conventional,cpu
  myriad race samples/gcd.myr --csv race.csv --svg race.svg
  myriad race samples/gcd.myr --format json --seconds 20

An interrupt ends the race with what is there by then.")]
    Race(RaceArgs),
    /// Say of each function which path the hybrid compiler takes, why, and what the other would cost
    #[command(after_help = "Examples:
  myriad router samples/gcd.myr
  myriad router samples/*.myr --evidence verified --format json
  myriad router --eval --functions 200       measure the router on functions that it was not fitted to
  myriad router --reset                      forget what was learned from your own compilations
  myriad router --fit > coefficients.json    fit the coefficients that a build ships")]
    Router(RouterArgs),
    /// Simulate a machine that errs: how often tests still hold, what is fragile, and how many repetitions must vote
    #[command(after_help = "Examples:
  myriad noise samples/gcd.myr
  myriad noise samples/gcd.myr --rate 0.01 -k 5000 --seed 7
  myriad noise samples/crc.myr --test 0 --bound 0.0001 --format json

This is a simulation: docs/noise.md says what a fault does. Tests that do not pass without noise are left out.")]
    Noise(NoiseArgs),
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
    /// Print the configuration with its comments, and where it belongs
    #[command(after_help = "Examples:
  myriad config
  myriad config > ~/.config/myriad/config.toml      begins one of your own
  MYRIAD_CONFIG=lab.toml myriad samples/gcd.myr     takes another one")]
    Config,
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
    pub routing: Routing,
    #[command(flatten)]
    pub drawing: Drawing,
}

#[derive(Debug, clap::Args)]
pub struct RouterArgs {
    /// Programs; `-` is standard input
    #[arg(
        required_unless_present_any = ["eval", "fit", "reset"],
        conflicts_with_all = ["eval", "fit", "reset"],
        value_name = "FILE"
    )]
    pub files: Vec<OsString>,
    #[command(flatten)]
    pub routing: Routing,
    #[command(flatten)]
    pub drawing: Drawing,
    /// Measure prediction, equation 14 and times on functions that the router was not fitted to
    #[arg(long, conflicts_with_all = ["fit", "reset"])]
    pub eval: bool,
    /// Fit the coefficients anew to functions of the corpus, and print them
    #[arg(long, conflicts_with = "reset")]
    pub fit: bool,
    /// With `--eval` and `--fit`: how many generated functions; 400 and 2000 if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub functions: Option<u32>,
    /// Delete what was learned from your own compilations
    #[arg(long)]
    pub reset: bool,
}

/// How the hybrid compiler decides.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Routing {
    /// What the hybrid's final result needs; if not given the configuration's (`proved`), with `--eval` `verified`
    #[arg(long, value_enum, value_name = "EVIDENCE")]
    pub evidence: Option<EvidenceChoice>,
    /// Send functions with a score below this through the neural path; tuned to measured costs if not given
    #[arg(long, value_name = "X", allow_hyphen_values = true, value_parser = theta)]
    pub theta: Option<f64>,
    /// What the tuned threshold makes least; the configuration's (`time`) if not given
    #[arg(long, value_enum, value_name = "WHAT")]
    pub objective: Option<ObjectiveChoice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EvidenceChoice {
    /// The traditional compiler's code, or what agrees with it on all inputs
    Proved,
    /// That, or a bounded error rate
    Verified,
    /// That the file's tests pass: the paper's algorithm to the letter
    Tests,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ObjectiveChoice {
    Time,
    Energy,
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

#[derive(Debug, clap::Args)]
pub struct ModelArgs {
    /// A program; the gcd sample if none is given; `-` is standard input
    pub file: Option<OsString>,
    /// Programs compiled and candidates drawn; 1000 if not given, as in the paper
    #[arg(short, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub k: Option<u32>,
    /// Only this equation; may be given several times
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..=16))]
    pub equation: Vec<u8>,
    /// Advise for who needs a proof
    #[arg(long)]
    pub guarantee: bool,
    /// Other weights than those of this build
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct ExportArgs {
    /// The program; `-` is standard input
    pub file: OsString,
    /// The language to write
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub to: Language,
}

#[derive(Debug, clap::Args)]
pub struct RaceArgs {
    /// The program; `-` is standard input
    pub file: OsString,
    /// How many variants race: single changes first, then pairs
    #[arg(short, value_name = "K", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub k: u32,
    /// Decides what the neural network draws; which variants race is decided by the program and k
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u32,
    /// Who races; all that can if not given
    #[arg(long, value_delimiter = ',', value_name = "NAMES", value_parser = contestant)]
    pub contestants: Vec<Contestant>,
    /// Write the table for spreadsheets
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw it
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// For all contestants together; who is too slow for its share is cut off
    #[arg(long, value_name = "LIMIT", default_value_t = 45.0, value_parser = seconds)]
    pub seconds: f64,
    /// Let a program that imitates a GPU race as one, as `--engine gpu` does
    #[arg(long)]
    pub software: bool,
}

/// What programs are exported to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// C99, standalone
    C,
}

#[derive(Debug, clap::Args)]
pub struct NoiseArgs {
    #[command(flatten)]
    pub files: Files,
    /// Only the test or property with this index, counted from 0
    #[arg(long, value_name = "INDEX")]
    pub test: Option<u32>,
    /// The part of steps that go wrong
    #[arg(long, value_name = "R", default_value_t = 0.001, value_parser = rate)]
    pub rate: f64,
    /// How often each test is run
    #[arg(short, value_name = "K", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=i64::from(REPETITIONS)))]
    pub k: u32,
    /// Decides, with the rate, which steps are struck and how
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u32,
    /// The error rate that a majority vote is to come below
    #[arg(long, value_name = "P", default_value_t = 0.001, value_parser = bound)]
    pub bound: f64,
    /// How surely the true rates lie within the intervals
    #[arg(long, value_name = "C", default_value_t = 0.95, value_parser = confidence)]
    pub confidence: f64,
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
    /// Either, as the router decides
    Hybrid,
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

fn contestant(text: &str) -> Result<Contestant, String> {
    Contestant::from_name(text).ok_or_else(|| {
        let names: Vec<&str> = Contestant::ALL.iter().map(|one| one.name()).collect();
        format!("the contestants are {}", names.join(", "))
    })
}

fn seconds(text: &str) -> Result<f64, String> {
    number(text, |s| (0.1..=1e6).contains(&s), "a number of seconds from 0.1 on, such as 45")
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

fn theta(text: &str) -> Result<f64, String> {
    // `run` hides the dash of negative numbers behind a space.
    number(text.trim(), |x| !x.is_nan(), "a number such as -1.5, or `inf` (always neural) or `-inf` (never)")
}

fn risk(text: &str) -> Result<f64, String> {
    number(text, |r| (1e-6..=0.5).contains(&r), "an error rate from 0.000001 to 0.5, such as 0.001")
}

fn confidence(text: &str) -> Result<f64, String> {
    number(text, |c| (0.5..=0.999_999).contains(&c), "a confidence from 0.5 to 0.999999, such as 0.95")
}

fn rate(text: &str) -> Result<f64, String> {
    number(text, |r| (0.0..=1.0).contains(&r), "a part from 0 to 1, such as 0.001")
}

fn bound(text: &str) -> Result<f64, String> {
    number(text, |r| (1e-12..=0.5).contains(&r), "an error rate from 1e-12 to 0.5, such as 0.001")
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
            assert_eq!(args.common.engine, Some(EngineChoice::Cpu));
        }
    }
}
