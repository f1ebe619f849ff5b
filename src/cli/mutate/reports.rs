//! `myriad mutate --report FILE`: reports on the mutants of all files, for other tools, browsers or code
//! reviews.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use super::difference::difference;
use super::rows::Mutant;
use crate::cli::exit::Failure;
use crate::cli::titles::heading;
use crate::cli::writing;
use crate::compiler::program::Compiled;
use crate::compiler::variants::Variants;
use crate::engine::BaseResult;
use crate::lang::index::{EntryId, Index};
use crate::lang::mutation::Operator;
use crate::lang::verdict::{MutantStatus, Outcome};
use crate::report::mutants::Tally;
use crate::report::places::Lines;
use crate::report::testing::{self, ReportFormat};
use crate::report::visible::visible;

/// Reports to write, with the files added so far.
pub struct Reports<'a> {
    wanted: Vec<(&'a Path, ReportFormat)>,
    files: Vec<testing::JudgedFile>,
}

impl<'a> Reports<'a> {
    /// Creates reports with these file names; a name's extension selects the format.
    pub fn new(names: &'a [OsString]) -> Result<Reports<'a>, Failure> {
        let form = |name: &'a OsString| {
            let shown = name.to_string_lossy();
            let form = ReportFormat::of_name(&shown).ok_or_else(|| {
                Failure::call(
                    format!("the report name {} has no known extension", visible(&shown)),
                    "its name ends in `.json` (mutation-testing-report-schema), `.html`, `.md`, `.svg` or `.badge.json`",
                )
            });
            Ok((Path::new(name), form?))
        };
        Ok(Reports { wanted: names.iter().map(form).collect::<Result<_, Failure>>()?, files: Vec::new() })
    }

    /// Adds a file with the results of its first-order mutants.
    pub fn add(&mut self, name: &str, base: &BaseResult, rows: &[Mutant], tally: &Tally) {
        if self.wanted.is_empty() {
            return;
        }
        self.files.push(judged_file(name, base, rows, tally));
    }

    pub fn write(self) -> Result<(), Failure> {
        for (path, form) in self.wanted {
            writing::write(path, &form.write(&self.files))?;
        }
        Ok(())
    }
}

/// Returns a file with the results of its first-order mutants.
pub fn judged_file(name: &str, base: &BaseResult, rows: &[Mutant], tally: &Tally) -> testing::JudgedFile {
    let program = &base.compiled;
    let lines = Lines::new(&program.text);
    let variants = Variants::new(program.clone());
    let tests = EntryId::all().zip(&base.entries).map(|(id, result)| {
        let head = program.entry(id).and_then(|entry| program.view().span(entry.head()));
        let place = lines.place(head.map_or(0, |span| span.start));
        testing::Test {
            title: heading(program, id).title,
            line: place.line,
            column: place.column,
            judges: result.outcome == Outcome::Pass,
        }
    });
    testing::JudgedFile {
        name: name.into(),
        text: program.text.to_string(),
        tally: *tally,
        tests: tests.collect(),
        functions: functions(program, &lines),
        mutants: rows.iter().filter_map(|row| mutant(row, &variants)).collect(),
    }
}

fn functions(program: &Compiled, lines: &Lines) -> Vec<testing::TestingFunction> {
    let view = program.view();
    let function = |function| {
        let head = program.executable.routine(function)?.head();
        let span = view.span(view.extent(head))?;
        let [first, last] = [span.start, span.end].map(|place| lines.place(place).line);
        Some(testing::TestingFunction {
            name: program.function_name(function).to_string(),
            lines: first..=last,
        })
    };
    program.functions().iter().filter_map(function).collect()
}

/// Converts a first-order mutant for reports; returns `None` for a second-order one.
fn mutant(row: &Mutant, variants: &Variants<Arc<Compiled>>) -> Option<testing::TestingMutant> {
    if row.pair.is_some() {
        return None;
    }
    let noticed = row.noticed_by.clone().or(row.killed_by.map(Vec::from));
    let why = row.why.as_ref();
    Some(testing::TestingMutant {
        id: row.id,
        operator: Operator::from_name(&row.operator)?.name(),
        span: row.span,
        original: row.original.clone(),
        replacement: row.replacement.clone(),
        status: row.verdict,
        noticed_by: noticed.unwrap_or_default(),
        copy_of: row.copy_of,
        reached: why.is_none_or(|why| why.reached() != Some(0)),
        reason: row
            .ignored
            .clone()
            .or_else(|| row.proof.clone())
            .or_else(|| why.and_then(|why| why.reason()).map(String::from)),
        diff: (row.verdict == MutantStatus::Survived).then(|| difference(variants, row.id)),
        test: why.and_then(|why| why.test()).or(row.killing_test.as_deref()).map(String::from),
    })
}
