//! Options of the commands on programs: check, test, run, stages, mutate, repair, export.

use std::ffi::OsString;

use clap::ValueEnum;

use super::values::{one_of, passes, seconds};
use super::{HybridRouting, SamplingArgs};
use crate::host::measure::share::Percent;
use crate::lang::limits::{INPUTS, SAMPLES};
use crate::lang::mutation::Group;
use crate::report::shard::Shard;
use crate::workbench::config::keys::GROUPS;

#[derive(Debug, clap::Args)]
pub struct Files {
    /// Programs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<OsString>,
}

#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub files: Files,
    /// Also list what is left out of programs with errors
    #[arg(long)]
    pub partial: bool,
}

#[derive(Debug, clap::Args)]
pub struct FmtArgs {
    #[command(flatten)]
    pub files: Files,
    /// Change nothing, and name the files whose layout is another
    #[arg(long)]
    pub check: bool,
}

/// The steps of a run that are printed.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Tracing {
    /// The first step that `--trace` prints
    #[arg(long, value_name = "STEP", default_value_t = 0, requires = "trace")]
    pub from: u32,
    /// Number of steps to print
    #[arg(long, value_name = "N", default_value_t = 1_000, requires = "trace")]
    pub steps: u32,
}

#[derive(Debug, clap::Args)]
pub struct TestArgs {
    #[command(flatten)]
    pub files: Files,
    /// Print the steps of the test with this index; of a property, on its counterexample or its first input
    #[arg(long, value_name = "INDEX")]
    pub trace: Option<u32>,
    #[command(flatten)]
    pub tracing: Tracing,
    /// Apply the proved rules of this file to each program first
    #[arg(long, value_name = "FILE", conflicts_with = "partial")]
    pub rules: Option<OsString>,
    /// Number of inputs for properties whose domains are larger, from 1024 to 65536
    #[arg(long, value_name = "N", default_value_t = SAMPLES,
        value_parser = clap::value_parser!(u32).range(SAMPLES as i64..=INPUTS as i64))]
    pub inputs: u32,
    /// Also run programs with errors: tests that reach no error end as usual
    #[arg(long)]
    pub partial: bool,
    /// Time limit in seconds; without it, tests end at their step limits
    #[arg(long, value_name = "LIMIT", value_parser = seconds)]
    pub seconds: Option<f64>,
}

#[derive(Debug, clap::Args)]
pub struct RulesArgs {
    /// A file of rules, one a line, or a program with rules in lines `//= RULE`; `-` is standard input
    pub file: OsString,
    /// A program on which the proved rules are tried; by default FILE, if it is one
    pub program: Option<OsString>,
}

#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// The program; `-` is standard input
    pub file: OsString,
    /// The function to call
    pub function: String,
    /// The arguments, as literals: `12`, `-5`, `true`, `[1, 2]`, `"abc"`
    #[arg(value_name = "ARG")]
    pub arguments: Vec<String>,
    /// Print the steps of the run, each with its effect
    #[arg(long)]
    pub trace: bool,
    #[command(flatten)]
    pub tracing: Tracing,
    /// Print the function with the values of its variables, conditions and results next to its lines
    #[arg(long, conflicts_with = "trace")]
    pub values: bool,
    /// Also run a program with errors, until the run arrives at one
    #[arg(long, conflicts_with = "compiler")]
    pub partial: bool,
    /// The compiler of the function's bytecode
    #[arg(long, value_enum, default_value_t, value_name = "COMPILER")]
    pub compiler: ProgramCompiler,
    #[command(flatten)]
    pub routing: HybridRouting,
    #[command(flatten)]
    pub drawing: SamplingArgs,
}

/// The compiler that produces the bytecode of the function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgramCompiler {
    /// The deterministic compiler
    #[default]
    Traditional,
    /// The neural network, compared with the deterministic compiler
    Neural,
    /// Either, as chosen by the router
    Hybrid,
}

/// A stage whose output can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum StageName {
    Tokens,
    Ast,
    Types,
    Ir,
    Bytecode,
    /// The control-flow graph of the IR
    Cfg,
    /// What is known where each basic block of the IR begins
    Facts,
    /// All names
    Symbols,
    /// The call graph
    Calls,
}

#[derive(Debug, clap::Args)]
pub struct StagesArgs {
    #[command(flatten)]
    pub files: Files,
    /// Apply the proved rules of this file to each program first
    #[arg(long, value_name = "FILE", conflicts_with = "rounds")]
    pub rules: Option<OsString>,
    /// The stages; by default `tokens` to `bytecode`
    #[arg(long, value_enum, value_delimiter = ',', value_name = "STAGE")]
    pub stage: Vec<StageName>,
    /// Show the IR, its graph and its facts after this pass of the optimizer's first round; by default after the last
    /// one
    #[arg(long, value_name = "PASS", value_parser = passes())]
    pub after: Option<String>,
    /// Show also what level 2 does not expand, and why; without --stage, only that
    #[arg(long, conflicts_with = "rounds")]
    pub remarks: bool,
    /// Show instead how the shaders compile it, round by round
    #[arg(long, conflicts_with_all = ["stage", "after"])]
    pub rounds: bool,
    /// Print the control-flow graph for Graphviz; with `--stage calls`, the call graph
    #[arg(long, conflicts_with = "rounds")]
    pub dot: bool,
}

#[derive(Debug, Default, clap::Args)]
pub struct MutateArgs {
    /// Programs; `-` is standard input
    #[arg(required_unless_present = "operators", value_name = "FILE")]
    pub files: Vec<OsString>,
    /// Exit with 1 if a score of first-order mutants is below this percentage
    #[arg(long, value_name = "P")]
    pub min_score: Option<Percent>,
    /// 1: first-order mutants only; 2: also second-order ones
    #[arg(long, help_heading = "Which mutants", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=2))]
    pub order: u32,
    /// Show why each first-order mutant survives, with a test that would notice it, and whether a timeout never ends
    #[arg(long, help_heading = "Why mutants survive")]
    pub why: bool,
    /// Prove that survivors equal the program, or find an input on which they differ; proved ones do not count
    #[arg(long, help_heading = "Why mutants survive")]
    pub prove: bool,
    /// Run each noticed mutant on every test: show what each test is for, and a smallest set that notices as much
    #[arg(long, help_heading = "Why mutants survive")]
    pub matrix: bool,
    /// Write a report: `.json` (mutation-testing-report-schema), `.html`, `.md`, `.svg` (a badge) or `.badge.json` (its
    /// data). `--why` and `--matrix` add to it
    #[arg(long, value_name = "FILE")]
    pub report: Vec<OsString>,
    /// Only mutants of lines that an older version does not have: a file, or a revision that git knows
    #[arg(long, help_heading = "Which mutants", value_name = "FILE|REV")]
    pub since: Option<OsString>,
    /// Only mutants of lines that this unified diff adds; `-` is standard input
    #[arg(long, help_heading = "Which mutants", value_name = "FILE", conflicts_with = "since")]
    pub in_diff: Option<OsString>,
    /// Append the scores to this file, as a line of JSON, and plot those of earlier calls
    #[arg(long, value_name = "FILE", conflicts_with_all = ["list", "shard"])]
    pub history: Option<OsString>,
    /// List the mutants without judging them
    #[arg(long, conflicts_with_all = ["min_score", "why", "prove", "matrix", "report"])]
    pub list: bool,
    /// Show each survivor, or with `--list` each mutant, as a diff
    #[arg(long)]
    pub diff: bool,
    /// The operator group: `default` (unless the configuration has another), `strong` for more mutants, or
    /// `repair` for many more
    #[arg(long, help_heading = "Which mutants", value_name = "GROUP", value_parser = one_of(&GROUPS, &[]))]
    pub group: Option<Group>,
    /// Only mutants of these operators; `--operators help` lists them
    #[arg(long, help_heading = "Which mutants", value_delimiter = ',', value_name = "OPERATOR")]
    pub operators: Vec<String>,
    /// Maximum number of mutants; by default all first-order ones, and with `--order 2` second-order ones up to
    /// 1,024 in all
    #[arg(long, help_heading = "Which mutants", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub budget: Option<u32>,
    /// Time limit in seconds; the results until then are printed as partial
    #[arg(long, value_name = "LIMIT", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Judge only this shard of each file's mutants; `myriad merge` merges the shards
    #[arg(long, help_heading = "Which mutants", value_name = "I/N", conflicts_with_all = ["min_score", "matrix", "report"])]
    pub shard: Option<Shard>,
}

impl MutateArgs {
    /// Returns the arguments of a call that judges all first-order mutants and explains survivors.
    pub fn explained() -> MutateArgs {
        MutateArgs { order: 1, why: true, ..MutateArgs::default() }
    }
}

#[derive(Debug, clap::Args)]
pub struct PageArgs {
    /// A program; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: OsString,
    /// The page's file; standard output without it
    #[arg(short, long, value_name = "PAGE")]
    pub output: Option<OsString>,
    /// Also record this call, such as `f(12, [1, 2])`; may be repeated
    #[arg(long, value_name = "CALL")]
    pub run: Vec<String>,
    /// Time limit in seconds; mutants that are not judged until then are pending
    #[arg(long, value_name = "LIMIT", value_parser = seconds)]
    pub seconds: Option<f64>,
}

#[derive(Debug, clap::Args)]
pub struct RepairArgs {
    #[command(flatten)]
    pub files: Files,
    /// Write the best repair to the file
    #[arg(long)]
    pub apply: bool,
    /// With --apply, take only these changes of a repair that has several, numbered from 1
    #[arg(long, value_name = "N", value_delimiter = ',', requires = "apply")]
    pub take: Vec<usize>,
    /// Time limit in seconds; repairs found until then are ranked and printed
    #[arg(long, value_name = "LIMIT", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Number of candidates to judge; without it the search ends when a better repair is unlikely
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub budget: Option<u64>,
    /// Maximum number of repairs to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub most: usize,
    /// A program with correct functions of the same names and types; it replaces the tests
    #[arg(long, value_name = "FILE")]
    pub reference: Option<OsString>,
    /// How much to show of each change
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t, conflicts_with = "apply")]
    pub hint: Hint,
    /// Repair only this shard of the files; `myriad merge` merges the shards
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
}

#[derive(Debug, clap::Args)]
pub struct FillArgs {
    #[command(flatten)]
    pub files: Files,
    /// Write the first expression to the file
    #[arg(long)]
    pub apply: bool,
    /// Time limit in seconds; expressions found until then are printed
    #[arg(long, value_name = "LIMIT", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Maximum number of expressions to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub most: usize,
}

#[derive(Debug, clap::Args)]
pub struct ProveArgs {
    /// The program; `-` is standard input
    pub file: OsString,
    /// A second program, whose functions are compared with those of the same name
    #[arg(required_unless_present = "mutant", conflicts_with = "mutant")]
    pub other: Option<OsString>,
    /// Only the function with this name
    #[arg(long, value_name = "NAME", conflicts_with = "mutant")]
    pub function: Option<String>,
    /// Compare the program with its mutant of this id, as `myriad mutate` numbers them
    #[arg(long, value_name = "ID")]
    pub mutant: Option<u32>,
}

/// Level of detail of a repair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Hint {
    /// Only the line
    Line,
    /// The line, the code there, and the rule that changes it
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

/// A target language of `export`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// C99, standalone
    C,
}
