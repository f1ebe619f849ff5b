//! Pictures of the panels at several sizes.

mod cursor;
mod status;

use super::engine::{answer, answer_base, answered, answered_at, found};
use super::harness::{colour, marked, picture, picture_at, type_keys, words};
use myriad::engine::Kind;
use myriad::engine::explain::{Explanation, Value};
use myriad::lang::index::{EntryId, Index, InputId, RoutineId};
use myriad::lang::level::{LevelChoice, OptLevel};
use myriad::lang::verdict::Outcome;
use myriad::session::Inputs;
use myriad::workbench::event::{Effect, Event};
use myriad::workbench::example::NoTest;
use myriad::workbench::panels::Panel;
use myriad::workbench::theme::{Depth, Look, Theme};

const PROGRAM: &str = "\
// Greatest common divisor, by Euclid.
fn gcd(a: int, b: int) -> int {
    while ‸b != 0 {
        let t = a % b;
        a = b;
        b = t;
    }
    return a;
}

test gcd(12, 18) == 6;
test \"wrong on purpose\": gcd(35, 64) == 2 - 3;
test 1 / gcd(0, 0) == 1;
prop \"commutes\": a in 0..50, b in 0..50 => gcd(a, b) == gcd(b, a);
prop \"small\": a in 0..50, xs in [1..9; 3] => gcd(a, len(xs)) < 3;
";

#[test]
fn screens_match_their_snapshots_at_every_size() {
    let mut state = answered(PROGRAM);
    for (width, height) in [(80, 24), (120, 40), (160, 50), (200, 60), (40, 12), (20, 5)] {
        insta::assert_snapshot!(format!("screen_{width}x{height}"), picture_at(&mut state, width, height));
    }
}

#[test]
fn panels_match_their_snapshots_at_two_sizes() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<f7>");
    for panel in Panel::all().skip(1) {
        type_keys(&mut state, &format!("<alt-1><{}>", panel.row().keys[0]));
        for (width, height) in [(40, 16), (100, 40)] {
            let name = format!("{}_{width}x{height}", panel.title().to_lowercase());
            insta::assert_snapshot!(name, picture_at(&mut state, width, height));
        }
    }
}

/// The stages are charged for their own time, and the remaining time is charged as the rest, so the rows add
/// up.
#[test]
fn energy_charges_each_stage_for_its_own_time() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<alt-0>");
    let batch = state.results.batch.expect("it is judged");
    // 65 W for 40 ms; the stages worked for less than half of that.
    assert_eq!((batch.energy.joules, batch.wall.as_millis()), (2.6, 40));
    let lines = myriad::workbench::panels::prose(&state, Panel::ENERGY, 100, &Theme::plain());
    let page: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
    let split = batch.timings.split();
    let mut sum = 0;
    let mut row = |name: &str, seconds: f64| {
        let line = page.iter().find(|line| line.trim_start().starts_with(&format!("{name} "))).expect(name);
        let words: Vec<&str> = line.split_whitespace().collect();
        let shown = myriad::host::measure::quantity::energy(65.0 * seconds);
        assert_eq!(words[1..3].join(" "), shown, "{line}");
        sum += words[3].parse::<u32>().expect("percent");
    };
    let mut rest = 0.04;
    for stage in myriad::compiler::stage::Stage::ALL {
        let own = split.stages[stage as usize].as_secs_f64();
        rest -= own;
        row(stage.name(), own);
    }
    assert!(rest > 0.02);
    row("other", rest);
    assert_eq!(sum, 100);
}

#[test]
fn tests_panel_shows_discarded_and_extra_inputs() {
    let mut state = answered(
        "fn half(n: int) -> int {\n    return ‸n / 2;\n}\nprop \"all\": n in 0..20 => half(n) <= n;\n\
         prop \"even\": n in 0..9000 if n % 2 == 0 => half(n) * 2 == n;\nprop \"few\": n in 0..40 if n == 7 => half(n) == 3;\n\
         prop \"none\": n in 0..20 if n > 20 => half(n) == 3;\nprop \"late\": n in 0..90000 if n > 9 => half(n) != 8765;\n",
    );
    type_keys(&mut state, "<f7><alt-6>");
    insta::assert_snapshot!("conditions_80x24", picture_at(&mut state, 80, 24));
    // With little space, the name comes first.
    let narrow = picture_at(&mut state, 40, 16);
    assert!(narrow.contains("– none") && !narrow.contains("20 discarded"), "{narrow}");
    let shown = state.shown().expect("a program").clone();
    let mut ended = shown.entries.clone();
    (ended[1].inputs, ended[1].discarded) = (9_000, 4_500);
    let late = &mut ended[4];
    (late.outcome, late.inputs, late.failing_input) = (Outcome::Fail, 5_000, Some(InputId::new(4_999)));
    let why = Explanation {
        left: Some(Value::Int(8765)),
        right: Some(Value::Int(8765)),
        counterexample: vec![("n".into(), Value::Int(17_530))],
        ..Explanation::default()
    };
    found(&mut state, None, Inputs { ended, explained: vec![(EntryId::new(4), why, None)], done: true });
    insta::assert_snapshot!("further_inputs_80x24", picture_at(&mut state, 80, 24));
}

#[test]
fn ir_panel_shows_each_form() {
    let mut state = answered("fn f() -> int {\n    return ‸1 + 2;\n}\ntest f() == 3;\n");
    type_keys(&mut state, "<alt-4>");
    // The rows do not say the form.
    assert!(picture_at(&mut state, 100, 28).contains("  level 1"));
    // With little space, it still shows the form.
    type_keys(&mut state, "]");
    let lowered = picture_at(&mut state, 80, 24);
    assert!(lowered.contains("lowered") && lowered.contains("BINARY_ADD"), "{lowered}");
    type_keys(&mut state, "]");
    let folded = picture_at(&mut state, 80, 24);
    assert!(folded.contains("▾ fold 1") && folded.contains("- 2 BINARY_ADD"), "{folded}");
    type_keys(&mut state, "[[");
    assert!(picture_at(&mut state, 80, 24).contains("  level 1"));
}

const LOOPS: &str = "\
fn cell(row: int, column: int) -> int { return row * 8 + column; }
fn sum(row: int) -> int {
    let total = 0;
    for column in 0..20 { total += ‸cell(row, column) ^ (row * row + 1); }
    return total;
}
fn id(x: int) -> int { return x; }
test sum(1) > 0;
test id(1) == 1;
";

#[test]
fn ir_panel_steps_through_the_passes_that_change_the_function() {
    let mut state = answered_at(LOOPS, OptLevel::Whole);
    type_keys(&mut state, "<alt-4>]");
    assert!(picture_at(&mut state, 80, 24).contains("lowered"));
    type_keys(&mut state, "]");
    let inlined = picture_at(&mut state, 80, 24);
    assert!(inlined.contains("▾ inline 1 call  1 of 3 in"), "{inlined}");
    insta::assert_snapshot!("ir_inlined_80x24", inlined);
    // A row of inlined code belongs to another function, but the panel stays with this one.
    type_keys(&mut state, "<down><down><down><down><down><down><down><down><down><down>]");
    let hoisted = picture_at(&mut state, 160, 50);
    assert!(hoisted.contains("▾ hoist 2 values"), "{hoisted}");
    insta::assert_snapshot!("ir_hoisted_160x50", hoisted);
    type_keys(&mut state, "y");
    insta::assert_snapshot!("ir_reasons_80x24", picture_at(&mut state, 80, 24));
    let all = picture_at(&mut state, 160, 50);
    for part in ["the loop runs 20 times and `row * 8`", "does not change in it: line 4"] {
        assert!(all.contains(part), "{part}: {all}");
    }
}

#[test]
fn remarks_appear_on_request_in_the_editor_and_with_the_reasons() {
    let mut state = answered_at(LOOPS, OptLevel::Local);
    type_keys(&mut state, "<alt-h>");
    assert!(picture_at(&mut state, 80, 24).contains("only level 2 expands code"));
    let mut state = answered_at(LOOPS, OptLevel::Whole);
    assert!(!picture_at(&mut state, 80, 24).contains('◃'));
    type_keys(&mut state, "<alt-h>");
    assert!(picture_at(&mut state, 80, 24).contains("1 place not expanded"));
    type_keys(&mut state, "<right>");
    // The line is cut, so the bottom line has the remark.
    let remark = "◃ not unrolled: it runs 20 times, more than 16";
    let narrow = picture_at(&mut state, 80, 24);
    assert!(narrow.lines().last().is_some_and(|line| line.contains(remark)), "{narrow}");
    type_keys(&mut state, "<f7>");
    let wide = picture_at(&mut state, 160, 50);
    assert!(wide.lines().nth(4).is_some_and(|line| line.contains(remark)), "{wide}");
    insta::assert_snapshot!("remarks_160x50", wide);
    type_keys(&mut state, "<alt-4>]]");
    assert!(picture_at(&mut state, 160, 50).contains("▸ 1 place not expanded; y says why"));
    type_keys(&mut state, "y");
    let reasons = picture_at(&mut state, 160, 50);
    assert!(reasons.contains("not unrolled: it runs 20 times, more than 16: line 4"), "{reasons}");
    type_keys(&mut state, "<alt-h>");
    assert!(!picture_at(&mut state, 160, 50).contains('◃'));
}

/// A level 2 that the engine chose is named as such.
#[test]
fn chosen_level_2_is_named_with_its_reason() {
    let mut state = answered_at(LOOPS, OptLevel::Whole);
    state.engine.kind = Some(Kind::Cpu);
    assert!(!picture_at(&mut state, 160, 50).contains("long tests"));
    type_keys(&mut state, "<alt-4>");
    assert!(!picture_at(&mut state, 160, 50).contains("long tests"));
    state.engine.level = LevelChoice::Automatic;
    assert!(picture_at(&mut state, 160, 50).contains("level 2: long tests"));
}

#[test]
fn broken_text_has_verdicts_of_its_own() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<end><backspace>");
    // Until the first of them, the gauge's mutants are of the text before.
    answer_base(&mut state);
    assert!(state.results.has_old_verdicts() && !state.stale());
    let gauge = ["29 mutants", "3 survived"];
    let (stale, dim) = (gauge.map(|text| colour(&state, text)), Theme::new(Depth::True).style(Look::Dim).fg);
    assert_eq!(stale.map(Some), [dim; 2]);
    answer(&mut state);
    assert!(state.results.is_judged());
    insta::assert_snapshot!("broken_80x24", picture_at(&mut state, 80, 24));
    type_keys(&mut state, "<alt-8>");
    insta::assert_snapshot!("broken_diagnostics_80x24", picture(&state));
    type_keys(&mut state, "<alt-1>{");
    answer(&mut state);
    assert!(state.results.is_judged());
    assert!(gauge.iter().zip(stale).all(|(text, stale)| colour(&state, text) != stale));
}

#[test]
fn a_diagnostic_is_explained_by_one_key() {
    let mut state = answered("fn f() -> int {\n    let unused = 1;\n    return 1 ‸+ true;\n}\n");
    type_keys(&mut state, "<alt-8>");
    for (width, height) in [(80, 24), (160, 50)] {
        insta::assert_snapshot!(format!("diagnostics_{width}x{height}"), picture_at(&mut state, width, height));
    }
    let code = state.results.problems[0].code;
    type_keys(&mut state, "e");
    assert_eq!(state.screen.explained, Some(code));
    for (width, height) in [(80, 24), (160, 50)] {
        insta::assert_snapshot!(format!("explained_{width}x{height}"), picture_at(&mut state, width, height));
    }
    // The whole page is shown, and each row of it leads to the position of the diagnostic.
    type_keys(&mut state, "<f7>");
    let said = words(&picture_at(&mut state, 160, 60));
    for line in myriad::report::explain::text(code).lines().skip(1).filter(|line| !line.starts_with("```")) {
        assert!(said.contains(&words(line)), "{line}\n{said}");
    }
    type_keys(&mut state, "<pagedown><enter>");
    assert_eq!(state.screen.focus, Panel::EDITOR);
    type_keys(&mut state, "<alt-8><home>e");
    assert_eq!(state.screen.explained, None);
}

#[test]
fn diagnostics_are_complete_in_narrow_panels() {
    let broken = "fn f() -> int {\n    let list = [1, 2, 3];\n    return list ‸+ true;\n}\n";
    let mut state = answered(broken);
    type_keys(&mut state, "<alt-8>");
    let problem = state.results.problems[0].clone();
    for (width, height) in [(40, 24), (60, 24), (80, 24)] {
        let screen = picture_at(&mut state, width, height);
        // The panel's own columns, between the line and the scrollbar.
        let panel: Vec<&str> = screen.lines().filter_map(|line| line.rsplit('│').next()).collect();
        assert!(words(&panel.join(" ")).contains(&problem.message), "{}\n{screen}", problem.message);
        // Every row of it leads to its position.
        type_keys(&mut state, "<end><enter>");
        assert!(marked(&state).contains("list + ‸true"), "{}", marked(&state));
        type_keys(&mut state, "<alt-8><home>");
    }
    // In the editor, the status bar shows the part that does not fit after the line.
    type_keys(&mut state, "<alt-1>");
    let screen = picture_at(&mut state, 80, 24);
    assert!(screen.lines().last().is_some_and(|line| line.contains(&problem.message)), "{screen}");
}

#[test]
fn first_of_the_worst_diagnostics_is_shown_after_its_line() {
    let mut state = answered("fn f() -> int {\n    return ‸x + y;\n}\n");
    let screen = picture_at(&mut state, 160, 24);
    assert!(screen.contains("◂ there is no variable or constant `x` here"), "{screen}");
    assert!(screen.lines().last().is_some_and(|line| line.contains("`x`")), "{screen}");
}

#[test]
fn an_empty_panel_says_why() {
    for (text, key, why) in [
        ("const A = 1;‸", '6', "no tests: write `fn twice(n: int)"),
        ("fn f() -> int { return 1; }‸", '6', "no tests: alt-t writes one of the function under the cursor"),
        ("test 1 == 2;‸", '7', "no test passes, so none can judge a mutant"),
        ("const A =‸", '7', "no test passes, so none can judge a mutant"),
    ] {
        let mut state = answered(text);
        type_keys(&mut state, &format!("<alt-{key}>"));
        for width in [40, 80, 160] {
            let screen = picture_at(&mut state, width, 24);
            let panel: Vec<&str> = screen.lines().filter_map(|line| line.rsplit('│').next()).collect();
            assert!(words(&panel.join(" ")).contains(why), "{why}\n{screen}");
        }
    }
}

#[test]
fn error_marks_the_tab_of_the_diagnostics() {
    let mut state = answered(PROGRAM);
    assert!(!picture(&state).contains("Diag✗"));
    type_keys(&mut state, "<ctrl-home><down><end><backspace><down>");
    answer(&mut state);
    let screen = picture(&state);
    assert!(screen.contains("Diag✗"), "{screen}");
    assert_eq!(colour(&state, "Diag✗"), Theme::new(Depth::True).style(Look::Bad).fg.expect("a colour"));
    // Who goes to the diagnostics keeps them, when the error is mended, too.
    type_keys(&mut state, "<alt-8><alt-1><up><end>{");
    answer(&mut state);
    assert!(
        state.results.problems.is_empty() && state.layout().slot(Panel::DIAGNOSTICS).is_some(),
        "{}",
        picture(&state)
    );
}

#[test]
fn key_writes_the_value_of_the_other_side_in_place_of_a_question_mark() {
    let mut state =
        answered("fn half(n: int) -> int { return n / 2; }\n\ntest half(9) == ?‸;\ntest half(2) == ?;\n");
    let shown = picture(&state);
    assert!(shown.contains("◂ other side: 4"), "{shown}");
    assert_eq!(type_keys(&mut state, "<alt-t>"), []);
    assert!(marked(&state).ends_with("\ntest half(9) == 4‸;\ntest half(2) == ?;\n"), "{}", marked(&state));
    assert!(picture(&state).contains("make sure that it is right"));
    answer(&mut state);
    assert!(picture(&state).contains("✓"), "{}", picture(&state));
    // On a line without a `?` a new test is written.
    assert!(!type_keys(&mut state, "<alt-t>").is_empty());
}

#[test]
fn key_adds_a_test_with_the_functions_value() {
    let mut state =
        answered("fn one() -> int { return 1; }\n\nfn sum(a: int, b: int) -> int {\n    return ‸a + b;\n}\n");
    let revision = state.document.revision;
    let effects = type_keys(&mut state, "<alt-t>");
    assert_eq!(effects, [Effect::WriteTest { revision, function: RoutineId::new(1) }]);
    let compiled = state.shown().expect("a program").compiled.clone();
    let test = myriad::workbench::example::generate_test(&compiled, RoutineId::new(1));
    assert_eq!(test.as_deref(), Ok("test sum(12, 18) == 30;"));
    state.apply(Event::Test { revision, test: test.clone() });
    assert!(marked(&state).ends_with("}\n\n‸test sum(12, 18) == 30;\n"), "{}", marked(&state));
    assert!(picture(&state).contains("make sure that it is right"));
    // A second test is added below it; a test for an older text is not added.
    assert!(picture(&state).contains("12, 18"));
    type_keys(&mut state, "<alt-t>");
    assert!(picture(&state).contains("not compiled yet"), "{}", picture(&state));
    answer(&mut state);
    assert!(picture(&state).contains("✓ 1 test passes"), "{}", picture(&state));
    let effects = type_keys(&mut state, "<alt-t>");
    assert_eq!(
        effects,
        [Effect::WriteTest { revision: state.document.revision, function: RoutineId::new(0) }],
        "in none, it is the first's"
    );
    let test = myriad::workbench::example::generate_test(&compiled, RoutineId::new(0));
    state.apply(Event::Test { revision, test: test.clone() });
    assert!(!marked(&state).contains("one() == 1"));
    let revision = state.document.revision;
    state.apply(Event::Test { revision, test });
    assert!(marked(&state).ends_with("== 30;\n‸test one() == 1;\n"), "{}", marked(&state));
    type_keys(&mut state, "<ctrl-u>");
    assert!(!marked(&state).contains("one() == 1"), "one step takes it back");
    state.apply(Event::Test { revision: state.document.revision, test: Err(NoTest::NoValue) });
    assert!(picture(&state).contains("no test found"));
    state.apply(Event::Test { revision: state.document.revision, test: Err(NoTest::Written) });
    assert!(picture(&state).contains("no test added"));
}

#[test]
fn mutants_are_filtered_by_state() {
    let mut state = answered(PROGRAM);
    type_keys(&mut state, "<alt-7><f7>");
    let all = state.listed_mutants().len();
    type_keys(&mut state, "f");
    let survived = state.listed_mutants().len();
    assert!(survived < all);
    let screen = picture(&state);
    assert!(!screen.contains("killed  "), "{screen}");
    type_keys(&mut state, "F");
    assert_eq!(state.listed_mutants().len(), all);
}
