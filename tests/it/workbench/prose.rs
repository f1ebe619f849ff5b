//! Panels of prose: at any width no text is cut, and scrolling shows all of it.

use crate::common::extent::one_in;
use std::sync::Arc;
use std::time::Duration;

use myriad::lang::index::{Index, RoutineId};
use myriad::learned::hybrid::cost::Costs;
use myriad::learned::hybrid::{self, Path, Router, Settings, Times};
use myriad::learned::synthesis::times::NeuralTime;
use myriad::session::{Neural, Routing};
use myriad::workbench::panels::{self, Content, Panel};
use myriad::workbench::state::State;
use myriad::workbench::theme::Theme;
use unicode_width::UnicodeWidthStr;

use super::harness::{picture, picture_at, type_keys};
use super::{engine, neural, noise};

fn all() -> impl Iterator<Item = Panel> {
    Panel::all().filter(|panel| matches!(panel.row().content, Content::Prose(_)))
}

/// Returns a state in which one of these panels has all its content, zoomed.
pub(super) fn told(panel: Panel) -> State {
    let mut state = engine::answered(neural::PROGRAM);
    type_keys(&mut state, &format!("<{}><f7>", panel.row().keys[0]));
    match panel {
        Panel::NEURAL | Panel::PAPER => {
            let mut done = neural::compilation(&state);
            done.found.best = Some(1);
            neural::tell(&mut state, Neural::Done(Arc::new(done)));
        }
        Panel::ROUTER => {
            let mut engine = myriad::engine::cpu::CpuEngine::with_threads(1);
            let text = state.shown().expect("an answer").compiled.text.clone();
            let compiled =
                myriad::engine::Engine::base(&mut engine, &text, &|| false).expect("a program").compiled;
            let mut router = Router::new(Settings::default(), hybrid::model::Model::shipped().coefficients());
            let outcome = hybrid::compile(
                &mut engine,
                &compiled,
                RoutineId::new(1),
                None,
                &mut router,
                &|| false,
                &mut |_| {},
            );
            let mut outcome = outcome.expect("a result");
            // Fixed times of another machine.
            let (routing, traditional) = (Duration::from_nanos(600), Duration::from_micros(12));
            outcome.decision.costs = Costs { routing: 0.6e-6, neural: 11e-3, traditional: 12e-6 };
            let wall = routing + traditional;
            outcome.times =
                Times { routing, traditional: Some(traditional), neural: None, candidates: None, wall };
            let mut compilation = neural::compilation(&state);
            compilation.found.best = Some(0);
            let mut other = outcome.clone();
            (other.path, other.compilation) = (Path::Neural, Some(compilation));
            (other.times.neural, other.times.traditional) = (Some(Duration::from_millis(11)), None);
            let (generate, verify) = (Duration::from_millis(7), Duration::from_millis(1));
            other.times.candidates = Some(NeuralTime { k: 100, distinct: 4, generate, verify });
            let (outcome, other) = (Some(Arc::new(outcome)), Some(Arc::new(other)));
            neural::tell(&mut state, Routing { outcome, other, done: true, ..Routing::default() });
        }
        Panel::LATENCY | Panel::ENERGY => {
            engine::device(&mut state, engine::software());
            let shaders = engine::shaders(&state);
            engine::found(&mut state, None, shaders);
        }
        Panel::LESSON => {
            state = super::lesson::opened("tree");
            engine::answer(&mut state);
            type_keys(&mut state, "<f7>hh");
        }
        Panel::COMPARE => {
            type_keys(&mut state, "<alt-2>=<alt-j>");
        }
        Panel::NOISE => {
            let report = noise::simulate(&state);
            engine::found(&mut state, None, report);
        }
        _ => {}
    }
    state
}

fn lines(state: &State, panel: Panel, width: usize) -> Vec<String> {
    let lines = panels::prose(state, panel, width, &Theme::plain());
    lines.iter().map(|line| line.to_string().trim_end().to_string()).collect()
}

/// Returns the text without spaces, without bars, whose length depends on the width, and without the sign that each row of a
/// wrapped change repeats.
fn said(lines: &[String]) -> String {
    let unsigned = |line: &String| {
        let line = line.strip_prefix("    - ").or_else(|| line.strip_prefix("    + ")).unwrap_or(line);
        // Large digits are as large as there is room.
        line.replace([' ', '▆', '█', '▀', '▄'], "")
    };
    lines.iter().map(unsigned).collect()
}

#[test]
fn prose_is_equal_at_every_width() {
    for panel in self::all() {
        let state = told(panel);
        let all = said(&lines(&state, panel, 200));
        assert!(!all.is_empty(), "{panel:?} has something to say");
        for width in [12, 20, 25, 33, 36, 40, 60, 80, 100] {
            let here = lines(&state, panel, width);
            assert_eq!(said(&here), all, "{panel:?} at {width}:\n{}", here.join("\n"));
            for line in &here {
                // The first column stays empty, the last is the scrollbar's.
                assert!(line.width() + 2 <= width, "{panel:?} at {width}: {line:?}");
            }
        }
    }
}

#[test]
fn panels_name_the_origins_of_their_numbers() {
    for panel in [Panel::LATENCY, Panel::ENERGY, Panel::NEURAL, Panel::ROUTER, Panel::NOISE, Panel::PAPER] {
        let state = told(panel);
        for width in [33, 40, 100] {
            let words = lines(&state, panel, width).join(" ");
            for origin in ["measured", "modelled", "quoted"] {
                let expected = match (panel, origin) {
                    (Panel::LATENCY | Panel::ENERGY | Panel::PAPER, _) => true,
                    (_, origin) => origin != "quoted",
                };
                assert_eq!(words.contains(origin), expected, "{panel:?} at {width}, {origin}: {words}");
            }
        }
    }
}

#[test]
fn scrolling_shows_every_line() {
    for panel in one_in(1, self::all()) {
        let mut state = told(panel);
        for (width, height) in [(20, 5), (40, 12), (80, 16), (160, 50)] {
            type_keys(&mut state, "<home>");
            let mut seen = picture_at(&mut state, width, height);
            let mut step_by_step = picture(&state);
            // At the end no key changes anything; a cursor needs some keys to reach the edge.
            let mut still = 0;
            while still <= 2 * height {
                type_keys(&mut state, "<down>");
                let now = picture(&state);
                still = if now == step_by_step { still + 1 } else { 0 };
                seen.push_str(if still == 0 { &now } else { "" });
                step_by_step = now;
            }
            for line in lines(&state, panel, width.into()) {
                assert!(seen.contains(&line), "{panel:?} at {width}×{height}: {line:?} is never shown");
            }
            type_keys(&mut state, "<home><end>");
            assert_eq!(picture(&state), step_by_step, "{panel:?} at {width}×{height}: the end is the end");
        }
    }
}

#[test]
fn narrow_prose_panels_match_their_snapshots() {
    for panel in self::all() {
        let state = told(panel);
        for width in [25, 60] {
            let name = format!("{}_{width}", panel.title().to_lowercase());
            insta::assert_snapshot!(name, lines(&state, panel, width).join("\n"));
        }
    }
}
