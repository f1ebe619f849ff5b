//! Messages about unsaved text.

use std::sync::Arc;
use std::time::Duration;

use super::engine::answered;
use super::harness::{picture, picture_at, type_keys};
use myriad::workbench::event::{Effect, Event};
use myriad::workbench::open::OpenView;
use myriad::workbench::state::{FileInfo, Overlay, State};
use myriad::workbench::unsaved::{Difference, Unsaved, age};

/// Returns an unsaved text that an earlier run left for a file.
fn left(text: &str, damaged: bool) -> Unsaved {
    Unsaved {
        entry: "journal/1-1.unsaved".into(),
        of: Some("/home/a.myr".into()),
        text: Arc::from(text),
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
    assert!(last(&mut state, 80).contains("1 unsaved text of earlier runs"));
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
