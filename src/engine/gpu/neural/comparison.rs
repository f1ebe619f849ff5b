//! Compares codes with the base's own on random inputs: the buffers and the kernels.
//!
//! `splice` creates programs from the codes in a separate arena, and `write_inputs` writes the inputs of a
//! round. The machine of execute, with comparisons as jobs, then runs the base and the codes on the inputs.
//! One record per code is read back.

use crate::compiler::layout::ExecuteParams;
use crate::compiler::program::Compiled;
use crate::compiler::stage::Stage;
use crate::engine::EngineError;
use crate::engine::gpu::arena::{Arena, Room, Shape, binding, storage, uniform};
use crate::engine::gpu::compiler::GpuCompiler;
use crate::engine::gpu::device::{Gpu, Part};
use crate::engine::gpu::kernel::Kernel;
use crate::engine::gpu::recorder::Recorder;
use crate::engine::gpu::records::GpuRecord;
use crate::engine::gpu::runs::{RunWork, Runs};
use crate::engine::gpu::shaders;
use crate::engine::memory::Memory;
use crate::lang::index::{Index, RoutineId};
use crate::lang::ty::Type;
use crate::lang::{NONE, limits};
use crate::network::inputs::Arguments;
use crate::network::layout::{AssembleParams, InputParams, agreement, argument_words, ended, spliced};
use crate::network::sampling::{Agreement, Inputs};

/// The maximum size of a buffer in words: 64 MiB.
const WORDS: u32 = 1 << 24;
/// The maximum number of inputs in a round. The steps of all their runs fit in a word.
pub const INPUTS: u32 = 4_096;
const _: () = assert!(INPUTS as u64 * limits::STEPS as u64 <= u32::MAX as u64);

/// The function whose codes are compared.
pub struct ComparisonFunction {
    pub id: RoutineId,
    pub arguments: Arguments,
    /// The maximum number of elements in the returned list; 0 if the function returns no list.
    pub elements: u32,
}

impl ComparisonFunction {
    /// Creates the description of a function, which the program must have.
    pub fn new(compiled: &Compiled, id: RoutineId) -> ComparisonFunction {
        let result = Type(compiled.executable.routines.result[id.position()]);
        let elements = if result.is_list() { result.capacity() } else { 0 };
        ComparisonFunction { id, arguments: Arguments::new(compiled, id), elements }
    }

    /// Returns the maximum number of inputs in a round with `programs` programs.
    pub fn inputs(&self, programs: u32) -> u32 {
        let row = (ended::ELEMENTS + self.elements + programs).max(self.arguments.words());
        (WORDS / row).clamp(1, INPUTS)
    }
}

/// The kernels, and the buffers reused from round to round.
pub struct Comparison {
    splice: Kernel,
    write: Kernel,
    machine: Kernel,
    splice_params: wgpu::Buffer,
    input_params: wgpu::Buffer,
    /// The codes with their positions, and the description of the function's parameters.
    codes: wgpu::Buffer,
    arguments: wgpu::Buffer,
    inputs: wgpu::Buffer,
    results: wgpu::Buffer,
    /// The programs: the base, then one for each code.
    arena: Option<Arena>,
}

impl Comparison {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(gpu: &Gpu) -> Result<Comparison, EngineError> {
        let (splice, write) = (Kernel::new(gpu, &shaders::APPEND)?, Kernel::new(gpu, &shaders::INPUTS)?);
        let machine = Kernel::new(gpu, &shaders::COMPARE)?;
        gpu.scoped(|| Comparison {
            splice,
            write,
            machine,
            splice_params: uniform(gpu, &AssembleParams::default()),
            input_params: uniform(gpu, &InputParams::default()),
            codes: storage(gpu, "codes", 1 << 10),
            arguments: storage(gpu, "arguments", 1 << 8),
            inputs: storage(gpu, "inputs", 1 << 12),
            results: storage(gpu, "comparisons", 1 << 12),
            arena: None,
        })
    }

    /// Adds the allocated sizes of its buffers.
    pub fn add_to(&self, memory: &mut Memory) {
        let buffers = [&self.codes, &self.arguments, &self.inputs, &self.results];
        memory.execution += buffers.map(wgpu::Buffer::size).iter().sum::<u64>();
        self.arena.iter().for_each(|arena| arena.add_to(memory));
    }

    /// Lays out programs for as many codes as fit, at most `most`, and uploads the codes. Returns their
    /// number.
    ///
    /// # Errors
    /// If the device has no memory for one program.
    pub fn take(
        &mut self,
        gpu: &Gpu,
        compiler: &GpuCompiler,
        base: &Compiled,
        function: &ComparisonFunction,
        codes: &[&[u32]],
        most: u32,
    ) -> Result<u32, EngineError> {
        let limits = gpu.device.limits();
        let tokens = (base.executable.routines.token.len() as u32).max(1);
        let room = |own: usize| Room { tokens, ir: 1, code: (base.executable.code.word.len() + own) as u32 };
        let mut shape = Shape::default();
        shape.push(room(0), 0, 0);
        for code in codes.iter().take(most.max(1) as usize) {
            if shape.params.programs > 1 && !shape.fits_with(room(code.len()), 0, &limits) {
                break;
            }
            shape.push(room(code.len()), 0, 0);
        }
        let taken = &codes[..shape.params.programs as usize - 1];
        // Two words per program: the position and the length of its code. The base has no code here.
        let mut words = vec![0, 0];
        let mut begin = spliced::WORDS * (taken.len() + 1) as u32;
        for code in taken {
            words.extend([begin, code.len() as u32]);
            begin += code.len() as u32;
        }
        taken.iter().for_each(|code| words.extend(*code));
        Runs::need(gpu, &mut self.codes, words.len() as u64)?;
        let arguments = argument_words(&function.arguments);
        Runs::need(gpu, &mut self.arguments, arguments.len() as u64)?;
        self.arena = Some(compiler.arena(gpu, self.arena.take(), shape)?);
        gpu.scoped(|| {
            gpu.queue.write_buffer(&self.codes, 0, bytemuck::cast_slice(&words));
            gpu.queue.write_buffer(&self.arguments, 0, bytemuck::cast_slice(&arguments));
        })?;
        Ok(taken.len() as u32)
    }

    /// Makes room for the inputs and the results of a round.
    ///
    /// # Errors
    /// If the device has no memory for them.
    pub fn need(
        &mut self,
        gpu: &Gpu,
        function: &ComparisonFunction,
        programs: u32,
        jobs: u32,
    ) -> Result<(), EngineError> {
        let records = u64::from(agreement::WORDS * programs);
        let row = u64::from(ended::ELEMENTS + function.elements + programs);
        Runs::need(gpu, &mut self.results, records + row * u64::from(jobs))?;
        Runs::need(gpu, &mut self.inputs, u64::from(function.arguments.words()) * u64::from(jobs))
    }

    /// Returns the arena laid out last.
    ///
    /// # Errors
    /// If there is no arena yet.
    pub fn arena(&self) -> Result<&Arena, EngineError> {
        self.arena.as_ref().ok_or_else(|| EngineError::Bug("no codes were taken".into()))
    }

    pub fn work<'a>(&'a self, arena: &'a Arena, params: ExecuteParams) -> RunWork<'a> {
        let (machine, jobs, results) = (&self.machine, ("inputs", &self.inputs), &self.results);
        RunWork { machine, arena, jobs, results, params, before: &[], behind: &[] }
    }

    pub fn encode_programs(
        &self,
        recorder: &mut Recorder,
        base: &Arena,
        arena: &Arena,
        function: RoutineId,
    ) -> Result<(), EngineError> {
        let params = AssembleParams {
            programs: arena.shape.params.programs,
            function: function.number(),
            base_token_capacity: base.shape.params.token_capacity,
            base_code_capacity: base.shape.params.code_capacity,
            token_capacity: arena.shape.params.token_capacity,
            code_capacity: arena.shape.params.code_capacity,
            ..Default::default()
        };
        recorder.gpu.queue.write_buffer(&self.splice_params, 0, bytemuck::bytes_of(&params));
        let group = self.splice.bind(
            recorder.gpu,
            &[
                ("assemble_params", &self.splice_params),
                ("base_programs", &base.buffers[binding::PROGRAMS]),
                ("base_code", &base.buffers[binding::CODE]),
                ("codes", &self.codes),
                ("programs", &arena.buffers[binding::PROGRAMS]),
                ("code", &arena.buffers[binding::CODE]),
            ],
        )?;
        recorder.pass(Stage::Emit, |pass| {
            self.splice.dispatch(pass, "splice", &group, arena.shape.params.programs)
        });
        Ok(())
    }

    /// Encodes the writing of a round's inputs.
    pub fn encode_inputs(
        &self,
        recorder: &mut Recorder,
        function: &ComparisonFunction,
        inputs: Inputs,
    ) -> Result<(), EngineError> {
        let Arguments { parameters, constants, size } = &function.arguments;
        let params = InputParams {
            seed: inputs.seed,
            first: inputs.first,
            jobs: inputs.count,
            parameters: parameters.len() as u32,
            constants: constants.len() as u32,
            exhaustive: u32::from(size.is_some()),
            ..Default::default()
        };
        recorder.gpu.queue.write_buffer(&self.input_params, 0, bytemuck::bytes_of(&params));
        let buffers =
            [("input_params", &self.input_params), ("arguments", &self.arguments), ("inputs", &self.inputs)];
        let group = self.write.bind(recorder.gpu, &buffers)?;
        recorder.pass(Stage::Execute, |pass| self.write.dispatch(pass, "write_inputs", &group, inputs.count));
        Ok(())
    }

    /// Returns the part of the results with the records of `codes` codes.
    pub fn records(&self, codes: u32) -> Part<'_> {
        (&self.results, 0, u64::from(agreement::WORDS * codes))
    }
}

impl GpuRecord for Agreement {
    const WORDS: u32 = agreement::WORDS;
    const EPOCH: u32 = agreement::EPOCH;

    /// `differs_at` counts inputs from the first of the round.
    fn of(words: &[u32]) -> Option<Agreement> {
        let at = |place: u32| words[place as usize];
        Some(Agreement {
            differs_at: Some(at(agreement::DIFFERS)).filter(|job| *job != NONE),
            compared: at(agreement::COMPARED),
            trapping: at(agreement::TRAPPING),
            steps: at(agreement::STEPS).into(),
            base_steps: at(agreement::BASE_STEPS).into(),
        })
    }
}
