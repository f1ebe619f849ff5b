//! Proves two functions equal, together with the pairs of functions that they call.
//!
//! A proof assumes that the functions of each pair are equal: calls with equal arguments have equal results. This is
//! an induction over the steps of a run, as a call takes fewer steps than its caller. At first, all pairs are assumed.
//! A pair whose proof fails is removed, and the others are proved again without it.

use super::Question;
use crate::compiler::program::{Compiled, Instructions};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::flow::Endings;
use crate::lang::index::{Index, RoutineId, TokenId};
use crate::lang::level::OptLevel;
use crate::lang::opcode::Op;
use crate::lang::ty::Type;
use crate::testing::equivalence::{FormSubject, places};

/// Marks a function of the second program that equals none of the first.
pub const FOREIGN: u32 = 1 << 16;

/// Returns whether the functions of a question are equal at a level of the optimizer. `proves` proves one pair.
pub fn equal(
    question: &Question,
    level: OptLevel,
    compiler: &mut Compiler,
    mut proves: impl FnMut(&FormSubject, &FormSubject) -> bool,
) -> bool {
    let Some([base, other]) = compiled(question, level, compiler) else { return false };
    let start = (question.function, question.other_function);
    let Some(edit) = question.edit else {
        let endings = [&base, &other].map(endings);
        let mut pairs = reachable(&base, &other, start);
        loop {
            let callee = |callee: RoutineId| {
                let pair = pairs.iter().find(|(_, other)| *other == callee);
                pair.map_or(RoutineId::new(callee.number() | FOREIGN), |(own, _)| *own)
            };
            // The programs have different tokens: only the kinds of traps are compared.
            let nowhere = |_: TokenId| 0;
            let failed = pairs.iter().position(|(own, its)| {
                let parameters = base.program().parameters(*own);
                !proves(
                    &subject(&base, *own, &parameters, &nowhere, (&|callee| callee, &endings[0])),
                    &subject(&other, *its, &parameters, &nowhere, (&callee, &endings[1])),
                )
            });
            match failed {
                None => return true,
                Some(at) if pairs[at] == start => return false,
                Some(at) => drop(pairs.remove(at)),
            }
        }
    };
    let changed = Question { base: &base, other: &other, ..*question };
    of_tokens(&changed, &places(question.base, Some(edit)), &mut proves)
}

/// Returns whether the functions of one text are equal in two programs made from it.
pub fn same_text(question: &Question, mut proves: impl FnMut(&FormSubject, &FormSubject) -> bool) -> bool {
    of_tokens(question, &places(question.base, None), &mut proves)
}

/// Proves one pair. `place` names the tokens of the second program.
fn of_tokens(
    question: &Question,
    place: &dyn Fn(TokenId) -> u32,
    proves: &mut dyn FnMut(&FormSubject, &FormSubject) -> bool,
) -> bool {
    let Question { base, function, other, .. } = *question;
    let parameters = base.arguments(function);
    let same = |callee: RoutineId| callee;
    proves(
        &subject(base, function, &parameters, &places(base, None), (&same, &endings(base))),
        &subject(other, function, &parameters, place, (&same, &endings(other))),
    )
}

fn subject<'a>(
    program: &'a Compiled,
    function: RoutineId,
    parameters: &'a [Type],
    token: &'a dyn Fn(TokenId) -> u32,
    (callee, endings): (&'a dyn Fn(RoutineId) -> RoutineId, &'a Endings),
) -> FormSubject<'a> {
    FormSubject { ir: &program.ir, program: &program.executable, function, parameters, token, callee, endings }
}

fn endings(program: &Compiled) -> Endings {
    Endings::of(&program.ir, &program.executable.routines)
}

/// Compiles both programs at a level.
fn compiled(question: &Question, level: OptLevel, compiler: &mut Compiler) -> Option<[Compiled; 2]> {
    compiler.back.leave_out_processors();
    let mut at = |program: &Compiled| {
        compiler.tokens.clone_from(&program.tokens);
        compiler.tokens_at(&program.text, program.facts.names, level);
        compiler.compiles().then(|| compiler.compiled(&program.text))
    };
    Some([at(question.base)?, at(question.other)?])
}

/// Returns the pair `start` and all pairs of functions with equal names and signatures that it may call.
/// `start` is last.
fn reachable(base: &Compiled, other: &Compiled, start: (RoutineId, RoutineId)) -> Vec<(RoutineId, RoutineId)> {
    let mut pairs = vec![start];
    let mut at = 0;
    while let Some((own, its)) = pairs.get(at).copied() {
        at += 1;
        for callee in callees(base, own) {
            let counterpart = other
                .functions()
                .iter()
                .find(|function| other.function_name(*function) == base.function_name(callee))
                .filter(|_| {
                    callees(other, its)
                        .iter()
                        .any(|its| other.function_name(*its) == base.function_name(callee))
                });
            if let Some(counterpart) = counterpart
                && have_equal_signatures((base, callee), (other, counterpart))
                && pairs.iter().all(|(own, its)| *own != callee && *its != counterpart)
            {
                pairs.push((callee, counterpart));
            }
        }
    }
    pairs.reverse();
    pairs
}

fn callees(program: &Compiled, function: RoutineId) -> Vec<RoutineId> {
    let words = program.executable.routine(function).map_or(&[][..], |routine| routine.words());
    Instructions::of(words)
        .filter(|instruction| instruction.op == Op::Call)
        .map(|instruction| instruction.function())
        .collect()
}

/// Returns whether two functions have equal parameters and results.
pub fn have_equal_signatures(a: (&Compiled, RoutineId), b: (&Compiled, RoutineId)) -> bool {
    let result = |(program, function): (&Compiled, RoutineId)| {
        program.executable.routine(function).map(|routine| routine.result())
    };
    a.0.program().parameters(a.1) == b.0.program().parameters(b.1) && result(a) == result(b)
}
