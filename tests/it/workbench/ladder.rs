//! Ladder: one line through all phases.

use std::sync::Arc;

use myriad::compiler::stage::passes::{agree, forms, run};
use myriad::lang::index::{EntryId, Index, TokenId};
use myriad::lang::level::OptLevel;
use myriad::session::{BlockProfile, Graph, PassPoint, PassProfile};
use myriad::workbench::event::{Event, Mouse};
use myriad::workbench::ladder::LadderRow;
use myriad::workbench::panels::Panel;
use myriad::workbench::state::State;

use super::engine::{answer, answered, answered_at, found};
use super::harness::{picture, picture_at, type_keys, words};

const PROGRAM: &str = "\
fn f(a: int) -> int {
    return a * (2 + 3) +‸ 0;
}
fn g(n: int) -> int {
    let x = n;
    while true { if x > 9 { return x; } x += 1 + 1; }
}
test f(2) == 10;
test g(3) == 11;
";

/// Returns the job's result.
fn climbed(state: &State) -> PassProfile {
    let compiled: Arc<_> = state.shown().expect("an answer").compiled.clone();
    let mut rungs: Vec<PassPoint> = Vec::new();
    let mut before: Option<Vec<_>> = None;
    for form in forms(&compiled) {
        let tallies = run(&compiled, &form, &|| false).expect("it is not cancelled");
        assert!(before.iter().flatten().zip(&tallies).all(|(old, new)| agree(old, new)));
        let steps = tallies.iter().map(|tally| tally.steps).collect();
        rungs.push(PassPoint { instructions: form.instructions(), name: form.name, steps, different: vec![] });
        before = Some(tallies);
    }
    PassProfile { rungs }
}

/// Sends it to the state.
pub(super) fn climb(state: &mut State) {
    let what = climbed(state);
    found(state, None, what);
}

fn ladder() -> State {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<alt-k>");
    climb(&mut state);
    state
}

/// Zooms the panel at a screen size.
fn alone(width: u16, height: u16) -> State {
    let mut state = ladder();
    state.apply(Event::Resize(width, height));
    type_keys(&mut state, "<f7>");
    state
}

#[test]
fn ladder_shows_the_line_in_each_phase() {
    let mut state = ladder();
    for (width, height) in [(80, 24), (160, 50)] {
        let drawing = picture_at(&mut state, width, height);
        insta::assert_snapshot!(format!("ladder_{width}x{height}"), drawing);
    }
}

#[test]
fn zoomed_ladder_shows_phases_side_by_side() {
    for (width, height) in [(80, 24), (160, 50)] {
        let mut state = alone(width, height);
        insta::assert_snapshot!(format!("ladder_alone_{width}x{height}"), picture(&state));
        // From the tokens to the code after a pass, at the chosen token.
        type_keys(&mut state, "<home><down><down><down><down><right><right><right>");
        insta::assert_snapshot!(format!("ladder_alone_pass_{width}x{height}"), picture(&state));
    }
}

/// In a line of many tokens the column headers stay visible while scrolling.
#[test]
fn column_headers_stay_visible() {
    let sum = (1..=40).map(|n| format!("n * {n}")).collect::<Vec<_>>().join(" + ");
    let mut state = answered(&format!("fn f(n: int) -> int {{\n    return {sum}‸;\n}}\ntest f(1) == 820;\n"));
    type_keys(&mut state, "<alt-k>");
    climb(&mut state);
    state.apply(Event::Resize(120, 40));
    type_keys(&mut state, "<f7>");
    for (name, keys) in
        [("top", "<home><down><down>"), ("below", "<home><pagedown><pagedown>"), ("end", "<end>")]
    {
        type_keys(&mut state, keys);
        let drawing = picture(&state);
        assert!(drawing.contains("IR as lowered") && drawing.contains("← → phase"), "{drawing}");
        assert_eq!(drawing.matches('▶').count(), 1, "the chosen row is in sight:\n{drawing}");
        insta::assert_snapshot!(format!("ladder_long_{name}"), drawing);
    }
    // A click chooses the cell drawn there.
    type_keys(&mut state, "<home><pagedown><pagedown>");
    let screen = picture(&state);
    let (y, line) =
        screen.lines().enumerate().skip(12).find(|(_, line)| line.contains("Binary *")).expect("a node");
    let x = line.find("Binary").map_or(0, |at| line[..at].chars().count()) as u16;
    state.apply(Event::Mouse { what: Mouse::Click(1), column: x, row: y as u16, shift: false });
    let now = picture(&state);
    let chosen = now.lines().nth(y).expect("the line");
    assert!(chosen.contains('▶'), "{now}");
    // At any height, more than the headers is visible.
    for height in 5..40 {
        state.apply(Event::Resize(120, height));
        assert_eq!(picture(&state).matches('▶').count(), 1, "{height}:\n{}", picture(&state));
    }
}

#[test]
fn cursor_is_shared_by_all_phases() {
    let mut state = alone(160, 50);
    let token = |state: &State| state.link().map(|link| link.token);
    let row = |state: &State| state.list(Panel::LADDER).selected;
    let choose = |state: &mut State, wanted: TokenId| {
        let rows = 0..state.ladder.count();
        let found = { rows }.find(|row| state.ladder.token(*row) == Some(wanted)).expect("a row of the token");
        state.screen.lists[Panel::LADDER.index()].selected = found;
        type_keys(state, "<down><up>");
    };
    let shown = state.shown().expect("an answer").clone();
    let sum = shown.token_at(PROGRAM.find("+ 3").expect("a sum")).expect("a token");
    type_keys(&mut state, "<left><left><left>");
    assert_eq!(state.ladder.column, 0);
    choose(&mut state, sum);
    // Each phase has an element of that token, until it is folded, and it is marked wherever it is visible.
    // Passes that do not change the line are skipped.
    let last = state.ladder.columns.as_ref().expect("columns").all.len() - 1;
    let mut titles = vec![];
    while state.ladder.column < last {
        let before = state.ladder.column;
        type_keys(&mut state, "<right>");
        assert!(state.ladder.column > before, "it ends at {before}");
        titles.push(state.ladder.columns.as_ref().expect("columns").all[state.ladder.column].title.clone());
        let drawing = picture(&state);
        assert_eq!(token(&state), Some(sum), "{titles:?}");
        assert_eq!(drawing.matches('▶').count(), 1, "{titles:?}\n{drawing}");
        assert!(drawing.matches('›').count() > 1, "{titles:?}\n{drawing}");
    }
    assert_eq!(titles, ["tree", "IR as lowered", "after 1 fold", "after 5 compact", "bytecode"]);
    type_keys(&mut state, "<right><enter>");
    assert_eq!((state.ladder.column, state.screen.focus), (last, Panel::EDITOR));
    assert_eq!(
        state.document.buffer.byte_of(state.document.buffer.head()),
        shown.span(sum).expect("a span").start
    );
    // A test has the same token in every column.
    type_keys(&mut state, "<alt-k><end>");
    assert_eq!(token(&state), shown.compiled.entry(EntryId::new(1)).map(|entry| entry.head()));
    assert!(row(&state) > 10);
}

#[test]
fn a_click_chooses_a_cell_of_a_phase() {
    let mut state = alone(160, 50);
    let screen = picture(&state);
    let (y, line) = screen.lines().enumerate().find(|(_, line)| line.contains("Group (")).expect("a node");
    let x = line.chars().take_while(|c| *c != 'G').count() as u16;
    state.apply(Event::Mouse { what: Mouse::Click(1), column: x, row: y as u16, shift: false });
    assert_eq!(state.ladder.column, 1);
    let group = PROGRAM.find("(2").expect("a bracket");
    let shown = state.shown().expect("an answer");
    assert_eq!(state.link().map(|link| link.token), shown.token_at(group));
}

#[test]
fn columns_require_a_wide_panel() {
    let mut state = alone(120, 40);
    assert!(state.ladder.columns.is_some() && state.ladder.rows.is_empty());
    type_keys(&mut state, "<f7>");
    assert!(state.ladder.columns.is_none() && !state.ladder.rows.is_empty());
    let said = picture(&state);
    type_keys(&mut state, "<right>");
    assert_ne!(picture(&state), said, "it says how to make room");
    assert!(words(&picture(&state)).contains("side by side"), "{}", picture(&state));
    // At every width something is visible, and nothing exceeds the edge.
    for width in 20..200 {
        state.screen.zoomed = true;
        let drawing = picture_at(&mut state, width, 30);
        assert!(drawing.lines().all(|line| line.chars().count() <= usize::from(width)));
        assert_eq!(state.ladder.columns.is_some(), usize::from(width) >= 78, "{width}");
    }
}

/// The blocks of the line, with their facts.
#[test]
fn last_phase_is_the_flow_of_the_line() {
    let text = "fn f(n: int) -> int {\n    let s = 0;\n    while ‸s < n { s += 2; }\n    return s;\n}\ntest f(3) == 4;\n";
    let mut state = answered(text);
    type_keys(&mut state, "<alt-k>");
    climb(&mut state);
    let graph = Graph::of(&state.shown().expect("an answer").compiled);
    found(&mut state, None, BlockProfile { graph: Arc::new(graph), counts: vec![] });
    let said = |state: &State| -> Vec<String> {
        let part = |row: &LadderRow| row.parts.iter().map(|(_, text)| text.as_str()).collect::<String>();
        match &state.ladder.columns {
            Some(columns) => columns.all.last().expect("a column").cells.iter().map(part).collect(),
            None => state.ladder.rows.iter().map(part).collect(),
        }
    };
    picture(&state);
    let rows = said(&state);
    assert!(rows.contains(&"flow · 2 blocks".to_string()), "{rows:?}");
    assert!(rows.contains(&"  b1 head of a loop".to_string()), "{rows:?}");
    state.apply(Event::Resize(160, 50));
    type_keys(&mut state, "<f7>");
    let cells = said(&state);
    assert_eq!(cells[..3], ["b1 head of a loop", "begins with n, s", "leaves n, s"], "{cells:?}");
    assert!(cells.iter().any(|cell| cell.contains("s is even")), "{cells:?}");
    let last = state.ladder.columns.as_ref().expect("columns").all.last().expect("a column");
    assert_eq!((last.title.as_str(), last.more.as_str()), ("flow", " · 2 blocks"));
}

#[test]
fn ladder_follows_the_cursor_and_leads_back() {
    let mut state = ladder();
    assert!(words(&picture(&state)).contains("return a * (2 + 3) + 0;"), "{}", picture(&state));
    // A row of the ladder leads to its token.
    let row =
        state.ladder.rows.iter().position(|row| row.parts.iter().any(|(_, text)| text.contains("BINARY_MUL")));
    state.screen.lists[state.screen.focus.index()].selected = row.expect("the product");
    type_keys(&mut state, "<enter>");
    assert_eq!(
        &state.document.buffer.text().to_string()
            [state.document.buffer.byte_of(state.document.buffer.head())..][..1],
        "*"
    );
    type_keys(&mut state, "<down><down><down><down><home>");
    assert_eq!(state.ladder.key.line, 6);
    assert!(state.ladder.rows.iter().any(|row| row.parts.iter().any(|(_, text)| text.contains("JUMP"))));
    // On an empty line the panel keeps its line.
    type_keys(&mut state, "<ctrl-end>");
    assert_eq!(state.ladder.key.line, 6);
}

#[test]
fn program_with_errors_has_all_phases() {
    let mut state = answered("fn f(a: int) -> int {\n    return a + ‸true;\n}\ntest f(1) == 1;\n");
    type_keys(&mut state, "<alt-k>");
    answer(&mut state);
    let said: Vec<&str> =
        state.ladder.rows.iter().filter_map(|row| Some(row.parts.first()?.1.as_str())).collect();
    assert!(said.contains(&"tree") && said.contains(&"bytecode"), "{said:?}");
    let code: String =
        state.ladder.rows.iter().flat_map(|row| &row.parts).map(|(_, text)| text.as_str()).collect();
    assert!(code.contains("HOLE"), "{code}");
}

/// Inlined code is on the line of its call, not on the lines of its function.
#[test]
fn inlined_code_is_on_the_ladder_of_its_call() {
    let text = "fn cell(row: int) -> int { return row * 8; }\nfn f(n: int) -> int { return ‸cell(n + 1); }\ntest f(1) == 16;\n";
    let mut state = answered_at(text, OptLevel::Whole);
    type_keys(&mut state, "<alt-k><f7>");
    let column = |state: &mut State, title: &str| -> Vec<String> {
        picture_at(state, 200, 50);
        let columns = state.ladder.columns.as_ref().expect("columns");
        let own = columns.all.iter().find(|column| column.title.ends_with(title)).expect("a column");
        let op = |cell: &LadderRow| cell.parts.iter().map(|(_, text)| text.as_str()).collect::<String>();
        own.cells.iter().map(op).collect()
    };
    let inlined = column(&mut state, "inline");
    assert!(inlined.iter().any(|cell| cell.starts_with('-') && cell.contains("CALL")), "{inlined:?}");
    assert!(inlined.iter().any(|cell| cell.starts_with('+') && cell.contains("BINARY_MUL")), "{inlined:?}");
    let code = column(&mut state, "bytecode");
    assert!(code.iter().any(|cell| cell.contains("BINARY_MUL")), "{code:?}");
    type_keys(&mut state, "<f7><alt-1><up><alt-k><f7>");
    let own = column(&mut state, "bytecode");
    assert_eq!(own.iter().filter(|cell| cell.contains("BINARY_MUL")).count(), 1, "{own:?}");
    let titles: Vec<String> =
        state.ladder.columns.as_ref().expect("columns").all.iter().map(|column| column.title.clone()).collect();
    assert!(titles.len() == 5 && titles[3].starts_with("after 1–"), "{titles:?}");
}
