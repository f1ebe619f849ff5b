//! `myriad prove`: proofs, counterexamples, and honest answers where neither is found.

mod attack;
mod translation;

use std::fs;

use crate::common::command::{Called, call, myriad};

/// Compares two programs.
fn prove(a: &str, b: &str, options: &[&str]) -> Called {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two] = ["a.myr", "b.myr"].map(|name| folder.path().join(name).to_string_lossy().into_owned());
    fs::write(&one, a).expect("a file");
    fs::write(&two, b).expect("a file");
    myriad(&[&["prove", &one, &two, "--engine", "cpu"], options].concat(), b"")
}

/// Returns the verdict on the only function.
fn verdict(a: &str, b: &str) -> serde_json::Value {
    let called = prove(a, b, &["--format", "json"]);
    let functions = called.file()["functions"].clone();
    assert_eq!(called.code, i32::from(functions[0]["verdict"] != "proved"), "{called:?}");
    functions[0].clone()
}

/// Two functions whose normal forms are equal.
const FORMS: [(&str, &str); 7] = [
    (
        "fn f(a: int, b: int) -> int { return (a + b) * 2; }",
        "fn f(a: int, b: int) -> int { let s = b; s += a; return s + s; }",
    ),
    // Nothing follows a check that fails for certain.
    (
        "fn f(n: int) -> int { let xs: [int; 2] = []; let ys = [1, 2, 3]; if n > 0 { xs = ys; } return len(xs); }",
        "fn f(n: int) -> int { let xs: [int; 2] = []; let ys = [4, 5, 6]; if n > 0 { xs = ys; } return len(xs); }",
    ),
    // A bound that grows stops at a constant of the code.
    (
        "fn f(n: int) -> int { let t = 0; while n != 1 && t < 50 { n = n * 3 + 1; t += 1; } return n; }",
        "fn f(n: int) -> int { let t = 0; while n != 1 && t != 50 { n = n * 3 + 1; t += 1; } return n; }",
    ),
    // Elements and lengths of lists that were changed.
    (
        "fn f(a: int) -> int { let xs = [a, 2, 3]; xs[1] = 5; xs[0] = 7; return xs[1] + xs[0] + xs[2]; }",
        "fn f(a: int) -> int { return 15; }",
    ),
    (
        "fn f(xs: [int; 8], x: int) -> int { let ys = xs + [x, 1]; if len(ys) > 3 { ys[1] = 4; ys[2] = 6; return ys[1]; } return len(ys); }",
        "fn f(xs: [int; 8], x: int) -> int { let n = len(xs) + 2; if n > 3 { return 4; } return n; }",
    ),
    ("fn f(a: int, b: int) -> int { return (a - a) % (b | 1); }", "fn f(a: int, b: int) -> int { return 0; }"),
    // A truth value that waits while another is computed is 0 or 1.
    (
        "fn f(a: int, b: int) -> int { return int(a > 1 && b > 2) + int(a > b || b > 9); }",
        "fn f(a: int, b: int) -> int { return int((a > 1 && b > 2) == true) + int((a > b || b > 9) != false); }",
    ),
];

#[test]
fn equal_normal_forms_are_proved() {
    for (a, b) in FORMS {
        let row = verdict(a, b);
        assert_eq!(
            (&row["verdict"], &row["method"]),
            (&"proved".into(), &"normal-form".into()),
            "{row} {a} {b}"
        );
    }
}

#[test]
fn difference_is_shown_by_its_smallest_input() {
    let row = verdict("fn f(a: int) -> int { return a / 3; }", "fn f(a: int) -> int { return (a + 1) / 3; }");
    assert_eq!((&row["verdict"], &row["arguments"]), (&"differs".into(), &serde_json::json!([2])), "{row}");
    assert_eq!(row["outcomes"], serde_json::json!([{"value": 0}, {"value": 1}]));
    let called = prove("fn f(a: int) -> int { return a; }", "fn f(a: int) -> int { return 1 / a; }", &[]);
    assert_eq!(called.stdout, "differs  f(0): gives 0, then traps (DivideByZero)\n", "{called:?}");
}

#[test]
fn helper_of_the_same_name_is_compared_too() {
    let a = "fn h(a: int) -> int { if a > 9 { return h(a - 9); } return a; } fn f(a: int) -> int { return h(a) * 2; }";
    let b = "fn h(a: int) -> int { if a > 8 { return h(a - 9); } return a; } fn f(a: int) -> int { return h(a) + h(a); }";
    let equal = prove(a, &a.replace("* 2", "+ h(a)"), &["--function", "f"]);
    assert!(equal.stdout.starts_with("proved   f: "), "{equal:?}");
    let called = prove(a, b, &["--function", "f"]);
    assert_eq!(called.stdout, "differs  f(9): gives 18, then gives 0\n", "{called:?}");
}

#[test]
fn mutant_is_compared_with_its_program() {
    let document = call("mutate samples/gcd.myr --engine cpu --format json").file();
    let mutants = document["mutants"].as_array().expect("mutants");
    let first =
        |status: &str| mutants.iter().find(|mutant| mutant["status"] == status).expect(status)["id"].clone();
    let killed = call(&format!("prove samples/gcd.myr --mutant {} --engine cpu", first("killed")));
    assert!(killed.stdout.starts_with("differs  "), "{killed:?}");
    let equivalent = call(&format!("prove samples/gcd.myr --mutant {} --engine cpu", first("equivalent")));
    assert!(equivalent.code == 0 && equivalent.stdout.starts_with("proved   "), "{equivalent:?}");
}

#[test]
fn functions_that_cannot_be_compared_are_refused() {
    let a = "fn f(a: int) -> int { return a; }";
    let refused = |called: Called, word: &str| {
        assert!(called.code == 2 && called.stderr.contains(word), "{called:?}");
    };
    refused(prove(a, a, &["--function", "g"]), "no function `g`");
    refused(prove(a, "fn f(a: bool) -> int { return 1; }", &["--function", "f"]), "of the same type");
    refused(prove(a, "fn g(a: int) -> int { return a; }", &[]), "no function in common");
    refused(call("prove samples/gcd.myr --mutant 99999"), "99999");
}

/// Two functions that only a symbolic proof shows equal.
const EQUAL: [(&str, &str); 18] = [
    // Which of two equal values is kept does not matter.
    (
        "fn f(xs: [int; 8]) -> int { let m = 0; for x in xs { if x > m { m = x; } } return m; }",
        "fn f(xs: [int; 8]) -> int { let m = 0; for x in xs { if x >= m { m = x; } } return m; }",
    ),
    // Exchanging equal elements has no effect.
    (
        "fn f(a: [int; 4]) -> [int; 4] { if len(a) == 4 && a[0] > a[3] { let t = a[0]; a[0] = a[3]; a[3] = t; } return a; }",
        "fn f(a: [int; 4]) -> [int; 4] { if len(a) == 4 && a[0] >= a[3] { let t = a[0]; a[0] = a[3]; a[3] = t; } return a; }",
    ),
    // Arithmetic on bits.
    (
        "fn f(a: int, b: int) -> int { return (a & b) + (a | b); }",
        "fn f(a: int, b: int) -> int { return a + b; }",
    ),
    (
        "fn f(a: int) -> int { return a % 8; }",
        "fn f(a: int) -> int { let r = a & 7; if r != 0 && a < 0 { r -= 8; } return r; }",
    ),
    // A loop condition that the loop never passes by.
    (
        "fn f(n: int) -> int { let i = 0; let s = 0; if n >= 0 { while i < n { s += i; i += 1; } } return s; }",
        "fn f(n: int) -> int { let i = 0; let s = 0; if n >= 0 { while i != n { s += i; i += 1; } } return s; }",
    ),
    // A trap takes the same way.
    (
        "fn f(xs: [int], i: int) -> int { if i < 0 { return xs[i]; } return xs[i]; }",
        "fn f(xs: [int], i: int) -> int { return xs[i]; }",
    ),
    // Elements that are written before they are read.
    (
        "fn f(n: int) -> int { let t = [0; 6]; let s = 0; for i in 0..6 { t[i] = n + i; for j in 0..i + 1 { s += t[j]; } } return s; }",
        "fn f(n: int) -> int { let t = [1; 6]; let s = 0; for i in 0..6 { t[i] = n + i; for j in 0..i + 1 { s += t[j]; } } return s; }",
    ),
    // The first round is taken before the loop.
    (
        "fn f(xs: [int; 6]) -> int { let m = 0; for i in 0..len(xs) { m = max(m, xs[i]); } return m; }",
        "fn f(xs: [int; 6]) -> int { let m = 0; if len(xs) > 0 { m = max(0, xs[0]); } for i in 1..len(xs) { m = max(m, xs[i]); } return m; }",
    ),
    // No bit is set in both words.
    (
        "fn f(c: int) -> int { let free = ~c & 255; let s = 0; while free != 0 { let q = free & -free; free ^= q; s ^= c | q; } return s; }",
        "fn f(c: int) -> int { let free = ~c & 255; let s = 0; while free != 0 { let q = free & -free; free ^= q; s ^= c ^ q; } return s; }",
    ),
    // A first round without effect, also of a loop that has none.
    (
        "fn f(xs: [int; 8]) -> int { let at = 0; for i in 1..len(xs) { if xs[i] > xs[at] { at = i; } } return at; }",
        "fn f(xs: [int; 8]) -> int { let at = 0; for i in 0..len(xs) { if xs[i] > xs[at] { at = i; } } return at; }",
    ),
    // Values that are equal after the first round of both.
    (
        "fn f(xs: [int; 8]) -> int { let best = 0; let least = xs[0]; for x in xs { best = max(best, x - least); least = min(least, x); } return best; }",
        "fn f(xs: [int; 8]) -> int { let best = -1; let least = xs[0]; for x in xs { best = max(best, x - least); least = min(least, x); } return best; }",
    ),
    // A sign that has no effect in the end.
    (
        "fn f(xs: [int; 8]) -> int { let s = 0; for x in xs { s += x; } return abs(s); }",
        "fn f(xs: [int; 8]) -> int { let s = 0; for x in xs { s -= x; } return abs(s); }",
    ),
    (
        "fn f(a: int, xs: [int; 8]) -> int { for x in xs { if x > 3 { a = -a; } } return abs(a); }",
        "fn f(a: int, xs: [int; 8]) -> int { for x in xs { if x > 4 { a = -a; } } return abs(a); }",
    ),
    // A bound that grows around an inner loop.
    (
        "fn f(n: int) -> int { let t = 0; while t < 50 { while n > 7 { n /= 10; } t += 1; } return n; }",
        "fn f(n: int) -> int { let t = 0; while t != 50 { while n > 7 { n /= 10; } t += 1; } return n; }",
    ),
    // Neither ever ends.
    ("fn f(n: int) -> int { return f(n + 1); }", "fn f(n: int) -> int { return f(n - 2); }"),
    // The helper returns for all arguments, so a call whose value is not used has no effect.
    (
        "fn f(a: int) -> int { if a < 0 && h(a) > 40 { return 0; } return max(a, 0); } fn h(a: int) -> int { let s = 0; for i in 0..9 { for j in 2..5 { s += a * j ^ s * i; } } return s; }",
        "fn f(a: int) -> int { if a <= 0 && h(a) > 40 { return 0; } return max(a, 0); } fn h(a: int) -> int { let s = 0; for i in 0..9 { for j in 2..5 { s += a * j ^ s * i; } } return s; }",
    ),
    // A limit, whatever comparison sets it.
    (
        "fn f(a: int) -> int { let t = 0; if a > 5000000 { t = (a - 5000000) / 100 * 42; a = 5000000; } if a > 1000000 { t += (a - 1000000) / 100 * 20; } return t; }",
        "fn f(a: int) -> int { let t = 0; if a >= 5000000 { t = (a - 5000000) / 100 * 42; a = 5000000; } if a > 1000000 { t += (a - 1000000) / 100 * 20; } return t; }",
    ),
    // The same sum in another order.
    (
        "fn f(x: int) -> int { let n = 0; for i in 0..8 { n += x >> i & 1; } return n; }",
        "fn f(x: int) -> int { let n = 0; for i in 0..8 { n += x >> (7 - i) & 1; } return n; }",
    ),
];

/// Two functions that differ on few inputs or in a trap.
const DIFFERENT: [(&str, &str); 8] = [
    ("fn f(a: int) -> int { return abs(a); }", "fn f(a: int) -> int { return max(a, 0) + max(-a, 0); }"),
    (
        "fn f(a: int) -> int { return 7; }",
        "fn f(a: int) -> int { if a * 7 == 8638 && a > 0 { return 8; } return 7; }",
    ),
    ("fn f(a: int) -> int { return 1; }", "fn f(a: int) -> int { return a / a; }"),
    (
        "fn f(xs: [int; 4]) -> int { return len(xs); }",
        "fn f(xs: [int; 4]) -> int { return len(xs + xs[0..1]) - 1; }",
    ),
    (
        "fn f(n: int) -> int { while n > 0 { n -= 1; } return n; }",
        "fn f(n: int) -> int { if n > 0 { return 0; } while n < 0 { n = n; } return n; }",
    ),
    // The helper does not end for all arguments.
    (
        "fn f(n: int) -> int { let x = h(n); return n; } fn h(n: int) -> int { let s = 1; while n != 0 { for i in 0..3 { s += i; } } return s; }",
        "fn f(n: int) -> int { return n; } fn h(n: int) -> int { let s = 1; while n != 0 { for i in 0..3 { s += i; } } return s; }",
    ),
    (
        "fn f(n: int) -> int { if n == 0 { return 1; } return f(n - 1); }",
        "fn f(n: int) -> int { return f(n - 1); }",
    ),
    ("fn f(n: int) -> int { return f(n + 1) / n; }", "fn f(n: int) -> int { return n; }"),
];

#[test]
fn symbolic_proofs_are_found() {
    for (a, b) in EQUAL {
        let row = verdict(a, b);
        assert_eq!(row["verdict"], "proved", "{row} {a} {b}");
    }
}

#[test]
fn different_functions_are_not_proved_equal() {
    for (a, b) in DIFFERENT {
        let row = verdict(a, b);
        assert_ne!(row["verdict"], "proved", "{row} {a} {b}");
    }
}

#[test]
fn model_of_a_failed_proof_is_an_input() {
    let row = verdict(
        "fn f(a: int) -> int { return 7; }",
        "fn f(a: int) -> int { if a * 7 == 8640 && a > 0 { return 8; } return 7; }",
    );
    // 7 has an inverse modulo 2^32.
    assert_eq!(
        (&row["verdict"], &row["arguments"]),
        (&"differs".into(), &serde_json::json!([1840701504])),
        "{row}"
    );
}

#[test]
fn few_inputs_are_all_tried() {
    let row = verdict(
        "fn f(a: bool, xs: [bool; 3]) -> bool { for x in xs { a = a != x; } return a; }",
        "fn f(a: bool, xs: [bool; 3]) -> bool { let n = int(a); for x in xs { n += int(x); } return n % 2 == 1; }",
    );
    assert_eq!((&row["verdict"], &row["method"]), (&"proved".into(), &"exhaustion".into()), "{row}");
}

#[test]
fn proved_survivors_do_not_count() {
    const LARGEST: &str =
        "fn largest(xs: [int; 8]) -> int { let m = 0; for x in xs { if x > m { m = x; } } return m; }
test largest([3, 9, 4]) == 9;
test largest([]) == 0;
";
    let [plain, proved] = ["", " --prove"].map(|option| {
        let words = format!("mutate - --operators relational --engine cpu --format json{option}");
        myriad(&words.split_whitespace().collect::<Vec<_>>(), LARGEST.as_bytes()).file()
    });
    let survivors = |file: &serde_json::Value| file["counts"]["survived"].as_u64().expect("a count");
    assert!(survivors(&proved) < survivors(&plain), "{plain} {proved}");
    assert!(proved["score"].as_f64() > plain["score"].as_f64());
    let rows = proved["mutants"].as_array().expect("mutants");
    let row = rows.iter().find(|row| row["replacement"] == ">=").expect("a mutant");
    assert!(
        row["status"] == "equivalent" && row["proof"].as_str().is_some_and(|proof| proof.contains("symbolic")),
        "{row}"
    );
    let text = myriad(&["mutate", "-", "--engine", "cpu", "--prove"], LARGEST.as_bytes()).stdout;
    assert!(text.contains("  proved       1:65  relational       > → >=\n"), "{text}");
    assert!(text.contains("no test can notice it: a symbolic proof"), "{text}");
}

#[test]
fn survivor_that_differs_comes_with_a_test() {
    const CLAMP: &str = "fn clamp(a: int) -> int { if a > 9 { return 9; } return a; }
test clamp(20) == 9;
test clamp(4) == 4;
";
    let called = myriad(&["mutate", "-", "--engine", "cpu", "--format", "json", "--prove"], CLAMP.as_bytes());
    let file = called.file();
    let rows = file["mutants"].as_array().expect("mutants");
    let row = rows.iter().find(|row| row["replacement"] == "10").expect("a mutant");
    assert_eq!(row["killing_test"], "test clamp(10) == 9;", "{row}");
    let words = "killable by this test, if it is right: test clamp(10) == 9; The mutant gives 10";
    assert_eq!(row["unproved"], words, "{row}");
}

/// Shrinking ends where the mutant's steps just exceed its fuel, which the steps of the test itself raise.
#[test]
fn test_of_a_mutant_that_does_not_end_kills_it() {
    const TEXT: &str = "fn f(a: int, p: int) -> int {
    for _v in p..p + 8 { let _w = 64 / (a | 1); }
    return max(a, -9);
}
test f(7, 64) == 7;
";
    for level in ["0", "1", "2"] {
        let judge = |text: &str| {
            let words = ["mutate", "-", "--operators", "unary-insertion", "--engine", "cpu", "--opt", level];
            let json = ["--format", "json", "--prove"];
            myriad(&[&words[..], &json].concat(), text.as_bytes()).file()["mutants"].clone()
        };
        let rows = judge(TEXT);
        let slow = |row: &&serde_json::Value| {
            row["unproved"].as_str().is_some_and(|text| text.contains("this test") && text.contains("in time"))
        };
        let found: Vec<_> = rows.as_array().expect("mutants").iter().filter(slow).collect();
        assert!(!found.is_empty(), "{rows}");
        for row in found {
            let test = row["killing_test"].as_str().expect("a test");
            let now = judge(&format!("{TEXT}{test}\n"));
            let now = now.as_array().and_then(|rows| rows.iter().find(|own| own["id"] == row["id"]));
            let now = now.map_or("", |own| own["status"].as_str().unwrap_or_default());
            assert!(["timeout", "killed"].contains(&now), "{test} at level {level}: {now}");
        }
    }
}
