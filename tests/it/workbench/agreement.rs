//! One name, one figure: panels, `myriad model`, the router and the race show the same number under the same
//! name in a session. Tested on all samples.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use myriad::compiler::stage::Stage;
use myriad::engine::conventional::Conventional;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Abilities, Engine};
use myriad::host::measure::energy::{EnergySource, Meter, Watts};
use myriad::host::measure::origin::Origin;
use myriad::host::measure::stat::Stat;
use myriad::lang::index::{Index, MutantId, RoutineId};
use myriad::learned::hybrid::model::Model;
use myriad::learned::hybrid::{self, Router, Settings};
use myriad::learned::synthesis::compile::{self, Compilation};
use myriad::learned::synthesis::search;
use myriad::learned::synthesis::times::NeuralTime;
use myriad::network::sampling::Sampling;
use myriad::network::source;
use myriad::network::weights::{self, Weights};
use myriad::paper::figures::figures;
use myriad::paper::measured::{Batch, Draws, Loop, Measured, MeasuredSubject, Traditional};
use myriad::paper::neural::of_draws;
use myriad::paper::race::{Contestant, End, Run, Score};
use myriad::paper::table::{PaperValue, Row, Section};
use myriad::paper::{conventional, measured, rows};
use myriad::session::{Baseline, Growth, Neural, Routing};
use myriad::workbench::panels::{self, Panel};
use myriad::workbench::results::TextOrigin;
use myriad::workbench::state::State;
use myriad::workbench::theme::Theme;

use super::engine::{answer_with, found};
use super::harness::{state, type_keys, words};
use crate::machine::with_hybrid;

/// Number of mutants judged per sample.
const MUTANTS: u32 = 20;

/// Results of a session on a sample, with its first function within the network's reach selected.
struct Found {
    function: RoutineId,
    name: String,
    conventional: Loop,
    drawn: Compilation,
    growth: Vec<NeuralTime>,
    /// The router's outcome, and that of the other path.
    routed: [Arc<hybrid::CompileOutcome>; 2],
}

fn find(text: &str, weights: &Arc<Weights>) -> Option<Found> {
    let mut engine = CpuEngine::with_threads(1);
    let base = engine.base(&text.into(), &|| false).expect("it does not fail");
    let program = base.compiled.program();
    let reach = |f| Some((f, source::read(&program, f).ok()?));
    let (function, source) = base.compiled.functions().iter().find_map(reach)?;
    let meter = Meter::estimating(Watts::default());
    let mut looped = Conventional::new(base.compiled.clone(), &base.entries);
    let patience = Duration::from_secs(1);
    let looped =
        conventional::measure(&mut looped, MutantId::all().take(20), &mut engine, &meter, patience, &|| false);
    let settings = |k| Sampling { k, ..Sampling::default() };
    let search = search::SearchSettings { sampling: settings(64), ..search::SearchSettings::default() };
    let compiled = &base.compiled;
    let drawn = compile::function(&mut engine, compiled, function, weights, &search, &|| false, &mut |_| {});
    let sampler = engine.sampler().expect("it has one");
    let growth =
        [1, 8].map(|k| NeuralTime::draw(&mut *sampler, &source, settings(k), &|| false).expect("it draws"));
    let mut router = Router::new(Settings::default(), Model::shipped().coefficients());
    let mut route = |theta| {
        router.settings.theta = theta;
        let weights = Some(weights);
        let outcome =
            hybrid::compile(&mut engine, compiled, function, weights, &mut router, &|| false, &mut |_| {});
        Arc::new(outcome.expect("it compiles"))
    };
    Some(Found {
        function,
        name: compiled.function_name(function).to_string(),
        conventional: looped.expect("it does not fail")?,
        drawn: drawn.expect("it is within reach"),
        growth: growth.to_vec(),
        routed: [route(None), route(Some(f64::INFINITY))],
    })
}

/// Returns a session with a sample on screen and all these results.
fn session(text: &str, found_here: &Found) -> State {
    let at = text.find(&format!("fn {}(", found_here.name)).expect("the function") + 3;
    let mut state = state(&format!("{}‸{}", &text[..at], &text[at..]));
    state.results.expect(state.document.revision, TextOrigin::Typed);
    answer_with(&mut state, |first_order, _| first_order.min(MUTANTS));
    type_keys(&mut state, "<alt-q>");
    assert_eq!(state.engine.looked.function, Some(found_here.function));
    let of = Some(found_here.function);
    found(&mut state, None, Baseline(found_here.conventional));
    found(&mut state, of, Neural::Done(Arc::new(found_here.drawn.clone())));
    found(&mut state, of, Growth(found_here.growth.clone()));
    let [outcome, other] = found_here.routed.clone();
    found(
        &mut state,
        of,
        Routing { provisional: false, outcome: Some(outcome), other: Some(other), done: true },
    );
    state
}

/// Builds the measurements that `myriad model` would have.
fn modelled(state: &State, found: &Found) -> Measured {
    let machine = with_hybrid();
    let once = |value: f64| Stat { median: value, spread: 0.0, of: 1 };
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let base = state.shown().expect("it is answered").timings;
    let batch = state.results.batch.expect("it is judged");
    let stages = base.split().stages.map(ms);
    let mut neural = of_draws(found.name.clone(), &found.drawn, &measured::sizes(64));
    let router = found.routed.iter().find_map(|outcome| outcome.times.candidates);
    let further = found.growth.iter().copied().chain(router);
    neural.points.extend(further.filter_map(|time| Draws::of(vec![(time, None)])));
    neural.points.sort_by_key(|point| point.k);
    let all = once(ms(batch.timings.wall));
    let last = Batch {
        k: batch.timings.programs,
        compile: all,
        all,
        energy: batch.energy,
        ..machine.traditional.batches[0]
    };
    Measured {
        subject: MeasuredSubject { cores: 2.0, programs: last.k, ..machine.subject },
        traditional: Traditional {
            stages: stages.map(once),
            tested: once(ms(base.wall)),
            execute: stages[Stage::Execute as usize],
            batches: vec![last],
            ..machine.traditional
        },
        conventional: Some(found.conventional),
        neural: Some(neural),
        ..machine
    }
}

/// Figures by name and column.
type Figures = HashMap<(String, Origin), PaperValue>;

/// Collects the figures of a document or a panel; rows with the same name must have the same number.
pub fn once(of: &str, sections: &[Section]) -> Figures {
    let mut figures = Figures::new();
    for row in sections.iter().flat_map(|section| &section.rows) {
        for origin in Origin::ALL {
            let Some(cell) = row.cell(origin) else { continue };
            let value = cell.value.clone();
            let before = figures.insert((row.name.clone(), origin), value.clone());
            assert!(
                before.as_ref().is_none_or(|before| *before == value),
                "{of}: {} is {before:?} and {value:?}",
                row.name
            );
        }
    }
    figures
}

fn measured<'a>(sections: &'a [Section], name: &str) -> &'a Row {
    let all = sections.iter().flat_map(|section| &section.rows);
    let mut found = all.filter(|row| row.name == name && row.cell(Origin::Measured).is_some());
    found.next().unwrap_or_else(|| panic!("{name} is not measured"))
}

/// Collects the terms of equation 11 in a text, such as `T_gen(64) 1.20 ms`; equal terms must have equal
/// values.
fn terms(page: &str, into: &mut HashMap<String, String>) {
    let page = words(page);
    for name in ["T_gen(", "T_verify(", "T_neural("] {
        for (at, _) in page.match_indices(name) {
            let mut parts = page[at..].split(' ');
            let (Some(term), Some(number), Some(unit)) = (parts.next(), parts.next(), parts.next()) else {
                continue;
            };
            let Some(digit) = number.chars().next().filter(char::is_ascii_digit) else { continue };
            let unit = unit.trim_end_matches([',', ')', ';']);
            // Zero has no unit.
            let value =
                if digit == '0' && number == "0" { "0".to_string() } else { format!("{number} {unit}") };
            let before = into.insert(term.to_string(), value.clone());
            assert!(
                before.as_ref().is_none_or(|before| *before == value),
                "{term} is {before:?} and {value}: {page}"
            );
        }
    }
}

fn text_of(state: &State, panel: Panel) -> String {
    let lines = panels::prose(state, panel, 400, &Theme::plain());
    lines.iter().map(|line| line.to_string() + "\n").collect()
}

/// Returns the words after a name at the beginning of a line.
fn behind<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let line =
        page.lines().find_map(|line| line.trim().strip_prefix(name).filter(|rest| rest.starts_with(' ')));
    line.unwrap_or_else(|| panic!("no {name} in {page}")).split_whitespace().collect()
}

#[test]
fn figures_of_equal_name_agree_in_panels_and_commands() {
    let weights = Arc::new(weights::shipped().expect("this build has weights"));
    let mut looked = 0;
    for sample in myriad::lang::samples::all() {
        let Some(found) = find_if_good(sample.text, &weights) else { continue };
        looked += 1;
        let state = session(sample.text, &found);
        let panel = panels::paper::sections(&state.results, &state.engine, &state.paper);
        let model = modelled(&state, &found);
        let document = rows::sections(&model);
        // Each name has one number: in the panel, in the document, and in both.
        let (shown, written) = (once(sample.name, &panel), once(sample.name, &document));
        let mut common = 0;
        for (name, value) in &shown {
            let Some(other) = written.get(name) else { continue };
            assert_eq!(value, other, "{}: {name:?}", sample.name);
            common += 1;
        }
        assert!(common > 40, "{}: {common} figures in common", sample.name);

        // The terms of equation 11 in every panel that has them.
        let mut values = HashMap::new();
        for panel in [Panel::NEURAL, Panel::ROUTER] {
            terms(&text_of(&state, panel), &mut values);
        }
        assert!(values.contains_key("T_neural(64)") && values.contains_key("T_neural(100)"), "{values:?}");
        for (term, value) in &values {
            let row = panel.iter().flat_map(|section| &section.rows).find(|row| {
                row.name.split(',').next() == Some(term.as_str()) && row.cell(Origin::Measured).is_some()
            });
            let shown = row.and_then(|row| row.shown(Origin::Measured));
            assert_eq!(shown.as_ref(), Some(value), "{}: {term}", sample.name);
        }
        let heading = words(&text_of(&state, Panel::NEURAL));
        let search = measured(&panel, &format!("a search for {}, to its evidence", found.name));
        let wall = search.shown(Origin::Measured).expect("a time");
        assert!(heading.contains(&format!("with evidence in {wall} (")), "{wall}: {heading}");

        // Energies, and the stages' times.
        let energies = text_of(&state, Panel::ENERGY);
        for (here, there) in [("each program", "each program"), ("an iteration", "an iteration on a CPU")] {
            let row =
                panel.iter().flat_map(|section| &section.rows).find(|row| row.name == there).expect(there);
            let shown = row.shown(Origin::Modelled).or_else(|| row.shown(Origin::Measured)).expect("an energy");
            assert_eq!(behind(&energies, here)[..2].join(" "), shown, "{}: {here}", sample.name);
        }
        let latency = text_of(&state, Panel::LATENCY);
        for stage in Stage::ALL.into_iter().take(Stage::Execute as usize) {
            let row = measured(&panel, &format!("T_{}", stage.name()));
            let shown = row.shown(Origin::Measured).expect("a time");
            assert_eq!(behind(&latency, stage.name())[..2].join(" "), shown, "{}", sample.name);
        }

        raced(&model, &found.conventional);
    }
    assert!(looked >= 12, "{looked} samples");
}

fn find_if_good(text: &str, weights: &Arc<Weights>) -> Option<Found> {
    let base = CpuEngine::with_threads(1).base(&text.into(), &|| false).expect("it does not fail");
    if base.compiled.facts.compiles() { find(text, weights) } else { None }
}

/// Checks the race's figures for the same run of the loop.
fn raced(model: &Measured, one: &Loop) {
    let run = Run { time: Duration::from_secs_f64(one.whole / 1e3), energy: Some(one.energy), parts: vec![] };
    let score = Score {
        end: End::Finished,
        done: one.programs,
        runs: vec![run],
        ..Score::new(Contestant::Conventional)
    };
    let figures = figures(model);
    let figure =
        figures.iter().find(|figure| figure.contestant == Contestant::Conventional).expect("it is raced");
    let (here, there) = (figure.per_second, score.per_second().expect("it ran"));
    assert!((here - there).abs() < 1e-6 * there, "{here} {there}");
    assert_eq!(score.energy_each(), Some(one.energy_each()));
    // One core's part of the stated power, for the whole time.
    let watts = Watts::default().cpu / f64::from(myriad::host::measure::cores());
    assert_eq!(one.energy.source, EnergySource::Estimate { watts });
    let whole = watts * one.whole / 1e3;
    // The meter also runs between the measured terms, longer on a busy machine.
    assert!(one.energy.joules >= whole && one.energy.joules < 3.0 * whole + 1e-3, "{one:?}");
}
