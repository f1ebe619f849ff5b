//! Symbolic proofs: simulations by several plans, tried in turn.

use super::Question;
use super::pairs::{self, FOREIGN};
use super::region::Routine;
use super::runs::{Outcome, Runs};
use super::simulate::{Budget, Failure, Plan, Simulation};
use crate::compiler::program::Watch;
use crate::compiler::stage::Compiler;
use crate::lang::index::{Index, RoutineId};
use crate::lang::level::OptLevel;
use crate::lang::ty::Type;
use crate::testing::decide::Given;
use crate::testing::equivalence::Subject;
use crate::testing::equivalence::terms::{Rules, Terms};

/// The work of the solver for one pair of functions at one level, in conflicts times nodes, and that of one plan.
const WORK: u64 = 20 << 20;
const WORK_OF_PLAN: u64 = 14 << 20;
/// The nodes of all graphs for them.
const NODES: u64 = 1 << 22;

/// The maximum number of rounds of loops that a region executes if its proof unrolls loops.
const UNROLLED: u32 = 72;

/// The result of the attempts.
#[derive(Debug)]
pub struct Attempts {
    pub proved: bool,
    /// An input on which the functions differ, with both outcomes.
    pub differs: Option<(Given, [Outcome; 2])>,
    /// Why the first attempt failed.
    pub reason: &'static str,
    pub cancelled: bool,
}

/// Tries to prove the functions of a question equal at a level.
pub fn prove(
    question: &Question,
    level: OptLevel,
    compiler: &mut Compiler,
    runs: &mut Runs,
    watch: &dyn Watch,
) -> Attempts {
    attempt(question, runs, watch, |proves| pairs::equal(question, level, compiler, proves))
}

/// Tries to prove the functions of two programs equal that were made from one text.
pub fn translation(question: &Question, runs: &mut Runs, watch: &dyn Watch) -> Attempts {
    attempt(question, runs, watch, |proves| pairs::same_text(question, proves))
}

/// Calls `equal` with a prover of pairs.
fn attempt(
    question: &Question,
    runs: &mut Runs,
    watch: &dyn Watch,
    equal: impl FnOnce(&mut dyn FnMut(&Subject, &Subject) -> bool) -> bool,
) -> Attempts {
    let mut attempts = Attempts { proved: false, differs: None, reason: "", cancelled: false };
    attempts.proved = equal(&mut |a, b| {
        // A model about two helpers says nothing about the functions themselves.
        let is_start = a.function == question.function && b.function == question.other_function;
        let mut differ = |given| if is_start { runs.smallest(given) } else { None };
        proves(a, b, &mut attempts, &mut differ, watch)
    });
    attempts
}

/// Tries the plans for a pair of functions, until one succeeds.
fn proves(
    a: &Subject,
    b: &Subject,
    attempts: &mut Attempts,
    differ: &mut dyn FnMut(Given) -> Option<(Given, [Outcome; 2])>,
    watch: &dyn Watch,
) -> bool {
    let mut terms = Terms::new(Rules::ALL);
    let mut fails = |reason| {
        if attempts.reason.is_empty() {
            attempts.reason = reason;
        }
    };
    let (Some(mut own), Some(mut its)) = (Routine::new(a, &mut terms), Routine::new(b, &mut terms)) else {
        fails("its code is too large or not understood");
        return false;
    };
    let result = |routine: RoutineId| -> Option<Type> {
        let (program, id) = match routine.number() & FOREIGN {
            0 => (a.program, routine),
            _ => (b.program, RoutineId::new(routine.number() & !FOREIGN)),
        };
        Some(program.routine(id)?.result())
    };
    let mut plans = vec![Plan::default()];
    if !own.loops.is_empty() {
        plans.push(Plan { relates: true, ..Plan::default() });
        let loops = own.loops.len().min(its.loops.len());
        let ahead = |number| [1, 0].map(|side| Plan { ahead: Some((side, number)), ..Plan::default() });
        plans.extend((0..loops).flat_map(ahead));
        let unrolls = |plan: &Plan| Plan { unrolls: true, ..*plan };
        let unrolled: Vec<Plan> = plans.iter().filter(|plan| !plan.relates).map(unrolls).collect();
        plans.extend(unrolled);
    }
    let (mut work, mut nodes) = (WORK, NODES);
    for plan in plans {
        let mut budget = Budget { work: work.min(WORK_OF_PLAN), nodes };
        let before = budget.work;
        let peeled = |of: usize| plan.ahead.filter(|(side, _)| *side == of).map(|(_, number)| number);
        (own.peeled, its.peeled) = (peeled(0), peeled(1));
        (own.unrolled, its.unrolled) = if plan.unrolls { (UNROLLED, UNROLLED) } else { (0, 0) };
        let simulation =
            Simulation::new([&own, &its], a.parameters, &result, (&mut terms, &mut budget), plan, watch);
        let ran = simulation.run();
        work -= before - budget.work;
        nodes = budget.nodes;
        match ran {
            Ok(()) => return true,
            Err(Failure::Cancelled) => {
                attempts.cancelled = true;
                return false;
            }
            Err(Failure::Input(given)) => {
                attempts.differs = differ(given);
                fails("a model shows no difference on the machine");
                if own.loops.is_empty() || attempts.differs.is_some() {
                    return false;
                }
            }
            Err(Failure::Reason(reason)) => fails(reason),
        }
    }
    false
}
