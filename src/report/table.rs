//! Tables, drawn as aligned text, as Markdown and as comma-separated values.

use std::fmt::Display;

use unicode_width::UnicodeWidthStr;

use super::visible::visible;
use crate::host::measure::origin::Origin;

/// The blanks between two columns.
const GAP: &str = "  ";

#[derive(Clone, Debug)]
pub struct ReportColumn {
    title: String,
    /// How its numbers were obtained, if they all were in the same way.
    origin: Option<Origin>,
    is_number: bool,
}

/// Returns a column of words, which begin at its left edge.
pub fn words(title: impl Into<String>) -> ReportColumn {
    ReportColumn { title: title.into(), origin: None, is_number: false }
}

/// Returns a column of numbers, which end at its right edge.
pub fn number(title: impl Into<String>) -> ReportColumn {
    ReportColumn { is_number: true, ..words(title) }
}

impl ReportColumn {
    pub fn of(self, origin: Origin) -> ReportColumn {
        ReportColumn { origin: Some(origin), ..self }
    }
}

/// A table: the columns, and rows of one cell for each of them.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<ReportColumn>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(columns: impl IntoIterator<Item = ReportColumn>) -> Table {
        Table { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row. Text from outside becomes visible.
    pub fn row(&mut self, cells: &[&dyn Display]) {
        self.rows.push(cells.iter().map(|cell| visible(&cell.to_string())).collect());
    }

    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Returns the rows, without titles.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Returns the titles and the origins, each if a column has one.
    pub fn heads(&self) -> Vec<Vec<String>> {
        let titles = self.columns.iter().map(|column| column.title.clone()).collect();
        let origin = |column: &ReportColumn| column.origin.map_or(String::new(), |origin| origin.to_string());
        let origins = self.columns.iter().map(origin).collect();
        let is_any = |line: &Vec<String>| line.iter().any(|title| !title.is_empty());
        [titles, origins].into_iter().filter(is_any).collect()
    }

    /// Returns the width of a column in terminal cells.
    pub fn width(&self, column: usize) -> usize {
        let heads = self.heads();
        heads
            .iter()
            .chain(&self.rows)
            .filter_map(|row| row.get(column))
            .map(|cell| cell.width())
            .max()
            .unwrap_or(0)
    }

    /// Returns some of the columns as aligned lines, below their titles.
    pub fn lines(&self, columns: &[usize]) -> Vec<String> {
        let widths: Vec<usize> = columns.iter().map(|column| self.width(*column)).collect();
        let line = |row: &Vec<String>| {
            let cells = columns.iter().zip(&widths).map(|(column, width)| {
                let cell = row.get(*column).map_or("", String::as_str);
                let room = " ".repeat(width - cell.width());
                if self.columns[*column].is_number { room + cell } else { cell.to_string() + &room }
            });
            cells.collect::<Vec<String>>().join(GAP).trim_end().to_string()
        };
        self.heads().iter().chain(&self.rows).map(line).collect()
    }

    pub fn text(&self, indent: &str) -> String {
        let all: Vec<usize> = (0..self.columns.len()).collect();
        self.lines(&all).iter().map(|line| format!("{indent}{line}\n")).collect()
    }

    /// Draws the table as Markdown; cells are Markdown themselves.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule: String =
            self.columns.iter().map(|own| if own.is_number { "|---:" } else { "|---" }).collect();
        let rows = self.rows.iter().map(|row| line(row));
        self.heads().iter().map(|row| line(row)).chain([rule + "|\n"]).chain(rows).collect()
    }
}

/// Escapes text for a cell of a Markdown table.
pub fn in_markdown(text: &str) -> String {
    visible(text).replace('|', "\\|")
}

/// Returns rows as comma-separated values. A cell that a spreadsheet would take for a formula is marked as text by an
/// apostrophe.
pub fn csv<R: IntoIterator<Item: AsRef<str>>>(rows: impl IntoIterator<Item = R>) -> String {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let cell = |text: &str| match text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        true => format!("'{text}"),
        false => text.to_string(),
    };
    for row in rows {
        // Writing to memory does not fail.
        let _ = writer.write_record(row.into_iter().map(|text| cell(text.as_ref())));
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let mut table = Table::new([words("file"), number("steps"), words("note")]);
        table.row(&[&"a\u{1b}.myr", &7, &""]);
        table.row(&[&"漢.myr", &1_234_567, &"long"]);
        assert_eq!(table.text(" "), " file      steps  note\n a␛.myr        7\n 漢.myr  1234567  long\n");
        assert_eq!(table.lines(&[1]), ["  steps", "      7", "1234567"]);
        assert_eq!(
            table.markdown(),
            "| file | steps | note |\n|---|---:|---|\n| a␛.myr | 7 |  |\n| 漢.myr | 1234567 | long |\n"
        );
        let with_origin = Table::new([words(""), number("time").of(Origin::Measured)]);
        assert_eq!(with_origin.heads(), [["", "time"], ["", "measured"]]);
        assert_eq!(in_markdown("a|b\n"), "a\\|b␊");
    }

    #[test]
    fn values_are_quoted_for_spreadsheets() {
        let row = ["a", "b, c", "say \"x\"", "=1+1", "+1", "-1", "@SUM(1)", "\t=1", ""];
        assert_eq!(csv([row]), "a,\"b, c\",\"say \"\"x\"\"\",'=1+1,'+1,'-1,'@SUM(1),'\t=1,\n");
        assert_eq!(csv([vec!["a"], vec!["two\nlines", "b"]]), "a\n\"two\nlines\",b\n");
    }
}
