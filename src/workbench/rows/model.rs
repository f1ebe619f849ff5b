//! The paper's model of one iteration (eq. 16, section 6.2) and the same terms measured here.

use std::time::Duration;

use super::super::state::State;
use crate::engine::{Stage, Timings};
use crate::model::formula;
use crate::model::paper::{self, Range};
pub use crate::report::quantity::{energy as short_energy, time as short_time};

/// The terms of eq. 16, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Terms {
    pub generate: f64,
    pub transfer: f64,
    pub compile: f64,
    pub execute: f64,
}

impl Terms {
    /// T = T_gen + 2 T_transfer + T_compile + T_exec.
    pub fn total(self) -> f64 {
        formula::iteration(self.generate, self.transfer, self.compile, self.execute)
    }

    /// The paper's typical values: the least and the most.
    pub fn paper() -> (Terms, Terms) {
        let with = |end: fn(Range) -> f64| Terms {
            generate: end(paper::GENERATE),
            transfer: end(paper::TRANSFER),
            compile: end(paper::COMPILE),
            execute: end(paper::EXECUTE),
        };
        (with(|range| range.low), with(|range| range.high))
    }

    /// The same terms as measured, for the whole batch: mutate generates, lex to emit compiles, execute and judge
    /// execute. What the clock on the wall shows beyond that is transfer, there and back.
    pub fn measured(timings: &Timings) -> Terms {
        let of = |stages: &[Stage]| stages.iter().map(|s| ms(timings.stages[*s as usize])).sum::<f64>();
        let generate = of(&[Stage::Mutate]);
        let compile = of(&[Stage::Lex, Stage::Parse, Stage::Check, Stage::Lower, Stage::Optimize, Stage::Emit]);
        let execute = of(&[Stage::Execute, Stage::Judge]);
        let beyond = ms(timings.wall) - generate - compile - execute;
        Terms { generate, transfer: (beyond / 2.0).max(0.0), compile, execute }
    }
}

/// Base and mutants of the last keystroke together.
pub fn last_timings(state: &State) -> Option<Timings> {
    let mut sum = state.shown()?.timings;
    let mutants = &state.results.mutants.timings;
    for (slot, time) in sum.stages.iter_mut().zip(mutants.stages) {
        *slot += time;
    }
    sum.wall += mutants.wall;
    sum.programs += mutants.programs;
    Some(sum)
}

pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The middle of some values.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Values as bars of eight heights, the highest full.
pub fn sparkline(values: &[f64]) -> String {
    let most = values.iter().copied().fold(0.0, f64::max);
    let bar = |v: &f64| {
        let height = if most > 0.0 { (v / most * 7.0).round() as usize } else { 0 };
        ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][height.min(7)]
    };
    values.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_totals_come_out() {
        let (least, most) = Terms::paper();
        assert_eq!((least.total(), most.total()), (72.0, 1512.0));
    }
}
