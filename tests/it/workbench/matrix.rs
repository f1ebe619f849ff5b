//! Matrix: the purpose of each test, and a minimal set of mutants. Also the effect on the list of mutants.

use std::collections::BTreeMap;
use std::sync::Arc;

use myriad::lang::index::{Index, Indices, MutantId};
use myriad::lang::verdict::MutantStatus;
use myriad::session::{Changes, Filled, KillMatrix, Survivors};
use myriad::testing::mutation::{Examiner, Matrix, QuestionAnswer};
use myriad::workbench::event::{Event, Opened};
use myriad::workbench::state::{FileInfo, State};

use super::engine::{answer, answered, found};
use super::harness::{picture, picture_at, type_keys, words};

const TESTED: &str = "\
‸fn clamp(n: int, low: int, high: int) -> int {
    if n < low { return low; }
    if n > high { return high; }
    return n;
}
test clamp(5, 0, 9) == 5;
test clamp(-5, 0, 9) == 0;
test \"twice the same\": clamp(-7, 0, 9) == 0;
test clamp(50, 0, 9) == 9;
test \"of nothing\": 1 == 1;
prop n in -20..20 => clamp(n, -3, 3) <= 3;
";

pub(super) fn fill(state: &mut State) {
    let shown = state.shown().expect("an answer");
    let mut examiner = Examiner::new(shown.compiled.clone(), &shown.entries);
    let mut matrix = Matrix { oracles: examiner.oracles(), rows: Vec::new() };
    for (id, verdict) in
        Indices::first(examiner.first_order()).iter().zip(state.results.mutants.verdicts.clone())
    {
        let noticed = examiner.noticed(id, &verdict, &|| false).unwrap();
        matrix.rows.extend((!noticed.is_empty()).then_some((id, noticed)));
    }
    found(state, None, Filled::All(Arc::new(KillMatrix::new(matrix))));
}

#[test]
fn matrix_shows_the_role_of_each_test() {
    let mut state = answered(TESTED);
    type_keys(&mut state, "<alt-x>");
    assert!(picture_at(&mut state, 160, 50).contains("running every test on every mutant"));
    found(&mut state, None, Filled::Part(3, 90));
    assert!(picture_at(&mut state, 160, 50).contains("running every test on every mutant"));
    fill(&mut state);
    for (width, height) in [(80, 24), (160, 50)] {
        let drawing = picture_at(&mut state, width, height);
        insta::assert_snapshot!(format!("matrix_{width}x{height}"), drawing);
    }
    // The row of a test leads to its position.
    type_keys(&mut state, "<down><down><enter>");
    assert_eq!(state.document.buffer.line_of(state.document.buffer.head()), 6);
}

#[test]
fn matrix_without_tests_says_so() {
    let mut state = answered("‸fn f(n: int) -> int { return n; }\n");
    type_keys(&mut state, "<alt-x>");
    assert!(words(&picture(&state)).contains("no test passes"), "{}", picture(&state));
}

fn ids(numbers: &[u32]) -> Vec<MutantId> {
    numbers.iter().map(|number| MutantId::new(*number)).collect()
}

/// Survivors come first, those of the same behaviour together, and the selection is kept.
#[test]
fn survivors_are_ranked() {
    let mut state = answered(TESTED);
    type_keys(&mut state, "<alt-7>");
    let survived: Vec<MutantId> = state.results.mutants.ids[MutantStatus::Survived as usize].clone();
    assert!(survived.len() > 3, "{survived:?}");
    let listed: Vec<MutantId> = state.listed_mutants().iter().collect();
    assert_eq!(listed[..survived.len()], survived);
    assert!(listed[survived.len()..].is_sorted());
    type_keys(&mut state, "<down>");
    let (chosen, last) = (survived[1], *survived.last().unwrap());
    let shown = state.shown().expect("an answer");
    let mut examiner = Examiner::new(shown.compiled.clone(), &shown.entries);
    let why = survived.iter().map(|id| (*id, Arc::new(examiner.why(*id, &|| false).unwrap()))).collect();
    let like = BTreeMap::from([(last, survived[0])]);
    found(&mut state, None, Survivors { why, like, ..Survivors::default() });
    let listed: Vec<MutantId> = state.listed_mutants().iter().take(survived.len()).collect();
    let place = |id: MutantId| listed.iter().position(|one| *one == id).unwrap();
    assert_eq!(place(last), place(survived[0]) + 1, "{listed:?}");
    assert_eq!(state.chosen_mutant().unwrap().0, chosen);
    // No test is known for the first, nor for the one that behaves like it: they are last.
    let answers = BTreeMap::from([(survived[0], Arc::new(QuestionAnswer::Alike { inputs: 9, all: false }))]);
    let survivors = state.results.findings.current::<Survivors>().cloned().expect("reasons");
    found(&mut state, None, Survivors { answers, ..survivors });
    let listed: Vec<MutantId> = state.listed_mutants().iter().take(survived.len()).collect();
    assert_eq!(listed[survived.len() - 2..], [survived[0], last]);
    assert_eq!(picture_at(&mut state, 160, 50).matches("no test found").count(), 2);
}

#[test]
fn edit_shows_changed_verdicts() {
    let mut state = answered(TESTED);
    type_keys(&mut state, "<alt-7>");
    found(&mut state, None, Changes { since: 1, noticed: ids(&[3, 4]), survive: ids(&[1]), fresh: vec![] });
    assert!(
        picture_at(&mut state, 160, 50)
            .contains("2 newly noticed, 1 newly survive · 33 · score 83.3 % · 5 survived")
    );
    let narrow = picture_at(&mut state, 120, 40);
    assert!(narrow.contains("▲2 ▼1 · 33 · score 83.3 %"), "{narrow}");
    // The filter before `second-order`.
    type_keys(&mut state, "FF");
    assert_eq!(state.listed_mutants().iter().collect::<Vec<_>>(), ids(&[1, 3, 4]));
    // A result for another text has no effect.
    found(&mut state, None, Changes { since: 1, ..Changes::default() });
    assert!(words(&picture(&state)).contains("the last edit changed no verdict"), "{}", picture(&state));
}

/// Verdicts of the previous file on screen do not count as changed by an edit.
#[test]
fn verdicts_of_the_previous_file_are_not_changes() {
    let mut state = answered(TESTED);
    type_keys(&mut state, " <ctrl-u>");
    let number = state.prompts.requests() + 1;
    type_keys(&mut state, "<ctrl-o>other.myr<enter>");
    let (text, file) = (std::sync::Arc::from(TESTED.replace('‸', "")), FileInfo::default());
    state.apply(Event::Opened(Box::new(Opened { number, file, text, place: None, note: None })));
    answer(&mut state);
    let before = state.document.opened - 1;
    found(
        &mut state,
        None,
        Changes { since: before, noticed: ids(&[3]), survive: ids(&[1]), fresh: ids(&[4]) },
    );
    type_keys(&mut state, "<alt-7>");
    let screen = picture_at(&mut state, 240, 50);
    assert!(screen.contains("5 survived") && !screen.contains("newly"), "{screen}");
    let since = state.document.opened;
    found(&mut state, None, Changes { since, noticed: ids(&[3]), survive: ids(&[1]), fresh: ids(&[4]) });
    let narrow = picture_at(&mut state, 120, 40);
    assert!(narrow.contains("▲1 ▼2"), "{narrow}");
}

#[test]
fn key_removes_the_tests_that_add_nothing_in_one_undo_step() {
    let mut state = answered(TESTED);
    type_keys(&mut state, "<alt-x>D");
    assert!(picture(&state).contains("the matrix is not filled yet"), "{}", picture(&state));
    fill(&mut state);
    let (before, score) = (state.document.buffer.text().clone(), state.results.mutants.tally.score());
    type_keys(&mut state, "D");
    let text = state.document.buffer.text().to_string();
    assert!(!text.contains("of nothing") && text.contains("prop n in"), "{text}");
    assert!(text.matches("test ").count() < before.matches("test ").count() - 1, "{text}");
    assert!(!text.contains("\n\n"), "{text}");
    // As many mutants are noticed as before, and no other test can go.
    answer(&mut state);
    assert_eq!(state.results.mutants.tally.score(), score);
    fill(&mut state);
    type_keys(&mut state, "D");
    assert!(picture(&state).contains("every test adds something"), "{}", picture(&state));
    type_keys(&mut state, "<ctrl-u>");
    assert_eq!(**state.document.buffer.text(), *before);
}
