//! The paper's constants: Metinov, Kudakeeva, Kabaeva, "Theoretical Foundations of GPU-Native Compilation for Rapid
//! Code Iteration". Times are in milliseconds, energies in joules, powers in watts, memory in megabytes.

/// A value that the paper states as a range. Both ends are equal for a single number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    pub low: f64,
    pub high: f64,
}

impl Range {
    pub const fn new(low: f64, high: f64) -> Range {
        Range { low, high }
    }
    pub const fn of(value: f64) -> Range {
        Range { low: value, high: value }
    }
    /// Applies an increasing function to both ends.
    pub fn map(self, f: impl Fn(f64) -> f64) -> Range {
        Range { low: f(self.low), high: f(self.high) }
    }
    pub fn contains(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

// Equation 16 and section 6.1: one iteration with a CPU.
pub const GENERATE: Range = Range::of(10.0);
pub const TRANSFER: Range = Range::of(1.0);
pub const COMPILE: Range = Range::new(50.0, 500.0);
pub const EXECUTE: Range = Range::new(10.0, 1000.0);
/// The sum as rounded by the paper.
pub const ITERATION: Range = Range::new(70.0, 1500.0);
/// The T_CPU of section 4.4.
pub const CPU: f64 = 200.0;

// Section 6.2: compiling on a GPU.
pub const GPU_COMPILE: f64 = 50.0;
pub const GPU_WATTS: f64 = 300.0;
/// Equation 1: the paper's growth of phase times with n, in words.
pub const PARSE_GROWS: &str = "n log n";
pub const OPTIMIZE_GROWS: &str = "n²";

// Section 4.3: p_correct by class, and the two examples of equation 8.
pub const P_SIMPLE: Range = Range::new(0.3, 0.5);
pub const P_COMPLEX: Range = Range::new(0.01, 0.1);
pub const K99_EXAMPLES: [(f64, f64); 2] = [(0.1, 46.0), (0.01, 460.0)];
/// Section 4.2: the reward of a program that passes all tests, and of a valid program.
pub const REWARD_CORRECT: f64 = 10.0;
pub const REWARD_VALID: f64 = 1.0;

// Sections 4.4 and 6.1: neural compilation of k = 1000 candidates.
pub const NEURAL_K: f64 = 1000.0;
pub const NEURAL_GENERATE: Range = Range::new(100.0, 200.0);
pub const NEURAL_VERIFY: Range = Range::new(50.0, 500.0);
/// Both times together.
pub const NEURAL_TOTAL: Range = Range::new(150.0, 700.0);
/// Equation 9: the exponent of the width in the time to generate. The paper writes no others.
pub const WIDTH_GROWTH: f64 = 2.0;
/// The T_neural of equation 12.
pub const NEURAL: f64 = 500.0;
pub const SPEEDUP: f64 = 400.0;

/// Equations 14 and 15.
pub struct QuotedHybrid {
    pub p_simple: f64,
    /// Amortized over candidates.
    pub neural: f64,
    pub traditional: f64,
    pub routing: f64,
}
/// The result of equation 15 as rounded by the paper.
pub const HYBRID_TIME: f64 = 6.0;
pub const HYBRID: QuotedHybrid = QuotedHybrid { p_simple: 0.8, neural: 0.2, traditional: 20.0, routing: 2.0 };

// Section 6.2: energy.
pub const TRANSFER_WATTS: f64 = 25.0;
/// The time for k = 1000 candidates.
pub const NEURAL_ENERGY_TIME: f64 = 200.0;
/// The energy of 1,000 iterations.
pub const CPU_JOULES: f64 = 70_000.0;
pub const ENERGY_FACTOR: f64 = 1000.0;

// Section 6.3: memory; the traditional figures are for k = 100.
pub const MEMORY_K: u32 = 100;
pub const SOURCE_MB: Range = Range::new(1.0, 10.0);
pub const TREE_MB: Range = Range::new(5.0, 50.0);
pub const SYMBOLS_MB: Range = Range::new(5.0, 50.0);
pub const BYTECODE_MB: Range = Range::new(1.0, 10.0);
pub const TRADITIONAL_MB: Range = Range::new(20.0, 200.0);
pub const MODEL_MB: Range = Range::new(1_000.0, 10_000.0);
pub const EMBEDDINGS_MB: Range = Range::of(100.0);
pub const CANDIDATES_MB: Range = Range::new(100.0, 1_000.0);
pub const STATE_MB: Range = Range::new(10.0, 100.0);
pub const NEURAL_MB: Range = Range::new(1_000.0, 12_000.0);

// Section 7.2: the execution rate of a device, without compilation.
pub const PROGRAMS_PER_SECOND: f64 = 10_000.0;

// Section 2.3: cores of a GPU.
pub const CORES: f64 = 10_000.0;

// Sections 3.3, 4.4 and 5.2, and table 1. The traditional speedup is for a moderate k.
pub const MODERATE_K: Range = Range::new(10.0, 100.0);
pub const SPEEDUP_TRADITIONAL: Range = Range::new(2.0, 5.0);
pub const SPEEDUP_NEURAL: Range = Range::new(10.0, 100.0);
pub const SPEEDUP_HYBRID: Range = Range::new(5.0, 20.0);

/// A row of table 1: a property and the paper's rating of each approach.
pub struct Property {
    pub name: &'static str,
    pub traditional: &'static str,
    pub neural: &'static str,
    pub hybrid: &'static str,
}

const fn property(
    name: &'static str,
    traditional: &'static str,
    neural: &'static str,
    hybrid: &'static str,
) -> Property {
    Property { name, traditional, neural, hybrid }
}

/// Table 1 without its last row, the speedups.
pub const TABLE_1: [Property; 8] = [
    property("determinism", "high", "low", "high"),
    property("parallelism", "medium", "very high", "high"),
    property("language support", "complete", "partial", "complete"),
    property("implementation effort", "high", "medium", "very high"),
    property("throughput (k programs)", "medium", "very high", "high"),
    property("single-program latency", "medium", "high", "low"),
    property("memory efficiency", "high", "low", "medium"),
    property("debugging support", "excellent", "poor", "good"),
];

/// Table 2: what each approach is best for, and when to avoid it.
pub const TABLE_2: [(&str, &str, &str); 3] = [
    (
        "traditional",
        "small k (<100), complex languages, debugging needed, determinism critical",
        "large k (>1000), simple or repetitive code",
    ),
    (
        "neural",
        "large k (>1000), simple DSLs, pattern-heavy code, throughput-critical",
        "complex or rare constructs, guarantees required",
    ),
    (
        "hybrid",
        "mixed workloads, production systems, reliability and speed needed",
        "resource-constrained, simple uniform workloads",
    ),
];
