//! Counts of a device's work that depend on no clock. Those of lanes are only counted on request, because the machine
//! then records each instruction.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::compiler::layout::numbers::counted;
use crate::engine::lockstep::Lockstep;

#[derive(Default)]
pub struct Counts {
    pub dispatches: AtomicU64,
    pub waits: AtomicU64,
    pub words_written: AtomicU64,
    pub words_read: AtomicU64,
    /// Runs that overflowed small memory.
    pub moved: AtomicU64,
    lanes: Option<Mutex<LaneCounts>>,
    /// The buffer with the recorded addresses after its own words.
    state: OnceLock<wgpu::Buffer>,
}

/// Sums over the dispatches of the machine.
#[derive(Clone, Copy, Default)]
struct LaneCounts {
    /// Dispatches with work, and their threads with steps.
    slices: u64,
    slots: u64,
    most_slots: u64,
    steps: u64,
    /// The most steps of one thread.
    longest: u64,
    groups: Lockstep,
}

/// Returns the words of both tiers at the end of a buffer of state, as parts to read.
pub fn parts(state: &wgpu::Buffer) -> [(&wgpu::Buffer, u64, u64); 2] {
    let (end, words) = (state.size() / 4, u64::from(counted::WORDS));
    [2, 1].map(|tier| (state, end - tier * words, words))
}

impl Counts {
    /// Counts lanes too.
    pub fn of_lanes() -> Counts {
        Counts { lanes: Some(Mutex::default()), ..Counts::default() }
    }

    /// Whether the machine records its instructions.
    pub fn lanes(&self) -> bool {
        self.lanes.is_some()
    }

    /// Returns the words that `state` needs for them.
    pub fn words(&self) -> u64 {
        if self.lanes() { 2 * u64::from(counted::WORDS) } else { 0 }
    }

    /// Makes this the buffer with the recorded addresses.
    pub fn record(&self, state: &wgpu::Buffer) {
        if self.lanes() {
            _ = self.state.set(state.clone());
        }
    }

    pub fn state(&self) -> Option<wgpu::Buffer> {
        self.state.get().cloned()
    }

    /// Adds the words of one dispatch.
    pub fn add(&self, words: &[u32]) {
        let Some(lanes) = &self.lanes else { return };
        lanes.lock().unwrap_or_else(PoisonError::into_inner).add(words);
    }

    /// Returns all figures since the last call, each with its unit.
    pub fn take(&self) -> Vec<(&'static str, &'static str, f64)> {
        let mut figures = Vec::new();
        let all = [
            ("dispatches", "count", &self.dispatches),
            ("waits", "count", &self.waits),
            ("words written", "words", &self.words_written),
            ("words read", "words", &self.words_read),
            ("runs moved to larger memory", "count", &self.moved),
        ];
        figures.extend(all.map(|(name, unit, count)| (name, unit, count.swap(0, Ordering::Relaxed) as f64)));
        if let Some(lanes) = &self.lanes {
            let lanes = std::mem::take(&mut *lanes.lock().unwrap_or_else(PoisonError::into_inner));
            figures.retain(|(name, ..)| name.starts_with("runs"));
            figures.extend(lanes.figures());
        }
        figures
    }
}

impl LaneCounts {
    fn add(&mut self, words: &[u32]) {
        let group = counted::GROUP as usize;
        let (Some((head, addresses)), Some(every)) =
            (words.split_at_checked(counted::ADDRESSES as usize), words.first().filter(|every| **every > 0))
        else {
            return;
        };
        let made = &head[counted::MADE as usize..];
        let slots = made.iter().filter(|made| **made > 0).count() as u64;
        self.slices += u64::from(slots > 0);
        self.slots += slots;
        self.most_slots = self.most_slots.max(slots);
        self.steps += made.iter().map(|made| u64::from(*made)).sum::<u64>();
        self.longest += u64::from(made.iter().copied().max().unwrap_or_default());
        let recorded = addresses.chunks_exact(group * counted::STEPS as usize);
        for (made, addresses) in made.chunks_exact(group).step_by(*every as usize).zip(recorded) {
            self.add_group(made, addresses, u64::from(*every));
        }
    }

    /// Adds a group that represents `every` groups. The addresses of all its threads at one step are adjacent.
    fn add_group(&mut self, made: &[u32], addresses: &[u32], every: u64) {
        let mut at = Vec::with_capacity(made.len());
        for (step, addresses) in (0..counted::STEPS).zip(addresses.chunks_exact(made.len())) {
            at.clear();
            at.extend(
                made.iter().zip(addresses).filter(|(made, _)| **made > step).map(|(_, address)| *address),
            );
            if !self.groups.add(&mut at, every) {
                return;
            }
        }
    }

    fn figures(&self) -> [(&'static str, &'static str, f64); 8] {
        let ratio = |n: u64, of: u64| if of == 0 { 0.0 } else { n as f64 / of as f64 };
        [
            ("slices with work", "count", self.slices as f64),
            ("slots in flight, mean", "count", ratio(self.slots, self.slices)),
            ("slots in flight, most", "count", self.most_slots as f64),
            ("steps", "count", self.steps as f64),
            ("steps of the longest chain", "count", self.longest as f64),
            ("addresses of a group's step", "count", ratio(self.groups.issued, self.groups.steps)),
            ("threads of a group's step", "count", ratio(self.groups.made, self.groups.steps)),
            ("divergence", "times", self.groups.divergence(counted::GROUP)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_addresses_and_idle_threads_are_divergence() {
        let figure = |made: [u32; 4], addresses: &[u32]| {
            let mut lanes = LaneCounts::default();
            lanes.add_group(&made, addresses, 3);
            (lanes.groups.issued, lanes.groups.made, lanes.groups.steps)
        };
        assert_eq!(figure([2, 2, 2, 2], &[7, 7, 7, 7, 8, 8, 8, 8, 1, 2, 3, 4]), (6, 24, 6));
        assert_eq!(figure([1, 1, 1, 1], &[7, 8, 7, 9]), (9, 12, 3));
        assert_eq!(figure([0, 1, 0, 2], &[9, 7, 9, 8, 9, 9, 9, 8]), (9, 9, 6));
    }
}
