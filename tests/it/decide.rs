//! Deciding inputs: which codes they distinguish, and when they are adequate.

use std::sync::Arc;

use myriad::compiler::stage::Compiler;
use myriad::compiler::stage::execute::{Machine, Start};
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::lang::index::{Index, Indices, RoutineId};
use myriad::lang::level::OptLevel;
use myriad::network::{assembler, source, target};
use myriad::testing::decide::{Coverage, Decide, Decider, Decision, Given, Pool, Ways, calls_of_entries};

/// Compares the first functions of two programs, whose variables and constants come in the same order.
fn decide(text: &str, other: &str) -> Decision {
    let mut engine = CpuEngine::with_threads(1);
    let mut base = |text: &str| {
        let text: Arc<str> = text.into();
        let compiled = engine.base(&text, &|| false).unwrap().compiled;
        assert!(compiled.facts.compiles(), "{text}");
        compiled
    };
    let (own, other) = (base(text), base(other));
    let source = source::read(&own.program(), RoutineId::new(0)).unwrap();
    let words = target::write(&other.program(), RoutineId::new(0), &source.tables).unwrap();
    let code = assembler::assemble(&source.tables, &words, own.executable.end()).unwrap();
    let mut decider = Decider::new(&own, RoutineId::new(0));
    let decision = decider.decide(&code, &|| false).unwrap();
    assert_eq!(
        decider.decide(&code, &|| false).unwrap(),
        decision,
        "the search depends on nothing but the codes"
    );
    if decider.differs(&code, &|| false) == Some(true) {
        assert!(decision.differs.is_some());
    }
    decision
}

/// Both ways of the test at a loop's end count, as those of the test at its beginning.
#[test]
fn rotated_loops_take_both_ways_of_both_tests() {
    let mut compiler = Compiler::at(OptLevel::Whole);
    for text in [
        "fn f(n: int) -> int { let r = 0; for i in 0..n { r += i; } return r; }",
        "fn f(n: int) -> int { let r = n; while r > 1 { r -= 2; } return r; }",
    ] {
        compiler.compile(text);
        let own = compiler.compiled(&text.into()).executable;
        let mut machine = Machine::default();
        machine.load(&own);
        let function = own.routine(RoutineId::new(0)).unwrap();
        let code = Indices::new(function.address(), own.end());
        let mut coverage = Coverage::new(&own.code.word, code);
        let mut taken = Vec::new();
        for n in [1, 0, 3, 9] {
            let start = Start { routine: function.id, fuel: 1_000, depth: 1, origin: 0 };
            machine.call_before(&own, start, &[n], &mut coverage.follow());
            taken.push(coverage.ways().taken);
        }
        let all = coverage.ways().all;
        assert!(taken.is_sorted() && taken[0] < all && taken[3] == all, "{text}: {taken:?} of {all}");
    }
}

#[test]
fn deciding_inputs_include_rare_values() {
    for (own, other) in [
        // A constant, and the value next to it.
        ("if a == 73812 { return 1; } return 2;", "if a == 73812 { return 2; } return 2;"),
        ("if a > 73812 { return 1; } return 2;", "if a >= 73812 { return 1; } return 2;"),
        // A string, and a string with one more character.
        ("if xs == \"admin\" { return a; } return 2;", "if xs == \"admin\" { return a + 1; } return 2;"),
        (
            "if len(xs) > 5 && xs[0] == 'q' { return 1; } return 2;",
            "if len(xs) >= 5 && xs[0] == 'q' { return 1; } return 2;",
        ),
        // A value that no constant contains: the operands of the comparison lead to it.
        ("if a * 3 + 7 == b { return 1; } return 2;", "if a * 3 + 7 == b { return 2; } return 2;"),
        (
            "let s = 0; for x in xs { s += x; } if s == 4711 { return 1; } return 2;",
            "let s = 0; for x in xs { s += x; } if s == 4711 { return 2; } return 2;",
        ),
        // Overflow, a trap, and a trap in a called function.
        ("return g(a + 24, 1);", "if a + 24 == -1 { return 1; } return g(a + 24, 1);"),
        ("return a * 2 / 2;", "return a * 1 / 1;"),
        ("return 100 / (a - 31337);", "if a == 31337 { return 0; } return 100 / (a - 31337);"),
    ] {
        let called = "fn g(n: int, s: int) -> int { if s % (n + 1) <= s { return 1; } return 0; }";
        let program = |body: &str| format!("fn f(a: int, b: int, xs: [int; 12]) -> int {{ {body} }} {called}");
        let decision = decide(&program(own), &program(other));
        assert!(decision.differs.is_some(), "{own} and {other}: {decision:?}");
    }
}

#[test]
fn equal_code_with_all_branches_taken_is_adequate() {
    let program = |body: &str| format!("fn f(a: int, b: int, xs: [int; 12]) -> int {{ {body} }}");
    for (own, other) in [
        ("if a < b { return 1; } return 2;", "if a >= b { return 2; } return 1;"),
        (
            "if a == 73812 && b == -4 { return 1; } return 2;",
            "if b == -4 && a == 73812 { return 1; } return 2;",
        ),
        (
            "for x in xs { if x == 'q' { return 1; } } return 2;",
            "for x in xs { if x != 'q' { continue; } return 1; } return 2;",
        ),
    ] {
        let decision = decide(&program(own), &program(other));
        assert_eq!(decision.differs, None, "{own} and {other}");
        assert!(decision.is_adequate() && decision.inputs > 16_384, "{own} and {other}: {decision:?}");
    }
}

#[test]
fn prepared_inputs_are_rated_by_the_mutants_of_the_function() {
    // Mutants of the second function do not count.
    for (text, all) in [
        ("fn f(a: int) -> int { return a + 1; }", true),
        (
            "fn f(a: int) -> int { if a > 0 { return a; } return 0; } fn g(a: int) -> int { return a + 1; }",
            false,
        ),
    ] {
        let compiled = CpuEngine::with_threads(1).base(&text.into(), &|| false).unwrap().compiled;
        let mut decider = Decider::new(&compiled, RoutineId::new(0));
        let kills = decider.kills(&|| false).unwrap().expect("mutants");
        assert!(kills.killed > 0 && (kills.killed == kills.all) == all, "{text}: {kills:?}");
        let decision =
            decider.decide(compiled.executable.routine(RoutineId::new(0)).unwrap().words(), &|| false);
        assert!(decision.is_some_and(|decision| decision.differs.is_none()), "the machine is restored");
    }
}

#[test]
fn unreachable_branch_makes_the_decision_inadequate() {
    let dead = "fn f(a: int) -> int { if a * a + a & 1 == 1 { return 1; } return 2; }";
    let decision = decide(dead, "fn f(a: int) -> int { return 2; }");
    assert_eq!(decision.differs, None);
    assert!(
        !decision.own.is_complete() && decision.code == Ways::default() && !decision.is_adequate(),
        "{decision:?}"
    );
    assert!(decision.ways().taken < decision.ways().all);
}

#[test]
fn arguments_of_tests_are_tried() {
    let mut engine = CpuEngine::with_threads(1);
    let text: Arc<str> = "fn f(xs: [int; 12], a: int) -> int { return len(xs) + a; }
test f([9, 1, 4, 7, 2, 2, 8], 3) == 10;
prop n in 5..9 => f([n], 60 + n) > 0;"
        .into();
    let compiled = engine.base(&text, &|| false).unwrap().compiled;
    let calls = calls_of_entries(&compiled, RoutineId::new(0), &mut Machine::default(), &|| false).unwrap();
    let lists = |given: &Given| given[0].clone();
    assert!(calls.iter().any(|given| lists(given) == [9, 1, 4, 7, 2, 2, 8] && given[1] == [3]), "{calls:?}");
    assert!((5..9).all(|n| calls.contains(&vec![vec![n], vec![60 + n]])), "{calls:?}");
    let pool = Pool::new(&compiled, RoutineId::new(0), calls);
    assert!([5, 9, 60].iter().all(|bound| pool.ints.contains(bound)), "{pool:?}");
    assert!(pool.lists.contains(&vec![9, 1, 4, 7, 2, 2, 8]), "{pool:?}");
}

#[test]
fn a_search_can_be_cancelled() {
    let mut engine = CpuEngine::with_threads(1);
    let text: Arc<str> = "fn f(a: int) -> int { return a; }".into();
    let compiled = engine.base(&text, &|| false).unwrap().compiled;
    let mut decider = Decider::new(&compiled, RoutineId::new(0));
    assert_eq!(decider.differs(&[], &|| true), None);
    assert_eq!(decider.decide(&[], &|| true), None);
}
