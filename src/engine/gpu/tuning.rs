//! How much work at once suits an adapter.

/// Bounds of one batch, chunk or slice.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Slots of execute at most.
    pub slots: u32,
    /// Of these for the base. A lane that is done with a short input takes the next one, so on a software adapter there are fewer slots than inputs.
    pub base_slots: u32,
    /// Of these for a chunk of mutants.
    pub mutant_slots: u32,
    /// Of these for each mutant from the start. Runs of one mutant side by side are wasted where an earlier one kills it, so an adapter that has
    /// few lanes begins with one, and the others are woken as its first runs pass.
    pub awake: u32,
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
    /// Steps of a program's tests from which on it is worth a submission more to find out which of them need not be run again. On hardware they run
    /// side by side: nothing is measured there yet. Builds for tests always do.
    pub worth_keeping: u64,
    /// Threads that share the bound of loop iterations: the lanes of a vector.
    pub sharing: u32,
}

/// So many steps, or any in a build for tests.
const fn worth(steps: u64) -> u64 {
    if cfg!(debug_assertions) { 1 } else { steps }
}

/// Slots of one mutant, at most.
const MOST_LANES: u32 = 64;

impl Tuning {
    /// Slots of each of so many mutants, and how many of these are at work from the start.
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
                abreast: 8,
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
                abreast: 64,
                worth_keeping: worth(1 << 23),
                sharing: 1,
            },
        }
    }
}
