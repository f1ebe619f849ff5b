//! Compares the engines: mutants that one engine has judged are judged again by the other, a stretch at a time,
//! either all of them or a sample. By then the other engine already holds their program (see `shaders`).
//!
//! If the devices are hardware, all mutants are one stretch. Its time is the other engine's trial, by which `auto` chooses.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::job::{CompareExtent, SHADERS, SessionSubject};
use super::judged::Judged;
use super::shared_state::{SessionState, SharedState};
use super::task::{Step, Task};
use crate::compiler::program::Watch;
use crate::engine::{Engine, EngineError, Kind};
use crate::host::measure::energy::{Energy, Running};
use crate::host::measure::processor::processor_time;
use crate::lang::index::{Index, Indices, MutantId};
use crate::lang::verdict::{MutantStatus, Verdict};

/// Time limit for one program, or for one stretch of a sample. An engine that exceeds it counts as too slow.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(2);
/// Number of mutants in a stretch; small, so that a comparison can be interrupted soon.
const STRETCH: u32 = 64;
/// Number of stretches in a sample, and of mutants in each.
const SAMPLES: u32 = 16;
const SAMPLED: u32 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The other engine is being built; `checked` and `of` count the steps of that work.
    Preparing,
    /// The other engine is partly built; building continues when the processor budget allows.
    Waiting,
    Running,
    Done,
    /// The other engine takes too long for a sample.
    TooSlow,
}

/// How the other engine's results on the same work, repeated while the user is idle, compare.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Description of the other engine.
    pub other: String,
    pub progress: Progress,
    /// Numbers of mutants: judged again, to be judged again, and in total.
    pub checked: u32,
    pub of: u32,
    pub total: u32,
    /// Where the engines disagree, if they do.
    pub difference: Option<String>,
    /// Energy used by all comparisons since the session began.
    pub energy: Option<Energy>,
}

impl Compared {
    /// Returns a comparison of `judged` that has compared nothing yet.
    pub fn begun(other: String, progress: Progress, judged: &Judged) -> Compared {
        let total = judged.verdicts.len() as u32;
        Compared { other, progress, checked: 0, of: 0, total, difference: None, energy: None }
    }
}

/// Returns when processors may be used for work that nobody requested.
pub fn leisure(shared: &SharedState, state: &SessionState) -> Instant {
    let due = state.wanted.since + shared.idle;
    if shared.extent == CompareExtent::All { due } else { due.max(state.allowance.ready()) }
}

/// Returns when the other engine may begin a comparison, or `None` otherwise.
pub fn comparison_due(shared: &SharedState, state: &SessionState) -> Option<Instant> {
    let wanted = shared.extent != CompareExtent::Off
        // An engine requested by name is the only one used.
        && !state.wanted.choice.is_named()
        && state.settled == Some(state.wanted.version);
    wanted.then(|| leisure(shared, state))
}

/// Returns when the other engine may compare the mutants that one has judged, or `None` if it is not to.
pub fn due(shared: &SharedState, state: &SessionState, judged: &Judged) -> Option<Instant> {
    let held = state.is_done(&SHADERS, SessionSubject { epoch: judged.epoch, ..SessionSubject::default() });
    comparison_due(shared, state).filter(|_| held)
}

/// A measured piece of the other engine's work.
pub struct MeteredWork {
    running: Running,
    /// Processor time at the start.
    before: Duration,
}

impl MeteredWork {
    /// Starts measuring, on a device of the given power domain.
    pub fn begin(shared: &SharedState, power_source: Kind) -> MeteredWork {
        MeteredWork { running: shared.meter.start(power_source), before: processor_time() }
    }

    /// Stops measuring; returns the energy used and the processor time spent.
    pub fn end(self) -> (Energy, Duration) {
        (self.running.stop(), processor_time().saturating_sub(self.before))
    }
}

/// Compares one stretch; continues `begun` if it is of this text. Reports [`Compared`].
pub fn serve(
    begun: &mut Option<Comparison>,
    task: &Task,
    engine: &mut dyn Engine,
) -> Result<Step, EngineError> {
    let (shared, judged) = (&task.shared, &task.judged);
    let mut comparison = match begun.take() {
        Some(begun) if begun.judged.epoch == judged.epoch => begun,
        _ => Comparison::new(judged.clone(), shared.extent, shared.lock().roster.is_hardware()),
    };
    let started = Instant::now();
    let late = || shared.extent == CompareExtent::Sample && started.elapsed() > TIME_LIMIT;
    let piece = MeteredWork::begin(shared, engine.power_source());
    let step = comparison.step(engine, &|| task.cancelled() || late());
    let taken = started.elapsed();
    let (energy, spent) = piece.end();
    let energy = shared.lock().compared(energy, spent);
    // It was not the user who cancelled, so the time limit did.
    let slow = step == Err(EngineError::Cancelled) && !task.cancelled();
    let comparison = begun.insert(comparison);
    if comparison.trial && (slow || step.is_ok()) {
        // One that judged nothing took longer than this.
        let k = if slow { comparison.anew.max(1) } else { comparison.anew };
        let kind = engine.kind();
        shared.change(|state| {
            let speeds = state.speeds(judged.epoch, kind);
            speeds.into_iter().for_each(|speeds| speeds.batch(kind, k, taken.as_secs_f64()));
        });
    }
    if !slow {
        // An interrupted stretch is compared again, unless the text has changed.
        step?;
    }
    let progress = match (slow, comparison.is_done()) {
        (true, _) => Progress::TooSlow,
        (_, true) => Progress::Done,
        _ => Progress::Running,
    };
    task.found(Compared {
        checked: comparison.checked,
        of: comparison.of,
        difference: comparison.difference.clone(),
        energy: Some(energy),
        ..Compared::begun(engine.describe(), progress, judged)
    });
    Ok(if progress == Progress::Running { Step::Begun } else { Step::Done })
}

pub struct Comparison {
    judged: Arc<Judged>,
    extent: CompareExtent,
    /// Whether it judges all mutants at once, and how many had no known verdict.
    trial: bool,
    anew: u32,
    /// Stretches left to compare, the next one last.
    left: Vec<Indices<MutantId>>,
    checked: u32,
    of: u32,
    difference: Option<String>,
}

impl Comparison {
    pub fn new(judged: Arc<Judged>, extent: CompareExtent, trial: bool) -> Comparison {
        let mut left = match extent {
            CompareExtent::Off => vec![],
            _ if trial && !judged.verdicts.is_empty() => vec![Indices::first(judged.verdicts.len() as u32)],
            CompareExtent::Sample => sample(judged.verdicts.len() as u32),
            CompareExtent::All => stretches(judged.verdicts.len() as u32),
        };
        left.reverse();
        let of = left.iter().map(|ids| ids.len()).sum();
        Comparison { judged, extent, trial, anew: 0, left, checked: 0, of, difference: None }
    }

    /// Returns whether no work is left.
    pub fn is_done(&self) -> bool {
        self.difference.is_some() || self.left.is_empty()
    }

    /// Compares one stretch of the mutants.
    pub fn step(&mut self, other: &mut dyn Engine, watch: &dyn Watch) -> Result<(), EngineError> {
        let Some(ids) = self.left.last().copied() else { return Ok(()) };
        let mut found = Vec::new();
        self.anew = 0;
        if self.trial || self.extent == CompareExtent::All {
            other.mutants(ids, watch, &mut |part| {
                self.anew += (part.verdicts.len() as u32).saturating_sub(part.reused);
                found.extend(part.verdicts);
            })?;
        }
        while (found.len() as u32) < ids.len() {
            let (_, left) = ids.split_at(found.len() as u32);
            found.extend(other.part(left, watch)?.result.verdicts);
        }
        self.left.pop();
        let all = &self.judged.verdicts;
        let differs = ids.iter().zip(&found).find(|(id, found)| !agrees(all, *id, found));
        self.difference =
            differs.map(|(id, found)| format!("mutant {id}: {:?} and {found:?}", all.get(id.position())));
        self.checked += ids.len();
        Ok(())
    }
}

/// Splits all ids into stretches.
fn stretches(count: u32) -> Vec<Indices<MutantId>> {
    let mut left = Indices::first(count);
    let stretch = || {
        let (stretch, rest) = left.split_at(STRETCH);
        left = rest;
        (!stretch.is_empty()).then_some(stretch)
    };
    std::iter::from_fn(stretch).collect()
}

/// Returns a sample: stretches that are spread evenly over the ids. Any prefix of the list is roughly even,
/// too.
fn sample(count: u32) -> Vec<Indices<MutantId>> {
    if count <= SAMPLES * SAMPLED {
        return stretches(count);
    }
    let bits = SAMPLES.trailing_zeros();
    // Places are ordered by their reversed bits: first and middle, then the quarters.
    let place = |i: u32| i.reverse_bits() >> (u32::BITS - bits);
    let first = |i: u32| (u64::from(count - SAMPLED) * u64::from(place(i)) / u64::from(SAMPLES - 1)) as u32;
    (0..SAMPLES).map(|i| Indices::starting(MutantId::new(first(i)), SAMPLED)).collect()
}

/// Returns whether two verdicts agree. An engine that has judged only some mutants may not recognize a
/// duplicate; it then reports the verdict of the mutant's original.
fn agrees(all: &[Verdict], id: MutantId, found: &Verdict) -> bool {
    let original = |id: MutantId| match all.get(id.position()) {
        Some(Verdict { status: MutantStatus::Duplicate, original: Some(original), .. }) => *original,
        _ => id,
    };
    match found.status {
        MutantStatus::Duplicate => found.original.map(original) == Some(original(id)),
        _ => all.get(original(id).position()) == Some(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::index::EntryId;

    #[test]
    fn sample_and_its_first_parts_are_spread_evenly() {
        for count in [0, 1, 127, 128, 129, 1_024, 100_000] {
            let mut ids: Vec<MutantId> = sample(count).into_iter().flatten().collect();
            assert_eq!(ids.len() as u32, count.min(SAMPLES * SAMPLED));
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len() as u32, count.min(SAMPLES * SAMPLED), "none twice");
            assert!(ids.last().is_none_or(|last| last.number() < count));
        }
        let firsts: Vec<u32> = sample(1_024).iter().map(|ids| ids.start().number()).collect();
        assert_eq!(firsts[0], 0);
        assert!((400..600).contains(&firsts[1]), "{firsts:?}");
        assert_eq!(*firsts.iter().max().unwrap(), 1_016);
    }

    #[test]
    fn duplicate_agrees_with_its_original_or_a_separate_verdict() {
        let id = MutantId::new;
        let by = |killer| Verdict { killer: Some(EntryId::new(killer)), ..Verdict::of(MutantStatus::Killed) };
        let killed = by(3);
        let all = [killed, Verdict::duplicate_of(id(0)), Verdict::duplicate_of(id(0))];
        assert!(agrees(&all, id(1), &killed), "judged separately");
        assert!(agrees(&all, id(2), &Verdict::duplicate_of(id(1))), "the first it has seen");
        assert!(!agrees(&all, id(1), &Verdict::of(MutantStatus::Survived)));
        assert!(!agrees(&all, id(0), &by(2)));
    }
}
