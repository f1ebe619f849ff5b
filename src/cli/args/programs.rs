//! What is asked of programs: check, test, run, stages, mutate, export.

use std::ffi::OsString;

use clap::ValueEnum;

use super::values::seconds;
use super::{Drawing, Routing};
use crate::host::measure::share::Percent;
use crate::lang::limits::{INPUTS, SAMPLES};
use crate::report::shard::Shard;
use crate::testing::mutation::repair::CANDIDATES;

#[derive(Debug, clap::Args)]
pub struct Files {
    /// Programs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<OsString>,
}

/// Which steps of a run are printed.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Tracing {
    /// The first step that `--trace` prints
    #[arg(long, value_name = "STEP", default_value_t = 0, requires = "trace")]
    pub from: u32,
    /// Print so many steps
    #[arg(long, value_name = "N", default_value_t = 1_000, requires = "trace")]
    pub steps: u32,
}

#[derive(Debug, clap::Args)]
pub struct TestArgs {
    #[command(flatten)]
    pub files: Files,
    /// Print the steps of the test or property with this index: of a property on its counterexample, or else on its first
    /// input that is not discarded
    #[arg(long, value_name = "INDEX")]
    pub trace: Option<u32>,
    #[command(flatten)]
    pub tracing: Tracing,
    /// Run properties whose domains are larger on so many inputs, from 1024 to 65536
    #[arg(long, value_name = "N", default_value_t = SAMPLES,
        value_parser = clap::value_parser!(u32).range(SAMPLES as i64..=INPUTS as i64))]
    pub inputs: u32,
    /// At most so long for the tests of each file; without it they end at their step limits
    #[arg(long, value_name = "LIMIT", value_parser = seconds)]
    pub seconds: Option<f64>,
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
    /// Print the steps of the run, each with what it leaves
    #[arg(long)]
    pub trace: bool,
    #[command(flatten)]
    pub tracing: Tracing,
    /// Who makes the function's bytecode; `neural` says how sure it is
    #[arg(long, value_enum, default_value_t, value_name = "COMPILER")]
    pub compiler: Compiler,
    #[command(flatten)]
    pub routing: Routing,
    #[command(flatten)]
    pub drawing: Drawing,
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
    /// Show instead how the shaders compile it: what each round of all threads does, and how many words it changes. Needs a
    /// device, if only a software one
    #[arg(long, conflicts_with_all = ["stage", "after"])]
    pub rounds: bool,
}

#[derive(Debug, clap::Args)]
pub struct MutateArgs {
    /// Programs; `-` is standard input
    #[arg(required_unless_present = "operators", value_name = "FILE")]
    pub files: Vec<OsString>,
    /// Exit with 1 where a score, which is of single changes, is lower, in percent
    #[arg(long, value_name = "P")]
    pub min_score: Option<Percent>,
    /// 1: one change each; 2: also pairs of changes
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=2))]
    pub order: u32,
    /// Say of each single change that survives why, with a test that would notice it, and of each timeout whether it
    /// never ends
    #[arg(long)]
    pub why: bool,
    /// Run each single change that is noticed by every test: say what each test is for, and how few notice as much
    #[arg(long)]
    pub matrix: bool,
    /// Write a report on the single changes of all files; its name ends in `.json` (mutation-testing-report-schema),
    /// `.html` or `.md`. With `--why` and `--matrix` it says more
    #[arg(long, value_name = "FILE")]
    pub report: Vec<OsString>,
    /// Only the mutants of lines that this older text does not have
    #[arg(long, value_name = "FILE")]
    pub since: Option<OsString>,
    /// List the mutants, and judge none
    #[arg(long, conflicts_with_all = ["min_score", "why", "matrix", "report"])]
    pub list: bool,
    /// Show each survivor, or with `--list` each mutant, as a difference
    #[arg(long)]
    pub diff: bool,
    /// Whose operators make mutants: `default` (unless the configuration has another), `strong` for more, or `repair`
    /// for many more
    #[arg(long, value_enum, value_name = "GROUP")]
    pub group: Option<GroupChoice>,
    /// Only mutants of these operators; `--operators help` says what each changes
    #[arg(long, value_delimiter = ',', value_name = "OPERATOR")]
    pub operators: Vec<String>,
    /// At most so many mutants; if not given, all single changes, and with `--order 2` pairs up to 1,024 in all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub budget: Option<u32>,
    /// At most so long for each file; what is there by then, or at an interrupt, is printed and marked as partial
    #[arg(long, value_name = "LIMIT", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Judge only this stretch of each file's mutants; `myriad merge` puts the shards together
    #[arg(long, value_name = "I/N", conflicts_with_all = ["min_score", "matrix", "report"])]
    pub shard: Option<Shard>,
}

#[derive(Debug, clap::Args)]
pub struct RepairArgs {
    #[command(flatten)]
    pub files: Files,
    /// Write the best repair to the file
    #[arg(long)]
    pub apply: bool,
    /// Search no longer than this for each file; without it the search ends at its budget
    #[arg(long, value_name = "LIMIT", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Judge no more candidates than this for each file
    #[arg(long, value_name = "N", default_value_t = CANDIDATES, value_parser = clap::value_parser!(u64).range(1..))]
    pub budget: u64,
    /// Show no more repairs than this
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub most: usize,
    /// A program that says what is right, by functions of the same name and type, in the place of the tests
    #[arg(long, value_name = "FILE")]
    pub reference: Option<OsString>,
    /// How much to say of each change: the line, also what kind of thing is wrong there, or all of it
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t, conflicts_with = "apply")]
    pub hint: Hint,
    /// Repair only this stretch of the files; `myriad merge` puts the shards together
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
}

/// A group of mutation operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GroupChoice {
    Default,
    Strong,
    Repair,
}

/// How much is said of a repair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Hint {
    /// The line alone
    Line,
    /// The line, what stands there and the rule that changes it
    Operator,
    /// The whole repair
    #[default]
    Fix,
}

#[derive(Debug, clap::Args)]
pub struct ExportArgs {
    /// The program; `-` is standard input
    pub file: OsString,
    /// The language to write
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub to: Language,
}

/// What programs are exported to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// C99, standalone
    C,
}
