//! The shaders that record the rounds of stages, compiled once for all tests.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use myriad::engine::gpu::device::Gpu;
use myriad::engine::gpu::round_tracing::RoundTracer;

use super::twins;

static ROUND_TRACER: LazyLock<Mutex<(Gpu, RoundTracer)>> = LazyLock::new(|| {
    let gpu = twins::device().gpu;
    let tracer = RoundTracer::new(&gpu).unwrap_or_else(|error| panic!("{error}"));
    Mutex::new((gpu, tracer))
});

/// Locks the device and its shaders for one test.
pub fn round_tracer() -> MutexGuard<'static, (Gpu, RoundTracer)> {
    ROUND_TRACER.lock().unwrap_or_else(PoisonError::into_inner)
}
