//! Records the rounds of the compile stages.

use crate::compiler::program::{Compiled, Watch};
use crate::compiler::rounds::Recording;
use crate::engine::gpu::told::Telling;
use crate::engine::{EngineError, Told};

use super::GpuEngine;

impl Told for GpuEngine {
    fn rounds(&mut self, compiled: &Compiled, watch: &dyn Watch) -> Result<Recording, EngineError> {
        let telling = match &mut self.telling {
            Some(telling) => telling,
            none => none.insert(Telling::new(&self.gpu)?),
        };
        telling.record(&self.gpu, compiled, watch).map(|(recording, _)| recording)
    }
}
