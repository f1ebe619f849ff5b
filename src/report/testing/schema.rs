//! The JSON report in the format mutation-testing-report-schema, version 2, of the Stryker project. A test
//! validates it against a copy of the schema.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::{JudgedFile, Mutant, Test};
use crate::lang::index::{EntryId, Index};
use crate::lang::verdict::MutantStatus;
use crate::report::document;

/// Score thresholds in percent: below `LOW` is bad, from `HIGH` on is good.
const HIGH: u32 = 80;
const LOW: u32 = 60;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    schema_version: &'static str,
    thresholds: Thresholds,
    files: BTreeMap<&'a str, File<'a>>,
    test_files: BTreeMap<&'a str, TestFile<'a>>,
    framework: Framework,
}

#[derive(Serialize)]
struct Thresholds {
    high: u32,
    low: u32,
}

#[derive(Serialize)]
struct Framework {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct File<'a> {
    language: &'static str,
    source: &'a str,
    mutants: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct TestFile<'a> {
    source: &'a str,
    tests: Vec<Listed<'a>>,
}

#[derive(Serialize)]
struct Listed<'a> {
    id: String,
    name: &'a str,
    location: Start,
}

#[derive(Serialize)]
struct Start {
    start: Place,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    id: String,
    mutator_name: &'a str,
    replacement: &'a str,
    location: Location,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_reason: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    killed_by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

#[derive(Serialize)]
struct Location {
    start: Place,
    end: Place,
}

#[derive(Serialize)]
struct Place {
    line: u32,
    column: u32,
}

/// Builds the report on some files. Mutant ids are prefixed with the file's number, since the schema requires
/// them to be unique.
pub fn report(files: &[JudgedFile]) -> String {
    let mut report = Report {
        schema_version: "2",
        thresholds: Thresholds { high: HIGH, low: LOW },
        files: BTreeMap::new(),
        test_files: BTreeMap::new(),
        framework: Framework { name: "Myriad", version: env!("CARGO_PKG_VERSION") },
    };
    for (number, file) in files.iter().enumerate() {
        let mutants = file.mutants.iter().map(|mutant| row(number, mutant)).collect();
        let tests = EntryId::all().zip(&file.tests).map(|(index, test)| listed(number, index, test)).collect();
        report.files.insert(&file.name, File { language: "myriad", source: &file.text, mutants });
        report.test_files.insert(&file.name, TestFile { source: &file.text, tests });
    }
    document::json(&report) + "\n"
}

fn id(file: usize, number: impl Index) -> String {
    format!("{file}.{number}")
}

fn listed(file: usize, index: EntryId, test: &Test) -> Listed<'_> {
    let start = Place { line: test.line, column: test.column };
    Listed { id: id(file, index), name: &test.title, location: Start { start } }
}

fn row(file: usize, mutant: &Mutant) -> Row<'_> {
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
    Row {
        id: id(file, mutant.id),
        mutator_name: mutant.operator,
        replacement: &mutant.replacement,
        location: Location {
            start: Place { line: span.line, column: span.column },
            end: Place { line: span.end_line, column: span.end_column },
        },
        status: if mutant.reached { status(mutant.status) } else { "NoCoverage" },
        status_reason: reason,
        killed_by: mutant.noticed_by.iter().map(|index| id(file, *index)).collect(),
        description: mutant.test.as_ref().map(|test| format!("noticed by `{test}`, if that test is right")),
    }
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
        MutantStatus::Equivalent | MutantStatus::Duplicate | MutantStatus::Ignored => "Ignored",
    }
}
