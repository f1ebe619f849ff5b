//! The model as sections of rows with three columns: the paper's, modelled with our constants, measured.

use super::equations::{self, Equation};
use super::itself;
use super::quoted::Range;
use crate::host::measure::energy::Energy;
use crate::host::measure::origin::Origin;
use crate::host::measure::quantity::Unit;
use crate::host::measure::stat::{Power, Stat};

/// What a cell holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// From and to; equal for one number.
    Number(Range),
    Words(String),
}

/// A value, and how far the true one may be from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    pub value: Value,
    /// Half the distance between the quartiles of repeated measurements, or a meter's error.
    pub spread: Option<f64>,
}

impl Cell {
    pub fn number(value: f64) -> Cell {
        Cell { value: Value::Number(Range::of(value)), spread: None }
    }
    pub fn range(range: Range) -> Cell {
        Cell { value: Value::Number(range), spread: None }
    }
    pub fn words(text: impl Into<String>) -> Cell {
        Cell { value: Value::Words(text.into()), spread: None }
    }

    /// As people read it, with a unit.
    pub fn shown(&self, unit: Unit) -> String {
        match &self.value {
            Value::Words(text) => text.clone(),
            Value::Number(range) if range.low != range.high => unit.range(range.low, range.high),
            Value::Number(range) => match self.spread {
                Some(spread) if spread > 0.0 => format!("{} ± {}", unit.show(range.low), unit.show(spread)),
                _ => unit.show(range.low),
            },
        }
    }
}

impl From<Stat> for Cell {
    fn from(stat: Stat) -> Cell {
        Cell { value: Value::Number(Range::of(stat.median)), spread: (stat.of > 1).then_some(stat.spread) }
    }
}

impl From<Power> for Cell {
    fn from(power: Power) -> Cell {
        Cell { value: Value::Number(Range::of(power.exponent)), spread: Some(power.error) }
    }
}

/// One quantity in three columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub name: String,
    pub unit: Unit,
    pub cells: [Option<Cell>; 3],
    /// What it was measured on, or how; empty where nothing needs to be said.
    pub note: String,
    /// The modelled number follows from the measured one, so that they agree by construction and nothing is tested.
    pub identity: bool,
}

impl Row {
    pub fn new(name: impl Into<String>, unit: Unit) -> Row {
        Row { name: name.into(), unit, cells: [None, None, None], note: String::new(), identity: false }
    }

    fn with(mut self, origin: Origin, cell: Cell) -> Row {
        let cell = match cell.value {
            Value::Number(range) if range.low.is_nan() || range.high.is_nan() => return self,
            // Documents have no number for it.
            Value::Number(range) if range.high.is_infinite() => Cell::words("∞"),
            _ => cell,
        };
        self.cells[column(origin)] = Some(cell);
        self
    }
    /// The paper's range, as quoted or by its formula from its constants.
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
    /// Measured, where it could be.
    pub fn measured_if(self, value: Option<f64>) -> Row {
        match value {
            Some(value) => self.measured_once(value),
            None => self,
        }
    }
    /// An exponent fitted to measurements, and its standard error.
    pub fn fitted(self, power: Power) -> Row {
        self.with(Origin::Measured, power.into())
    }
    pub fn measured_as(self, words: impl Into<String>) -> Row {
        self.with(Origin::Measured, Cell::words(words))
    }
    /// Says that the modelled number says nothing, and why.
    pub fn identity(mut self, why: &str) -> Row {
        self.identity = true;
        self.note(format!("identity: {why}"))
    }
    /// A metered energy is measured; an estimate from stated watts is modelled, and the note says so.
    pub fn energy(self, energy: Energy) -> Row {
        let cell = Cell { value: Value::Number(Range::of(energy.joules)), spread: energy.error };
        let note = match energy.origin() {
            Origin::Measured => format!("by {}", energy.source),
            _ => energy.source.to_string(),
        };
        self.with(energy.origin(), cell).note(note)
    }
    /// Adds to what is said of it.
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
    /// What stands in a column, with its unit.
    pub fn shown(&self, origin: Origin) -> Option<String> {
        Some(self.cell(origin)?.shown(self.unit))
    }
    /// The number in a column; the middle of a range.
    pub fn number(&self, origin: Origin) -> Option<f64> {
        match self.cell(origin)?.value {
            Value::Number(range) => Some((range.low + range.high) / 2.0),
            Value::Words(_) => None,
        }
    }
}

/// The column of an origin: the paper's first.
fn column(origin: Origin) -> usize {
    match origin {
        Origin::Quoted => 0,
        Origin::Modelled => 1,
        Origin::Measured => 2,
    }
}

/// An equation, a table or a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// `eq1` … `eq16`, `energy`, `memory`, `table1`, `table2`, `claims`.
    pub ident: String,
    /// Of an equation its number.
    pub equation: Option<u8>,
    pub title: &'static str,
    /// The formula in one line; empty where there is none.
    pub formula: &'static str,
    pub rows: Vec<Row>,
    /// What the comparison comes to, in sentences: where measurement and paper contradict each other, it says so.
    pub findings: Vec<String>,
    /// Where the paper contradicts itself.
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
            disagreements: itself::disagreements(ident),
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

/// A number of programs or candidates as all rows write it: thousands set apart.
pub fn count(k: u32) -> String {
    crate::host::measure::quantity::digits(k.into())
}

/// How a measurement stands to the paper's range, as a sentence; `None` where it lies within.
pub fn contradiction(what: &str, unit: Unit, paper: Range, here: f64) -> Option<String> {
    if !here.is_finite() || here <= 0.0 || paper.contains(here) {
        return None;
    }
    let (bound, factor, more) = match here < paper.low {
        true => (paper.low, paper.low / here, "less"),
        false => (paper.high, here / paper.high, "more"),
    };
    // A tenth beside the bound is no contradiction.
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
