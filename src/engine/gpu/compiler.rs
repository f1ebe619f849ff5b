//! The compile stages on the device.

use crate::compiler::stage::optimize::expand::EXPANSIONS;
use crate::compiler::stage::{Stage, optimize};
use crate::engine::EngineError;
use crate::lang::level::OptLevel;

use super::arena::{Arena, Shape};
use super::device::Gpu;
use super::kernel::Kernel;
use super::recorder::Recorder;
use super::shaders;

/// Programs with room for more instructions may need several dispatches of the optimizer's rounds, to keep
/// each within the loop budget of an invocation.
const SMALL_IR: u32 = 640;

/// A compile stage: a kernel over the arenas.
pub struct CompileStage {
    pub stage: Stage,
    pub kernel: Kernel,
    /// The kernel of expansions, if this is the optimizer and may expand programs.
    pub expand: Option<Kernel>,
}

impl CompileStage {
    /// Compiles the shader of a stage.
    ///
    /// # Errors
    /// If the stage does not compile programs, or the device fails.
    pub fn new(gpu: &Gpu, stage: Stage) -> Result<CompileStage, EngineError> {
        let found = shaders::COMPILE.iter().find(|(own, _)| *own == stage);
        let (_, shader) = found.ok_or_else(|| EngineError::Bug(format!("{} has no shader", stage.name())))?;
        let expand = (stage == Stage::Optimize).then(|| Kernel::new(gpu, &shaders::EXPAND)).transpose()?;
        Ok(CompileStage { stage, kernel: Kernel::new(gpu, shader)?, expand })
    }

    /// Returns the entry points, in order.
    pub fn entries(&self) -> &'static [&'static str] {
        self.kernel.shader().entries
    }

    /// Encodes the stage over all programs of a batch.
    pub fn encode(&self, pass: &mut wgpu::ComputePass, arena: &Arena) {
        let expand = self.expand.as_ref().filter(|_| arena.shape.params.level >= OptLevel::Whole.number());
        for entry in self.entries() {
            if *entry == shaders::ROUNDS
                && let Some(expand) = expand
            {
                self.encode_expansions(pass, expand, arena);
            } else {
                self.encode_entry(pass, entry, arena);
            }
        }
    }

    /// Returns an upper bound on the dispatches of [`CompileStage::encode`] that are not repeated.
    pub fn dispatches(&self) -> usize {
        let expansions = if self.expand.is_some() { EXPANSIONS.iter().map(|own| own.times).sum() } else { 0 };
        self.entries().len() + 1 + 2 * expansions
    }

    /// Encodes the optimizer's rounds, with rounds after each expansion.
    fn encode_expansions(&self, pass: &mut wgpu::ComputePass, expand: &Kernel, arena: &Arena) {
        let programs = arena.shape.params.programs;
        let [begin, entries @ ..] = shaders::EXPAND.entries else { return };
        expand.dispatch(pass, begin, &arena.group, programs);
        self.encode_entry(pass, shaders::ROUNDS, arena);
        for (expansion, entry) in EXPANSIONS.iter().zip(entries) {
            for _ in 0..expansion.times {
                expand.dispatch(pass, entry, &arena.group, programs);
                self.encode_entry(pass, shaders::ROUNDS, arena);
            }
        }
    }

    /// Encodes one of the stage's entry points.
    pub fn encode_entry(&self, pass: &mut wgpu::ComputePass, entry: &str, arena: &Arena) {
        self.kernel.set(pass, entry, &arena.group);
        // One round of a large program may use up the loop budget of a dispatch.
        let large = || arena.shape.programs.iter().any(|program| program.ir_room > SMALL_IR);
        let times = if entry == shaders::ROUNDS && large() { optimize::ROUNDS } else { 1 };
        for _ in 0..times {
            pass.dispatch_workgroups(arena.shape.params.programs, 1, 1);
        }
    }
}

pub struct GpuCompiler {
    /// Lex to emit.
    pub stages: Vec<CompileStage>,
}

impl GpuCompiler {
    /// Compiles the shaders of all stages.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(gpu: &Gpu) -> Result<GpuCompiler, EngineError> {
        let stages = shaders::COMPILE.iter().map(|(stage, _)| CompileStage::new(gpu, *stage));
        Ok(GpuCompiler { stages: stages.collect::<Result<_, _>>()? })
    }

    /// Creates an arena for a batch, reusing the buffers of `old`.
    ///
    /// # Errors
    /// If the device has no room for it.
    pub fn arena(&self, gpu: &Gpu, old: Option<Arena>, shape: Shape) -> Result<Arena, EngineError> {
        match old {
            Some(mut arena) => arena.reuse(gpu, &self.stages[0].kernel, shape).map(|()| arena),
            None => Arena::new(gpu, &self.stages[0].kernel, shape),
        }
    }

    /// Encodes the stages from `first` on.
    pub fn encode(&self, recorder: &mut Recorder, arena: &Arena, first: Stage) {
        for own in self.stages.iter().filter(|own| own.stage as u32 >= first as u32) {
            recorder.pass(own.stage, |pass| own.encode(pass, arena));
        }
    }
}
