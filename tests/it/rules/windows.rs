//! Counterexamples of wrong rules of bytecode, confirmed by a second machine: a few lines that execute a window as its text
//! says. Where few values suffice, no smaller ones do.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use myriad::testing::rules::{UserVerdict, WindowCounterexample, WindowEnd};

use super::decided;
use crate::common::command::myriad;

/// Rules that are wrong for some values: an indented line is the reason.
static CASES: LazyLock<String> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/rules/windows.txt");
    std::fs::read_to_string(path).expect("the cases")
});

/// Returns the rules with their reasons.
fn wrong() -> Vec<(&'static str, &'static str)> {
    let lines: Vec<&str> = CASES.lines().filter(|line| !line.starts_with('#')).collect();
    lines.chunks(2).map(|pair| (pair[0], pair[1].trim())).collect()
}

/// Executes a window: returns the stack, the variables, and whether it jumps; `Err` of the instruction that divides by 0.
fn executed(window: &str, values: &BTreeMap<&str, i32>, stack: &[i32]) -> End {
    let mut values: BTreeMap<String, i32> =
        values.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    let (mut stack, mut jumps) = (stack.to_vec(), false);
    for (number, piece) in window.split(';').map(str::trim).enumerate().filter(|(_, piece)| *piece != "nothing")
    {
        let (op, operand) = piece.split_once(' ').unwrap_or((piece, ""));
        let number = number + 1;
        let mut pop = || stack.pop().expect("an operand");
        let pushed = match op {
            "LOAD_CONST" | "LOAD_VAR" => match operand.strip_prefix("BINARY_ADD(") {
                Some(inner) => {
                    let (a, b) = inner.trim_end_matches(')').split_once(", ").expect("two");
                    values[a].wrapping_add(values[b])
                }
                None => operand.parse().unwrap_or_else(|_| values[operand]),
            },
            "STORE_VAR" => {
                let value = pop();
                values.insert(operand.into(), value);
                continue;
            }
            "DUP" => *stack.last().expect("an operand"),
            "UNARY_NOT" => i32::from(pop() == 0),
            "UNARY_NEGATIVE" => pop().wrapping_neg(),
            "JUMP_IF_TRUE" | "JUMP_IF_FALSE" => {
                jumps = (pop() != 0) == (op == "JUMP_IF_TRUE");
                continue;
            }
            _ => {
                let (b, a) = (pop(), pop());
                match op {
                    "BINARY_ADD" => a.wrapping_add(b),
                    "BINARY_SUB" => a.wrapping_sub(b),
                    "BINARY_MUL" => a.wrapping_mul(b),
                    "BINARY_DIV" if b == 0 => return Err(number),
                    "BINARY_DIV" => a.wrapping_div(b),
                    "BINARY_SHR" => a >> (b & 31),
                    "COMPARE_LT" => i32::from(a < b),
                    "COMPARE_GE" => i32::from(a >= b),
                    "COMPARE_NE" => i32::from(a != b),
                    other => panic!("{other}"),
                }
            }
        };
        stack.push(pushed);
    }
    Ok((stack, values, jumps))
}

/// Returns both windows of a rule.
fn windows(rule: &str) -> [&str; 2] {
    let (_, rest) = rule.split_once(": ").expect("a name");
    let (pattern, replacement) = rest.split_once(" => ").expect("an arrow");
    [pattern, replacement]
}

type End = Result<(Vec<i32>, BTreeMap<String, i32>, bool), usize>;

/// Executes both windows. A trap of the replacement is that of the last instruction of the window with its operation.
fn ends(rule: &str, found: &WindowCounterexample) -> [End; 2] {
    let values: BTreeMap<&str, i32> = found.values.iter().copied().collect();
    let [pattern, replacement] = windows(rule);
    let op = |window: &str, number: usize| {
        let piece = window.split(';').map(str::trim).nth(number - 1).expect("an instruction");
        piece.split(' ').next().expect("an operation").to_string()
    };
    let last = |number: usize| {
        let own = op(replacement, number);
        (1..=pattern.split(';').count())
            .rev()
            .find(|number| op(pattern, *number) == own)
            .expect("the operation")
    };
    [executed(pattern, &values, &found.stack), executed(replacement, &values, &found.stack).map_err(last)]
}

fn differ(rule: &str, found: &WindowCounterexample) -> bool {
    let [own, new] = ends(rule, found);
    own != new
}

#[test]
fn wrong_windows_differ_on_the_smallest_values() {
    let wrong = wrong();
    let text: String = wrong.iter().map(|(rule, _)| format!("{rule}\n")).collect();
    let found = decided(&text);
    assert_eq!(found.len(), wrong.len());
    for ((text, reason), (rule, verdict)) in wrong.iter().zip(&found) {
        let UserVerdict::WindowsDiffer(own) = verdict else { panic!("{text}: {verdict:?}") };
        let said = verdict.reason(rule).expect("a reason");
        assert_eq!(said, *reason, "{text}");
        assert!(differ(text, own), "{text}: {said}");
        for (end, said) in ends(text, own).into_iter().zip(&own.ends) {
            match (end, said) {
                (Err(number), WindowEnd::Trap(_, said)) => assert_eq!(number as u32, *said, "{text}"),
                (Ok((stack, after, jumps)), WindowEnd::Values { stack: said, variables, jumps: may }) => {
                    assert_eq!((&stack, may.unwrap_or(false)), (said, jumps), "{text}");
                    let is_right = |(name, value): &(&str, i32)| after[*name] == *value;
                    assert!(variables.iter().all(is_right), "{text}: {variables:?}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
        // No smaller value in one of the places still differs.
        for place in 0..own.values.len() + own.stack.len() {
            let mut smaller = own.clone();
            let names = smaller.values.len();
            let word = match smaller.values.get_mut(place) {
                Some((_, value)) => value,
                None => &mut smaller.stack[place - names],
            };
            if *word != 0 {
                *word -= word.signum();
                assert!(!differ(text, &smaller), "{text}: {said}, but also {smaller:?}");
            }
        }
    }
}

#[test]
fn document_has_the_values_of_windows_that_differ() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.rules").to_string_lossy().into_owned();
    let rules = [
        "a: STORE_VAR x; LOAD_VAR x => nothing",
        "a: LOAD_CONST 0; COMPARE_NE; JUMP_IF_TRUE @ => JUMP_IF_FALSE @",
        "a: LOAD_VAR x; LOAD_VAR y; BINARY_DIV => LOAD_VAR x",
    ];
    std::fs::write(&file, rules.join("\n")).expect("written");
    let document = myriad(&["rules", &file, "--format", "json"], b"").file();
    let rows = &document["rules"];
    assert_eq!(rows[0]["counterexample"], serde_json::json!({"x": 1, "stack": [0]}));
    assert_eq!(rows[0]["outcomes"], serde_json::json!([{"x": 0, "stack": [0]}, {"x": 1, "stack": [0]}]));
    assert_eq!(
        rows[1]["outcomes"],
        serde_json::json!([{"stack": [], "jumps": false}, {"stack": [], "jumps": true}])
    );
    assert_eq!(rows[2]["outcomes"][0], serde_json::json!({"trap": "DivideByZero", "instruction": 3}));
}
