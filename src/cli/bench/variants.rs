//! `variants`: variants per second, time per variant, and memory, for k = 1, 10, 100 and so on.
//!
//! The time is that from a new text to the last of k verdicts. It includes compiling and testing the program
//! itself, so a small k shows that cost.

use super::measuring::{self, Engines, Opened};
use super::table::{BenchRow, Section};
use super::{Bench, programs};
use crate::cli::args::Effort;
use crate::cli::exit::Failure;
use crate::cli::input::InputSource;
use crate::cli::progress::CliProgress;
use crate::host::measure::numbers::grouped;

/// Measures each program on each engine.
pub fn run(bench: &mut Bench) -> Result<Vec<Section>, Failure> {
    let effort = bench.effort.clone();
    let mut engines = Engines::new(bench.common)?;
    bench.each(programs::one, |source| engines.measure(|opened| measure(opened, source, &effort)))
}

/// Measures a program for each k, up to the limits of the effort and the number of its variants.
pub fn measure(opened: &mut Opened, source: &InputSource, effort: &Effort) -> Result<Vec<BenchRow>, Failure> {
    let base = opened.engine.base(&source.text, &|| false)?;
    let (tests, all) = (base.entries.len(), opened.engine.variants().all);
    let mut progress = CliProgress::new("variants");
    let (mut rows, mut longest, mut before) = (Vec::new(), 0.0, 1);
    for k in decades(effort.k.min(all)) {
        let subject = opened.subject(source, tests, k);
        progress.say(&format!("{}: {} variants on {}", source.shown(), grouped(k.into()), opened.who.adapter));
        // The time for a larger k is extrapolated from the last one.
        let expected = longest * f64::from(k) / f64::from(before);
        if expected > effort.seconds && !rows.is_empty() {
            let why = format!("k = {} would take about {expected:.0} s", grouped(k.into()));
            rows.push(BenchRow::missing("rate", "per second", subject, &opened.who, why));
            break;
        }
        let times = measuring::repeat(effort, || {
            measuring::judge(opened.engine.as_mut(), &source.text, k).map(|(.., seconds)| seconds)
        })?;
        (longest, before) = (times.iter().copied().fold(0.0, f64::max), k);
        let of_each = times.iter().map(|time| time * 1e6 / f64::from(k)).collect();
        let memory = opened.engine.memory().0.total() as f64;
        let row = |name: &str, unit, values| BenchRow::new(name, unit, subject, &opened.who, values);
        let time = row("time", "µs", of_each);
        rows.push(time.inverse("rate", "per second", 1e6));
        rows.push(time);
        rows.push(row("memory", "B", vec![memory]));
    }
    Ok(rows)
}

/// Returns 1, 10, 100 and so on up to `most`, and `most` itself.
fn decades(most: u32) -> Vec<u32> {
    let powers = std::iter::successors(Some(1u32), |k| k.checked_mul(10));
    let mut all: Vec<u32> = powers.take_while(|k| *k <= most).collect();
    if most > 0 && all.last() != Some(&most) {
        all.push(most);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_end_at_the_largest_k() {
        assert!(decades(0).is_empty());
        assert_eq!(decades(1), [1]);
        assert_eq!(decades(100), [1, 10, 100]);
        assert_eq!(decades(250), [1, 10, 100, 250]);
        assert_eq!(decades(u32::MAX).len(), 11);
    }
}
