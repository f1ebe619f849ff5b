//! Satisfiability of a bit of an and-inverter graph, by clauses for the nodes that it depends on (Tseitin, 1968).

use std::cell::Cell;
use std::collections::HashMap;

use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};

use super::aig::{Aig, Bit, FALSE, TRUE};
use crate::compiler::program::Watch;

/// The answer of the solver.
#[derive(Debug)]
pub enum Answer {
    /// No input makes the bit true.
    Never,
    /// The values of some inputs that make it true. The others have no influence.
    Model(HashMap<usize, bool>),
    /// The budget is spent, or the work was cancelled.
    Open,
}

/// Ends the search after a number of conflicts.
struct Conflicts<'a> {
    left: Cell<u64>,
    watch: &'a dyn Watch,
}

impl Callbacks for Conflicts<'_> {
    fn on_new_clause(&mut self, _: &[Lit], kind: batsat::ClauseKind) {
        if matches!(kind, batsat::ClauseKind::Learnt) {
            self.left.set(self.left.get().saturating_sub(1));
        }
    }

    fn stop(&self) -> bool {
        self.left.get() == 0 || self.watch.cancelled()
    }
}

/// Searches for inputs that make `wanted` true. `conflicts` is the number of conflicts that may still occur;
/// those of the search are subtracted.
pub fn solve(aig: &Aig, wanted: Bit, conflicts: &mut u64, watch: &dyn Watch) -> Answer {
    match wanted {
        FALSE => return Answer::Never,
        TRUE => return Answer::Model(HashMap::new()),
        _ => {}
    }
    let callbacks = Conflicts { left: Cell::new(*conflicts), watch };
    let mut solver = Solver::new(SolverOpts::default(), callbacks);
    let mut variables = HashMap::new();
    let mut open = vec![wanted.node()];
    let mut order = Vec::new();
    while let Some(node) = open.pop() {
        if variables.contains_key(&node) {
            continue;
        }
        variables.insert(node, solver.new_var_default());
        order.push(node);
        open.extend(aig.nodes[node].iter().flatten().map(|bit| bit.node()));
    }
    let literal = |bit: Bit| Lit::new(variables[&bit.node()], !bit.is_negated());
    for (number, node) in order.iter().enumerate() {
        if number.is_multiple_of(4096) && watch.cancelled() {
            return Answer::Open;
        }
        let Some([a, b]) = aig.nodes[*node] else { continue };
        let own = Lit::new(variables[node], true);
        let (a, b) = (literal(a), literal(b));
        for clause in [&[!own, a][..], &[!own, b], &[own, !a, !b]] {
            solver.add_clause_reuse(&mut clause.to_vec());
        }
    }
    solver.add_clause_reuse(&mut vec![literal(wanted)]);
    let answer = solver.solve_limited(&[]);
    *conflicts = solver.cb().left.get();
    if answer == lbool::TRUE {
        let inputs = order.iter().filter(|node| aig.nodes[**node].is_none());
        let value = |node: &usize| (*node, solver.value_var(variables[node]) == lbool::TRUE);
        return Answer::Model(inputs.map(value).collect());
    }
    if answer == lbool::FALSE { Answer::Never } else { Answer::Open }
}
