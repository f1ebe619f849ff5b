//! The paper's equations as functions. Times come and go in one unit, whichever it is.

/// Equation 1: the time for one program is the sum of its phases'.
pub fn single(phases: &[f64]) -> f64 {
    phases.iter().sum()
}

/// Equation 2: k programs on P cores take as long as the longest of them, where k ≤ P; beyond that the paper is silent, and
/// they go in ⌈k / P⌉ turns.
pub fn parallel(each: &[f64], k: f64, cores: f64) -> f64 {
    each.iter().copied().fold(0.0, f64::max) * (k / cores.max(1.0)).ceil().max(1.0)
}

/// Equation 3: ln p(B | C), the sum over its words.
pub fn log_probability(words: &[f64]) -> f64 {
    words.iter().sum()
}

/// Equation 5's reward, without the term for time: 10 where all tests pass, and 1 where the program is valid.
pub fn reward(valid: f64, passed: f64) -> f64 {
    super::quoted::REWARD_CORRECT * passed + super::quoted::REWARD_VALID * valid
}

/// Equation 7: success within k candidates.
pub fn success(p: f64, k: f64) -> f64 {
    1.0 - (1.0 - p.clamp(0.0, 1.0)).powf(k)
}

/// Equation 8: candidates for success with this probability; infinite where none is ever correct.
pub fn candidates(p: f64, success: f64) -> f64 {
    match p {
        p if p <= 0.0 => f64::INFINITY,
        p if p >= 1.0 => 1.0,
        p => (1.0 - success).ln() / (1.0 - p).ln(),
    }
}

/// Equation 8's approximation for 99 %.
pub fn candidates_approximately(p: f64) -> f64 {
    4.6 / p
}

/// Equations 9 and 10: what takes `one` for one candidate takes this for k of them on P cores.
pub fn spread(one: f64, k: f64, cores: f64) -> f64 {
    one * k / cores.max(1.0)
}

/// Equation 11.
pub fn neural(generate: f64, verify: f64) -> f64 {
    generate + verify
}

/// Equation 12.
pub fn speedup(k: f64, cpu: f64, neural: f64) -> f64 {
    k * cpu / neural
}

/// The parts of equation 14.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixture {
    /// The part of programs that is routed to the neural path.
    pub p_simple: f64,
    pub neural: f64,
    pub traditional: f64,
    pub routing: f64,
}

/// Equation 14.
pub fn hybrid(m: Mixture) -> f64 {
    m.p_simple * m.neural + (1.0 - m.p_simple) * m.traditional + m.routing
}

/// Equation 14 with the term that it lacks: where no candidate is right, the traditional path runs after all.
/// `p_success` is the part of the programs routed to the neural path of which a candidate is right.
pub fn hybrid_with_failures(m: Mixture, p_success: f64) -> f64 {
    hybrid(m) + m.p_simple * (1.0 - p_success) * m.traditional
}

/// Equation 16.
pub fn iteration(generate: f64, transfer: f64, compile: f64, execute: f64) -> f64 {
    generate + 2.0 * transfer + compile + execute
}

/// Section 6.2: joules from watts and milliseconds.
pub fn joules(watts: f64, milliseconds: f64) -> f64 {
    watts * milliseconds / 1e3
}

#[cfg(test)]
mod tests {
    use super::super::quoted::{self, HYBRID};
    use super::*;

    fn near(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within, "{a} is not {b}");
    }

    #[test]
    fn the_papers_numbers_come_out() {
        // Equation 8.
        for (p, k) in quoted::K99_EXAMPLES {
            near(candidates_approximately(p), k, 0.5);
            near(candidates(p, 0.99), k, 0.06 * k);
        }
        // Section 4.3: with k = 1000 even rare patterns succeed.
        assert!(success(0.01, 1000.0) > 0.9999);
        // Equation 12.
        near(speedup(quoted::NEURAL_K, quoted::CPU, quoted::NEURAL), quoted::SPEEDUP, 1e-9);
        // Equation 15: the paper rounds 6.16 to 6.
        let mixture = Mixture {
            p_simple: HYBRID.p_simple,
            neural: HYBRID.neural,
            traditional: HYBRID.traditional,
            routing: HYBRID.routing,
        };
        near(hybrid(mixture), 6.16, 1e-9);
        near(hybrid_with_failures(mixture, 1.0), 6.16, 1e-9);
        // Each failed attempt of the 80 % costs a traditional one: 0.8 × 0.5 × 20 more.
        near(hybrid_with_failures(mixture, 0.5), 6.16 + 8.0, 1e-9);
        // Equation 16: the paper rounds 72 and 1512 to 70 and 1500.
        let total = |end: fn(quoted::Range) -> f64| {
            iteration(end(quoted::GENERATE), end(quoted::TRANSFER), end(quoted::COMPILE), end(quoted::EXECUTE))
        };
        near(total(|range| range.low), 72.0, 1e-9);
        near(total(|range| range.high), 1512.0, 1e-9);
        // Section 6.2: 25 mJ, 15 J, 60 J, 60 mJ each, and about 1000 times less than 70 kJ.
        near(joules(quoted::TRANSFER_WATTS, quoted::TRANSFER.low), 0.025, 1e-12);
        near(joules(quoted::GPU_WATTS, quoted::GPU_COMPILE), 15.0, 1e-9);
        let neural = joules(quoted::GPU_WATTS, quoted::NEURAL_ENERGY_TIME);
        near(neural, 60.0, 1e-9);
        near(neural / quoted::NEURAL_K, 0.060, 1e-12);
        near(quoted::CPU_JOULES / neural, quoted::ENERGY_FACTOR, 200.0);
        // Section 6.1: generation and verification of 1000 candidates.
        near(neural_range().0, 150.0, 1e-9);
        near(neural_range().1, 700.0, 1e-9);
    }

    fn neural_range() -> (f64, f64) {
        let (g, v) = (quoted::NEURAL_GENERATE, quoted::NEURAL_VERIFY);
        (super::neural(g.low, v.low), super::neural(g.high, v.high))
    }

    #[test]
    fn phases_add_up_and_programs_go_in_turns() {
        near(single(&[1.0, 2.0, 3.5]), 6.5, 1e-12);
        near(parallel(&[1.0, 4.0, 2.0], 3.0, 8.0), 4.0, 1e-12);
        near(parallel(&[1.0, 4.0, 2.0], 9.0, 2.0), 20.0, 1e-12);
        near(spread(2.0, 100.0, 4.0), 50.0, 1e-12);
        near(log_probability(&[-1.0, -0.5]), -1.5, 1e-12);
        near(reward(0.9, 0.5), 5.9, 1e-12);
        assert_eq!(candidates(0.0, 0.99), f64::INFINITY);
        assert_eq!(candidates(1.0, 0.99), 1.0);
    }
}
