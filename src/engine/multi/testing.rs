//! Independent pieces of work on all members, such as programs to test: each member takes stretches of them.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;

use super::MultiEngine;
use super::member::Member;
use super::queue::Queue;
use crate::compiler::program::Watch;
use crate::engine::{CandidateChange, EngineError, Tested, TestedCandidate};
use crate::lang::index::{CandidateId, Index, Indices, RoutineId};

/// The length of a stretch for a member that tests programs separately on its own threads.
const STRETCH: usize = 64;

/// A program to test that owns its text: a member may still work on it after the call.
struct Owned {
    text: String,
    changes: Option<Vec<(RoutineId, String)>>,
}

impl Owned {
    fn new(candidate: &TestedCandidate) -> Owned {
        let change = |change: &CandidateChange| (change.function, change.text.to_string());
        let changes = candidate.changes.as_ref().map(|changes| changes.iter().map(change).collect());
        Owned { text: candidate.text.into(), changes }
    }

    fn candidate(&self) -> TestedCandidate<'_> {
        let changes = self.changes.as_ref().map(|changes| {
            changes.iter().map(|(function, text)| CandidateChange { function: *function, text }).collect()
        });
        TestedCandidate { text: &self.text, changes }
    }
}

/// Receives the results of a stretch.
type Done<'a, I, T> = &'a dyn Fn(Indices<I>, Vec<T>);

impl MultiEngine {
    /// Shares pieces of work among all members and stores the first result of each.
    ///
    /// # Errors
    /// If it is cancelled, members disagree, or none is left.
    pub(super) fn spread<I: Index, T: Send + 'static>(
        &mut self,
        results: &mut [Option<T>],
        pieces: Indices<I>,
        watch: &dyn Watch,
        work: impl Fn(&mut Member, (&Queue<I>, &AtomicBool), Done<I, T>) -> Result<(), EngineError>
        + Send
        + Sync
        + 'static,
    ) -> Result<(), EngineError> {
        if pieces.is_empty() {
            return Ok(());
        }
        let mut missing = pieces.len() as usize;
        // The first result counts: members that took over a stretch return the same.
        let settle = |(stretch, found): (Indices<I>, Vec<T>)| {
            for (piece, found) in stretch.iter().zip(found) {
                let result = &mut results[piece.position() - pieces.start().position()];
                missing -= usize::from(result.is_none());
                result.get_or_insert(found);
            }
            missing == 0
        };
        let queue = Queue::new(pieces);
        let taken = queue.clone();
        let work = move |member: &mut Member, stop: &AtomicBool, results: &Sender<(Indices<I>, Vec<T>)>| {
            // The call may be finished by now.
            work(member, (&taken, stop), &|stretch, found| drop(results.send((stretch, found))))
        };
        self.members.share(&queue, work, watch, settle)
    }

    /// See [`crate::engine::Engine::test_all`].
    pub(super) fn test_together(
        &mut self,
        candidates: &[TestedCandidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        let owned: Vec<Owned> = candidates.iter().map(Owned::new).collect();
        let held = self.held.clone();
        let mut tested = vec![None; candidates.len()];
        let work = move |member: &mut Member,
                         (queue, stop): (&Queue<CandidateId>, &AtomicBool),
                         done: Done<CandidateId, Tested>| {
            let near = member.engine.tests_incrementally();
            if let Some(held) = held.as_ref().filter(|_| near) {
                member.take_over(held, stop)?;
            }
            let length = if near { STRETCH } else { member.engine.at_once() };
            member.work(queue, Some(length as u32), stop, |member, places| {
                let own = owned.get(places.positions()).unwrap_or_default();
                let own: Vec<TestedCandidate> = own.iter().map(Owned::candidate).collect();
                let tested = member.engine.test_all(&own, stop);
                if !near {
                    // One of the programs may have become its base.
                    member.release();
                }
                // Programs after the first missing result are tested again.
                let tested: Vec<Tested> = tested?.into_iter().map_while(|tested| tested).collect();
                let count = tested.len() as u32;
                done(places, tested);
                Ok(count)
            })
        };
        match self.spread(&mut tested, Indices::first(candidates.len() as u32), watch, work) {
            // Untested programs have no result.
            Ok(()) | Err(EngineError::Cancelled) => Ok(tested),
            Err(error) => Err(error),
        }
    }
}
