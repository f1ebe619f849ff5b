//! The race screen: bars, then the table; Esc ends it.

use std::sync::Arc;
use std::time::Duration;

use myriad::energy::Energy;
use myriad::race::{Contestant, End, Event as Happened, Fate, Race, Score};
use myriad::workbench::event::{Effect, Event, Mouse};
use myriad::workbench::race::News;
use myriad::workbench::state::State;

use super::engine::answered;
use super::harness::{picture, picture_at, type_keys};

const PROGRAM: &str = "‸fn twice(n: int) -> int { return n + n; }\n\ntest twice(4) == 8;\n";

fn tell(state: &mut State, number: u64, news: News) {
    assert!(state.apply(Event::Race { number, news }).is_empty());
}

fn score(contestant: Contestant, fates: &[Fate], micros: u64) -> Score {
    let parts =
        vec![("compile", Duration::from_micros(micros / 2)), ("run", Duration::from_micros(micros / 4))];
    Score {
        contestant,
        end: End::Finished,
        note: "as it is done".into(),
        fates: fates.iter().map(|fate| Some(*fate)).collect(),
        done: fates.len() as u32,
        preparation: Duration::ZERO,
        time: Duration::from_micros(micros),
        energy: Some(Energy::estimate(65.0, Duration::from_micros(micros))),
        parts,
    }
}

fn result() -> Race {
    let fates: Vec<Fate> = Fate::ALL.into_iter().take(4).cycle().take(1_000).collect();
    let mut other = fates.clone();
    (other[1], other[5]) = (Fate::Killed, Fate::NoAnswer);
    let absent = Score {
        end: End::LeftOut("no GPU was found".into()),
        done: 0,
        energy: None,
        fates: vec![None; 1_000].into(),
        ..score(Contestant::Gpu, &[], 0)
    };
    let scores = vec![
        score(Contestant::External, &other, 4_000_000),
        score(Contestant::Conventional, &fates, 400_000),
        score(Contestant::Cpu, &fates, 20_000),
        absent,
        score(Contestant::Neural, &fates, 8_000_000),
    ];
    Race { k: 1_000, seed: 1, scores: Arc::from(scores) }
}

#[test]
fn it_runs_beside_the_state_and_ends_with_esc() {
    let mut state = answered(PROGRAM);
    let before = state.buffer.text().clone();
    assert_eq!(type_keys(&mut state, "<f4>"), [Effect::Race(1)]);
    tell(&mut state, 1, News::Begun(1_000));
    tell(&mut state, 1, News::Happened(Happened::Prepares(Contestant::External)));
    let time = Duration::from_millis(500);
    tell(
        &mut state,
        1,
        News::Happened(Happened::Progress { contestant: Contestant::External, done: 250, time }),
    );
    let shown = picture(&state);
    assert!(shown.contains("250") && shown.contains("500 a second") && shown.contains("waits"), "{shown}");
    // Nothing reaches the text; news of other races is dropped.
    assert_eq!(type_keys(&mut state, "x"), []);
    state.apply(Event::Paste("y".into()));
    assert_eq!(state.buffer.text(), &before);
    tell(&mut state, 7, News::Refused("another".into()));
    assert!(!picture(&state).contains("another"));
    assert_eq!(type_keys(&mut state, "s"), [Effect::StopRace]);
    assert!(picture(&state).contains("stopping"));
    assert_eq!(type_keys(&mut state, "<esc>"), [Effect::StopRace]);
    assert!(state.race.is_none() && picture(&state).contains("twice"));
    assert_eq!(type_keys(&mut state, "<f4>"), [Effect::Race(2)]);
    tell(&mut state, 2, News::Refused("There is no race: no test passes.".into()));
    assert!(picture(&state).contains("no test passes"));
    assert_eq!(type_keys(&mut state, "<enter>"), [Effect::Race(3)]);
}

#[test]
fn the_table_at_several_sizes() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<f4>");
    tell(&mut state, 1, News::Begun(1_000));
    let result = result();
    for score in result.scores.iter() {
        tell(&mut state, 1, News::Happened(Happened::Ended(score.clone())));
    }
    tell(&mut state, 1, News::Done(result));
    insta::assert_snapshot!("race_80x24", picture_at(&mut state, 80, 24));
    insta::assert_snapshot!("race_160x50", picture_at(&mut state, 160, 50));
    insta::assert_snapshot!("race_40x24", picture_at(&mut state, 40, 24));
}

#[test]
fn all_of_a_result_can_be_scrolled_to() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<f4>");
    tell(&mut state, 1, News::Begun(1_000));
    tell(&mut state, 1, News::Done(result()));
    for (width, height) in [(20, 5), (40, 12), (80, 24), (160, 50)] {
        type_keys(&mut state, &"<pageup>".repeat(40));
        let mut seen = picture_at(&mut state, width, height);
        for _ in 0..300 {
            type_keys(&mut state, "<down>");
            seen.push_str(&picture(&state));
        }
        for said in ["GPU", "DIFFER", "killed", "measured"] {
            assert!(seen.contains(said), "{said} at {width}×{height}:\n{}", picture(&state));
        }
        assert!(seen.split_whitespace().any(|word| word.starts_with("silent") || word == "answer"), "{seen}");
        // What is scrolled past the end is not to be scrolled back first.
        let end = picture(&state);
        type_keys(&mut state, "<up>");
        assert!(picture(&state) != end || height == 50, "{width}×{height}:\n{end}");
        state.apply(Event::Mouse { what: Mouse::Scroll(100), column: 1, row: 1, shift: false });
        assert_eq!(picture(&state), end, "the wheel scrolls too");
    }
}
