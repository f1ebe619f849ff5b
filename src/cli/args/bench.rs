//! Options of the benchmarks. Each benchmark takes those that apply to it; all are collected in one [`Effort`].

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Subcommand;

use super::values::seconds;

#[derive(Debug, clap::Args)]
pub struct BenchArgs {
    #[command(subcommand)]
    pub what: BenchCommand,
    /// Also write the JSON document to this file
    #[arg(long, global = true, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Extent of a measurement.
#[derive(Clone, Debug)]
pub struct Effort {
    pub files: Vec<OsString>,
    /// Number of variants.
    pub k: u32,
    /// Number of mutants judged on each keystroke, if there are as many.
    pub budget: u32,
    /// Number of measurements of each figure, if time allows, and of runs of the keystroke script.
    pub repetitions: u32,
    /// Time limit for each figure, in seconds. Each figure is measured at least once.
    pub seconds: f64,
    /// Number of random programs on which an adapter is compared with the CPU engine.
    pub random: u32,
    /// Number of mutants compared for each file.
    pub mutants: u32,
    /// Whether results are compared with those of a new engine.
    pub check: bool,
    /// Whether work is counted, not measured.
    pub counters: bool,
    /// The file that `page` writes.
    pub out: PathBuf,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            files: vec![],
            k: 1_000,
            budget: 1_024,
            repetitions: 5,
            seconds: 10.0,
            random: 100,
            mutants: 96,
            check: false,
            counters: false,
            out: PathBuf::from("docs/performance.md"),
        }
    }
}

/// Number of repetitions and time limit.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Repeating {
    /// How often to measure each figure, if time allows
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    repetitions: u32,
    /// Time limit for each figure, in seconds; each is measured at least once
    #[arg(long, value_name = "LIMIT", default_value_t = 10.0, value_parser = seconds)]
    seconds: f64,
}

impl Repeating {
    fn effort(self) -> Effort {
        Effort { repetitions: self.repetitions, seconds: self.seconds, ..Effort::default() }
    }
}

#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Time from a keystroke to the program's results and to all verdicts
    #[command(after_help = "Examples:
  myriad bench keystrokes
  myriad bench keystrokes samples/crc.myr --engine gpu --format json")]
    Keystrokes {
        /// Programs; the gcd sample by default
        #[arg(value_name = "FILE")]
        files: Vec<OsString>,
        /// Number of mutants judged on each keystroke
        #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=65536))]
        budget: u32,
        /// How often to run the script
        #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
        rounds: u32,
    },
    /// Time from a key to the drawn frame, with each panel open
    #[command(after_help = "Examples:
  myriad bench frames
  myriad bench frames samples/sorting.myr --rounds 3 --format json

The workbench has a screen of 160 columns and 50 rows and no terminal: what a terminal takes to show a frame is not in it.")]
    Frames {
        /// Programs; the gcd sample by default
        #[arg(value_name = "FILE")]
        files: Vec<OsString>,
        /// How often to type into each program
        #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
        rounds: u32,
    },
    /// Results of a program at each key while it is typed, and their times
    #[command(after_help = "Examples:
  myriad bench live samples/gcd.myr
  myriad bench live samples/*.myr --check --format json

With --check, the exit code is 1 if a result differs, and the first text with such a result is printed.")]
    Live {
        /// Programs; the gcd sample by default
        #[arg(value_name = "FILE")]
        files: Vec<OsString>,
        /// Compare each result with that of a new engine on the text with stand-ins
        #[arg(long)]
        check: bool,
    },
    /// Variants per second, time and memory for k = 1, 10, 100 and so on, on each engine
    #[command(after_help = "Examples:
  myriad bench variants -k 100000
  myriad bench variants samples/crc.myr --engine cpu --format json

A k that would take longer than --seconds is left out and named.")]
    Variants {
        /// Programs; the gcd sample by default
        #[arg(value_name = "FILE")]
        files: Vec<OsString>,
        /// The largest k
        #[arg(short, value_name = "K", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        k: u32,
        #[command(flatten)]
        repeating: Repeating,
    },
    /// Compare the engines with tcc -run, gcc -O0 and gcc -O2 on the same variants
    #[command(after_help = "Examples:
  myriad bench peers
  myriad bench peers samples/*.myr -k 1000 --seconds 60

A compiler that is too slow for all k variants takes as many as fit, evenly chosen among them; one that is missing is named.")]
    Peers {
        /// Programs; all samples by default
        #[arg(value_name = "FILE")]
        files: Vec<OsString>,
        /// Number of variants of each program
        #[arg(short, value_name = "K", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        k: u32,
        #[command(flatten)]
        repeating: Repeating,
    },
    /// Steps per second: an arithmetic loop, calls, arrays; on the CPU with one thread
    #[command(after_help = "Examples:
  myriad bench machine
  myriad bench machine --engine gpu --format json")]
    Machine {
        #[command(flatten)]
        repeating: Repeating,
    },
    /// Throughput of each compiler phase on one large source, in MB/s
    #[command(after_help = "Examples:
  myriad bench frontend
  myriad bench frontend --engine gpu")]
    Frontend {
        #[command(flatten)]
        repeating: Repeating,
    },
    /// Words and steps that the optimizer saves, and its time per function
    #[command(after_help = "Examples:
  myriad bench optimizer
  myriad bench optimizer samples/crc.myr --format json")]
    Optimizer {
        /// Programs; all samples by default
        #[arg(value_name = "FILE")]
        files: Vec<OsString>,
        #[command(flatten)]
        repeating: Repeating,
    },
    /// Cost of repairing programs
    #[command(after_help = "Examples:
  myriad bench repair
  myriad bench repair tests/repair/*.myr --repetitions 3 --format json")]
    Repair {
        /// Failing programs; the midpoint sample by default
        #[arg(value_name = "FILE")]
        files: Vec<OsString>,
        #[command(flatten)]
        repeating: Repeating,
    },
    /// Cost of filling a `?`: candidates per second by size, memory, and time
    #[command(after_help = "Examples:
  myriad bench fill
  myriad bench fill tests/fill/*.myr --repetitions 3 --format json

If a program has a function `known`, of the type of that with the `?`, it answers up to 10 questions, until the expression
is proved equal to it: first with all operators, then with those of `known`.")]
    Fill {
        /// Programs with a `?`; an example by default
        #[arg(value_name = "FILE")]
        files: Vec<OsString>,
        #[command(flatten)]
        repeating: Repeating,
    },
    /// Compare each adapter with the CPU engine: results and speed
    #[command(after_help = "Examples:
  myriad bench device samples/*.myr tests/conformance/*.myr tests/cases/*.myr --random 2000
  myriad bench device --random 10 -k 10
  myriad bench device samples/life.myr --counters --format json

The exit code is 3 where an adapter disagrees, and the first program on which it does is printed.")]
    Device {
        /// Programs to compare; all samples by default
        #[arg(value_name = "FILE")]
        files: Vec<OsString>,
        /// The largest k of the variants
        #[arg(short, value_name = "K", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        k: u32,
        /// Number of random programs to compare
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
        random: u32,
        /// Number of mutants to compare for each program
        #[arg(long, value_name = "N", default_value_t = 96, value_parser = clap::value_parser!(u32).range(0..=65_536))]
        mutants: u32,
        /// Count the work of a base and of its first k mutants instead
        #[arg(long)]
        counters: bool,
        #[command(flatten)]
        repeating: Repeating,
    },
    /// Run all benchmarks of docs/performance.md, and write that page
    #[command(after_help = "Examples:
  myriad bench page
  myriad bench page -k 100 --repetitions 2 --out trial.md")]
    Page {
        /// The largest k
        #[arg(short, value_name = "K", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        k: u32,
        /// Number of random programs on which each adapter is compared
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
        random: u32,
        /// The file to write
        #[arg(long, value_name = "FILE", default_value = "docs/performance.md")]
        out: PathBuf,
        #[command(flatten)]
        repeating: Repeating,
    },
}

impl BenchCommand {
    /// Returns the name of the benchmark and its effort.
    pub fn wanted(&self) -> (&'static str, Effort) {
        match self {
            BenchCommand::Keystrokes { files, budget, rounds } => {
                let (files, budget, repetitions) = (files.clone(), *budget, *rounds);
                // All rounds that the user requests are run, however long they take.
                let seconds = f64::INFINITY;
                ("keystrokes", Effort { files, budget, repetitions, seconds, ..Effort::default() })
            }
            BenchCommand::Frames { files, rounds } => {
                ("frames", Effort { files: files.clone(), repetitions: *rounds, ..Effort::default() })
            }
            BenchCommand::Live { files, check } => {
                ("live", Effort { files: files.clone(), check: *check, ..Effort::default() })
            }
            BenchCommand::Variants { files, k, repeating } => {
                ("variants", Effort { files: files.clone(), k: *k, ..repeating.effort() })
            }
            BenchCommand::Peers { files, k, repeating } => {
                ("peers", Effort { files: files.clone(), k: *k, ..repeating.effort() })
            }
            BenchCommand::Machine { repeating } => ("machine", repeating.effort()),
            BenchCommand::Frontend { repeating } => ("frontend", repeating.effort()),
            BenchCommand::Optimizer { files, repeating } => {
                ("optimizer", Effort { files: files.clone(), ..repeating.effort() })
            }
            BenchCommand::Repair { files, repeating } => {
                ("repair", Effort { files: files.clone(), ..repeating.effort() })
            }
            BenchCommand::Fill { files, repeating } => {
                ("fill", Effort { files: files.clone(), ..repeating.effort() })
            }
            BenchCommand::Device { files, k, random, mutants, counters, repeating } => {
                let (files, k, random, mutants, counters) = (files.clone(), *k, *random, *mutants, *counters);
                ("device", Effort { files, k, budget: k, random, mutants, counters, ..repeating.effort() })
            }
            BenchCommand::Page { k, random, out, repeating } => {
                let (k, random, out) = (*k, *random, out.clone());
                let (budget, mutants) = (k.min(1_024), k.min(96));
                ("page", Effort { k, budget, random, mutants, out, ..repeating.effort() })
            }
        }
    }
}
