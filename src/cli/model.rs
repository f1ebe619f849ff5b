//! `myriad model`: compares the paper's model with measurements on this machine.

mod document;
mod page;

use super::args::{Common, ModelArgs};
use super::exit::{Exit, Failure};
use super::input::InputSource;
use super::progress::CliProgress;
use super::session::Session;
use super::{FileReport, bench, each_source, input};
use crate::host::measure::energy::Meter;
use crate::network::weights;
use crate::paper::advice::{Case, advise};
use crate::paper::curves::plots;
use crate::paper::rows::sections;
use crate::paper::table::Section;
use crate::paper::{MeasureTask, measure};
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use document::document;
use page::text;

/// Default number of programs and candidates, as in the paper.
const K: u32 = 1000;

/// Measures a file, or the gcd sample, and compares the results with the paper's.
pub fn model(common: Common, args: &ModelArgs) -> Result<Exit, Failure> {
    let common = common.of_variants();
    let mut session = Session::of_network(common)?;
    let source = match &args.file {
        Some(file) => input::read(file),
        None => Ok(bench::sample()),
    };
    each_source([source], common, None, |source| one(&mut session, source, common, args))
}

fn one(
    session: &mut Session,
    source: &InputSource,
    common: Common,
    args: &ModelArgs,
) -> Result<FileReport, Failure> {
    let base = session.base(source)?;
    let mut report = FileReport::new(source, &diagnostics(&base.compiled));
    if report.exit != Exit::Good {
        report.add_document(Object::new().list("sections", [(); 0]), None);
        return Ok(report);
    }
    let meter = Meter::open(common.config.energy);
    let mut progress = CliProgress::new("");
    let task = MeasureTask {
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
    let text = text(source, &measured, &sections, &plots, &advice);
    report.complete(document(&measured, &sections, &plots, &advice), Some(text), None);
    Ok(report)
}
