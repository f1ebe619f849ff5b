//! The JSON document of `model`.

use crate::host::measure::origin::Origin;
use crate::paper::Measured;
use crate::paper::advice::Advice;
use crate::paper::curves::{Crossover, Curve, CurveCounts, Plot, crossovers};
use crate::paper::figures::{Figure, figures};
use crate::paper::table::{Cell, PaperValue, Row, Section};
use crate::report::document::Object;

pub fn document(m: &Measured, sections: &[Section], plots: &[Plot], advice: &Option<Advice>) -> Object {
    let subject = &m.subject;
    let machine = Object::new()
        .field("adapter", &subject.adapter)
        .field("cores", subject.cores)
        .field("k", subject.k)
        .field("programs", subject.programs)
        .field("bytes", subject.bytes)
        .field("tests", subject.tests);
    let advised = |advice: &Advice| {
        let k = Object::new().field("k", subject.k);
        k.field("approach", advice.approach.ident()).field("why", &advice.why)
    };
    // Figures belong to the whole, as the curves do.
    let figures = if plots.is_empty() { vec![] } else { figures(m) };
    Object::new()
        .list("sections", sections.iter().map(section))
        .field("machine", machine)
        .unless_empty("curves", plots.iter().map(curves))
        .unless_empty("figures", figures.iter().map(figure))
        .option("advice", advice.as_ref().map(advised))
        .unless_empty("missing", &m.missing)
}

fn section(section: &Section) -> Object {
    Object::new()
        .field("section", &section.ident)
        .option("equation", section.equation)
        .field("title", section.title)
        .option("formula", Some(section.formula).filter(|formula| !formula.is_empty()))
        .list("rows", section.rows.iter().map(row))
        .unless_empty("findings", &section.findings)
        .unless_empty("disagreements", &section.disagreements)
}

fn row(row: &Row) -> Object {
    let named = Object::new().field("name", &row.name).field("unit", row.unit.ident());
    let add = |object: Object, origin: Origin| object.option(origin.ident(), row.cell(origin).map(cell));
    let note = Some(&row.note).filter(|note| !note.is_empty());
    Origin::ALL.into_iter().fold(named, add).flag("identity", row.identity).option("note", note)
}

fn cell(cell: &Cell) -> Object {
    let value = match &cell.value {
        PaperValue::Number(range) if range.low == range.high => Object::new().field("value", range.low),
        PaperValue::Number(range) => Object::new().field("low", range.low).field("high", range.high),
        PaperValue::Words(text) => Object::new().field("text", text),
    };
    value.option("spread", cell.spread)
}

fn curves(plot: &Plot) -> Object {
    let point = |(k, value): &(f64, f64)| Object::new().field("k", k).field("value", value);
    // The line through the points is fixed + each · k; k counts programs or candidates.
    let curve = |curve: &Curve| {
        let name = Object::new().field("name", curve.name.text).field("counts", curve.name.counts.ident());
        let line = name.field("fixed", curve.line.fixed).field("each", curve.line.each);
        line.list("points", curve.points.iter().map(point))
    };
    let crossover = |Crossover { of, k, beyond, counts }| {
        let place = Object::new().field("of", of).field("k", k);
        place.field("beyond", beyond).field("counts", CurveCounts::ident(counts))
    };
    Object::new()
        .field("quantity", plot.title)
        .field("unit", plot.unit.ident())
        .list("curves", plot.curves.iter().map(curve))
        .list("crossovers", crossovers(plot).into_iter().map(crossover))
}

/// A figure that the race measures, too.
fn figure(figure: &Figure) -> Object {
    let who =
        Object::new().field("contestant", figure.contestant.name()).field("title", figure.contestant.title());
    who.field("programs", figure.programs).field("per_second", figure.per_second)
}
