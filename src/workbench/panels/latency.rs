//! Latency: how the wall went by, stage by stage, and by which clock; how soon keys were answered; and the paper's model
//! beside it. The rows of each table add up to its last one.

use std::time::Duration;

use ratatui::text::Line;

use crate::engine::{Clock, Timings, Transfer};
use crate::measure::numbers::{grouped, plural};
use crate::measure::origin::Origin;
use crate::stage::Stage;
use crate::workbench::panels::figures::{Terms, awaited, median, ms, short_time, timings_so_far};
use crate::workbench::panels::page::Page;
use crate::workbench::results::{Answer, Mutants};
use crate::workbench::state::State;
use crate::workbench::theme::{Look, Theme};

/// Cells of the longest bar.
const BAR: usize = 24;

pub fn lines(state: &State, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let (Some(shown), Some(timings)) = (state.shown(), timings_so_far(state)) else { return Vec::new() };
    let mut page = Page::new(width, theme);
    stages(&shown.timings, &state.results.mutants, &timings, &mut page);
    answers(state, &mut page);
    model(&timings, &mut page);
    page.into_lines()
}

/// The walls of base and mutants, split.
fn stages(base: &Timings, results: &Mutants, both: &Timings, page: &mut Page) {
    let mutants = &results.timings;
    page.row(
        [format!("{:<9}", "stage"), format!("{:>9}", "base"), format!("{:>10}", "mutants")]
            .map(|title| (Look::Heading, title)),
    );
    let (first, second) = (base.split(), mutants.split());
    let longest = second.stages.iter().copied().map(ms).fold(f64::MIN_POSITIVE, f64::max);
    let times = |name: &str, base: Duration, mutants: Duration| {
        [
            (Look::Text, format!("{name:<9}")),
            (Look::Number, format!("{:>9}", short_time(ms(base)))),
            (Look::Number, format!("{:>10}  ", short_time(ms(mutants)))),
        ]
    };
    for stage in Stage::ALL {
        let (base, mutants) = (first.stages[stage as usize], second.stages[stage as usize]);
        page.bar(times(stage.name(), base, mutants), ms(mutants) / longest, BAR);
    }
    if both.transfer.time().is_some() {
        let time = |transfer: Option<Duration>| transfer.unwrap_or_default();
        page.row(times("transfer", time(first.transfer), time(second.transfer)));
    }
    page.row(times("rest", first.rest, second.rest));
    page.row(times("wall", base.wall, mutants.wall));
    let reused = results.reused_text().map_or(String::new(), |reused| format!(", {reused}"));
    page.prose(Look::Dim, format!("{}{reused}; {}", plural(mutants.programs.into(), "mutant"), clock(both)));
}

/// Where the stages' parts of the wall come from.
fn clock(timings: &Timings) -> String {
    let modelled = timings.split().modelled;
    match (timings.transfer, timings.clock) {
        (Transfer::NoDevice, _) if modelled => format!(
            "the wall by stage: measured by the host's clock; where {} threads work at once {}, by the stages' shares of \
             their time",
            timings.threads,
            Origin::Modelled,
        ),
        (Transfer::NoDevice, _) => "the wall by stage: measured by the host's clock".to_string(),
        (_, Clock::Wall) => {
            "the wall: measured; by stage it is not, for the device has no timestamps".to_string()
        }
        (_, Clock::Timestamps) if modelled => {
            format!("the wall by stage: {}, by the stages' shares of all engines' time", Origin::Modelled)
        }
        (_, Clock::Timestamps) => "the wall by stage: measured by the device's timestamps".to_string(),
    }
}

/// From the key to the base's panels and to the last verdict; and from the file.
fn answers(state: &State, page: &mut Page) {
    let history = &state.results.history;
    page.blank();
    if let Some(last) = history.last() {
        let of = |pick: fn(&Answer) -> Option<f64>| history.iter().filter_map(pick).collect::<Vec<f64>>();
        let rows: [(&str, String, Vec<f64>); 2] = [
            ("key → panels", short_time(ms(last.base)), of(|a| Some(ms(a.base)))),
            ("key → verdicts", awaited(last), of(|a| a.all.map(ms))),
        ];
        for (name, last, values) in rows {
            let mut parts = vec![
                (Look::Text, format!("{name:<14}")),
                (Look::Number, format!("{last:>8}")),
                (Look::Dim, format!(" {}", Origin::Measured)),
            ];
            if let Some(middle) = median(values.clone()) {
                let worst = short_time(values.iter().copied().fold(0.0, f64::max));
                parts.push((Look::Dim, format!("  mid {}, max {worst}", short_time(middle))));
            }
            page.row(parts);
            page.history(&values);
        }
    } else {
        page.prose(Look::Dim, "key → panels, key → verdicts: nothing was typed yet");
    }
    if let Some(opened) = &state.results.opened {
        page.row([
            (Look::Text, format!("{:<14}", "opened")),
            (Look::Number, format!("{:>8}", short_time(ms(opened.base)))),
            (Look::Dim, format!(" {}", Origin::Measured)),
            (Look::Dim, format!("  to the panels, {} to the verdicts", awaited(opened))),
        ]);
    }
}

/// Eq. 16 with the paper's constants and with what was measured.
fn model(timings: &Timings, page: &mut Page) {
    let programs = f64::from(timings.programs.max(1));
    let here = Terms::of_wall(timings);
    let (least, most) = Terms::paper();
    page.blank();
    page.prose(Look::Heading, "T = T_gen + 2·T_transfer + T_compile + T_exec");
    let row = |name: &str, quoted: &str, here: &str, each: &str| {
        [
            (Look::Text, format!("{name:<10}")),
            (Look::Dim, format!("{quoted:>7}")),
            (Look::Number, format!("{here:>7}")),
            (Look::Number, format!("{each:>7}")),
        ]
    };
    page.row(row("ms", "quoted", &grouped(timings.programs.into()), "each"));
    let range = |(a, b): (f64, f64)| if a == b { format!("{a}") } else { format!("{a}–{b}") };
    let doubled = |terms: Terms| terms.transfers.unwrap_or_default();
    for (name, quoted, measured) in [
        ("gen", Some((least.generate, most.generate)), Some(here.generate)),
        ("2·transfer", Some((doubled(least), doubled(most))), here.transfers),
        ("compile", Some((least.compile, most.compile)), Some(here.compile)),
        ("exec", Some((least.execute, most.execute)), Some(here.execute)),
        ("rest", None, Some(here.rest)),
        ("T", Some((least.total(), most.total())), Some(here.total())),
    ] {
        let none = || "–".to_string();
        let here = measured.map_or_else(none, all);
        let one = measured.map_or_else(none, |time| each(time / programs));
        page.row(row(name, &quoted.map_or_else(none, range), &here, &one));
    }
    let moved = match timings.transfer {
        Transfer::NoDevice => "no device, no transfer",
        Transfer::Untimed => "transfer: not timed, for the device has no timestamps",
        Transfer::Measured { software: true, .. } => {
            "transfer: measured, copies within the host's memory, for the adapter is software"
        }
        Transfer::Measured { software: false, .. } => "transfer: measured, to the device's memory and back",
    };
    page.prose(
        Look::Dim,
        format!(
            "eq. 16; quoted: the paper's, one program on a CPU; T here: both walls, measured, and its terms the stages' \
             parts of them; {moved}"
        ),
    );
}

/// Milliseconds of all programs, which may be many.
fn all(milliseconds: f64) -> String {
    let decimals = match milliseconds {
        few if few < 100.0 => 2,
        some if some < 1000.0 => 1,
        _ => 0,
    };
    format!("{milliseconds:.decimals$}")
}

/// Milliseconds of one program, which are few.
fn each(milliseconds: f64) -> String {
    let decimals = match milliseconds {
        few if few < 1.0 => 4,
        some if some < 1000.0 => 2,
        _ => 0,
    };
    format!("{milliseconds:.decimals$}")
}
