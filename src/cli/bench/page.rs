//! `page`: runs all benchmarks of the page and writes `docs/performance.md` from the template in this folder.

use super::table::{BenchKey, BenchRow, Section, in_cell, pivot};
use super::{BENCHMARKS, Bench, OUTPUTS, keystrokes, measuring, programs};
use crate::cli::args::Effort;
use crate::cli::exit::{Exit, Failure};
use crate::compiler::export::compiler::ExportCompiler;
use crate::engine::open;
use crate::host::files;
use crate::host::measure::numbers::grouped;

/// The text of the page. `{{NAME}}` on its own line is replaced by a table, within a line by a word.
const TEMPLATE: &str = include_str!("performance.md");

/// Maximum number of variants for C compilers and devices. More variants add no information about a C compiler,
/// and take minutes on a software adapter.
const MAX_PEER_VARIANTS: u32 = 1_000;

struct Table {
    name: &'static str,
    benchmark: &'static str,
    /// Selects its rows.
    rows: fn(&Section, &BenchRow) -> bool,
    /// Heading of its first column.
    first: &'static str,
    line: BenchKey,
    column: BenchKey,
}

/// Returns whether the page contains figures of a benchmark.
fn is_on_page(benchmark: &str) -> bool {
    TABLES.iter().any(|table| table.benchmark == benchmark)
}

const TABLES: [Table; 6] = [
    Table {
        name: "keystrokes",
        benchmark: "keystrokes",
        rows: |_, row| ["changed", "verdicts"].contains(&row.name.as_str()),
        first: "program",
        line: of_file,
        column: |_, row| format!("{}, {}", row.name, row.unit),
    },
    Table {
        name: "variants",
        benchmark: "variants",
        rows: |_, _| true,
        first: "k",
        line: |_, row| grouped(row.subject.k),
        column: of_engine,
    },
    Table {
        name: "faster",
        benchmark: "peers",
        rows: |section, row| section.file == "all" && row.unit == "times",
        first: "program",
        line: of_file,
        column: of_engine,
    },
    Table {
        name: "machine",
        benchmark: "machine",
        rows: |_, _| true,
        first: "loop",
        line: of_name,
        column: |_, row| format!("{}, {}", row.who.adapter, row.unit),
    },
    Table {
        name: "frontend",
        benchmark: "frontend",
        rows: |_, _| true,
        first: "phase",
        line: of_name,
        column: |_, row| format!("{}, {}", row.who.adapter, row.unit),
    },
    Table {
        name: "device",
        benchmark: "device",
        rows: |_, row| row.unit == "count",
        first: "figure",
        line: of_name,
        column: |section, _| section.file.clone(),
    },
];

fn of_file(section: &Section, _: &BenchRow) -> String {
    section.file.clone()
}

fn of_name(_: &Section, row: &BenchRow) -> String {
    row.name.clone()
}

fn of_engine(_: &Section, row: &BenchRow) -> String {
    format!("{}: {}, {}", row.who.engine, row.name, row.unit)
}

/// Runs the benchmarks and writes the page.
pub fn run(bench: &mut Bench) -> Result<Vec<Section>, Failure> {
    let effort = bench.effort.clone();
    OUTPUTS.check(&effort.out)?;
    let mut page = TEMPLATE.to_string();
    let mut all = Vec::new();
    for benchmark in BENCHMARKS.iter().filter(|benchmark| is_on_page(benchmark.name)) {
        let found = one(bench, benchmark.name, benchmark.run, &effort);
        let sections = match found {
            Ok(sections) => sections,
            // The page can be written on a machine without adapters.
            Err(failure)
                if benchmark.name == "device"
                    && failure.exit == Exit::Engine
                    && open::adapters().is_ok_and(|found| found.is_empty()) =>
            {
                vec![]
            }
            Err(failure) => return Err(failure),
        };
        for table in TABLES.iter().filter(|table| table.benchmark == benchmark.name) {
            page = page.replace(&format!("{{{{{}}}}}\n", table.name), &table.filled(&sections));
        }
        all.extend(sections);
    }
    for (name, value) in facts(&effort) {
        page = page.replace(&format!("{{{{{name}}}}}"), &value);
    }
    OUTPUTS.write(&effort.out, &page)?;
    Ok(all)
}

/// Runs one benchmark with the page's effort.
fn one(
    bench: &mut Bench,
    name: &str,
    run: fn(&mut Bench) -> Result<Vec<Section>, Failure>,
    effort: &Effort,
) -> Result<Vec<Section>, Failure> {
    bench.effort = match name {
        "peers" | "device" => Effort { k: effort.k.min(MAX_PEER_VARIANTS), ..effort.clone() },
        _ => effort.clone(),
    };
    let done = match name {
        // The page shows keystrokes of every sample.
        "keystrokes" => {
            let (mut opened, level) = (measuring::asked(bench.common)?, bench.common.level_choice());
            bench.each(programs::all, |source| keystrokes::measure(&mut opened, source, level, effort))
        }
        _ => run(bench),
    };
    bench.effort = effort.clone();
    done
}

impl Table {
    fn filled(&self, sections: &[Section]) -> String {
        let of = |section: &Section| {
            let rows = section.rows.iter().filter(|row| (self.rows)(section, row)).cloned().collect();
            Section { file: section.file.clone(), rows }
        };
        let sections: Vec<Section> =
            sections.iter().map(of).filter(|section| !section.rows.is_empty()).collect();
        if sections.is_empty() {
            return "*Nothing: this machine has no adapter.*\n".into();
        }
        pivot(&sections, self.first, self.line, self.column, in_cell).markdown()
    }
}

/// Returns facts on the machine and the effort, for the page's text.
fn facts(effort: &Effort) -> Vec<(&'static str, String)> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let adapters: Vec<String> = open::adapters()
        .unwrap_or_default()
        .into_iter()
        .map(|adapter| format!("{} ({})", adapter.name, adapter.driver))
        .collect();
    let compilers: Vec<String> = ["tcc", "gcc"]
        .map(|name| ExportCompiler::named(name).map_or(format!("no {name}"), |found| found.version()))
        .to_vec();
    vec![
        ("processor", processor()),
        ("cores", cores.to_string()),
        ("system", std::env::consts::OS.into()),
        ("adapters", if adapters.is_empty() { "none".into() } else { adapters.join(", ") }),
        ("compilers", compilers.join(", ")),
        ("version", env!("CARGO_PKG_VERSION").into()),
        (
            "build",
            if cfg!(debug_assertions) { "a debug build, which is slow" } else { "a release build" }.into(),
        ),
        ("k", grouped(effort.k.into())),
        ("budget", grouped(effort.budget.into())),
        ("repetitions", effort.repetitions.to_string()),
        ("seconds", effort.seconds.to_string()),
    ]
}

/// Returns the processor's name, if the system reports it.
fn processor() -> String {
    let cpu_info = files::read_text(std::path::Path::new("/proc/cpuinfo"), 4 << 20).unwrap_or_default();
    let name = cpu_info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or(std::env::consts::ARCH.into(), |(_, name)| name.trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_of_the_page_template_is_filled() {
        let mut page = TEMPLATE.to_string();
        for table in &TABLES {
            let place = format!("\n{{{{{}}}}}\n", table.name);
            assert_eq!(page.matches(&place).count(), 1, "{}", table.name);
            page = page.replace(&place, "\n");
            assert!(BENCHMARKS.iter().any(|benchmark| benchmark.name == table.benchmark));
        }
        for (name, value) in facts(&Effort::default()) {
            assert!(!value.is_empty(), "{name}");
            page = page.replace(&format!("{{{{{name}}}}}"), "");
        }
        assert!(!page.contains("{{"), "{page}");
        for benchmark in BENCHMARKS.iter().filter(|benchmark| is_on_page(benchmark.name)) {
            assert!(page.contains(&format!("myriad bench {}", benchmark.name)), "{}", benchmark.name);
        }
    }
}
