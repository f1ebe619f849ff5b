//! Each kind of goal: reached, not reached, and not known yet.

use super::{judged, lesson};
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::lang::index::MutantId;
use myriad::report::diagnostics::diagnostics;
use myriad::workbench::learn::KINDS;
use myriad::workbench::learn::judge::{EngineResults, JudgeState, judge};

/// A goal with a lesson's program and changes of it. Each change has the expected state of the goal and its
/// text.
struct Case {
    goal: &'static str,
    code: &'static str,
    texts: &'static [(&'static str, &'static str, bool, &'static str)],
}

const TWICE: &str = "fn twice(n: int) -> int {\n    return n + n * 3;\n}\ntest \"four\": twice(2) == 4;\n";
const LIMIT: &str = "const TOP = 10;\nfn low(n: int) -> int { return min(n, TOP); }\nfn spare() -> int { return 1; }\n\
                     prop \"small\": n in 0..9 => low(n) + 0 * n <= 9;\n";
const DEEP: &str =
    "fn deep(n: int) -> int { if n == 0 { return 0; } return 1 + deep(n - 1); }\ntest deep(3) == 3;\n";
const FEE: &str = "fn fee(n: int) -> int { if n > 5 { return 7; } return 3; }\ntest fee(1) == 3;\n";
const ODD: &str = "fn odd(n: int) -> int { if n & 1 == 1 { return 1; } return 0; }\nprop \"odd\": n in 0..32 => odd(n) < 2;\n";
const RULED: &str = "//= n + 0 => -n\nfn same(n: int) -> int { return n + 0; }\ntest \"two\": same(2) == 2;\n";
const DIGIT: &str =
    "fn digit(n: int) -> int {\n    let k = 4;\n    n = n;\n    if n > 9 { n = 9; }\n    return n;\n}\n";

/// In a change, `a → b` replaces text of the lesson's program, and a part that begins with `+` is added to it.
const CASES: &[Case] = &[
    Case {
        goal: "at most 2 blocks in fee",
        code: FEE,
        texts: &[
            ("as it is", "", false, "3 blocks"),
            (
                "without a branch",
                "if n > 5 { return 7; } return 3; → return 3 + 4 * int(n > 5);",
                true,
                "1 block",
            ),
        ],
    },
    Case {
        goal: "at most 12 instructions of a group in \"odd\"",
        code: ODD,
        texts: &[
            ("as it is", "", false, " for 32 threads, the longest of "),
            (
                "without a branch",
                "if n & 1 == 1 { return 1; } return 0; → return n & 1;",
                true,
                "divergence 1.0",
            ),
            ("no property", "\"odd\" → \"even\"", false, "\"odd\" is missing or changed"),
        ],
    },
    Case {
        goal: "at least 1 rules are proved",
        code: RULED,
        texts: &[
            ("as it is", "", false, "0 rules proved; not line 1"),
            ("none", "//= → //", false, "no rule yet"),
            ("right", "=> -n → => n", true, "1 rule proved"),
        ],
    },
    Case {
        goal: "at most 7 steps with rules in \"two\"",
        code: RULED,
        texts: &[("as it is", "", false, "9 steps"), ("right", "=> -n → => n", true, "7 steps")],
    },
    Case {
        goal: "fact `n in 0..=9` in digit",
        code: DIGIT,
        texts: &[
            ("as it is", "", false, "at the end, n <= 9"),
            ("both bounds", "return n → if n < 0 { n = 0; } return n", true, ""),
            (
                "no bound",
                "if n > 9 { n = 9; } → if n != 9 { n += 1; }",
                false,
                "nothing is known about n at the end",
            ),
            ("gone", "fn digit → fn number", false, "there is no function `digit` yet"),
        ],
    },
    Case {
        goal: "no dead store in digit",
        code: DIGIT,
        texts: &[
            ("as it is", "", false, "line 2"),
            ("read", "n = n; → n = n + k;", true, ""),
            ("gone", "let k = 4; → ", true, ""),
        ],
    },
    Case {
        goal: "unroll changes count",
        code: "fn count(n: int) -> int {\n    let k = 0;\n    for i in 0..n { k += n ^ i; }\n    return k;\n}\n",
        texts: &[
            ("as it is", "", false, "line 3: not unrolled: the number of rounds is not known"),
            ("known", "0..n → 0..3", true, "unroll 1 loop"),
            ("no loop", "for i in 0..n { k += n ^ i; } → ", false, "it does not yet"),
        ],
    },
    Case {
        goal: "tests pass",
        code: TWICE,
        texts: &[
            ("as it is", "", false, "0 of 1 test; not line 4"),
            ("right", "n + n * 3 → n + n", true, "1 of 1 test"),
            ("gone", "test \"four\": twice(2) == 4; → ", false, "0 of 1 test"),
            ("another one fails", "n + n * 3 → n + n+test twice(1) == 3;", false, "1 of 2 tests; not line 5"),
            ("broken", "n + n * 3 → n +", false, "the text does not compile"),
        ],
    },
    Case {
        goal: "no diagnostics",
        code: TWICE,
        texts: &[
            ("none", "", true, "none"),
            ("an error", "n * 3 → m * 3", false, "1 left: line 2"),
            ("a warning", "    return → let spare = 1; return", false, "1 left: line 2"),
        ],
    },
    Case {
        goal: "diagnostic E0301",
        code: TWICE,
        texts: &[("none", "", false, "not there yet"), ("there", "n * 3 → m * 3", true, "line 2")],
    },
    Case {
        goal: "at most 16 tokens in twice",
        code: TWICE,
        texts: &[
            ("too many", "", false, "18 tokens"),
            ("fewer", "n + n * 3 → n + n", true, "16 tokens"),
            ("comments do not count", "return n + n * 3; → // of them\n    return n + n;", true, "16 tokens"),
            ("renamed", "twice(n → thrice(n", false, "there is no function `twice` yet"),
        ],
    },
    Case {
        goal: "token `<<` in twice",
        code: TWICE,
        texts: &[
            ("none", "", false, "not there"),
            ("elsewhere", "+fn f() -> int { return 1 << 2; }", false, "not there"),
            ("there", "n + n * 3 → n << 1", true, "line 2"),
            ("there, and broken", "n + n * 3 → n <<", true, "line 2"),
            ("in a comment", "n + n * 3 → n + n // <<", false, "not there"),
        ],
    },
    Case {
        goal: "no token `*` in twice",
        code: TWICE,
        texts: &[("there", "", false, "line 2"), ("none", "n + n * 3 → n + n", true, "not there")],
    },
    Case {
        goal: "`+` under `*` in twice",
        code: TWICE,
        texts: &[
            ("the other way", "", false, "no `+` is an operand of a `*` yet"),
            ("in brackets", "n + n * 3 → ((n + n)) * 3", true, "line 2"),
            (
                "deeper is not under",
                "n + n * 3 → (7 - (n + n)) * 3",
                false,
                "no `+` is an operand of a `*` yet",
            ),
        ],
    },
    Case {
        goal: "lowered code of twice has LOAD_CONST 2",
        code: TWICE,
        texts: &[
            ("another constant", "", false, "no LOAD_CONST 2"),
            ("there", "n * 3 → n * (2 + 1)", true, "LOAD_CONST 2: line 2"),
        ],
    },
    Case {
        goal: "lowered code of twice has no BINARY_MUL",
        code: TWICE,
        texts: &[
            ("there", "", false, "BINARY_MUL: line 2"),
            ("none", "n + n * 3 → n + n", true, "no BINARY_MUL"),
        ],
    },
    Case {
        goal: "bytecode of twice has LOAD_CONST 100000000",
        code: TWICE,
        texts: &[
            ("none", "", false, "no LOAD_CONST 100000000"),
            // It needs a wide instruction.
            ("folded", "n * 3 → n * (10000 * 10000)", true, "LOAD_CONST 100000000: line 2"),
        ],
    },
    Case {
        goal: "bytecode of twice has no CALL",
        code: TWICE,
        texts: &[
            ("none", "", true, "no CALL"),
            ("there", "n * 3 → f(n)+fn f(n: int) -> int { return n; }", false, "CALL: line 2"),
        ],
    },
    Case {
        goal: "at most 4 instructions in twice",
        code: TWICE,
        texts: &[("more", "", false, "6 instructions"), ("fewer", "n + n * 3 → n + n", true, "4 instructions")],
    },
    Case {
        goal: "at most 9 steps in \"four\"",
        code: TWICE,
        texts: &[
            ("fails", "", false, "11 steps, and it does not pass"),
            ("right", "n + n * 3 → n + n", true, "9 steps"),
            ("slow", "n + n * 3 → n + n + n - n", false, "13 steps"),
            ("another of that name", "twice(2) == 4 → true", false, "\"four\" is missing or changed"),
        ],
    },
    Case {
        goal: "input that breaks \"small\"",
        code: LIMIT,
        texts: &[
            ("none", "", false, "no test of yours yet"),
            ("passes", "+test low(3) + 0 * 3 <= 9;", false, "line 5: these values do not break it"),
            ("fails", "+test low(-1) + 0 * -1 <= 9;test low(10) + 0 * 10 <= 9;", true, "line 6 does"),
            (
                "another claim",
                "+test low(3) == 4;",
                false,
                "line 5: not `low(n) + 0 * n <= 9` with values for its names",
            ),
            (
                "two values for one name",
                "+test low(10) + 0 * 11 <= 9;",
                false,
                "line 5: not `low(n) + 0 * n <= 9` with values for its names",
            ),
            (
                "no value",
                "+test low(spare()) + 0 * spare() <= 9;",
                false,
                "line 5: not `low(n) + 0 * n <= 9` with values for its names",
            ),
        ],
    },
    Case {
        goal: "test that traps RecursionTooDeep",
        code: DEEP,
        texts: &[
            ("none", "", false, "no test of yours yet"),
            ("passes", "+test deep(5) == 5;", false, "no test of yours ends so"),
            ("traps", "+test deep(500) == 5;", true, "line 3"),
            (
                "by a function of one's own",
                "+fn f(n: int) -> int { return f(n); }test f(1) == deep(1);",
                false,
                "line 4: to call functions of the lesson, and no others",
            ),
        ],
    },
    Case {
        goal: "no survivors in fee",
        code: FEE,
        texts: &[
            ("some", "", false, "survivors left: line 1"),
            ("none", "+test fee(5) == 3;test fee(6) == 7;", true, "noticed"),
            (
                "ignored",
                "return 3; } → return 3; } // myriad: ignore",
                false,
                "a comment ignores changes: line 1",
            ),
            ("no test passes", "test fee(1) == 3 → test fee(1) == 4", false, "no test passes"),
            (
                "another function, which nothing keeps",
                "if n > 5 { return 7; } return 3; → return n;+test fee(2) == 2;",
                true,
                "noticed",
            ),
        ],
    },
    Case {
        goal: "no survivors",
        code: FEE,
        texts: &[
            (
                "of all functions",
                "+test fee(5) == 3;test fee(6) == 7;fn f() -> int { return 2; }",
                false,
                "left: line 5",
            ),
            (
                "of all",
                "+test fee(5) == 3;test fee(6) == 7;fn f() -> int { return 2; }test f() == 2;",
                true,
                "noticed",
            ),
        ],
    },
    Case {
        goal: "property that notices 2 changes",
        code: FEE,
        texts: &[
            ("none", "", false, "no property of yours yet"),
            ("says nothing", "+prop n in 0..9 => fee(n) == fee(n);", false, "0 changes noticed by it first"),
            ("fails", "+prop n in 0..9 => fee(n) == 3;", false, "your property does not pass"),
            ("says much", "+prop n in 0..9 => fee(n) == 3 + 4 * int(n > 5);", true, "noticed by it first"),
        ],
    },
];

/// Applies the change of a case to a lesson's program.
fn changed(code: &str, change: &str) -> String {
    let items = ["+test ", "+fn ", "+prop "];
    let at = items.iter().filter_map(|item| change.find(item)).min().unwrap_or(change.len());
    let (replaced, added) = change.split_at(at);
    let mut text = code.to_string();
    if let Some((from, to)) = replaced.split_once(" → ") {
        assert!(text.contains(from), "{change}: {code}");
        text = text.replacen(from, to, 1);
    }
    // Each item is on its own line.
    let lines =
        ["test ", "fn ", "prop "].iter().fold(added.trim_start_matches('+').to_string(), |lines, item| {
            let lines = lines.replace(&format!(";{item}"), &format!(";\n{item}"));
            lines.replace(&format!("}}{item}"), &format!("}}\n{item}"))
        });
    text + &lines + "\n"
}

#[test]
fn each_goal_kind_is_reached_or_reports_its_progress() {
    for case in CASES {
        let lesson = lesson(&format!("//! goal: {}\n", case.goal), case.code);
        for (name, change, reached, said) in case.texts {
            let text = changed(case.code, change);
            let standing = judged(&lesson, &text).standings.remove(0);
            let state = if *reached { JudgeState::Reached } else { JudgeState::Missing };
            assert!(
                standing.state == state && standing.text.contains(said),
                "{}, {name}: {standing:?}, not {said:?}\n{text}",
                case.goal
            );
        }
    }
}

#[test]
fn every_goal_kind_has_a_test_case() {
    let literal = |form: &str| -> Vec<String> {
        let is_hole = |word: &&str| !word.contains(|c: char| c.is_ascii_lowercase());
        form.split(' ').filter(|word| !is_hole(word)).map(String::from).collect()
    };
    for kind in KINDS {
        let words = literal(kind.form);
        let has = |goal: &str| {
            let mut rest = goal.split(' ');
            words.iter().all(|word| rest.any(|other| other == word)) && goal.split(' ').count() >= words.len()
        };
        assert!(CASES.iter().any(|case| has(case.goal)), "`{}` has no case", kind.form);
    }
}

/// Before all first-order mutants are judged, goals about them are neither reached nor missed.
#[test]
fn goals_about_mutants_are_unknown_before_the_verdicts() {
    let property = "prop n in 0..9 => fee(n) == 3 + 4 * int(n > 5);\n";
    let lesson = lesson(
        "//! goal: no survivors\n//! goal: property that notices 1 changes\n//! goal: tests pass\n",
        FEE,
    );
    let text = format!("{FEE}{property}");
    let base = CpuEngine::with_threads(1).base(&text.as_str().into(), &|| false).expect("compiles");
    let found = diagnostics(&base.compiled);
    let given = EngineResults {
        compiled: &base.compiled,
        entries: &base.entries,
        diagnostics: &found,
        mutants: None,
        rules: None,
    };
    let judged = judge(&lesson, given);
    let states: Vec<JudgeState> = judged.standings.iter().map(|standing| standing.state).collect();
    assert_eq!(states, [JudgeState::Unknown, JudgeState::Unknown, JudgeState::Reached]);
    assert!(judged.standings[0].text.starts_with("not known yet"), "{judged:?}");
    assert!(!judged.is_done());
}

/// A survivor counts only when it is known whether some input distinguishes it from the program.
#[test]
fn survivors_are_checked_for_equivalence_before_they_count() {
    use myriad::lang::index::Indices;
    use myriad::lang::verdict::MutantStatus;
    use myriad::workbench::learn::judge::Mutants;
    let lesson = lesson("//! goal: no survivors\n", FEE);
    let mut engine = CpuEngine::with_threads(1);
    let base = engine.base(&FEE.into(), &|| false).expect("compiles");
    let mut verdicts = Vec::new();
    let singles = engine.variants().first_order;
    engine
        .mutants(Indices::first(singles), &|| false, &mut |part| verdicts.extend(part.verdicts))
        .expect("judged");
    assert!(verdicts.iter().any(|verdict| verdict.status == MutantStatus::Survived));
    for (known, state, said) in [
        (None, JudgeState::Unknown, "still looked into"),
        (Some(false), JudgeState::Missing, "left: line 1"),
        (Some(true), JudgeState::Reached, "without an input that shows a difference"),
    ] {
        let alike = |_: MutantId| known;
        let mutants = Some(Mutants { verdicts: &verdicts, indistinguishable: &alike });
        let given = EngineResults {
            compiled: &base.compiled,
            entries: &base.entries,
            diagnostics: &[],
            mutants,
            rules: None,
        };
        let standing = judge(&lesson, given).standings.remove(0);
        assert!(standing.state == state && standing.text.contains(said), "{standing:?}");
    }
}

/// Removing or changing items of the task prevents completion.
#[test]
fn changed_or_removed_kept_items_prevent_completion() {
    let code = "const TOP = 4;\nfn f(n: int) -> int { return min(n, TOP); }\nfn g() -> int { return 0; }\n\
                test \"one\": f(1) == 1;\ntest g() == 1;\n";
    let keeping = lesson("//! goal: tests pass\n//! keep: TOP, f\n", code);
    let right = code.replace("return 0", "return 1");
    assert!(judged(&keeping, &right).is_done());
    assert!(
        judged(&keeping, &format!("// A comment.\n{}", right.replace("min(n, TOP)", "min( n,TOP )"))).is_done()
    );
    for (from, to, gone) in [
        ("const TOP = 4", "const TOP = 5", "const TOP"),
        ("min(n, TOP)", "n", "fn f"),
        ("test \"one\": f(1) == 1;\n", "", "test \"one\""),
        ("test g() == 1", "test g() >= 1", "test g() == 1"),
    ] {
        let judged = judged(&keeping, &right.replace(from, to));
        assert_eq!(judged.gone, [gone]);
        assert!(!judged.is_done(), "{gone}");
    }
    // A goal about the given program keeps all of it.
    let breaking = lesson("//! goal: input that breaks \"small\"\n", LIMIT);
    let broken =
        judged(&breaking, &format!("{}test low(3) + 0 * 3 <= 9;\n", LIMIT.replace("TOP = 10", "TOP = 99")));
    assert_eq!(broken.gone, ["const TOP"]);
}
