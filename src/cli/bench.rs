//! `myriad bench`: what the engines do in a second, what they compete with, and each part alone.
//!
//! A benchmark takes an effort and leaves sections of rows, a figure each; [`BENCHMARKS`] lists them all. Text, documents and the page
//! are forms of these rows.

mod agreement;
mod device;
mod frames;
mod frontend;
mod keystrokes;
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

use std::path::Path;

use super::args::{BenchArgs, Common, Effort, Format};
use super::exit::{Exit, Failure};
use super::output::print;
use crate::host::files;
use crate::report::document;
pub use programs::sample;
use table::Section;

/// Something that is measured.
pub struct Benchmark {
    /// As on the command line, and in the page's text.
    name: &'static str,
    /// For people: what its figures are.
    measures: &'static str,
    run: fn(&mut Bench) -> Result<Vec<Section>, Failure>,
}

/// All of them, in the page's order; the page itself is the last.
const BENCHMARKS: [Benchmark; 10] = [
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
        name: "device",
        measures: "agreement of each adapter with the CPU engine, and its speed",
        run: device::run,
    },
    Benchmark { name: "page", measures: "all of these, written as docs/performance.md", run: page::run },
];

/// What a benchmark is asked for, and what it has come to besides rows.
pub struct Bench {
    common: Common,
    effort: Effort,
    exit: Exit,
}

/// Runs the benchmark that is asked for.
pub fn bench(common: Common, args: &BenchArgs) -> Result<Exit, Failure> {
    let (name, effort) = args.what.wanted();
    let known = BENCHMARKS.iter().find(|benchmark| benchmark.name == name);
    let benchmark = known.ok_or_else(|| {
        Failure::call(format!("there is no benchmark `{name}`"), "`myriad bench --help` lists them")
    })?;
    // It takes long: what cannot be written is told before it.
    if let Some(path) = &args.json {
        room_for(path)?;
    }
    let mut bench = Bench { common, effort, exit: Exit::Good };
    let sections = (benchmark.run)(&mut bench)?;
    let documents: Vec<String> = sections.iter().map(document::json).collect();
    let document = format!("{{\"version\":{},\"files\":[{}]}}\n", document::VERSION, documents.join(","));
    if let Some(path) = &args.json {
        write(path, &document)?;
    }
    print(&match common.format {
        Format::Json => document,
        Format::Text => table::text(benchmark.measures, &sections),
    })?;
    Ok(bench.exit)
}

/// Refuses a file that could not be written, and programs: who mistypes loses none.
fn room_for(path: &Path) -> Result<(), Failure> {
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("myr")) {
        let message = format!("{} is not overwritten: by its name it is a program", path.display());
        return Err(Failure::call(message, "name another file, such as bench.json"));
    }
    files::room_for(path).map_err(|error| unwritable(path, &error))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    files::write(path, text.as_bytes()).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::call(
        format!("cannot write {}: {}", path.display(), files::message(error)),
        "name a file that can be written",
    )
}
