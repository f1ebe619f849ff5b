//! `myriad repair --reference` for a class: a table with a line for each file.

use std::ffi::OsString;

use super::names;
use crate::cli::exit::{Exit, Failure};
use crate::cli::input::InputSource;
use crate::cli::{FileReport, holes};
use crate::compiler::program::Compiled;
use crate::host::measure::numbers::plural;
use crate::report::document::Object;
use crate::report::places::Lines;
use crate::report::table::{Table, words};
use crate::report::visible::shortened;
use crate::testing::mutation::repair::{Reference, Repair, Rule};

/// Where to look, and the rule that repairs the program.
pub struct HintRow {
    line: u32,
    rule: Rule,
}

impl HintRow {
    /// Returns the hint of a repair, from its first change.
    pub fn of(repair: &Repair, lines: &Lines) -> Option<HintRow> {
        let first = repair.changes.first()?;
        Some(HintRow { line: lines.place(first.lo).line, rule: first.rule })
    }

    pub fn document(&self) -> Object {
        let line = Object::new().field("line", self.line);
        line.field("rule", self.rule.name()).field("text", self.rule.summary())
    }
}

/// The maximum width of a cell of text in characters.
const WIDEST: usize = 100;

pub struct RepairClass {
    wanted: bool,
    table: Table,
    right: u64,
}

impl RepairClass {
    /// Creates an empty table. If it is not wanted, it stays empty.
    pub fn new(wanted: bool) -> RepairClass {
        RepairClass { wanted, table: Table::new(["file", "result", "line", "hint"].map(words)), right: 0 }
    }

    pub fn unreadable(&mut self, path: &OsString, why: &Failure) {
        self.row(path.to_string_lossy().into_owned(), "unreadable", String::new(), why.message.clone());
    }

    /// Adds a line for a file with a `?`. Returns whether the table is wanted.
    pub fn unfinished(&mut self, source: &InputSource, program: &Compiled) -> bool {
        let hole = program.view().holes().next().unwrap_or_default();
        let (line, _) = holes::place(program, hole);
        self.row(source.name.clone(), "unfinished", line.to_string(), holes::at(program, hole));
        self.wanted
    }

    /// Adds a line for a file. Returns whether the table is wanted.
    pub fn add(
        &mut self,
        source: &InputSource,
        report: &FileReport,
        beside: Option<&Reference>,
        hint: Option<&HintRow>,
    ) -> bool {
        let error = report.diagnostics.iter().find(|found| found.severity == "error");
        let (state, line, note) = match (error, beside, hint) {
            (Some(error), ..) => {
                ("invalid", error.span.line.to_string(), format!("{} {}", error.code, error.message))
            }
            (None, Some(beside), _) if !beside.required.is_empty() => {
                ("missing", String::new(), format!("{} missing", names(&beside.required)))
            }
            (None, _, Some(hint)) => ("repairable", hint.line.to_string(), hint.rule.summary().to_string()),
            (None, Some(beside), None) if report.exit == Exit::Good => {
                let missing = match &beside.missing[..] {
                    [] => String::new(),
                    missing => format!("{} missing", names(missing)),
                };
                ("right", String::new(), missing)
            }
            (None, Some(beside), None) => {
                ("different", String::new(), format!("{}: no small repair", names(&beside.differ)))
            }
            (None, None, None) => {
                ("not compared", String::new(), "it has no function of the reference".to_string())
            }
        };
        self.row(source.name.clone(), state, line, note);
        self.wanted
    }

    fn row(&mut self, file: String, state: &str, line: String, note: String) {
        if self.wanted {
            self.right += u64::from(state == "right");
            self.table.row(&[&shortened(&file, WIDEST), &state, &line, &shortened(&note, WIDEST)]);
        }
    }

    /// Returns the table; empty if it is not wanted.
    pub fn text(&self) -> String {
        match self.table.rows().len() as u64 {
            0 => String::new(),
            all => {
                let (all, rows) = (plural(all, "file"), self.table.text("  "));
                format!("{} of {all} equal the reference on all inputs tried\n{rows}", self.right)
            }
        }
    }
}
