//! The JSON report in the format mutation-testing-report-schema, version 2, of the Stryker project. A test
//! validates it against a copy of the schema.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{JudgedFile, Test, TestingMutant};
use crate::lang::index::{EntryId, Index};
use crate::lang::verdict::MutantStatus;
use crate::report::document::{self, Object};

/// Score thresholds in percent: below `LOW` is bad, from `HIGH` on is good.
const HIGH: u32 = 80;
const LOW: u32 = 60;

/// Builds the report on some files. Mutant ids are prefixed with the file's number, since the schema requires
/// them to be unique.
pub fn report(files: &[JudgedFile]) -> String {
    let (mut judged, mut tested) = (BTreeMap::new(), BTreeMap::new());
    for (number, file) in files.iter().enumerate() {
        let mutants = file.mutants.iter().map(|mutant| row(number, mutant));
        let tests = EntryId::all().zip(&file.tests).map(|(index, test)| listed(number, index, test));
        let source = Object::new().field("language", "myriad").field("source", &file.text);
        judged.insert(&file.name, source.list("mutants", mutants));
        tested.insert(&file.name, Object::new().field("source", &file.text).list("tests", tests));
    }
    let framework = Object::new().field("name", "Myriad").field("version", env!("CARGO_PKG_VERSION"));
    let report = Object::new()
        .field("schemaVersion", "2")
        .field("thresholds", Object::new().field("high", HIGH).field("low", LOW))
        .field("files", judged)
        .field("testFiles", tested)
        .field("framework", framework);
    document::json(&report) + "\n"
}

fn id(file: usize, number: impl Index) -> String {
    format!("{file}.{number}")
}

fn place(line: u32, column: u32) -> Object {
    Object::new().field("line", line).field("column", column)
}

fn listed(file: usize, index: EntryId, test: &Test) -> Object {
    let location = Object::new().field("start", place(test.line, test.column));
    Object::new().field("id", id(file, index)).field("name", &test.title).field("location", location)
}

fn row(file: usize, mutant: &TestingMutant) -> Object {
    let span = &mutant.span;
    let copied =
        || mutant.copy_of.map(|original| format!("its bytecode equals that of mutant {}", id(file, original)));
    let reason: Option<Cow<str>> = match mutant.status {
        MutantStatus::Equivalent if mutant.reason.is_none() => {
            Some("its bytecode equals that of the program".into())
        }
        MutantStatus::Duplicate if mutant.reason.is_none() => {
            copied().map(Cow::from).or(Some("its bytecode equals that of another mutant".into()))
        }
        _ => mutant.reason.as_deref().map(Cow::from),
    };
    let start = Object::new().field("start", place(span.line, span.column));
    let description = mutant.test.as_ref().map(|test| format!("noticed by `{test}`, if that test is right"));
    Object::new()
        .field("id", id(file, mutant.id))
        .field("mutatorName", mutant.operator)
        .field("replacement", &mutant.replacement)
        .field("location", start.field("end", place(span.end_line, span.end_column)))
        .field("status", if mutant.reached { status(mutant.status) } else { "NoCoverage" })
        .option("statusReason", reason)
        .unless_empty("killedBy", mutant.noticed_by.iter().map(|index| id(file, *index)))
        .option("description", description)
}

/// Returns the schema's status. Mutants that cannot be noticed are `Ignored`, so that they do not count in the
/// schema's score either.
fn status(status: MutantStatus) -> &'static str {
    match status {
        MutantStatus::Pending => "Pending",
        MutantStatus::Killed => "Killed",
        MutantStatus::Timeout => "Timeout",
        MutantStatus::Survived => "Survived",
        MutantStatus::Invalid => "CompileError",
        MutantStatus::Equivalent | MutantStatus::Duplicate => "Ignored",
        MutantStatus::Ignored | MutantStatus::Unfinished => "Ignored",
    }
}
