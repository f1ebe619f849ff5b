//! A deterministic random number generator. Inputs that a shader draws as well, and deciding inputs, have another one: a
//! hash of their number (`compiler::stage::execute::mix`).

/// The SplitMix64 generator (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub struct Rng(u64);

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Rng {
    /// Creates the generator of item `index` of the stream `seed`. Streams and items do not overlap in
    /// practice.
    pub fn new(seed: u64, index: u64) -> Rng {
        let mut rng = Rng(seed);
        let key = rng.bits();
        Rng(key ^ index.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns 32 random bits.
    pub fn word(&mut self) -> u32 {
        (self.bits() >> 32) as u32
    }

    /// Returns a number below `n`, or 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Returns a number in `lo ..= hi`.
    pub fn within(&mut self, lo: i32, hi: i32) -> i32 {
        lo.wrapping_add(self.below((i64::from(hi) - i64::from(lo) + 1).max(1) as usize) as i32)
    }

    /// Returns true with a probability of `percent` percent.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }

    /// Returns an item of a list, or `None` if the list is empty.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }

    /// Returns a random index, with these weights.
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

    /// Shuffles a list (Fisher, Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}
