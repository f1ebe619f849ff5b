//! The phases of a line one below the other, for narrow panels.

use super::{Column, Columns, LadderRow};
use crate::host::measure::numbers::grouped;
use crate::workbench::text::visible;
use crate::workbench::theme::Look;

/// Returns the rows: the source, the cells of each phase below its title, and the tests' steps with the code of each phase.
pub fn rows(columns: Columns) -> Vec<LadderRow> {
    let token = columns.all.first().and_then(|tokens| tokens.cells.first()?.token);
    let source = LadderRow { token, parts: vec![(Look::Text, visible(&columns.source))] };
    let mut rows =
        vec![title("source".into(), format!(" · line {}", grouped(columns.line as u64))), below(source)];
    let tests = tests(&columns.all);
    for column in columns.all {
        rows.push(title(column.title, column.more));
        rows.extend(column.cells.into_iter().map(below));
    }
    rows.extend(tests);
    rows
}

fn title(title: String, more: String) -> LadderRow {
    LadderRow { token: None, parts: vec![(Look::Heading, title), (Look::Dim, more)] }
}

fn below(mut row: LadderRow) -> LadderRow {
    row.parts.insert(0, (Look::Text, "  ".to_string()));
    row
}

/// Returns a row for each phase with code, then one for each test.
fn tests(all: &[Column]) -> Vec<LadderRow> {
    let Some((tokens, phases)) = all.split_first() else { return Vec::new() };
    let [heading, _, labels @ ..] = &tokens.tests[..] else { return Vec::new() };
    let run = || phases.iter().filter(|column| !column.tests.is_empty());
    let text = |row: &LadderRow| row.parts.iter().map(|(_, text)| text.as_str()).collect::<String>();
    let mut rows = vec![heading.clone()];
    for column in run() {
        let [ended, total, ..] = &column.tests[..] else { continue };
        let name = (Look::Text, format!("  {:<16} {:>14}  ", column.title, text(total)));
        rows.push(LadderRow { token: None, parts: std::iter::once(name).chain(ended.parts.clone()).collect() });
    }
    for (number, label) in labels.iter().enumerate() {
        let counts: Vec<String> = run().filter_map(|column| column.tests.get(2 + number)).map(text).collect();
        let mut row = below(label.clone());
        row.parts.push((Look::Number, format!("  {}", counts.join(" → "))));
        rows.push(row);
    }
    rows
}
