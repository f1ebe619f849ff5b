//! The rows of a document and of a page: repairs with their changes, and the question between them.

use std::fmt::Write;

use serde::Serialize;

use crate::cli::args::Hint;
use crate::host::measure::numbers::plural;
use crate::report::document::Span;
use crate::report::places::Lines;
use crate::report::visible::{on_one_line, visible};
use crate::testing::mutation::repair::{Change, OtherUse, Repair};

/// A call, and the values that the repairs return for it.
#[derive(Serialize)]
pub struct QuestionRow {
    pub call: String,
    /// Whether the arguments are like those of the file's tests and properties.
    pub inside: bool,
    pub answers: Vec<AnswerRow>,
}

#[derive(Serialize)]
pub struct AnswerRow {
    /// The value as a test, to be added if the value is right.
    pub test: String,
    /// The repairs that return it.
    pub ranks: Vec<usize>,
}

#[derive(Serialize)]
pub struct Row {
    pub rank: usize,
    /// Why it has this rank; hidden with a hint at the line only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    pub edits: Vec<Edit>,
    /// The number of calls inside the domain of the tests that end otherwise than before, and of all that were tried.
    pub changed: u32,
    pub calls: u32,
    /// Tests and properties that pass with the repair: all of them.
    pub tests_passed: usize,
    /// Number of other repairs that behave the same on all inputs tried.
    pub alike: u32,
    /// Number of these that are proved equal.
    pub alike_proved: u32,
    #[serde(skip)]
    pub likeness: Option<String>,
    #[serde(skip)]
    pub plausible: String,
    /// A call of passing tests whose result it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_use: Option<String>,
    /// Functions that call a changed function, and that no failing test enters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_callers: Vec<String>,
}

/// A change, as detailed as the hint level allows.
#[derive(Serialize)]
pub struct Edit {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
    /// Set if only the line is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(flatten)]
    pub span: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
    /// Number of failing tests that it mends alone, if it is one of several edits and can be taken alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mends: Option<u32>,
}

impl Edit {
    pub fn with(self, hint: Hint) -> Edit {
        let line = self.span.map(|span| span.line);
        match hint {
            Hint::Fix => self,
            Hint::Operator => Edit { replacement: None, ..self },
            Hint::Line => Edit { line, rule: None, span: None, original: None, replacement: None, mends: None },
        }
    }

    /// Formats the change on one line.
    pub fn text(&self) -> String {
        let place = match (self.line, self.span) {
            (Some(line), _) => return format!("look at line {line}"),
            (None, span) => span.map_or(String::new(), |span| format!("{}:{}", span.line, span.column)),
        };
        let [original, replacement] =
            [&self.original, &self.replacement].map(|text| text.as_ref().map(|text| on_one_line(text)));
        let mut after = replacement.map_or(String::new(), |replacement| format!(" → {replacement}"));
        if let Some(mends) = self.mends {
            let _ = write!(after, "  (alone mends {})", plural(mends.into(), "test"));
        }
        format!("{place:>7}  {:<11} {}{after}", self.rule.unwrap_or(""), original.unwrap_or_default())
    }
}

impl Row {
    pub fn with(self, hint: Hint) -> Row {
        let why = self.why.filter(|_| !matches!(hint, Hint::Line));
        Row { edits: self.edits.into_iter().map(|edit| edit.with(hint)).collect(), why, ..self }
    }
}

impl QuestionRow {
    /// Formats the question, with each answer as a test.
    pub fn text(&self) -> String {
        let outside = if self.inside { "" } else { " (no call like those of the tests separates the repairs)" };
        let mut text = format!("  what should {} return?{outside}\n", visible(&self.call));
        for AnswerRow { test, ranks } in &self.answers {
            let ranks: Vec<String> = ranks.iter().map(usize::to_string).collect();
            let who = if ranks.len() == 1 { "repair" } else { "repairs" };
            let _ = writeln!(text, "    {}  by {who} {}", visible(test), ranks.join(", "));
        }
        text
    }
}

/// Returns the row of a repair.
pub fn row(rank: usize, why: String, repair: &Repair, text: &str, lines: &Lines, tests: usize) -> Row {
    let edit = |change: &Change| Edit {
        rule: Some(change.rule.name()),
        line: None,
        span: Some(Span::new(lines.place(change.lo), lines.place(change.hi))),
        original: Some(text.get(change.lo..change.hi).unwrap_or("").into()),
        replacement: Some(change.replacement.clone()),
        mends: (change.mends > 0 && repair.changes.len() > 1).then_some(change.mends),
    };
    Row {
        rank,
        why: Some(why),
        edits: repair.changes.iter().map(edit).collect(),
        changed: repair.changed,
        calls: repair.calls,
        tests_passed: tests,
        alike: repair.alike,
        alike_proved: repair.proved,
        likeness: repair.likeness(),
        plausible: repair.plausible(),
        other_use: repair.other_use.as_ref().map(OtherUse::text),
        other_callers: repair.other_callers.clone(),
    }
}
