//! Repairs: listed if a test fails, applied by a key, reverted by an undo.

use std::sync::Arc;

use myriad::report::format::format;
use myriad::session::Repairs;
use myriad::testing::mutation::repair::{Repair, Search};
use myriad::testing::prove::settle;
use myriad::workbench::state::State;

use super::engine::{answer, answered, found};
use super::harness::{picture, picture_at, type_keys};

const BROKEN: &str = "\
‸fn larger(a: int, b: int) -> int {
    if a < b { return a; }
    return b;
}
test larger(3, 2) == 3;
test larger(2, 5) == 5;
test larger(4, 4) == 4;
";

/// Sends the repairs of the text on screen.
pub(super) fn search(state: &mut State) {
    let shown = state.shown().expect("an answer");
    let mut search = Search::new(shown.compiled.clone(), &shown.entries, &|| false).expect("something fails");
    while !search.is_done() {
        search.step(&|| false).expect("nobody stops it");
    }
    let repairs = search.repairs(&|| false);
    let question = search.question(&repairs, &|| false).map(Arc::new);
    found(
        state,
        None,
        Repairs {
            found: Arc::new(repairs),
            question,
            searched: search.searched(),
            done: true,
            ..Repairs::default()
        },
    );
}

#[test]
fn repair_is_listed_and_applied_by_a_key() {
    let mut state = answered(BROKEN);
    let before = state.document.buffer.text().clone();
    type_keys(&mut state, "<alt-m><enter>");
    assert!(picture(&state).contains("searching"), "{}", picture(&state));
    found(&mut state, None, Repairs { searched: 512, ..Repairs::default() });
    type_keys(&mut state, "<alt-6>");
    let drawing = picture_at(&mut state, 120, 40);
    assert!(drawing.contains("searching for a repair: 512 candidates"), "{drawing}");
    search(&mut state);
    for (width, height) in [(80, 24), (160, 50)] {
        let drawing = picture_at(&mut state, width, height);
        insta::assert_snapshot!(format!("tests_with_a_repair_{width}x{height}"), drawing);
    }
    type_keys(&mut state, "<alt-m>");
    for (width, height) in [(80, 24), (160, 50)] {
        let drawing = picture_at(&mut state, width, height);
        insta::assert_snapshot!(format!("repairs_{width}x{height}"), drawing);
    }
    type_keys(&mut state, "<enter>");
    assert_eq!(**state.document.buffer.text(), before.replace("a < b", "a > b"));
    assert!(picture(&state).contains("ctrl-u takes it back"), "{}", picture(&state));
    // The repairs are of the previous text.
    type_keys(&mut state, "<enter>");
    assert!(picture(&state).contains("not judged yet"), "{}", picture(&state));
    answer(&mut state);
    assert!(picture_at(&mut state, 160, 50).contains("3 tests pass"));
    type_keys(&mut state, "<ctrl-u>");
    assert_eq!(**state.document.buffer.text(), *before);
}

#[test]
fn search_without_a_repair_is_reported() {
    let mut state = answered("‸fn f() -> int { return 3; }\ntest f() == 77;\n");
    search(&mut state);
    type_keys(&mut state, "<alt-m>");
    let drawing = picture_at(&mut state, 160, 50);
    assert!(drawing.contains("no small change was found"), "{drawing}");
    let mut state = answered("‸fn f() -> int { return 3; }\ntest f() == 3;\n");
    type_keys(&mut state, "<alt-m>");
    let drawing = picture_at(&mut state, 160, 50);
    assert!(drawing.contains("nothing to repair") || drawing.contains("there is nothing"), "{drawing}");
}

/// If repairs differ, the user chooses the right answer: it becomes a test, and the other repairs disappear.
#[test]
fn chosen_answer_becomes_a_test_and_drops_repairs() {
    let mut state = answered(
        "‸fn largest(xs: [int]) -> int {\n    let m = 0;\n    for x in xs { if x < m { m = x; } }\n    return m;\n}\n\
         test largest([1, 2]) == 2;\ntest largest([7]) == 7;\n",
    );
    search(&mut state);
    let before = state.results.findings.current::<Repairs>().expect("a search").clone();
    let question = before.question.clone().expect("a question");
    assert!(before.found.len() > 1 && question.answers.len() > 1, "{before:?}");
    type_keys(&mut state, "<alt-m>");
    insta::assert_snapshot!("repairs_with_a_question_160x50", picture_at(&mut state, 160, 50));
    // The question and both answers are on a small screen, too.
    insta::assert_snapshot!("repairs_with_a_question_80x24", picture_at(&mut state, 80, 24));
    // Enter on the question goes to its first answer.
    type_keys(&mut state, &"<down>".repeat(before.found[0].changes.len()));
    let text = state.document.buffer.text().clone();
    type_keys(&mut state, "<enter>");
    assert_eq!(*state.document.buffer.text(), text);
    type_keys(&mut state, &"<down>".repeat(question.answers.len() - 1));
    type_keys(&mut state, "<enter>");
    let (test, ranks) = question.answers.last().unwrap();
    assert!(state.document.buffer.text().trim_end().ends_with(test), "{}", state.document.buffer.text());
    answer(&mut state);
    search(&mut state);
    let after = state.results.findings.current::<Repairs>().expect("a search");
    assert!(after.found.len() < before.found.len() || ranks.len() == before.found.len(), "{after:?}");
    // Repairs that return this value remain.
    assert!(!after.found.is_empty());
}

/// At any width, a repair shows both the original and its replacement.
#[test]
fn a_repair_shows_its_replacement_at_every_size() {
    let text = "\
‸fn pick(first_candidate: int, second_candidate: int) -> int {
    if first_candidate + 1 - 1 < second_candidate + 2 - 2 { return first_candidate; }
    return second_candidate;
}
test pick(3, 2) == 3;
test pick(2, 5) == 5;
test pick(4, 4) == 4;
test pick(-1, 9) == 9;
";
    let mut state = answered(text);
    search(&mut state);
    let repairs = state.results.findings.current::<Repairs>().expect("a search").found.clone();
    assert!(!repairs.is_empty());
    for (width, height) in [(80, 24), (110, 30), (160, 50)] {
        type_keys(&mut state, "<alt-m>");
        let drawing = picture_at(&mut state, width, height);
        let row = drawing.lines().find(|row| row.contains(" 1. ")).expect("the first repair");
        let behind = row.split_once(" → ").map(|(_, behind)| behind).unwrap_or_default();
        let replacement = repairs[0].changes[0].replacement.split_whitespace().collect::<Vec<_>>().join(" ");
        let head: String = replacement.chars().take(6).collect();
        assert!(behind.starts_with(&head), "{width}: {row:?}, {replacement:?}");
        // The line about the best repair in the Tests panel has both sides, too.
        type_keys(&mut state, "<alt-6>");
        let drawing = picture_at(&mut state, width, height);
        let row =
            drawing.lines().find(|row| row.contains("alt-m") && row.contains(" → ")).expect("the best repair");
        let (before, behind) = row.split_once(" → ").expect("an arrow");
        assert!(!before.ends_with("  ") && !behind.trim().is_empty(), "{width}: {row:?}");
    }
}

#[test]
fn repair_of_a_helper_names_its_other_callers() {
    let mut state = answered(
        "‸fn double(n: int) -> int { return n + n + 1; }\nfn area(n: int) -> int { return double(n) * 3; }\n\
         test double(2) == 4;\ntest double(5) == 10;\n",
    );
    search(&mut state);
    let repairs = state.results.findings.current::<Repairs>().expect("a search");
    assert!(repairs.found.iter().all(|repair| repair.other_callers == ["area"]), "{repairs:?}");
    type_keys(&mut state, "<alt-m>");
    let drawing = picture_at(&mut state, 160, 50);
    assert!(drawing.contains("! also called by area"), "{drawing}");
    // On a small screen the change takes precedence, and the mark stays.
    let drawing = picture_at(&mut state, 80, 24);
    let row = drawing.lines().find(|row| row.contains(" 1. ")).expect("the first repair");
    assert!(row.contains("+ → *") && row.contains('!'), "{row}");
}

/// `a > b` and `a >= b` choose different arguments only if these are equal.
#[test]
fn alike_repairs_are_proved_equal_or_listed_apart() {
    let state = answered(BROKEN);
    let shown = state.shown().expect("an answer");
    let mut search = Search::new(shown.compiled.clone(), &shown.entries, &|| false).expect("something fails");
    while !search.is_done() {
        search.step(&|| false).expect("nobody stops it");
    }
    let mut repairs = search.repairs(&|| false);
    let before = repairs.clone();
    settle(&shown.compiled, &mut repairs, &|| false).expect("nobody stops it");
    assert!(repairs[0].proved >= 1, "{:?}", repairs[0]);
    // Each repair that is no longer alike is listed.
    let alike = |repairs: &[Repair]| repairs.iter().map(|repair| repair.alike).sum::<u32>() as usize;
    assert_eq!(repairs.len() + alike(&repairs), before.len() + alike(&before));
    assert!(repairs[0].likeness().expect("likes").contains("proved equal"));
}

#[test]
fn counts_are_rounded_to_three_digits() {
    let of = [0.0, 532.0, 1_000.0, 41_300.0, 9_990_000.0, 1.24e9, 4.4e12];
    let rounded = of.map(myriad::host::measure::numbers::rounded);
    assert_eq!(rounded, ["0", "532", "1.0 k", "41 k", "10.0 M", "1.2 G", "4400 G"]);
}

/// A filled hole shows its size, and the editor the value that the test needs.
#[test]
fn expressions_show_their_size_and_the_needed_value() {
    use myriad::session::Filling;
    let mut state = answered(
        "‸fn average(a: int, b: int) -> int {\n    return ?;\n}\ntest average(4, 6) == 5;\ntest average(8, 2) == 5;\n",
    );
    let shown = state.shown().expect("an answer");
    let mut search = Search::new(shown.compiled.clone(), &shown.entries, &|| false).expect("something fails");
    while !search.is_done() {
        search.step(&|| false).expect("nobody stops it");
    }
    let fill = search.fill().expect("a hole");
    let filling = Filling { size: 6, tried: 1_234_567_890, rate: 9e8, needed: Arc::new(fill.needed()) };
    let repairs = search.repairs(&|| false);
    assert!(repairs[0].size().is_some_and(|size| size > 1), "{repairs:?}");
    let size = format!("size {}", repairs[0].size().unwrap_or_default());
    let question = search.question(&repairs, &|| false).map(Arc::new);
    let report = Repairs {
        found: Arc::new(repairs),
        question,
        filling: Some(filling),
        done: true,
        ..Repairs::default()
    };
    found(&mut state, None, report);
    type_keys(&mut state, "<alt-m>");
    let drawing = picture_at(&mut state, 160, 50);
    for part in [&size, "by expression 1", "size 6 · 1.2 G tried · 900 M/s", "? = 5"] {
        assert!(drawing.contains(part), "{part}\n{drawing}");
    }
    insta::assert_snapshot!("expressions_80x24", picture_at(&mut state, 80, 24));
}

/// A statement that a repair moves out of a loop stands where its block is.
#[test]
fn repair_of_a_text_in_the_standard_layout_stays_in_it() {
    let path = format!("{}/../../tests/repair/refactory-1_500.myr", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a program");
    assert_eq!(format(&text).as_deref(), Some(&*text));
    let mut state = answered(&format!("‸{text}"));
    search(&mut state);
    type_keys(&mut state, "<alt-m><enter>");
    let repaired = state.document.buffer.text().clone();
    assert_ne!(*repaired, *text);
    assert_eq!(format(&repaired).as_deref(), Some(&*repaired));
    type_keys(&mut state, "<alt-1><ctrl-u>");
    assert_eq!(**state.document.buffer.text(), *text);
}
