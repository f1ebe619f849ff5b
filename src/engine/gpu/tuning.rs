//! The amounts of work that suit an adapter.

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
    /// Mutants in the first chunk.
    pub programs: u32,
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
    /// pays off. Not measured on hardware yet, where tests run in parallel. Debug builds always do this.
    pub worth_keeping: u64,
    /// Threads that share the limit of loop iterations: the lanes of a vector.
    pub sharing: u32,
}

/// Returns a threshold: the number of steps from which a special case pays off. In debug builds it is 1, so
/// that tests exercise that case.
const fn worth(steps: u64) -> u64 {
    if cfg!(debug_assertions) { 1 } else { steps }
}

/// The maximum number of slots of one mutant.
const MOST_LANES: u32 = 64;

impl Tuning {
    /// Returns the slots per mutant, and how many of these are active initially.
    pub fn lanes(&self, mutants: u32) -> (u32, u32) {
        let lanes = (self.mutant_slots / mutants.max(1)).clamp(1, MOST_LANES);
        (lanes, self.awake.min(lanes))
    }

    pub fn of(software: bool) -> Tuning {
        match software {
            true => Tuning {
                slots: 2048,
                base_slots: 1024,
                mutant_slots: 2048,
                awake: 1,
                programs: 64,
                candidates: 96,
                budget: 2048,
                lanes_in_flight: 8,
                worth_keeping: worth(1 << 16),
                sharing: 8,
            },
            false => Tuning {
                slots: 32_768,
                base_slots: 32_768,
                mutant_slots: 32_768,
                awake: MOST_LANES,
                programs: 512,
                candidates: 4096,
                budget: 16_384,
                lanes_in_flight: 64,
                worth_keeping: worth(1 << 23),
                sharing: 1,
            },
        }
    }
}
