//! Counts of a device's work that depend on no clock. Those of lanes are only counted on request, because the machine
//! then records each instruction.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::compiler::layout::numbers::counted;
use crate::engine::lockstep::Lockstep;

/// The time of a turn of a group in the model, in microseconds: that of a step of one thread, measured on an NVIDIA H200
/// (`docs/performance.md`).
pub const TURN: f64 = 0.23;

#[derive(Default)]
pub struct Counts {
    /// Whether the schedule follows from the times of the model, so that all counts can be repeated.
    pub modelled: bool,
    pub dispatches: AtomicU64,
    pub waits: AtomicU64,
    pub words_written: AtomicU64,
    pub words_read: AtomicU64,
    /// Runs that overflowed small memory.
    pub moved: AtomicU64,
    lanes: Option<Mutex<LaneCounts>>,
    /// The buffer with the recorded turns after its own words.
    state: OnceLock<wgpu::Buffer>,
}

/// Sums over the dispatches of the machine.
#[derive(Clone, Default)]
struct LaneCounts {
    together: bool,
    /// Dispatches with work, and their threads with steps.
    slices: u64,
    slots: u64,
    most_slots: u64,
    steps: u64,
    /// The most steps of one thread, and the most turns of a group.
    longest: u64,
    longest_group: u64,
    groups: Lockstep,
    /// Threads without work in turns of the other threads of their group.
    empty: u64,
    ends: Ends,
}

/// Groups without work while others of their chunk finish: as many as could begin the next chunk.
#[derive(Clone, Default)]
struct Ends {
    /// The groups with work and the turns of each slice of the current chunk.
    slices: Vec<[u64; 2]>,
    /// Sums over chunks: the most groups at once times all turns, and those idle after they were the most.
    held: u64,
    idle: u64,
    /// The most turns of a chunk.
    longest_chunk: u64,
}

impl Ends {
    /// Adds the current chunk.
    fn finish(&mut self) {
        let slices = std::mem::take(&mut self.slices);
        let Some(most) = slices.iter().map(|[groups, _]| *groups).max() else { return };
        let turns = slices.iter().map(|[_, turns]| turns).sum();
        let behind = slices.iter().skip_while(|[groups, _]| *groups < most);
        self.idle += behind.map(|[groups, turns]| (most - groups) * turns).sum::<u64>();
        self.held += most * turns;
        self.longest_chunk = self.longest_chunk.max(turns);
    }
}

/// Returns the words of both tiers at the end of a buffer of state, as parts to read.
pub fn parts(state: &wgpu::Buffer) -> [(&wgpu::Buffer, u64, u64); 2] {
    let (end, words) = (state.size() / 4, u64::from(counted::WORDS));
    [2, 1].map(|tier| (state, end - tier * words, words))
}

impl Counts {
    /// Counts lanes too. `together` says whether threads of a group wait for each other.
    pub fn of_lanes(together: bool) -> Counts {
        let lanes = LaneCounts { together, ..LaneCounts::default() };
        Counts { modelled: true, lanes: Some(Mutex::new(lanes)), ..Counts::default() }
    }

    /// Whether the machine records its instructions.
    pub fn lanes(&self) -> bool {
        self.lanes.is_some()
    }

    /// Returns the words that `state` needs for them.
    pub fn words(&self) -> u64 {
        if self.lanes() { 2 * u64::from(counted::WORDS) } else { 0 }
    }

    /// Makes this the buffer with the recorded turns.
    pub fn record(&self, state: &wgpu::Buffer) {
        if self.lanes() {
            _ = self.state.set(state.clone());
        }
    }

    pub fn state(&self) -> Option<wgpu::Buffer> {
        self.state.get().cloned()
    }

    /// Begins work with slots of its own: a base or a chunk.
    pub fn begin(&self) {
        let lanes = self.lanes.iter();
        lanes.for_each(|lanes| lanes.lock().unwrap_or_else(PoisonError::into_inner).ends.finish());
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
            let mut held = lanes.lock().unwrap_or_else(PoisonError::into_inner);
            let none = LaneCounts { together: held.together, ..LaneCounts::default() };
            let mut lanes = std::mem::replace(&mut *held, none);
            lanes.ends.finish();
            figures.retain(|(name, ..)| name.starts_with("runs"));
            figures.extend(lanes.figures());
        }
        figures
    }
}

impl LaneCounts {
    fn add(&mut self, words: &[u32]) {
        let group = counted::GROUP as usize;
        let (Some((head, turns)), Some(every)) =
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
        let recorded = turns.chunks_exact(group * counted::STEPS as usize);
        let groups = made.chunks_exact(group).step_by(*every as usize).zip(recorded);
        let turns = groups.map(|(made, words)| self.add_group(made, words, u64::from(*every))).max();
        let turns = turns.unwrap_or_default();
        self.longest_group += turns;
        let busy = made.chunks(group).filter(|made| made.iter().any(|made| *made > 0)).count() as u64;
        self.ends.slices.extend((busy > 0).then_some([busy, turns]));
    }

    /// Adds a group that represents `every` groups; returns its turns. `words` has the turn of each thread at its first
    /// step, then at its second, and so on.
    fn add_group(&mut self, made: &[u32], words: &[u32], every: u64) -> u64 {
        let (threads, mut next, mut turns) = (made.len(), vec![0; made.len()], 0);
        let mut now = Vec::with_capacity(threads);
        loop {
            let turn = |thread: usize, next: &[u32]| {
                let left = next[thread] < made[thread].min(counted::STEPS);
                left.then(|| words[next[thread] as usize * threads + thread])
            };
            let Some(least) = (0..threads).filter_map(|thread| turn(thread, &next)).min() else { return turns };
            now.clear();
            let empty = (0..threads).filter(|thread| turn(*thread, &next).is_none()).count() as u64;
            self.empty += every * empty;
            for thread in 0..threads {
                if let Some(own) = turn(thread, &next).filter(|own| *own == least || !self.together) {
                    now.push(own);
                    next[thread] += 1;
                }
            }
            self.groups.add(&mut now, every);
            turns += now.len() as u64;
        }
    }

    fn figures(&self) -> [(&'static str, &'static str, f64); 13] {
        let ratio = |n: u64, of: u64| if of == 0 { 0.0 } else { n as f64 / of as f64 };
        [
            ("slices with work", "count", self.slices as f64),
            ("slots in flight, mean", "count", ratio(self.slots, self.slices)),
            ("slots in flight, most", "count", self.most_slots as f64),
            ("steps", "count", self.steps as f64),
            ("steps of the longest chain", "count", self.longest as f64),
            ("turns of the longest group", "count", self.longest_group as f64),
            ("turns of the longest chunk", "count", self.ends.longest_chunk as f64),
            ("groups idle at ends of chunks", "%", 100.0 * ratio(self.ends.idle, self.ends.held)),
            ("time by the model", "ms", self.longest_group as f64 * TURN / 1e3),
            ("instructions of a group's step", "count", ratio(self.groups.issued, self.groups.steps)),
            ("threads of a group's step", "count", ratio(self.groups.made, self.groups.steps)),
            ("empty threads of a group's step", "count", ratio(self.empty, self.groups.steps)),
            ("divergence", "times", self.groups.divergence(counted::GROUP)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_turns_and_idle_threads_are_divergence() {
        let figure = |made: [u32; 4], words: &[u32]| {
            let mut lanes = LaneCounts::default();
            lanes.add_group(&made, words, 3);
            (lanes.groups.issued, lanes.groups.made, lanes.groups.steps)
        };
        assert_eq!(figure([2, 2, 2, 2], &[7, 7, 7, 7, 8, 8, 8, 8, 1, 2, 3, 4]), (6, 24, 6));
        assert_eq!(figure([1, 1, 1, 1], &[7, 8, 7, 9]), (9, 12, 3));
        assert_eq!(figure([0, 1, 0, 2], &[9, 7, 9, 8, 9, 9, 9, 8]), (9, 9, 6));
    }

    #[test]
    fn groups_that_end_before_others_of_their_chunk_are_idle() {
        let mut ends = Ends { slices: vec![[1, 10], [4, 10], [2, 10], [1, 10]], ..Ends::default() };
        ends.finish();
        ends.finish();
        ends.slices = vec![[2, 20]];
        ends.finish();
        // Before all four groups work, none is idle.
        assert_eq!((ends.idle, ends.held, ends.longest_chunk), (20 + 30, 160 + 40, 40));
    }

    #[test]
    fn threads_with_later_turns_wait_for_the_group() {
        let mut lanes = LaneCounts { together: true, ..LaneCounts::default() };
        // One thread skips a branch of two instructions, 2 and 3, and waits for the other at 4.
        let turns = lanes.add_group(&[2, 4], &[1, 1, 4, 2, 0, 3, 0, 4], 1);
        assert_eq!((turns, lanes.groups.issued, lanes.groups.made, lanes.empty), (4, 4, 6, 0));
        // The first thread is done after two turns, and empty in the third.
        assert_eq!(lanes.add_group(&[2, 3], &[1, 1, 2, 2, 0, 3], 1), 3);
        assert_eq!(lanes.empty, 1);
    }
}
