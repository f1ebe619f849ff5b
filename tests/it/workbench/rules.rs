//! The proved rules of a text as passes of the IR panel.

use std::sync::Arc;

use myriad::lang::index::Index;
use myriad::lang::level::OptLevel;
use myriad::report::listing;
use myriad::report::steps::StepRow;
use myriad::session::job;
use myriad::testing::rules::{AppliedRules, KnownRules, ProgramRules};
use myriad::workbench::event::{Effect, Event};
use myriad::workbench::panels::{self, Panel, text_lines};
use myriad::workbench::results::Shown;
use myriad::workbench::state::{FileInfo, State};
use myriad::workbench::text::Selection;

use super::engine::{answer, answered, answered_at, found};
use super::harness::{keys, picture, picture_at, type_keys, words};

const PROGRAM: &str = "\
//= a - a => 0
//= x * k => x << log2(k) if k is a power of two
//= x / 2 => x >> 1
//= if !c { p } else { q } => if c { q } else { p }
//= plus: LOAD_CONST 0; BINARY_ADD => nothing

fn area(a: int, b: int) -> int {‸
    let s = 0;
    if !(a == b) { s = a * 8; } else { s = a * b; }
    return s + (b - b);
}

test area(2, 3) == 16;
";

/// Answers the text on screen as the session would while the code after the rules is wanted.
fn told(state: &mut State) -> Arc<ProgramRules> {
    let compiled = state.shown().expect("a program").compiled.clone();
    let rules = ProgramRules::on(&compiled, &mut KnownRules::default(), &|| false).expect("not cancelled");
    let rules = Arc::new(rules);
    found(state, None, AppliedRules(rules.clone()));
    rules
}

fn ruled(level: OptLevel) -> (State, Arc<ProgramRules>) {
    let mut state = answered_at(PROGRAM, level);
    type_keys(&mut state, "<alt-4>r");
    let rules = told(&mut state);
    (state, rules)
}

/// Returns the rows of the IR panel that begin with a sign.
fn marked(state: &State, sign: char) -> Vec<String> {
    let own = |row: &String| row.trim_start().starts_with(sign);
    text_lines(state, Panel::IR).iter().filter(|row| own(row)).map(|row| words(row)).collect()
}

#[test]
fn proved_rules_are_passes_of_the_code_on_request() {
    let mut state = answered_at(PROGRAM, OptLevel::Lowered);
    let pages = |state: &State| [Panel::IR, Panel::BYTECODE].map(|panel| text_lines(state, panel));
    let program = pages(&state);
    told(&mut state);
    assert_eq!(pages(&state), program, "nothing changes without the key");
    let wants = |effects: &[Effect]| {
        let wants = |effect: &Effect| matches!(effect, Effect::Look(looked) if looked.jobs.contains(&&job::APPLIED_RULES));
        effects.iter().any(wants)
    };
    type_keys(&mut state, "<alt-4>");
    let effects = { keys("r") }.into_iter().flat_map(|key| state.apply(Event::Key(key))).collect::<Vec<_>>();
    assert!(wants(&effects), "{effects:?}");
    let rules = told(&mut state);
    for (width, height) in [(80, 24), (160, 50)] {
        let screen = picture_at(&mut state, width, height);
        insta::assert_snapshot!(format!("rules_{width}x{height}"), screen);
    }
    // The rules in the order in which they fire, each with its change; those of bytecode are last.
    for (rule, changes) in [
        ("rule 1: a - a => 0", ["- LOAD_VAR", "- LOAD_VAR", "- BINARY_SUB", "+ LOAD_CONST"].as_slice()),
        ("rule 2: x * k => x << log2(k)", &["- LOAD_CONST", "+ LOAD_CONST", "- BINARY_MUL", "+ BINARY_SHL"]),
        ("rule 4: if !c", &["- UNARY_NOT"]),
        ("rule 5: plus: LOAD_CONST 0", &["- LOAD_CONST", "- BINARY_ADD"]),
    ] {
        let open = marked(&state, '▾');
        assert!(open[0].contains(rule), "{rule}: {open:?}");
        let rows: Vec<String> = ['-', '+'].iter().flat_map(|sign| marked(&state, *sign)).collect();
        for change in changes {
            let [sign, op] = [0, 1].map(|word| change.split(' ').nth(word).expect("a word"));
            let has = |row: &String| row.starts_with(sign) && row.contains(op);
            assert!(rows.iter().any(has), "{rule}, {change}: {rows:?}");
        }
        type_keys(&mut state, "]");
    }
    assert!(words(&text_lines(&state, Panel::IR).join(" ")).contains("fn area"), "the optimized code is next");
    let ops = |lines: Vec<listing::Line>| lines.iter().map(|line| line.op).collect::<Vec<_>>();
    let applied = &rules.applied;
    let shown = state.rules.shown.clone().expect("code after rules");
    let rows = |listing: &myriad::workbench::listing::Listing| -> Vec<&'static str> {
        let op = |row: &myriad::workbench::listing::CodeRow| match row {
            myriad::workbench::listing::CodeRow::Instruction(line) => Some(line.op),
            _ => None,
        };
        listing.iter().filter_map(op).collect()
    };
    assert_eq!(rows(shown.ir_rows()), ops(listing::ir(&applied.program, &applied.program.ir)));
    assert_eq!(rows(shown.code_rows()), ops(listing::bytecode(&applied.program)));
    let screen = picture_at(&mut state, 160, 50);
    let [before, after] = applied.steps;
    let says = format!("level 0, {before} → {after} steps with rules");
    assert!(after < before && words(&screen).contains(&says), "{says}\n{screen}");
    type_keys(&mut state, "r");
    assert_eq!(pages(&state), program, "the key shows the program again");
}

/// Undoing each change leads from one pass to the one before it, and every row has a place in the program.
#[test]
fn passes_with_rules_lead_from_one_to_the_next() {
    for level in [OptLevel::Lowered, OptLevel::Local, OptLevel::Whole] {
        let (state, rules) = ruled(level);
        let shown: Arc<Shown> = state.rules.shown.clone().expect("code after rules");
        let steps = shown.steps(0);
        let ops = |rows: &[StepRow], before: bool| -> Vec<&'static str> {
            let op = |row: &StepRow| match row {
                StepRow::Equal(line) => Some(line.op),
                StepRow::Removed(line) => before.then_some(line.op),
                StepRow::Added(line) => (!before).then_some(line.op),
                StepRow::Reason(..) => None,
            };
            rows.iter().filter_map(op).collect()
        };
        for pair in steps.windows(2) {
            assert_eq!(ops(&pair[0].rows, false), ops(&pair[1].rows, true), "{:?}: {}", level, pair[1].did);
        }
        let own = steps.iter().filter(|step| step.did.starts_with("rule ")).count();
        assert_eq!(own, rules.applied.changes.len(), "{level:?}");
        let tokens = state.shown().expect("a program").compiled.view().len() as usize;
        for panel in [Panel::IR, Panel::BYTECODE] {
            let token = |row: usize| panels::token(&state, panel, row).map(|token| token.position());
            let all: Vec<usize> = (0..panels::count(&state, panel)).filter_map(token).collect();
            assert!(all.len() > 4 && all.iter().all(|token| *token < tokens), "{level:?} {all:?}");
        }
    }
}

#[test]
fn code_after_rules_is_of_the_text_on_screen() {
    let (mut state, _) = ruled(OptLevel::Lowered);
    assert!(picture(&state).contains("with rules"), "{}", picture(&state));
    // A newer text has its own code, until its rules are applied.
    type_keys(&mut state, "<alt-1><end> // a comment");
    answer(&mut state);
    assert!(state.rules.shown.is_none() && state.rules.is_on && state.own_title(Panel::IR).is_empty());
    told(&mut state);
    assert_eq!(state.own_title(Panel::IR), "with rules");
    assert_eq!(state.own_title(Panel::TOKENS), "");
    // Predicting hides them, and a text without rules has none.
    type_keys(&mut state, "<alt-g>");
    assert!(state.rules.shown.is_none());
    let mut plain = answered("fn f() -> int { return 0; }‸\ntest f() == 0;\n");
    type_keys(&mut plain, "<alt-4>r");
    assert!(
        !plain.rules.is_on && words(&picture(&plain)).contains("the text has no rules"),
        "{}",
        picture(&plain)
    );
}

const RULES: &str = "\
// Rules of my own.
a - a => 0
x * k => x << log2(k) if k is a power of two
x / 2 => x >> 1
x + y => z
z * 0 => 0
";

/// Opens a file of rules, and answers it as the session would; they fire in a program.
fn opened(program: &str) -> State {
    let file = FileInfo { path: Some("area.rules".into()), on_disk: Some(RULES.into()), ..FileInfo::default() };
    let mut state = State::new(RULES, file);
    state.apply(Event::Resize(80, 24));
    decided(&mut state, &program.replace('‸', ""));
    state
}

fn decided(state: &mut State, program: &str) {
    answer(state);
    let text = state.shown().expect("an answer").compiled.text.clone();
    let rules = ProgramRules::of(&text, &program.into(), &mut KnownRules::default(), &|| false);
    found(state, None, rules.expect("not cancelled"));
}

#[test]
fn verdict_follows_each_line_of_a_file_of_rules() {
    let mut state = opened(PROGRAM);
    for (width, height) in [(80, 24), (160, 50)] {
        let screen = picture_at(&mut state, width, height);
        insta::assert_snapshot!(format!("file_of_rules_{width}x{height}"), screen);
    }
    let line = |state: &State, text: &str| {
        let screen = picture(state);
        screen
            .lines()
            .find(|line| line.contains(text))
            .unwrap_or_else(|| panic!("{text}\n{screen}"))
            .to_string()
    };
    for (rule, said) in [
        ("a - a => 0", "fires 1 time at 10:19; saves 2 steps"),
        ("x * k", "saves 0 steps"),
        ("x / 2", "x = -1: -1, not 0"),
        ("x + y => z", "`z` is not on the left"),
        ("z * 0 => 0", "proved; does not fire here"),
    ] {
        assert!(line(&state, rule).contains(said), "{rule}: {said}\n{}", line(&state, rule));
    }
    // The status bar has the whole verdict on the cursor's line.
    type_keys(&mut state, "<alt-1>");
    for (rule, said) in [("x * k", "fires 1 time at 9:26; saves 0 steps"), ("x + y", "`z` is not on the left")]
    {
        let at = state.document.buffer.position_of_byte(RULES.find(rule).expect("a rule"));
        state.document.buffer.select(Selection::at(at));
        state.apply(Event::Resize(80, 24));
        let screen = picture(&state);
        assert!(screen.lines().last().is_some_and(|bar| bar.contains(said)), "{said}\n{screen}");
    }
    assert!(state.results.problems.is_empty());
    // The verdict is of the rule on screen.
    type_keys(&mut state, "<alt-1><ctrl-home><down><end><backspace>1");
    assert!(!line(&state, "a - a => 1").contains("fires"), "not decided yet");
    decided(&mut state, &PROGRAM.replace('‸', ""));
    assert!(line(&state, "a - a => 1").contains("a = 0: 1, not 0"), "{}", line(&state, "a - a => 1"));
    // Without a program, rules are proved and fire nowhere.
    let mut alone = opened("");
    alone.apply(Event::Resize(160, 50));
    let said = line(&alone, "z * 0 => 0");
    assert!(said.contains("◂ proved; fires where `z` cannot trap and ends"), "{said}");
}

#[test]
fn panels_of_a_file_of_rules_say_that_it_is_no_program() {
    let mut state = opened(PROGRAM);
    for panel in Panel::all().filter(|panel| !panel.row().newest) {
        state.focus_on(panel);
        let screen = words(&picture_at(&mut state, 160, 50));
        let lines = panels::count(&state, panel);
        assert!(lines > 0 || screen.contains("rules are not a program"), "{}\n{screen}", panel.title());
    }
    for panel in [Panel::TOKENS, Panel::IR, Panel::TESTS, Panel::MUTANTS] {
        assert_eq!(panels::empty_text(&state, panel), format!("{SAYS} area.myr"), "{}", panel.title());
    }
    // Keys that change a program leave the rules alone.
    for keys in [
        "<alt-1><alt-=>",
        "<alt-t>",
        "<alt-1><ctrl-home><down><f2>b<enter>",
        "<alt-7>tT<enter>",
        "<alt-m><enter>",
        "<alt-x>D",
        "<alt-4>r]y",
    ] {
        type_keys(&mut state, keys);
        assert_eq!(&**state.document.buffer.text(), RULES, "{keys}");
        type_keys(&mut state, "<esc><esc>");
    }
    assert!(!state.rules.is_on);
}

const SAYS: &str = "rules are not a program: the verdict follows each line; they fire in";
