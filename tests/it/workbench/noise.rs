//! The Noise panel: its job runs while it is visible, and it is labelled as a simulation.

use std::time::Duration;

use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::session::job::{NOISE, PROOFS, SURVIVORS};
use myriad::session::{Finding, NOISE_SETTINGS, Update, VisibleJobs};
use myriad::testing::noise::{self, Report};
use myriad::workbench::event::{Effect, Event};
use myriad::workbench::state::State;

use super::engine::{answered, found};
use super::harness::{picture, picture_at, type_keys};

pub const PROGRAM: &str = "\
fn total(xs: [int]) -> int {
    let sum = 0;
    for x in xs {
        sum += ‸x;
    }
    return sum;
}

test total([1, 2, 3]) == 6;
test total([]) == 1;
prop xs in [0..9; 4] => total(xs) >= 0;
";

pub fn simulate(state: &State) -> Report {
    let mut engine = CpuEngine::with_threads(1);
    let base = engine.base(state.document.buffer.text(), &|| false).expect("the CPU engine does not fail");
    let settings = noise::NoiseSettings { rate: 0.01, ..NOISE_SETTINGS };
    noise::measure(&mut engine, &base, None, &settings, &|| false, &mut |_, _| {})
        .expect("the CPU engine does not fail")
}

#[test]
fn visible_panel_requests_noise() {
    let mut state = answered(PROGRAM);
    let asked = |effects: Vec<Effect>| -> Vec<Effect> {
        effects.into_iter().filter(|effect| matches!(effect, Effect::Look(_))).collect()
    };
    let looked =
        VisibleJobs { jobs: vec![&NOISE, &SURVIVORS, &PROOFS], function: None, ..VisibleJobs::default() };
    assert_eq!(asked(type_keys(&mut state, "<alt-o>")), [Effect::Look(looked)]);
    assert_eq!(asked(type_keys(&mut state, "<alt-1>")), []);
    assert_eq!(
        asked(type_keys(&mut state, "<alt-6>")),
        [Effect::Look(VisibleJobs { jobs: vec![&SURVIVORS, &PROOFS], ..VisibleJobs::default() })]
    );
}

#[test]
fn noise_panel_matches_its_snapshot() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<alt-o><f7>");
    let waiting = picture_at(&mut state, 70, 24);
    assert!(waiting.contains("Simulation") && waiting.contains("waiting"), "{waiting}");
    let report = simulate(&state);
    assert_eq!(report.tests.len(), 2);
    let old = Update::Found(Finding::new(state.document.revision - 1, None, Report::default()));
    state.apply(Event::Engine { update: old.into(), since: Duration::ZERO });
    assert!(picture(&state).contains("waiting"), "what is said of an older text is dropped");
    found(&mut state, None, report);
    insta::assert_snapshot!("noise_70x30", picture_at(&mut state, 70, 30));
}
