//! Locates likely bugs: tokens that failing tests execute and passing tests do not. (Spectrum-based fault localization
//! with the Ochiai coefficient; Abreu et al., 2009.)

use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::emit::emit_unoptimized;
use crate::compiler::stage::execute::{Domain, Machine, RunObserver, StepState};
use crate::engine::EntryResult;
use crate::lang::index::{EntryId, Index, Indices};
use crate::lang::limits;

/// The maximum number of inputs that are run for a passing property.
const INPUTS: u32 = 32;
/// The maximum steps of a run.
const STEPS: u32 = 1 << 16;

/// The execution spectrum of a program's entries.
pub struct Spectrum {
    /// The suspicion of each token, from 0 to 1.
    pub suspicion: Vec<f64>,
    /// For each failing entry, the tokens that it executes.
    pub executed: Vec<Option<Vec<bool>>>,
}

/// Computes the spectrum of a program with the results of its entries. Returns `None` if the work was cancelled.
pub fn spectrum(base: &Compiled, results: &[EntryResult], watch: &dyn Watch) -> Option<Spectrum> {
    let lowered = emit_unoptimized(base);
    let tokens = base.tokens.kind.len();
    let mut machine = Machine::default();
    machine.load(&lowered);
    let (mut failing, mut passing) = (vec![0u32; tokens], vec![0u32; tokens]);
    let mut executed = Vec::new();
    for (entry, result) in EntryId::all().zip(results) {
        let fails = result.outcome.fails();
        let samples = if fails { result.samples } else { limits::SAMPLES };
        let domain = Domain::new(&lowered.routines, &base.binders, base.facts.entry(entry), samples);
        let inputs = match result.failing_input {
            Some(input) => Indices::one(input),
            None => domain.inputs().split_at(if fails { 1 } else { INPUTS }).0,
        };
        let mut seen = Seen { tokens: &lowered.code.token, seen: vec![false; tokens] };
        for input in inputs {
            if watch.cancelled() {
                return None;
            }
            domain.observe(&mut machine, &lowered, (input, STEPS), &mut seen);
        }
        let counts = if fails { &mut failing } else { &mut passing };
        counts.iter_mut().zip(&seen.seen).for_each(|(count, seen)| *count += u32::from(*seen));
        executed.push(fails.then_some(seen.seen));
    }
    let failed = executed.iter().flatten().count() as f64;
    let of = |(failing, passing): (u32, u32)| match failing {
        0 => 0.0,
        _ => f64::from(failing) / (failed * f64::from(failing + passing)).sqrt(),
    };
    let suspicion = failing.into_iter().zip(passing).map(of).collect();
    Some(Spectrum { suspicion, executed })
}

/// Records the tokens whose instructions are executed.
struct Seen<'a> {
    tokens: &'a [u32],
    seen: Vec<bool>,
}

impl RunObserver for Seen<'_> {
    const STEPS: bool = true;

    fn step(&mut self, now: StepState) {
        let token = self.tokens.get(now.pc).map_or(usize::MAX, |token| *token as usize);
        if let Some(seen) = self.seen.get_mut(token) {
            *seen = true;
        }
    }
}
