//! `myriad bench`: speed of the engines, of other compilers, and of each part of the pipeline.
//!
//! A benchmark takes an effort and returns sections of rows with one figure each; [`BENCHMARKS`] lists all
//! benchmarks. Text, JSON documents and the page are views of these rows.

mod agreement;
mod counters;
mod device;
mod fill;
mod frames;
mod frontend;
mod keyboard;
mod keystrokes;
mod live;
mod machine;
mod measuring;
mod optimizer;
mod page;
mod peers;
mod programs;
mod random;
mod recording;
mod repair;
mod table;
mod variants;

use super::args::{BenchArgs, Common, Effort, Format};
use super::exit::{Exit, Failure};
use super::output::print;
use super::writing::Outputs;
use crate::lang::level::OptLevel;
use crate::report::document;
pub use programs::sample;
use table::Section;

pub struct Benchmark {
    /// Its name on the command line and in the page's text.
    name: &'static str,
    /// Description of its figures, for display.
    measures: &'static str,
    run: fn(&mut Bench) -> Result<Vec<Section>, Failure>,
}

/// All benchmarks, in the page's order; the page itself is the last.
const BENCHMARKS: [Benchmark; 12] = [
    Benchmark {
        name: "keystrokes",
        measures: "milliseconds from a keystroke to the program's results, and to its mutants' verdicts",
        run: keystrokes::run,
    },
    Benchmark {
        name: "frames",
        measures: "milliseconds from a key to the frame that shows it, by the panel beside the editor; and runs of a million steps: recorded, and gone to any step of",
        run: frames::run,
    },
    Benchmark {
        name: "live",
        measures: "what is known of a program at each key while it is typed",
        run: live::run,
    },
    Benchmark {
        name: "variants",
        measures: "variants a second, time of each and memory, for k = 1, 10, 100 and so on",
        run: variants::run,
    },
    Benchmark { name: "peers", measures: "the same variants by C compilers, a process each", run: peers::run },
    Benchmark { name: "machine", measures: "instructions executed a second", run: machine::run },
    Benchmark { name: "frontend", measures: "a large source, MB/s by phase", run: frontend::run },
    Benchmark {
        name: "optimizer",
        measures: "words and steps that the optimizer saves, and its time",
        run: optimizer::run,
    },
    Benchmark {
        name: "repair",
        measures: "milliseconds from the text of a program that fails to the last repair, and what was judged",
        run: repair::run,
    },
    Benchmark {
        name: "fill",
        measures: "expressions for a `?`: size, questions, milliseconds to the last, candidates a second, and memory",
        run: fill::run,
    },
    Benchmark {
        name: "device",
        measures: "agreement of each adapter with the CPU engine, and its speed",
        run: device::run,
    },
    Benchmark { name: "page", measures: "all of these, written as docs/performance.md", run: page::run },
];

/// State of a benchmark run: its options, and the exit code so far.
pub struct Bench {
    common: Common,
    effort: Effort,
    exit: Exit,
}

/// Runs the requested benchmark.
pub fn bench(common: Common, args: &BenchArgs) -> Result<Exit, Failure> {
    let (name, effort) = args.what.wanted();
    let known = BENCHMARKS.iter().find(|benchmark| benchmark.name == name);
    let benchmark = known.ok_or_else(|| {
        Failure::call(format!("there is no benchmark `{name}`"), "`myriad bench --help` lists them")
    })?;
    // A benchmark takes long, so a file that cannot be written is reported first.
    if let Some(path) = &args.json {
        OUTPUTS.check(path)?;
    }
    let mut bench = Bench { common, effort, exit: Exit::Good };
    let sections = (benchmark.run)(&mut bench)?;
    let documents: Vec<String> = sections.iter().map(document::json).collect();
    let document = format!("{}\"files\":[{}]}}\n", document::head(OptLevel::default()), documents.join(","));
    if let Some(path) = &args.json {
        OUTPUTS.write(path, &document)?;
    }
    print(&match common.format {
        Format::Json => document,
        // They have too many figures for a line each.
        Format::Text if ["live", "fill"].contains(&name) => live::text(benchmark.measures, &sections),
        Format::Text => table::text(benchmark.measures, &sections),
    })?;
    Ok(bench.exit)
}

/// The files that benchmarks write.
const OUTPUTS: Outputs = Outputs { read: None, better: "bench.json" };
