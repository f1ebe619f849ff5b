//! The kernels and buffers of mutate, judge and execute, and the encoding of their dispatches.

use crate::compiler::layout::numbers::{control, counted, entry, job, mode, phase, state, tier};
use crate::compiler::layout::{ExecuteParams, JudgeParams, MutateParams, WORKGROUP};
use crate::compiler::program::Routine;
use crate::compiler::stage::Stage;
use crate::compiler::stage::execute::max_exhaustive_size;
use crate::engine::EngineError;
use crate::lang::index::Index;
use crate::lang::mutation::Group;
use crate::lang::{NONE, limits};

use super::arena::{Arena, binding, storage, uniform};
use super::counts;
use super::device::{Gpu, Part};
use super::kernel::Kernel;
use super::recorder::Recorder;
use super::shaders;
use super::slices::Submission;
use super::tuning::{RunMemory, Tuning};

/// Kernels and buffers that persist besides the arenas.
pub struct Runs {
    pub tuning: Tuning,
    // One for each group: the sites of the repair group would make the default one slow to compile.
    mutate: Vec<Kernel>,
    judge: Kernel,
    execute: Kernel,
    plan: Kernel,
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
}

/// Entry points of a kernel, each with its number of workgroups.
pub type EntryPoints<'a> = &'a [(&'a str, u32)];

/// Work for slices of execute.
#[derive(Clone, Copy)]
pub struct RunWork<'a> {
    /// The machine kernel, which depends on the kind of jobs.
    pub machine: &'a Kernel,
    pub arena: &'a Arena,
    /// The jobs' data, with the name of its binding.
    pub jobs: (&'a str, &'a wgpu::Buffer),
    pub results: &'a wgpu::Buffer,
    pub params: ExecuteParams,
    /// Entry points dispatched before and after the slices of a submission.
    pub before: EntryPoints<'a>,
    pub behind: EntryPoints<'a>,
}

impl Runs {
    /// Returns the allocated bytes on the device.
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

    /// Compiles the kernels and creates the buffers. Sizes that depend on a program grow later.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(gpu: &Gpu, tuning: Tuning) -> Result<Runs, EngineError> {
        let slots = tuning.slots as u64;
        let jobs = limits::TESTS as u64 * u64::from(max_exhaustive_size(limits::SAMPLES));
        let mutate = const { &shaders::MUTATE }.iter().map(|shader| Kernel::new(gpu, shader));
        let mutate = mutate.collect::<Result<Vec<_>, EngineError>>()?;
        let judge = Kernel::new(gpu, &shaders::JUDGE)?;
        let (execute, plan) = (Kernel::new(gpu, &shaders::EXECUTE)?, Kernel::new(gpu, &shaders::PLAN)?);
        let counted = gpu.counts.words();
        let runs = gpu.scoped(|| Runs {
            tuning,
            mutate,
            judge,
            execute,
            plan,
            entries: storage(gpu, "entries", u64::from(entry::ENTERED) + 2 * jobs),
            best: storage(gpu, "best", 2 * limits::TESTS as u64),
            state: storage(
                gpu,
                "state",
                u64::from(state::WORDS + state::LISTS) * slots + u64::from(tuning.large_threads) + counted,
            ),
            small: storage(gpu, "small memory", tuning.run_words),
            large: storage(
                gpu,
                "large memory",
                u64::from(tuning.large_threads) * (limits::STACK_WORDS + 2 * limits::CALL_DEPTH) as u64,
            ),
            control: storage(gpu, "control", u64::from(control::WORDS) + slots),
            arguments: storage(gpu, "arguments", 4),
            records: storage(gpu, "records", u64::from(job::WORDS) * jobs),
            verdicts: storage(gpu, "verdicts", 64),
            noise: storage(gpu, "noise", 4),
            directory: storage(gpu, "directory", 8),
            archive: storage(gpu, "archive", 1 << 20),
            table: storage(gpu, "table", 4),
            sites: storage(gpu, "sites", 4),
            small_params: uniform(gpu, &ExecuteParams::default()),
            large_params: uniform(gpu, &ExecuteParams::default()),
            judge_params: uniform(gpu, &JudgeParams::default()),
            mutate_params: uniform(gpu, &MutateParams::default()),
        })?;
        gpu.counts.record(&runs.state);
        Ok(runs)
    }

    /// Returns the kernels that a base uses after the compile stages, and those of its tests if `executed` is
    /// set. The machine is the largest, so it comes first.
    pub fn kernels(&self, group: Group, executed: bool) -> impl Iterator<Item = &Kernel> {
        // Kernels are compiled side by side, so the longest one must begin first.
        let machine = [&self.execute, &self.plan].into_iter().filter(move |_| executed);
        machine.chain([&self.judge, &self.mutate[group as usize]])
    }

    /// Grows a buffer to at least `words` words. Growing it discards its contents.
    pub fn need(gpu: &Gpu, buffer: &mut wgpu::Buffer, words: u64) -> Result<(), EngineError> {
        if buffer.size() < words * 4 {
            *buffer = gpu.scoped(|| storage(gpu, "grown", words))?;
        }
        Ok(())
    }

    /// Encodes the numbering of a base's mutants.
    pub fn number(&self, recorder: &mut Recorder, base: &Arena, group: Group) -> Result<(), EngineError> {
        // There are no parts, so any unused buffers can be bound for them.
        let parts = (&self.verdicts, &self.table);
        let tokens = base.shape.params.token_capacity.div_ceil(WORKGROUP);
        let entries = [("clear", 1), ("mark", 1), ("reach", 1), ("offers", tokens), ("count", 1)];
        self.encode_mutate(recorder, (base, group), parts, 0, &entries)
    }

    /// Encodes the search for the edits of `count` parts.
    pub fn find(
        &self,
        recorder: &mut Recorder,
        base: (&Arena, Group),
        parts: (&wgpu::Buffer, &wgpu::Buffer),
        count: u32,
    ) -> Result<(), EngineError> {
        self.encode_mutate(recorder, base, parts, count, &[("find", count.div_ceil(WORKGROUP))])
    }

    fn encode_mutate(
        &self,
        recorder: &mut Recorder,
        (base, of_group): (&Arena, Group),
        (orders, edits): (&wgpu::Buffer, &wgpu::Buffer),
        parts: u32,
        entries: EntryPoints,
    ) -> Result<(), EngineError> {
        let base_capacity = base.shape.params.token_capacity;
        let ir_capacity = base.shape.params.ir_capacity;
        let params = MutateParams { base_capacity, parts, ir_capacity, ..Default::default() };
        recorder.gpu.write(&self.mutate_params, 0, bytemuck::bytes_of(&params));
        let mutate = &self.mutate[of_group as usize];
        let group = mutate.bind(
            recorder.gpu,
            &[
                ("mutate_params", &self.mutate_params),
                ("base", &base.buffers[binding::PROGRAMS]),
                ("tokens", &base.buffers[binding::TOKENS]),
                ("tree", &base.buffers[binding::TREE]),
                ("checked", &base.buffers[binding::CHECKED]),
                ("sites", &self.sites),
                ("ir", &base.buffers[binding::IR]),
                ("orders", orders),
                ("edits", edits),
            ],
        )?;
        recorder.pass(Stage::Mutate, |pass| {
            entries.iter().for_each(|(entry, groups)| mutate.dispatch(pass, entry, &group, *groups));
        });
        Ok(())
    }

    /// Encodes judge on the base, which becomes row 0 of an otherwise empty directory.
    pub fn judge_base(&self, recorder: &mut Recorder, base: &Arena) -> Result<(), EngineError> {
        recorder.encoder.clear_buffer(&self.control, 0, None);
        recorder.encoder.clear_buffer(&self.table, 0, None);
        self.encode_judge(recorder, base, JudgeParams::default(), &[])
    }

    /// Encodes judge on an arena's programs; `first` is the directory row of the first program. New programs
    /// get `lanes` slots each at first; with 0 they are only compared.
    pub fn judge(
        &self,
        recorder: &mut Recorder,
        arena: &Arena,
        first: u32,
        lanes: u32,
    ) -> Result<(), EngineError> {
        let params = JudgeParams { first, lanes, ..Default::default() };
        self.encode_judge(recorder, arena, params, &[("resolve", 1)])
    }

    fn encode_judge(
        &self,
        recorder: &mut Recorder,
        arena: &Arena,
        params: JudgeParams,
        behind: EntryPoints,
    ) -> Result<(), EngineError> {
        let shape = &arena.shape.params;
        let programs = shape.programs;
        let params = JudgeParams {
            programs,
            token_capacity: shape.token_capacity,
            code_capacity: shape.code_capacity,
            epoch: shape.epoch,
            // A mask below a power of two that does not exceed the table's words.
            mask: (self.table.size() as u32 / 4 + 1).next_power_of_two() / 2 - 1,
            archive_room: (self.archive.size() / 4) as u32,
            ..params
        };
        recorder.gpu.write(&self.judge_params, 0, bytemuck::bytes_of(&params));
        let group = self.judge.bind(
            recorder.gpu,
            &[
                ("judge_params", &self.judge_params),
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
            let entries = [("measure", programs), ("allocate", 1), ("keep", programs), ("enroll", programs)];
            for (entry, groups) in entries.iter().chain(behind) {
                self.judge.dispatch(pass, entry, &group, *groups);
            }
        });
        Ok(())
    }

    /// Returns the parameters of execute that depend only on the engine and the programs.
    pub fn params(&self, arena: &Arena) -> ExecuteParams {
        let shape = &arena.shape.params;
        ExecuteParams {
            programs: shape.programs,
            token_capacity: shape.token_capacity,
            code_capacity: shape.code_capacity,
            epoch: shape.epoch,
            samples: limits::SAMPLES,
            lanes_in_flight: self.tuning.lanes_in_flight,
            budget_threads: self.tuning.sharing,
            ..Default::default()
        }
    }

    /// Returns work for tests and properties on an arena's programs, or for a call.
    pub fn tests<'a>(
        &'a self,
        arena: &'a Arena,
        results: &'a wgpu::Buffer,
        params: ExecuteParams,
    ) -> RunWork<'a> {
        let jobs = ("entries", &self.entries);
        RunWork { machine: &self.execute, arena, jobs, results, params, before: &[], behind: &[] }
    }

    /// Clears the state of all slots, and the job counters of mutants.
    pub fn clear(&self, recorder: &mut Recorder, params: &ExecuteParams) {
        recorder.encoder.clear_buffer(&self.state, 0, None);
        // The blocks of slots in use.
        recorder.encoder.clear_buffer(&self.control, 4 * u64::from(control::WORDS), None);
        if params.mode == mode::MUTANTS {
            let (from, count) = (u64::from(params.next), u64::from(params.programs));
            recorder.encoder.clear_buffer(&self.best, 4 * from, Some(4 * count));
        }
    }

    /// Encodes slices of execute.
    pub fn execute(
        &self,
        recorder: &mut Recorder,
        work: &RunWork,
        turn: Submission,
    ) -> Result<(), EngineError> {
        let gpu = recorder.gpu;
        let params = ExecuteParams { budget: turn.budget, ..work.params };
        let RunMemory { words, calls } = self.tuning.run_memory(params.slots);
        // Most runs need little memory, so many fit on the device at once. Those that overflow get the whole
        // memory of a run.
        let small = ExecuteParams { threads: params.slots, words, calls, tier: tier::SMALL, ..params };
        let large = ExecuteParams {
            threads: self.tuning.large_threads,
            words: limits::STACK_WORDS,
            calls: limits::CALL_DEPTH,
            tier: tier::LARGE,
            ..params
        };
        gpu.write(&self.small_params, 0, bytemuck::bytes_of(&small));
        gpu.write(&self.large_params, 0, bytemuck::bytes_of(&large));
        let RunWork { machine, arena, jobs, results, before, behind, .. } = *work;
        let group = |params: &wgpu::Buffer, memory: &wgpu::Buffer| {
            machine.bind(
                gpu,
                &[
                    ("exec_params", params),
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
        for (buffer, first, _) in gpu.counts.state().iter().flat_map(counts::parts) {
            recorder.encoder.clear_buffer(buffer, 4 * first, Some(4 * u64::from(counted::ADDRESSES)));
        }
        let plan = self.plan.bind(gpu, &[("control", &self.control), ("arguments", &self.arguments)])?;
        recorder.pass(Stage::Execute, |pass| {
            before.iter().for_each(|(entry, groups)| machine.dispatch(pass, entry, &small, *groups));
            // The small ones come first, because they determine which runs overflow.
            for (tier, group) in [("plan_small", &small), ("plan_large", &large)] {
                for _ in 0..turn.slices {
                    self.plan.dispatch(pass, tier, &plan, 1);
                    machine.set(pass, "slice", group);
                    pass.dispatch_workgroups_indirect(&self.arguments, 0);
                }
            }
            behind.iter().for_each(|(entry, groups)| machine.dispatch(pass, entry, &small, *groups));
        });
        Ok(())
    }

    /// Marks the base's entries with known results; all others run.
    pub fn mark_kept(&self, gpu: &Gpu, kept: impl Iterator<Item = bool>) {
        let mut table = vec![0u32; entry::TABLE as usize];
        let rows = table.chunks_exact_mut(entry::WORDS as usize).skip(1);
        rows.zip(kept).for_each(|(row, kept)| row[entry::KEPT as usize] = u32::from(kept));
        gpu.write(&self.entries, 0, bytemuck::cast_slice(&table));
    }

    /// Prepares one run of one function in slot 0, as if it had overflowed small memory.
    pub fn prepare_call(&self, gpu: &Gpu, routine: Routine, arguments: &[u32]) {
        // After the slot's state come the list of overflowed slots and the thread's index in it, both 0.
        let mut slot = [0; state::WORDS as usize + 2];
        let fields = [
            (state::PHASE, phase::RUN),
            (state::PC, routine.address().number()),
            (state::SP, routine.frame()),
            (state::DEPTH, 1),
            (state::TIER, tier::LARGE),
        ];
        fields.iter().for_each(|(field, word)| slot[*field as usize] = *word);
        gpu.write(&self.state, 0, bytemuck::cast_slice(&slot));
        self.count(gpu, [(control::PROGRAMS, 1), (control::SLOTS, 1), (control::SPILLED, 1)]);
        for (i, word) in arguments.iter().enumerate() {
            // Memory is interleaved by thread; this is thread 0.
            let at = i as u64 * u64::from(self.tuning.large_threads) * 4;
            gpu.write(&self.large, at, bytemuck::bytes_of(word));
        }
    }

    /// Lists the programs to run, out of `all`, and marks all programs as unsettled.
    pub fn prepare_programs(&self, gpu: &Gpu, all: u32, listed: &[u32]) {
        let mut words = vec![NONE; all as usize];
        words.extend(listed);
        gpu.write(&self.best, 0, bytemuck::cast_slice(&words));
    }

    /// Prepares more runs of some of an arena's programs, in `lanes` slots each at first.
    pub fn prepare_again(&self, gpu: &Gpu, all: u32, listed: &[u32], lanes: u32) {
        self.prepare_programs(gpu, all, listed);
        let count = listed.len() as u32;
        let slots = (control::SLOTS, count * lanes);
        self.count(gpu, [(control::PROGRAMS, count), slots, (control::ACTIVE, count)]);
    }

    /// Clears the result words of `entries` separately judged entries for each of `programs` programs.
    pub fn prepare_asked(&self, gpu: &Gpu, programs: u32, entries: u32) {
        let all = (programs * entries) as usize;
        let words = [vec![NONE; all], vec![0; all]].concat();
        gpu.write(&self.best, 4 * 2 * u64::from(programs), bytemuck::cast_slice(&words));
    }

    /// Prepares runs of the base in `slots` slots, none of which has overflowed.
    pub fn prepare_slots(&self, gpu: &Gpu, slots: u32) {
        self.count(gpu, [(control::PROGRAMS, 1), (control::SLOTS, slots), (control::ACTIVE, slots)]);
    }

    /// Sets counters of execute and clears the others. The archive's top is kept.
    fn count(&self, gpu: &Gpu, counts: [(u32, u32); 3]) {
        let mut words = [0u32; control::WORDS as usize];
        counts.iter().for_each(|(place, count)| words[*place as usize] = *count);
        let own = control::PROGRAMS as usize..control::ITERATIONS as usize;
        gpu.write(&self.control, 4 * u64::from(control::PROGRAMS), bytemuck::cast_slice(&words[own]));
    }

    /// Returns the first words of thread 0's large memory, each as a part to read.
    pub fn large_words(&self, count: u32) -> impl Iterator<Item = Part<'_>> {
        (0..u64::from(count)).map(|i| (&self.large, i * u64::from(self.tuning.large_threads), 1))
    }
}
