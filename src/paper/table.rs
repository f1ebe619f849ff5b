//! The model as sections of rows with three columns: quoted from the paper, modelled with our constants, and measured.

use super::contradictions;
use super::equations::{self, Equation};
use super::quoted::Range;
use crate::host::measure::energy::Energy;
use crate::host::measure::origin::Origin;
use crate::host::measure::quantity::Unit;
use crate::host::measure::stat::{Power, Stat};

/// The content of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum PaperValue {
    /// A range. Both ends are equal for a single number.
    Number(Range),
    Words(String),
}

/// A value with its uncertainty.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    pub value: PaperValue,
    /// Half the interquartile range of repeated measurements, or a meter's error.
    pub spread: Option<f64>,
}

impl Cell {
    pub fn number(value: f64) -> Cell {
        Cell { value: PaperValue::Number(Range::of(value)), spread: None }
    }
    pub fn range(range: Range) -> Cell {
        Cell { value: PaperValue::Number(range), spread: None }
    }
    pub fn words(text: impl Into<String>) -> Cell {
        Cell { value: PaperValue::Words(text.into()), spread: None }
    }

    /// Returns the cell's text with its unit.
    pub fn shown(&self, unit: Unit) -> String {
        match &self.value {
            PaperValue::Words(text) => text.clone(),
            PaperValue::Number(range) if range.low != range.high => unit.range(range.low, range.high),
            PaperValue::Number(range) => match self.spread {
                Some(spread) if spread > 0.0 => format!("{} ± {}", unit.show(range.low), unit.show(spread)),
                _ => unit.show(range.low),
            },
        }
    }
}

impl From<Stat> for Cell {
    fn from(stat: Stat) -> Cell {
        Cell { value: PaperValue::Number(Range::of(stat.median)), spread: (stat.of > 1).then_some(stat.spread) }
    }
}

impl From<Power> for Cell {
    fn from(power: Power) -> Cell {
        Cell { value: PaperValue::Number(Range::of(power.exponent)), spread: Some(power.error) }
    }
}

/// One quantity in three columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub name: String,
    pub unit: Unit,
    pub cells: [Option<Cell>; 3],
    /// The subject or method of the measurement; may be empty.
    pub note: String,
    /// Whether the modelled number follows from the measured one, so that they agree by construction.
    pub identity: bool,
}

impl Row {
    pub fn new(name: impl Into<String>, unit: Unit) -> Row {
        Row { name: name.into(), unit, cells: [None, None, None], note: String::new(), identity: false }
    }

    fn with(mut self, origin: Origin, cell: Cell) -> Row {
        let cell = match cell.value {
            PaperValue::Number(range) if range.low.is_nan() || range.high.is_nan() => return self,
            // JSON has no number for infinity.
            PaperValue::Number(range) if range.high.is_infinite() => Cell::words("∞"),
            _ => cell,
        };
        self.cells[column(origin)] = Some(cell);
        self
    }
    /// Sets the paper's range, quoted or computed with the paper's constants.
    pub fn paper(self, range: Range) -> Row {
        self.with(Origin::Quoted, Cell::range(range))
    }
    pub fn paper_says(self, words: impl Into<String>) -> Row {
        self.with(Origin::Quoted, Cell::words(words))
    }
    pub fn modelled(self, value: f64) -> Row {
        self.with(Origin::Modelled, Cell::number(value))
    }
    pub fn modelled_as(self, words: impl Into<String>) -> Row {
        self.with(Origin::Modelled, Cell::words(words))
    }
    pub fn measured(self, stat: Stat) -> Row {
        self.with(Origin::Measured, stat.into())
    }
    pub fn measured_once(self, value: f64) -> Row {
        self.with(Origin::Measured, Cell::number(value))
    }
    pub fn measured_if(self, value: Option<f64>) -> Row {
        match value {
            Some(value) => self.measured_once(value),
            None => self,
        }
    }
    /// Sets an exponent fitted to measurements, with its standard error.
    pub fn fitted(self, power: Power) -> Row {
        self.with(Origin::Measured, power.into())
    }
    pub fn measured_as(self, words: impl Into<String>) -> Row {
        self.with(Origin::Measured, Cell::words(words))
    }
    /// Marks the modelled number as true by construction, with the reason.
    pub fn identity(mut self, why: &str) -> Row {
        self.identity = true;
        self.note(format!("identity: {why}"))
    }
    /// Sets an energy. A metered energy is measured; an estimate from configured watts is modelled, and the note states
    /// this.
    pub fn energy(self, energy: Energy) -> Row {
        let cell = Cell { value: PaperValue::Number(Range::of(energy.joules)), spread: energy.error };
        let note = match energy.origin() {
            Origin::Measured => format!("by {}", energy.source),
            _ => energy.source.to_string(),
        };
        self.with(energy.origin(), cell).note(note)
    }
    pub fn note(mut self, note: impl AsRef<str>) -> Row {
        if !self.note.is_empty() && !note.as_ref().is_empty() {
            self.note.push_str("; ");
        }
        self.note.push_str(note.as_ref());
        self
    }

    pub fn cell(&self, origin: Origin) -> Option<&Cell> {
        self.cells[column(origin)].as_ref()
    }
    /// Returns a column's text with its unit.
    pub fn shown(&self, origin: Origin) -> Option<String> {
        Some(self.cell(origin)?.shown(self.unit))
    }
    /// Returns the number in a column, or the middle of a range.
    pub fn number(&self, origin: Origin) -> Option<f64> {
        match self.cell(origin)?.value {
            PaperValue::Number(range) => Some((range.low + range.high) / 2.0),
            PaperValue::Words(_) => None,
        }
    }
}

/// Returns the column of an origin; the paper's is first.
fn column(origin: Origin) -> usize {
    match origin {
        Origin::Quoted => 0,
        Origin::Modelled => 1,
        Origin::Measured => 2,
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// `eq1` … `eq16`, `energy`, `memory`, `table1`, `table2`, `claims`.
    pub ident: String,
    pub equation: Option<u8>,
    pub title: &'static str,
    /// The formula in one line, or empty.
    pub formula: &'static str,
    pub rows: Vec<Row>,
    /// The conclusions of the comparison as sentences, including contradictions between measurement and paper.
    pub findings: Vec<String>,
    /// The paper's contradictions with itself.
    pub disagreements: Vec<String>,
}

impl Section {
    pub fn equation(number: u8) -> Section {
        let Equation { number, title, formula } = equations::of(number);
        let section = Section::named(&format!("eq{number}"), title);
        Section { equation: Some(number), formula, ..section }
    }
    pub fn named(ident: &str, title: &'static str) -> Section {
        Section {
            ident: ident.into(),
            equation: None,
            title,
            formula: "",
            rows: vec![],
            findings: vec![],
            disagreements: contradictions::disagreements(ident),
        }
    }
    pub fn row(mut self, row: Row) -> Section {
        self.rows.push(row);
        self
    }
    pub fn rows(mut self, rows: impl IntoIterator<Item = Row>) -> Section {
        self.rows.extend(rows);
        self
    }
    pub fn finding(mut self, finding: impl Into<Option<String>>) -> Section {
        self.findings.extend(finding.into());
        self
    }
}

/// Formats a number of programs or candidates with separated thousands.
pub fn count(k: u32) -> String {
    crate::host::measure::quantity::digits(k.into())
}

/// Compares a measurement with the paper's range. Returns a sentence, or `None` if it lies within the range.
pub fn contradiction(what: &str, unit: Unit, paper: Range, here: f64) -> Option<String> {
    if !here.is_finite() || here <= 0.0 || paper.contains(here) {
        return None;
    }
    let (bound, factor, more) = match here < paper.low {
        true => (paper.low, paper.low / here, "less"),
        false => (paper.high, here / paper.high, "more"),
    };
    // A deviation of up to a tenth is not a contradiction.
    (factor > 1.1).then(|| {
        let times = if matches!(unit, Unit::Percent) {
            format!("{:.0} points {more}", (here - bound).abs())
        } else if factor < 2.0 {
            format!("{:.0} % {more}", 100.0 * (here - bound).abs() / bound)
        } else {
            format!("{} times {more}", crate::host::measure::quantity::digits(factor))
        };
        let paper = match paper.low == paper.high {
            true => unit.show(paper.low),
            false => unit.range(paper.low, paper.high),
        };
        format!("{what}: the paper says {paper}, here it is {}, {times}.", unit.show(here))
    })
}
