//! The Energy panel: the energy of the last complete batch and its meter, the same work in the paper's
//! conventional loop, and the paper's figures (section 6.2). Each number is marked as measured, modelled or
//! quoted.

use crate::compiler::stage::Stage;
use crate::engine::{Timings, Transfer};
use crate::host::measure::energy::EnergySource;
use crate::host::measure::numbers::plural;
use crate::host::measure::origin::Origin;
use crate::host::measure::share::percent;
use crate::paper::{formula, quoted};
use crate::session::{Baseline, CompareExtent, Compared, Learning, Shaders};
use crate::workbench::panels::figures::{ms, percents, short_energy, short_time};
use crate::workbench::panels::page::Page;
use crate::workbench::results::{AnswerBatch, Results, TextOrigin};
use crate::workbench::state::{EngineInfo, State};
use crate::workbench::theme::Look;

/// The length of the longest bar, in cells.
const BAR: usize = 24;

pub fn lines(state: &State, page: &mut Page) {
    let (results, engine) = (&state.results, &state.engine);
    if results.shown().is_none() {
        return;
    }
    let Some(batch) = &results.batch else { return page.prose(Look::Dim, "no batch is complete yet") };
    page.prose(Look::Heading, heading(batch.energy.source));
    page.prose(Look::Dim, &engine.meter);
    finished(results, state.pending(), batch, page);
    stages(batch, page);
    conventional(results, engine, batch, page);
    beside(results, engine, page);
    searches(results, page);
    quoted(engine, batch, page);
}

fn heading(source: EnergySource) -> String {
    match source {
        EnergySource::Estimate { watts } => format!("estimate: {watts} W × measured time"),
        EnergySource::Mixed => "measured; estimated where too short".to_string(),
        meter => format!("measured by {meter}, idle subtracted"),
    }
}

fn row(page: &mut Page, name: &str, joules: f64, origin: Origin, note: &str) {
    page.row([
        (Look::Text, format!("{name:<14}")),
        (Look::Number, format!("{:>8}", spent(joules))),
        (Look::Dim, format!(" {origin:<8}")),
        (Look::Dim, format!("  {note}")),
    ]);
}

/// Formats an energy that cannot be zero: `–` if it was not measured.
fn spent(joules: f64) -> String {
    if joules == 0.0 { "–".to_string() } else { short_energy(joules) }
}

/// Adds the last complete batch, the energy per program, and the history of keys.
fn finished(results: &Results, pending: bool, batch: &AnswerBatch, page: &mut Page) {
    let AnswerBatch { cause, energy, timings, .. } = batch;
    let programs = timings.programs;
    let running = results.judging.is_some() || pending;
    let name = match cause {
        _ if running => "last finished",
        TextOrigin::Typed => "last key",
        TextOrigin::Opened => "opened",
        TextOrigin::Rejudged => "judged again",
    };
    let error = energy.error.map_or(String::new(), |error| format!(", ± {}", short_energy(error)));
    let next = if running { "; the next is running" } else { "" };
    row(
        page,
        name,
        energy.joules,
        energy.origin(),
        &format!("{}{error}{next}", plural(programs.into(), "program")),
    );
    let each = energy.share(1.0 / f64::from(programs.max(1)));
    row(page, "each program", each.joules, each.origin(), "");
    let keys: Vec<f64> = results.history.iter().filter_map(|k| k.energy.map(|e| e.joules)).collect();
    if !keys.is_empty() {
        page.history(&keys);
    }
}

/// Adds the energy by stage: each stage is charged for its part of the metered time, so the rows add up to
/// the whole.
fn stages(batch: &AnswerBatch, page: &mut Page) {
    let Some(charges) = charges(batch) else { return };
    page.blank();
    page.prose(Look::Heading, format!("by stage, {}: its part of the time that was metered", Origin::Modelled));
    let percents = percents(&charges.iter().map(|(_, part)| *part).collect::<Vec<_>>());
    let most = charges.iter().map(|(_, part)| *part).fold(f64::MIN_POSITIVE, f64::max);
    for ((name, part), percent) in charges.into_iter().zip(percents) {
        let parts = [
            (Look::Text, format!("{name:<9}")),
            (Look::Number, format!("{:>8}", short_energy(batch.energy.joules * part))),
            (Look::Dim, format!(" {percent:>3} %")),
        ];
        page.bar(parts.into_iter().chain([(Look::Text, "  ".to_string())]), part / most, BAR);
    }
}

/// Returns the parts of the metered time: each stage, transfers if a device takes part, and the rest. `None`
/// if no time was measured.
fn charges(batch: &AnswerBatch) -> Option<Vec<(&'static str, f64)>> {
    let split = batch.timings.split();
    let proofs = Some(split.proofs).filter(|time| !time.is_zero());
    let known: f64 = split.stages.iter().chain(&split.transfer).chain(&proofs).map(|time| ms(*time)).sum();
    // Several engines in parallel may have worked longer than the wall clock.
    let whole = ms(batch.wall).max(known);
    if known <= 0.0 {
        return None;
    }
    let mut parts: Vec<_> =
        Stage::ALL.iter().map(|stage| (stage.name(), ms(split.stages[*stage as usize]))).collect();
    parts.extend(split.transfer.map(|time| ("transfer", ms(time))));
    parts.extend(proofs.map(|time| ("prove", ms(time))));
    parts.push(("other", whole - known));
    Some(parts.into_iter().map(|(name, time)| (name, time / whole)).collect())
}

/// Adds the same programs in the paper's conventional loop.
fn conventional(results: &Results, engine: &EngineInfo, batch: &AnswerBatch, page: &mut Page) {
    page.blank();
    page.prose(Look::Heading, "conventional loop here, eq. 16");
    let Some(Baseline(one)) = results.findings.last::<Baseline>() else {
        let off = "is not measured: `idle` is off in the configuration";
        let text = if engine.idle == CompareExtent::Off { off } else { "is measured when nothing is typed" };
        return page.prose(Look::Dim, text);
    };
    let each = one.energy_each();
    let note = format!("mean of {}, one core", one.programs);
    row(page, "an iteration", each.joules, each.origin(), &note);
    let all = each.joules * f64::from(batch.timings.programs);
    let saved = all - batch.energy.joules;
    let origin = batch.energy.plus(each).origin();
    let part = format!("{} %", percent(if all > 0.0 { saved.abs() / all } else { 0.0 }, 0));
    let name = if saved < 0.0 { "lost here" } else { "saved here" };
    row(page, name, saved.abs(), origin, &part);
}

/// Adds the energy of the other engine, for the text and for comparing mutants.
fn beside(results: &Results, engine: &EngineInfo, page: &mut Page) {
    page.blank();
    page.prose(Look::Heading, "with the other engine");
    if let Some(Shaders { energy, all, .. }) = results.findings.last::<Shaders>() {
        let note = format!("the last text; {} for all so far", short_energy(all.joules));
        row(page, "shaders", energy.joules, energy.origin(), &note);
    }
    match results.findings.last::<Compared>().and_then(|compared| compared.energy) {
        Some(energy) => {
            row(
                page,
                "comparison",
                energy.joules,
                energy.origin(),
                "mutants while nobody types, in all so far",
            );
        }
        None if engine.idle == CompareExtent::Off => {
            page.prose(Look::Dim, "no comparison of mutants: `idle` is off in the configuration")
        }
        None if engine.wanted.is_named() => {
            page.prose(Look::Dim, "no comparison: the engine was chosen by name");
        }
        None => page.prose(Look::Dim, "no mutants have been compared yet"),
    }
}

/// Adds the energy of the searches for better code, once there were any.
fn searches(results: &Results, page: &mut Page) {
    let Some(Learning { energy: Some(energy), time, .. }) = results.findings.last::<Learning>() else { return };
    page.blank();
    page.prose(Look::Heading, "searches for better code, level 3");
    let note = format!("{} of processor time, in all so far", short_time(ms(*time)));
    row(page, "searches", energy.joules, energy.origin(), &note);
}

fn quoted(engine: &EngineInfo, batch: &AnswerBatch, page: &mut Page) {
    page.blank();
    page.prose(Look::Heading, "the paper, section 6.2");
    let transfer = formula::joules(quoted::TRANSFER_WATTS, quoted::TRANSFER.low);
    let gpu = formula::joules(quoted::GPU_WATTS, quoted::GPU_COMPILE);
    let neural = formula::joules(quoted::GPU_WATTS, quoted::NEURAL_ENERGY_TIME);
    row(page, "a transfer", transfer, Origin::Quoted, "25 W × 1 ms");
    transfers_here(&batch.timings, engine.watts.pcie, page);
    row(page, "GPU, each", gpu, Origin::Quoted, "300 W × 50 ms");
    row(page, "neural, each", neural / quoted::NEURAL_K, Origin::Quoted, "300 W × 200 ms / 1,000");
    row(page, "1,000 on CPU", quoted::CPU_JOULES, Origin::Quoted, "the paper's baseline");
    let thousand = batch.energy.share(1e3 / f64::from(batch.timings.programs.max(1)));
    row(page, "1,000 here", thousand.joules, thousand.origin(), "");
}

/// Adds the energy to move the batch to the device and its results back; no number if nothing crosses a bus.
fn transfers_here(timings: &Timings, watts: f64, page: &mut Page) {
    let name = "transfer here";
    let why = match timings.transfer {
        Transfer::Measured { time, software: false } => {
            let note = format!("{watts} W × {}, there and back", short_time(ms(time)));
            return row(page, name, formula::joules(watts, ms(time)), Origin::Modelled, &note);
        }
        Transfer::Measured { software: true, .. } => "no bus: a software adapter",
        Transfer::Untimed => "the device has no timer",
        Transfer::NoDevice => "no device",
    };
    page.row([
        (Look::Text, format!("{name:<14}")),
        (Look::Number, format!("{:>8}", "–")),
        (Look::Dim, format!("{:11}{why}", "")),
    ]);
}
