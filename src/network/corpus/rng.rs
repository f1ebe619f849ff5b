//! Random choices that a seed decides.

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub struct Rng(u64);

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Rng {
    /// The generator of item `index` of the stream `seed`; streams and items do not overlap in practice.
    pub fn new(seed: u64, index: u64) -> Rng {
        let mut rng = Rng(seed);
        let key = rng.bits();
        Rng(key ^ index.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A number of `lo ..= hi`.
    pub fn within(&mut self, lo: i32, hi: i32) -> i32 {
        lo.wrapping_add(self.below((i64::from(hi) - i64::from(lo) + 1).max(1) as usize) as i32)
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }

    /// One of a list; `None` of an empty one.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }

    /// The index of one of these weights, by weight.
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let mut at = self.below(weights.iter().sum::<u32>() as usize) as u32;
        for (i, weight) in weights.iter().enumerate() {
            if at < *weight {
                return i;
            }
            at -= weight;
        }
        0
    }

    /// Puts a list into a random order (Fisher, Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}
