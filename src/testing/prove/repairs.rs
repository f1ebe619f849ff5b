//! Proofs about repairs that have the same results on all inputs tried.

use std::sync::Arc;

use super::{ProofEffort, ProveVerdict, Question, prove};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::Compiler;
use crate::lang::index::RoutineId;
use crate::testing::decide::{CallOutcome, Given, has_strings, is_text};
use crate::testing::mutation::repair::{self, Repair};

/// The maximum number of repairs whose likes are examined, and of likes of each.
const REPAIRS: usize = 8;
const LIKES: usize = 8;
/// The maximum number of likes of all repairs about which nothing is found, since these take the longest.
const UNKNOWN: usize = 4;

/// The relation of two repaired programs.
enum Relation {
    Equal,
    /// A function of both, and an input on which it differs.
    Differ(RoutineId, Given, [CallOutcome; 2]),
    Unknown,
}

/// Proves each repair equal to the similar ones that are listed with it. Similar ones that differ on an input become
/// the last repairs.
/// Returns a question about the first such input, or `None` if the work was cancelled.
pub fn settle(
    base: &Compiled,
    repairs: &mut Vec<Repair>,
    watch: &dyn Watch,
) -> Option<Option<repair::RepairQuestion>> {
    let (count, mut question, mut apart) = (repairs.len(), None, Vec::new());
    let mut unknown = 0;
    for (at, repair) in repairs.iter_mut().enumerate().take(REPAIRS) {
        let likes: Vec<Repair> = repair.likes.drain(..).take(LIKES).collect();
        if likes.is_empty() {
            continue;
        }
        let own = compiled(base, repair);
        for like in likes {
            if unknown == UNKNOWN {
                break;
            }
            let relation = match (&own, compiled(base, &like)) {
                (Some(own), Some(its)) => relation(own, &its, watch)?,
                _ => Relation::Unknown,
            };
            match relation {
                Relation::Equal => repair.proved += 1,
                Relation::Differ(function, given, outcomes) => {
                    repair.alike -= 1;
                    apart.push(like);
                    let ranks = [at + 1, count + apart.len()];
                    question = question.or_else(|| ask(base, function, given, outcomes, ranks));
                }
                Relation::Unknown => unknown += 1,
            }
        }
    }
    repairs.extend(apart);
    Some(question)
}

fn compiled(base: &Compiled, repair: &Repair) -> Option<Compiled> {
    let text: Arc<str> = repair.apply(&base.text).into();
    let mut compiler = Compiler::at(base.level);
    compiler.compile(&text);
    compiler.compiles().then(|| compiler.compiled(&text))
}

/// Compares the functions whose texts differ. If these are equal, the programs are.
fn relation(a: &Compiled, b: &Compiled, watch: &dyn Watch) -> Option<Relation> {
    let text = |program: &Compiled, function: RoutineId| -> Vec<String> {
        let head = program.executable.routine(function).map(|routine| routine.head());
        let tokens = head.into_iter().flat_map(|head| program.view().extent(head).iter());
        tokens.map(|token| program.view().text(token).to_string()).collect()
    };
    let mut unknown = false;
    for function in a.functions().iter().filter(|function| text(a, *function) != text(b, *function)) {
        let question = Question { base: a, function, other: b, other_function: function, edit: None };
        match prove(&question, &ProofEffort::REPAIR, watch)? {
            ProveVerdict::Proved(_) => {}
            ProveVerdict::Differs { arguments, outcomes } => {
                return Some(Relation::Differ(function, arguments, outcomes));
            }
            ProveVerdict::Unknown(_) => unknown = true,
        }
    }
    Some(if unknown { Relation::Unknown } else { Relation::Equal })
}

/// Asks what a call should return. Returns `None` if neither repair returns a value.
fn ask(
    base: &Compiled,
    function: RoutineId,
    given: Given,
    outcomes: [CallOutcome; 2],
    ranks: [usize; 2],
) -> Option<repair::RepairQuestion> {
    let strings = has_strings(base.view());
    let texts: Vec<bool> = given.iter().map(|words| strings && is_text(words)).collect();
    let results = ranks.into_iter().zip(outcomes.iter().map(|outcome| outcome.value().cloned()));
    let question = repair::RepairQuestion::new(base, (function, given, false), |place| texts[place], results);
    (!question.answers.is_empty()).then_some(question)
}
