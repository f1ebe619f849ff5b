//! The CPU engine's thread pool and the state of each thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::call_answers::CallAnswers;
use super::mount::PatchedProgram;
use crate::compiler::program::Watch;
use crate::compiler::stage::execute::Machine;
use crate::compiler::stage::splice::RewriteScratch;
use crate::compiler::stage::{Compiler, Stage};
use crate::network::infer::EncoderScratch;

/// The interval at which running work polls for cancellation.
/// A newer edit stops a chunk within a few milliseconds.
const ASK: Duration = Duration::from_millis(2);

/// The state of one thread, kept from program to program.
#[derive(Default)]
pub struct Worker {
    pub compiler: Compiler,
    pub machine: Machine,
    pub mount: PatchedProgram,
    pub tried: CallAnswers,
    pub workshop: RewriteScratch,
    /// Scratch memory of the neural encoder.
    pub scratch: EncoderScratch,
}

pub struct Pool {
    /// `None` if no threads could be started: the calling thread then does all work.
    threads: Option<rayon::ThreadPool>,
    workers: Vec<Mutex<Worker>>,
}

impl Pool {
    pub fn new(threads: usize) -> Pool {
        let name = |i| format!("cpu engine {i}");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).thread_name(name).build().ok();
        let threads = pool.as_ref().map_or(1, rayon::ThreadPool::current_num_threads);
        Pool { threads: pool, workers: (0..threads).map(|_| Mutex::default()).collect() }
    }

    pub fn size(&self) -> usize {
        self.workers.len()
    }

    /// Returns the current thread's state. Each pool thread has its own, so the lock is uncontended.
    pub fn worker(&self) -> MutexGuard<'_, Worker> {
        let index = rayon::current_thread_index().unwrap_or(0);
        lock(&self.workers[index % self.workers.len()])
    }

    /// Visits the state of each thread in turn.
    pub fn each(&self, mut look: impl FnMut(&Worker)) {
        self.workers.iter().for_each(|worker| look(&lock(worker)));
    }

    /// Runs `work` on the pool.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.threads {
            Some(threads) => threads.install(work),
            None => work(),
        }
    }

    /// Runs `work` once on each thread of the idle pool.
    pub fn on_each(&self, work: impl Fn() + Sync) {
        match &self.threads {
            Some(threads) if self.size() > 1 => drop(threads.broadcast(|_| work())),
            _ => work(),
        }
    }

    /// Runs `work` on the pool. Meanwhile this thread polls `watch` and sets `flag` on cancellation.
    pub fn run_unless<R: Send>(
        &self,
        watch: &dyn Watch,
        flag: &AtomicBool,
        work: impl FnOnce() -> R + Send,
    ) -> Option<R> {
        // Check once before the work starts: short work may end before the first poll.
        if watch.cancelled() {
            flag.store(true, Ordering::Relaxed);
        }
        let Some(threads) = &self.threads else { return Some(work()) };
        let mut result = None;
        let ended = Ended { flag: Mutex::new(false), bell: Condvar::new() };
        threads.in_place_scope(|scope| {
            scope.spawn(|_| {
                // A guard, so that a panic also ends the waiting; the scope then passes the panic on.
                let _ringing = RingAtEnd(&ended);
                result = Some(work());
            });
            let mut over = lock(&ended.flag);
            while !*over {
                over = ended.bell.wait_timeout(over, ASK).unwrap_or_else(PoisonError::into_inner).0;
                if watch.cancelled() {
                    flag.store(true, Ordering::Relaxed);
                }
            }
        });
        result
    }

    /// Returns the processor time of all threads by stage since the last call.
    pub fn take_times(&self) -> [Duration; Stage::ALL.len()] {
        let mut sums = [Duration::ZERO; Stage::ALL.len()];
        for worker in &self.workers {
            let taken = std::mem::take(&mut lock(worker).compiler.times);
            for (sum, time) in sums.iter_mut().zip(taken) {
                *sum += time;
            }
        }
        sums
    }
}

/// Signals that work has ended.
struct Ended {
    flag: Mutex<bool>,
    bell: Condvar,
}

/// Signals the end when dropped.
struct RingAtEnd<'a>(&'a Ended);

impl Drop for RingAtEnd<'_> {
    fn drop(&mut self) {
        *lock(&self.0.flag) = true;
        self.0.bell.notify_one();
    }
}

/// Locks a mutex, ignoring poisoning: a panic leaves no inconsistent state, because each use starts from
/// scratch.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pool_work_returns_or_panics_and_never_hangs() {
        let (pool, flag) = (Pool::new(2), AtomicBool::new(false));
        assert_eq!(pool.run_unless(&|| false, &flag, || 7), Some(7));
        let panics = || pool.run_unless(&|| false, &flag, || -> i32 { panic!("as meant") });
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
        let waits = || {
            while !flag.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
        };
        assert_eq!(pool.run_unless(&|| true, &flag, waits), Some(()));
        let flag = AtomicBool::new(false);
        let sees = || flag.load(Ordering::Relaxed);
        assert_eq!(pool.run_unless(&|| true, &flag, sees), Some(true), "cancelled before it began");
    }
}
