//! The engines' answers to some texts, computed once.

use std::cell::Cell;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use myriad::compiler::variants::Variants;
use myriad::engine::conventional::ConventionalTerms;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, MutantResult};
use myriad::host::measure::energy::Energy;
use myriad::lang::index::{EntryId, Index, Indices, RoutineId};
use myriad::lang::samples;
use myriad::learned::hybrid::model::Model;
use myriad::learned::hybrid::{self, Router, Settings};
use myriad::session::job::JobResult;
use myriad::session::{Baseline, Compared, Finding, Neural, Progress, Routing, Shaders, Update, record_values};
use myriad::workbench::event::Event;
use myriad::workbench::facts;

use super::super::engine::{answered, engine, looped};
use super::super::{neural, noise};
use crate::common::{broken, typed};

/// Number of mutants judged per text.
const JUDGED: u32 = 60;

/// A text with the CPU engine's answers.
pub struct Known {
    pub text: Arc<str>,
    /// Each as of revision 0.
    pub answers: Vec<Event>,
}

/// Answers to the samples, to random programs, and to broken ones.
pub fn known() -> &'static [Known] {
    static KNOWN: OnceLock<Vec<Known>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let mut engine = engine();
        let written =
            ["gcd.myr", "weak.myr"].iter().filter_map(|name| samples::named(name)).map(|s| s.text.into());
        let mut texts: Vec<String> = written.collect();
        texts.extend((0..6).map(typed::program));
        texts.extend((0..8).map(broken::program));
        texts.extend(
            ["", "\n\n\n", "fn", "test 1 == 2;\r\ntest true;\r\n", "// 漢字\u{202e}\ntest \"é\" == [233];"]
                .map(String::from),
        );
        let mut known: Vec<Known> = texts.into_iter().map(|text| know(&mut engine, text.into())).collect();
        known.extend([neural_program(), noisy_program()]);
        known
    })
}

/// Collects all updates of the session's threads and the explainer on a text.
pub fn know(engine: &mut CpuEngine, text: Arc<str>) -> Known {
    // Tests that never end are cancelled after a number of polls, which does not depend on time.
    let asked = Cell::new(0);
    let patience = || {
        asked.set(asked.get() + 1);
        asked.get() > 2_000
    };
    let Ok(base) = engine.base(&text, &patience) else { return Known { text, answers: Vec::new() } };
    let (compiled, entries, timings) = (base.compiled.clone(), base.entries.clone(), base.timings);
    let millis = Duration::from_millis;
    let at = Instant::now();
    let say = |update: Update| Event::Engine { update: Box::new(update), since: millis(7) };
    let mut answers = vec![];
    if !entries.is_empty() {
        let (compiled, taken) = (compiled.clone(), millis(700));
        answers.push(say(Update::Running { revision: 0, compiled, entry: EntryId::FIRST, inputs: 7, taken }));
    }
    let function = RoutineId::new(0);
    let values = base.compiled.functions().contains(function).then(|| {
        let run = record_values(&base, (function, None), 10_000, &|| false);
        found(Some(function), run)
    });
    answers.push(say(Update::Base { revision: 0, at, result: base }));
    answers.extend(values);
    answers.push(Event::Details { revision: 0, details: facts::details(&compiled, &entries) });
    let variants = Variants::new(compiled);
    let first_order = variants.first_order();
    // Also some second-order mutants, if there are few first-order ones.
    let total = variants.all().min(JUDGED);
    let mut parts: Vec<MutantResult> = vec![];
    if total > 0
        && !entries.is_empty()
        && engine.mutants(Indices::first(total), &|| false, &mut |part| parts.push(part)).is_ok()
    {
        for part in parts {
            answers.push(say(Update::Mutants { revision: 0, total, first_order, part }));
        }
    }
    let energy = Energy::estimate(65.0, millis(40));
    answers.push(say(Update::Done { revision: 0, at, wall: millis(40), energy }));
    let terms = ConventionalTerms {
        generate: millis(2),
        transfers: millis(1),
        compile: millis(140),
        execute: millis(900),
    };
    answers.push(found(None, Baseline(looped(terms))));
    for (progress, difference) in [
        (Progress::Preparing, None),
        (Progress::Running, None),
        (Progress::TooSlow, None),
        (Progress::Done, Some("mutant 3: killed, not survived \x1b[2J".to_string())),
        (Progress::Done, None),
    ] {
        let other = "GPU engine, \u{202e}llvmpipe (LLVM 漢字)".to_string();
        let compared = Compared { other, progress, checked: 3, of: 7, total, difference, energy: Some(energy) };
        answers.push(found(None, compared));
    }
    for (timings, difference) in
        [(None, None), (Some(timings), Some("test 0: \x1b[2J and \u{202e}".to_string())), (Some(timings), None)]
    {
        let (adapter, since) = ("\u{202e}llvmpipe (LLVM 漢字)".to_string(), millis(31));
        answers.push(found(None, Shaders { adapter, timings, since, difference, energy, all: energy }));
    }
    Known { text, answers }
}

/// Returns the event for the result of an idle job.
fn found(function: Option<RoutineId>, what: impl JobResult) -> Event {
    let update = Update::Found(Finding::new(0, function, what));
    Event::Engine { update: Box::new(update), since: Duration::ZERO }
}

/// A program whose second function has been compiled neurally, and routed.
fn neural_program() -> Known {
    let state = answered(neural::PROGRAM);
    let mut engine = engine();
    let mut known = know(&mut engine, state.document.buffer.text().clone());
    let done = neural::compilation(&state);
    let drawn = done.found.candidates.iter().map(|judged| judged.candidate.clone()).collect();
    let refused = Neural::Refused("no weights \x1b[0m".to_string());
    let findings =
        [Neural::SamplingArgs(vec![]), Neural::SamplingArgs(drawn), Neural::Done(Arc::new(done)), refused];
    known.answers.extend(findings.map(|finding| found(Some(RoutineId::new(1)), finding)));
    let base = engine.base(&known.text, &|| false).expect("a program");
    let mut router = Router::new(Settings::default(), Model::shipped().coefficients());
    let outcome = hybrid::compile(
        &mut engine,
        &base.compiled,
        RoutineId::new(1),
        None,
        &mut router,
        &|| false,
        &mut |_| {},
    );
    let mut routing = Routing::default();
    known.answers.push(found(Some(RoutineId::new(1)), routing.clone()));
    routing.provisional = true;
    known.answers.push(found(Some(RoutineId::new(1)), routing.clone()));
    routing.outcome = Some(Arc::new(outcome.expect("a result")));
    known.answers.push(found(Some(RoutineId::new(1)), routing.clone()));
    known.answers.push(found(
        Some(RoutineId::new(1)),
        Routing { other: routing.outcome.clone(), done: true, ..routing },
    ));
    known
}

/// A program whose tests have been measured under noise.
fn noisy_program() -> Known {
    let state = answered(noise::PROGRAM);
    let mut known = know(&mut engine(), state.document.buffer.text().clone());
    known.answers.push(found(None, noise::simulate(&state)));
    known
}

/// Changes the revision of an answer.
pub fn of_revision(mut answer: Event, to: u64) -> Event {
    match &mut answer {
        Event::Details { revision, .. } => *revision = to,
        Event::Engine { update, .. } => match &mut **update {
            Update::Base { revision, .. }
            | Update::Mutants { revision, .. }
            | Update::Proved { revision, .. }
            | Update::Done { revision, .. }
            | Update::Running { revision, .. }
            | Update::Found(Finding { revision, .. }) => *revision = to,
            Update::Engine { .. } | Update::Notice(_) => {}
        },
        _ => {}
    }
    answer
}
