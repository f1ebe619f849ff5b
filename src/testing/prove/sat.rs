//! Satisfiability of a bit of an and-inverter graph, by clauses for the nodes that it depends on (Tseitin, 1968). Three
//! nodes that choose between two bits get the clauses of one gate (Eén, Mishchenko, Sörensson, 2007).

use std::cell::Cell;
use std::collections::HashMap;

use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, Var, lbool};

use super::aig::{Aig, Bit, FALSE, TRUE};
use crate::compiler::program::Watch;
use crate::lang::hash::QuickMap;

#[derive(Debug)]
pub enum SatAnswer {
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

/// The cost of a search without conflicts, in conflicts: a model decides all nodes.
const BEGIN: u64 = 8;

/// A node as a gate.
enum Gate {
    Input,
    And([Bit; 2]),
    /// The negation of `then` if the condition holds, else that of `otherwise`.
    Choice {
        condition: Bit,
        then: Bit,
        otherwise: Bit,
    },
}

impl Gate {
    fn of(aig: &Aig, node: usize) -> Gate {
        let Some([a, b]) = aig.nodes[node] else { return Gate::Input };
        if let (true, true, Some(x), Some(y)) =
            (a.is_negated(), b.is_negated(), aig.nodes[a.node()], aig.nodes[b.node()])
        {
            for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                if x[i] == !y[j] {
                    return Gate::Choice { condition: x[i], then: x[1 - i], otherwise: y[1 - j] };
                }
            }
        }
        Gate::And([a, b])
    }

    fn bits(&self) -> Vec<Bit> {
        match *self {
            Gate::Input => vec![],
            Gate::And(bits) => bits.to_vec(),
            Gate::Choice { condition, then, otherwise } if otherwise == !then => vec![condition, then],
            Gate::Choice { condition, then, otherwise } => vec![condition, then, otherwise],
        }
    }

    /// The clauses for the value `own`.
    fn clauses(&self, own: Lit, literal: impl Fn(Bit) -> Lit) -> Vec<Vec<Lit>> {
        match *self {
            Gate::Input => vec![],
            Gate::And(bits) => {
                let [a, b] = bits.map(literal);
                vec![vec![!own, a], vec![!own, b], vec![own, !a, !b]]
            }
            Gate::Choice { condition, then, otherwise } => {
                let [c, t, e] = [condition, then, otherwise].map(literal);
                let mut clauses =
                    vec![vec![!c, !t, !own], vec![!c, t, own], vec![c, !e, !own], vec![c, e, own]];
                if otherwise != !then {
                    // Both ways agree, so the condition does not matter.
                    clauses.extend([vec![!t, !e, !own], vec![t, e, own]]);
                }
                clauses
            }
        }
    }
}

/// A solver that keeps its clauses from one question about a graph to the next.
pub struct SatSearch<'a> {
    solver: Solver<Conflicts<'a>>,
    variables: QuickMap<usize, Var>,
}

impl<'a> SatSearch<'a> {
    pub fn new(watch: &'a dyn Watch) -> SatSearch<'a> {
        let callbacks = Conflicts { left: Cell::new(0), watch };
        SatSearch { solver: Solver::new(SolverOpts::default(), callbacks), variables: QuickMap::default() }
    }

    /// Searches for inputs that make `wanted` true, within `work`, which is lowered: each conflict costs the number of
    /// gates of the graph, and a search costs as much as [`BEGIN`] conflicts. The graph is the same in all calls, but
    /// may have new nodes.
    pub fn find(&mut self, aig: &Aig, wanted: Bit, work: &mut u64) -> SatAnswer {
        match wanted {
            FALSE => return SatAnswer::Never,
            TRUE => return SatAnswer::Model(HashMap::new()),
            _ => {}
        }
        if !self.add(aig, wanted) {
            return SatAnswer::Open;
        }
        let size = self.variables.len() as u64;
        // Work is counted in conflicts and not in time, so that the answer is the same on every machine.
        let conflicts = (*work / size).saturating_sub(BEGIN);
        if conflicts == 0 {
            *work = 0;
            return SatAnswer::Open;
        }
        self.solver.cb().left.set(conflicts);
        let answer = self.solver.solve_limited(&[self.literal(wanted)]);
        *work -= size * (BEGIN + conflicts - self.solver.cb().left.get());
        if answer == lbool::TRUE {
            let inputs = self.variables.iter().filter(|(node, _)| aig.nodes[**node].is_none());
            let value = |(node, own): (&usize, &Var)| (*node, self.solver.value_var(*own) == lbool::TRUE);
            return SatAnswer::Model(inputs.map(value).collect());
        }
        if answer == lbool::FALSE { SatAnswer::Never } else { SatAnswer::Open }
    }

    fn literal(&self, bit: Bit) -> Lit {
        Lit::new(self.variables[&bit.node()], !bit.is_negated())
    }

    /// Adds the clauses of the nodes that a bit depends on. Returns whether the work goes on.
    fn add(&mut self, aig: &Aig, wanted: Bit) -> bool {
        // A list instead of recursion: a graph may be as deep as it has nodes.
        let mut open = vec![wanted.node()];
        let mut order = Vec::new();
        while let Some(node) = open.pop() {
            if self.variables.contains_key(&node) {
                continue;
            }
            self.variables.insert(node, self.solver.new_var_default());
            order.push(node);
            open.extend(Gate::of(aig, node).bits().into_iter().map(Bit::node));
        }
        for (number, node) in order.iter().enumerate() {
            if number.is_multiple_of(4096) && self.solver.cb().watch.cancelled() {
                return false;
            }
            let own = Lit::new(self.variables[node], true);
            for mut clause in Gate::of(aig, *node).clauses(own, |bit| self.literal(bit)) {
                self.solver.add_clause_reuse(&mut clause);
            }
        }
        true
    }
}
