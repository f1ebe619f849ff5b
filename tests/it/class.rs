//! Classes: pupils' files graded by a lesson's goals, and compared with a reference.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::common::command::{Called, myriad};
use crate::learn::file;
use serde_json::Value;

const TASK: &str = "// The sum of all numbers up to n.
fn total(n: int) -> int { return 0; }
fn double(n: int) -> int { return n; }
test total(4) == 10;
test double(3) == 6;
prop n in 0..50 => total(n) == n * (n + 1) / 2;
";
const TOTAL: &str = "fn total(n: int) -> int { return 0; }";
const DOUBLE: &str = "fn double(n: int) -> int { return n; }";
const RIGHT: &str = "fn total(n: int) -> int { let s = 0; for i in 1..n + 1 { s = s + i; } return s; }";

fn twice(body: &str) -> String {
    format!("fn double(n: int) -> int {{ {body} }}")
}

fn solved(total: &str, double: &str) -> String {
    TASK.replace(TOTAL, total).replace(DOUBLE, double)
}

/// The files of thirty pupils, with the result that each should have.
fn pupils() -> Vec<(String, Vec<u8>, &'static str)> {
    let mut all: Vec<(&str, Vec<u8>, &str)> = Vec::new();
    let mut add = |kind, bytes: Vec<u8>, result| all.push((kind, bytes, result));
    for n in 0..8 {
        let double =
            twice(["return n * 2;", "return n + n;", "return 2 * n;", "let m = n; return m + n;"][n % 4]);
        let formula = "fn total(n: int) -> int { return n * (n + 1) / 2; }";
        add("right", solved(if n < 4 { RIGHT } else { formula }, &double).into(), "reached");
    }
    for body in [
        "return n * 3;",
        "return n;",
        "return 0;",
        "return n / 0;",
        "return n * 2 + 1;",
        "return [n][1];",
        "return -n;",
    ] {
        add("wrong", solved(RIGHT, &twice(body)).into(), "missing");
    }
    add("untouched", TASK.into(), "missing");
    for body in ["while true { } return 0;", "return total(n);", "while n >= 0 { n += 0; } return n;"] {
        let endless = format!("fn total(n: int) -> int {{ {body} }}");
        add("endless", solved(&endless, &twice("return n * 2;")).into(), "missing");
    }
    for text in ["fn total(", "return", "fn total(n: int) -> int { return m; }", ""] {
        let result = if text.is_empty() { "changed" } else { "invalid" };
        add("broken", text.into(), result);
    }
    add("cheat", solved(RIGHT, &twice("return n;")).replace("== 6", "== 3").into(), "changed");
    add("header", file("//! goal: tests pass\n", &solved(RIGHT, &twice("return n + n;"))).into(), "reached");
    let nested = |count| format!("{}1{}", "(".repeat(count), ")".repeat(count));
    add("deep", solved(RIGHT, &twice(&format!("return n * 2 * {};", nested(40)))).into(), "reached");
    add("deeper", format!("fn f() -> int {{ return {}; }}", nested(40_000)).into(), "invalid");
    add("braces", "{".repeat(60_000).into(), "invalid");
    add("huge", vec![b'a'; 8 << 20], "invalid");
    add("binary", (0..=255).cycle().take(5_000).collect(), "unreadable");
    all.into_iter()
        .enumerate()
        .map(|(n, (kind, bytes, result))| (format!("{n:02}-{kind}.myr"), bytes, result))
        .collect()
}

/// Writes a class and its lesson.
fn class(pupils: &[(String, Vec<u8>, &'static str)]) -> (tempfile::TempDir, [String; 3]) {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str, bytes: &[u8]| std::fs::write(at(name), bytes).expect("written");
    std::fs::create_dir(at("class")).expect("a folder");
    write("lesson.myr", file("//! goal: tests pass\n", TASK).as_bytes());
    write("solved.myr", solved(RIGHT, &twice("return 2 * n;")).as_bytes());
    pupils.iter().for_each(|(name, bytes, _)| write(&format!("class/{name}"), bytes));
    let paths = ["lesson.myr", "solved.myr", "class"].map(|name| at(name).display().to_string());
    (folder, paths)
}

fn results(called: &Called) -> BTreeMap<String, String> {
    let name =
        |path: &Value| path.as_str().and_then(|path| path.rsplit('/').next()).expect("a name").to_string();
    let files = called.json();
    let files = files["files"].as_array().expect("files").clone();
    files
        .iter()
        .map(|row| (name(&row["file"]), row["result"].as_str().expect("a result").to_string()))
        .collect()
}

#[test]
fn class_of_thirty_is_graded_in_one_call() {
    let pupils = pupils();
    assert_eq!(pupils.len(), 30);
    let (_folder, [lesson, _, class]) = class(&pupils);
    let started = Instant::now();
    let called = myriad(&["learn", "--grade", &lesson, &class, "--format", "json"], b"");
    let elapsed = started.elapsed();
    let wanted: BTreeMap<String, String> =
        pupils.iter().map(|(name, _, result)| (name.clone(), result.to_string())).collect();
    assert_eq!(results(&called), wanted);
    assert_eq!(called.code, 1);
    println!("graded in {elapsed:?}");
    assert!(elapsed < Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 10 }), "{elapsed:?}");

    let text = myriad(&["learn", "--grade", &lesson, &class], b"");
    let rows: Vec<&str> = text.stdout.lines().collect();
    assert!(rows[0].ends_with("1 goal: 10 of 30 files reached"), "{}", text.stdout);
    // Seven files double wrongly.
    assert_eq!((rows[32], rows[33]), ("", "files that fail on the same inputs:"), "{}", text.stdout);
    assert!(
        rows[35].trim_start().starts_with("7  double(3) == 6  ") && rows[35].contains("08-wrong.myr"),
        "{}",
        rows[35]
    );
    assert_eq!(called.json()["mistakes"][0]["files"].as_array().map(Vec::len), Some(7));
    for ((name, _, result), row) in pupils.iter().zip(&rows[2..]) {
        assert!(row.contains(name) && row.contains(result), "{row}");
        assert!(row.chars().count() < 300, "{row}");
    }
    let csv = myriad(&["learn", "--grade", &lesson, &class, "--csv"], b"");
    let rows: Vec<&str> = csv.stdout.lines().collect();
    assert_eq!((rows.len(), rows[0]), (31, "file,result,reached,goals,tests pass,note"));
    assert!(rows[1].ends_with("00-right.myr,reached,1,1,reached,"), "{}", rows[1]);
}

#[test]
fn endless_grading_ends_at_its_time_limit() {
    // A property with many inputs, each of which runs long but ends.
    let slow =
        "fn total(n: int) -> int { let s = 0; for i in 0..50000 { s = s + i; } return n * (n + 1) / 2; }";
    let task = TASK.replace("in 0..50", "in 0..100000, m in 0..1000, k in 0..1000");
    let slow = task.replace(TOTAL, slow).replace(DOUBLE, &twice("return n * 2;"));
    let (folder, [lesson, _, class]) = class(&[("a.myr".into(), slow.into(), "timeout")]);
    std::fs::write(folder.path().join("lesson.myr"), file("//! goal: tests pass\n", &task)).expect("written");
    let started = Instant::now();
    let called = myriad(&["learn", "--grade", &lesson, &class, "--seconds", "0.2", "--format", "json"], b"");
    assert!(started.elapsed() < Duration::from_secs(20));
    let found = results(&called);
    assert!(["timeout", "reached"].contains(&found["a.myr"].as_str()), "{}", called.stdout);
}

#[test]
fn grading_needs_a_lesson_and_files() {
    let (_folder, [lesson, solved, class]) = class(&[]);
    for (words, said) in [
        (vec!["learn", "--grade", &lesson], "no pupil's file is named"),
        (vec!["learn", "--grade", "tokans", &solved], "did you mean"),
        (vec!["learn", "--grade", &lesson, &class], "there is no program in"),
        (vec!["learn", "--csv", &lesson], "--grade"),
    ] {
        let called = myriad(&words, b"");
        assert!(called.code == 2 && called.stderr.contains(said), "{called:?}");
    }
}

#[test]
fn pupils_who_replace_the_judge_are_refused() {
    let base = "fn f(x: int) -> int { return 0; }\nfn oracle(x: int) -> int { return x + x; }\n";
    let tests = "test f(2) == oracle(2);\nprop x in -50..50 => f(x) == oracle(x);\n";
    let right = base.replace("return 0", "return x * 2");
    let pupil = |code: &str, tests: &str| format!("{code}{tests}").into_bytes();
    let weak = tests.replacen("oracle(2)", "oracle(2) || true", 1);
    let files = [
        ("a", pupil(&right, tests), "reached"),
        ("b", pupil(base, tests), "missing"),
        ("c", pupil(&base.replace("return 0", "return 1").replace("x + x", "1"), tests), "changed"),
        ("d", pupil(&base.replace("return 0", "return -x + x"), &weak), "changed"),
        ("e", pupil(&right.replace("oracle", "other"), &tests.replace("oracle", "other")), "changed"),
        ("f", pupil(&right, &format!("fn more(x: int) -> int {{ return x; }}\n{tests}")), "reached"),
        ("g", pupil(&base.replace("x + x", "0"), tests), "changed"),
        ("👩\u{200d}🚀", pupil(&right, tests), "reached"),
    ];
    let files = files.map(|(name, bytes, result)| (format!("{name}.myr"), bytes, result));
    let (folder, [lesson, solved, class]) = class(&files);
    std::fs::write(&lesson, file("//! goal: tests pass\n", &format!("{base}{tests}"))).expect("written");
    // Without a solution, nobody knows which of the two judges the other.
    let called = myriad(&["learn", "--grade", &lesson, &class], b"");
    assert!(called.code == 2 && called.stderr.contains("one test uses fn f, fn oracle"), "{called:?}");
    std::fs::write(folder.path().join("lesson.solution.myr"), pupil(&right, tests)).expect("written");
    let called = myriad(&["learn", "--grade", &lesson, &class, "--format", "json"], b"");
    let wanted: BTreeMap<String, String> =
        files.iter().map(|(name, _, result)| (name.clone(), result.to_string())).collect();
    assert_eq!(results(&called), wanted, "{called:?}");
    assert!(called.stdout.contains("fn oracle must stay"), "{called:?}");
    // If the solution changes both, pupils may change one of them.
    let both = right.replace("x + x", "2 * x");
    std::fs::write(&solved, pupil(&both, tests)).expect("written");
    let called = myriad(&["learn", "--grade", &lesson, &class, "--solution", &solved, "--format", "json"], b"");
    assert!(called.stdout.contains("fn f or fn oracle must stay: a test compares them"), "{called:?}");
    // A table shows names with placeholders, and data has the names.
    let table = myriad(&["learn", "--grade", &lesson, &class], b"");
    let csv = myriad(&["learn", "--grade", &lesson, &class, "--csv"], b"");
    assert!(table.stdout.contains("👩‹200d›🚀.myr") && csv.stdout.contains("👩\u{200d}🚀.myr"), "{csv:?}");
    // A file without the function is not right, whatever else it has.
    std::fs::write(&solved, format!("{right}{tests}")).expect("written");
    let alone = folder.path().join("alone");
    std::fs::create_dir(&alone).expect("created");
    let other = right.split_once('\n').expect("two functions").1;
    let typed = right.replace("fn f(x: int)", "fn f(x: int, y: int)").replace("f(2)", "f(2, 2)");
    for (name, text) in [("a", ""), ("b", other), ("c", &typed), ("d", &right)] {
        std::fs::write(alone.join(name).with_extension("myr"), text).expect("written");
    }
    let alone = alone.display().to_string();
    let called = myriad(&["repair", "--reference", &solved, &alone], b"");
    let rows: Vec<&str> = called.stdout.lines().skip(2).collect();
    for (row, said) in rows.iter().zip(["`f`, `oracle` missing", "`f` missing", "`f` missing", "right"]) {
        assert!(row.contains(said), "{called:?}");
    }
    assert_eq!((rows.len(), called.code), (4, 1));
    let called = myriad(&["repair", "--reference", &solved, &format!("{alone}/b.myr")], b"");
    assert!(called.code == 1 && called.stderr.contains("lacks `f` of the reference"), "{called:?}");
}

/// A test may judge with a function that returns a bool, with what that one calls, and with a constant.
#[test]
fn judges_of_any_kind_must_stay() {
    let base = "const TOP = 10;\nfn limit(x: int) -> int { return x; }\n\
                fn same(a: int, b: int) -> bool { return a == b; }\n\
                fn right(x: int) -> bool { return same(limit(x), min(x, TOP)); }\n\
                test right(20);\ntest right(3);\n";
    let solution = base.replace("return x;", "return min(x, TOP);");
    let cheats = [
        ("TOP = 10", "TOP = 20", "changed"),
        ("return a == b;", "return true;", "changed"),
        ("return same(limit(x), min(x, TOP));", "return true;", "changed"),
        ("return x;", "if x > 10 { return 10; } return x;", "reached"),
        (
            "fn limit(x: int) -> int { return x; }",
            "fn limit(x: int) -> int { return cut(x); } fn cut(x: int) -> int { return min(TOP, x); }",
            "reached",
        ),
    ];
    let names = ["a.myr", "b.myr", "c.myr", "d.myr", "e.myr"];
    let file_of = |(name, (from, to, result)): (&str, (&str, &str, &'static str))| {
        (name.to_string(), base.replace(from, to).into_bytes(), result)
    };
    let files: Vec<_> = names.into_iter().zip(cheats).map(file_of).collect();
    let (folder, [lesson, _, class]) = class(&files);
    std::fs::write(&lesson, file("//! goal: tests pass\n", base)).expect("written");
    assert_eq!(myriad(&["learn", "--grade", &lesson, &class], b"").code, 2);
    std::fs::write(folder.path().join("lesson.solution.myr"), solution).expect("written");
    let called = myriad(&["learn", "--grade", &lesson, &class, "--format", "json"], b"");
    let wanted: BTreeMap<String, String> =
        files.iter().map(|(name, _, result)| (name.clone(), result.to_string())).collect();
    assert_eq!(results(&called), wanted, "{called:?}");
}

/// Two hundred files: one table, a page for each, and the groups.
#[test]
fn class_of_two_hundred_has_a_page_for_each_pupil() {
    let wrong = ["return n * 3;", "return n + 3;", "return -n;"];
    let pupils: Vec<(String, Vec<u8>, &str)> = (0..200)
        .map(|n| {
            let double = if n % 4 == 0 { "return n * 2;" } else { wrong[n % 3] };
            let text = format!("// <{n}>\n{}", solved(RIGHT, &twice(double)));
            (format!("{n:03}.myr"), text.into_bytes(), "")
        })
        .collect();
    let (folder, [lesson, _, class]) = class(&pupils);
    let pages = folder.path().join("marks");
    let marks = pages.display().to_string();
    let started = Instant::now();
    myriad(&["learn", "--grade", &lesson, &class, "--pages", &marks], b"");
    let elapsed = started.elapsed();
    println!("graded in {elapsed:?}");
    assert!(elapsed < Duration::from_secs(if cfg!(debug_assertions) { 300 } else { 60 }), "{elapsed:?}");
    assert_eq!(std::fs::read_dir(&pages).expect("pages").count(), 201);
    let read = |name: &str| std::fs::read_to_string(pages.join(name)).expect(name);
    let index = read("index.html");
    assert!(index.contains("100 of 200 files reach every goal"), "{index}");
    assert_eq!(index.matches("<tr><td><a href=\"").count(), 200);
    assert!(index.contains("<h2>Mistakes</h2>") && index.contains("<code>double(3) == 6</code>"), "{index}");
    let right = read("001-000.html");
    assert!(right.contains("1 of 1 goal: reached") && right.contains("&lt;0&gt;"), "{right}");
    let failed = read("003-002.html");
    assert!(failed.contains("double(3) == 6") && failed.contains("this is false"), "{failed}");
}

#[test]
fn changes_that_several_files_miss_are_a_group() {
    let base = "fn fee(n: int) -> int { if n > 5 { return 7; } return 3; }\ntest fee(1) == 3;\n";
    let more = ["", "test fee(9) == 7;\n", "test fee(6) == 7;\ntest fee(5) == 3;\n"];
    let names = ["a.myr", "b.myr", "c.myr"];
    let pupil = |(name, more): (&str, &str)| (name.to_string(), format!("{base}{more}").into_bytes(), "");
    let files: Vec<_> = names.into_iter().zip(more).map(pupil).collect();
    let (folder, [lesson, _, class]) = class(&files);
    std::fs::write(&lesson, file("//! keep: fee\n//! goal: tests pass\n", base)).expect("written");
    let marks = folder.path().join("marks");
    let pages = marks.display().to_string();
    let words = ["learn", "--grade", &lesson, &class, "--pages", &pages, "--format", "json"];
    let missed = myriad(&words, b"").json()["missed"].as_array().expect("groups").clone();
    let of = |change: &str| {
        let group = missed
            .iter()
            .find(|group| group["about"][0].as_str().is_some_and(|about| about.starts_with(change)));
        group.and_then(|group| group["files"].as_array()).map(Vec::len)
    };
    assert_eq!((of("fee: > → >= in `fn fee(n: int)"), of("fee: n > 5 → true")), (Some(2), None), "{missed:?}");
    let page = std::fs::read_to_string(marks.join("002-b.html")).expect("a page");
    assert!(page.contains("<code>test fee(5) == 3;</code>"), "{page}");
    let table = myriad(&["learn", "--grade", &lesson, &class], b"");
    assert!(table.stdout.contains("files that have tests that miss the same change:"), "{}", table.stdout);
}

#[test]
fn reference_yields_a_line_for_each_pupil() {
    let files = [
        ("a.myr", solved(RIGHT, &twice("return n + n;"))),
        ("b.myr", solved(RIGHT, &twice("return n + 2;"))),
        ("c.myr", "fn double(n: int) -> int { return m; }\n".into()),
        ("d.myr", solved(&RIGHT.replace("n + 1", "n"), &twice("return 2 * n;"))),
    ];
    let files: Vec<_> =
        files.into_iter().map(|(name, text)| (name.to_string(), text.into_bytes(), "")).collect();
    let (folder, [_, solved, class]) = class(&files);
    std::fs::write(folder.path().join("class/e.myr"), b"\xff\xfe").expect("written");
    let called = myriad(&["repair", "--reference", &solved, &class], b"");
    let rows: Vec<&str> = called.stdout.lines().collect();
    assert_eq!(rows.len(), 7, "{called:?}");
    assert!(rows[0].starts_with("1 of 5 files equal the reference"), "{}", rows[0]);
    for (row, said) in rows[2..].iter().zip(["right", "repairable", "invalid", "repairable", "unreadable"]) {
        assert!(row.contains(said), "{row}");
    }
    // Line 3 has `double`, line 2 has `total`.
    assert!(rows[3].contains("  3  ") && rows[5].contains("  2  "), "{}", called.stdout);
    let json = myriad(&["repair", "--reference", &solved, &class, "--format", "json"], b"").json();
    let hint = &json["files"][1]["hint"];
    assert_eq!(hint["line"], 3);
    assert!(hint["rule"].is_string() && hint["text"].is_string(), "{hint}");
    assert!(json["files"][0].get("hint").is_none());
}
