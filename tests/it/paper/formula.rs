//! The equations, with the numbers of the paper.

use myriad::paper::formula::{
    Mixture, candidates, hybrid, hybrid_with_failures, iteration, joules, parallel, reward, single, speedup,
    spread, success,
};
use myriad::paper::quoted;
use myriad::paper::quoted::HYBRID;

fn near(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within, "{a} is not {b}");
}

#[test]
fn formulas_reproduce_the_papers_numbers() {
    // Equation 8.
    for (p, k) in quoted::K99_EXAMPLES {
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
    (myriad::paper::formula::neural(g.low, v.low), myriad::paper::formula::neural(g.high, v.high))
}

#[test]
fn phases_add_up_and_excess_programs_wait_for_cores() {
    near(single(&[1.0, 2.0, 3.5]), 6.5, 1e-12);
    near(parallel(&[1.0, 4.0, 2.0], 3.0, 8.0), 4.0, 1e-12);
    near(parallel(&[1.0, 4.0, 2.0], 9.0, 2.0), 20.0, 1e-12);
    near(spread(2.0, 100.0, 4.0), 50.0, 1e-12);
    near(reward(0.9, 0.5), 5.9, 1e-12);
    assert_eq!(candidates(0.0, 0.99), f64::INFINITY);
    assert_eq!(candidates(1.0, 0.99), 1.0);
}
