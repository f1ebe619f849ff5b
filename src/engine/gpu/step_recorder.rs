//! Records the steps of a run on the device: the kernel, its buffers, and the reading of one stretch after
//! another.

use super::arena::{Arena, binding, storage, uniform};
use super::device::Gpu;
use super::kernel::Kernel;
use super::records::{GpuRecord, record};
use super::shaders;
use crate::compiler::layout::ExecuteParams;
use crate::compiler::layout::numbers::{control, run_state, state, step};
use crate::compiler::program::{Routine, Watch};
use crate::compiler::stage::execute;
use crate::engine::{DeviceFailure, EngineError, StepRange, TracedRun};
use crate::lang::index::{Address, Index};
use crate::lang::limits;
use crate::lang::trap::Trap;

/// Counted loop iterations per dispatch. A step takes up to three uncounted iterations, so the total stays
/// below the drivers' limit.
const BUDGET: u32 = 8_000;

pub struct StepRecorder {
    kernel: Kernel,
    params: wgpu::Buffer,
    state: wgpu::Buffer,
    memory: wgpu::Buffer,
    steps: wgpu::Buffer,
    results: wgpu::Buffer,
    // The machine declares these bindings, but a single run does not use them.
    best: wgpu::Buffer,
    control: wgpu::Buffer,
}

struct RunState {
    runs: bool,
    record: execute::Record,
    top: u32,
    depth: u32,
}

impl GpuRecord for RunState {
    const WORDS: u32 = run_state::WORDS;
    const EPOCH: u32 = run_state::EPOCH;

    fn of(words: &[u32]) -> Option<RunState> {
        let at = |place: u32| words[place as usize];
        let trap = Trap::from_u32(at(run_state::TRAP))?;
        let (value, steps) = (at(run_state::VALUE), at(run_state::STEPS));
        let address = Address::from_word(at(run_state::ADDRESS));
        let record = execute::Record { trap, value, steps, address };
        let (top, depth) = (at(run_state::TOP).min(limits::STACK_WORDS), at(run_state::DEPTH));
        Some(RunState { runs: at(run_state::RUNS) == 1, record, top, depth })
    }
}

impl StepRecorder {
    /// Compiles the kernel for stretches of at most `stretch` steps.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(gpu: &Gpu, stretch: u32) -> Result<StepRecorder, EngineError> {
        let kernel = Kernel::new(gpu, &shaders::STEPS)?;
        gpu.scoped(|| StepRecorder {
            kernel,
            params: uniform(gpu, &ExecuteParams::default()),
            state: storage(gpu, "run", state::WORDS.into()),
            memory: storage(gpu, "memory of a run", u64::from(limits::STACK_WORDS + 2 * limits::CALL_DEPTH)),
            steps: storage(gpu, "steps", u64::from(step::WORDS * stretch)),
            results: storage(gpu, "state of a run", run_state::WORDS.into()),
            best: storage(gpu, "best", 1),
            control: storage(gpu, "control", control::WORDS.into()),
        })
    }

    /// Executes a run of a routine of an arena's first program.
    ///
    /// # Errors
    /// If it is cancelled, or the device fails.
    pub fn run(
        &self,
        gpu: &Gpu,
        (arena, params): (&Arena, ExecuteParams),
        routine: Routine,
        run: TracedRun,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(StepRange),
    ) -> Result<execute::Record, EngineError> {
        let frame = routine.frame();
        // Clear the whole memory: unset variables are recorded too and must not show values of an earlier
        // run.
        let mut memory = vec![0; limits::STACK_WORDS as usize];
        let given = run.frame.len().min(frame as usize);
        memory[..given].copy_from_slice(&run.frame[..given]);
        let mut words = [0; state::WORDS as usize];
        for (field, word) in
            [(state::PC, routine.address().number()), (state::SP, frame), (state::DEPTH, run.bottom)]
        {
            words[field as usize] = word;
        }
        gpu.write(&self.state, 0, bytemuck::cast_slice(&words));
        gpu.write(&self.memory, 0, bytemuck::cast_slice(&memory));
        memory.truncate(frame as usize);
        let group = self.kernel.bind(
            gpu,
            &[
                ("exec_params", &self.params),
                ("programs", &arena.buffers[binding::PROGRAMS]),
                ("code", &arena.buffers[binding::CODE]),
                ("step_records", &self.steps),
                ("best", &self.best),
                ("state", &self.state),
                ("memory", &self.memory),
                ("control", &self.control),
                ("results", &self.results),
            ],
        )?;
        let mut made = 0;
        loop {
            if watch.cancelled() {
                return Err(EngineError::Cancelled);
            }
            let most = run.keyframe - made % run.keyframe;
            let params = ExecuteParams {
                threads: 1,
                words: limits::STACK_WORDS,
                calls: limits::CALL_DEPTH,
                slots: 1,
                initial_depth: run.bottom,
                budget: BUDGET,
                lanes: most,
                jobs: run.fuel,
                ..params
            };
            gpu.write(&self.params, 0, bytemuck::bytes_of(&params));
            let mut encoder = gpu.encoder();
            self.kernel.dispatch(
                &mut encoder.begin_compute_pass(&Default::default()),
                "record_steps",
                &group,
                1,
            );
            let parts = [
                (&self.results, 0, u64::from(run_state::WORDS)),
                (&self.steps, 0, u64::from(step::WORDS * most)),
                (&self.memory, 0, u64::from(limits::STACK_WORDS)),
            ];
            let read = gpu.read(encoder, &parts)?;
            let [run_state, steps, behind] = &read[..] else { return Err(super::records::incomplete()) };
            let run_state: RunState = record(run_state, params.epoch)?;
            let new = run_state.record.steps.wrapping_sub(made).min(most);
            if new == 0 && run_state.runs {
                return Err(DeviceFailure::Results.because("the run makes no progress"));
            }
            let steps = &steps[..(step::WORDS * new) as usize];
            sink(StepRange { memory: &memory, steps, depth: run_state.depth });
            if !run_state.runs {
                return Ok(run_state.record);
            }
            made = run_state.record.steps;
            memory.clear();
            memory.extend_from_slice(&behind[..(run_state.top as usize).min(behind.len())]);
        }
    }
}
