//! Energy: what the last keystroke took and by which meter, the same work in the paper's conventional loop, and the
//! paper's figures (section 6.2). Each number says whether it is measured, modelled or quoted.

use ratatui::text::Line;

use super::super::draw::theme::{Look, Theme};
use super::super::state::State;
use super::model::{Terms, last_timings, ms, short_energy};
use super::page::Page;
use super::tests::grouped;
use crate::energy::{Energy, Source};
use crate::engine::{Stage, Timings};
use crate::model::{formula, paper};
use crate::report::origin::Origin;

/// Cells of the longest bar.
const BAR: usize = 24;

pub fn lines(state: &State, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let Some(timings) = last_timings(state) else { return Vec::new() };
    let mut page = Page::new(width, theme);
    let Some(energy) = state.results.history.iter().rev().find_map(|keystroke| keystroke.energy) else {
        page.prose(Look::Dim, "no keystroke is measured yet");
        return page.into_lines();
    };
    page.prose(Look::Heading, heading(energy.source));
    page.prose(Look::Dim, &state.engine.meter);
    keystroke(energy, timings.programs, &mut page);
    let joules = |energy: Energy| energy.joules;
    let history: Vec<f64> = state.results.history.iter().filter_map(|k| k.energy.map(joules)).collect();
    page.history(&history);
    stages(energy, &timings, &mut page);
    conventional(state, energy, timings.programs, &mut page);
    quoted(state, energy, &timings, &mut page);
    page.into_lines()
}

fn heading(source: Source) -> String {
    match source {
        Source::Estimate { watts } => format!("estimate: {watts} W × measured time"),
        Source::Partly => "measured, where too short estimated".to_string(),
        meter => format!("measured by {meter}, idle subtracted"),
    }
}

fn row(page: &mut Page, name: &str, joules: f64, origin: Origin, note: &str) {
    page.row([
        (Look::Text, format!("{name:<14}")),
        (Look::Number, format!("{:>8}", short_energy(joules))),
        (Look::Dim, format!(" {origin:<8}")),
        (Look::Dim, format!("  {note}")),
    ]);
}

/// The last keystroke, and each of its programs.
fn keystroke(energy: Energy, programs: u32, page: &mut Page) {
    let error = energy.error.map_or(String::new(), |error| format!(", ± {}", short_energy(error)));
    let s = if programs == 1 { "" } else { "s" };
    let note = format!("{} program{s}{error}", grouped(programs.into()));
    row(page, "last key", energy.joules, energy.origin(), &note);
    let each = energy.share(1.0 / f64::from(programs.max(1)));
    row(page, "each program", each.joules, each.origin(), "");
}

/// The stages by their share of the time, which may add up to more than the wall's.
fn stages(energy: Energy, timings: &Timings, page: &mut Page) {
    let sum: f64 = timings.stages.iter().map(|t| ms(*t)).sum();
    if sum <= 0.0 {
        return;
    }
    page.blank();
    page.prose(Look::Heading, format!("by stage, {} by its time", Origin::Modelled));
    let share = |stage: Stage| ms(timings.stages[stage as usize]) / sum;
    let most = Stage::ALL.into_iter().map(share).fold(f64::MIN_POSITIVE, f64::max);
    for stage in Stage::ALL {
        let part = share(stage);
        let parts = [
            (Look::Text, format!("{:<9}", stage.name())),
            (Look::Number, format!("{:>8}", short_energy(energy.joules * part))),
            (Look::Dim, format!(" {:>3.0} %", part * 100.0)),
        ];
        page.bar(parts.into_iter().chain([(Look::Text, "  ".to_string())]), part / most, BAR);
    }
}

/// The same programs through the paper's conventional loop.
fn conventional(state: &State, energy: Energy, programs: u32, page: &mut Page) {
    page.blank();
    page.prose(Look::Heading, "conventional loop here, eq. 16");
    let Some(baseline) = state.results.baseline else {
        return page.prose(Look::Dim, "is measured when nothing is typed");
    };
    let each = baseline.energy;
    let note = format!("mean of {}, one thread", baseline.programs);
    row(page, "each program", each.joules, each.origin(), &note);
    let all = each.joules * f64::from(programs);
    let saved = all - energy.joules;
    let origin = energy.plus(each).origin();
    let part = format!("{:.0} %", if all > 0.0 { 100.0 * saved.abs() / all } else { 0.0 });
    let name = if saved < 0.0 { "lost here" } else { "saved here" };
    row(page, name, saved.abs(), origin, &part);
}

fn quoted(state: &State, energy: Energy, timings: &Timings, page: &mut Page) {
    page.blank();
    page.prose(Look::Heading, "the paper, section 6.2");
    let transfer = formula::joules(paper::TRANSFER_WATTS, paper::TRANSFER.low);
    let gpu = formula::joules(paper::GPU_WATTS, paper::GPU_COMPILE);
    let neural = formula::joules(paper::GPU_WATTS, paper::NEURAL_ENERGY_TIME);
    let moved = formula::joules(state.watts.pcie, Terms::measured(timings).transfer);
    row(page, "a transfer", transfer, Origin::Quoted, "25 W × 1 ms");
    let note = format!("{} W × measured time", state.watts.pcie);
    row(page, "transfer here", moved, Origin::Modelled, &note);
    row(page, "GPU, each", gpu, Origin::Quoted, "300 W × 50 ms");
    row(page, "neural, each", neural / paper::NEURAL_K, Origin::Quoted, "300 W × 200 ms / 1,000");
    row(page, "1,000 on CPU", paper::CPU_JOULES, Origin::Quoted, "the paper's baseline");
    let thousand = energy.share(1e3 / f64::from(timings.programs.max(1)));
    row(page, "1,000 here", thousand.joules, thousand.origin(), "");
}
