//! `frontend`: throughput of each compiler phase on one source of nearly maximal size.

use std::ffi::OsStr;
use std::fmt::Write;

use super::Bench;
use super::measuring::{self, Engines, Opened};
use super::table::{BenchRow, Section};
use crate::cli::args::Effort;
use crate::cli::exit::Failure;
use crate::cli::input::InputSource;
use crate::compiler::stage::{Compiler, Stage};
use crate::lang::limits;

/// The compiler phases, in order.
const PHASES: [Stage; 6] = [Stage::Lex, Stage::Parse, Stage::Check, Stage::Lower, Stage::Optimize, Stage::Emit];

/// Measures each requested engine.
pub fn run(bench: &mut Bench) -> Result<Vec<Section>, Failure> {
    let effort = bench.effort.clone();
    let rows = Engines::new(bench.common)?.measure(|opened| measure(opened, &effort))?;
    Ok(vec![Section { file: "built in".into(), rows }])
}

/// Compiles the source on an engine repeatedly.
pub fn measure(opened: &mut Opened, effort: &Effort) -> Result<Vec<BenchRow>, Failure> {
    let source = InputSource::new(OsStr::new("large"), large().into());
    let bytes = source.text.len() as f64;
    let mut speeds: [Vec<f64>; PHASES.len()] = Default::default();
    // Warm-up: memory that is kept from program to program is allocated.
    opened.engine.compile(&source.text, &|| false)?;
    let whole = measuring::repeat(effort, || {
        let (_, timings) = opened.engine.compile(&source.text, &|| false)?;
        for (stage, speeds) in PHASES.iter().zip(&mut speeds) {
            let time = timings.stages[*stage as usize];
            if !time.is_zero() {
                speeds.push(bytes / time.as_secs_f64() / 1e6);
            }
        }
        Ok(bytes / timings.wall.as_secs_f64().max(1e-9) / 1e6)
    })?;
    let subject = opened.subject(&source, 0, 1);
    let row = |name: &str, speeds: Vec<f64>| match speeds.is_empty() {
        true => {
            let why = "the device does not time its stages".to_string();
            BenchRow::missing(name, "MB/s", subject, &opened.who, why)
        }
        false => BenchRow::new(name, "MB/s", subject, &opened.who, speeds),
    };
    let mut rows: Vec<BenchRow> =
        PHASES.iter().zip(speeds).map(|(stage, speeds)| row(stage.name(), speeds)).collect();
    rows.push(row("whole", whole));
    Ok(rows)
}

/// Generates functions with all kinds of statements and typical comments, up to the first of the language's
/// limits.
fn large() -> String {
    let one = function(0);
    let mut compiler = Compiler::default();
    compiler.compile(&one);
    let tokens = compiler.tokens.kind.len().max(1);
    // Names grow with their numbers.
    let bytes = function(limits::FUNCTIONS).len();
    let count = (limits::TOKENS / tokens).min(limits::SOURCE_BYTES / bytes).min(limits::FUNCTIONS);
    (0..count).map(function).collect()
}

fn function(number: usize) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "// The weighted sum of what is above the threshold, folded into a byte.
fn weighted_{number}(values: [int; 16], threshold: int) -> int {{
    let total = 0;
    let seen = 0;
    for value in values {{
        if value > threshold && value % 2 == 0 || value == {number} {{
            total += value * (seen + 1);
            seen += 1;
        }} else {{
            total -= threshold / 3;
        }}
    }}
    // Fold until it fits.
    while total > 255 {{
        total = (total & 0xFF) + (total >> 8);
    }}
    return total;
}}

"
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_source_is_near_the_limits_and_compiles() {
        let text = large();
        let mut compiler = Compiler::default();
        compiler.compile(&text);
        assert!(compiler.compiles(), "{:?}", compiler.facts);
        assert!(text.len() > limits::SOURCE_BYTES / 3 || compiler.tokens.kind.len() > limits::TOKENS * 9 / 10);
    }
}
