//! Tests generated for a function.

use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::workbench::example::{NoTest, generate_test};

fn tests(text: &str) -> Vec<Result<String, NoTest>> {
    let base = CpuEngine::with_threads(1).base(&text.into(), &|| false).expect("it does not fail");
    assert_eq!(base.compiled.facts.errors, 0, "{text}");
    base.compiled.functions().iter().map(|function| generate_test(&base.compiled, function)).collect()
}

#[test]
fn generated_test_expects_the_functions_value() {
    let text = "\
fn gcd(a: int, b: int) -> int { while b != 0 { let t = a % b; a = b; b = t; } return a; }
fn even(n: int) -> bool { return n % 2 == 0; }
fn not(b: bool) -> bool { return !b; }
fn tail(xs: [int; 2]) -> [int; 2] { return xs[1..len(xs)]; }
fn flip(a: [bool], b: bool) -> [bool] { return [b] + a; }
fn seven() -> int { return 7; }
fn needs_two(xs: [int]) -> int { return 100 / (len(xs) - len(xs) / 3 * 3 - 1); }
fn minus(n: int) -> int { return 0 - n; }
fn never(n: int) -> int { return n / 0; }
fn spin(n: int) -> int { while true { } }
";
    let expected = [
        Some("test gcd(12, 18) == 6;"),
        Some("test even(12) == true;"),
        Some("test not(false) == true;"),
        Some("test tail([3, 1]) == [1];"),
        Some("test flip([true, false, true], false) == [false, true, false, true];"),
        Some("test seven() == 7;"),
        Some("test needs_two([3, 1, 2]) == -100;"),
        Some("test minus(12) == -12;"),
        None,
        None,
    ];
    let expected = expected.map(|e| e.map(str::to_string).ok_or(NoTest::NoValue));
    assert_eq!(tests(text), expected);
}

#[test]
fn existing_test_is_not_generated_again() {
    let twice = "fn twice(n: int) -> int { return n * 2; }\n";
    assert_eq!(tests(twice), [Ok("test twice(12) == 24;".to_string())]);
    for there in ["test twice(12) == 24;", "test \"of twelve\": twice( 12 )==24 ;"] {
        assert_eq!(tests(&format!("{twice}{there}\n")), [Ok("test twice(18) == 36;".to_string())], "{there}");
    }
    let comment = format!("{twice}// test twice(12) == 24;\n");
    assert_eq!(tests(&comment), [Ok("test twice(12) == 24;".to_string())], "a comment is no test");
    assert_eq!(tests("fn one() -> int { return 1; }\ntest one() == 1;\n"), [Err(NoTest::Written)]);
}

#[test]
fn most_sample_functions_get_a_generated_test() {
    for sample in myriad::lang::samples::all().into_iter().filter(|sample| sample.name != "broken.myr") {
        let found = tests(sample.text);
        let some = found.iter().flatten().count();
        assert!(2 * some > found.len(), "{}: {found:?}", sample.name);
    }
}
