//! A pool of GPU engines for tests: an engine compiles its pipelines once, which takes longer than most tests.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use myriad::engine::gpu::GpuEngine;
use myriad::engine::gpu::adapter::AdapterQuery;
use myriad::engine::{Engine, EngineSettings};

static FREE: Mutex<Vec<GpuEngine>> = Mutex::new(Vec::new());

/// An engine for one test. The test sets its own base first.
pub struct Lent(Option<GpuEngine>);

/// Returns an idle engine, or a new one.
pub fn lend() -> Lent {
    let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let Some(mut engine) = free else { return fresh() };
    engine.configure(EngineSettings::default());
    Lent(Some(engine))
}

/// Returns a new engine without base or weights; it joins the pool afterwards.
pub fn fresh() -> Lent {
    let new = GpuEngine::new(&AdapterQuery::Any);
    Lent(Some(new.unwrap_or_else(|error| panic!("{error}; a software adapter will do"))))
}

impl Deref for Lent {
    type Target = GpuEngine;

    fn deref(&self) -> &GpuEngine {
        self.0.as_ref().expect("it is lent until it is dropped")
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut GpuEngine {
        self.0.as_mut().expect("it is lent until it is dropped")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // An engine of a failed test is not reused.
        if let Some(engine) = self.0.take().filter(|_| !std::thread::panicking()) {
            FREE.lock().unwrap_or_else(PoisonError::into_inner).push(engine);
        }
    }
}
