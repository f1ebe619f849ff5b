//! Mutant: why the chosen one survives, and the test that would notice it, added by a key.

use std::sync::Arc;
use std::time::Duration;

use myriad::compiler::variants::Variants;
use myriad::lang::index::{Index, Indices};
use myriad::lang::verdict::{MutantStatus, Verdict};
use myriad::session::{Proof, Proofs, Proved, Survivors, Update};
use myriad::testing::equivalence::Equality;
use myriad::testing::mutation::Examiner;
use myriad::testing::prove::{self, Finding as ProverFinding, ProofEffort};
use myriad::workbench::event::{Event, Fading};
use myriad::workbench::panels::Panel;
use myriad::workbench::state::{MutantFilter, State};

use super::engine::{answer, answered, found};
use super::harness::{picture, picture_at, type_keys, words};
use crate::common::repository::repository;

/// Sends the findings on the mutants of the text on screen: the reasons, and with `asked` also the tests.
pub(super) fn examine(state: &mut State, asked: bool) {
    let shown = state.shown().expect("an answer");
    let mut examiner = Examiner::new(shown.compiled.clone(), &shown.entries);
    let mut survivors = Survivors::default();
    for (id, verdict) in
        Indices::first(examiner.first_order()).iter().zip(state.results.mutants.verdicts.clone())
    {
        if verdict.status == MutantStatus::Survived {
            survivors.why.extend(examiner.why(id, &|| false).map(|why| (id, Arc::new(why))));
            let answer = if asked { examiner.question(id, &|| false) } else { None };
            survivors.answers.extend(answer.map(|answer| (id, Arc::new(answer))));
        } else if examiner.never_ends(id, &verdict, &|| false) == Some(true) {
            survivors.never_end.insert(id);
        }
    }
    found(state, None, survivors);
}

/// Returns the words of the focused panel, zoomed.
fn alone(state: &mut State) -> String {
    type_keys(state, "<f7>");
    let said = words(&picture_at(state, 120, 40));
    type_keys(state, "<f7>");
    said
}

const WEAK: &str = "\
‸fn step(n: int) -> int {
    if n > 3 { return n * 2; }
    return n;
}
fn upto(n: int) -> int {
    let i = 0;
    while i < n {
        i += step(1);
    }
    return i;
}
test step(1) == 1;
prop n in 0..5 => upto(n) == n;
";

#[test]
fn test_wanted_during_the_search_is_added_when_it_is_found() {
    let mut state = answered(WEAK);
    type_keys(&mut state, "<alt-7>ft");
    assert!(picture(&state).contains("the test is added as soon as it is found"), "{}", picture(&state));
    examine(&mut state, false);
    let before = state.document.buffer.text().to_string();
    examine(&mut state, true);
    let text = state.document.buffer.text().to_string();
    assert!(text.starts_with(&before) && text.len() > before.len(), "{text}");
    assert!(picture(&state).contains("make sure that it is right"), "{}", picture(&state));
    // An edit cancels the wish.
    let mut state = answered(WEAK);
    type_keys(&mut state, "<alt-7>ft<esc> ");
    examine(&mut state, true);
    assert_eq!(state.document.buffer.text().len(), before.len() + 1);
}

#[test]
fn survivor_is_explained_and_a_key_adds_its_test() {
    let mut state = answered(WEAK);
    // Into the Mutants panel, with survivors only.
    type_keys(&mut state, "<alt-7>f");
    examine(&mut state, false);
    let drawing = picture_at(&mut state, 160, 50);
    assert!(drawing.contains("always the same value, 11 times"), "{drawing}");
    examine(&mut state, true);
    insta::assert_snapshot!("mutants_explained_120x40", picture_at(&mut state, 120, 40));
    type_keys(&mut state, "<alt-y>");
    for (width, height) in [(80, 24), (160, 50)] {
        let drawing = picture_at(&mut state, width, height);
        insta::assert_snapshot!(format!("mutant_{width}x{height}"), drawing);
    }
    let drawing = alone(&mut state);
    assert!(drawing.contains("t adds this test, if it is right"), "{drawing}");
    // Deleted source is not in the code.
    for gone in ["bytecode", "- ", "BINARY_MUL"] {
        assert!(drawing.contains(gone), "{drawing}");
    }
    let before = state.document.buffer.text().lines().count();
    type_keys(&mut state, "t");
    assert_eq!(state.document.buffer.text().lines().count(), before + 1);
    assert!(state.document.buffer.text().lines().last().unwrap().starts_with("test step("));
    assert!(picture(&state).contains("make sure that it is right"), "{}", picture(&state));
    // Until the text is judged, no test is offered.
    type_keys(&mut state, "t");
    assert!(picture(&state).contains("not judged yet"), "{}", picture(&state));
    // An undo removes it.
    type_keys(&mut state, "<ctrl-u>");
    assert_eq!(state.document.buffer.text().lines().count(), before);
}

#[test]
fn mutants_that_do_not_survive_are_explained() {
    let mut state = answered(WEAK);
    examine(&mut state, true);
    type_keys(&mut state, "<alt-7>");
    let mut said = String::new();
    for _ in 0..state.listed_mutants().len() {
        type_keys(&mut state, "<alt-y>");
        said.push_str(&alone(&mut state));
        type_keys(&mut state, "<alt-7><down>");
    }
    for wanted in [
        "noticed by upto(n) == n",
        "never ends",
        "it returns to an earlier state, so it would run forever",
        "value differed",
        "made the result the same",
    ] {
        assert!(said.contains(wanted), "{wanted} is never said");
    }
    // No test is offered for a mutant that does not survive.
    let killed = state
        .listed_mutants()
        .iter()
        .position(|id| state.results.mutants.verdicts[id.position()].status == MutantStatus::Killed);
    type_keys(&mut state, "<home>");
    for _ in 0..killed.expect("one is killed") {
        type_keys(&mut state, "<down>");
    }
    type_keys(&mut state, "t");
    assert!(picture(&state).contains("this mutant does not survive"), "{}", picture(&state));
}

#[test]
fn next_survivor_is_chosen_after_its_test_was_added() {
    let mut state = answered(WEAK);
    type_keys(&mut state, "<alt-7><down>");
    examine(&mut state, true);
    while state.offered_test().is_err() || state.list(Panel::MUTANTS).selected == 0 {
        type_keys(&mut state, "<down>");
    }
    type_keys(&mut state, "t");
    answer(&mut state);
    let chosen = state.chosen_mutant().map(|(_, verdict)| verdict.status);
    assert_eq!(chosen, Some(MutantStatus::Survived), "{}", picture(&state));
}

/// Pressing one key repeatedly turns a file with weak tests into one that notices everything that can be
/// noticed.
#[test]
fn offered_tests_leave_at_most_three_survivors() {
    let weak = std::fs::read_to_string(repository().join("samples/weak.myr")).unwrap();
    let mut state = answered(&format!("‸{weak}"));
    type_keys(&mut state, "<alt-7>f");
    let mut added = 0;
    loop {
        examine(&mut state, true);
        type_keys(&mut state, "<home>");
        let survivors = state.listed_mutants().len();
        let offered = (0..survivors).any(|_| {
            let found = state.offered_test().is_ok();
            if !found {
                type_keys(&mut state, "<down>");
            }
            found
        });
        if !offered {
            break;
        }
        type_keys(&mut state, "t");
        added += 1;
        assert!(added < 60, "{}", state.document.buffer.text());
        answer(&mut state);
        assert!(state.listed_mutants().len() < survivors, "{}", state.document.buffer.text());
    }
    let left: Vec<String> =
        state.listed_mutants().iter().map(|id| format!("{:?}", state.shown().unwrap().mutant(id))).collect();
    assert!(left.len() <= 3, "after {added} tests {} are left: {}", left.len(), left.join("\n"));
}

/// Sends the prover's answers about all survivors, as the session does.
pub(super) fn prove(state: &mut State) {
    let shown = state.shown().expect("an answer").clone();
    let variants = Variants::new(shown.compiled.clone());
    let mut all = state.results.mutants.verdicts.clone();
    let (mut proved, mut proofs) = (Proved::default(), Proofs::default());
    for (id, verdict) in Indices::first(variants.first_order()).iter().zip(&mut all) {
        if verdict.status != MutantStatus::Survived {
            continue;
        }
        let examined = prove::examine(&variants, id, &ProofEffort::IDLE, &|| false).expect("an answer");
        let open = examined.finding.open(&shown.compiled, &variants, id);
        if let ProverFinding::Equal(reason) = examined.finding {
            let now = Verdict { status: MutantStatus::Equivalent, ..*verdict };
            proved.verdicts.push((id, now));
            proved.equal.insert(id, Equality::Base(reason));
            proved.by_prover.insert(id);
        }
        proofs.found.insert(id, Arc::new(Proof { open, steps: examined.steps }));
    }
    let revision = shown.revision;
    let update = Update::Proved { revision, proved: Arc::new(proved) };
    state.apply(Event::Engine { update: update.into(), since: Duration::ZERO });
    found(state, None, proofs);
}

const LARGEST: &str = "\
‸fn largest(xs: [int; 8]) -> int {
    let m = 0;
    for x in xs {
        if x > m { m = x; }
    }
    return m;
}
test largest([3, 9, 4]) == 9;
test largest([]) == 0;
";

#[test]
fn proof_of_a_survivor_is_shown_step_by_step() {
    let mut state = answered(LARGEST);
    let before = state.results.mutants.tally.score().expect("a score");
    type_keys(&mut state, "<alt-7>p");
    assert!(picture(&state).contains("the prover has not examined it yet"), "{}", picture(&state));
    prove(&mut state);
    // The score is that of `myriad mutate --prove`.
    let proved = state.results.mutants.tally.score().expect("a score");
    let said = format!("score {proved}, ");
    let screen = picture_at(&mut state, 200, 60);
    assert!(screen.contains(&said) && screen.contains("proved equivalent"), "{said}\n{screen}");
    assert_eq!(state.results.mutants.score_texts().expect("a score")[1], proved.to_string());
    // A proved survivor leaves the score.
    let after = state.results.mutants.tally.score().expect("a score");
    assert!(after.to_string() != before.to_string(), "{before} {after}");
    type_keys(&mut state, "<home>");
    state.mutants.filter = MutantFilter::Status(MutantStatus::Equivalent);
    let row = state.listed_mutants().iter().position(|id| {
        let equality = state.results.mutants.proved.equal.get(&id);
        equality.is_some_and(|equality| equality.text().contains("symbolic"))
    });
    type_keys(&mut state, &"<down>".repeat(row.expect("a symbolic proof")));
    type_keys(&mut state, "p");
    for (width, height) in [(80, 24), (160, 50)] {
        insta::assert_snapshot!(format!("proof_{width}x{height}"), picture_at(&mut state, width, height));
    }
    let said = words(&picture(&state));
    for wanted in [
        "Region: from the loop `for x in xs`",
        "assumed equal",
        "m becomes if",
        "returns m",
        "Verdict: no test",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    // At the smallest size the end is reached by scrolling.
    picture_at(&mut state, 80, 10);
    type_keys(&mut state, "<end>");
    assert!(picture(&state).contains("Verdict:"), "{}", picture(&state));
    type_keys(&mut state, "<esc>");
    assert!(!picture(&state).contains("Verdict:"));
}

#[test]
fn prover_offers_a_test_or_says_what_was_tried() {
    let mut state = answered(WEAK);
    type_keys(&mut state, "<alt-7>f");
    prove(&mut state);
    let mut killable = 0;
    for _ in 0..state.listed_mutants().len() {
        let said = words(&picture_at(&mut state, 160, 50));
        killable += usize::from(said.contains("add test "));
        type_keys(&mut state, "<alt-y>");
        let alone = alone(&mut state);
        assert!(alone.contains("prover: killable") || alone.contains("prover: unknown"), "{alone}");
        type_keys(&mut state, "<alt-7><down>");
    }
    assert!(killable > 0, "no row shows its test");
    type_keys(&mut state, "<home>t");
    let text = state.document.buffer.text().to_string();
    assert!(text.trim_end().lines().last().unwrap().starts_with("test "), "{text}");
}

#[test]
fn suggested_tests_are_kept_dropped_or_corrected_before_they_are_added() {
    let mut state = answered(WEAK);
    type_keys(&mut state, "<alt-7>fT");
    assert!(picture(&state).contains("no test is found yet"), "{}", picture(&state));
    examine(&mut state, true);
    let before = state.document.buffer.text().to_string();
    let count = state.suggestions().len();
    assert!(count >= 2, "{:?}", state.suggestions());
    type_keys(&mut state, "T");
    for (width, height) in [(80, 24), (160, 50)] {
        insta::assert_snapshot!(format!("suggested_{width}x{height}"), picture_at(&mut state, width, height));
    }
    // The first one is corrected, the second one dropped, the others are not confirmed.
    let first = state.suggestions()[0].clone();
    type_keys(&mut state, "<enter><ctrl-u>7<enter> a");
    let added = state.document.buffer.text()[before.len()..].to_string();
    let lines: Vec<&str> = added.lines().collect();
    assert_eq!(lines.len(), count - 1, "{added}");
    assert_eq!(lines[0], format!("test {} == 7;", first.call));
    assert!(lines[1..].iter().all(|line| line.ends_with("; // unconfirmed")), "{added}");
    assert!(words(&picture(&state)).contains("ctrl-u takes this back"), "{}", picture(&state));
    // They are one undo step.
    type_keys(&mut state, "<ctrl-u>");
    assert_eq!(**state.document.buffer.text(), *before);
}

/// The listed survivors of a text: each with its line, change and note, without its number.
fn listed(state: &State) -> Vec<String> {
    let row = |line: &str| {
        line.split_once(" survived ").map(|(_, row)| row.split("  #").next().unwrap_or("").to_string())
    };
    let all: Vec<String> = picture(state).lines().filter_map(row).collect();
    assert!(!all.is_empty(), "{}", picture(state));
    all
}

#[test]
fn survivors_keep_their_order_and_notes_while_another_line_is_typed() {
    let text = WEAK.replace("    let i = 0;", "    let i = 0;‸").replacen('‸', "", 1);
    let mut state = answered(&text);
    state.apply(Event::Resize(160, 50));
    examine(&mut state, true);
    type_keys(&mut state, "<alt-7><down><down><alt-1>");
    let (before, chosen) =
        (listed(&state), state.chosen_mutant().map(|(id, _)| state.shown().unwrap().mutant(id).unwrap()));
    assert!(before.iter().any(|row| row.contains("add test")), "{before:?}");
    // Without its `;` the line keeps its meaning; a statement before it changes the numbers of the mutants.
    for key in ["<backspace>", ";", "<enter>", "l", "e", "t"] {
        type_keys(&mut state, key);
        answer(&mut state);
        let of_others = |rows: &[String]| -> Vec<String> {
            // The function that is typed has rows of its own.
            rows.iter()
                .map(|row| {
                    row.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':' || c == ' ').to_string()
                })
                .collect()
        };
        let (own, kept) = (of_others(&before), of_others(&listed(&state)));
        let rest: Vec<&String> = own.iter().filter(|row| kept.contains(row)).collect();
        let still: Vec<&String> = kept.iter().filter(|row| own.contains(row)).collect();
        assert!(rest.len() >= 3 && rest == still, "{key}\n{}", picture(&state));
        let now = state.chosen_mutant().map(|(id, _)| state.shown().unwrap().mutant(id).unwrap());
        let change = |mutant: &Option<_>| {
            mutant.as_ref().map(|mutant: &myriad::workbench::facts::FactMutant| {
                (mutant.operator.clone(), mutant.edits[0].replacement.clone())
            })
        };
        assert_eq!(change(&now), change(&chosen), "{key}\n{}", picture(&state));
        // The panel says that its reasons are of the text before, if they are not soon found again.
        let (since, _) = state.engine.awaited[&Panel::MUTANTS];
        state.apply(Event::Fade(Fading::Wait(Panel::MUTANTS, since)));
        let row = picture(&state)
            .lines()
            .find(|line| line.contains("Mutants  Latency"))
            .unwrap_or_default()
            .to_string();
        assert!(row.trim_end().ends_with('…'), "{key}: {row}");
    }
    examine(&mut state, true);
}

/// What the program returns in a function that a failing test reaches may be the fault itself.
#[test]
fn no_test_is_offered_where_a_test_fails() {
    let text = "fn more(n: int) -> int {\n    return n + 2;‸\n}\nfn less(n: int) -> int {\n    if n > 5 { return n - 1; }\n    return n;\n}\n\n\
                test more(1) == 2;\ntest more(2) == 4;\ntest less(2) == 2;\n";
    let mut state = answered(text);
    examine(&mut state, true);
    state.apply(Event::Resize(160, 50));
    type_keys(&mut state, "<alt-7>");
    let (mut offered, mut refused) = (0, 0);
    for _ in 0..state.listed_mutants().len() {
        if let Some((id, verdict)) = state.chosen_mutant()
            && verdict.status == MutantStatus::Survived
        {
            let fails = state.results.judged.as_ref().is_some_and(|shown| shown.fails_in(id));
            let said = state.offered_test().map(str::to_string);
            match said {
                Ok(test) => {
                    offered += 1;
                    assert!(!fails && test.contains("less("), "{test}");
                }
                Err(why) if fails => {
                    refused += 1;
                    assert!(why.contains("repair it first"), "{why}");
                    assert!(picture(&state).contains("repair the failing tests first"), "{}", picture(&state));
                }
                Err(_) => {}
            }
        }
        type_keys(&mut state, "<down>");
    }
    assert!(offered > 0 && refused > 0, "{offered} offered, {refused} refused");
}
