//! Latency: what each stage took and by which clock, the history by keystroke, and the paper's model beside it.

use ratatui::text::{Line, Span};

use super::super::draw::theme::{Look, Theme};
use super::super::results::Keystroke;
use super::super::state::State;
use super::model::{Terms, last_timings, median, ms, short_time, sparkline};
use super::tests::grouped;
use crate::engine::{Clock, Kind, Stage};

pub fn lines(state: &State, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let Some(shown) = state.shown() else { return Vec::new() };
    let base = &shown.timings;
    let mutants = &state.results.mutants.timings;
    let dim = theme.style(Look::Dim);
    let text = theme.style(Look::Text);
    let number = theme.style(Look::Number);
    let mut lines = vec![Line::from(vec![Span::styled(
        format!("{:<9}{:>9}{:>10}  of {}", "stage", "base", "mutants", grouped(mutants.programs.into())),
        theme.style(Look::Heading),
    )])];
    let longest = Stage::ALL.iter().map(|s| ms(mutants.stages[*s as usize])).fold(0.0, f64::max);
    let room = width.saturating_sub(30).min(24) as f64;
    for stage in Stage::ALL {
        let time = ms(mutants.stages[stage as usize]);
        let length = if longest > 0.0 { (time / longest * room).round() as usize } else { 0 };
        lines.push(Line::from(vec![
            Span::styled(format!("{:<9}", stage.name()), text),
            Span::styled(format!("{:>9}", short_time(ms(base.stages[stage as usize]))), number),
            Span::styled(format!("{:>10}  ", short_time(time)), number),
            Span::styled("▆".repeat(length), theme.style(Look::Bar)),
        ]));
    }
    lines.push(Line::from(vec![
        Span::styled(format!("{:<9}", "wall"), text),
        Span::styled(format!("{:>9}", short_time(ms(base.wall))), number),
        Span::styled(format!("{:>10}", short_time(ms(mutants.wall))), number),
    ]));
    let clock = match (base.clock, state.engine.kind) {
        (Clock::Timestamps, _) => "stages: measured by the device's timestamps",
        (Clock::Wall, Some(Kind::Gpu)) => "stages: measured by the host's clock, no timestamps",
        (Clock::Wall, _) => "stages: measured by the host's clock, sum of threads",
    };
    lines.push(Line::from(Span::styled(clock, dim)));
    history(state, width, theme, &mut lines);
    model(state, theme, &mut lines);
    lines
}

/// From the key to the base's panels and to the last verdict.
fn history(state: &State, width: usize, theme: &Theme, lines: &mut Vec<Line<'static>>) {
    let history = &state.results.history;
    let Some(last) = history.last() else { return };
    let of = |pick: fn(&Keystroke) -> Option<f64>| history.iter().filter_map(pick).collect::<Vec<f64>>();
    let rows: [(&str, Option<f64>, Vec<f64>); 2] = [
        ("key → panels", Some(ms(last.base)), of(|k| Some(ms(k.base)))),
        ("key → verdicts", last.all.map(ms), of(|k| k.all.map(ms))),
    ];
    lines.push(Line::default());
    for (name, last, values) in rows {
        let last = last.map_or("…".to_string(), short_time);
        let worst = values.iter().copied().fold(0.0, f64::max);
        let middle = median(values.clone()).map_or(String::new(), short_time);
        lines.push(Line::from(vec![
            Span::styled(format!("{name:<15}"), theme.style(Look::Text)),
            Span::styled(format!("{last:>8}"), theme.style(Look::Number)),
            Span::styled(format!("  mid {middle}, max {}", short_time(worst)), theme.style(Look::Dim)),
        ]));
        let from = values.len().saturating_sub(width.saturating_sub(2).min(60));
        lines.push(Line::from(Span::styled(sparkline(&values[from..]), theme.style(Look::Bar))));
    }
}

/// Eq. 16 with the paper's constants and with what was measured.
fn model(state: &State, theme: &Theme, lines: &mut Vec<Line<'static>>) {
    let Some(timings) = last_timings(state) else { return };
    let programs = f64::from(timings.programs.max(1));
    let here = Terms::measured(&timings);
    let (least, most) = Terms::paper();
    let dim = theme.style(Look::Dim);
    lines.push(Line::default());
    lines.push(Line::from(Span::styled(
        "T = T_gen + 2·T_transfer + T_compile + T_exec",
        theme.style(Look::Heading),
    )));
    lines.push(Line::from(Span::styled(
        format!("{:<11}{:>12}{:>10}{:>10}", "eq. 16, ms", "quoted", format!("{}", timings.programs), "each"),
        dim,
    )));
    let range = |a: f64, b: f64| if a == b { format!("{a}") } else { format!("{a}–{b}") };
    for (name, a, b, measured) in [
        ("T_gen", least.generate, most.generate, here.generate),
        ("T_transfer", least.transfer, most.transfer, here.transfer),
        ("T_compile", least.compile, most.compile, here.compile),
        ("T_exec", least.execute, most.execute, here.execute),
        ("T", least.total(), most.total(), here.total()),
    ] {
        lines.push(Line::from(vec![
            Span::styled(format!("{name:<11}"), theme.style(Look::Text)),
            Span::styled(format!("{:>12}", range(a, b)), dim),
            Span::styled(format!("{measured:>10.2}{:>10.4}", measured / programs), theme.style(Look::Number)),
        ]));
    }
    lines.push(Line::from(Span::styled("quoted: the paper's, one program on a CPU; else measured", dim)));
}
