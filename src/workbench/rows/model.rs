//! The paper's model of one iteration (eq. 16, section 6.2) and the same terms measured here.

use std::time::Duration;

use super::super::state::{State, Watts};
use crate::engine::{Kind, Stage, Timings};

/// T_gen, in milliseconds.
pub const PAPER_GENERATE: f64 = 10.0;
/// T_transfer, one way.
pub const PAPER_TRANSFER: f64 = 1.0;
/// T_compile, from and to.
pub const PAPER_COMPILE: (f64, f64) = (50.0, 500.0);
/// T_exec, from and to.
pub const PAPER_EXECUTE: (f64, f64) = (10.0, 1000.0);
/// Power during a transfer, in watts: 25 mJ for one of 1 ms.
pub const PAPER_TRANSFER_WATTS: f64 = 25.0;
/// Power and time of compiling one program on a GPU: 15 J.
pub const PAPER_GPU: (f64, f64) = (300.0, 50.0);
/// Time of compiling 1,000 programs by a neural compiler at the same power: 60 J.
pub const PAPER_NEURAL_MS: f64 = 200.0;
/// Energy of 1,000 iterations on a CPU, in joules.
pub const PAPER_CPU_JOULES: f64 = 70_000.0;

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
        self.generate + 2.0 * self.transfer + self.compile + self.execute
    }

    /// The paper's typical values: the least and the most.
    pub fn paper() -> (Terms, Terms) {
        let with =
            |compile, execute| Terms { generate: PAPER_GENERATE, transfer: PAPER_TRANSFER, compile, execute };
        (with(PAPER_COMPILE.0, PAPER_EXECUTE.0), with(PAPER_COMPILE.1, PAPER_EXECUTE.1))
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

/// The stated power of what ran, in watts.
pub fn watts(state: &State, watts: Watts) -> f64 {
    match state.engine.kind {
        Some(Kind::Gpu) => watts.gpu,
        _ => watts.cpu,
    }
}

pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A time in a unit that keeps it short.
pub fn short_time(milliseconds: f64) -> String {
    match milliseconds {
        t if t <= 0.0 => "0".to_string(),
        t if t < 0.001 => format!("{:.0} ns", t * 1e6),
        t if t < 0.1 => format!("{:.1} µs", t * 1e3),
        t if t < 10.0 => format!("{t:.2} ms"),
        t if t < 1000.0 => format!("{t:.0} ms"),
        t => format!("{:.2} s", t / 1e3),
    }
}

/// An energy in a unit that keeps it short.
pub fn short_energy(joules: f64) -> String {
    match joules {
        j if j <= 0.0 => "0".to_string(),
        j if j < 1e-3 => format!("{:.1} µJ", j * 1e6),
        j if j < 1.0 => format!("{:.1} mJ", j * 1e3),
        j if j < 1000.0 => format!("{j:.1} J"),
        j => format!("{:.0} kJ", j / 1e3),
    }
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
        assert_eq!(PAPER_GPU.0 * PAPER_GPU.1 / 1e3, 15.0);
        assert_eq!(PAPER_GPU.0 * PAPER_NEURAL_MS / 1e3, 60.0);
        assert_eq!(PAPER_TRANSFER_WATTS * PAPER_TRANSFER, 25.0);
    }
}
