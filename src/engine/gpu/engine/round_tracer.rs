//! Records the rounds of the compile stages.

use crate::compiler::program::{Compiled, Watch};
use crate::compiler::rounds::Recording;
use crate::engine::gpu::round_tracing::RoundTracer;
use crate::engine::{EngineError, RoundTracing};

use super::GpuEngine;

impl RoundTracing for GpuEngine {
    fn rounds(&mut self, compiled: &Compiled, watch: &dyn Watch) -> Result<Recording, EngineError> {
        let round_tracer = match &mut self.round_tracer {
            Some(round_tracer) => round_tracer,
            none => none.insert(RoundTracer::new(&self.gpu)?),
        };
        round_tracer.record(&self.gpu, compiled, watch).map(|(recording, _)| recording)
    }
}
