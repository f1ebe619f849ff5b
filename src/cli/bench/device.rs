//! `device`: for every adapter of this machine, whether it agrees with the CPU engine, and all figures of an
//! engine next to those of the CPU engine. It checks an unknown device in one call.

use super::agreement::{self, Agreement};
use super::measuring::{self, Opened};
use super::table::{BenchRow, BenchSubject, Contender, Section};
use super::{Bench, counters, frontend, keystrokes, machine, programs, variants};
use crate::cli::args::Effort;
use crate::cli::exit::{Exit, Failure};
use crate::engine::cpu::CpuEngine;
use crate::lang::level::LevelChoice;

/// Measures every adapter.
pub fn run(bench: &mut Bench) -> Result<Vec<Section>, Failure> {
    let effort = bench.effort.clone();
    if effort.counters {
        return counters::run(bench);
    }
    let sources = bench.sources(programs::all)?;
    // The comparison takes minutes, so a mistyped file name is reported first.
    if bench.exit != Exit::Good {
        return Ok(vec![]);
    }
    let adapters = measuring::adapters()?;
    let mut cpu = Opened::new(Box::new(CpuEngine::new()));
    let mut sections = vec![Section { file: cpu.who.adapter.clone(), rows: speeds(&mut cpu, &effort)? }];
    for mut opened in adapters {
        let agreement = agreement::compare(opened.engine.as_mut(), &sources, &effort)?;
        let mut rows = agreed(&agreement, &opened.who);
        if let Some(first) = agreement.first {
            let message = format!("{} disagrees with the CPU engine: {first}", opened.who.adapter);
            let help = "report this with the program; `--engine cpu` works without the device".into();
            bench.report_failure(&Failure { exit: Exit::Engine, message, help });
        }
        rows.extend(speeds(&mut opened, &effort)?);
        let alike = sections.iter().filter(|section| section.file.starts_with(&opened.who.adapter)).count();
        let number = if alike > 0 { format!(", number {}", alike + 1) } else { String::new() };
        sections.push(Section { file: opened.who.adapter.clone() + &number, rows });
    }
    Ok(sections)
}

fn agreed(agreement: &Agreement, who: &Contender) -> Vec<BenchRow> {
    let row = |name: &str, n: u64| BenchRow::new(name, "count", BenchSubject::default(), who, vec![n as f64]);
    vec![
        row("programs compared", agreement.programs),
        row("mutants alike", agreement.mutants),
        row("programs that differ", agreement.differences),
    ]
}

/// Measures all figures of an engine.
fn speeds(opened: &mut Opened, effort: &Effort) -> Result<Vec<BenchRow>, Failure> {
    let sample = programs::sample();
    // The script has a hundred keystrokes, so one repetition is enough.
    let typed = Effort { repetitions: 1, ..effort.clone() };
    // Variants come first: memory, once allocated, is kept.
    let parts = [
        ("variants", variants::measure(opened, &sample, effort)?),
        ("keystrokes", keystrokes::measure(opened, &sample, LevelChoice::Automatic, &typed)?),
        ("machine", machine::measure(opened, effort)?),
        ("frontend", frontend::measure(opened, effort)?),
    ];
    let named = |(part, rows): (&str, Vec<BenchRow>)| {
        rows.into_iter()
            .map(move |row| BenchRow { name: format!("{part}: {}", row.name), ..row })
            .collect::<Vec<_>>()
    };
    Ok(parts.into_iter().flat_map(named).collect())
}
