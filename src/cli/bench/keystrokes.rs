//! `keystrokes`: how long the user would wait, measured without a terminal.
//!
//! A script types into each program as a person does (a comment, a statement, a changed constant) and undoes it
//! all. After each keystroke the engine compiles the text, runs its tests and judges its mutants as in the
//! workbench, reusing results of the previous keystroke.

use std::sync::Arc;
use std::time::Instant;

use super::table::{BenchRow, Section};
use super::{Bench, measuring, programs};
use crate::cli::args::Effort;
use crate::cli::exit::Failure;
use crate::cli::input::InputSource;
use crate::cli::progress::CliProgress;
use crate::engine::{BaseResult, Engine, EngineSettings, leveled};
use crate::lang::index::Indices;
use crate::lang::level::LevelChoice;
use crate::lang::verdict::Outcome;
use measuring::Opened;

/// Types into each program on the requested engine.
pub fn run(bench: &mut Bench) -> Result<Vec<Section>, Failure> {
    let effort = bench.effort.clone();
    let (mut opened, level) = (measuring::asked(bench.common)?, bench.common.level_choice());
    bench.each(programs::one, |source| measure(&mut opened, source, level, &effort))
}

/// Types into a program.
pub fn measure(
    opened: &mut Opened,
    source: &InputSource,
    level: LevelChoice,
    effort: &Effort,
) -> Result<Vec<BenchRow>, Failure> {
    let settings = opened.engine.settings();
    opened.engine.configure(EngineSettings { reusing: true, ..settings });
    let measured = replay(opened, source, level, effort);
    opened.engine.configure(EngineSettings { reusing: false, ..settings });
    measured
}

fn replay(
    opened: &mut Opened,
    source: &InputSource,
    level: LevelChoice,
    effort: &Effort,
) -> Result<Vec<BenchRow>, Failure> {
    let script = script(&source.text);
    let mut progress = CliProgress::new("keystrokes measured");
    let (mut to_base, mut to_changed, mut to_verdicts, mut to_known) = (vec![], vec![], vec![], vec![]);
    let mut most = 0;
    // Warm-up: lazily built state and caches are filled.
    let (first, seconds) =
        measuring::timed(|| keystroke(opened.engine.as_mut(), level, &source.text, effort.budget));
    let tests = first?.tests;
    // If time does not allow all keystrokes, takes evenly spaced ones, the last included. The last text of the
    // script is a program that compiles.
    let every =
        (seconds * script.len() as f64 / effort.seconds).ceil().clamp(1.0, script.len() as f64) as usize;
    let mut typed: Vec<&Arc<str>> = script.iter().rev().step_by(every).collect();
    typed.reverse();
    let started = Instant::now();
    for round in 0..effort.repetitions as usize {
        if round > 0 && started.elapsed().as_secs_f64() > effort.seconds {
            break;
        }
        for (i, text) in typed.iter().enumerate() {
            let times = keystroke(opened.engine.as_mut(), level, text, effort.budget)?;
            to_base.push(times.base);
            if let Some(Verdicts { judged, reused, time }) = times.verdicts {
                if reused < judged {
                    to_changed.push(times.base);
                    to_verdicts.push(time);
                } else {
                    to_known.push(time);
                }
                most = most.max(judged);
            }
            progress.update(round * typed.len() + i + 1, typed.len() * effort.repetitions as usize);
        }
    }
    let row = |name: &str, k: u32, times: Vec<f64>| {
        let subject = opened.subject(source, tests, k);
        if times.is_empty() {
            let why = "no test passes at any keystroke, or nothing can be changed".to_string();
            return BenchRow::missing(name, "ms", subject, &opened.who, why);
        }
        let keystrokes = Some(times.len() as u32);
        let times = times.into_iter().map(|time| time * 1e3).collect();
        BenchRow { keystrokes, ..BenchRow::new(name, "ms", subject, &opened.who, times) }
    };
    let mut rows = vec![row("base", 1, to_base)];
    if !to_changed.is_empty() {
        rows.push(row("changed", 1, to_changed));
    }
    rows.push(row("verdicts", most, to_verdicts));
    if !to_known.is_empty() {
        rows.push(row("comment", most, to_known));
    }
    Ok(rows)
}

/// Times in seconds after a keystroke.
struct Times {
    base: f64,
    /// `None` if no test can judge mutants.
    verdicts: Option<Verdicts>,
    tests: usize,
}

struct Verdicts {
    /// Number of mutants judged, and of those whose verdicts were reused from the previous keystroke.
    judged: u32,
    reused: u32,
    /// Time of the last verdict.
    time: f64,
}

/// Does the work of one keystroke.
fn keystroke(
    engine: &mut dyn Engine,
    level: LevelChoice,
    text: &Arc<str>,
    budget: u32,
) -> Result<Times, Failure> {
    let started = Instant::now();
    let mut shown = None;
    let mut show = |_: &BaseResult| shown = shown.or(Some(started.elapsed().as_secs_f64()));
    let base = leveled::base(engine, level, text, &|| false, &mut show)?.judged;
    let (to_base, tests) = (shown.unwrap_or_default(), base.entries.len());
    let variants = engine.variants();
    let total = variants.first_order.max(budget.min(variants.all));
    if total == 0 || !base.entries.iter().any(|entry| entry.outcome == Outcome::Pass) {
        return Ok(Times { base: to_base, verdicts: None, tests });
    }
    let (mut judged, mut reused) = (0, 0);
    engine.mutants(Indices::first(total), &|| false, &mut |part| {
        judged += part.verdicts.len() as u32;
        reused += part.reused;
    })?;
    let verdicts = Verdicts { judged, reused, time: started.elapsed().as_secs_f64() };
    Ok(Times { base: to_base, verdicts: Some(verdicts), tests })
}

/// Returns the texts that typing produces, one for each keystroke.
fn script(text: &str) -> Vec<Arc<str>> {
    let block = text.find("{\n").map_or(text.len(), |at| at + 2);
    let behind = text[block..].find(|c: char| ('1'..='9').contains(&c));
    let digit = behind.map_or(text.len(), |at| block + at);
    let mut script = Vec::new();
    // Typed and erased: in a comment, where results do not change, and in a block, where most texts do not
    // compile.
    for (at, typed) in [(text.len(), "// note"), (block, "    let _spare = 1 + 2;\n")] {
        let states: Vec<Arc<str>> = (0..=typed.len())
            .map(|n| format!("{}{}{}", &text[..at], &typed[..n], &text[at..]).into())
            .collect();
        script.extend(states.iter().skip(1).cloned());
        script.extend(states.iter().rev().skip(1).cloned());
    }
    // A changed constant: each text compiles and is a different program.
    if digit < text.len() {
        for n in 1..=9 {
            script.push(format!("{}{n}{}", &text[..digit], &text[digit + 1..]).into());
        }
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_types_edits_and_restores_the_text() {
        for text in [&*programs::sample().text, "", "fn f() -> int {\n    return 7;\n}\n", "é"] {
            let script = script(text);
            assert!(script.len() > 40);
            assert_eq!(script.iter().filter(|state| &***state == text).count().min(2), 2);
        }
    }
}
