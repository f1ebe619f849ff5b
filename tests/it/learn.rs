//! Lessons: faults are reported with their line; each kind of goal; the shipped lessons; their documentation
//! page.

mod goals;
mod page;
mod shipped;

use myriad::engine::cpu::CpuEngine;
use myriad::workbench::learn::judge::Judgement;
use myriad::workbench::learn::{FormatFault, Lesson, assess};

/// Returns a lesson file with additional header lines and a program.
pub fn file(more: &str, code: &str) -> String {
    format!(
        "//! lesson: One\n//! teaches: Something.\n//! hint 1: a\n//! hint 2: b\n//! hint 3: c\n{more}\n{code}"
    )
}

/// Reads a lesson from such a file.
#[track_caller]
pub fn lesson(more: &str, code: &str) -> Lesson {
    Lesson::read(&file(more, code)).unwrap_or_else(|faults| panic!("{more}: {faults:?}"))
}

/// Judges a text with the CPU engine.
pub fn judged(lesson: &Lesson, text: &str) -> Judgement {
    assess(lesson, &text.into(), &mut CpuEngine::with_threads(1), &|| false)
        .expect("the CPU engine does not fail")
}

const CODE: &str = "const A = 1;\nfn twice(n: int) -> int { return n * 2; }\ntest \"four\": twice(2) == 4;\nprop \"even\": n in 0..9 => twice(n) % 2 == 0;\n";

/// Returns the faults of a file: the text of each span and its message.
fn faults(text: &str) -> Vec<(String, String)> {
    let told = |fault: FormatFault| (text[fault.span].to_string(), fault.message);
    Lesson::read(text).expect_err("something is wrong").into_iter().map(told).collect()
}

#[test]
fn invalid_lesson_lines_are_reported_at_their_position() {
    for (line, at, message) in [
        ("//! gaol: tests pass", "gaol", "there is no field `gaol`"),
        ("//! goal tests pass", "goal tests pass", "this is not a field"),
        ("//! goal:", "goal", "there is no text after `goal:`"),
        ("//! goal: all is well", "all is well", "no goal reads like this"),
        ("//! goal: at most ten steps in \"four\"", "ten", "`ten` is not a number"),
        ("//! goal: at most 10 steps in \"five\"", "\"five\"", "the program has no test \"five\""),
        ("//! goal: at most 10 steps in four", "four", "a label must be in quotes"),
        ("//! goal: at most 3 tokens in thrice", "thrice", "the program has no function `thrice`"),
        ("//! goal: token == in twice", "==", "a token must be between backticks"),
        ("//! goal: `+` under * in twice", "*", "a token must be between backticks"),
        ("//! goal: bytecode of twice has LAOD_VAR", "LAOD_VAR", "there is no instruction `LAOD_VAR`"),
        ("//! goal: bytecode of twice has RETURN 3", "RETURN 3", "RETURN has no operand"),
        ("//! goal: lowered code of twice has LOAD_CONST two", "LOAD_CONST two", "`two` is not a number"),
        ("//! goal: input that breaks \"four\"", "\"four\"", "the program has no property \"four\""),
        ("//! goal: test that traps DivisionByZero", "DivisionByZero", "there is no trap `DivisionByZero`"),
        ("//! goal: diagnostic E9999", "E9999", "there is no code `E9999`"),
        ("//! goal: property that notices all changes", "all", "`all` is not a number"),
        ("//! goal: tests pass\n//!   and more", "and more", "a goal is one line"),
        ("//! keep: twice, thrice", "thrice", "the program has no function or constant `thrice`"),
        ("//! key: alt-2", "alt-2", "a key is one line: the key, then what it does"),
        ("//! hint 1: another", "hint 1", "there is a `hint 1` above"),
        ("//! hint 4: one too many", "hint 4", "there is no field `hint 4`"),
    ] {
        let text = file(&format!("//! goal: tests pass\n{line}\n"), CODE);
        assert_eq!(faults(&text), [(at.to_string(), message.to_string())], "{line}");
    }
}

#[test]
fn missing_parts_of_a_lesson_are_reported() {
    for (text, messages) in [
        ("fn f() -> int { return 1; }\n", &["this is not a lesson"][..]),
        ("", &["this is not a lesson"]),
        ("// comment\n//! lesson: Too late\n", &["this is not a lesson"]),
        ("//! goal: tests pass\n//! lesson: Second\n", &["this is not a lesson"]),
        (
            "//! lesson: Bare\n",
            &[
                "the lesson has no `hint 1`",
                "the lesson has no `hint 2`",
                "the lesson has no `hint 3`",
                "the lesson has no `teaches`",
                "the lesson has no `goal`",
                "there is no program after the header",
            ],
        ),
    ] {
        let found: Vec<String> = faults(text).into_iter().map(|(_, message)| message).collect();
        assert_eq!(found, messages, "{text}");
    }
    let text = file("//! goal: tests pass\n", CODE).replace("Something.", "").replace("One", "");
    let found: Vec<String> = faults(&text).into_iter().map(|(at, _)| at).collect();
    assert_eq!(found, ["lesson", "teaches"], "nothing behind them");
}

#[test]
fn any_lesson_file_is_parsed_or_reported() {
    // Each line of a valid lesson is left out, cut, duplicated, and changed bytewise.
    let right = file("//! goal: at most 9 steps in \"four\"\n//! key: F8 next\n//! keep: twice\n", CODE);
    let lines: Vec<&str> = right.lines().collect();
    let mut tried = 0;
    let mut read = |text: String| {
        if let Err(faults) = Lesson::read(&text) {
            assert!(!faults.is_empty());
            faults.iter().for_each(|fault| assert!(text.get(fault.span.clone()).is_some(), "{text}"));
        }
        tried += 1;
    };
    for i in 0..lines.len() {
        for line in
            ["", "//!", "//!   x", "//! :", "//! goal:", "//! key: é\u{202e}", &lines[i][..lines[i].len() / 2]]
        {
            let mut changed = lines.clone();
            changed[i] = line;
            read(changed.join("\n"));
            read(changed.join("\r\n"));
        }
    }
    for at in 0..right.len() {
        for c in ["\u{0}", ":", "\"", "`", "é"] {
            read(format!("{}{c}{}", &right[..at], &right[at + 1..]));
        }
    }
    assert!(tried > 1000);
}
