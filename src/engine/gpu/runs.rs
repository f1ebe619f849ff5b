//! The buffers of execute, judge and mutate, and the slices in which runs go on until all are done.

use std::time::Duration;

use crate::engine::EngineError;
use crate::lang::{NONE, limits};
use crate::layout::{
    BINDER_WORDS, ENTRY_WORDS, ExecuteParams, JudgeParams, LARGE_THREADS, MutateParams, STATE_WORDS, control,
};
use crate::stage::Stage;

use super::arena::{Arena, binding, storage};
use super::device::Gpu;
use super::kernels::{Kernel, Kernels};
use super::recorder::Recorder;

/// Words and call records of a run in small memory.
const SMALL_WORDS: u32 = 256;
const SMALL_CALLS: u32 = 32;

/// The least number of loop iterations that a slice allows a thread.
const LEAST_BUDGET: u32 = 512;

/// Slices encoded in one submission, and the most of them where runs go on long.
pub const LEAST_SLICES: u32 = 4;
const MOST_SLICES: u32 = 64;

/// How much work at once suits an adapter.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Slots of execute at most.
    pub slots: u32,
    /// Of these for a chunk of mutants. Runs of one mutant side by side are wasted where an earlier one kills it, so
    /// an adapter that has few lanes should not have many more slots.
    pub mutant_slots: u32,
    /// Mutants of the first chunk.
    pub programs: u32,
    /// Candidates of one batch of neural compilation at most.
    pub candidates: u32,
    /// Loop iterations of a thread in one slice at most.
    ///
    /// llvmpipe runs 8 threads as the lanes of a vector, and silently ends all loops after 65,535 iterations that any
    /// of the lanes needed. Lanes that copy lists in different steps add up, and so does what a last instruction or
    /// input copies on top (some 4,000 words); hence an eighth of that, less the overshoot.
    pub budget: u32,
    /// Inputs of one property side by side that never wait for one another: what runs in the time of one, for jobs beside each
    /// other are lanes of one vector. A power of two.
    pub abreast: u32,
}

impl Tuning {
    pub fn of(software: bool) -> Tuning {
        match software {
            true => Tuning {
                slots: 2048,
                mutant_slots: 256,
                programs: 64,
                candidates: 384,
                budget: 2048,
                abreast: 8,
            },
            false => Tuning {
                slots: 32_768,
                mutant_slots: 32_768,
                programs: 512,
                candidates: 4096,
                budget: 16_384,
                abreast: 64,
            },
        }
    }
}

/// What stays on the device beside the arenas.
pub struct Runs {
    pub tuning: Tuning,
    pub entries: wgpu::Buffer,
    pub best: wgpu::Buffer,
    state: wgpu::Buffer,
    small: wgpu::Buffer,
    large: wgpu::Buffer,
    pub control: wgpu::Buffer,
    arguments: wgpu::Buffer,
    /// Records of the base's runs.
    pub records: wgpu::Buffer,
    pub verdicts: wgpu::Buffer,
    /// Records of repetitions under noise.
    pub noise: wgpu::Buffer,
    pub directory: wgpu::Buffer,
    pub archive: wgpu::Buffer,
    pub table: wgpu::Buffer,
    pub sites: wgpu::Buffer,
    small_params: wgpu::Buffer,
    large_params: wgpu::Buffer,
    judge_params: wgpu::Buffer,
    mutate_params: wgpu::Buffer,
    /// Loop iterations of a thread in one slice; adapts to what slices take.
    pub budget: u32,
}

/// What slices work on.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// The machine, with the kind of jobs that it knows.
    pub machine: &'a Kernel,
    /// The programs.
    pub arena: &'a Arena,
    /// What jobs are made of, by the name of its binding.
    pub jobs: (&'static str, &'a wgpu::Buffer),
    /// Where their results go.
    pub results: &'a wgpu::Buffer,
}

/// Where execute stands: read back after every submission.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    pub done: bool,
    pub first_order: u32,
    /// Loop iterations of all slots at work since the base's runs were begun, modulo 2³².
    pub spent: u32,
}

impl Progress {
    pub fn of(words: &[u32]) -> Progress {
        let at = |word: u32| words.get(word as usize).copied().unwrap_or(u32::MAX);
        Progress {
            done: at(control::ACTIVE) == 0 && at(control::RESUMED) == at(control::SPILLED),
            first_order: at(control::SITES),
            spent: at(control::SPENT),
        }
    }
}

/// Rows of a base's table of entries.
pub const ENTRY_TABLE: u64 = ((1 + limits::TESTS as u32) * ENTRY_WORDS) as u64;

/// A buffer of parameters.
pub fn uniform(gpu: &Gpu, bytes: usize) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("params"),
        size: bytes as u64,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

impl Runs {
    /// Bytes on the device, as allocated.
    pub fn bytes(&self) -> u64 {
        let buffers = [
            &self.entries,
            &self.best,
            &self.state,
            &self.small,
            &self.large,
            &self.records,
            &self.verdicts,
            &self.directory,
            &self.archive,
            &self.table,
            &self.sites,
        ];
        buffers.map(wgpu::Buffer::size).iter().sum()
    }

    pub fn new(gpu: &Gpu, tuning: Tuning) -> Result<Runs, EngineError> {
        let slots = tuning.slots as u64;
        let jobs = limits::TESTS as u64 * limits::SAMPLES as u64;
        gpu.scoped(|| Runs {
            tuning,
            // Binders come one to four tokens, at least.
            entries: storage(gpu, "entries", ENTRY_TABLE + BINDER_WORDS as u64 * limits::TOKENS as u64 / 4),
            best: storage(gpu, "best", 2 * limits::TESTS as u64),
            state: storage(gpu, "state", (STATE_WORDS as u64 + 1) * slots + LARGE_THREADS as u64),
            small: storage(gpu, "small memory", slots * (SMALL_WORDS + 2 * SMALL_CALLS) as u64),
            large: storage(
                gpu,
                "large memory",
                LARGE_THREADS as u64 * (limits::STACK_WORDS + 2 * limits::CALL_DEPTH) as u64,
            ),
            control: storage(gpu, "control", control::WORDS as u64),
            arguments: storage(gpu, "arguments", 4),
            records: storage(gpu, "records", 3 * jobs),
            verdicts: storage(gpu, "verdicts", 64),
            noise: storage(gpu, "noise", 4),
            directory: storage(gpu, "directory", 8),
            archive: storage(gpu, "archive", 1 << 20),
            table: storage(gpu, "table", 4),
            sites: storage(gpu, "sites", 4),
            small_params: uniform(gpu, size_of::<ExecuteParams>()),
            large_params: uniform(gpu, size_of::<ExecuteParams>()),
            judge_params: uniform(gpu, size_of::<JudgeParams>()),
            mutate_params: uniform(gpu, size_of::<MutateParams>()),
            budget: tuning.budget,
        })
    }

    /// Adapts the length of slices to what a submission took.
    pub fn adapt(&mut self, taken: Duration, target: Duration) {
        if taken > target {
            self.budget = (self.budget / 2).max(LEAST_BUDGET);
        } else if taken < target / 4 {
            self.budget = (self.budget * 2).min(self.tuning.budget);
        }
    }

    /// Slices of the next submission of a base, where the last one had `slices` and took so long: more of them where slices
    /// of full length take little time, as a few runs that go on long leave most threads idle.
    pub fn more_slices(&self, slices: u32, taken: Duration, target: Duration) -> u32 {
        if taken > target {
            (slices / 2).max(LEAST_SLICES)
        } else if taken < target / 4 && self.budget == self.tuning.budget {
            (slices * 2).min(MOST_SLICES)
        } else {
            slices
        }
    }

    /// Makes a buffer hold at least `words`; what it held is lost if it grows.
    pub fn need(gpu: &Gpu, buffer: &mut wgpu::Buffer, words: u64) -> Result<(), EngineError> {
        if buffer.size() < words * 4 {
            *buffer = gpu.scoped(|| storage(gpu, "grown", words))?;
        }
        Ok(())
    }

    /// Encodes mutate's entry points, each with one workgroup or one per program.
    #[allow(clippy::too_many_arguments, reason = "all that a submission of it is made of")]
    pub fn mutate(
        &self,
        gpu: &Gpu,
        kernels: &Kernels,
        recorder: &mut Recorder,
        params: MutateParams,
        base: &Arena,
        mutants: &Arena,
        entries: &[(&str, u32)],
    ) -> Result<(), EngineError> {
        gpu.write(&self.mutate_params, 0, bytemuck::bytes_of(&params));
        // What a dispatch writes it may not also read under another binding; on the base alone nothing is made.
        let alone = std::ptr::eq(base, mutants);
        let group = kernels.mutate.bind(
            gpu,
            &[
                ("mp", &self.mutate_params),
                ("base", &base.buffers[binding::PROGRAMS]),
                ("tokens", &base.buffers[binding::TOKENS]),
                ("tree", &base.buffers[binding::TREE]),
                ("checked", &base.buffers[binding::CHECKED]),
                ("sites", &self.sites),
                ("programs", if alone { &self.verdicts } else { &mutants.buffers[binding::PROGRAMS] }),
                ("variants", if alone { &self.table } else { &mutants.buffers[binding::TOKENS] }),
                ("control", &self.control),
            ],
        )?;
        recorder.pass(Stage::Mutate, |pass| {
            for (entry, groups) in entries {
                kernels.mutate.dispatch(pass, entry, &group, *groups);
            }
        });
        Ok(())
    }

    /// Encodes judge on an arena's programs.
    pub fn judge(
        &self,
        gpu: &Gpu,
        kernels: &Kernels,
        recorder: &mut Recorder,
        params: JudgeParams,
        arena: &Arena,
        resolve: bool,
    ) -> Result<(), EngineError> {
        gpu.write(&self.judge_params, 0, bytemuck::bytes_of(&params));
        let group = kernels.judge.bind(
            gpu,
            &[
                ("jp", &self.judge_params),
                ("programs", &arena.buffers[binding::PROGRAMS]),
                ("code", &arena.buffers[binding::CODE]),
                ("directory", &self.directory),
                ("archive", &self.archive),
                ("table", &self.table),
                ("control", &self.control),
                ("best", &self.best),
                ("verdicts", &self.verdicts),
            ],
        )?;
        recorder.pass(Stage::Judge, |pass| {
            let mut dispatch = |entry, groups| kernels.judge.dispatch(pass, entry, &group, groups);
            dispatch("measure", params.programs);
            dispatch("allocate", 1);
            dispatch("keep", params.programs);
            dispatch("enroll", params.programs);
            if resolve {
                dispatch("resolve", 1);
            }
        });
        Ok(())
    }

    /// Parameters of execute that depend on nothing but the engine.
    pub fn params(&self, arena: &Arena) -> ExecuteParams {
        ExecuteParams {
            programs: arena.shape.params.programs,
            token_capacity: arena.shape.params.token_capacity,
            code_capacity: arena.shape.params.code_capacity,
            epoch: arena.shape.params.epoch,
            samples: limits::SAMPLES,
            budget: self.budget,
            abreast: self.tuning.abreast,
            ..Default::default()
        }
    }

    /// Tests and properties on an arena's programs, or a call.
    pub fn tests<'a>(&'a self, kernels: &'a Kernels, arena: &'a Arena, results: &'a wgpu::Buffer) -> Work<'a> {
        Work { machine: &kernels.execute, arena, jobs: ("entries", &self.entries), results }
    }

    /// Forgets all slots' states.
    pub fn clear(&self, recorder: &mut Recorder) {
        recorder.encoder.clear_buffer(&self.state, 0, None);
    }

    /// Encodes slices of execute, `first` before and `last` after them, each with its number of workgroups.
    #[allow(clippy::too_many_arguments, reason = "all that a submission of slices is made of")]
    pub fn execute(
        &self,
        gpu: &Gpu,
        kernels: &Kernels,
        recorder: &mut Recorder,
        params: ExecuteParams,
        work: Work,
        slices: u32,
        first: &[(&str, u32)],
        last: &[(&str, u32)],
    ) -> Result<(), EngineError> {
        let small =
            ExecuteParams { threads: params.slots, words: SMALL_WORDS, calls: SMALL_CALLS, tier: 0, ..params };
        let large = ExecuteParams {
            threads: LARGE_THREADS,
            words: limits::STACK_WORDS,
            calls: limits::CALL_DEPTH,
            tier: 1,
            ..params
        };
        gpu.write(&self.small_params, 0, bytemuck::bytes_of(&small));
        gpu.write(&self.large_params, 0, bytemuck::bytes_of(&large));
        let Work { machine, arena, jobs, results } = work;
        let group = |params: &wgpu::Buffer, memory: &wgpu::Buffer| {
            machine.bind(
                gpu,
                &[
                    ("ex", params),
                    ("programs", &arena.buffers[binding::PROGRAMS]),
                    ("code", &arena.buffers[binding::CODE]),
                    jobs,
                    ("best", &self.best),
                    ("state", &self.state),
                    ("memory", memory),
                    ("control", &self.control),
                    ("results", results),
                ],
            )
        };
        let small = group(&self.small_params, &self.small)?;
        let large = group(&self.large_params, &self.large)?;
        let plan = kernels.plan.bind(gpu, &[("control", &self.control), ("arguments", &self.arguments)])?;
        recorder.pass(Stage::Execute, |pass| {
            for (entry, groups) in first {
                machine.dispatch(pass, entry, &small, *groups);
            }
            for (tier, group) in [("plan_small", &small), ("plan_large", &large)] {
                for _ in 0..slices {
                    kernels.plan.dispatch(pass, tier, &plan, 1);
                    machine.set(pass, "slice", group);
                    pass.dispatch_workgroups_indirect(&self.arguments, 0);
                }
            }
            for (entry, groups) in last {
                machine.dispatch(pass, entry, &small, *groups);
            }
        });
        Ok(())
    }

    /// Prepares one run of one function: its state in memory of full size.
    pub fn prepare_call(&self, gpu: &Gpu, address: u32, frame: u32, arguments: &[u32]) {
        // Slot 0 of one: phase (at work), job, pc, fp, sp, depth, steps, tier; it is the one slot that overflowed.
        let state = [2, 0, address, 0, frame, 1, 0, 1, 0, 0];
        gpu.write(&self.state, 0, bytemuck::cast_slice(&state));
        let mut words = [0u32; control::WORDS as usize];
        words[control::PROGRAMS as usize] = 1;
        words[control::SLOTS as usize] = 1;
        words[control::SPILLED as usize] = 1;
        // The archive's top and the number of sites stay.
        let own = control::PROGRAMS as usize..control::SITES as usize;
        gpu.write(&self.control, 4 * own.start as u64, bytemuck::cast_slice(&words[own]));
        for (i, word) in arguments.iter().enumerate() {
            // Memory is interleaved by thread; this is thread 0.
            let at = i as u64 * LARGE_THREADS as u64 * 4;
            gpu.write(&self.large, at, bytemuck::bytes_of(word));
        }
    }

    /// Programs that are to be run, of `all`, and that none of them is settled.
    pub fn prepare_programs(&self, gpu: &Gpu, all: u32, listed: &[u32]) {
        let mut words = vec![NONE; all as usize];
        words.extend(listed);
        gpu.write(&self.best, 0, bytemuck::cast_slice(&words));
    }

    /// Prepares runs of the base in so many slots.
    pub fn prepare_slots(&self, gpu: &Gpu, slots: u32) {
        // Programs, slots, active ones; none has overflowed.
        let words = [1, slots, slots, 0, 0];
        gpu.write(&self.control, 4 * control::PROGRAMS as u64, bytemuck::cast_slice(&words));
    }

    /// The first words of thread 0's full memory, each as a part to be read.
    pub fn large_words(&self, count: u32) -> Vec<(&wgpu::Buffer, u64, u64)> {
        (0..count as u64).map(|i| (&self.large, i * LARGE_THREADS as u64, 1)).collect()
    }
}
