//! `myriad bench keystrokes`: what a person at the keyboard would wait, measured without a terminal.
//!
//! A script types into each program as a person does (a comment, a statement, a constant changed) and takes all of it
//! back. After each keystroke the engine compiles the text, runs its tests and judges its mutants, as in the workbench.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::args::{Common, Format};
use super::exit::{Exit, Failure};
use super::input::Source;
use super::progress::Progress;
use super::session::Session;
use super::{FileReport, each_source, input};
use crate::engine::Engine;
use crate::lang::verdict::Outcome;
use crate::report::diagnostics::diagnostics;
use crate::report::document;

/// What is measured where no file is given.
const SAMPLE: &str = include_str!("../../samples/gcd.myr");

/// The sample as a source.
pub fn sample() -> Source {
    Source::new(OsStr::new("samples/gcd.myr"), SAMPLE.into())
}

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Mutants that a keystroke judges where there are so many.
    pub budget: u32,
    /// How often the script is typed.
    pub rounds: u32,
}

#[derive(Serialize)]
struct Document<'a> {
    file: &'a str,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    /// Programs compiled and judged at a keystroke, at most.
    k: usize,
    bytes: usize,
    tests: usize,
    engine: &'static str,
    adapter: String,
    keystrokes: usize,
    median: f64,
    spread: f64,
    unit: &'static str,
}

/// Measures each file, or the sample.
pub fn keystrokes(common: Common, files: &[OsString], effort: Effort) -> Result<Exit, Failure> {
    input::refuse_repeated_stdin(files)?;
    let mut session = Session::new(common)?;
    let sources: Vec<Result<Source, Failure>> = if files.is_empty() {
        vec![Ok(sample())]
    } else {
        files.iter().map(|file| input::read(file)).collect()
    };
    each_source(sources, common, |source| measure(&mut session, source, effort, common))
}

fn measure(
    session: &mut Session,
    source: &Source,
    effort: Effort,
    common: Common,
) -> Result<FileReport, Failure> {
    let base = session.base(source)?;
    let mut report = FileReport::new(source, &diagnostics(&base.compiled));
    let mut rows = Vec::new();
    if report.exit == Exit::Good {
        let script = script(&source.text);
        let mut progress = Progress::new("keystrokes measured");
        let (mut to_base, mut to_verdicts, mut most) = (Vec::new(), Vec::new(), 0);
        // Once without measuring: what is built at first use is built, what is cached is cached.
        keystroke(session.engine(), &source.text, effort.budget)?;
        for round in 0..effort.rounds as usize {
            for (i, text) in script.iter().enumerate() {
                let times = keystroke(session.engine(), text, effort.budget)?;
                to_base.push(times.base);
                if let Some((judged, time)) = times.verdicts {
                    to_verdicts.push(time);
                    most = most.max(judged);
                }
                progress.update(round * script.len() + i + 1, script.len() * effort.rounds as usize);
            }
        }
        let row = |name, k, times: Vec<Duration>| {
            let keystrokes = times.len();
            let [low, median, high] = quartiles(times);
            Row {
                name,
                k,
                bytes: source.text.len(),
                tests: base.entries.len(),
                engine: session.kind_name(),
                adapter: session.describe(),
                keystrokes,
                median,
                spread: ((high - low) * 500.0).round() / 1000.0,
                unit: "ms",
            }
        };
        rows = vec![row("base", 1, to_base), row("verdicts", most, to_verdicts)];
    }
    if common.format == Format::Json {
        report.document = document::json(&Document { file: &source.name, rows });
        return Ok(report);
    }
    for row in rows {
        report.text.push_str(&format!(
            "{}: {:8}  {:5} programs, {} keystrokes  median {:8.3} ms  ± {:.3}  ({})\n",
            source.shown(),
            row.name,
            row.k,
            row.keystrokes,
            row.median,
            row.spread,
            row.adapter
        ));
    }
    Ok(report)
}

struct Times {
    base: Duration,
    /// Mutants judged, and when the last was; none where nothing can judge.
    verdicts: Option<(usize, Duration)>,
}

/// One keystroke's work.
fn keystroke(engine: &mut dyn Engine, text: &Arc<str>, budget: u32) -> Result<Times, Failure> {
    let started = Instant::now();
    let base = engine.base(text, &|| false)?;
    let to_base = started.elapsed();
    let variants = engine.variants();
    let total = variants.first_order.max(budget.min(variants.all));
    if total == 0 || !base.entries.iter().any(|entry| entry.outcome == Outcome::Pass) {
        return Ok(Times { base: to_base, verdicts: None });
    }
    let mut judged = 0;
    engine.mutants(0, total, &|| false, &mut |part| judged += part.verdicts.len())?;
    Ok(Times { base: to_base, verdicts: Some((judged, started.elapsed())) })
}

/// The texts that typing leaves, one for each keystroke.
fn script(text: &str) -> Vec<Arc<str>> {
    let block = text.find("{\n").map_or(text.len(), |at| at + 2);
    let behind = text[block..].find(|c: char| ('1'..='9').contains(&c));
    let digit = behind.map_or(text.len(), |at| block + at);
    let mut script = Vec::new();
    // Typed and erased again: in a comment, where nothing changes; in a block, where most of it does not compile.
    for (at, typed) in [(text.len(), "// note"), (block, "    let _spare = 1 + 2;\n")] {
        let states: Vec<Arc<str>> = (0..=typed.len())
            .map(|n| format!("{}{}{}", &text[..at], &typed[..n], &text[at..]).into())
            .collect();
        script.extend(states.iter().skip(1).cloned());
        script.extend(states.iter().rev().skip(1).cloned());
    }
    // A constant changed: each state compiles, each is another program.
    if digit < text.len() {
        for n in 1..=9 {
            script.push(format!("{}{n}{}", &text[..digit], &text[digit + 1..]).into());
        }
    }
    script
}

/// The first, second and third quartile, in milliseconds to a microsecond.
fn quartiles(mut times: Vec<Duration>) -> [f64; 3] {
    times.sort();
    [1, 2, 3].map(|quarter| {
        let time = times.get(times.len() * quarter / 4).copied().unwrap_or_default();
        (time.as_secs_f64() * 1e6).round() / 1000.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_types_and_takes_back() {
        for text in [SAMPLE, "", "fn f() -> int {\n    return 7;\n}\n", "é"] {
            let script = script(text);
            assert!(script.len() > 40);
            assert_eq!(script.iter().filter(|state| &***state == text).count().min(2), 2);
        }
    }

    #[test]
    fn quartiles_of_few_and_of_none() {
        assert_eq!(quartiles(vec![]), [0.0; 3]);
        assert_eq!(quartiles([3, 1, 2, 4].map(Duration::from_millis).to_vec()), [2.0, 3.0, 4.0]);
    }
}
