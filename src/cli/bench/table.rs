//! Results of benchmarks, one figure per row, and their output formats.

use std::fmt::Display;

use serde::{Serialize, Serializer};

use crate::host::measure::numbers::grouped;
use crate::host::measure::stat::Stat;
use crate::report::table::{Table, in_markdown, number, words};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Contender {
    /// `cpu`, `gpu`, or a compiler's name.
    pub engine: String,
    /// The device that the engine runs on, under the name that the device reports.
    pub adapter: String,
}

/// The work that was measured.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct BenchSubject {
    /// Number of programs in a batch.
    pub k: u64,
    /// Size of the source.
    pub bytes: usize,
    pub tests: usize,
}

#[derive(Clone, Debug, Serialize)]
pub struct BenchRow {
    pub name: String,
    #[serde(flatten)]
    pub subject: BenchSubject,
    #[serde(flatten)]
    pub who: Contender,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keystrokes: Option<u32>,
    #[serde(flatten)]
    pub found: BenchRecord,
    pub unit: &'static str,
}

/// The value of a figure, or why it is missing.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum BenchRecord {
    Figure {
        #[serde(serialize_with = "rounded")]
        median: f64,
        #[serde(serialize_with = "rounded")]
        spread: f64,
        /// Number of measurements; 1 for counts.
        of: u32,
    },
    Nothing {
        missing: String,
    },
}

impl BenchRow {
    /// Returns a row of measurements.
    pub fn new(
        name: impl Into<String>,
        unit: &'static str,
        subject: BenchSubject,
        who: &Contender,
        values: Vec<f64>,
    ) -> BenchRow {
        let found = match Stat::of(values) {
            Some(Stat { median, spread, of }) => BenchRecord::Figure { median, spread, of },
            None => BenchRecord::Nothing { missing: "nothing was measured".into() },
        };
        BenchRow { name: name.into(), subject, who: who.clone(), keystrokes: None, found, unit }
    }

    /// Returns a row without a figure, with the reason.
    pub fn missing(
        name: impl Into<String>,
        unit: &'static str,
        subject: BenchSubject,
        who: &Contender,
        why: String,
    ) -> BenchRow {
        BenchRow {
            found: BenchRecord::Nothing { missing: why },
            ..BenchRow::new(name, unit, subject, who, vec![])
        }
    }

    /// Returns the reciprocal row, such as a rate from a time: `whole` divided by the figure. It is computed
    /// from the median, since medians of an even number of measurements would not match.
    pub fn inverse(&self, name: &str, unit: &'static str, whole: f64) -> BenchRow {
        let mut row = BenchRow { name: name.into(), unit, ..self.clone() };
        if let BenchRecord::Figure { median, spread, .. } = &mut row.found {
            let inverse = whole / median.max(f64::MIN_POSITIVE);
            (*median, *spread) = (inverse, inverse * *spread / median.max(f64::MIN_POSITIVE));
        }
        row
    }

    pub fn median(&self) -> Option<f64> {
        match self.found {
            BenchRecord::Figure { median, .. } => Some(median),
            BenchRecord::Nothing { .. } => None,
        }
    }
}

/// Results on one program.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    pub file: String,
    pub rows: Vec<BenchRow>,
}

/// Rounds to six significant digits; more would be noise.
fn rounded<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(significant(*value, 6))
}

fn significant(value: f64, digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10f64.powi(digits - 1 - value.abs().log10().floor() as i32);
    if scale.is_finite() && scale > 0.0 { (value * scale).round() / scale } else { value }
}

/// Formats a figure for display: three significant digits, with thousands separators.
fn figure(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        a if a >= 1e15 => format!("{value:.3e}"),
        a if a >= 99.95 => format!("{}{}", if value < 0.0 { "-" } else { "" }, grouped(a.round() as u64)),
        a if a >= 9.995 => format!("{value:.1}"),
        a if a >= 0.9995 => format!("{value:.2}"),
        a if a >= 0.000_05 => format!("{value:.*}", (2 - a.log10().floor() as i32).clamp(3, 6) as usize),
        _ => format!("{value:.2e}"),
    }
}

pub fn counted(value: f64, unit: &str) -> String {
    if unit == "count" || unit == "B" { grouped(value.max(0.0).round() as u64) } else { figure(value) }
}

/// Formats a table with a row for each figure.
pub fn text(measures: &str, sections: &[Section]) -> String {
    let mut table = Table::new([
        words("program"),
        words("figure"),
        number("k"),
        words("engine"),
        number("median"),
        number("spread"),
        words("unit"),
        words("of"),
        words("on"),
    ]);
    for section in sections {
        for row in &section.rows {
            let (median, spread, of) = match &row.found {
                BenchRecord::Figure { median, spread, of } => (
                    counted(*median, row.unit),
                    format!("± {}", counted(*spread, row.unit)),
                    grouped((*of).into()),
                ),
                BenchRecord::Nothing { missing } => ("missing".into(), String::new(), missing.clone()),
            };
            let (k, engine) = (grouped(row.subject.k), &row.who.engine);
            let on = if row.who.adapter == section.file { "" } else { &row.who.adapter };
            table.row(&[&section.file, &row.name, &k, engine, &median, &spread, &row.unit, &of, &on]);
        }
    }
    format!("{measures}\n{}", table.text(""))
}

/// Returns the label of a row's line or column in a table of the page.
pub type BenchKey = fn(&Section, &BenchRow) -> String;

/// Returns a table with a line for each distinct `line`, a column for each distinct `column`, and figures in the cells.
pub fn pivot(
    sections: &[Section],
    first: &str,
    line: BenchKey,
    column: BenchKey,
    cell: fn(&BenchRow) -> String,
) -> Table {
    let all = || sections.iter().flat_map(|section| section.rows.iter().map(move |row| (section, row)));
    let keys = |key: BenchKey| {
        let mut keys: Vec<String> = Vec::new();
        for (section, row) in all() {
            let own = in_markdown(&key(section, row));
            if !keys.contains(&own) {
                keys.push(own);
            }
        }
        keys
    };
    let (lines, columns) = (keys(line), keys(column));
    let mut table = Table::new([words(first)].into_iter().chain(columns.iter().map(number)));
    for own in &lines {
        let cells = |wanted: &String| {
            let is_it = |(section, row): &(&Section, &BenchRow)| {
                in_markdown(&line(section, row)) == *own && in_markdown(&column(section, row)) == *wanted
            };
            all().find(is_it).map_or(String::new(), |(_, row)| cell(row))
        };
        let cells: Vec<String> = columns.iter().map(cells).collect();
        let cells = std::iter::once(own).chain(&cells).map(|cell| cell as &dyn Display);
        table.row(&cells.collect::<Vec<_>>());
    }
    table
}

/// Formats a figure with its spread for a page.
pub fn in_cell(row: &BenchRow) -> String {
    match &row.found {
        BenchRecord::Figure { median, of: 1, .. } => counted(*median, row.unit),
        BenchRecord::Figure { median, spread, .. } => {
            format!("{} ± {}", counted(*median, row.unit), counted(*spread, row.unit))
        }
        BenchRecord::Nothing { missing } => format!("*{}*", in_markdown(missing)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_shown_with_three_significant_digits() {
        let shown =
            [0.0, 0.000_012, 0.01234, 0.5, 1.0, 9.996, 12.34, 99.96, 1234.5, -3.25, -1234.0].map(figure);
        assert_eq!(
            shown,
            ["0", "1.20e-5", "0.0123", "0.500", "1.00", "10.0", "12.3", "100", "1,235", "-3.25", "-1,234"]
        );
        assert_eq!(
            (significant(1_234_567.8, 6), significant(0.000_123_456_78, 6)),
            (1_234_570.0, 0.000_123_457)
        );
        assert_eq!(significant(f64::NAN, 6), 0.0);
    }

    #[test]
    fn tables_show_measured_and_missing_rows() {
        let who = |engine: &str| Contender { engine: engine.into(), adapter: "a|b".into() };
        let subject = BenchSubject { k: 1_000, bytes: 5, tests: 2 };
        let section = |file: &str, rows| Section { file: file.into(), rows };
        let sections = [
            section("a.myr", vec![BenchRow::new("variant", "µs", subject, &who("cpu"), vec![2.0, 3.0, 4.0])]),
            section("b.myr", vec![BenchRow::missing("variant", "µs", subject, &who("tcc"), "a|b".into())]),
        ];
        let page = pivot(
            &sections,
            "program",
            |section, _| section.file.clone(),
            |_, row| row.who.engine.clone(),
            in_cell,
        );
        assert_eq!(
            page.markdown(),
            "| program | cpu | tcc |\n|---|---:|---:|\n| a.myr | 3.00 ± 1.00 |  |\n| b.myr |  | *a\\|b* |\n"
        );
        let text = text("times", &sections);
        assert!(text.contains("a.myr    variant  1,000  cpu"), "{text}");
        assert!(text.contains("missing"), "{text}");
    }
}
