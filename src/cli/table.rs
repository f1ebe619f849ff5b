//! Tables: aligned columns for people, comma-separated values for spreadsheets.

use std::borrow::Cow;

use crate::report::visible::visible;

/// The maximum width of a cell of text in characters.
const WIDEST: usize = 100;

/// Returns a table with a line of titles, each line indented by two spaces. Long cells are shortened.
pub fn text<const N: usize>(titles: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let cell = |text: String| match visible(&text) {
        text if text.chars().count() > WIDEST => text.chars().take(WIDEST - 1).chain(['…']).collect(),
        text => text,
    };
    let mut lines = vec![titles.map(String::from)];
    lines.extend(rows.map(|row| row.map(cell)));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |line: &[String; N]| {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("  {cell:width$}"));
        cells.collect::<String>().trim_end().to_string() + "\n"
    };
    lines.iter().map(line).collect()
}

/// Returns a line of comma-separated values (RFC 4180, with line feeds). A cell that a spreadsheet would take for a formula is quoted as
/// text by an apostrophe.
pub fn csv_line<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let cell = |text: &'a str| {
        let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
        let text = if formula { Cow::from(format!("'{text}")) } else { text.into() };
        match text.contains(['"', ',', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.into_owned(),
        }
    };
    cells.into_iter().map(cell).collect::<Vec<String>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_align_cells_and_shorten_long_ones() {
        let rows = [["a.myr".into(), "x".repeat(120)], ["long name.myr".into(), String::new()]];
        let table = text(["file", "note"], rows.into_iter());
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "  file           note");
        assert_eq!(lines[1].chars().count(), 2 + 13 + 2 + WIDEST);
        assert_eq!(lines[2], "  long name.myr");
    }

    #[test]
    fn values_are_quoted_for_spreadsheets() {
        assert_eq!(csv_line(["a", "b, c", "say \"x\"", "=1+1", ""]), "a,\"b, c\",\"say \"\"x\"\"\",'=1+1,\n");
    }
}
