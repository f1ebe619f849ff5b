//! The chosen mutant's own tokens, tree and code in the panels.

use myriad::lang::index::Index;
use myriad::workbench::event::Event;
use myriad::workbench::panels::{self, Panel, text_lines};
use myriad::workbench::state::State;

use super::engine::{answer, answered};
use super::harness::{picture, picture_at, type_keys, words};

const PROGRAM: &str = "\
fn larger(a: int, b: int) -> int {
    if a < b { return b; }
    return a;‸
}
test larger(2, 5) == 5;
test larger(5, 2) == 5;
";

const CODE: [Panel; 4] = [Panel::TOKENS, Panel::AST, Panel::IR, Panel::BYTECODE];

/// Chooses the first mutant whose row contains a text.
fn choose(state: &mut State, text: &str) {
    type_keys(state, "<alt-7><home>");
    let row = text_lines(state, Panel::MUTANTS).iter().position(|line| line.contains(text));
    let row = row.unwrap_or_else(|| panic!("no mutant {text} in {:?}", text_lines(state, Panel::MUTANTS)));
    type_keys(state, &"<down>".repeat(row));
}

fn pages(state: &State) -> [Vec<String>; 4] {
    CODE.map(|panel| text_lines(state, panel))
}

#[test]
fn panels_show_the_chosen_mutants_own_code_on_request() {
    let mut state = answered(PROGRAM);
    state.apply(Event::Resize(160, 50));
    let program = pages(&state);
    choose(&mut state, "a → -a");
    assert_eq!(pages(&state), program, "nothing changes without the key");
    type_keys(&mut state, "v");
    assert!(picture(&state).contains("v shows the program's again"), "{}", picture(&state));
    let [tokens, tree, ir, bytecode] = pages(&state);
    assert_eq!(tokens.len(), program[0].len() + 1, "the mutant has one token more: {tokens:?}");
    assert!(tree.iter().any(|row| row.contains("Unary -")), "{tree:?}");
    for (own, base) in [(&ir, &program[2]), (&bytecode, &program[3])] {
        let negates = |rows: &[String]| rows.iter().filter(|row| row.contains("UNARY_NEG")).count();
        assert_eq!((negates(own), negates(base)), (1, 0), "{own:?}");
    }
    type_keys(&mut state, "<alt-5>");
    let (id, _) = state.chosen_mutant().expect("a mutant");
    assert!(words(&picture(&state)).contains(&format!("Bytecode Ladder of #{id}")), "{}", picture(&state));
    // Another choice shows that mutant.
    choose(&mut state, "a < b → ");
    let (other, _) = state.chosen_mutant().expect("a mutant");
    assert!(other != id && state.own_title(Panel::AST).ends_with(&format!("#{other}")));
    // The key shows the program again.
    type_keys(&mut state, "v");
    assert_eq!(pages(&state), program);
}

/// Every row of a mutant's code has a place in the program, and the element under the cursor has a row.
#[test]
fn rows_of_a_mutants_code_link_to_the_program() {
    let mut state = answered(PROGRAM);
    state.apply(Event::Resize(160, 50));
    choose(&mut state, "a → -a");
    type_keys(&mut state, "v");
    for panel in CODE {
        for row in 0..panels::count(&state, panel) {
            let token = panels::token(&state, panel, row).unwrap_or_else(|| panic!("{panel:?}, row {row}"));
            assert!(token.position() < state.shown().expect("a program").compiled.view().len() as usize);
        }
        // The name of the last test is after the change.
        type_keys(&mut state, "<alt-1><ctrl-end><up><home><right><right><right><right><right>");
        let link = state.link().expect("an element");
        let row = panels::row_of(&state, panel, link).unwrap_or_else(|| panic!("{panel:?} has no row of it"));
        let text = text_lines(&state, panel)[row].clone();
        assert!(text.contains("larger") || text.contains("Call"), "{panel:?}: {text}");
    }
}

#[test]
fn edit_shows_the_programs_code_again() {
    let mut state = answered(PROGRAM);
    choose(&mut state, "a → -a");
    type_keys(&mut state, "v<alt-1> ");
    answer(&mut state);
    assert_eq!(state.own_title(Panel::TOKENS), "");
    assert!(!state.mutants.wants_own);
    // While predicting, the list has no verdicts, and the panels show the program.
    choose(&mut state, "a → -a");
    type_keys(&mut state, "v<alt-g>");
    assert_eq!(state.own_title(Panel::TOKENS), "");
}

#[test]
fn mutant_that_does_not_compile_has_tokens_and_no_code() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<alt-7>");
    let invalid = (0..12).any(|_| {
        type_keys(&mut state, "f");
        picture_at(&mut state, 160, 50).contains("listed: invalid") && state.chosen_mutant().is_some()
    });
    assert!(invalid, "a mutant does not compile");
    type_keys(&mut state, "v<alt-5>");
    let screen = picture_at(&mut state, 160, 50);
    assert!(screen.contains("the mutant does not compile"), "{screen}");
    assert!(panels::count(&state, Panel::TOKENS) > 10);
}
