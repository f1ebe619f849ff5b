//! Records: words that a device leaves for the host, including the number of the batch.
//!
//! A failed submission may look finished, and its buffers may hold anything. A record of another batch is
//! therefore refused, and so is one that no working device would leave.

use crate::compiler::layout::numbers::{call, entry, head, noisy, scored, sum, verdict};
use crate::compiler::stage::execute::{NoisyEnd, NoisyRun};
use crate::compiler::stage::route::features::{FEATURES, Features};
use crate::compiler::stage::route::score::{Score, Scored};
use crate::engine::{DeviceFailure, EngineError, EntryResult, TestTotals, Tested};
use crate::lang::index::{Address, EntryId, Index, Indices, InputId, MutantId};
use crate::lang::trap::Trap;
use crate::lang::verdict::{MutantStatus, Outcome, Verdict};
use crate::lang::{NONE, limits};

/// A value decoded from words.
pub trait GpuRecord: Sized {
    /// Words per record.
    const WORDS: u32;
    /// The index of the word that holds the number of the batch.
    const EPOCH: u32;

    /// Decodes a record; `None` if the words are invalid.
    fn of(words: &[u32]) -> Option<Self>;
}

/// Decodes one record.
///
/// # Errors
/// If it is incomplete, belongs to another batch, or is invalid.
pub fn record<R: GpuRecord>(words: &[u32], epoch: u32) -> Result<R, EngineError> {
    let words = words.get(..R::WORDS as usize).ok_or_else(incomplete)?;
    if words[R::EPOCH as usize] != epoch {
        return Err(DeviceFailure::Results.because("a record of another batch"));
    }
    R::of(words).ok_or_else(|| DeviceFailure::Results.because("an invalid record"))
}

/// Decodes consecutive records.
///
/// # Errors
/// As [`record`].
pub fn records<R: GpuRecord>(words: &[u32], epoch: u32) -> Result<Vec<R>, EngineError> {
    words.chunks(R::WORDS as usize).map(|words| record(words, epoch)).collect()
}

/// The error for missing words.
pub fn incomplete() -> EngineError {
    DeviceFailure::Results.because("results are incomplete")
}

impl GpuRecord for Verdict {
    const WORDS: u32 = verdict::WORDS;
    const EPOCH: u32 = verdict::EPOCH;

    fn of(words: &[u32]) -> Option<Verdict> {
        let at = |place: u32| words[place as usize];
        let status = MutantStatus::from_u32(at(verdict::STATUS))?;
        Some(Verdict {
            status,
            killer: EntryId::from_word(at(verdict::KILLER)),
            original: MutantId::from_word(at(verdict::ORIGINAL)),
        })
    }
}

impl GpuRecord for Tested {
    const WORDS: u32 = sum::WORDS;
    const EPOCH: u32 = sum::EPOCH;

    fn of(words: &[u32]) -> Option<Tested> {
        let at = |place: u32| words[place as usize];
        if at(sum::COMPILES) == 0 {
            return Some(Tested::Invalid);
        }
        let (tests, passed, outcome) = (at(sum::TESTS), at(sum::PASSED), Outcome::from_u32(at(sum::OUTCOME))?);
        let steps = u64::from(at(sum::STEPS_LOW)) | u64::from(at(sum::STEPS_HIGH)) << 32;
        Some(Tested::Ended(TestTotals { tests, passed, outcome, steps }))
    }
}

impl GpuRecord for NoisyRun {
    const WORDS: u32 = noisy::WORDS;
    const EPOCH: u32 = noisy::EPOCH;

    fn of(words: &[u32]) -> Option<NoisyRun> {
        let at = |place: u32| words[place as usize];
        let end = match at(noisy::OUTCOME) {
            NONE => NoisyEnd::NotRun,
            word => match Outcome::from_u32(word)? {
                Outcome::Pass | Outcome::Discarded => NoisyEnd::Held,
                Outcome::Fail => NoisyEnd::Wrong,
                Outcome::Trap(trap) => NoisyEnd::Trapped(trap),
            },
        };
        let struck = words[noisy::STRUCK as usize..].try_into().ok()?;
        let (steps, faults) = (at(noisy::STEPS), at(noisy::FAULTS));
        let address = Address::from_word(at(noisy::ADDRESS));
        Some(NoisyRun { end, steps, address, faults, struck })
    }
}

impl GpuRecord for Scored {
    const WORDS: u32 = scored::WORDS;
    const EPOCH: u32 = scored::EPOCH;

    fn of(words: &[u32]) -> Option<Scored> {
        let features = Features::try_from(&words[..FEATURES]).ok()?;
        Some(Scored { features, score: Score(words[scored::SCORE as usize] as i32) })
    }
}

/// The result of a call. For a list, `value` is its length.
pub struct GpuCall {
    pub trap: Trap,
    pub value: u32,
    pub steps: u32,
    pub address: Option<Address>,
}

impl GpuRecord for GpuCall {
    const WORDS: u32 = call::WORDS;
    const EPOCH: u32 = call::EPOCH;

    fn of(words: &[u32]) -> Option<GpuCall> {
        let at = |place: u32| words[place as usize];
        let trap = Trap::from_u32(at(call::TRAP))?;
        Some(GpuCall {
            trap,
            value: at(call::VALUE),
            steps: at(call::STEPS),
            address: Address::from_word(at(call::ADDRESS)),
        })
    }
}

/// The results of a base's entries, decoded from the whole table.
pub struct Entries(pub Vec<EntryResult>);

impl GpuRecord for Entries {
    const WORDS: u32 = entry::TABLE;
    const EPOCH: u32 = head::EPOCH;

    fn of(words: &[u32]) -> Option<Entries> {
        let count = words[head::COUNT as usize];
        let rows = rows(words).take(count as usize);
        let results = rows.map(|row| {
            let at = |place: u32| row[place as usize];
            Some(EntryResult {
                outcome: Outcome::from_u32(at(entry::OUTCOME))?,
                steps: u64::from(at(entry::STEPS)),
                costliest: at(entry::COSTLIEST),
                inputs: at(entry::RUNS),
                discarded: at(entry::DISCARDED),
                unfinished: at(entry::UNFINISHED),
                samples: limits::SAMPLES,
                failing_input: InputId::from_word(at(entry::FAILING)),
                trap_address: Address::from_word(at(entry::ADDRESS)),
            })
        });
        if count <= limits::TESTS as u32 { results.collect::<Option<_>>().map(Entries) } else { None }
    }
}

/// Returns the first unfinished entry, and how many of its first inputs have ended.
pub fn running(table: &[u32]) -> Option<(EntryId, u32)> {
    let count = table.get(head::COUNT as usize).copied()?;
    let (entry, row) = Indices::first(count)
        .iter()
        .zip(rows(table))
        .find(|(_, row)| row[entry::FIRST_OPEN as usize] != NONE)?;
    Some((entry, row[entry::FIRST_OPEN as usize].wrapping_sub(row[entry::JOB as usize])))
}

/// Returns the rows of a table of entries, after its head.
fn rows(table: &[u32]) -> impl Iterator<Item = &[u32]> {
    table.chunks_exact(entry::WORDS as usize).skip(1)
}
