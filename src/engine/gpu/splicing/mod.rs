//! Compiles mutants on the device: changed functions are compiled as parts and replace those of the base.
//!
//! The stages treat the parts of a chunk as separate programs in one arena. The compiled function is cut out
//! as a segment, and a mutant is the base with one or two segments. Judge and execute use the mutants'
//! executables in another arena, which has only words and routines. The contract is
//! `docs/stages/splice.md`.

mod plan;

use crate::compiler::layout::SpliceParams;
use crate::compiler::layout::numbers::edits;
use crate::compiler::program::Compiled;
use crate::compiler::stage::Stage;
use crate::engine::EngineError;
use crate::engine::memory::Memory;

use super::arena::{Arena, binding, storage, uniform};
use super::compiler::GpuCompiler;
use super::device::Gpu;
use super::kernel::{self, Kernel};
use super::recorder::Recorder;
use super::runs::Runs;
use super::shaders;
pub use plan::{ChangedFunctions, Plan, PlanChunk};

/// The kernels, and the buffers reused from chunk to chunk.
pub struct Splicing {
    vary: Kernel,
    segment: Kernel,
    splice: Kernel,
    params: wgpu::Buffer,
    /// The base's table of parts.
    table: wgpu::Buffer,
    segments: wgpu::Buffer,
    /// The orders of the last chunk, which describe its parts and mutants; and the edits of the parts.
    orders: wgpu::Buffer,
    edits: wgpu::Buffer,
    arenas: Option<Arenas>,
}

/// The programs of a chunk.
pub struct Arenas {
    pub parts: Arena,
    pub mutants: Arena,
    /// Whether some of the parts' edits are given by number and must be found on the device.
    numbered: bool,
}

/// Returns the maximum bytes on the device for a mutant of one function; 0 if the program has errors.
pub fn bytes_each(base: &Compiled) -> u64 {
    if base.facts.lowers() { Plan::new(base, &[], 0).bytes_each() } else { 0 }
}

impl Splicing {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(gpu: &Gpu) -> Result<Splicing, EngineError> {
        let (vary, segment) = (Kernel::new(gpu, &shaders::VARY)?, Kernel::new(gpu, &shaders::SEGMENT)?);
        let splice = Kernel::new(gpu, &shaders::SPLICE)?;
        gpu.scoped(|| Splicing {
            vary,
            segment,
            splice,
            params: uniform(gpu, &SpliceParams::default()),
            table: storage(gpu, "parts", 4),
            segments: storage(gpu, "segments", 4),
            orders: storage(gpu, "orders", 4),
            edits: storage(gpu, "edits", 4),
            arenas: None,
        })
    }

    /// Adds the allocated sizes of its buffers.
    pub fn add_to(&self, memory: &mut Memory) {
        let buffers = [&self.table, &self.segments, &self.orders, &self.edits];
        memory.execution += buffers.map(wgpu::Buffer::size).iter().sum::<u64>();
        if let Some(Arenas { parts, mutants, .. }) = &self.arenas {
            parts.add_to(memory);
            mutants.add_to(memory);
        }
    }

    /// Uploads a base's table.
    ///
    /// # Errors
    /// If the device has no memory for it.
    pub fn begin(&mut self, gpu: &Gpu, plan: &Plan) -> Result<(), EngineError> {
        kernel::compile(gpu, [&self.vary, &self.segment, &self.splice])?;
        Runs::need(gpu, &mut self.table, plan.table.len() as u64)?;
        Runs::need(gpu, &mut self.segments, plan.segment_words())?;
        gpu.write(&self.table, 0, bytemuck::cast_slice(&plan.table));
        Ok(())
    }

    /// Uploads the description of a chunk and returns its arenas, which the caller returns with
    /// [`Splicing::give_back`].
    ///
    /// # Errors
    /// If the device has no memory for it.
    pub fn lay_out(
        &mut self,
        gpu: &Gpu,
        compiler: &GpuCompiler,
        chunk: PlanChunk,
        epoch: u32,
    ) -> Result<Arenas, EngineError> {
        let PlanChunk { mut parts, mut mutants, orders, written, .. } = chunk;
        (parts.params.epoch, mutants.params.epoch) = (epoch, epoch);
        let numbered = written.len() < parts.programs.len();
        Runs::need(gpu, &mut self.orders, orders.len() as u64)?;
        Runs::need(gpu, &mut self.edits, u64::from(edits::WORDS * parts.params.programs))?;
        gpu.write(&self.orders, 0, bytemuck::cast_slice(&orders));
        for (part, row) in written {
            let at = u64::from(part) * u64::from(edits::WORDS) * size_of::<u32>() as u64;
            gpu.write(&self.edits, at, bytemuck::cast_slice(&row));
        }
        let (old_parts, old_mutants) = self.arenas.take().map(|old| (old.parts, old.mutants)).unzip();
        Ok(Arenas {
            parts: compiler.arena(gpu, old_parts, parts)?,
            mutants: compiler.arena(gpu, old_mutants, mutants)?,
            numbered,
        })
    }

    /// Takes arenas back, for the next chunk.
    pub fn give_back(&mut self, arenas: Arenas) {
        self.arenas = Some(arenas);
    }

    /// Encodes the compilation of a chunk's mutants.
    ///
    /// # Errors
    /// If the device fails.
    pub fn encode(
        &self,
        recorder: &mut Recorder,
        (compiler, runs): (&GpuCompiler, &Runs),
        (compiled, base): (&Compiled, &Arena),
        Arenas { parts, mutants, numbered }: &Arenas,
    ) -> Result<(), EngineError> {
        let (shape, part_shape, own) = (&base.shape.params, &parts.shape.params, &mutants.shape.params);
        let params = SpliceParams {
            parts: part_shape.programs,
            base_token_capacity: shape.token_capacity,
            base_code_capacity: shape.code_capacity,
            base_tokens: compiled.tokens.kind.len() as u32,
            base_code: compiled.executable.code.word.len() as u32,
            base_routines: compiled.executable.routines.token.len() as u32,
            base_functions: compiled.facts.functions,
            base_binders: compiled.binders.token.len() as u32,
            base_names: compiled.facts.names,
            part_token_capacity: part_shape.token_capacity,
            part_ir_capacity: part_shape.ir_capacity,
            part_code_capacity: part_shape.code_capacity,
            token_capacity: own.token_capacity,
            code_capacity: own.code_capacity,
            ..Default::default()
        };
        recorder.gpu.write(&self.params, 0, bytemuck::bytes_of(&params));
        if part_shape.programs > 0 {
            if *numbered {
                runs.find(recorder, (base, compiled.group), (&self.orders, &self.edits), part_shape.programs)?;
            }
            self.encode_segments(recorder, compiler, base, parts)?;
        }
        let splice = self.splice.bind(
            recorder.gpu,
            &[
                ("splice_params", &self.params),
                ("parts", &self.table),
                ("orders", &self.orders),
                ("segments", &self.segments),
                ("base_code", &base.buffers[binding::CODE]),
                ("programs", &mutants.buffers[binding::PROGRAMS]),
                ("code", &mutants.buffers[binding::CODE]),
            ],
        )?;
        recorder.pass(Stage::Emit, |pass| self.splice.dispatch(pass, "splice", &splice, own.programs));
        Ok(())
    }

    /// Encodes the compilation of a chunk's parts to segments.
    fn encode_segments(
        &self,
        recorder: &mut Recorder,
        compiler: &GpuCompiler,
        base: &Arena,
        parts: &Arena,
    ) -> Result<(), EngineError> {
        let count = parts.shape.params.programs;
        let vary = self.vary.bind(
            recorder.gpu,
            &[
                ("splice_params", &self.params),
                ("tokens", &base.buffers[binding::TOKENS]),
                ("parts", &self.table),
                ("orders", &self.orders),
                ("edits", &self.edits),
                ("programs", &parts.buffers[binding::PROGRAMS]),
                ("variants", &parts.buffers[binding::TOKENS]),
            ],
        )?;
        let segment = self.segment.bind(
            recorder.gpu,
            &[
                ("splice_params", &self.params),
                ("parts", &self.table),
                ("orders", &self.orders),
                ("edits", &self.edits),
                ("programs", &parts.buffers[binding::PROGRAMS]),
                ("code", &parts.buffers[binding::CODE]),
                ("scratch", &parts.buffers[binding::SCRATCH]),
                ("segments", &self.segments),
            ],
        )?;
        recorder.pass(Stage::Mutate, |pass| self.vary.dispatch(pass, "vary", &vary, count));
        compiler.encode(recorder, parts, Stage::Parse);
        recorder.pass(Stage::Emit, |pass| self.segment.dispatch(pass, "segment", &segment, count));
        Ok(())
    }
}
