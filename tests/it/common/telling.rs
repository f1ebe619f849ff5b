//! The shaders that record the rounds of stages, compiled once for all tests.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use myriad::engine::gpu::device::Gpu;
use myriad::engine::gpu::told::RoundTracer;

use super::twins;

static TELLING: LazyLock<Mutex<(Gpu, RoundTracer)>> = LazyLock::new(|| {
    let gpu = twins::device().gpu;
    let telling = RoundTracer::new(&gpu).unwrap_or_else(|error| panic!("{error}"));
    Mutex::new((gpu, telling))
});

/// Locks the device and its shaders for one test.
pub fn telling() -> MutexGuard<'static, (Gpu, RoundTracer)> {
    TELLING.lock().unwrap_or_else(PoisonError::into_inner)
}
