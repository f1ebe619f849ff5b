//! The Latency panel: the wall time by stage, and its clock, for the base, its mutants, and the base through
//! the shaders; the answer times of keys; and the paper's model. The rows of each table add up to its last
//! row.

use std::time::Duration;

use crate::compiler::stage::Stage;
use crate::engine::{Split, Timings, Transfer};
use crate::host::measure::numbers::{grouped, plural};
use crate::host::measure::origin::Origin;
use crate::paper::quoted;
use crate::workbench::panels::figures::{
    FigureTerms, awaited, clock, median, ms, short_time, taken, timings_so_far,
};
use crate::workbench::panels::page::Page;
use crate::workbench::panels::shaders;
use crate::workbench::results::{EngineAnswer, Results};
use crate::workbench::state::{EngineInfo, State};
use crate::workbench::theme::Look;

/// The length of the longest bar, in cells.
const BAR: usize = 24;
/// The width of a stage's name, and of a time in three columns, in cells.
const STAGE: usize = 9;
const CELLS: usize = 8;

pub fn lines(state: &State, page: &mut Page) {
    let (results, engine) = (&state.results, &state.engine);
    let (Some(shown), Some(timings)) = (results.shown(), timings_so_far(results)) else { return };
    stages(results, engine, &shown.timings, &timings, page);
    answers(results, page);
    model(&timings, page);
}

struct LatencyColumn<'a> {
    title: &'static str,
    look: Look,
    cells: usize,
    timings: &'a Timings,
    split: Split,
}

/// Adds the table of wall times by stage: base, shaders and mutants.
fn stages(results: &Results, engine: &EngineInfo, base: &Timings, both: &Timings, page: &mut Page) {
    let mutants = &results.mutants;
    let shaders = shaders::column(results, engine);
    // Three columns are narrower. If they still do not fit, the units follow without a space.
    let tight = shaders.is_some() && page.room() < STAGE + 3 * CELLS;
    let [first, others] = match shaders {
        None => [CELLS + 1, CELLS + 2],
        Some(_) if tight => [CELLS - 2, CELLS],
        Some(_) => [CELLS, CELLS],
    };
    // A zero wall time was not measured.
    let time = |own: &LatencyColumn, time: Duration| {
        let time = if own.timings.wall.is_zero() { taken(Duration::ZERO) } else { short_time(ms(time)) };
        if tight { time.replace(' ', "") } else { time }
    };
    let column =
        |title, look, cells, timings| LatencyColumn { title, look, cells, timings, split: timings.split() };
    let mut columns = vec![column("base", Look::Number, first, base)];
    columns.extend(shaders.map(|(timings, look)| column("shaders", look, others, timings)));
    let look = if results.has_old_verdicts() { Look::Dim } else { Look::Number };
    columns.push(column("mutants", look, others, &mutants.timings));
    let row = |name: &str, look: Option<Look>, cell: &dyn Fn(&LatencyColumn) -> String| {
        let mut parts = vec![(look.unwrap_or(Look::Text), format!("{name:<STAGE$}"))];
        parts.extend(columns.iter().map(|own| {
            let cells = own.cells;
            (look.unwrap_or(own.look), format!("{:>cells$}", cell(own)))
        }));
        parts
    };
    page.row(row("stage", Some(Look::Heading), &|own| own.title.to_string()));
    let lengths = mutants.timings.split().stages.map(ms);
    let longest = lengths.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    for stage in Stage::ALL {
        let at = stage as usize;
        let mut parts = row(stage.name(), None, &|own| time(own, own.split.stages[at]));
        // The bars are scaled to the mutants' times, the last column.
        parts.push((Look::Text, "  ".to_string()));
        page.bar(parts, lengths[at] / longest, BAR);
    }
    if columns.iter().any(|own| own.split.transfer.is_some()) {
        page.row(row("transfer", None, &|own| {
            own.split.transfer.map_or("–".to_string(), |moved| time(own, moved))
        }));
    }
    if columns.iter().any(|own| !own.split.proofs.is_zero()) {
        page.row(row("prove", None, &|own| time(own, own.split.proofs)));
    }
    page.row(row("other", None, &|own| time(own, own.split.rest)));
    page.row(row("wall", None, &|own| time(own, own.timings.wall)));
    let reused = mutants.reused_text().map_or(String::new(), |reused| format!(", {reused}"));
    let count = plural(mutants.timings.programs.into(), "mutant");
    page.prose(Look::Dim, format!("{count}{reused}; {}", clock(both)));
    let (look, words) = shaders::words(results, engine);
    page.prose(look, words);
}

/// Adds the times from the key to the base's panels and to the last verdict, and from opening the file.
fn answers(results: &Results, page: &mut Page) {
    let history = &results.history;
    page.blank();
    if let Some(last) = history.last() {
        let of = |pick: fn(&EngineAnswer) -> Option<f64>| history.iter().filter_map(pick).collect::<Vec<f64>>();
        let shaders = |a: &EngineAnswer| a.shaders.map(ms);
        let rows: [(&str, String, Vec<f64>); 3] = [
            ("key → panels", taken(last.base), of(|a| Some(a.base).filter(|time| !time.is_zero()).map(ms))),
            ("key → verdicts", awaited(last), of(|a| a.all.filter(|time| !time.is_zero()).map(ms))),
            ("key → shaders", shaders(last).map_or("–".to_string(), short_time), of(shaders)),
        ];
        // Omit the row about shaders if no key's text went through them.
        let some =
            |(name, _, values): &(&str, String, Vec<f64>)| !values.is_empty() || *name != "key → shaders";
        for (name, last, values) in rows.into_iter().filter(some) {
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
    if let Some(opened) = &results.opened {
        page.row([
            (Look::Text, format!("{:<14}", "opened")),
            (Look::Number, format!("{:>8}", taken(opened.base))),
            (Look::Dim, format!(" {}", Origin::Measured)),
            (Look::Dim, format!("  to the panels, {} to the verdicts", awaited(opened))),
        ]);
    }
}

/// Adds eq. 16 with the paper's constants and with measured times.
fn model(timings: &Timings, page: &mut Page) {
    let programs = f64::from(timings.programs.max(1));
    let here = FigureTerms::of_wall(timings);
    let (least, most) = FigureTerms::paper();
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
    let doubled = |terms: FigureTerms| terms.transfers.unwrap_or_default();
    for (name, quoted, measured) in [
        ("gen", Some((least.generate, most.generate)), Some(here.generate)),
        ("2·transfer", Some((doubled(least), doubled(most))), here.transfers),
        ("compile", Some((least.compile, most.compile)), Some(here.compile)),
        ("exec", Some((least.execute, most.execute)), Some(here.execute)),
        ("other", None, Some(here.rest)),
        ("T", Some((quoted::ITERATION.low, quoted::ITERATION.high)), Some(here.total())),
    ] {
        let none = || "–".to_string();
        let measured = measured.filter(|_| !timings.wall.is_zero());
        let here = measured.map_or_else(none, all);
        let one = measured.map_or_else(none, |time| each(time / programs));
        page.row(row(name, &quoted.map_or_else(none, range), &here, &one));
    }
    let moved = match timings.transfer {
        Transfer::NoDevice => "no device, no transfer",
        Transfer::Untimed => "transfer: not timed, as the device has no timestamps",
        Transfer::Measured { software: true, .. } => {
            "transfer: measured, copies within the host's memory, as the adapter is software"
        }
        Transfer::Measured { software: false, .. } => "transfer: measured, to the device's memory and back",
    };
    page.prose(
        Look::Dim,
        format!(
            "eq. 16; quoted: the paper's, one program on a CPU; T here: both walls, measured; its terms are the stages' \
             parts of them; {moved}"
        ),
    );
}

/// Formats milliseconds of all programs, which may be many.
fn all(milliseconds: f64) -> String {
    let decimals = match milliseconds {
        few if few < 100.0 => 2,
        some if some < 1000.0 => 1,
        _ => 0,
    };
    format!("{milliseconds:.decimals$}")
}

/// Formats milliseconds of one program, which are few.
fn each(milliseconds: f64) -> String {
    let decimals = match milliseconds {
        few if few < 1.0 => 4,
        some if some < 1000.0 => 2,
        _ => 0,
    };
    format!("{milliseconds:.decimals$}")
}
