//! The paper's equations by number, each with a title and a formula.

/// An equation as shown in the heading of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Equation {
    pub number: u8,
    pub title: &'static str,
    pub formula: &'static str,
}

const fn equation(number: u8, title: &'static str, formula: &'static str) -> Equation {
    Equation { number, title, formula }
}

/// All equations in the paper's order.
pub const EQUATIONS: [Equation; 16] = [
    equation(1, "one program, traditionally", "T = Σ T_i(n)"),
    equation(2, "k programs, traditionally", "T = max_i Σ_j T_j(n_i)  for k ≤ P"),
    equation(3, "the model", "p(B | C) = Π p(b_t | b_<t, C; θ)"),
    equation(4, "supervised loss", "L = −E log p(B | C; θ)"),
    equation(5, "reward", "L = −E[R log p],  R = 10 if all tests pass, + 1 if valid"),
    equation(6, "p_correct by class", "0.3–0.5 simple, 0.01–0.1 complex"),
    equation(7, "success within k", "P = 1 − (1 − p_correct)^k"),
    equation(8, "candidates for 99 %", "k = log 0.01 / log(1 − p) ≈ 4.6 / p"),
    equation(9, "generating k candidates", "T_gen(k) = O(L · n · d² · k / P)"),
    equation(10, "verifying k candidates", "T_verify(k) = O(T_exec · k / P)"),
    equation(11, "neural compilation", "T_neural = T_gen(k) + T_verify(k)"),
    equation(12, "neural against the CPU", "speedup = k · T_CPU / T_neural"),
    equation(13, "complexity score", "s = f(|C|, d_nesting, n_loops, n_functions, …)"),
    equation(14, "the hybrid", "T = p_simple · T_neural + (1 − p_simple) · T_trad + T_routing"),
    equation(15, "the hybrid, in numbers", "T ≈ 0.8 · 0.2 + 0.2 · 20 + 2 ≈ 6 ms"),
    equation(16, "an iteration on a CPU", "T_CPU = T_gen + 2 T_transfer + T_compile + T_exec"),
];

/// Returns the equation with a number, or the first one if the number is unknown.
pub fn of(number: u8) -> Equation {
    let found = EQUATIONS.iter().find(|equation| equation.number == number);
    *found.unwrap_or(&EQUATIONS[0])
}
