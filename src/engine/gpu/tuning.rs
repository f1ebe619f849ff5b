//! The amounts of work that suit an adapter.

use crate::compiler::layout::{LARGE_THREADS, UNIT};
use crate::lang::limits;

/// Bounds of one batch, chunk or slice.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// The maximum number of slots of execute.
    pub slots: u32,
    /// Slots for the base. A lane that finishes a short input takes the next one, so a software adapter has
    /// fewer slots than inputs.
    pub base_slots: u32,
    /// Slots for a chunk of mutants.
    pub mutant_slots: u32,
    /// Initially active slots per mutant. Parallel runs of a mutant are wasted if an earlier one kills it. An
    /// adapter with few lanes therefore starts with one, and activates the others when the first runs pass.
    pub awake: u32,
    /// Slots that stay together.
    pub unit: u32,
    /// Words of memory that the slots share, for the stacks and calls of their runs.
    pub run_words: u64,
    /// Mutants in the first chunk.
    pub programs: u32,
    /// The maximum of mutants in a chunk, and of the factor by which chunks grow.
    pub most_programs: u32,
    pub growth: u32,
    /// Words for the segments of one chunk, unless one mutant needs more.
    pub segment_words: u32,
    /// Threads that have a run's full memory, for runs that overflow their slot's.
    pub large_threads: u32,
    /// The maximum number of candidates in a batch of neural compilation.
    pub candidates: u32,
    /// The maximum of loop iterations per thread in one slice.
    ///
    /// llvmpipe runs 8 threads as the lanes of a vector, and silently ends a loop after 65,535 iterations,
    /// counting every iteration that any lane needs. Lanes that copy lists at different steps add up, and the
    /// last instruction or input may copy some 4,000 words more. The budget therefore stays below an eighth
    /// of that limit minus this overshoot.
    pub budget: u32,
    /// Inputs of one property that never wait for each other: they run as lanes of one vector, in the time of
    /// one input. A power of two.
    pub lanes_in_flight: u32,
    /// The number of test steps from which an extra submission, to find the tests that need not run again,
    /// pays off. On hardware, where tests run in parallel, the threshold is an estimate. Debug builds always do this.
    pub worth_keeping: u64,
    /// Threads that share the limit of loop iterations: the lanes of a vector.
    pub sharing: u32,
}

/// Returns a threshold: the number of steps from which a special case pays off. In debug builds it is 1, so
/// that tests exercise that case.
const fn worth(steps: u64) -> u64 {
    if cfg!(debug_assertions) { 1 } else { steps }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunMemory {
    pub words: u32,
    pub calls: u32,
}

impl RunMemory {
    /// Returns the words of the buffer that the run occupies: a call record has two.
    pub const fn total(self) -> u64 {
        self.words as u64 + 2 * self.calls as u64
    }
}

/// The memory of a run in a slot, if all slots are in use.
const LEAST_RUN: RunMemory = RunMemory { words: 256, calls: 32 };

/// The maximum number of slots of one mutant, and of those that run random inputs or patches.
const MOST_LANES: u32 = 1_024;
const LANES: u32 = 64;

/// The jobs of a mutant: those of its first entries, which have few inputs, and the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jobs {
    pub single: u32,
    pub many: u32,
}

/// The slots of a chunk of mutants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MutantSlots {
    /// Slots of each mutant, and how many of these are active initially.
    pub lanes: u32,
    pub awake: u32,
    /// The slots of all mutants, with those that fill units.
    pub all: u32,
}

impl Tuning {
    /// Returns the slots per mutant, and how many of these are active initially.
    pub fn lanes(&self, mutants: u32) -> (u32, u32) {
        let lanes = (self.mutant_slots / mutants.max(1)).clamp(1, LANES);
        (lanes, self.awake.min(lanes))
    }

    /// Returns the slots of `mutants` mutants. On hardware the first slot of each runs its single jobs, and then a block of
    /// whole units the others. First slots of several mutants share a unit only if they would else take more than half of
    /// the slots: an idle thread costs less than waiting for the runs of others.
    pub fn mutants(&self, mutants: u32, jobs: Jobs) -> MutantSlots {
        if self.unit == 1 {
            let (lanes, awake) = self.lanes(mutants);
            return MutantSlots { lanes, awake, all: mutants * lanes };
        }
        let mutants = mutants.max(1);
        let wanted = jobs.many.min(MOST_LANES).next_multiple_of(self.unit);
        let whole = |lanes: u32| if lanes < self.unit { lanes.max(1) } else { lanes / self.unit * self.unit };
        if jobs.single == 0 {
            let lanes = whole(self.mutant_slots / mutants).min(wanted).max(1);
            return MutantSlots { lanes, awake: lanes, all: mutants * lanes };
        }
        let awake = 1 << (self.mutant_slots / 2 / mutants).clamp(1, self.unit).ilog2();
        let first = (mutants * awake).next_multiple_of(self.unit);
        // As many slots as have twice the least memory, if that leaves a unit for each mutant.
        let most = (self.mutant_slots / 2).max(first + mutants * self.unit).min(self.mutant_slots);
        let room = most.saturating_sub(first);
        let further = wanted.min(whole(room / mutants).max(self.unit));
        let blocks = mutants.min(room / further.max(1));
        MutantSlots { lanes: awake + further, awake, all: first + blocks * further }
    }

    /// Returns the most mutants of a chunk.
    pub fn most_mutants(&self) -> u32 {
        if self.unit == 1 { self.mutant_slots } else { self.mutant_slots / 2 }
    }

    /// Returns the memory of each run if `slots` slots share it: the less slots, the more, up to all that a run may
    /// use. Runs that need more are restarted in the few threads that have it all.
    pub fn run_memory(&self, slots: u32) -> RunMemory {
        let twice = |run: &RunMemory| RunMemory {
            words: (2 * run.words).min(limits::STACK_WORDS),
            calls: (2 * run.calls).min(limits::CALL_DEPTH),
        };
        let fits = |run: &RunMemory| u64::from(slots) * run.total() <= self.run_words;
        let sizes = std::iter::successors(Some(LEAST_RUN), |run| Some(twice(run)).filter(|next| next != run));
        sizes.take_while(fits).last().unwrap_or(LEAST_RUN)
    }

    /// Returns the tuning with as many slots as have memory in one binding of the device. The first chunk shrinks with them,
    /// so that its runs keep their memory.
    pub fn within(self, limits: &wgpu::Limits) -> Tuning {
        let words = self.run_words.min(limits.max_storage_buffer_binding_size / 4);
        let slots = (words / LEAST_RUN.total()).max(1).ilog2();
        let most = |slots_wanted: u32| slots_wanted.min(1 << slots);
        Tuning {
            run_words: words,
            slots: most(self.slots),
            base_slots: most(self.base_slots),
            mutant_slots: most(self.mutant_slots),
            programs: self.programs * most(self.mutant_slots) / self.mutant_slots,
            ..self
        }
    }

    /// Returns the tuning for a kind of adapter. That of hardware was measured on an NVIDIA H200 (driver 580.159.04,
    /// November 2026): `docs/performance.md`.
    pub fn of(software: bool) -> Tuning {
        match software {
            true => Tuning {
                slots: 2048,
                base_slots: 1024,
                mutant_slots: 2048,
                awake: 1,
                unit: UNIT[1],
                run_words: 2048 * LEAST_RUN.total(),
                programs: 64,
                most_programs: 4096,
                growth: 2,
                segment_words: 1 << 18,
                large_threads: LARGE_THREADS[1],
                candidates: 96,
                budget: 2048,
                lanes_in_flight: 8,
                worth_keeping: worth(1 << 16),
                sharing: 8,
            },
            false => Tuning {
                slots: 131_072,
                base_slots: 32_768,
                mutant_slots: 131_072,
                awake: LANES,
                unit: UNIT[0],
                run_words: 131_072 * LEAST_RUN.total(),
                programs: 1_024,
                most_programs: 32_768,
                growth: 8,
                segment_words: 1 << 23,
                large_threads: LARGE_THREADS[0],
                candidates: 4096,
                budget: 16_384,
                lanes_in_flight: 64,
                worth_keeping: worth(1 << 23),
                sharing: 1,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewer_slots_the_more_memory_has_each_run() {
        let tuning = Tuning::of(false);
        let words = |slots: u32| tuning.run_memory(slots).words;
        assert_eq!(
            [131_072, 65_536, 32_768, 16_384, 8_192, 1].map(words),
            [256, 512, 1_024, 2_048, 4_096, 4_096]
        );
        assert_eq!(tuning.run_memory(1), RunMemory { words: limits::STACK_WORDS, calls: limits::CALL_DEPTH });
        for software in [false, true] {
            let tuning = Tuning::of(software);
            for slots in [tuning.slots, tuning.base_slots, tuning.mutant_slots] {
                assert!(u64::from(slots) * tuning.run_memory(slots).total() <= tuning.run_words);
            }
        }
    }

    #[test]
    fn mutants_of_a_chunk_share_all_slots_in_whole_units() {
        let (hardware, software) = (Tuning::of(false), Tuning::of(true));
        let slots = |mutants, single, many| {
            let MutantSlots { lanes, awake, all } = hardware.mutants(mutants, Jobs { single, many });
            (lanes, awake, all)
        };
        assert_eq!(slots(64, 5, 5_000), (1_024, 32, 64 * 1_024));
        assert_eq!(slots(65, 5, 40), (96, 32, 65 * 96));
        assert_eq!(slots(2_049, 5, 0), (16, 16, 32_800), "two in a unit");
        assert_eq!(slots(65, 0, 40), (64, 64, 65 * 64), "active from the start");
        assert_eq!(slots(10_000, 5, 40), (36, 4, 40_000 + 2_846 * 32), "blocks for a part of them");
        for tuning in [hardware, hardware.within(&wgpu::Limits::default())] {
            for mutants in [1, 33, 1_000, 5_000, tuning.most_mutants()] {
                for (single, many) in [(0, 7), (5, 0), (5, 9), (0, 9_999), (5, 9_999)] {
                    let MutantSlots { lanes, awake, all } = tuning.mutants(mutants, Jobs { single, many });
                    assert!(
                        (1..=lanes).contains(&awake) && all <= tuning.mutant_slots,
                        "{mutants}, {single}, {many}"
                    );
                    assert!(all >= mutants * awake && (single == 0 || (lanes - awake) % UNIT[0] == 0));
                }
            }
        }
        let same = MutantSlots { lanes: 32, awake: 1, all: 2_048 };
        assert_eq!(software.mutants(64, Jobs { single: 5, many: 5_000 }), same);
    }

    #[test]
    fn a_device_with_small_bindings_has_fewer_slots() {
        let limits = wgpu::Limits::default();
        let tuning = Tuning::of(false).within(&limits);
        assert_eq!((tuning.slots, tuning.base_slots, tuning.mutant_slots), (65_536, 32_768, 65_536));
        assert!(tuning.run_words * 4 <= limits.max_storage_buffer_binding_size);
        let jobs = Jobs { single: 5, many: 40 };
        let memory = |tuning: Tuning| tuning.run_memory(tuning.mutants(tuning.programs, jobs).all);
        assert_eq!((Tuning::of(false).programs, tuning.programs), (1_024, 512));
        assert_eq!(memory(Tuning::of(false)), memory(tuning), "of each run of the first chunk");
        let same = Tuning::of(true);
        assert_eq!((same.within(&limits).slots, same.within(&limits).programs), (same.slots, same.programs));
    }
}
