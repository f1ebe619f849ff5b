//! `myriad prove`: proves that functions are equal, or finds an input on which they differ.

use std::fmt::Write;
use std::sync::Arc;

use serde::Serialize;

use super::args::{Common, Format, ProveArgs};
use super::exit::{Exit, Failure};
use super::input;
use super::session::Session;
use super::suggestions::no_such_function;
use super::{FileReport, each_file};
use crate::compiler::program::Compiled;
use crate::compiler::variants::Variants;
use crate::engine::explain::Value;
use crate::lang::index::{Index, MutantId, RoutineId};
use crate::report::diagnostics::diagnostics;
use crate::report::visible::visible;
use crate::testing::decide::{CallOutcome, Effort};
use crate::testing::equivalence::function_of;
use crate::testing::prove::{ProofEffort, Question, Verdict, have_equal_signatures, mutant, prove as answer};

#[derive(Default, Serialize)]
struct Document {
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mutant: Option<MutantId>,
    functions: Vec<Row>,
}

/// The verdict on a function.
#[derive(Serialize)]
struct Row {
    function: String,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcomes: Option<[CallOutcome; 2]>,
}

/// Proves the functions of two programs, or of a program and its mutant, equal.
pub fn prove(common: Common, args: &ProveArgs) -> Result<Exit, Failure> {
    let common = common.of_variants();
    let mut session = Session::for_repair(common)?;
    each_file(std::slice::from_ref(&args.file), common, |source| {
        let (base, _) = session.compile(source)?;
        let mut report = FileReport::new(source, &diagnostics(&base));
        let mut document = Document::default();
        if report.exit != Exit::Good {
            return Ok(finished(report, document, common.format));
        }
        if let Some(id) = args.mutant {
            let id = MutantId::new(id);
            document.mutant = Some(id);
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
            let question =
                Question { base: &base, function, other: &other, other_function: function, edit: Some(edit) };
            document.functions.extend(row(&question));
        } else if let Some(path) = &args.other {
            let second = input::read(path)?;
            let (other, _) = session.compile(&second)?;
            let found = FileReport::new(&second, &diagnostics(&other));
            document.other = Some(second.name.clone());
            report.findings.push_str(&found.findings);
            report.complaints.extend(found.complaints);
            report.exit = report.exit.max(found.exit);
            if report.exit == Exit::Good {
                for (function, other_function) in pairs((&base, &other), args.function.as_deref())? {
                    let question =
                        Question { base: &base, function, other: &other, other_function, edit: None };
                    document.functions.extend(row(&question));
                }
            }
        }
        Ok(finished(report, document, common.format))
    })
}

/// Completes the report.
fn finished(mut report: FileReport, document: Document, format: Format) -> FileReport {
    let open = document.functions.iter().any(|row| row.verdict != "proved");
    report.exit = report.exit.max(if open { Exit::ProgramFailed } else { Exit::Good });
    match format {
        Format::Json => report.add_document(document, None),
        Format::Text => document.functions.iter().for_each(|row| row.print(&mut report.text)),
    }
    report
}

/// Returns the functions to compare: those of the same name, parameters and result.
fn pairs(
    (base, other): (&Arc<Compiled>, &Arc<Compiled>),
    name: Option<&str>,
) -> Result<Vec<(RoutineId, RoutineId)>, Failure> {
    let names: Vec<&str> = base.functions().iter().map(|function| base.function_name(function)).collect();
    if let Some(name) = name.filter(|name| !names.contains(name)) {
        return Err(no_such_function(name, &names));
    }
    let wanted = base
        .functions()
        .iter()
        .filter(|function| name.is_none_or(|name| base.function_name(*function) == name));
    let mut pairs = Vec::new();
    for function in wanted {
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
fn row(question: &Question) -> Option<Row> {
    let Question { base, function, .. } = *question;
    let mut row = Row {
        function: base.function_name(function).to_string(),
        verdict: "unknown",
        method: None,
        reason: None,
        arguments: None,
        outcomes: None,
    };
    match answer(question, &ProofEffort::searching(Effort::FULL.steps), &|| false)? {
        Verdict::Proved(method) => {
            (row.verdict, row.method, row.reason) = ("proved", Some(method.ident()), Some(method.text()));
        }
        Verdict::Unknown(tried) => row.reason = Some(tried.text()),
        Verdict::Differs { arguments, outcomes } => {
            row.verdict = "differs";
            let types = base.program().parameters(function);
            let values = types.iter().zip(&arguments).map(|(ty, words)| Value::from_words(*ty, words));
            row.arguments = Some(values.collect());
            row.outcomes = Some(outcomes);
        }
    }
    Some(row)
}

impl Row {
    fn print(&self, text: &mut String) {
        let name = visible(&self.function);
        let _ = match (&self.arguments, &self.outcomes, &self.reason) {
            (Some(arguments), Some([own, its]), _) => {
                let arguments: Vec<String> = arguments.iter().map(Value::to_string).collect();
                writeln!(text, "differs  {name}({}): {}, then {}", arguments.join(", "), own.text(), its.text())
            }
            (.., reason) => {
                writeln!(text, "{:<8} {name}: {}", self.verdict, reason.as_deref().unwrap_or_default())
            }
        };
    }
}
