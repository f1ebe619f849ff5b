//! Tests programs on all members: each takes a stretch of them, sized by its speed, tests it and takes the
//! next.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};

use super::member::{Member, SharedProgram};
use super::queue::Queue;
use super::{ASK, Shared, no_members};
use crate::compiler::program::Watch;
use crate::engine::{Candidate, EngineError, Tested};

/// The length of a stretch for a member that tests programs separately on its own threads.
const STRETCH: usize = 64;

/// A stretch with its results.
type Part = (Range<u32>, Vec<Option<Tested>>);

impl Shared {
    /// See [`crate::engine::Engine::test_all`].
    pub(super) fn test_together(
        &mut self,
        candidates: &[Candidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        if self.members.is_empty() {
            return Err(no_members());
        }
        let mut tested = vec![None; candidates.len()];
        let queue = Mutex::new(Queue::new(0..candidates.len() as u32, self.members.len()));
        let stop = AtomicBool::new(false);
        loop {
            let held = self.held.as_ref();
            let (tell, parts) = mpsc::channel::<Part>();
            let ended = std::thread::scope(|scope| {
                let mut threads = Vec::new();
                for member in &mut self.members {
                    let (tell, queue, stop) = (tell.clone(), &queue, &stop);
                    let work = move || member.test(held, candidates, queue, stop, &tell);
                    threads.push(std::thread::Builder::new().name("share".into()).spawn_scoped(scope, work));
                }
                drop(tell);
                loop {
                    match parts.recv_timeout(ASK) {
                        Ok((places, own)) => {
                            places.zip(own).for_each(|(place, own)| tested[place as usize] = own);
                        }
                        Err(RecvTimeoutError::Timeout) => {}
                        Err(RecvTimeoutError::Disconnected) => break,
                    }
                    if watch.cancelled() {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
                let ended = threads.into_iter().map(super::joined);
                ended.collect::<Vec<Result<(), EngineError>>>()
            });
            // The other members take over the stretch of a failed one.
            match self.sort_out(ended)? {
                Some(error) if self.members.is_empty() => return Err(error),
                Some(_) if !stop.load(Ordering::Relaxed) => {}
                _ => return Ok(tested),
            }
        }
    }
}

impl Member {
    /// Tests stretches of the queue until it is empty. After an error the stretch is returned to the queue.
    fn test(
        &mut self,
        held: Option<&SharedProgram>,
        candidates: &[Candidate],
        queue: &Mutex<Queue>,
        stop: &AtomicBool,
        tell: &Sender<Part>,
    ) -> Result<(), EngineError> {
        // The lock guards a list of ranges, which is valid even after a panic elsewhere.
        let locked = || queue.lock().unwrap_or_else(PoisonError::into_inner);
        let near = self.engine.tests_incrementally();
        if let Some(held) = held.filter(|_| near) {
            self.take_over(held, stop)?;
        }
        let wanted = if near { STRETCH } else { self.engine.at_once() };
        while !stop.load(Ordering::Relaxed) {
            let Some(places) = locked().take(wanted as u32) else { break };
            let own = candidates.get(places.start as usize..places.end as usize).unwrap_or_default();
            let tested = self.engine.test_all(own, stop);
            if !near {
                // One of the programs may have become its base.
                self.release();
            }
            match tested {
                // The receiver outlives the threads.
                Ok(tested) => drop(tell.send((places, tested))),
                Err(error) => {
                    locked().give_back(places);
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}
