//! Threads of a device that run in groups. A group executes, at each step, every different instruction of its threads,
//! one after the other, while the other threads wait.

/// Sums over steps of groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lockstep {
    pub steps: u64,
    /// The different addresses at each step.
    pub issued: u64,
    /// The threads that make each step.
    pub made: u64,
}

impl Lockstep {
    /// Adds a step of `every` groups, whose threads execute the instructions at these addresses. Returns false if none
    /// does.
    pub fn add(&mut self, addresses: &mut Vec<u32>, every: u64) -> bool {
        self.made += every * addresses.len() as u64;
        addresses.sort_unstable();
        addresses.dedup();
        self.issued += every * addresses.len() as u64;
        self.steps += if addresses.is_empty() { 0 } else { every };
        !addresses.is_empty()
    }

    /// Returns how many times longer groups of a size work than if all threads always executed the same instruction.
    pub fn divergence(&self, group: u32) -> f64 {
        if self.made == 0 { 0.0 } else { (self.issued * u64::from(group)) as f64 / self.made as f64 }
    }
}
