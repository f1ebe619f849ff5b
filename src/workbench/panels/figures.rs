//! Figures shared by the panels that measure: the paper's model of one iteration (eq. 16, section 6.2), the
//! same terms as measured here, shares and bars.

use std::time::Duration;

use crate::compiler::stage::Stage;
use crate::engine::{Clock, Timings, Transfer};
use crate::host::measure::origin::Origin;
pub use crate::host::measure::quantity::{energy as short_energy, time as short_time};
use crate::paper::formula;
use crate::paper::quoted::{self, Range};
use crate::workbench::results::{EngineAnswer, Results};
use crate::workbench::text::visible;

/// Formats a duration that cannot be zero: `–` if it was not measured.
pub fn taken(time: Duration) -> String {
    if time.is_zero() { "–".to_string() } else { short_time(ms(time)) }
}

/// The terms of eq. 16, in milliseconds. They add up to T.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FigureTerms {
    pub generate: f64,
    /// Both directions; `None` if no device takes part, or if they were not timed.
    pub transfers: Option<f64>,
    pub compile: f64,
    pub execute: f64,
    /// Time outside the equation's terms: what passes between the stages.
    pub rest: f64,
}

impl FigureTerms {
    /// Returns T = T_gen + 2 T_transfer + T_compile + T_exec, plus the rest.
    pub fn total(self) -> f64 {
        let transfer = self.transfers.unwrap_or(0.0) / 2.0;
        formula::iteration(self.generate, transfer, self.compile, self.execute) + self.rest
    }

    /// Returns the lower and upper ends of the paper's typical values.
    pub fn paper() -> (FigureTerms, FigureTerms) {
        let with = |end: fn(Range) -> f64| FigureTerms {
            generate: end(quoted::GENERATE),
            transfers: Some(2.0 * end(quoted::TRANSFER)),
            compile: end(quoted::COMPILE),
            execute: end(quoted::EXECUTE),
            rest: 0.0,
        };
        (with(|range| range.low), with(|range| range.high))
    }

    /// Returns the terms for all programs of a batch, where T is the wall time: mutate is generation, lex to
    /// emit are compilation, execute and judge are execution.
    pub fn of_wall(timings: &Timings) -> FigureTerms {
        let split = timings.split();
        let of = |stages: &[Stage]| stages.iter().map(|s| ms(split.stages[*s as usize])).sum::<f64>();
        FigureTerms {
            generate: of(&[Stage::Mutate]),
            transfers: split.transfer.map(ms),
            compile: of(&[Stage::Lex, Stage::Parse, Stage::Check, Stage::Lower, Stage::Optimize, Stage::Emit]),
            execute: of(&[Stage::Execute, Stage::Judge]),
            rest: ms(split.rest + split.proofs),
        }
    }
}

/// Returns the timings of the base and of the mutants judged so far, added up.
pub fn timings_so_far(results: &Results) -> Option<Timings> {
    let mut sum = results.shown()?.timings;
    sum += &results.mutants.timings;
    Some(sum)
}

/// Returns the message that an engine's results differ from the serving engine's. This must never happen.
pub fn differs(engine: &str, difference: &str) -> String {
    visible(&format!("{engine} DIFFERS: {difference}"))
}

pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Describes how the stages' parts of the wall time were obtained.
pub fn clock(timings: &Timings) -> String {
    let modelled = timings.split().modelled;
    match (timings.transfer, timings.clock) {
        (Transfer::NoDevice, _) if modelled => format!(
            "the wall by stage: measured by the host's clock; where {} threads work at once {}, by the stages' shares of \
             their time",
            timings.threads,
            Origin::Modelled,
        ),
        (Transfer::NoDevice, _) => "the wall by stage: measured by the host's clock".to_string(),
        (_, Clock::Wall) => {
            "the wall: measured; not by stage, because the device has no timestamps".to_string()
        }
        (_, Clock::Timestamps) if modelled => {
            format!("the wall by stage: {}, by the stages' shares of all engines' time", Origin::Modelled)
        }
        (_, Clock::Timestamps) => "the wall by stage: measured by the device's timestamps".to_string(),
    }
}

/// Formats the time of an answer's last verdict: `…` if it is still awaited, `–` if there will be none.
pub fn awaited(answer: &EngineAnswer) -> String {
    let without = if answer.awaited { "…" } else { "–" };
    answer.all.map_or(without.to_string(), taken)
}

/// Converts parts of a whole to whole percents that add up to 100.
pub fn percents(parts: &[f64]) -> Vec<u32> {
    let mut percents: Vec<u32> = parts.iter().map(|part| (100.0 * part) as u32).collect();
    // Distribute the remainder to the parts that rounding reduced most.
    let mut losses: Vec<usize> = (0..parts.len()).collect();
    let loss = |i: &usize| (100.0 * parts[*i]).fract();
    losses.sort_by(|a, b| loss(b).total_cmp(&loss(a)));
    let left = 100u32.saturating_sub(percents.iter().sum());
    for i in losses.into_iter().cycle().take(left as usize) {
        percents[i] += 1;
    }
    // 100 would mean that the other parts are zero.
    if let Some(most) = (0..parts.len()).find(|i| percents[*i] == 100 && parts[*i] < 1.0) {
        let next = (0..parts.len()).filter(|i| *i != most).max_by(|a, b| parts[*a].total_cmp(&parts[*b]));
        percents[most] -= 1;
        next.into_iter().for_each(|next| percents[next] += 1);
    }
    percents
}

pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Draws values as bars of eight heights, scaled to the highest.
pub fn sparkline(values: &[f64]) -> String {
    let most = values.iter().copied().fold(0.0, f64::max);
    let bar = |v: &f64| {
        let height = if most > 0.0 { (v / most * 7.0).round() as usize } else { 0 };
        ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][height.min(7)]
    };
    values.iter().map(bar).collect()
}
/// Formats a count in at most five cells.
pub fn times(count: u32) -> String {
    match count {
        0..10_000 => format!("{count}×"),
        10_000..1_000_000 => format!("{}k×", count / 1_000),
        _ => format!("{}M×", count / 1_000_000),
    }
}
