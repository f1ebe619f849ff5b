//! The number of mutants in the next chunk, from the times of the last ones.

use super::slices::TARGET;
use super::tuning::Tuning;

/// The minimum of a chunk's size, if enough mutants are left.
const LEAST: u32 = 64;

/// The size of the next chunk. A chunk takes a fixed time, which includes its longest run, and a time for each mutant.
#[derive(Clone, Copy, Debug)]
pub struct ChunkSize {
    pub mutants: u32,
    /// The slices that the last chunk needed.
    pub slices: u32,
    /// Mutants and seconds of the last chunk.
    last: Option<(u32, f64)>,
}

impl ChunkSize {
    pub fn new(tuning: &Tuning) -> ChunkSize {
        ChunkSize { mutants: tuning.programs, slices: 0, last: None }
    }

    /// Learns from the time of a chunk of `count` mutants. On hardware, two chunks of different sizes separate the fixed
    /// time: a smaller chunk would not save it, so the mutants may take as long.
    pub fn learn(&mut self, tuning: &Tuning, count: u32, seconds: f64) {
        let (mutants, target) = (f64::from(count), TARGET.as_secs_f64());
        let known = self
            .last
            .replace((count, seconds))
            .filter(|(last, _)| tuning.unit > 1 && last.abs_diff(count) > count / 4);
        let each = known.map_or(seconds / mutants, |(last, earlier)| {
            ((seconds - earlier) / (mutants - f64::from(last))).clamp(0.0, seconds / mutants)
        });
        let fixed = seconds - each * mutants;
        let fitting = (target - fixed).max(fixed) / each.max(1e-9);
        let (least, most) = (self.mutants / 2, self.mutants.saturating_mul(tuning.growth));
        self.mutants = (fitting.round() as u32).clamp(least, most).clamp(LEAST, tuning.most_programs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the sizes of chunks on a device that takes these milliseconds for a chunk, and for 1,000 mutants.
    fn sizes(software: bool, fixed: f64, thousand: f64) -> Vec<u32> {
        let tuning = Tuning::of(software);
        let mut size = ChunkSize::new(&tuning);
        let next = |_| {
            let count = size.mutants;
            size.learn(&tuning, count, (fixed + thousand * f64::from(count) / 1e3) / 1e3);
            count
        };
        (0..5).map(next).collect()
    }

    #[test]
    fn chunks_grow_as_far_as_the_target_time() {
        assert_eq!(sizes(false, 0.0, 2.0), [1_024, 8_192, 25_000, 25_000, 25_000]);
        assert_eq!(sizes(true, 0.0, 200.0), [64, 128, 250, 250, 250]);
    }

    #[test]
    fn a_long_fixed_time_makes_no_chunk_smaller() {
        // The longest run takes 200 ms. The second chunk shows that fewer mutants do not take less time.
        assert_eq!(sizes(false, 200.0, 2.0), [1_024, 512, 4_096, 32_768, 32_768]);
        // Software: 64 mutants take 200 ms.
        assert_eq!(sizes(true, 200.0, 2.0)[..2], [64, 64]);
    }
}
