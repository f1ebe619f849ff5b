//! The JSON document of `model`.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::host::measure::origin::Origin;
use crate::paper::Measured;
use crate::paper::advice::Advice;
use crate::paper::curves::{Crossover, Plot, crossovers};
use crate::paper::figures::figures;
use crate::paper::table::{Cell, Row, Section, Value};

#[derive(Default, Serialize)]
pub struct Document<'a> {
    sections: Vec<SectionRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<Machine<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    curves: Vec<CurvesRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    figures: Vec<FigureRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<AdviceRow<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    missing: &'a [String],
}

#[derive(Serialize)]
struct Machine<'a> {
    adapter: &'a str,
    cores: f64,
    k: u32,
    programs: u32,
    bytes: u32,
    tests: u32,
}

#[derive(Serialize)]
struct SectionRow<'a> {
    section: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    equation: Option<u8>,
    title: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    formula: &'a str,
    rows: Vec<RowRow<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    findings: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    disagreements: &'a [String],
}

struct RowRow<'a>(&'a Row);

impl Serialize for RowRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.0.name)?;
        map.serialize_entry("unit", self.0.unit.ident())?;
        for origin in Origin::ALL {
            if let Some(cell) = self.0.cell(origin) {
                map.serialize_entry(origin.ident(), &CellRow(cell))?;
            }
        }
        if self.0.identity {
            map.serialize_entry("identity", &true)?;
        }
        if !self.0.note.is_empty() {
            map.serialize_entry("note", &self.0.note)?;
        }
        map.end()
    }
}

struct CellRow<'a>(&'a Cell);

impl Serialize for CellRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.0.value {
            Value::Number(range) if range.low == range.high => map.serialize_entry("value", &range.low)?,
            Value::Number(range) => {
                map.serialize_entry("low", &range.low)?;
                map.serialize_entry("high", &range.high)?;
            }
            Value::Words(text) => map.serialize_entry("text", text)?,
        }
        if let Some(spread) = self.0.spread {
            map.serialize_entry("spread", &spread)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct CurvesRow<'a> {
    quantity: &'a str,
    unit: &'static str,
    curves: Vec<CurveRow<'a>>,
    crossovers: Vec<CrossoverRow>,
}

#[derive(Serialize)]
struct CurveRow<'a> {
    name: &'a str,
    /// The thing that k counts.
    counts: &'static str,
    /// The line through the points: fixed + each · k.
    fixed: f64,
    each: f64,
    points: Vec<Point>,
}

#[derive(Serialize)]
struct Point {
    k: f64,
    value: f64,
}

#[derive(Serialize)]
struct CrossoverRow {
    of: [&'static str; 2],
    k: f64,
    beyond: &'static str,
    counts: &'static str,
}

/// A figure that the race measures, too.
#[derive(Serialize)]
struct FigureRow {
    contestant: &'static str,
    title: &'static str,
    programs: u32,
    per_second: f64,
}

#[derive(Serialize)]
struct AdviceRow<'a> {
    k: u32,
    approach: &'static str,
    why: &'a str,
}

pub fn document<'a>(
    m: &'a Measured,
    sections: &'a [Section],
    plots: &'a [Plot],
    advice: &'a Option<Advice>,
) -> Document<'a> {
    let section = |section: &'a Section| SectionRow {
        section: &section.ident,
        equation: section.equation,
        title: section.title,
        formula: section.formula,
        rows: section.rows.iter().map(RowRow).collect(),
        findings: &section.findings,
        disagreements: &section.disagreements,
    };
    let curves = |plot: &'a Plot| CurvesRow {
        quantity: plot.title,
        unit: plot.unit.ident(),
        curves: plot
            .curves
            .iter()
            .map(|curve| CurveRow {
                name: curve.name.text,
                counts: curve.name.counts.ident(),
                fixed: curve.line.fixed,
                each: curve.line.each,
                points: curve.points.iter().map(|&(k, value)| Point { k, value }).collect(),
            })
            .collect(),
        crossovers: crossovers(plot)
            .into_iter()
            .map(|Crossover { of, k, beyond, counts }| CrossoverRow { of, k, beyond, counts: counts.ident() })
            .collect(),
    };
    let subject = &m.subject;
    let figures = figures(m).into_iter().map(|figure| FigureRow {
        contestant: figure.contestant.name(),
        title: figure.contestant.title(),
        programs: figure.programs,
        per_second: figure.per_second,
    });
    Document {
        sections: sections.iter().map(section).collect(),
        machine: Some(Machine {
            adapter: &subject.adapter,
            cores: subject.cores,
            k: subject.k,
            programs: subject.programs,
            bytes: subject.bytes,
            tests: subject.tests,
        }),
        curves: plots.iter().map(curves).collect(),
        // Figures belong to the whole, as the curves do.
        figures: if plots.is_empty() { vec![] } else { figures.collect() },
        advice: advice.as_ref().map(|a| AdviceRow { k: subject.k, approach: a.approach.ident(), why: &a.why }),
        missing: &m.missing,
    }
}
