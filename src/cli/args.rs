//! The command line, declared for clap.
//!
//! Options of many subcommands are global, so they may appear before or after the subcommand's own. [`heeded`] says which
//! subcommands take them.

mod batch;
mod bench;
mod common;
mod demo;
mod heeded;
mod hybrid;
mod improve;
mod learn;
mod measure;
mod neural;
mod programs;
mod tasks;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand};

use super::exit::Exit;
pub use batch::{BatchArgs, MergeArgs};
pub use bench::{BenchArgs, Effort};
pub use common::{Common, Format};
pub use demo::DemoArgs;
pub use heeded::{declaration, parse};
pub use hybrid::{HybridRouting, ObjectiveChoice, RouteChoice, RouterArgs};
pub use improve::ImproveArgs;
pub use learn::LearnArgs;
pub use measure::{ModelArgs, NoiseArgs, RaceArgs};
#[cfg(feature = "train")]
pub use neural::TrainDevice;
pub use neural::{EvidenceChoice, NeuralArgs, SamplingArgs, TrainArgs};
pub use programs::{
    CheckArgs, ExportArgs, Files, FillArgs, FmtArgs, Hint, Language, MutateArgs, PageArgs, ProgramCompiler,
    ProveArgs, RepairArgs, RulesArgs, RunArgs, StageName, StagesArgs, TestArgs, Tracing,
};
pub use tasks::{ArgTask, TASKS};

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
  myriad batch < candidates.jsonl             programs that others wrote, a verdict line each
  myriad noise samples/gcd.myr                tests on a simulated machine that errs
  cat a.myr | myriad test - --format json     a program from standard input, a document for machines";

/// Returns the examples and the exit codes.
fn after_help() -> String {
    let codes: Vec<String> = Exit::TABLE.iter().map(|(code, short, _)| format!("{code} {short}")).collect();
    format!("{EXAMPLES}\n\nExit codes: {}.", codes.join("; "))
}

/// A live compiler workbench: each keystroke recompiles and tests a program together with all its mutants.
#[derive(Debug, Parser)]
#[command(
    name = "myriad",
    version,
    styles = STYLES,
    help_template = tasks::template(),
    after_help = after_help(),
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Args {
    #[command(flatten)]
    pub common: Common,
    /// A program to open in the workbench, FILE:LINE[:COLUMN] or +LINE FILE, or a folder; without it, the welcome
    pub file: Option<OsString>,
    #[command(flatten)]
    pub look: Look,
    /// Write the session to a new file as a tape, which `myriad demo` plays
    #[arg(long, value_name = "TAPE")]
    pub record: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// How the workbench looks.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Look {
    /// Show each key in large letters, with high contrast
    #[arg(long)]
    pub present: bool,
    /// Show the paper's laboratory: the tabs and keys of Neural, Router, Paper, Noise and Learned
    #[arg(long)]
    pub lab: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile programs and show their errors and warnings
    #[command(after_help = "Examples:
  myriad check samples/*.myr
  myriad check - < program.myr
  myriad check broken.myr --format json

`myriad explain E0401` says more about a code that is shown.")]
    Check(CheckArgs),
    /// Write programs in the standard layout; comments stay, and so does the meaning
    #[command(after_help = "Examples:
  myriad fmt samples/*.myr
  myriad fmt --check samples/*.myr     changes nothing; exit code 1 if a file is laid out otherwise
  myriad fmt - < program.myr           from standard input to standard output

docs/fmt.md describes the layout.")]
    Fmt(FmtArgs),
    /// Test programs whenever they are saved, for a pane next to another editor
    #[command(after_help = "Examples:
  myriad watch samples/gcd.myr
  myriad watch *.myr --format json     one JSON object a line

An interrupt ends it.")]
    Watch(Files),
    /// Serve an editor: diagnostics, names, layout, verdicts while you type
    #[command(
        after_help = "An editor starts it and speaks the Language Server Protocol with it on standard input and output.
docs/lsp.md has the settings of helix, neovim and VS Code."
    )]
    Lsp,
    /// Run the tests and properties of programs
    #[command(after_help = "Examples:
  myriad test samples/gcd.myr
  myriad test samples/*.myr --engine gpu
  myriad test samples/weak.myr --trace 0
  myriad test - --format json < program.myr")]
    Test(TestArgs),
    /// Call one function and print its value
    #[command(
        after_help = "Arguments are literals of the language; quote them for the shell where it needs that:
  myriad run samples/gcd.myr gcd 12 -18
  myriad run samples/gcd.myr gcd 12 18 --trace
  myriad run samples/sorting.myr insertion_sort '[3, 1, 2]'
  myriad run samples/roman.myr value '\"MCMXCIV\"'"
    )]
    Run(RunArgs),
    /// Print the output of the compiler's stages: tokens, tree, types, IR, bytecode
    #[command(after_help = "Examples:
  myriad stages samples/gcd.myr
  myriad stages samples/gcd.myr --stage ast,types
  myriad stages samples/gcd.myr --stage ir --after lower
  myriad stages samples/gcd.myr --stage cfg          blocks, edges, loops, live variables
  myriad stages samples/gcd.myr --dot | dot -Tsvg > gcd.svg")]
    Stages(StagesArgs),
    /// Judge all small changes of programs by their tests
    #[command(after_help = "Examples:
  myriad mutate samples/gcd.myr
  myriad mutate samples/*.myr --min-score 90      exit with 1 where a score is lower
  myriad mutate samples/gcd.myr --order 2 --budget 4096
  myriad mutate samples/gcd.myr --operators relational,constant
  git diff main... | myriad mutate *.myr --in-diff - --report badge.svg --history scores.jsonl
  myriad mutate --operators help                  what each operator changes")]
    Mutate(MutateArgs),
    /// Write a page to share: source, phases, tests, mutants, and runs to step through
    #[command(after_help = "Examples:
  myriad page samples/gcd.myr -o page.html
  myriad page samples/gcd.myr --run 'gcd(12, 18)' -o page.html
  myriad page samples/weak.myr > page.html

The page is one HTML file that loads nothing.")]
    Page(PageArgs),
    /// Prove that functions of two programs, or a program and its mutant, are equal, or show where they differ
    #[command(after_help = "Examples:
  myriad prove before.myr after.myr                 all functions of the same name
  myriad prove before.myr after.myr --function f
  myriad prove samples/gcd.myr --mutant 7           a mutant, by its id in `myriad mutate`
  myriad prove before.myr after.myr --format json

The exit code is 1 if a function is not proved equal. docs/prove.md says what a proof covers.")]
    Prove(ProveArgs),
    /// Decide rules of an optimizer of your own: proved for all values, or a counterexample
    #[command(after_help = "Examples:
  myriad rules mine.rules                  a verdict for each rule
  myriad rules mine.rules samples/gcd.myr  also where each fires, and the steps that it saves
  myriad test --rules mine.rules samples/gcd.myr
  myriad stages --rules mine.rules samples/gcd.myr

A rule is a line such as `x * 2 => x << 1`. The exit code is 1 if a rule is not proved. docs/rules.md describes rules.")]
    Rules(RulesArgs),
    /// Find better code for functions and tests, prove it, and keep it for `--opt 3`
    #[command(after_help = "Examples:
  myriad improve samples/*.myr --seconds 60
  myriad test --opt 3 samples/gcd.myr             uses the code that was found
  myriad improve --rules samples/*.myr            also looks for rules, which apply to every program
  myriad improve --list                           routines and rules that are known
  myriad improve --export > rules.txt; myriad improve --import rules.txt
  myriad improve --off dup-not                    switches a rule off; --on switches it on again

docs/improve.md describes moves, rules, proofs and the store.")]
    Improve(ImproveArgs),
    /// Find small changes of programs after which every test passes
    #[command(after_help = "Examples:
  myriad repair samples/midpoint.myr
  myriad repair --apply samples/midpoint.myr      write the best one to the file
  myriad repair --reference solved.myr --hint line pupil.myr
  myriad repair --reference solved.myr class/     a table, one line a pupil
  myriad repair --seconds 60 --most 3 --format json samples/midpoint.myr")]
    Repair(RepairArgs),
    /// Find what to write in the place of a `?`, so that every test passes
    #[command(after_help = "Examples:
  myriad fill average.myr
  myriad fill --apply average.myr                write the first one to the file
  myriad fill --seconds 20 --format json average.myr")]
    Fill(FillArgs),
    /// Judge candidate programs, one JSON object per line, by their tests
    #[command(after_help = "Examples:
  myriad batch < candidates.jsonl
  myriad batch candidates.jsonl --tests tests.myr --pass-at 1,10
  sampler | myriad batch --base sorting.myr        functions for a base: {\"id\": 1, \"function\": \"fn …\"}

A line is {\"id\", \"source\"} or, with a base, {\"id\", \"function\"}; \"group\" is for pass@k. Verdicts come in the order of the lines.")]
    Batch(BatchArgs),
    /// Merge the output of the shards of one call
    #[command(after_help = "Examples:
  for i in 1 2 3; do myriad mutate a.myr --shard $i/3 --format json > part-$i.json; done
  myriad merge part-*.json > all.json             to the byte what the call without --shard prints
  myriad merge part-*.jsonl --pass-at 1,10        records of `myriad batch --shard`

docs/batch.md shows it with GNU parallel, Slurm and Ray.")]
    Merge(MergeArgs),
    /// Compile functions with a neural network, and report the evidence for the result
    #[command(after_help = "Examples:
  myriad neural samples/gcd.myr
  myriad neural samples/gcd.myr --function gcd -k 100 --seed 7
  myriad neural samples/*.myr --risk 0.0001 --confidence 0.99 --format json
  myriad neural --eval --functions 200       measure the model, by class")]
    Neural(NeuralArgs),
    /// Compare the paper's model with measurements on this machine
    #[command(after_help = "Examples:
  myriad model
  myriad model samples/crc.myr -k 200
  myriad model --equation 12 --equation 16
  myriad model samples/gcd.myr --format json

Each number is quoted (the paper's), modelled (the paper's formula with what was measured here) or measured.")]
    Model(ModelArgs),
    /// Export a program with its tests to another language
    #[command(after_help = "Examples:
  myriad export samples/gcd.myr --to c > gcd.c && cc gcd.c -o gcd && ./gcd
  myriad export samples/gcd.myr --to c | tcc -run -
  myriad export samples/gcd.myr --to c --format json

The program prints a line for each test and property, `pass`, `fail`, `trap KIND` or `discarded`, and ends with 0 where all pass.")]
    Export(ExportArgs),
    /// Race the same variants through every way of compiling and testing them
    #[command(after_help = "Examples:
  myriad race samples/gcd.myr
  myriad race samples/crc.myr -k 4000 --contestants conventional,cpu
  myriad race samples/gcd.myr --csv race.csv --svg race.svg
  myriad race samples/gcd.myr --format json --seconds 20

An interrupt ends the race with what is there by then.")]
    Race(RaceArgs),
    /// Play a tape: keys with pauses, typed into the workbench
    #[command(after_help = "Examples:
  myriad demo tour.tape                          plays it in this terminal, on a copy of the program
  myriad demo tour.tape --cast tour.cast         records it for asciinema
  myriad demo tour.tape --svg tour.svg           draws its last frame, and tour-NAME.svg for each `Still NAME`
  myriad demo tour.tape --check                  only says what is wrong with it

docs/demo.md lists what a tape may hold.")]
    Demo(DemoArgs),
    /// Show which path the hybrid compiler takes for each function, and why
    #[command(after_help = "Examples:
  myriad router samples/gcd.myr
  myriad router samples/*.myr --evidence tested --format json
  myriad router --reset                      forget what was learned from your own compilations
  myriad router --fit > coefficients.json    fit the coefficients that a build ships")]
    Router(RouterArgs),
    /// Simulate a machine that errs: how often tests still pass, and which code is fragile
    #[command(after_help = "Examples:
  myriad noise samples/gcd.myr
  myriad noise samples/gcd.myr --rate 0.01 -k 5000 --seed 7
  myriad noise samples/crc.myr --test 0 --bound 0.0001 --format json

This is a simulation: docs/noise.md says what a fault does. Tests that do not pass without noise are left out.")]
    Noise(NoiseArgs),
    /// Learn how compilers and tests work, with lessons in the workbench
    #[command(after_help = "Examples:
  myriad learn                        lists the lessons, and which are done
  myriad learn tokens                 opens one, by its name or its number
  myriad learn 3 --again              begins anew
  myriad learn mine.myr               opens a lesson of your own
  myriad learn --check mine.myr --solution solved.myr
  myriad learn --grade failing class/ --csv    which goals each pupil's file reaches

docs/learn.md explains how to write a lesson.")]
    Learn(LearnArgs),
    /// List the adapters, and which engine `auto` chooses and why
    #[command(after_help = "Examples:
  myriad engines
  myriad engines --format json")]
    Engines,
    /// Explain a diagnostic, pass, instruction, trap, mutation operator, status or mark, with an example
    #[command(after_help = "Examples:
  myriad explain E0401
  myriad explain inline   what the pass does, with code before and after it
  myriad explain CALL     the instruction, and a function that has it
  myriad explain survived
  myriad explain          lists all names")]
    Explain {
        /// A code such as E0401, a pass such as `inline`, or another name
        #[arg(value_name = "NAME", value_parser = values::Explained, hide_possible_values = true)]
        name: Option<String>,
    },
    /// Print the configuration with comments, and the path of its file
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
    /// Print the manual page, of the program or of one command
    #[command(after_help = "Examples:
  myriad man > ~/.local/share/man/man1/myriad.1
  myriad man mutate | man -l -")]
    Man {
        /// A command; without it, the page of the whole program
        #[arg(value_name = "COMMAND")]
        command: Option<String>,
    },
    /// Train weights for neural compilation
    #[command(after_help = "Examples:
  myriad train --out weights --minutes 60
  myriad train --out weights --resume          goes on where it ended or was killed
  myriad train --out weights --plot            shows how it went
  myriad train --smoke                         a tiny model, in a minute or two

It needs a build with `--features train` (CPU) or `--features train-wgpu` (any adapter). An interrupt ends it with a checkpoint.")]
    Train(TrainArgs),
    /// Run benchmarks: the engines, other compilers, and each part of the pipeline
    Bench(BenchArgs),
}

/// Returns the words of the command line, with negative numbers protected from clap.
///
/// clap parses `-5` as flags, with plain decimals as the only exception; for `run`, `-0x10` and `-'a'` are
/// arguments, too. Literals may be surrounded by spaces, so such a word gets a leading space, which hides its
/// dash. Flags begin with a letter or a second dash.
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
    use crate::engine::choose::Preference;

    #[test]
    fn declaration_is_consistent() {
        declaration().debug_assert();
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
    fn common_options_are_accepted_before_and_after_the_subcommand() {
        for line in
            [["myriad", "--engine", "cpu", "check", "a.myr"], ["myriad", "check", "a.myr", "--engine", "cpu"]]
        {
            let args = Args::parse_from(words(line.iter().map(OsString::from)));
            assert_eq!(args.common.engine, Some(Preference::Cpu));
        }
    }
}
