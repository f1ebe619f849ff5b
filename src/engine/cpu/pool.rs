//! The CPU engine's threads, and what each keeps.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::compiler::Compiler;
use super::splice;
use crate::engine::Stage;
use crate::stage::execute::Machine;

/// How often work in progress is asked whether it is still wanted.
const ASK: Duration = Duration::from_millis(2);

/// What one thread keeps from program to program.
#[derive(Default)]
pub struct Worker {
    pub compiler: Compiler,
    pub splice: splice::Scratch,
    pub machine: Machine,
}

/// Threads, and a worker for each.
pub struct Pool {
    /// Where no threads could be had, the caller's own does all.
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

    /// How many threads there are.
    pub fn size(&self) -> usize {
        self.workers.len()
    }

    /// What the current thread keeps. Each thread of the pool has its own, so nobody waits.
    pub fn worker(&self) -> MutexGuard<'_, Worker> {
        let index = rayon::current_thread_index().unwrap_or(0);
        lock(&self.workers[index % self.workers.len()])
    }

    /// Does work on the threads.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.threads {
            Some(threads) => threads.install(work),
            None => work(),
        }
    }

    /// Does work on the threads, while this one asks whether it has been `cancelled` and raises the flag if so.
    pub fn run_unless<R: Send>(
        &self,
        cancelled: &dyn Fn() -> bool,
        flag: &AtomicBool,
        work: impl FnOnce() -> R + Send,
    ) -> R {
        let Some(threads) = &self.threads else { return work() };
        let result = Mutex::new(None);
        let ready = Condvar::new();
        threads.in_place_scope(|scope| {
            scope.spawn(|_| {
                let found = work();
                *lock(&result) = Some(found);
                ready.notify_one();
            });
            let mut waiting = lock(&result);
            loop {
                if let Some(found) = waiting.take() {
                    return found;
                }
                waiting = ready.wait_timeout(waiting, ASK).unwrap_or_else(PoisonError::into_inner).0;
                if cancelled() {
                    flag.store(true, Ordering::Relaxed);
                }
            }
        })
    }

    /// The time of all threads by stage since it was last taken.
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

/// What is locked here holds nothing that a panic elsewhere could have left half done: each use begins anew.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
