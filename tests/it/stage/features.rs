//! The features of a function.

use myriad::compiler::stage::Compiler;
use myriad::compiler::stage::route::features::{Feature, Features, MOST, of};
use myriad::lang::index::{Index, RoutineId};

fn features(text: &str) -> Features {
    let mut compiler = Compiler::default();
    compiler.compile(text);
    assert!(compiler.compiles(), "{text}");
    of(&compiler.compiled(&text.into()), RoutineId::new(0)).unwrap()
}

#[test]
fn features_count_constructs_of_the_function() {
    let found = features(
        "fn f(xs: [int], n: int) -> int {
            let ys = [0; 3];
            for i in 0..len(xs) {
                while n > 1 && xs[i] != 0 { n = f(xs[1..2], n - 1); }
                if n == 'a' { ys = [1, 2]; }
            }
            return max(n, ys[0]) + len(\"abc\");
        }",
    );
    use Feature::{Branches, Calls, Constants, Functions, Length, Lists, Loops, Nesting, Variables};
    for (feature, expected) in [
        (Length, 96),
        (Nesting, 5),
        (Loops, 2),
        (Branches, 2),
        (Functions, 1),
        (Calls, 3),
        (Lists, 7),
        (Constants, 15),
        (Variables, 4),
    ] {
        assert_eq!(found[feature as usize], expected, "{}", feature.name());
    }
}

#[test]
fn features_of_long_functions_are_capped() {
    let found = features(&format!("fn f() -> int {{ return 1{}; }}", " + 1".repeat(900)));
    assert_eq!((found[Feature::Length as usize], found[Feature::Constants as usize]), (MOST, 901));
    assert_eq!(found[Feature::Rarity as usize], MOST);
}

#[test]
fn missing_or_invalid_function_has_no_features() {
    let mut compiler = Compiler::default();
    compiler.compile("fn f() -> int { return 1; } test f() == 1;");
    assert_eq!(of(&compiler.compiled(&"".into()), RoutineId::new(1)), None);
    compiler.compile("fn f() -> int { return x; }");
    assert_eq!(of(&compiler.compiled(&"".into()), RoutineId::new(0)), None);
}
