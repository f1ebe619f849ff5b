//! Symbolic proofs: simulations by several plans, tried in turn.

use super::pairs::{self, FOREIGN};
use super::region::Routine;
use super::runs::Runs;
use super::simulate::{Budget, Failure, Plan, Simulation};
use super::steps::{ProveNames, ProveStep};
use super::{ProofEffort, Question};
use crate::compiler::program::Watch;
use crate::compiler::stage::Compiler;
use crate::lang::index::{Index, RoutineId};
use crate::lang::level::OptLevel;
use crate::lang::ty::Type;
use crate::testing::decide::{CallOutcome, Given};
use crate::testing::equivalence::FormSubject;
use crate::testing::equivalence::terms::{Rules, Terms};

/// The maximum number of rounds of loops that a region executes if its proof unrolls loops.
const UNROLLED: u32 = 72;

#[derive(Debug)]
pub struct Attempts {
    pub proved: bool,
    /// An input on which the functions differ, with both outcomes.
    pub differs: Option<(Given, [CallOutcome; 2])>,
    /// Why the first attempt failed.
    pub reason: &'static str,
    pub cancelled: bool,
}

/// Tries to prove the functions of a question equal at a level.
pub fn prove(
    question: &Question,
    (level, effort): (OptLevel, &ProofEffort),
    compiler: &mut Compiler,
    (runs, steps): (&mut Runs, &mut Vec<ProveStep>),
    watch: &dyn Watch,
) -> Attempts {
    let names = ProveNames::new(question, level);
    let told = (Some(&names), steps);
    attempt(question, effort, (runs, watch), told, |proves| pairs::equal(question, level, compiler, proves))
}

/// Tries to prove the functions of two programs equal that were made from one text.
pub fn translation(question: &Question, runs: &mut Runs, watch: &dyn Watch) -> Attempts {
    let (effort, steps) = (ProofEffort::searching(0), &mut Vec::new());
    attempt(question, &effort, (runs, watch), (None, steps), |proves| pairs::same_text(question, proves))
}

/// Calls `equal` with a prover of pairs.
fn attempt(
    question: &Question,
    effort: &ProofEffort,
    (runs, watch): (&mut Runs, &dyn Watch),
    (names, steps): (Option<&ProveNames>, &mut Vec<ProveStep>),
    equal: impl FnOnce(&mut dyn FnMut(&FormSubject, &FormSubject) -> bool) -> bool,
) -> Attempts {
    let mut attempts = Attempts { proved: false, differs: None, reason: "", cancelled: false };
    attempts.proved = equal(&mut |a, b| {
        // A model about two helpers says nothing about the functions themselves.
        let is_start = a.function == question.function && b.function == question.other_function;
        let mut differ = |given| if is_start { runs.smallest(given) } else { None };
        let names = names.filter(|_| is_start);
        let effort = (effort, question.edit.is_some());
        proves([a, b], effort, &mut attempts, &mut differ, (names, &mut *steps), watch)
    });
    attempts
}

/// Tries the plans for a pair of functions, until one succeeds.
fn proves(
    [a, b]: [&FormSubject; 2],
    (effort, is_mutant): (&ProofEffort, bool),
    attempts: &mut Attempts,
    differ: &mut dyn FnMut(Given) -> Option<(Given, [CallOutcome; 2])>,
    (names, steps): (Option<&ProveNames>, &mut Vec<ProveStep>),
    watch: &dyn Watch,
) -> bool {
    let mut terms = Terms::new(Rules::ALL);
    let mut fails = |reason| {
        if attempts.reason.is_empty() {
            attempts.reason = reason;
        }
    };
    let (Some(mut own), Some(mut its)) = (Routine::new(a), Routine::new(b)) else {
        fails("its code is too large or not understood");
        return false;
    };
    // Two calls that never end have no results that could differ.
    if [a, b].iter().all(|subject| !subject.endings.may_end(subject.function)) {
        return true;
    }
    let result = |routine: RoutineId| -> Option<Type> {
        let (program, id) = match routine.number() & FOREIGN {
            0 => (a.program, routine),
            _ => (b.program, RoutineId::new(routine.number() & !FOREIGN)),
        };
        Some(program.routine(id)?.result())
    };
    let mut plans = vec![Plan::default()];
    if !own.loops.is_empty() {
        plans.push(Plan { opposes: true, ..Plan::default() });
        plans.push(Plan { relates: true, ..Plan::default() });
        let loops = own.loops.len().min(its.loops.len());
        let ahead = |number| {
            let sides = [[None, Some(number)], [Some(number), None], [Some(number); 2]];
            sides.map(|ahead| Plan { ahead, ..Plan::default() })
        };
        plans.extend((0..loops).flat_map(ahead));
        let unrolls = |plan: &Plan| Plan { unrolls: true, ..*plan };
        let unrolled: Vec<Plan> =
            plans.iter().filter(|plan| !plan.relates && !plan.opposes).map(unrolls).collect();
        plans.extend(unrolled);
    }
    let (mut work, mut nodes) = (effort.solver, effort.nodes);
    for plan in plans {
        let mut budget = Budget { work: work.min(effort.plan), nodes };
        let before = budget.work;
        [own.peeled, its.peeled] = plan.ahead;
        (own.unrolled, its.unrolled) = if plan.unrolls { (UNROLLED, UNROLLED) } else { (0, 0) };
        let mut simulation = Simulation::new(
            [&own, &its],
            a.parameters,
            &result,
            (&mut terms, &mut budget),
            (plan, is_mutant),
            watch,
        );
        let ran = simulation.run();
        if let Some(names) = names {
            simulation.explain(&ran, names, steps);
        }
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
