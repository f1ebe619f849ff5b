//! `myriad prove`: proves that functions are equal, or finds an input on which they differ.

use std::sync::Arc;

use super::args::{Common, ProveArgs};
use super::exit::{Exit, Failure};
use super::session::Session;
use super::suggestions::functions;
use super::{FileReport, each_file, input};
use crate::compiler::program::Compiled;
use crate::compiler::variants::Variants;
use crate::engine::explain::Value;
use crate::lang::index::{Index, MutantId, RoutineId};
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use crate::report::visible::visible;
use crate::testing::decide::Effort;
use crate::testing::equivalence::function_of;
use crate::testing::prove::{
    ProofEffort, ProveVerdict, Question, have_equal_signatures, mutant, prove as answer,
};

/// The verdict on a function: its row, and its line of text.
struct FunctionVerdict {
    proved: bool,
    row: Object,
    text: String,
}

/// Proves the functions of two programs, or of a program and its mutant, equal.
pub fn prove(common: Common, args: &ProveArgs) -> Result<Exit, Failure> {
    let common = common.of_variants();
    let mut session = Session::for_repair(common)?;
    each_file(std::slice::from_ref(&args.file), common, |source| {
        let (base, _) = session.compile(source)?;
        let mut report = FileReport::new(source, &diagnostics(&base));
        let (mut document, mut verdicts) = (Object::new(), Vec::new());
        if report.exit != Exit::Good {
            return Ok(finished(report, document, &verdicts));
        }
        if let Some(id) = args.mutant {
            let id = MutantId::new(id);
            document = document.field("mutant", id);
            let variants = Variants::new(base.clone());
            let edits = variants.edits(id).filter(|edits| edits.second.is_none());
            let changed = edits.and_then(|edits| Some((edits.first, function_of(&base, edits.first)?)));
            let found = changed.and_then(|(edit, function)| Some((edit, function, mutant(&base, edit)?)));
            let Some((edit, function, other)) = found else {
                return Err(Failure::call(
                    format!("{} has no first-order mutant {id} that compiles", source.shown()),
                    "`myriad mutate FILE --list` lists the mutants with their ids",
                ));
            };
            report.refuse_holes(source, &base, || Ok(vec![function]))?;
            let question =
                Question { base: &base, function, other: &other, other_function: function, edit: Some(edit) };
            verdicts.extend((report.exit == Exit::Good).then(|| verdict(&question)).flatten());
        } else if let Some(path) = &args.other {
            let second = input::read(path)?;
            let (other, _) = session.compile(&second)?;
            let found = FileReport::new(&second, &diagnostics(&other));
            document = document.field("other", &second.name);
            report.findings.push_str(&found.findings);
            report.complaints.extend(found.complaints);
            report.exit = report.exit.max(found.exit);
            if report.exit == Exit::Good {
                let pairs = pairs((&base, &other), args.function.as_deref())?;
                let (own, others) = pairs.iter().copied().unzip();
                report.refuse_holes(source, &base, || Ok(own))?;
                report.refuse_holes(&second, &other, || Ok(others))?;
                for (function, other_function) in pairs.into_iter().filter(|_| report.exit == Exit::Good) {
                    let question =
                        Question { base: &base, function, other: &other, other_function, edit: None };
                    verdicts.extend(verdict(&question));
                }
            }
        }
        Ok(finished(report, document, &verdicts))
    })
}

fn finished(mut report: FileReport, document: Object, verdicts: &[FunctionVerdict]) -> FileReport {
    let open = verdicts.iter().any(|verdict| !verdict.proved);
    report.exit = report.exit.max(if open { Exit::ProgramFailed } else { Exit::Good });
    let text = verdicts.iter().map(|verdict| verdict.text.as_str()).collect();
    report.complete(document.list("functions", verdicts.iter().map(|verdict| &verdict.row)), Some(text), None);
    report
}

/// Returns the functions to compare: those of the same name, parameters and result.
fn pairs(
    (base, other): (&Arc<Compiled>, &Arc<Compiled>),
    name: Option<&str>,
) -> Result<Vec<(RoutineId, RoutineId)>, Failure> {
    let mut pairs = Vec::new();
    for function in functions(base, name)? {
        let named = base.function_name(function);
        let counterpart = other.functions().iter().find(|its| other.function_name(*its) == named);
        match counterpart.filter(|its| have_equal_signatures((base, function), (other, *its))) {
            Some(counterpart) => pairs.push((function, counterpart)),
            None if name.is_some() => {
                return Err(Failure::call(
                    format!("the second program has no function `{}` of the same type", visible(named)),
                    "only functions with equal parameters and results can be compared",
                ));
            }
            None => {}
        }
    }
    if pairs.is_empty() {
        return Err(Failure::call(
            "the programs have no function in common",
            "functions are compared if they have the same name, parameters and result",
        ));
    }
    Ok(pairs)
}

/// Answers a question.
fn verdict(question: &Question) -> Option<FunctionVerdict> {
    let Question { base, function, .. } = *question;
    let name = base.function_name(function);
    let found = |verdict: &str| Object::new().field("function", name).field("verdict", verdict);
    let line = |verdict: &str, why: &str| format!("{verdict:<8} {}: {why}\n", visible(name));
    Some(match answer(question, &ProofEffort::searching(Effort::FULL.steps), &|| false)? {
        ProveVerdict::Proved(method) => FunctionVerdict {
            proved: true,
            row: found("proved").field("method", method.ident()).field("reason", method.text()),
            text: line("proved", &method.text()),
        },
        ProveVerdict::Unknown(tried) => FunctionVerdict {
            proved: false,
            row: found("unknown").field("reason", tried.text()),
            text: line("unknown", &tried.text()),
        },
        ProveVerdict::Differs { arguments, outcomes } => {
            let types = base.program().parameters(function);
            let values = types.iter().zip(&arguments).map(|(ty, words)| Value::from_words(*ty, words));
            let values: Vec<Value> = values.collect();
            let given: Vec<String> = values.iter().map(Value::to_string).collect();
            let (call, [own, its]) = (format!("{}({})", visible(name), given.join(", ")), &outcomes);
            FunctionVerdict {
                proved: false,
                text: format!("differs  {call}: {}, then {}\n", own.text(), its.text()),
                row: found("differs").field("arguments", values).field("outcomes", outcomes),
            }
        }
    })
}
