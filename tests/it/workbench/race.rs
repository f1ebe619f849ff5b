//! The race screen: bars, then the table; Esc leaves it, and the result is kept.

use std::sync::Arc;
use std::time::Duration;

use myriad::host::measure::energy::Energy;
use myriad::lang::index::{Index, MutantId};
use myriad::lang::verdict::{MutantStatus, Verdict};
use myriad::paper::race::{
    Contestant, End, Fate, Population, Race, RaceEvent as Happened, Resource, Run, Score,
};
use myriad::workbench::event::{Effect, Event, Mouse};
use myriad::workbench::race::RaceMessage;
use myriad::workbench::state::State;

use super::engine::answered;
use super::harness::{picture, picture_at, type_keys};

const PROGRAM: &str = "‸fn twice(n: int) -> int { return n + n; }\n\ntest twice(4) == 8;\n";

fn tell(state: &mut State, number: u64, news: RaceMessage) {
    assert!(state.apply(Event::Race { number, news }).is_empty());
}

/// Returns a score of five repetitions around a time.
fn score(contestant: Contestant, fates: &[Fate], micros: u64) -> Score {
    let works = match contestant {
        Contestant::External | Contestant::Conventional => Resource::OneCore,
        _ => Resource::AllCores,
    };
    let watts = if works == Resource::OneCore { 16.25 } else { 65.0 };
    let run = |percent: u64| {
        let time = Duration::from_micros(micros * percent / 100);
        let parts = vec![("compile", time / 2), ("run", time / 4)];
        Run { time, energy: Some(Energy::estimate(watts, time)), parts }
    };
    Score {
        end: End::Finished,
        note: "as it is done".into(),
        works: Some(works),
        fates: fates.iter().map(|fate| Some(*fate)).collect(),
        done: fates.len() as u32,
        runs: [130, 98, 100, 97, 104].map(run).to_vec(),
        ..Score::new(contestant)
    }
}

/// Returns the engine's verdicts on a thousand variants, of which 120 are first-order mutants, and the results
/// of running them.
fn population() -> (Population, Vec<Fate>) {
    use MutantStatus::{Duplicate, Equivalent, Invalid, Killed, Survived, Timeout};
    let statuses = [Killed, Timeout, Survived, Invalid, Equivalent, Duplicate];
    let original = |status| (status == Duplicate).then_some(MutantId::FIRST);
    let verdict = |status| Verdict { original: original(status), ..Verdict::of(status) };
    let verdicts: Vec<Verdict> = statuses.into_iter().cycle().take(1_000).map(verdict).collect();
    let fates = [Fate::Killed, Fate::Timeout, Fate::Survived, Fate::Invalid, Fate::Survived, Fate::Killed];
    (Population::new(120, &verdicts), fates.into_iter().cycle().take(1_000).collect())
}

pub fn result() -> Race {
    let (population, fates) = population();
    let mut other = fates.clone();
    (other[1], other[5]) = (Fate::Killed, Fate::NoAnswer);
    let absent = Score { end: End::LeftOut("no GPU was found".into()), ..Score::new(Contestant::Gpu) };
    let neural = score(Contestant::Neural, &fates[..640], 8_000_000);
    let scores = vec![
        score(Contestant::External, &other, 4_000_000),
        score(Contestant::Conventional, &fates, 400_000),
        score(Contestant::Cpu, &fates, 20_000),
        absent,
        Score { end: End::OutOfTime, runs: neural.runs[2..3].to_vec(), ..neural },
    ];
    let (scores, date) = (Arc::from(scores), "2026-11-30".to_string());
    Race { k: 1_000, seed: 1, repetitions: 5, cores: 4, date, population, scores }
}

/// Returns a state with the result on screen.
fn with_result() -> State {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<f4>");
    tell(&mut state, 1, RaceMessage::Begun { k: 1_000, repetitions: 5 });
    for score in result().scores.iter() {
        tell(&mut state, 1, RaceMessage::Happened(Happened::Ended(score.clone())));
    }
    finish(&mut state, 1);
    state
}

/// Ends the measurements of a race. Returns the pictures of its replay.
fn finish(state: &mut State, number: u64) -> Vec<String> {
    let effects = state.apply(Event::Race { number, news: RaceMessage::Done(result()) });
    frames(state, effects)
}

/// Returns the pictures of all frames that these effects lead to.
fn frames(state: &mut State, mut effects: Vec<Effect>) -> Vec<String> {
    let mut shown = vec![picture(state)];
    while let [Effect::Fade { what, .. }] = effects[..] {
        effects = state.apply(Event::Fade(what));
        shown.push(picture(state));
    }
    assert_eq!(effects, []);
    shown
}

#[test]
fn replay_shows_all_contestants_on_one_time_axis() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<f4>");
    tell(&mut state, 1, RaceMessage::Begun { k: 1_000, repetitions: 5 });
    let shown = finish(&mut state, 1);
    let counters = |frame: usize| -> Vec<u32> {
        let lines = shown[frame].lines().skip(1).take(5);
        let number = |line: &str| line.split_whitespace().next_back()?.replace(',', "").parse().ok();
        lines.filter_map(number).collect()
    };
    // 1.5 s in steps of 50 ms; a second of the screen is 1/75 s of the race.
    assert_eq!(shown.len(), 31);
    assert_eq!([counters(0), counters(15), counters(30)], [[0; 4], [2, 25, 500, 0], [5, 50, 1_000, 1]]);
    let scale = ["1.5 s here are 20.00 ms of the race;", "now: 10.00 ms."];
    assert!(scale.iter().all(|said| shown[15].contains(said)), "{}", shown[15]);
    let has_table = |frame: &String| frame.contains("paper, to b");
    assert!(shown[..30].iter().all(|frame| !has_table(frame)) && has_table(&shown[30]), "{}", shown[30]);
    // `r` shows the same frames again; a race that is left and shown again is at its end.
    let effects = type_keys(&mut state, "r");
    assert_eq!(frames(&mut state, effects), shown);
    type_keys(&mut state, "r");
    type_keys(&mut state, "<esc><f4>");
    assert_eq!(picture(&state), shown[30]);
}

#[test]
fn race_leaves_the_text_unchanged_and_stops_on_esc() {
    let mut state = answered(PROGRAM);
    let before = state.document.buffer.text().clone();
    assert_eq!(type_keys(&mut state, "<f4>"), [Effect::Race(1)]);
    tell(&mut state, 1, RaceMessage::Begun { k: 1_000, repetitions: 5 });
    tell(&mut state, 1, RaceMessage::Happened(Happened::Prepares(Contestant::External)));
    let time = Duration::from_millis(500);
    let contestant = Contestant::External;
    let progress = Happened::Progress { contestant, repetition: 2, done: 250, time };
    tell(&mut state, 1, RaceMessage::Happened(progress));
    let shown = picture(&state);
    // One of five repetitions and a quarter, of one of six contestants.
    assert!(shown.contains("measuring, then a race") && shown.contains("4 %"), "{shown}");
    assert!(shown.contains("is measured: 250 of 1,000, time 2 of 5") && shown.contains("waits"), "{shown}");
    let (_, fates) = population();
    let between = Happened::Between(score(Contestant::Conventional, &fates, 400_000));
    tell(&mut state, 1, RaceMessage::Happened(between));
    assert!(picture(&state).contains("measured 5 of 5 times"), "{}", picture(&state));
    // No key reaches the text; events of other races are dropped.
    assert_eq!(type_keys(&mut state, "x"), []);
    state.apply(Event::Paste("y".into()));
    assert_eq!(state.document.buffer.text(), &before);
    tell(&mut state, 7, RaceMessage::Refused("another".into()));
    assert!(!picture(&state).contains("another"));
    assert_eq!(type_keys(&mut state, "s"), [Effect::StopRace]);
    assert!(picture(&state).contains("stopping"));
    assert_eq!(type_keys(&mut state, "<esc>"), [Effect::StopRace]);
    assert!(state.race.shown().is_none() && picture(&state).contains("twice"));
    assert_eq!(type_keys(&mut state, "<f4>"), [Effect::Race(2)]);
    tell(&mut state, 2, RaceMessage::Refused("There is no race: no test passes.".into()));
    assert!(picture(&state).contains("no test passes"));
    assert_eq!(type_keys(&mut state, "<enter>"), [Effect::Race(3)]);
}

#[test]
fn result_stays_until_another_race_is_confirmed() {
    let mut state = with_result();
    let shown = picture(&state);
    // No key loses the result: scrolling keys return to it, all others do nothing.
    for keys in ["x", "s", "n", "<tab>", "<f4>", "<f7>", "<backspace>", "<alt-7>", "<down><up>"] {
        assert_eq!(type_keys(&mut state, keys), [], "{keys}");
        assert_eq!(picture(&state), shown, "{keys}");
    }
    // Another race needs confirmation; any key but these two leaves the question open.
    assert_eq!(type_keys(&mut state, "<enter>"), []);
    let asked = picture(&state);
    assert!(asked.contains("Race again?") && asked.contains("[enter]") && asked.contains("[esc]"), "{asked}");
    assert_eq!(type_keys(&mut state, "qx<f4>"), []);
    assert_eq!(picture(&state), asked);
    assert_eq!(type_keys(&mut state, "<esc>"), []);
    assert_eq!(picture(&state), shown);
    assert_eq!(type_keys(&mut state, "<enter><enter>"), [Effect::Race(2)]);
    assert!(picture(&state).contains("waits") && !picture(&state).contains("DIFFER"));
}

#[test]
fn closed_result_can_be_reopened() {
    for leave in ["<esc>", "q"] {
        let mut state = with_result();
        let shown = picture(&state);
        assert_eq!(type_keys(&mut state, leave), []);
        assert!(state.race.shown().is_none() && picture(&state).contains("twice"), "{}", picture(&state));
        assert_eq!(type_keys(&mut state, "<f4>"), []);
        assert_eq!(picture(&state), shown);
        // A result for an older text is marked; the next race uses the current text.
        type_keys(&mut state, leave);
        type_keys(&mut state, " ");
        assert_eq!(type_keys(&mut state, "<f4>"), []);
        let older = picture(&state);
        assert!(older.contains("sample.myr, an older text: 1,000 variants"), "{older}");
        assert!(!shown.contains("older") && older.contains("DIFFER"), "{older}");
        type_keys(&mut state, leave);
        assert_eq!(type_keys(&mut state, "<ctrl-u><f4>"), []);
        assert_eq!(picture(&state), shown, "the same text as raced");
        type_keys(&mut state, leave);
        type_keys(&mut state, " ");
        assert_eq!(type_keys(&mut state, "<f4><enter><enter>"), [Effect::Race(2)]);
        assert!(!picture(&state).contains("older"));
        // Leaving a running race cancels it, so there is no result to return to.
        assert_eq!(type_keys(&mut state, "<esc><f4>"), [Effect::StopRace, Effect::Race(3)]);
    }
}

#[test]
fn result_table_matches_its_snapshots() {
    let mut state = with_result();
    insta::assert_snapshot!("race_80x24", picture_at(&mut state, 80, 24));
    insta::assert_snapshot!("race_160x50", picture_at(&mut state, 160, 50));
    insta::assert_snapshot!("race_40x24", picture_at(&mut state, 40, 24));
}

#[test]
fn scrolling_reaches_all_of_a_result() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<f4>");
    tell(&mut state, 1, RaceMessage::Begun { k: 1_000, repetitions: 5 });
    finish(&mut state, 1);
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
        // Scrolling past the end does not need to be undone.
        let end = picture(&state);
        type_keys(&mut state, "<up>");
        assert!(picture(&state) != end || height == 50, "{width}×{height}:\n{end}");
        state.apply(Event::Mouse { what: Mouse::Scroll(100), column: 1, row: 1, shift: false });
        assert_eq!(picture(&state), end, "the wheel scrolls too");
    }
}

#[test]
fn race_left_by_esc_completes_the_step_of_the_tour() {
    use myriad::lang::samples;
    use myriad::workbench::tour::TourView;

    // While it goes on, and after its result; also during an earlier step.
    for (ends, step, said) in [
        (false, 6, "Watch a race: done, and so is the tour"),
        (true, 6, "Watch a race: done, and so is the tour"),
        (false, 2, "Watch a race: done"),
    ] {
        let mut state = answered(PROGRAM);
        state.document.file.sample = samples::named("gcd.myr");
        state.tour = Some(TourView { step, ..TourView::default() });
        type_keys(&mut state, "<f4>");
        tell(&mut state, 1, RaceMessage::Begun { k: 1_000, repetitions: 5 });
        if ends {
            finish(&mut state, 1);
        }
        type_keys(&mut state, "<esc>");
        assert_eq!(state.tour.as_ref().map(|tour| tour.done.clone()), Some(vec![6]));
        assert!(picture(&state).contains(said), "{}", picture(&state));
    }
}
