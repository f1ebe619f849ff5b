//! Mutants: first-order and second-order ones are counted and listed separately, and figures with the same name
//! are equal everywhere.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use myriad::compiler::variants::Variants;
use myriad::host::measure::numbers::grouped;
use myriad::host::measure::share::Share;
use myriad::lang::index::{Index, MutantId};
use myriad::report::mutants::{Counts, Tally};
use myriad::session::{Proved, Update};
use myriad::testing::equivalence::Prover;
use myriad::workbench::event::Event;
use myriad::workbench::panels::Panel;
use myriad::workbench::state::{MutantFilter, State};
use myriad::workbench::theme::{Depth, Theme};
use serde_json::{Value, json};

use super::engine::{answer, answer_base, answer_with};
use super::harness::{colour, picture, picture_at, state, type_keys};
use crate::common::command::{Called, myriad};
use crate::common::repository::{repository, samples};

/// Default number of mutants on each keystroke, and for `mutate --order 2`.
const BUDGET: u32 = 1_024;

/// Returns a state with a program's results as after a keystroke.
fn judged(text: &str) -> State {
    let mut state = state(&format!("‸{text}"));
    answer_with(&mut state, |first_order, all| first_order.max(BUDGET.min(all)));
    prove(&mut state);
    state
}

/// Examines the survivors, as a session does.
fn prove(state: &mut State) {
    let Some(shown) = state.shown().cloned() else { return };
    let verdicts = state.results.mutants.verdicts.clone();
    let proved = Proved::of(
        &mut Prover::default(),
        &Variants::new(shown.compiled.clone()),
        &verdicts,
        &mut verdicts.clone(),
        &|| false,
    );
    let proved = Arc::new(proved.expect("not cancelled"));
    let update = Update::Proved { revision: shown.revision, proved };
    state.apply(Event::Engine { update: update.into(), since: Duration::ZERO });
}

fn sample(name: &str) -> String {
    let path = repository().join("samples").join(name);
    std::fs::read_to_string(path).expect("a sample")
}

/// Formats counts as in documents.
fn document(counts: &Counts) -> Value {
    let Counts { killed, timeout, survived, equivalent, duplicate, invalid, ignored: _, unfinished: _ } =
        counts;
    json!({"killed": killed, "timeout": timeout, "survived": survived, "equivalent": equivalent,
           "duplicate": duplicate, "invalid": invalid})
}

/// Calls `mutate` on files.
fn mutate(files: &[std::path::PathBuf], options: &[&str]) -> Called {
    let mut words = vec!["mutate".into(), "--engine=cpu".into()];
    words.extend(files.iter().map(|path| path.clone().into_os_string()));
    words.extend(options.iter().map(std::ffi::OsString::from));
    myriad(&words, b"")
}

#[test]
fn score_of_a_sample_is_equal_in_panel_and_command() {
    let compiles = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("a sample");
        !text.lines().next().is_some_and(|line| line.contains("does not compile"))
    };
    let files: Vec<_> = samples().into_iter().filter(compiles).collect();
    assert!(files.len() >= 12, "only {} samples", files.len());
    let singles = mutate(&files, &["--format=json"]).json();
    let pairs = mutate(&files, &["--format=json", "--order=2"]).json();
    let text = mutate(&files, &["--order=2"]).stdout;
    let mut with_pairs = 0;
    for (i, path) in files.iter().enumerate() {
        let name = path.display().to_string();
        let mut state = judged(&std::fs::read_to_string(path).expect("a sample"));
        let mutants = &state.results.mutants;
        let tally = mutants.tally;
        // The pure function has the same result for the same verdicts.
        let statuses = MutantId::all().zip(mutants.verdicts.iter().map(|verdict| verdict.status));
        assert_eq!(Tally::of(mutants.first_order, statuses), tally, "{name}");
        with_pairs += u32::from(tally.second_order.judged() > 0);

        // Documents.
        let (single, both) = (&singles["files"][i], &pairs["files"][i]);
        let score = json!(tally.score().map(Share::decimal));
        assert_eq!((&single["score"], &both["score"]), (&score, &score), "{name}");
        let counts = document(&tally.first_order);
        for found in [&single["counts"], &single["single_counts"], &both["single_counts"]] {
            assert_eq!(found, &counts, "{name}");
        }
        assert_eq!(both["pair_counts"], document(&tally.second_order), "{name}");
        assert_eq!(both["counts"], document(&tally.all()), "{name}");
        assert!(single.get("pair_counts").is_none(), "{name}");

        // The gutter's digits are the numbers of surviving first-order mutants, by line.
        let mut by_line: BTreeMap<usize, u32> = BTreeMap::new();
        for mutant in both["mutants"].as_array().expect("mutants") {
            if mutant["status"] == "survived" && mutant.get("pair").is_none() {
                let line = mutant["line"].as_u64().expect("a line");
                *by_line.entry(line as usize - 1).or_default() += 1;
            }
        }
        assert_eq!(mutants.survivors, by_line, "{name}");

        // Text, gauge and tab.
        let judged = grouped(tally.first_order.judged().into());
        let said = tally.score().map_or("–".to_string(), |score| score.to_string());
        let first = format!("{name}: {judged} first-order mutants, score {said}");
        let mut page = text.lines().skip_while(|line| *line != first).skip(1);
        assert_eq!(page.next(), Some(&*format!("  {}", tally.first_order.text())), "{first} in\n{text}");
        type_keys(&mut state, "<alt-7><f7>");
        let screen = picture_at(&mut state, 200, 40);
        let gauge = format!("{judged} mutants, score {said}");
        let tab = format!("  {judged} · score {said}");
        assert!(screen.contains(&gauge) && screen.contains(&tab), "{gauge}\n{tab}\n{screen}");
    }
    assert!(with_pairs >= 3, "only {with_pairs} samples have room for second-order mutants");
}

#[test]
fn second_order_mutants_are_listed_separately() {
    let mut state = judged(&sample("gcd.myr"));
    let first_order = state.results.mutants.first_order;
    type_keys(&mut state, "<alt-7>");
    let all = state.listed_mutants().len() as u32;
    assert_eq!((state.mutants.filter, all), (MutantFilter::Singles, first_order));
    // State by state, which add up to all first-order mutants; finally the second-order ones.
    let mut sum = 0;
    loop {
        type_keys(&mut state, "f");
        if state.mutants.filter == MutantFilter::Pairs {
            break;
        }
        assert!(
            state.listed_mutants().iter().all(|id| id.number() < first_order),
            "{:?}",
            state.mutants.filter
        );
        sum += state.listed_mutants().len() as u32;
    }
    assert_eq!(sum, all);
    let pairs = state.listed_mutants();
    assert_eq!(pairs.len() as u32, BUDGET - first_order);
    assert!(pairs.iter().all(|id| id.number() >= first_order));
    let screen = picture_at(&mut state, 160, 50);
    let title = format!("{} second-order · {first_order} · score", BUDGET - first_order);
    assert!(screen.contains(&title), "{title}\n{screen}");
    // The list is visible on small screens, too.
    let screen = picture_at(&mut state, 80, 24);
    assert!(screen.contains("listed: second…"), "{screen}");
    // After them all first-order mutants again, and back.
    type_keys(&mut state, "f");
    assert_eq!(state.mutants.filter, MutantFilter::Singles);
    type_keys(&mut state, "F");
    assert_eq!(state.mutants.filter, MutantFilter::Pairs);
}

#[test]
fn second_order_mutant_row_shows_both_changes() {
    let mut state = judged(&sample("gcd.myr"));
    type_keys(&mut state, "<alt-7>F");
    for (width, height) in [(80, 24), (120, 40), (160, 50)] {
        let screen = picture_at(&mut state, width, height);
        let area = state.layout().content(Panel::MUTANTS).expect("the panel shows");
        for (y, line) in screen.lines().enumerate().skip(area.y.into()).take(area.height.into()) {
            let row: String = line.chars().skip(area.x.into()).take(area.width.into()).collect();
            let (first, second) = row.split_once(" & ").unwrap_or_else(|| panic!("line {y} has one\n{screen}"));
            let whole = |change: &str| change.contains(':') && change.contains(" → ");
            assert!(whole(first) && whole(second), "line {y} at {width}×{height}\n{screen}");
        }
    }
}

#[test]
fn second_order_mutants_are_absent_without_room() {
    let mut state = state(&format!("‸{}", sample("gcd.myr")));
    answer(&mut state);
    type_keys(&mut state, "<alt-7>F");
    assert_eq!(state.mutants.filter, MutantFilter::Pairs);
    let screen = picture_at(&mut state, 160, 50);
    assert!(screen.contains("no second-order mutants: they are judged"), "{screen}");
    // They are not in the figures either.
    let figures = screen.lines().filter(|line| line.contains("Mutants ") || line.contains(" mutants, "));
    assert!(
        figures.clone().count() == 2 && figures.clone().all(|line| !line.contains("0 second-order")),
        "{screen}"
    );
}

#[test]
fn program_without_survivors_has_no_cross() {
    let mut perfect = judged("fn f() -> int {\n    return 7;\n}\n\ntest f() == 7;\n");
    assert_eq!(perfect.results.mutants.tally.score(), Share::new(1, 1));
    for (width, gauge) in [(130, "score 100.0 %  ✓ 0 survived"), (40, "✓ 1 passes  100.0 %  ✓ 0")] {
        let screen = picture_at(&mut perfect, width, 24);
        assert!(screen.contains(gauge) && !screen.contains('✗'), "{screen}");
    }
    // If the tests check nothing, all counted mutants survive.
    let mut nothing = judged("fn f() -> int {\n    return 7;\n}\n\ntest true;\n");
    let survived = nothing.results.mutants.tally.first_order.survived;
    let screen = picture_at(&mut nothing, 160, 24);
    assert!(survived > 0 && screen.contains(&format!("score 0.0 %  ✗ {survived} survived")), "{screen}");
}

#[test]
fn gutter_digits_are_dimmed_while_verdicts_are_old() {
    let mut state = judged(&sample("gcd.myr"));
    let line = *state.results.mutants.survivors.keys().next().expect("a survivor");
    // Returns the text of its row from the digit on.
    let digit = |state: &State| {
        let row = picture(state).lines().nth(line + 1).expect("a line").to_string();
        let behind = row.trim_start().strip_prefix(&(line + 1).to_string()).expect("the line's number");
        behind.trim_start().chars().take(16).collect::<String>()
    };
    let found = digit(&state);
    assert!(found.starts_with(|c: char| c == '+' || c.is_ascii_digit()), "{found}");
    let fresh = colour(&state, &found);
    type_keys(&mut state, "<ctrl-end>{<ctrl-home>");
    answer_base(&mut state);
    assert!(state.results.has_old_verdicts());
    assert_eq!(digit(&state), found);
    let stale = colour(&state, &found);
    assert_eq!(Some(stale), Theme::new(Depth::True).stale().fg);
    assert_ne!(fresh, stale);
}

/// Returns the id of the chosen mutant, its place counted from the end of the text, and its change.
fn chosen(state: &State) -> (MutantId, usize, String, String) {
    let (id, _) = state.chosen_mutant().expect("a mutant");
    let shown = state.shown().expect("an answer");
    let edit = shown.mutant(id).and_then(|mutant| mutant.edits.into_iter().next()).expect("an edit");
    (id, shown.compiled.text.len() - edit.lo as usize, edit.original, edit.replacement)
}

#[test]
fn chosen_mutant_stays_chosen_when_the_program_changes() {
    let mut state = judged(&sample("gcd.myr"));
    type_keys(&mut state, "<alt-7><down><down><down>");
    let before = chosen(&state);
    type_keys(&mut state, "<alt-1><enter><up>fn more(n: int) -> int { return n + 1");
    answer(&mut state);
    type_keys(&mut state, ";");
    answer(&mut state);
    let after = chosen(&state);
    assert!(before.0 < after.0, "{before:?} {after:?}");
    assert_eq!((before.1, before.2, before.3), (after.1, after.2, after.3));
    // If its code is gone, the first one is chosen.
    type_keys(&mut state, "<ctrl-a><backspace>fn f(n: int) -> int {return n + 1;} test f(1) == 2;");
    answer(&mut state);
    assert_eq!(state.list(Panel::MUTANTS).selected, 0);
}

/// The score that counted last stays on screen, also when the proofs about a text with an unfinished test arrive.
#[test]
fn last_score_stays_while_a_test_is_unfinished() {
    let mut state = state(&sample("gcd.myr").replacen("while b != 0 {", "while b != 0 {‸", 1));
    let judge = |state: &mut State| {
        answer_with(state, |first_order, _| first_order);
        prove(state);
    };
    judge(&mut state);
    let before = state.results.scores();
    assert!(state.results.score_counts() && before.0.is_some());
    type_keys(&mut state, "<backspace>");
    judge(&mut state);
    assert!(!state.results.score_counts());
    assert_ne!(state.results.mutants.tally.first_order.survived, before.1, "others survive now");
    assert_eq!(state.results.scores(), before);
    type_keys(&mut state, "{");
    judge(&mut state);
    assert!(state.results.score_counts());
    assert_eq!(state.results.scores(), before);
}
