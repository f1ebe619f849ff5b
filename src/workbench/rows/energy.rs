//! Energy: what the last keystroke took and by which meter, the same work in the paper's conventional loop, and the
//! paper's figures (section 6.2). Each number says whether it is measured, modelled or quoted.

use ratatui::text::{Line, Span};

use super::super::draw::theme::{Look, Theme};
use super::super::state::State;
use super::model::{Terms, last_timings, ms, short_energy, sparkline};
use super::tests::grouped;
use crate::energy::{Energy, Source};
use crate::engine::{Stage, Timings};
use crate::model::{formula, paper};
use crate::report::origin::Origin;

pub fn lines(state: &State, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let Some(timings) = last_timings(state) else { return Vec::new() };
    let Some(energy) = state.results.history.iter().rev().find_map(|keystroke| keystroke.energy) else {
        return vec![Line::from(Span::styled("no keystroke is measured yet", theme.style(Look::Dim)))];
    };
    let mut lines = vec![
        Line::from(Span::styled(heading(energy.source), theme.style(Look::Heading))),
        Line::from(Span::styled(state.engine.meter.clone(), theme.style(Look::Dim))),
    ];
    keystroke(energy, &timings, theme, &mut lines);
    let history: Vec<f64> =
        state.results.history.iter().filter_map(|k| k.energy).map(|energy| energy.joules).collect();
    let from = history.len().saturating_sub(width.saturating_sub(2).min(60));
    lines.push(Line::from(Span::styled(sparkline(&history[from..]), theme.style(Look::Bar))));
    conventional(state, energy, timings.programs, theme, &mut lines);
    quoted(state, energy, &timings, theme, &mut lines);
    lines
}

fn heading(source: Source) -> String {
    match source {
        Source::Estimate { watts } => format!("estimate: {watts} W × measured time"),
        Source::Partly => "measured, where too short estimated".to_string(),
        meter => format!("measured by {meter}, idle subtracted"),
    }
}

fn row(theme: &Theme, name: &str, joules: f64, origin: Origin, note: String) -> Line<'static> {
    Line::from(vec![
        Span::styled(format!("{name:<15}"), theme.style(Look::Text)),
        Span::styled(format!("{:>8}", short_energy(joules)), theme.style(Look::Number)),
        Span::styled(format!(" {origin:<8}"), theme.style(Look::Dim)),
        Span::styled(format!(" {note}"), theme.style(Look::Dim)),
    ])
}

/// The last keystroke, each of its programs, and its stages by their share of the time.
fn keystroke(energy: Energy, timings: &Timings, theme: &Theme, lines: &mut Vec<Line<'static>>) {
    let programs = timings.programs.max(1);
    let error = energy.error.map_or(String::new(), |error| format!(", ± {}", short_energy(error)));
    let note = format!("{} programs{error}", grouped(programs.into()));
    lines.push(row(theme, "last keystroke", energy.joules, energy.origin(), note));
    let each = energy.share(1.0 / f64::from(programs));
    lines.push(row(theme, "each program", each.joules, each.origin(), String::new()));
    // Stage times may add up to more than the wall's: their shares of it are what counts.
    let sum: f64 = timings.stages.iter().map(|t| ms(*t)).sum();
    for stage in Stage::ALL.into_iter().filter(|_| sum > 0.0) {
        let share = ms(timings.stages[stage as usize]) / sum;
        let note = format!("{:.0} % of the time", share * 100.0);
        lines.push(row(theme, stage.name(), energy.joules * share, Origin::Modelled, note));
    }
}

/// The same programs through the paper's conventional loop.
fn conventional(state: &State, energy: Energy, programs: u32, theme: &Theme, lines: &mut Vec<Line<'static>>) {
    lines.push(Line::default());
    lines.push(Line::from(Span::styled("conventional loop (eq. 16), here", theme.style(Look::Heading))));
    let Some(baseline) = state.results.baseline else {
        lines.push(Line::from(Span::styled("is measured when nothing is typed", theme.style(Look::Dim))));
        return;
    };
    let loop_ = baseline.energy;
    let note = format!("mean of {}, one thread", baseline.programs);
    lines.push(row(theme, "each program", loop_.joules, loop_.origin(), note));
    let all = loop_.joules * f64::from(programs);
    let saved = all - energy.joules;
    let origin = energy.plus(loop_).origin();
    let part = format!("{:.0} %", if all > 0.0 { 100.0 * saved.abs() / all } else { 0.0 });
    let name = if saved < 0.0 { "lost here" } else { "saved here" };
    lines.push(row(theme, name, saved.abs(), origin, part));
}

fn quoted(state: &State, energy: Energy, timings: &Timings, theme: &Theme, lines: &mut Vec<Line<'static>>) {
    lines.push(Line::default());
    lines.push(Line::from(Span::styled("the paper, section 6.2", theme.style(Look::Heading))));
    let transfer = formula::joules(paper::TRANSFER_WATTS, paper::TRANSFER.low);
    let gpu = formula::joules(paper::GPU_WATTS, paper::GPU_COMPILE);
    let neural = formula::joules(paper::GPU_WATTS, paper::NEURAL_ENERGY_TIME);
    let moved = formula::joules(state.watts.pcie, Terms::measured(timings).transfer);
    let says = |name: &str, joules, note: &str| row(theme, name, joules, Origin::Quoted, note.to_string());
    lines.push(says("a transfer", transfer, "25 W × 1 ms"));
    let note = format!("{} W × measured time", state.watts.pcie);
    lines.push(row(theme, "a transfer here", moved, Origin::Modelled, note));
    lines.push(says("GPU, a program", gpu, "300 W × 50 ms"));
    lines.push(says("neural, each", neural / paper::NEURAL_K, "300 W × 200 ms / 1,000"));
    lines.push(says("1,000 on a CPU", paper::CPU_JOULES, "the paper's baseline"));
    let thousand = energy.share(1e3 / f64::from(timings.programs.max(1)));
    lines.push(row(theme, "1,000 here", thousand.joules, thousand.origin(), String::new()));
}
