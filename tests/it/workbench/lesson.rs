//! The Lesson panel in each of its states, its keys, and its effects.

use std::sync::Arc;

use myriad::session::Survivors;
use myriad::workbench::event::{Effect, Event, Opened};
use myriad::workbench::learn::{Course, Shipped};
use myriad::workbench::open::Target;
use myriad::workbench::panels::{self, Panel};
use myriad::workbench::state::{FileInfo, State};
use myriad::workbench::theme::Theme;

use super::engine::{answer, answer_base, found};
use super::harness::{picture, picture_at, state, type_keys};

const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

/// Opens a shipped lesson in place of the file on screen.
pub fn opened(name: &str) -> State {
    let mut state = state("‸");
    open(&mut state, name);
    state
}

fn open(state: &mut State, name: &str) -> Vec<Effect> {
    let course = Course::shipped(Shipped::of(name).expect("a lesson")).unwrap_or_else(|why| panic!("{why}"));
    let text = course.lesson.code.clone();
    let file = FileInfo {
        path: Some(format!("{name}.myr").into()),
        on_disk: Some(text.clone()),
        lesson: Some(Arc::new(course)),
        ..FileInfo::default()
    };
    // As if it had been requested.
    let number = state.prompts.request();
    let opened = Opened { number, file, text, place: None, note: None };
    state.apply(Event::Opened(Box::new(opened)))
}

/// Replaces the first match in the text, by keys.
fn change(state: &mut State, from: &str, to: &str) {
    type_keys(state, &format!("<alt-1><ctrl-home><ctrl-f><ctrl-u>{from}<enter>{to}"));
}

fn snapshot(state: &mut State, name: &str) {
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("lesson_{name}_{width}x{height}"), picture_at(state, width, height));
    }
}

#[test]
fn lesson_is_done_when_every_goal_is_reached() {
    let mut state = opened("tree");
    assert_eq!(state.screen.focus, Panel::LESSON);
    snapshot(&mut state, "awaited");
    answer(&mut state);
    snapshot(&mut state, "begun");
    // In a small panel, the goals come first.
    type_keys(&mut state, "<esc>");
    snapshot(&mut state, "beside");
    type_keys(&mut state, "<alt-l>hh");
    snapshot(&mut state, "hints");
    change(&mut state, "price + fee; }<f3>", "(price + fee); }");
    answer(&mut state);
    assert!(picture(&state).contains("3/4"), "{}", picture(&state));
    change(&mut state, "((n & 1) == 0)", "n & 1 == 0");
    let effects = answer_base(&mut state);
    assert!(effects.contains(&Effect::LessonDone("tree".into())), "{effects:?}");
    assert!(picture(&state).contains("every goal is reached"), "{}", picture(&state));
    type_keys(&mut state, "<alt-l>");
    snapshot(&mut state, "done");
    // Repeating the answer is not reported again.
    assert!(!answer_base(&mut state).contains(&Effect::LessonDone("tree".into())));
}

/// Returning from work shows the goals at once, and hints below them.
#[test]
fn return_to_the_lesson_shows_goals_and_hints() {
    let mut state = opened("steps");
    answer(&mut state);
    state.apply(Event::Resize(80, 24));
    assert!(!picture(&state).contains("Goals:"), "it begins with what is taught");
    type_keys(&mut state, "<alt-1><ctrl-end><enter>");
    answer(&mut state);
    type_keys(&mut state, "<alt-l>");
    assert!(picture(&state).contains("h: a hint, 1 of 3"), "{}", picture(&state));
    snapshot(&mut state, "back");
    state.apply(Event::Resize(80, 24));
    type_keys(&mut state, "h");
    assert!(picture(&state).contains("Hint 1:"), "{}", picture(&state));
}

#[test]
fn removed_protected_code_is_reported() {
    let mut state = opened("tree");
    change(&mut state, "== 36", "== 32");
    answer(&mut state);
    let lines = panels::prose(&state, Panel::LESSON, 100, &Theme::plain());
    let said = lines.iter().map(|line| line.to_string()).collect::<Vec<_>>().join("\n");
    assert!(said.contains("! test \"a fee for each\"  must stay unchanged"), "{said}");
    assert!(!state.lesson.is_done());
    snapshot(&mut state, "gone");
}

#[test]
fn mutant_goal_is_unknown_until_verdicts_arrive() {
    let mut state = opened("survivors");
    assert!(
        state.engine.looked.jobs.iter().any(|job| job.name == "survivors"),
        "asked for whatever is looked at"
    );
    answer_base(&mut state);
    let waiting = state.lesson.judged.clone().expect("judged").standings[1].clone();
    assert_eq!(waiting.state, myriad::workbench::learn::judge::JudgeState::Unknown);
    snapshot(&mut state, "unknown");
    answer(&mut state);
    assert!(
        state
            .lesson
            .judged
            .as_ref()
            .is_some_and(|judged| judged.standings[1].text.contains("still looked into"))
    );
    let looked_into = survivors(&state);
    found(&mut state, None, looked_into);
    let said = state.lesson.judged.as_ref().expect("judged").standings[1].text.clone();
    assert!(said.contains("9 survivors left: lines 4 and 5"), "{said}");
}

/// Examines the survivors of the text on screen.
fn survivors(state: &State) -> Survivors {
    let shown = state.shown().expect("an answer");
    let mut examiner = myriad::testing::mutation::Examiner::new(shown.compiled.clone(), &shown.entries);
    let ids = &state.results.mutants.ids[myriad::lang::verdict::MutantStatus::Survived as usize];
    let answers = ids.iter().filter_map(|id| Some((*id, Arc::new(examiner.question(*id, &|| false)?))));
    Survivors { answers: answers.collect(), ..Survivors::default() }
}

#[test]
fn hints_come_one_by_one() {
    let mut state = opened("tokens");
    answer(&mut state);
    for shown in 0..3 {
        let screen = picture_at(&mut state, 160, 50);
        for hint in 1..=3 {
            assert_eq!(screen.contains(&format!("Hint {hint}:")), hint <= shown, "{hint} of {shown}: {screen}");
        }
        type_keys(&mut state, "h");
    }
    type_keys(&mut state, "h");
    assert!(picture(&state).contains("there are no more hints"), "{}", picture(&state));
}

#[test]
fn next_lesson_opens_after_the_current_one_is_saved() {
    let mut state = opened("tokens");
    let next = Target::Lesson("tree".into());
    let asked = |effects: &[Effect]| {
        effects.iter().any(|effect| matches!(effect, Effect::Open { target, .. } if *target == next))
    };
    assert!(asked(&type_keys(&mut state, "n")));
    let mut state = opened("tokens");
    change(&mut state, "= =", "==");
    let effects = type_keys(&mut state, "<alt-l>n");
    assert!(matches!(&effects[..], [.., Effect::Save { .. }]), "{effects:?}");
    let text = state.document.buffer.text().clone();
    let saved = state.apply(Event::Saved { path: "tokens.myr".into(), text, note: None });
    assert!(asked(&saved), "{saved:?}");
    // To quit is stronger than to open, before and after the file is asked for.
    assert!(type_keys(&mut state, "<ctrl-q>").contains(&Effect::Quit));
    let mut leaving = opened("tokens");
    change(&mut leaving, "= =", "==");
    type_keys(&mut leaving, "<alt-l>n<ctrl-q>");
    let text = leaving.document.buffer.text().clone();
    let saved = leaving.apply(Event::Saved { path: "tokens.myr".into(), text, note: None });
    assert!(saved.contains(&Effect::Quit) && !asked(&saved), "{saved:?}");
    open(&mut state, "tree");
    assert!(picture(&state).contains("2. What binds first"), "{}", picture(&state));
    assert_eq!(state.lesson, Default::default(), "nothing of the one before");
    let mut last = opened("rules");
    let undone = Target::Lesson(Shipped::UNDONE.into());
    let effects = type_keys(&mut last, "n");
    assert!(matches!(&effects[..], [.., Effect::Open { target, .. }] if *target == undone), "{effects:?}");
}

#[test]
fn panel_without_lesson_says_so_and_has_no_tab() {
    let mut state = super::engine::answered("test 1 == 1;‸");
    let screen = picture_at(&mut state, 160, 50);
    assert!(!screen.contains("Lesson"), "{screen}");
    type_keys(&mut state, "<alt-l>");
    let screen = picture(&state);
    assert!(screen.contains("no lesson is open"), "{screen}");
    for key in ["h", "n"] {
        type_keys(&mut state, key);
        assert!(picture(&state).contains("no lesson is open"));
    }
    // Cycling through the panels skips it.
    type_keys(&mut state, "<alt-1>");
    for _ in Panel::all() {
        type_keys(&mut state, "<f6>");
        assert_ne!(state.screen.focus, Panel::LESSON);
    }
    let mut taught = opened("tokens");
    let mut met = false;
    for _ in Panel::all() {
        type_keys(&mut taught, "<f6>");
        met |= taught.screen.focus == Panel::LESSON;
    }
    assert!(met);
}

/// A text that does not compile is reported at once, without the goals of the previous text.
#[test]
fn goals_are_judged_on_the_newest_text() {
    let mut state = opened("steps");
    answer(&mut state);
    let before = state.lesson.judged.clone().expect("judged");
    assert!(before.standings[2].text.contains("4 of 4"), "{before:?}");
    change(&mut state, "return total;", "return");
    answer(&mut state);
    let after = state.lesson.judged.clone().expect("judged");
    assert_eq!(after.standings[2].text, "the text does not compile");
    assert_eq!(after.gone, Vec::<String>::new());
}
