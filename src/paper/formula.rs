//! The paper's equations as functions. All times of a call have the same unit.

/// Equation 1: the time for one program is the sum of its phases' times.
pub fn single(phases: &[f64]) -> f64 {
    phases.iter().sum()
}

/// Equation 2: k programs on P cores take as long as the longest of them if k ≤ P. Beyond that the paper states
/// nothing; here they run in ⌈k / P⌉ rounds.
pub fn parallel(each: &[f64], k: f64, cores: f64) -> f64 {
    each.iter().copied().fold(0.0, f64::max) * (k / cores.max(1.0)).ceil().max(1.0)
}

/// Equation 2 with a fitted P, so that the number of rounds may be fractional.
pub fn parallel_in_effect(one: f64, k: f64, cores: f64) -> f64 {
    one * (k / cores.max(f64::MIN_POSITIVE)).max(1.0)
}

/// Equation 5's reward without the term for time: 10 if all tests pass, plus 1 if the program is valid.
pub fn reward(valid: f64, passed: f64) -> f64 {
    super::quoted::REWARD_CORRECT * passed + super::quoted::REWARD_VALID * valid
}

/// Equation 7: success within k candidates.
pub fn success(p: f64, k: f64) -> f64 {
    1.0 - (1.0 - p.clamp(0.0, 1.0)).powf(k)
}

/// Equation 8: the candidates for success with this probability, or infinity if none is ever correct.
pub fn candidates(p: f64, success: f64) -> f64 {
    match p {
        p if p <= 0.0 => f64::INFINITY,
        p if p >= 1.0 => 1.0,
        p => (1.0 - success).ln() / (1.0 - p).ln(),
    }
}

/// Equations 9 and 10: the time for k candidates on P cores, given the time for one.
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
    /// The fraction of programs routed to the neural path.
    pub p_simple: f64,
    pub neural: f64,
    pub traditional: f64,
    pub routing: f64,
}

/// Equation 14.
pub fn hybrid(m: Mixture) -> f64 {
    m.p_simple * m.neural + (1.0 - m.p_simple) * m.traditional + m.routing
}

/// Equation 14 with the missing term for failures: if no candidate is right, the traditional path runs after all.
/// `p_success` is the fraction of programs on the neural path with a correct candidate.
pub fn hybrid_with_failures(m: Mixture, p_success: f64) -> f64 {
    hybrid(m) + m.p_simple * (1.0 - p_success) * m.traditional
}

/// Equation 16.
pub fn iteration(generate: f64, transfer: f64, compile: f64, execute: f64) -> f64 {
    generate + 2.0 * transfer + compile + execute
}

/// Section 6.2: converts watts and milliseconds to joules.
pub fn joules(watts: f64, milliseconds: f64) -> f64 {
    watts * milliseconds / 1e3
}
