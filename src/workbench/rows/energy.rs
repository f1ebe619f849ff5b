//! Energy: a stated power times the measured time, labelled an estimate, beside the paper's figures (section 6.2).

use ratatui::text::{Line, Span};

use super::super::draw::theme::{Look, Theme};
use super::super::state::State;
use super::model::{self, Terms, last_timings, ms, short_energy, short_time, sparkline};
use super::tests::grouped;
use crate::engine::{Kind, Stage};

pub fn lines(state: &State, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let Some(timings) = last_timings(state) else { return Vec::new() };
    let watts = model::watts(state, state.watts);
    let joules = |milliseconds: f64| watts * milliseconds / 1e3;
    let (dim, text) = (theme.style(Look::Dim), theme.style(Look::Text));
    let number = theme.style(Look::Number);
    let programs = timings.programs.max(1);
    let total = joules(ms(timings.wall));
    let device = match state.engine.kind {
        Some(Kind::Gpu) => "the GPU",
        _ => "the processor",
    };
    let mut lines = vec![
        Line::from(Span::styled("estimate: stated watts × measured time", theme.style(Look::Heading))),
        Line::from(Span::styled(format!("{watts} W assumed for {device}; no meter is read"), dim)),
    ];
    let row = |name: &str, value: String, note: String| {
        Line::from(vec![
            Span::styled(format!("{name:<16}"), text),
            Span::styled(format!("{value:>10}"), number),
            Span::styled(format!("  {note}"), dim),
        ])
    };
    lines.push(row("last keystroke", short_energy(total), format!("{} programs", grouped(programs.into()))));
    lines.push(row("each program", short_energy(total / f64::from(programs)), String::new()));
    // Stage times may add up to more than the wall's: their shares of it are what counts.
    let sum: f64 = timings.stages.iter().map(|t| ms(*t)).sum();
    if sum > 0.0 {
        for stage in Stage::ALL {
            let share = ms(timings.stages[stage as usize]) / sum;
            lines.push(row(stage.name(), short_energy(total * share), format!("{:.0} %", share * 100.0)));
        }
    }
    let history: Vec<f64> =
        state.results.history.iter().filter_map(|k| k.all).map(|all| joules(ms(all))).collect();
    if !history.is_empty() {
        let from = history.len().saturating_sub(width.saturating_sub(2).min(60));
        lines.push(Line::from(Span::styled(sparkline(&history[from..]), theme.style(Look::Bar))));
    }
    lines.push(Line::default());
    lines.push(Line::from(Span::styled("the paper, section 6.2", theme.style(Look::Heading))));
    let transfer = model::PAPER_TRANSFER_WATTS * model::PAPER_TRANSFER / 1e3;
    let gpu = model::PAPER_GPU.0 * model::PAPER_GPU.1 / 1e3;
    let neural = model::PAPER_GPU.0 * model::PAPER_NEURAL_MS / 1e3;
    let here = Terms::measured(&timings);
    let moved = model::PAPER_TRANSFER_WATTS * here.transfer / 1e3;
    lines.push(row("a transfer", short_energy(transfer), format!("25 W × 1 ms; here {}", short_energy(moved))));
    lines.push(row("GPU, a program", short_energy(gpu), "300 W × 50 ms".to_string()));
    lines.push(row("neural, of 1,000", short_energy(neural / 1e3), "300 W × 200 ms / 1,000".to_string()));
    lines.push(row(
        "1,000 on a CPU",
        short_energy(model::PAPER_CPU_JOULES),
        "the paper's baseline".to_string(),
    ));
    let thousand = total / f64::from(programs) * 1e3;
    let time = short_time(ms(timings.wall) / f64::from(programs) * 1e3);
    lines.push(row("1,000 here", short_energy(thousand), format!("est., {time}")));
    lines
}
