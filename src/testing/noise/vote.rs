//! Computes how many repetitions must vote so that the majority is right.

/// A majority vote, as modelled and as measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vote {
    /// The number of repetitions that vote; odd.
    pub size: u32,
    /// The probability of a wrong majority, at the assumed error rate.
    pub error: f64,
    /// The number of measured groups of `size` repetitions, and how many of them had a wrong majority.
    pub groups: u32,
    pub lost: u32,
}

impl Vote {
    /// Measures votes on consecutive groups of repetitions; `held` records which were right. Left-over repetitions are
    /// ignored.
    pub fn measured(size: u32, p: f64, held: &[bool]) -> Vote {
        let groups = held.chunks_exact(size as usize);
        let wrong = |group: &&[bool]| 2 * group.iter().filter(|held| !**held).count() > group.len();
        Vote {
            size,
            error: tail(size, p),
            groups: groups.len() as u32,
            lost: groups.filter(wrong).count() as u32,
        }
    }
}

/// The maximum size of a vote that is searched for. Beyond it the error rate is 1/2 for all practical purposes.
const LARGEST: u32 = 100_001;

/// Returns the least odd number of repetitions whose majority is wrong with probability at most `bound`. Each is wrong
/// independently with probability `p`, and all wrong answers agree. Returns `None` if no number is enough.
pub fn size(p: f64, bound: f64) -> Option<u32> {
    if p.is_nan() || p >= 0.5 {
        return None;
    }
    let enough = |half: u32| tail(2 * half + 1, p) <= bound;
    // The tail decreases as the number grows, so an exponential search followed by a binary search finds it.
    let mut high = 0;
    while !enough(high) {
        high = 2 * high + 1;
        if 2 * high + 1 > LARGEST {
            return None;
        }
    }
    let mut low = high / 2;
    while low < high {
        let middle = low + (high - low) / 2;
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    Some(2 * high + 1)
}

/// Returns the probability that more than half of `n` (odd) are wrong, each with probability `p`: the binomial tail.
///
/// The largest term is computed with logarithms, as factorials overflow. The other terms follow by their quotients,
/// which are below 1 for p ≤ 1/2, so the sum is exact to the last digits.
pub fn tail(n: u32, p: f64) -> f64 {
    let p = p.clamp(0.0, 1.0);
    if p == 0.0 || p == 1.0 || n <= 1 {
        return p;
    }
    let least = n / 2 + 1;
    let odds = p / (1.0 - p);
    let choose: f64 = (1..=least).map(|i| (f64::from(n - least + i) / f64::from(i)).ln()).sum();
    let first = choose + f64::from(least) * p.ln() + f64::from(n - least) * (-p).ln_1p();
    let (mut term, mut sum) = (1.0, 1.0);
    for i in least..n {
        term *= f64::from(n - i) / f64::from(i + 1) * odds;
        sum += term;
        if term < sum * 1e-17 && f64::from(n - i) / f64::from(i + 1) * odds < 1.0 {
            break;
        }
    }
    (first + sum.ln()).exp().min(1.0)
}
