//! Latency: what each stage took and by which clock, the history by keystroke, and the paper's model beside it.

use ratatui::text::Line;

use super::super::draw::theme::{Look, Theme};
use super::super::results::Keystroke;
use super::super::state::State;
use super::model::{Terms, last_timings, median, ms, short_time};
use super::page::Page;
use super::tests::grouped;
use crate::engine::{Clock, Kind, Stage};
use crate::report::origin::Origin;

/// Cells of the longest bar.
const BAR: usize = 24;

pub fn lines(state: &State, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let Some(shown) = state.shown() else { return Vec::new() };
    let mut page = Page::new(width, theme);
    let base = &shown.timings;
    let mutants = &state.results.mutants.timings;
    page.row(
        [format!("{:<9}", "stage"), format!("{:>9}", "base"), format!("{:>10}", "mutants")]
            .map(|title| (Look::Heading, title)),
    );
    let longest = Stage::ALL.iter().map(|s| ms(mutants.stages[*s as usize])).fold(f64::MIN_POSITIVE, f64::max);
    let times = |name: &str, base, mutants| {
        [
            (Look::Text, format!("{name:<9}")),
            (Look::Number, format!("{:>9}", short_time(ms(base)))),
            (Look::Number, format!("{:>10}  ", short_time(ms(mutants)))),
        ]
    };
    for stage in Stage::ALL {
        let (base, mutants) = (base.stages[stage as usize], mutants.stages[stage as usize]);
        page.bar(times(stage.name(), base, mutants), ms(mutants) / longest, BAR);
    }
    page.row(times("wall", base.wall, mutants.wall));
    let clock = match (base.clock, state.engine.kind) {
        (Clock::Timestamps, _) => "stages: measured by the device's timestamps",
        (Clock::Wall, Some(Kind::Gpu)) => "stages: measured by the host's clock, no timestamps",
        (Clock::Wall, _) => "stages: measured by the host's clock, sum of threads",
    };
    page.prose(Look::Dim, format!("{} mutants; {clock}", grouped(mutants.programs.into())));
    history(state, &mut page);
    model(state, &mut page);
    page.into_lines()
}

/// From the key to the base's panels and to the last verdict.
fn history(state: &State, page: &mut Page) {
    let history = &state.results.history;
    let Some(last) = history.last() else { return };
    let of = |pick: fn(&Keystroke) -> Option<f64>| history.iter().filter_map(pick).collect::<Vec<f64>>();
    let rows: [(&str, Option<f64>, Vec<f64>); 2] = [
        ("key → panels", Some(ms(last.base)), of(|k| Some(ms(k.base)))),
        ("key → verdicts", last.all.map(ms), of(|k| k.all.map(ms))),
    ];
    page.blank();
    for (name, last, values) in rows {
        let last = last.map_or("…".to_string(), short_time);
        let worst = values.iter().copied().fold(0.0, f64::max);
        let middle = median(values.clone()).map_or(String::new(), short_time);
        page.row([
            (Look::Text, format!("{name:<14}")),
            (Look::Number, format!("{last:>8}")),
            (Look::Dim, format!(" {}", Origin::Measured)),
            (Look::Dim, format!("  mid {middle}, max {}", short_time(worst))),
        ]);
        page.history(&values);
    }
}

/// Eq. 16 with the paper's constants and with what was measured.
fn model(state: &State, page: &mut Page) {
    let Some(timings) = last_timings(state) else { return };
    let programs = f64::from(timings.programs.max(1));
    let here = Terms::measured(&timings);
    let (least, most) = Terms::paper();
    page.blank();
    page.prose(Look::Heading, "T = T_gen + 2·T_transfer + T_compile + T_exec");
    let row = |name: &str, quoted: &str, here: &str, each: &str| {
        [
            (Look::Text, format!("{name:<8}")),
            (Look::Dim, format!("{quoted:>8}")),
            (Look::Number, format!("{here:>8}")),
            (Look::Number, format!("{each:>7}")),
        ]
    };
    page.row(row("ms", "quoted", &grouped(timings.programs.into()), "each"));
    let range = |a: f64, b: f64| if a == b { format!("{a}") } else { format!("{a}–{b}") };
    for (name, a, b, measured) in [
        ("gen", least.generate, most.generate, here.generate),
        ("transfer", least.transfer, most.transfer, here.transfer),
        ("compile", least.compile, most.compile, here.compile),
        ("exec", least.execute, most.execute, here.execute),
        ("T", least.total(), most.total(), here.total()),
    ] {
        page.row(row(name, &range(a, b), &format!("{measured:.2}"), &each(measured / programs)));
    }
    page.prose(Look::Dim, "eq. 16; quoted: the paper's, one program on a CPU; else measured");
}

/// Milliseconds of one program, which are few.
fn each(milliseconds: f64) -> String {
    let decimals = if milliseconds < 1.0 { 4 } else { 2 };
    format!("{milliseconds:.decimals$}")
}
