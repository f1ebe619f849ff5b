//! How many repetitions must vote for the majority to be right.

/// A majority vote, modelled and tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vote {
    /// Repetitions that vote; odd.
    pub size: u32,
    /// The probability that their majority is wrong, at the error rate assumed.
    pub error: f64,
    /// Groups of so many repetitions that were drawn, and how many of them had a wrong majority.
    pub groups: u32,
    pub lost: u32,
}

impl Vote {
    /// Tries a vote on repetitions that held, or did not, in consecutive groups; what is left over votes nowhere.
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

/// Votes of more repetitions than this are not looked for: the error rate is then 1/2 for all that matters.
const LARGEST: u32 = 100_001;

/// The least odd number of repetitions whose majority is wrong with at most the probability `bound`, if each is wrong
/// with probability `p`, independently, and all wrong answers agree. None if no number is enough.
pub fn size(p: f64, bound: f64) -> Option<u32> {
    if p.is_nan() || p >= 0.5 {
        return None;
    }
    let enough = |half: u32| tail(2 * half + 1, p) <= bound;
    // The tail falls as the number grows: by doubling, then by halving what is between.
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

/// The probability that more than half of `n` (odd) are wrong, if each is with probability `p`: the binomial tail.
///
/// The largest term is taken by logarithms, as factorials overflow; the others follow from it by their quotients, which
/// are below 1 from there on for p ≤ 1/2, so the sum is exact to the last digits.
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
