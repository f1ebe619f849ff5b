//! What the screen says while a program is typed: nothing takes a panel away or moves, and unfinished is not wrong.

use myriad::workbench::event::{Event, Fading};
use myriad::workbench::panels::Panel;
use myriad::workbench::state::State;
use myriad::workbench::theme::{Depth, Look, Theme};
use ratatui::layout::Rect;
use ratatui::style::Color;

use super::engine::{answer, answer_with_verdicts, answered, end};
use super::harness::{colour, picture, type_keys};

const PROGRAM: &str = "\
fn twice(n: int) -> int {
    let m = 2 * n;
    return m;‸
}

test twice(4) == 8;
test twice(4) == 9;
test 1 / twice(0) == 1;
";

fn look(look: Look) -> Color {
    Theme::new(Depth::True).style(look).fg.expect("a colour")
}

/// Types keys, each of which is answered.
fn typed(state: &mut State, script: &str) {
    for key in super::harness::keys(script) {
        state.apply(Event::Key(key));
        answer(state);
    }
}

/// Returns the line of the screen that contains a text.
#[track_caller]
fn line(state: &State, text: &str) -> String {
    let screen = picture(state);
    screen.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("no {text}:\n{screen}")).into()
}

/// Returns the editor's part of the screen's lines at 160×50, without blanks at their ends.
fn editor(state: &State) -> Vec<String> {
    let area = state.layout().content(Panel::EDITOR).expect("the editor");
    let cut = |line: &str| line.chars().take(area.width.into()).collect::<String>().trim_end().to_string();
    picture(state).lines().skip(area.y.into()).take(area.height.into()).map(cut).collect()
}

fn sized(text: &str, size: (u16, u16)) -> State {
    let mut state = answered(text);
    state.apply(Event::Resize(size.0, size.1));
    state
}

#[test]
fn no_error_takes_a_panel_away_or_moves_a_tab() {
    for size in [(80, 24), (120, 40), (160, 50)] {
        for key in ["", "<alt-6>", "<alt-7>", "<alt-9>"] {
            let mut state = sized(PROGRAM, size);
            type_keys(&mut state, &format!("{key}<alt-1>"));
            let tabs = |state: &State| -> Vec<(Panel, String)> {
                let rows = picture(state);
                // The mark of errors has the place of a blank.
                let row = |y: u16| rows.lines().nth(y.into()).unwrap_or_default().replace('✗', " ");
                // Figures, and marks of a text without an answer, are at the end of the row.
                let is_name = |word: &str| {
                    let mut rows = Panel::all().map(|panel| panel.row());
                    word.starts_with("new.myr") || rows.any(|row| [row.title, row.short].contains(&word))
                };
                let names = |area: Rect| -> String {
                    let row: String = row(area.y).chars().skip(area.x.into()).take(area.width.into()).collect();
                    let last = row.split(' ').rfind(|word| is_name(word));
                    let end = last.and_then(|word| Some(row.rfind(word)? + word.len()));
                    row[..end.unwrap_or(0)].to_string()
                };
                state.layout().slots.iter().map(|slot| (slot.active, names(slot.tabs))).collect()
            };
            let before = tabs(&state);
            for key in ["<backspace>", "x", "<backspace>", "<enter>", "l", "e", "t", " "] {
                typed(&mut state, key);
                assert_eq!(tabs(&state), before, "{key} at {size:?}\n{}", picture(&state));
            }
        }
    }
    let mut state = answered("fn f( -> int {‸\n");
    assert!(state.layout().slot(Panel::TESTS).is_some(), "{}", picture(&state));
    type_keys(&mut state, "<alt-7>");
    assert!(picture(&state).contains("no test passes, so none can"), "{}", picture(&state));
}

#[test]
fn each_test_has_a_mark_and_a_message_that_yield_to_diagnostics() {
    let mut state = sized(PROGRAM, (160, 50));
    assert!(line(&state, "test twice(4) == 8;").contains("  6✓"), "{}", picture(&state));
    let fails = line(&state, "test twice(4) == 9;");
    assert!(fails.contains("  7✗") && fails.contains("test twice(4) == 9;  ◂ 8, not 9"), "{fails}");
    assert_eq!(colour(&state, "◂ 8, not 9"), look(Look::Bad));
    let traps = line(&state, "test 1 / twice(0) == 1;");
    assert!(traps.contains("  8!") && traps.contains("◂ DivideByZero"), "{traps}");
    // The tests arrive at an error: each says where, and in which call.
    typed(&mut state, "<backspace>x");
    let open = line(&state, "test twice(4) == 9;");
    assert!(open.contains("  7…") && open.contains("◂ unfinished at 3:5 in twice(4)"), "{open}");
    assert_eq!(colour(&state, "◂ unfinished"), look(Look::Dim));
    typed(&mut state, "<ctrl-end>test twice(1) == 2;");
    let new = line(&state, "test twice(1) == 2;");
    assert!(new.contains("  9…") && new.contains("in twice(1)"), "{new}");
    typed(&mut state, "<ctrl-home><down><down><end><backspace><backspace>m;");
    assert!(line(&state, "test twice(1) == 2;").contains("  9✓"), "{}", picture(&state));
    // A diagnostic of the test's own line wins.
    typed(&mut state, "<ctrl-end><up><up><home><ctrl-right> 1 + zwice");
    let own = line(&state, "zwice");
    assert!(!own.contains("not 9") && own.contains("◂ "), "{own}");
    // At the smallest width the message goes, and nothing wraps.
    state.apply(Event::Resize(80, 24));
    assert!(picture(&state).lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn panels_are_of_the_text_on_screen_with_its_errors() {
    for size in [(80, 24), (160, 50)] {
        let mut state = sized(PROGRAM, size);
        type_keys(&mut state, "<alt-2>");
        typed(&mut state, "<alt-1><up><end><enter>let fresh = n + ;");
        let tokens = |state: &State| super::harness::words(&picture(state));
        assert!(tokens(&state).contains("Name 3:9 fresh"), "{}", picture(&state));
        assert!(tokens(&state).contains("Semicolon 3:21 ; …"), "{}", picture(&state));
        typed(&mut state, "<up>");
        assert!(tokens(&state).contains("Semicolon 3:21 ; ✗"), "{}", picture(&state));
        typed(&mut state, "<down>");
        assert!(!line(&state, " Tok").contains(" stale"));
        // The row of the cursor's token is marked, though it is in no whole program.
        typed(&mut state, "<left><left><left>");
        assert!(line(&state, " 3:19 ").contains("·"), "{}", picture(&state));
        type_keys(&mut state, "<alt-3><alt-1>");
        let tree = picture(&state);
        assert!(tree.contains("LetName fresh") && !tokens(&state).contains("AST stale"), "{tree}");
        type_keys(&mut state, "<alt-5><alt-1>");
        let code = picture(&state);
        assert!(code.contains("HOLE") && !code.contains("Bytecode stale"), "{code}");
        assert!(!code.contains("~ │") && !state.stale(), "{code}");
        // So are the tests and their verdicts.
        type_keys(&mut state, "<alt-6><alt-1>");
        assert!(line(&state, "twice(4) == 8  ").contains("… twice(4) == 8"), "{}", picture(&state));
        assert!(state.results.is_judged());
        // A row leads to its place.
        type_keys(&mut state, "<alt-2><home>");
        for _ in 0..80 {
            if line(&state, "▶").contains("3:9 ") {
                break;
            }
            type_keys(&mut state, "<down>");
        }
        type_keys(&mut state, "<enter>");
        assert_eq!(state.document.buffer.place_in_characters(state.document.buffer.head()), (3, 9));
    }
}

#[test]
fn unfinished_is_grey_until_the_cursor_leaves_the_line() {
    let mut state = sized("fn f(n: int) -> int {\n‸\n    return n;\n}\n\ntest f(1) == 1;\n", (160, 50));
    let red = look(Look::Bad);
    typed(&mut state, "    ");
    for key in "let x = n".chars() {
        typed(&mut state, &key.to_string());
        let screen = picture(&state);
        assert!(!screen.contains("error") && !screen.contains("Diag✗"), "{screen}");
        // A statement that lacks only its `;` has its meaning.
        let is_whole = screen.contains("let x = n");
        let mark = if is_whole { "  6✓" } else { "  6…" };
        assert!(line(&state, "test f(1) == 1;").contains(mark), "{screen}");
    }
    assert!(line(&state, "let x = n").contains("  2…"), "{}", picture(&state));
    assert_eq!(colour(&state, "…"), look(Look::Dim));
    let before = editor(&state);
    typed(&mut state, "<down>");
    assert!(line(&state, "let x = n").contains("let x = n  ◂ a `;` is missing here"), "{}", picture(&state));
    assert_eq!(colour(&state, "◂ a `;`"), red);
    assert!(picture(&state).contains("✗ 1 error"), "{}", picture(&state));
    for (before, after) in before.iter().zip(editor(&state)).filter(|(before, _)| !before.contains("let x")) {
        assert_eq!(*before, after, "nothing moves");
    }
    let mut state = sized("‸", (160, 50));
    for key in "fn f(n: int) -> int ".chars() {
        typed(&mut state, &key.to_string());
        assert!(!picture(&state).contains("error"), "{key:?}\n{}", picture(&state));
    }
    state = sized("fn f(n: int) -> int {\n    let x = n‸\n    return n;\n}\n", (160, 50));
    typed(&mut state, "<down>");
    // The cursor comes back: it is still wrong.
    typed(&mut state, "<up>");
    assert!(picture(&state).contains("✗ 1 error"));
    typed(&mut state, ";");
    assert!(!picture(&state).contains("error"));
}

#[test]
fn what_typing_cannot_mend_is_red_at_once() {
    for (text, keys, said) in [
        ("fn f(n: int) -> int {\n    ‸\n}\n", "return m;", "✗ 1 error"),
        ("fn f(n: int) -> int {\n    ‸\n}\n", "return n == 1;", "✗ 1 error"),
        ("fn f(n: int) -> int {\n    ‸\n    return n;\n}\n", "var x", "✗ 1 error"),
        ("‸\nfn f(n: int) -> int {\n    return n;\n}\n", "f(", "✗ "),
    ] {
        let mut state = sized(text, (160, 50));
        typed(&mut state, keys);
        assert!(picture(&state).contains(said) || keys == "f(", "{keys}\n{}", picture(&state));
    }
    // An error elsewhere is not excused by typing here.
    let mut state = sized("fn f(n: int) -> int {\n    return n\n}\n\n‸\n", (160, 50));
    typed(&mut state, "test f(1");
    let screen = picture(&state);
    assert!(screen.contains("✗ 1 error") && line(&state, "return n").contains("2✗"), "{screen}");
}

#[test]
fn missing_end_of_a_line_is_shown_on_that_line() {
    let mut state = sized("fn f(n: int) -> int {\n    let x =‸\n}\n\ntest f(1) == 1;\n", (160, 50));
    typed(&mut state, "<down>");
    assert!(line(&state, "let x =").contains("2✗"), "{}", picture(&state));
    assert!(line(&state, "let x =").contains("◂ expected an expression, found `}`"), "{}", picture(&state));
}

/// The name on the next line was read as the operand that is missing.
#[test]
fn missing_operand_is_shown_on_its_line() {
    for next in ["a = b;", "xs[a - 1] += 2;", "return a;", "if a > b { return a; }"] {
        let text = format!(
            "fn f(a: int, b: int, xs: [int]) -> int {{\n    let c = a ‸\n    {next}\n    return b;\n}}\n"
        );
        let mut state = sized(&text, (160, 50));
        typed(&mut state, "+");
        let own = |state: &State| {
            let rows = editor(state);
            ["let c = a +", next]
                .map(|text| rows.iter().find(|row| row.contains(text)).expect("a line").clone())
        };
        let [here, after] = own(&state);
        assert!(
            here.contains("  2…") && !after.contains("  3…") && !after.contains("  3✗"),
            "{}",
            picture(&state)
        );
        typed(&mut state, "<up>");
        let [here, after] = own(&state);
        assert!(here.contains("  2✗") && here.contains("◂ "), "{}", picture(&state));
        assert!(!after.contains('◂') && !after.contains("  3✗"), "{}", picture(&state));
        assert_eq!(here.contains("◂ an expression is missing"), next.contains("= "), "{here}");
        // F8 goes to the place.
        type_keys(&mut state, "<ctrl-home><f8>");
        assert_eq!(state.document.buffer.place_in_characters(state.document.buffer.head()), (2, 16));
    }
    // An operand that is there: the error is where it is.
    let mut state = sized("fn f(a: int) -> int {\n    let c = a +\n    1 a;‸\n    return a;\n}\n", (160, 50));
    typed(&mut state, "<up><up>");
    assert!(line(&state, "    1 a;").contains("  3✗"), "{}", picture(&state));
}

/// `n` is on the way to `n < 2`, and an error below the cursor is not.
#[test]
fn wrong_type_is_unfinished_directly_before_the_cursor_only() {
    let mut state = sized("fn f(n: int) -> int {\n    ‸\n    let a = true + 1;\n    return n;\n}\n", (160, 50));
    typed(&mut state, "if n");
    assert!(line(&state, "if n").contains("  2…"), "{}", picture(&state));
    assert!(line(&state, "let a").contains("  3✗"), "{}", picture(&state));
    typed(&mut state, " { }");
    assert!(line(&state, "if n").contains("  2✗"), "{}", picture(&state));
}

#[test]
fn test_of_a_function_that_does_not_exist_waits_for_it() {
    let mut state = sized("‸", (160, 50));
    typed(&mut state, "test gcd(12, 18) == 6;");
    let own = line(&state, "test gcd(12, 18) == 6;");
    assert!(own.contains("  1…") && own.contains("◂ waiting for `gcd`"), "{own}");
    assert!(!picture(&state).contains("error"), "{}", picture(&state));
    // So does each test that comes to a call of it, or of one whose header has an error.
    typed(&mut state, "<ctrl-end><enter>fn half(n: int) -> int { return gcd(n, 2); }<enter>test half(2) == 1;");
    assert!(line(&state, "test half(2)").contains("waits for `gcd`"), "{}", picture(&state));
    typed(&mut state, "<enter>fn gcd(a: int, b ) -> int { return a; }");
    assert!(line(&state, "test half(2)").contains("waits for `gcd`"), "{}", picture(&state));
    let mut state = sized("‸", (160, 50));
    typed(&mut state, "test gcd(12, 18) == 6;");
    // While its header is typed, it waits; a different function does not mend it.
    for key in "<ctrl-home><enter><up>fn gcd(a: int".split_inclusive('>').flat_map(|part| {
        if part.starts_with('<') { vec![part.to_string()] } else { part.chars().map(String::from).collect() }
    }) {
        typed(&mut state, &key);
        assert!(!picture(&state).contains("there is no function"), "{key}\n{}", picture(&state));
    }
    let mut state = sized("test gcd(12, 18) == 6‸\n\nconst A = 1;\n", (160, 50));
    // So it does while other tests are written, wherever the cursor is.
    typed(&mut state, ";<enter>test");
    assert!(picture(&state).contains("waiting for") && !picture(&state).contains("✗"), "{}", picture(&state));
    typed(&mut state, "<down><down>");
    assert!(picture(&state).contains("waiting for"), "{}", picture(&state));
}

#[test]
fn messages_use_the_room_that_there_is_and_are_never_cut() {
    let all = ["E0301", "unknown name", "there is no variable or constant `zz` here"];
    let mut seen = std::collections::BTreeSet::new();
    for width in 60..160 {
        let mut state = answered("fn f(n: int) -> int {\n    return z‸z;\n}\n");
        state.apply(Event::Resize(width, 24));
        type_keys(&mut state, "<ctrl-home>");
        let own = line(&state, "return zz");
        let own = own.split('│').next().unwrap_or_default();
        let said = own.split_once("◂ ").map_or("", |(_, said)| said.trim()).to_string();
        assert!(all.contains(&said.as_str()), "{width}: {own}");
        seen.insert(said);
    }
    assert_eq!(seen.len(), all.len(), "{seen:?}");
}

#[test]
fn status_line_counts_tests_in_their_colours() {
    let mut state = sized(PROGRAM, (160, 50));
    assert_eq!(colour(&state, "2 of 3 tests fail"), look(Look::Bad));
    typed(&mut state, "<backspace><backspace>");
    assert_eq!(colour(&state, "… 3 unfinished"), look(Look::Dim));
    // Only some tests arrive at the error; the one that fails comes first.
    typed(&mut state, "m;<ctrl-end>fn half(n: int) -> int { return n / ; }<enter>test half(2) == 1;");
    assert_eq!(colour(&state, "2 of 4 tests fail, 1 unfinished"), look(Look::Bad));
    assert!(line(&state, "tests fail").contains("✗ 1 error"), "{}", picture(&state));
    let mut state = sized("fn one() -> int {\n    return 1;\n}\n\n‸test one() == 1;\n", (160, 50));
    typed(&mut state, "test one(3) == 2;");
    assert_eq!(colour(&state, "… 1 pass, 1 unfinished"), look(Look::Dim));
    let state = sized("fn one() -> int {\n    return 1;\n}\n\n‸test one() == 1;\n", (160, 50));
    assert_eq!(colour(&state, "1 test passes"), look(Look::Good));
}

/// The line changes when the cursor leaves it; nothing else moves.
#[test]
fn only_colours_and_the_message_change_when_the_cursor_leaves() {
    let mut state = sized("fn f(n: int) -> int {\n    let x = n‸\n    return n;\n}\n", (160, 50));
    typed(&mut state, "n");
    let before = editor(&state);
    assert!(line(&state, "let x = nn").contains("◂ …"), "{before:?}");
    typed(&mut state, "<down>");
    let after = editor(&state);
    assert!(
        after.iter().any(|line| line.contains("2✗") && line.contains("◂ a `;` is missing here")),
        "{after:?}"
    );
    for (before, after) in before.iter().zip(&after).filter(|(line, _)| !line.contains("let x")) {
        assert_eq!(before, after, "nothing moves");
    }
}

#[test]
fn values_of_a_failing_test_stay_dimmed_until_the_new_ones_arrive() {
    let mut state = sized(PROGRAM, (160, 50));
    type_keys(&mut state, "<enter>");
    super::engine::answer_base(&mut state);
    assert!(line(&state, "test twice(4) == 9;").contains("◂ 8, not 9"), "{}", picture(&state));
    assert_eq!(colour(&state, "◂ 8, not 9"), look(Look::Dim));
    assert!(picture(&state).contains("left 8  right 9"), "{}", picture(&state));
    answer(&mut state);
    assert_eq!(colour(&state, "◂ 8, not 9"), look(Look::Bad));
}

/// Returns what the screen says of mutants: its last line but one, and the digits before lines.
fn said_of_mutants(state: &State) -> (String, Vec<String>) {
    let picture = picture(state);
    let lines: Vec<&str> = picture.lines().collect();
    let gauge = lines[lines.len() - 2].split("  after the key").next().unwrap_or_default().to_string();
    let digits = lines.iter().map(|line| line.chars().skip(2).take(3).collect()).collect();
    (gauge, digits)
}

/// The list, the digits before lines and the score are never of a part of the verdicts, or of verdicts without their proofs.
#[test]
fn verdicts_on_a_newer_text_are_shown_when_they_are_complete() {
    let mut state =
        answered("fn more(n: int) -> int {\n    let m = n;\n    return m + 1;‸\n}\n\ntest more(1) == 2;\n");
    state.apply(Event::Resize(160, 50));
    let before = said_of_mutants(&state);
    assert!(before.0.contains("survived"), "{}", before.0);
    type_keys(&mut state, "<left> * 3");
    let old = said_of_mutants(&state);
    answer_with_verdicts(&mut state);
    assert!(!state.results.is_judged());
    assert!(said_of_mutants(&state).0.contains("test fails"), "the test's result does not wait");
    let mutants = |said: &str| said.split("mutants").nth(1).map(str::to_string);
    assert_eq!(mutants(&said_of_mutants(&state).0), mutants(&old.0));
    end(&mut state);
    assert!(state.results.is_judged());
    assert_ne!(mutants(&said_of_mutants(&state).0), mutants(&old.0));
    type_keys(&mut state, "<backspace><backspace><backspace><backspace>");
    answer_with_verdicts(&mut state);
    end(&mut state);
    assert_eq!(said_of_mutants(&state), before);
}

/// The last key may have mended the error: it is not red before the answer.
#[test]
fn unfinished_error_waits_for_the_answer_before_it_turns_red() {
    let mut state = answered("fn more(n: int) -> int {\n    return n +‸;\n}\n\ntest more(1) == 2;\n");
    state.apply(Event::Resize(80, 24));
    type_keys(&mut state, "<backspace>+");
    answer(&mut state);
    type_keys(&mut state, " 1<down>");
    assert!(!picture(&state).contains('✗'), "{}", picture(&state));
    answer(&mut state);
    assert!(picture(&state).contains("1 test passes"), "{}", picture(&state));
    type_keys(&mut state, "<up><backspace>");
    answer(&mut state);
    type_keys(&mut state, "<down>");
    assert!(picture(&state).contains('✗'), "it is wrong when the cursor has left:\n{}", picture(&state));
}

/// A failed comparison names both values and, unless it is ==, the comparison.
#[test]
fn failed_comparison_is_said_with_its_operator() {
    for (claim, said) in [("== 9", "8, not 9"), ("!= 8", "8 != 8 is false"), ("< 8", "8 < 8 is false")] {
        let text = format!("fn twice(n: int) -> int {{ return n * 2; }}‸\ntest (twice(4) {claim});\n");
        let own = line(&sized(&text, (160, 50)), "test (twice(4)");
        assert!(own.contains(&format!("◂ {said}")), "{own}");
    }
}

/// A loop whose body is being written does not end yet.
#[test]
fn loop_without_end_is_unfinished_until_the_cursor_leaves_it() {
    let text = "fn down(n: int) -> int {\n    let m = n;\n‸\n    return m;\n}\n\ntest down(3) == 0;\n";
    let mut state = answered(text);
    state.apply(Event::Resize(160, 50));
    for key in ["    ", "while m > 0 ", "{}<left>", "<enter>", "m -= "] {
        type_keys(&mut state, key);
        answer(&mut state);
        let picture = picture(&state);
        assert_eq!(picture.contains("1 unfinished"), !key.starts_with(' '), "{key}\n{picture}");
        assert!(!picture.contains("StepLimit"), "{key}\n{picture}");
    }
    // Who rests in half a line is still typing it; who rests in the loop wants to see that it does not end.
    for (typed, at_once, at_rest) in [
        ("", "1 unfinished", "1 unfinished"),
        ("0;", "1 unfinished", "StepLimit"),
        (" <backspace><down><down>", "StepLimit", "StepLimit"),
        ("<up><up><left><backspace>1", "1 test passes", "1 test passes"),
    ] {
        type_keys(&mut state, typed);
        answer(&mut state);
        assert!(picture(&state).contains(at_once), "{typed}\n{}", picture(&state));
        state.apply(Event::Fade(Fading::Typing(state.document.revision)));
        assert!(picture(&state).contains(at_rest), "{typed}\n{}", picture(&state));
    }
}
