//! Repair with a reference: a right program instead of tests, and hints for pupils.

use crate::common::command::myriad;

const RIGHT: &str = "\
fn larger(a: int, b: int) -> int {
    if a > b { return a; }
    return b;
}
fn total(xs: [int]) -> int {
    let sum = 0;
    for x in xs { sum += x; }
    return sum;
}
fn twice(n: int) -> int { return n + n; }
prop a in -9..9, b in -9..9 => larger(a, b) >= a;
";

const PUPIL: &str = "\
fn larger(a: int, b: int) -> int {
    if a < b { return a; }
    return b;
}
// They thought that it must be the smaller one.
test larger(2, 1) == 1;
fn total(xs: [int]) -> int {
    let sum = 1;
    for x in xs { sum += x; }
    return sum;
}
test \"one\": total([1]) == 2; // für einen
";

fn against(options: &[&str], pupil: &str) -> crate::common::command::Called {
    let folder = tempfile::tempdir().expect("a folder");
    let right = folder.path().join("right.myr");
    std::fs::write(&right, RIGHT).unwrap();
    let words = [&["repair", "-", "--reference", right.to_str().unwrap()], options].concat();
    myriad(&words, pupil.as_bytes())
}

/// A reference defines what is correct, even against the program's own tests.
#[test]
fn reference_overrides_the_programs_tests() {
    let document = against(&["--format", "json"], PUPIL).file();
    assert_eq!(document["differ"], serde_json::json!(["larger", "total"]));
    assert_eq!(document["missing"], serde_json::json!(["twice"]));
    let edits = document["repairs"][0]["edits"].as_array().unwrap();
    let told: Vec<String> = edits
        .iter()
        .map(|edit| format!("{}: {} → {}", edit["line"], edit["original"], edit["replacement"]))
        .collect();
    assert_eq!(told, ["2: \"<\" → \">\"", "8: \"1\" → \"0\""]);
    let text = against(&[], PUPIL).stdout;
    assert!(
        text.starts_with("<stdin>: `larger`, `total` differ from the reference, which also has `twice`"),
        "{text}"
    );
    // Without differences there is nothing to do.
    let same = against(&[], RIGHT);
    assert_eq!((same.code, &*same.stdout), (0, "<stdin>: `larger`, `total`, `twice` as the reference\n"));
    // A program that no rule can repair is reported.
    let hopeless = against(&[], "fn twice(n: int) -> int { return 77; }\n");
    assert_eq!(hopeless.code, 1, "{hopeless:?}");
    assert!(hopeless.stderr.contains("no repair of `twice`"), "{hopeless:?}");
}

#[test]
fn hints_reveal_only_the_requested_detail() {
    let line = against(&["--hint", "line"], PUPIL).stdout;
    assert!(line.contains("   1. look at line 2\n") && line.contains("& look at line 8\n"), "{line}");
    assert!(!line.contains('→') && !line.contains("operator"), "{line}");
    let operator = against(&["--hint", "operator"], PUPIL).stdout;
    assert!(operator.contains("2:10  operator    <\n") && !operator.contains('→'), "{operator}");
    let document = against(&["--hint", "line", "--format", "json"], PUPIL).file();
    let edit = document["repairs"][0]["edits"][0].as_object().unwrap();
    assert_eq!(edit.keys().collect::<Vec<_>>(), ["line"]);
    let both = against(&["--hint", "line", "--apply"], PUPIL);
    assert_eq!(both.code, 2);
}

/// Both programs are read like any other: errors in the reference are reported, and nothing is lost.
#[test]
fn missing_or_broken_reference_is_refused() {
    for (reference, said) in [("no/such.myr", "no/such.myr"), ("samples/broken.myr", "has errors")] {
        let called = myriad(&["repair", "samples/gcd.myr", "--reference", reference], b"");
        assert_eq!(called.code, 2, "{called:?}");
        assert!(called.stderr.contains(said), "{called:?}");
    }
}
