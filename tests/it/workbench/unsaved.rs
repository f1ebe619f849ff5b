//! Messages about unsaved text.

use std::sync::Arc;
use std::time::Duration;

use super::engine::answered;
use super::harness::{marked, picture, picture_at, state, type_keys};
use myriad::workbench::event::{Effect, Event, FileContents};
use myriad::workbench::open::OpenView;
use myriad::workbench::state::{FileInfo, Overlay, State};
use myriad::workbench::unsaved::{Base, Difference, Unsaved, age};

/// Returns an unsaved text that an earlier run left for a file.
fn left(text: &str, damaged: bool) -> Unsaved {
    Unsaved {
        entry: "journal/1-1.unsaved".into(),
        of: Some("/home/a.myr".into()),
        text: Arc::from(text),
        base: None,
        age: "2 minutes ago".to_string(),
        damaged,
        difference: Difference::between("", text),
    }
}

/// Returns a state as after starting without a file.
fn without_a_file() -> State {
    let mut state = State::new("", FileInfo::default());
    state.prompts.overlay = Some(Overlay::Open(OpenView::new("")));
    state.apply(Event::Resize(80, 24));
    state
}

#[test]
fn program_list_announces_unsaved_texts() {
    let mut state = without_a_file();
    assert!(!picture(&state).contains("unsaved"), "{}", picture(&state));
    let texts = vec![left("fn f() -> int { return 1; }\n", false), left("damaged\n", true)];
    state.apply(Event::Unsaved { texts: texts.clone(), more: 0, held: false, asked: false });
    let screen = picture(&state);
    assert!(screen.contains("2 unsaved texts of earlier runs: alt-a lists them"), "{screen}");
    assert!(screen.contains("open:") && screen.contains("sample gcd.myr"), "{screen}");
    assert_eq!(type_keys(&mut state, "<alt-a>"), []);
    let screen = picture(&state);
    assert!(screen.contains("Unsaved texts of earlier runs:") && screen.contains("/home/a.myr"));
    assert!(screen.contains("/home/a.myr (damaged on disk)"), "{screen}");
    // Without a file, back to the welcome, where the same key works again.
    type_keys(&mut state, "<esc>");
    assert!(picture(&state).contains("Welcome to Myriad"), "{}", picture(&state));
    type_keys(&mut state, "<f10>");
    let asked = Event::Unsaved { texts, more: 0, held: false, asked: true };
    state.apply(asked);
    type_keys(&mut state, "<enter>");
    assert_eq!(&**state.document.buffer.text(), "fn f() -> int { return 1; }\n");
}

#[test]
fn program_list_reports_no_unsaved_texts() {
    let mut state = without_a_file();
    assert_eq!(type_keys(&mut state, "<alt-a>"), [Effect::FindUnsaved]);
    state.apply(Event::Unsaved { texts: vec![], more: 0, held: false, asked: true });
    assert!(matches!(state.prompts.overlay, Some(Overlay::Open(_))));
    assert!(picture(&state).contains("no earlier run left an unsaved text"), "{}", picture(&state));
}

#[test]
fn line_diagnostic_takes_precedence_over_unsaved_texts() {
    let mut state = answered("fn f() -> int { return x; ‸}\ntest f() == 1;\n");
    let texts = vec![left("fn f() -> int { return 1; }\n", false)];
    state.apply(Event::Unsaved { texts, more: 0, held: false, asked: false });
    let last = |state: &mut State, width| {
        let screen = picture_at(state, width, 24);
        screen.lines().last().unwrap_or_default().to_string()
    };
    assert!(last(&mut state, 80).contains("there is no variable"), "{}", last(&mut state, 80));
    let wide = last(&mut state, 200);
    assert!(wide.contains("there is no variable") && wide.contains("1 unsaved text"), "{wide}");
    type_keys(&mut state, "<down>");
    assert!(last(&mut state, 80).contains("1 unsaved text of sample.myr: alt-a lists them"));
}

#[test]
fn difference_is_counted_in_lines() {
    let difference = Difference::between("a\nb\nc\n", "a\nB\nc\nd");
    assert_eq!((difference.added, difference.removed), (2, 1));
    let said: Vec<(bool, &str)> = difference.lines.iter().map(|(a, l)| (*a, l.as_str())).collect();
    assert_eq!(said, [(false, "b"), (true, "B"), (true, "d")]);
    assert_eq!(difference.counts(), "+2 −1 lines");
    assert_eq!(Difference::between("a", "a"), Difference::default());
}

#[test]
fn ages_are_in_words() {
    let said = [0, 59, 60, 7_199, 7_200, 86_400 * 3].map(|s| age(Duration::from_secs(s)));
    assert_eq!(said, ["just now", "just now", "1 minute ago", "1 hour ago", "2 hours ago", "3 days ago"]);
}

/// Returns the event after a file was opened: `text` is unsaved, and the file had `base` when it was written.
fn found(text: &str, base: Option<Option<&str>>) -> Event {
    let texts = vec![Unsaved { base: base.map(Base::of), ..left(text, false) }];
    Event::Unsaved { texts, more: 0, held: false, asked: false }
}

#[test]
fn unsaved_text_of_an_unchanged_file_comes_back() {
    let mut state = state("a‸");
    state.apply(found("a\nb", Some(Some("a"))));
    assert_eq!((&**state.document.buffer.text(), state.dirty()), ("a\nb", true));
    let screen = picture(&state);
    assert!(screen.contains("unsaved text is back (2 minutes ago, +1 −0 lines): ctrl-u undoes it"), "{screen}");
    // One undo away from the file's text, and then offered, but not opened automatically any more.
    assert_eq!(type_keys(&mut state, "<ctrl-u>"), [Effect::DeclineUnsaved("journal/1-1.unsaved".into())]);
    assert_eq!((marked(&state).as_str(), state.dirty()), ("a‸", false));
    assert!(picture(&state).contains("1 unsaved text of sample.myr: alt-a lists them"), "{}", picture(&state));
    type_keys(&mut state, "<alt-a><enter>");
    assert_eq!(&**state.document.buffer.text(), "a\nb");
    // Discarded with the file's text, it is still kept.
    assert_eq!(
        type_keys(&mut state, "<ctrl-q>d"),
        [Effect::DeclineUnsaved("journal/1-1-declined.unsaved".into()), Effect::Quit]
    );
    let mut again = super::harness::state("a‸");
    let entry = "journal/1-1-declined.unsaved".into();
    let kept = Unsaved { entry, base: Some(Base::of(Some("a"))), ..left("b", false) };
    again.apply(Event::Unsaved { texts: vec![kept], more: 0, held: false, asked: false });
    assert_eq!(marked(&again), "a‸");
}

#[test]
fn unsaved_text_of_a_new_file_comes_back() {
    let file = || FileInfo { path: Some("new.myr".into()), ..FileInfo::default() };
    let mut state = State::new("", file());
    state.apply(found("test 1 == 1;\n", Some(None)));
    assert_eq!((&**state.document.buffer.text(), state.dirty()), ("test 1 == 1;\n", true));
    // A save writes it only if there is still no file.
    assert_eq!(
        type_keys(&mut state, "<ctrl-s>"),
        [Effect::Save { path: "new.myr".into(), expect: None, overwrite: false }]
    );
    // Text that was typed before it was found is not replaced.
    let mut state = State::new("", file());
    type_keys(&mut state, "x");
    state.apply(found("test 1 == 1;\n", Some(None)));
    assert_eq!(&**state.document.buffer.text(), "x");
}

#[test]
fn unsaved_text_is_only_offered_if_the_file_or_the_text_may_be_another() {
    let base = Some(Some("a"));
    let offered = |state: &mut State, event: Event| {
        let before = state.document.buffer.text().clone();
        state.apply(event);
        assert_eq!(state.document.buffer.text(), &before);
        type_keys(state, "<right>");
        let shown = picture(state);
        assert!(shown.contains("1 unsaved text of sample.myr"), "{shown}");
        shown.contains("which has changed since: alt-a lists them")
    };
    let with = |change: fn(&mut Unsaved, &mut bool)| {
        let (mut text, mut held) = (Unsaved { base: Some(Base::of(Some("a"))), ..left("a\nb", false) }, false);
        change(&mut text, &mut held);
        Event::Unsaved { texts: vec![text], more: 0, held, asked: false }
    };
    assert!(offered(&mut state("other‸"), found("a\nb", base)), "the file has changed");
    assert!(offered(&mut state("a‸"), found("a\nb", Some(None))), "the file did not exist");
    let mut gone = state("a‸");
    gone.apply(Event::FileContents(FileContents::Gone));
    assert!(offered(&mut gone, found("a\nb", base)), "the file was removed");
    let mut follows = state("other‸");
    follows.apply(Event::FileContents(FileContents::Text { text: Arc::from("newest"), bom: false }));
    assert!(offered(&mut follows, found("b", Some(Some("other")))), "the file has changed meanwhile");
    assert!(!offered(&mut state("a‸"), with(|text, _| text.base = None)), "of an older release");
    assert!(!offered(&mut state("a‸"), with(|text, _| text.damaged = true)), "damaged");
    assert!(!offered(&mut state("a‸"), with(|_, held| *held = true)), "another run has a text of the file");
    let mut typed = state("a‸");
    type_keys(&mut typed, "b");
    assert!(!offered(&mut typed, found("a\nb", base)), "something is typed");
    // Of several texts, the newest decides; the others stay in the list.
    let (newest, older) = (
        Unsaved { base: None, ..left("new", false) },
        Unsaved { base: base.map(Base::of), ..left("old", false) },
    );
    let mut state = state("a‸");
    state.apply(Event::Unsaved {
        texts: vec![newest.clone(), older.clone()],
        more: 0,
        held: false,
        asked: false,
    });
    assert_eq!(marked(&state), "a‸");
    state.apply(Event::Unsaved { texts: vec![older, newest], more: 0, held: false, asked: false });
    assert_eq!(&**state.document.buffer.text(), "old");
    assert_eq!(state.prompts.waiting.unsaved.len(), 1);
}

#[test]
fn offer_stays_beside_a_diagnostic() {
    let mut state = answered("fn f() -> int { return x; ‸}\ntest f() == 1;\n");
    state.apply(found("fn f() -> int { return 1; }\n", None));
    let screen = picture_at(&mut state, 80, 24);
    let last = screen.lines().last().unwrap_or_default();
    assert!(last.contains("alt-a: unsaved text") && last.contains("there is no variable"), "{last}");
}
