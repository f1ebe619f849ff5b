//! `myriad race`: the same variants through every way of compiling and testing them.

mod bars;

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::args::{Common, RaceArgs};
use super::exit::{Exit, Failure};
use super::input::InputSource;
use super::limit::{Limits, Partial};
use super::session::news;
use super::writing::Outputs;
use super::{FileReport, each_file};
use crate::engine::choose::Preference;
use crate::engine::cpu::CpuEngine;
use crate::engine::{Engine, EngineError};
use crate::host::files;
use crate::host::measure::energy::Meter;
use crate::host::measure::numbers::plural;
use crate::lang::level::OptLevel;
use crate::paper::race::forms::{csv, document::document, text};
use crate::paper::race::{self, Contestant, End, Field, Race, RaceSettings, Refused};
use crate::report::diagnostics::diagnostics;
use crate::workbench::demo::race::film;
use bars::Bars;

/// Races the variants of one file.
pub fn race(common: Common, args: &RaceArgs) -> Result<Exit, Failure> {
    // All contestants compile at the default level.
    let common = Common { opt: Some(OptLevel::default().into()), ..common };
    let limits = Limits::new(Some(args.seconds));
    let meter = Meter::open(common.config.energy);
    each_file(std::slice::from_ref(&args.file), common, |source| {
        let limit = limits.whole();
        let (program, _) = CpuEngine::with_threads(1).compile(&source.text, &|| false)?;
        let mut report = FileReport::new(source, &diagnostics(&program));
        let mut ran = None;
        if report.exit == Exit::Good {
            match Field::within(&source.text, args.k, &limit) {
                Err(Refused::Engine(EngineError::Cancelled)) => {
                    if let Some(partial) = limit.reached() {
                        report.is_partial(source, partial, "its tests did not end, and no race took place");
                    }
                }
                Err(why) => report.add_failure(
                    format!("{}: {why}", source.shown()),
                    "a race needs a program with a passing test and something to change",
                ),
                Ok(field) => {
                    // A race takes long, so a file that cannot be written is reported first.
                    check_outputs(args, source)?;
                    let mut bars = Bars::new(field.k, args.repetitions);
                    let settings = settings(common, args, limits.left().unwrap_or_default());
                    let race =
                        race::run(&field, &settings, &meter, limits.stop(), &mut |event| bars.take(&event));
                    drop(bars);
                    cut_short(&mut report, source, &race, &limits, args.seconds);
                    judge(&mut report, &race, names_gpu(common, args));
                    export(args, source, &race)?;
                    ran = Some(race);
                }
            }
        }
        let partial =
            report.partial.map_or(String::new(), |partial| format!("  partial: {}\n", partial.text()));
        let text = ran.as_ref().map(|race| text::page(&source.shown(), race) + &partial);
        report.complete(ran.as_ref().map(document), text, None);
        Ok(report)
    })
}

fn settings(common: Common, args: &RaceArgs, limit: Duration) -> RaceSettings {
    let mut contestants = args.contestants.clone();
    if contestants.is_empty() {
        contestants = Contestant::ALL.to_vec();
        contestants.retain(|one| common.engine != Some(Preference::Cpu) || *one != Contestant::Gpu);
    }
    RaceSettings {
        k: args.k,
        seed: args.seed,
        contestants,
        repetitions: args.repetitions,
        limit,
        software: args.software || common.engine == Some(Preference::Gpu),
        exact: common.exact,
    }
}

/// Marks a race that was cut short by an interrupt or by its time limit. Every race has a time limit, so
/// reaching it is not a failure.
fn cut_short(report: &mut FileReport, source: &InputSource, race: &Race, limits: &Limits, seconds: f64) {
    if limits.stop().load(Ordering::Relaxed) {
        let done = race.scores.iter().filter(|score| score.end == End::Finished).count() as u64;
        let done = format!("{} judged all variants", plural(done, "contestant"));
        report.is_partial(source, Partial::interrupted(), &done);
    } else if race.scores.iter().any(|score| score.end == End::OutOfTime) {
        report.partial = Some(Partial::over(seconds));
    }
}

/// Whether the call names the GPU engine. Otherwise the race continues without a device that fails.
fn names_gpu(common: Common, args: &RaceArgs) -> bool {
    common.engine == Some(Preference::Gpu) || args.software || args.contestants.contains(&Contestant::Gpu)
}

/// Reports contestants that failed and engines that disagree, which are faults of this program. For a device that
/// the call does not name, prints a note only.
fn judge(report: &mut FileReport, race: &Race, names_gpu: bool) {
    let mut broken = None;
    for score in race.scores.iter() {
        let End::Failed(why) = &score.end else { continue };
        let message = format!("{}: {why}", score.contestant.title());
        if score.contestant == Contestant::Gpu && !names_gpu {
            news().notice(&format!("the race goes on without a device; {message}"));
        } else {
            broken = broken.or(Some(message));
        }
    }
    let message = match race.engines_differ() {
        0 => broken,
        n => Some(format!("the engines judge {n} variants differently")),
    };
    if let Some(message) = message {
        report.exit = Exit::Engine;
        let help = "leave the contestant out with --contestants; report engines that disagree as a bug";
        report.complaints.push(Failure { exit: Exit::Engine, message, help: help.to_string() });
    }
}

fn outputs(source: &InputSource) -> Outputs<'_> {
    let read = Some((source, "the program that races"));
    Outputs { read, better: "race.csv or race.svg" }
}

fn export(args: &RaceArgs, source: &InputSource, race: &Race) -> Result<(), Failure> {
    if let Some(path) = &args.csv {
        outputs(source).write(path, &csv::table(race))?;
    }
    match &args.svg {
        Some(path) => outputs(source).write(path, &film(&source.shown(), race)),
        None => Ok(()),
    }
}

/// Checks that the requested files can be written.
fn check_outputs(args: &RaceArgs, source: &InputSource) -> Result<(), Failure> {
    for path in [&args.csv, &args.svg].into_iter().flatten() {
        outputs(source).check(path)?;
    }
    match (&args.csv, &args.svg) {
        (Some(csv), Some(svg)) if files::is_same(csv, svg) => {
            Err(Failure::call("--csv and --svg name the same file", "use two different names"))
        }
        _ => Ok(()),
    }
}
