//! `myriad model`: compares the paper's model with measurements on this machine.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::args::{Common, Format, ModelArgs};
use super::exit::{Exit, Failure};
use super::input::Source;
use super::plot::{self, Points, Scale};
use super::progress::Progress;
use super::session::Session;
use super::{FileReport, bench, each_source, input};
use crate::host::measure::energy::Meter;
use crate::host::measure::origin::Origin;
use crate::host::measure::quantity::digits;
use crate::network::weights;
use crate::paper::advice::{Advice, Case, advise};
use crate::paper::curves::{Counts, Crossover, Plot, crossovers, plots};
use crate::paper::figures::figures;
use crate::paper::rows::sections;
use crate::paper::table::{Cell, Row, Section, Value};
use crate::paper::{Measured, Task, measure};
use crate::report::diagnostics::diagnostics;
use crate::report::visible::visible;

/// Default number of programs and candidates, as in the paper.
const K: u32 = 1000;

#[derive(Default, Serialize)]
struct Document<'a> {
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

/// Measures a file, or the gcd sample, and compares the results with the paper's.
pub fn model(common: Common, args: &ModelArgs) -> Result<Exit, Failure> {
    let mut session = Session::of_network(common)?;
    let source = match &args.file {
        Some(file) => read(file),
        None => Ok(bench::sample()),
    };
    each_source([source], common, None, |source| one(&mut session, source, common, args))
}

fn read(file: &OsString) -> Result<Source, Failure> {
    input::read(Path::new(file).as_os_str())
}

fn one(
    session: &mut Session,
    source: &Source,
    common: Common,
    args: &ModelArgs,
) -> Result<FileReport, Failure> {
    let base = session.base(source)?;
    let mut report = FileReport::new(source, &diagnostics(&base.compiled));
    if report.exit != Exit::Good {
        report.tell(Document::default(), None);
        return Ok(report);
    }
    let meter = Meter::open(common.config.energy);
    let mut progress = Progress::new("");
    let task = Task {
        engine: session.engine(),
        text: &source.text,
        k: args.k.unwrap_or(K),
        weights: weights::open(args.weights.as_deref()).map_err(|why| why.to_string()),
        meter: &meter,
        threads: std::thread::available_parallelism().map_or(1, |n| n.get() as u32),
        equations: &args.equation,
    };
    let measured = measure(task, &mut |what| {
        progress.say(what);
        true
    })?;
    drop(progress);
    let wanted = |section: &Section| {
        args.equation.is_empty() || section.equation.is_some_and(|number| args.equation.contains(&number))
    };
    let sections: Vec<Section> = sections(&measured).into_iter().filter(wanted).collect();
    let whole = args.equation.is_empty();
    let plots = if whole { plots(&measured) } else { vec![] };
    let case = Case { guarantee: args.guarantee, ..Case::of(&measured) };
    let advice = whole.then(|| advise(&measured, case));
    match common.format {
        Format::Json => report.tell(document(&measured, &sections, &plots, &advice), None),
        Format::Text => report.text = text(source, &measured, &sections, &plots, &advice),
    }
    Ok(report)
}

fn document<'a>(
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

fn text(
    source: &Source,
    m: &Measured,
    sections: &[Section],
    plots: &[Plot],
    advice: &Option<Advice>,
) -> String {
    let s = &m.subject;
    let mut page = format!(
        "{}: {} bytes, {} tests and properties, k = {}; {}\n",
        source.shown(),
        digits(s.bytes.into()),
        s.tests,
        digits(s.k.into()),
        visible(&s.adapter)
    );
    for why in &m.missing {
        let _ = writeln!(page, "  note: {}", visible(why));
    }
    for section in sections {
        let number = section.equation.map_or(String::new(), |number| format!("({number}) "));
        let _ = writeln!(page, "\n{number}{}   {}", section.title, section.formula);
        let _ = writeln!(page, "  {:<34}{:>18}{:>14}{:>18}", "", "paper (quoted)", "modelled", "measured");
        for row in &section.rows {
            page.push_str(&line(row));
        }
        for finding in &section.findings {
            page.push_str(&wrapped(finding, "  → ", 96));
        }
        for sentence in &section.disagreements {
            page.push_str(&wrapped(sentence, "  ≠ ", 96));
        }
    }
    for plot in plots {
        page.push('\n');
        page.push_str(&drawn(plot, f64::from(s.k)));
    }
    if let Some(advice) = advice {
        let _ =
            writeln!(page, "\nadvice for k = {} (table 2): {}", digits(s.k.into()), advice.approach.ident());
        page.push_str(&wrapped(&advice.why, "  because ", 96));
    }
    page
}

/// Formats a row, with its note on the same line or below.
fn line(row: &Row) -> String {
    let shown = |origin| row.shown(origin).unwrap_or_default();
    let [measured, modelled, quoted] = Origin::ALL.map(shown);
    if [&measured, &modelled, &quoted].iter().any(|text| text.chars().count() > 18) {
        // Long texts: a line for each column.
        let mut lines = format!("  {}\n", row.name);
        for (origin, text) in Origin::ALL.into_iter().zip([measured, modelled, quoted]).rev() {
            if !text.is_empty() {
                lines.push_str(&wrapped(&text, &format!("    {origin:<10}"), 96));
            }
        }
        if !row.note.is_empty() {
            lines.push_str(&wrapped(&row.note, "      ", 96));
        }
        return lines;
    }
    // A long name takes space from the first column, so that the columns stay aligned.
    let room = 18usize.saturating_sub(row.name.chars().count().saturating_sub(34));
    let mut line = format!("  {:<34}{quoted:>room$}{modelled:>14}{measured:>18}", row.name);
    match row.note.chars().count() {
        0 => line.push('\n'),
        n if n <= 34 => {
            let _ = writeln!(line, "   {}", row.note);
        }
        _ => {
            line.push('\n');
            line.push_str(&wrapped(&row.note, "      ", 96));
        }
    }
    line
}

/// Wraps text at `width` characters. The first line starts with `lead`, later ones are indented to its width.
fn wrapped(text: &str, lead: &str, width: usize) -> String {
    let indent = " ".repeat(lead.chars().count());
    let mut page = String::from(lead);
    let mut column = lead.chars().count();
    for (i, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if i > 0 && column + 1 + length > width {
            page.push('\n');
            page.push_str(&indent);
            column = indent.len();
        } else if i > 0 {
            page.push(' ');
            column += 1;
        }
        page.push_str(word);
        column += length;
    }
    page.push('\n');
    page
}

/// Draws a plot with logarithmic axes: lines as marks at steps of k, with the crossings in words.
fn drawn(plot: &Plot, k: f64) -> String {
    let values = plot.curves.iter().flat_map(|curve| [curve.line.at(1.0), curve.line.at(k)]);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|value| *value > 0.0) {
        (low, high) = (low.min(value.log10()), high.max(value.log10()));
    }
    if !low.is_finite() {
        return String::new();
    }
    let (low, high) = (low.floor(), high.ceil().max(low.floor() + 1.0));
    let right = k.max(10.0).log10();
    const STEPS: u32 = 36;
    let curves: Vec<plot::Curve> = plot
        .curves
        .iter()
        .map(|curve| {
            let along = (0..=STEPS).map(|step| right * f64::from(step) / f64::from(STEPS));
            let point = |x: f64| (x, curve.line.at(10f64.powf(x)).max(f64::MIN_POSITIVE).log10());
            let points: Points = along.map(point).collect();
            plot::Curve { name: curve.name.text.to_string(), mark: Some(curve.name.mark), points }
        })
        .collect();
    let ten = |x: f64| 10f64.powf(x);
    let x = Scale {
        bounds: [0.0, right],
        labels: vec!["k = 1".into(), digits(ten(right / 2.0)), digits(ten(right))],
    };
    let middle = (low + high) / 2.0;
    let y = Scale { bounds: [low, high], labels: [low, middle, high].map(|y| plot.unit.show(ten(y))).to_vec() };
    let title = format!("{}, modelled by lines through what was measured", plot.title);
    let mut text = plot::draw(&title, &curves, x, y);
    for Crossover { of: [a, b], k, beyond, counts } in crossovers(plot) {
        let as_the_paper = match counts {
            Counts::Programs => "",
            Counts::Candidates => " (candidates of one program counted as programs)",
        };
        let sentence = format!(
            "{a} and {b} cross at k = {}; beyond it {beyond} takes less{as_the_paper}",
            digits(k.ceil())
        );
        text.push_str(&wrapped(&sentence, "  ", 96));
    }
    if plot.curves.iter().any(|curve| curve.name.counts == Counts::Candidates) {
        text.push_str(
            "  k counts different programs; that of `neural, k candidates` candidates of one program\n",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::measure::quantity::Unit;
    use crate::paper::quoted::Range;

    #[test]
    fn cells_are_short() {
        let ms = |cell: Cell| cell.shown(Unit::Milliseconds);
        assert_eq!(ms(Cell::range(Range::new(50.0, 500.0))), "50–500 ms");
        assert_eq!(ms(Cell::range(Range::new(70.0, 1500.0))), "70 ms–1.50 s");
        let stat = crate::host::measure::stat::Stat { median: 0.25, spread: 0.01, of: 5 };
        assert_eq!(ms(stat.into()), "0.25 ms ± 10.0 µs");
    }

    #[test]
    fn columns_stay_where_they_are_behind_a_long_name() {
        let ends = |name: &str| line(&Row::new(name, Unit::Times).paper(Range::of(400.0)).modelled(2.0)).len();
        assert_eq!(ends("speedup, k programs"), ends("speedup, k candidates of one program"));
    }

    #[test]
    fn sentences_are_broken_between_words() {
        assert_eq!(wrapped("one two three", "→ ", 9), "→ one two\n  three\n");
    }
}
