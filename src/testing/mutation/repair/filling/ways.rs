//! The ways of a run through a hole that is a bool: the values at its visits with which the run passes.

use super::examples::{Example, Needs, Ways, domain};
use super::hole::Hole;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::execute::{self, Machine, RunObserver, StepState};
use crate::fill::operation::Word;
use crate::fill::search::Way;
use crate::lang::index::{EntryId, Index};
use crate::lang::trap::Trap;
use crate::network::inputs::FUEL;

/// The maximum number of visits in a run, of runs of an example, and of steps in all runs.
const VISITS: usize = 48;
const RUNS: usize = 512;
const STEPS: u64 = 20_000_000;
/// The maximum number of different visits of all examples.
const INPUTS: usize = 52;

/// A visit: what an expression can see, and the frame.
struct Visit {
    seen: Vec<Word>,
    frame: Vec<u32>,
    value: bool,
    /// Whether an earlier visit saw the same, so that the value is not free.
    is_bound: bool,
}

/// Answers the first free visits with the values of `chosen`, and the others with false.
struct Oracle<'a> {
    hole: &'a Hole,
    chosen: &'a [bool],
    visits: Vec<Visit>,
    free: usize,
}

impl RunObserver for Oracle<'_> {
    const STEPS: bool = true;

    fn step(&mut self, now: StepState) {
        if now.pc as u32 != self.hole.address.number() || self.visits.len() > VISITS {
            return;
        }
        let frame = now.words().get(now.fp..).unwrap_or_default().to_vec();
        let seen = self.hole.seen(&frame);
        let known = self.visits.iter().find(|visit| visit.seen == seen).map(|visit| visit.value);
        let free = self.chosen.get(self.free).copied().unwrap_or(false);
        self.free += usize::from(known.is_none());
        let (value, is_bound) = (known.unwrap_or(free), known.is_some());
        self.visits.push(Visit { seen, frame, value, is_bound });
    }

    fn hole(&mut self) -> Option<u32> {
        let value = self.visits.last()?.value;
        (self.visits.len() <= VISITS).then_some(value.into())
    }
}

/// The runs of an example.
#[derive(Default)]
struct Explored {
    passing: Vec<Vec<Visit>>,
    fails: bool,
    /// Whether some ways were not tried to their end.
    is_partial: bool,
}

fn explore(
    program: &Compiled,
    hole: &Hole,
    machine: &mut Machine,
    example: &Example,
    steps: &mut u64,
    watch: &dyn Watch,
) -> Explored {
    let domain = domain(program, example.entry);
    let mut explored = Explored::default();
    let mut left = vec![Vec::new()];
    for _ in 0..RUNS {
        let Some(chosen) = left.pop().filter(|_| *steps < STEPS && !watch.cancelled()) else { break };
        let mut oracle = Oracle { hole, chosen: &chosen, visits: Vec::new(), free: 0 };
        let record = domain.observe(machine, &program.executable, (example.input, FUEL), &mut oracle);
        *steps += u64::from(record.steps);
        let visits = oracle.visits;
        explored.is_partial |= matches!(record.trap, Trap::Hole | Trap::StepLimit);
        let free: Vec<bool> = visits.iter().filter(|visit| !visit.is_bound).map(|visit| visit.value).collect();
        // Each way differs from this one first at one of the visits that follow.
        for at in (chosen.len()..free.len().min(VISITS)).rev() {
            left.push(free[..at].iter().copied().chain([true]).collect());
        }
        if execute::holds(&record) || execute::discards(&record) {
            explored.passing.push(visits);
        } else {
            explored.fails = true;
        }
    }
    explored.is_partial |= !left.is_empty();
    explored
}

/// Returns what the runs need of a bool.
pub fn needs(program: &Compiled, hole: &Hole, examples: &[Example], watch: &dyn Watch) -> Needs {
    let mut machine = Machine::default();
    machine.load(&program.executable);
    let (mut steps, mut all) = (0, Vec::new());
    for example in examples {
        let explored = explore(program, hole, &mut machine, example, &mut steps, watch);
        match explored.passing.is_empty() {
            true if !explored.is_partial => return Needs::Nothing(example.entry),
            false if explored.fails => all.push((example.entry, explored.passing)),
            // Nothing is known of it.
            _ => {}
        }
    }
    let visits = |ways: &[Vec<Visit>]| -> usize { ways.iter().map(Vec::len).sum() };
    all.sort_by_key(|(_, ways)| visits(ways));
    let (mut seen, mut frames): (Vec<Vec<Word>>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
    let mut runs = Vec::new();
    for (entry, ways) in all {
        let before = seen.len();
        let mut numbered = Vec::new();
        for visits in ways {
            let mut way = Way::default();
            for visit in visits {
                let at = seen.iter().position(|known| *known == visit.seen).unwrap_or_else(|| {
                    seen.push(visit.seen);
                    frames.push(visit.frame);
                    seen.len() - 1
                });
                if at < INPUTS {
                    way.inputs |= 1 << at;
                    way.values |= u64::from(visit.value) << at;
                }
            }
            numbered.push(way);
        }
        // A run with more visits than there is room for is only tested.
        if seen.len() > INPUTS {
            seen.truncate(before);
            frames.truncate(before);
            continue;
        }
        runs.push((entry, numbered));
    }
    // Values that all ways of one run share exclude ways of others.
    let mut known = Way::default();
    loop {
        let before = known;
        for (entry, ways) in &mut runs {
            ways.retain(|way| way.agrees(known));
            match Way::shared(ways) {
                Some(shared) => known = known.and(shared),
                None => return Needs::Nothing(*entry),
            }
        }
        if known == before {
            break;
        }
    }
    let (entries, runs): (Vec<EntryId>, Vec<Vec<Way>>) = runs.into_iter().unzip();
    if runs.is_empty() { Needs::Unknown } else { Needs::Ways(Ways { frames, entries, runs }) }
}
