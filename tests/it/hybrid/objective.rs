//! The router's objective, with fixed times: executions are counted, costs compared, and regret is computed.

use std::collections::BTreeMap;
use std::sync::Arc;

use myriad::compiler::program::Compiled;
use myriad::compiler::stage::Compiler;
use myriad::compiler::stage::route::features::FEATURES;
use myriad::compiler::stage::route::score::{Coefficients, Score, Scored, UNIT};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, Kind};
use myriad::host::measure::stat::Line;
use myriad::lang::index::{Index, Indices, RoutineId};
use myriad::lang::level::OptLevel;
use myriad::learned::hybrid::objective::hindsight::{Calls, Levels};
use myriad::learned::hybrid::objective::history::{Counted, group};
use myriad::learned::hybrid::objective::{Executions, History, Pricing, Profile, Times, Way, Workload};
use myriad::learned::hybrid::regret::{Case, Regret, curve};
use myriad::learned::hybrid::router::{Path, Route, Router, Settings, Why};
use myriad::learned::synthesis::evaluation::Set;

const PROGRAM: &str = "fn inc(a: int) -> int { return a + 1; }
fn sum(n: int) -> int { let s = 0; for i in 0..n { s = inc(s); } return s; }
fn unused(n: int) -> int { return n - 1; }
fn deep(n: int) -> int { if n <= 0 { return 0; } return 1 + deep(n - 1); }
test sum(5) == 5;
test deep(9) == 9;
prop n in 0..4 => sum(n) == n;
";

fn compiled(text: &str) -> Compiled {
    let mut compiler = Compiler::default();
    compiler.compile(text);
    assert!(compiler.compiles());
    compiler.compiled(&text.into())
}

/// Times in seconds: a program of `n` instructions takes (level + 1) n µs, a step takes 1 ns.
fn times() -> Times {
    let line = |level: i32| Line { fixed: 0.0, each: f64::from(level + 1) * 1e-6 };
    Times { levels: [line(0), line(1), line(2), line(3)], step: 1e-9 }
}

fn history() -> History {
    let counted = |loops: u32, functions: u32| {
        let mut features = [0; FEATURES];
        (features[2], features[4]) = (loops, functions);
        Counted { features, steps: [120.0, 100.0, 50.0, 40.0], network: Some(25.0) }
    };
    History::fit("a test", &[counted(0, 0), counted(1, 0), counted(0, 1), counted(1, 1)])
}

fn pricing(executions: f64) -> Pricing {
    let executions = Executions { tests: executions, ..Executions::default() };
    let workload = Workload { executions, steps: 100.0, instructions: 10 };
    let profile = Profile::new(BTreeMap::from([("f".to_string(), workload)]), 20);
    Pricing { times: times(), history: history(), profile, any_level: true }
}

fn scored(logit: f64) -> Scored {
    Scored { features: [0; FEATURES], score: Score((logit * UNIT) as i32) }
}

#[test]
fn profile_counts_outermost_calls_by_tests_and_properties() {
    let profile = Profile::of(&compiled(PROGRAM), &[], &|| false).expect("not cancelled");
    let tests = |name: &str| profile.workload(name).map(|own| own.executions.tests);
    assert_eq!(tests("sum"), Some(5.0), "one test and four inputs of a property");
    assert_eq!(tests("inc"), Some(5.0 + 6.0), "each round of each loop");
    assert_eq!(tests("deep"), Some(1.0), "a recursive call is part of its execution");
    assert_eq!(tests("unused"), Some(0.0));
    assert_eq!(profile.workload("missing"), None);
    let steps = |name: &str| profile.workload(name).map_or(0.0, |own| own.steps);
    assert!(steps("deep") > 50.0 && steps("inc") < 6.0, "{} {}", steps("deep"), steps("inc"));
    assert_eq!(steps("unused"), 0.0);
}

#[test]
fn profile_counts_the_mutants_of_other_functions_only() {
    let mut engine = CpuEngine::new();
    let text: Arc<str> = PROGRAM.into();
    let base = engine.base(&text, &|| false).expect("it compiles").compiled;
    let mut verdicts = Vec::new();
    let ids = Indices::first(engine.variants().first_order);
    engine.mutants(ids, &|| false, &mut |part| verdicts.extend(part.verdicts)).expect("verdicts");
    let profile = Profile::of(&base, &verdicts, &|| false).expect("not cancelled");
    let mutants = |name: &str| profile.workload(name).map_or(f64::NAN, |own| own.executions.mutants);
    // No other function is in the tests of `deep`, and none reaches `unused`.
    assert_eq!((mutants("deep"), mutants("unused")), (0.0, 0.0));
    // `sum` runs for the mutants of `inc`, and the other way round.
    assert!(mutants("sum") > 0.0 && mutants("inc") > 0.0, "{} {}", mutants("sum"), mutants("inc"));
    let none = Profile::of(&base, &[], &|| false).expect("not cancelled");
    assert_eq!(none.workload("sum").map(|own| own.executions.mutants), Some(0.0));
}

#[test]
fn call_of_a_function_is_one_execution_of_its_own_steps() {
    let compiled = compiled(PROGRAM);
    let deep = RoutineId::new(3);
    let of =
        |frame: Option<&[u32]>| *Profile::of_call(&compiled, deep, frame).workload("deep").expect("it exists");
    let (short, long) = (of(Some(&[2])), of(Some(&[20])));
    assert_eq!(short.executions, Executions { calls: 1.0, ..Executions::default() });
    assert!(short.executions.all() == 1.0 && long.steps > 5.0 * short.steps && short.steps > 10.0);
    assert_eq!(of(None).steps, 0.0);
    assert_eq!(Profile::of_call(&compiled, deep, None).functions().count(), 1);
}

#[test]
fn threshold_sends_low_scores_to_the_network_if_it_can_compile_them() {
    let own = OptLevel::Local;
    let mut case = case(1.0, 50.0);
    assert_eq!(case.by_threshold(f64::INFINITY, own), Way::Level(own), "the network cannot compile it");
    case.actual.allowed[Way::Network.place()] = true;
    assert_eq!(case.by_threshold(-19.0, own), Way::Network);
    assert_eq!(case.by_threshold(-21.0, own), Way::Level(own));
}

#[test]
fn cost_is_compilation_plus_executions_times_steps_times_time() {
    let mut router = Router::new(Settings::default(), Coefficients::default());
    let mut at = |executions: f64| {
        router.pricing = Some(pricing(executions));
        router.route("f", &scored(-20.0), OptLevel::Local, Kind::Cpu)
    };
    let decision = at(1_000.0);
    let all = decision.comparison.expect("executions are known");
    // Half of the program's 20 instructions are the function's.
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    close(all.total(Way::Level(OptLevel::Lowered)), 10e-6 + 1_000.0 * 120.0 * 1e-9);
    close(all.total(Way::Level(OptLevel::Whole)), 30e-6 + 1_000.0 * 50.0 * 1e-9);
    close(all.total(Way::Network), decision.costs.neural + 30e-6 + 1_000.0 * 25.0 * 1e-9);
    // The more often the code runs, the more a way may cost that saves steps.
    let chosen = [0.0, 200.0, 500.0, 2_000.0, 1e9].map(|executions| at(executions).way());
    let levels = [OptLevel::Lowered, OptLevel::Lowered, OptLevel::Whole, OptLevel::Learned].map(Way::Level);
    assert_eq!(chosen, [levels[0], levels[1], levels[2], levels[3], Way::Network].map(Some));
    let decision = at(1e9);
    assert_eq!((decision.path, decision.why), (Path::Neural, Why::LeastCost));
    assert!(decision.expected() < decision.counterfactual());
    let said = decision.to_string();
    assert!(said.starts_with("network costs least: ") && said.contains("; level 3: "), "{said}");
}

#[test]
fn unlikely_success_and_few_executions_keep_the_network_out() {
    let mut router = Router::new(Settings::default(), Coefficients::default());
    router.pricing = Some(pricing(1e9));
    let decision = router.route("f", &scored(20.0), OptLevel::Local, Kind::Cpu);
    assert_eq!(decision.way(), Some(Way::Level(OptLevel::Learned)), "the network would find nothing");
    let own = router.route("f", &scored(-20.0), OptLevel::Local, Kind::Cpu);
    assert_eq!(own.level(OptLevel::Local), OptLevel::Whole, "level 2 runs next to the network");
}

#[test]
fn paper_route_and_fixed_threshold_decide_by_score() {
    let mut router =
        Router::new(Settings { route: Route::Paper, ..Settings::default() }, Coefficients::default());
    router.pricing = Some(pricing(1e9));
    let decision = router.route("f", &scored(-20.0), OptLevel::Local, Kind::Cpu);
    assert_eq!((decision.path, decision.why, decision.way()), (Path::Traditional, Why::ProofNeedsBoth, None));
    assert!(decision.comparison.is_some(), "the costs are shown");
    assert_eq!(decision.level(OptLevel::Local), OptLevel::Local);
    router.settings = Settings { theta: Some(0.0), ..Settings::default() };
    let decision = router.route("f", &scored(-20.0), OptLevel::Local, Kind::Cpu);
    assert_eq!((decision.path, decision.why), (Path::Neural, Why::Fixed));
    // Functions whose executions are not known.
    router.settings = Settings::default();
    let decision = router.route("g", &scored(-20.0), OptLevel::Local, Kind::Cpu);
    assert_eq!((decision.why, decision.comparison), (Why::ProofNeedsBoth, None));
}

#[test]
fn fixed_level_leaves_the_network_as_the_alternative() {
    let mut router = Router::new(Settings::default(), Coefficients::default());
    router.pricing = Some(Pricing { any_level: false, ..pricing(2_000.0) });
    let decision = router.route("f", &scored(-20.0), OptLevel::Local, Kind::Cpu);
    assert_eq!(decision.way(), Some(Way::Level(OptLevel::Local)));
    assert_eq!(decision.level(OptLevel::Local), OptLevel::Local);
}

#[test]
fn steps_are_counted_at_every_level() {
    let program = compiled(PROGRAM);
    let levels = Levels::of(&program);
    let of = |place: u32| {
        let function = RoutineId::new(place);
        let calls = Calls::of(&program, function, &|| false).expect("not cancelled");
        let is_tested = matches!(calls, Calls::OfTests(_));
        (is_tested, levels.steps(function, &calls, &|| false).expect("not cancelled"))
    };
    let (is_tested, sum) = of(1);
    assert!(is_tested && sum[0] >= sum[1] && sum[1] > sum[2] && sum[2] >= sum[3] && sum[3] > 0.0, "{sum:?}");
    let (is_tested, unused) = of(2);
    assert!(!is_tested && unused[1] > 0.0, "{unused:?}");
    let parts = (0..program.facts.functions as usize).map(|place| levels.part(RoutineId::at(place))[1]);
    assert!(parts.sum::<f64>() < levels.seconds[1], "tests are compiled as well");
}

#[test]
fn shipped_history_has_all_groups_and_plausible_ratios() {
    let shipped = History::shipped();
    assert!(shipped.groups.iter().all(|group| group.functions >= 10), "{shipped:?}");
    for ratios in &shipped.groups {
        let [lowered, local, whole, learned] = ratios.steps;
        assert!(lowered >= local && local == 1.0 && whole <= 1.0 && learned <= whole, "{ratios:?}");
        assert!((0.0..=1.0).contains(&ratios.improved) && (0.0..=1.0).contains(&ratios.by), "{ratios:?}");
        assert!(ratios.network(0.0) == 1.0 && ratios.network(1.0) <= 1.0);
    }
    assert_eq!(serde_json::from_str::<History>(&shipped.text()).expect("what was written"), shipped);
    let mut features = [0; FEATURES];
    (features[2], features[4]) = (3, 1);
    assert_eq!(group(&features), 3);
}

fn case(executions: f64, actual_level_2: f64) -> Case {
    let all = pricing(executions).compare(
        "f",
        &scored(-20.0),
        myriad::learned::hybrid::objective::Figure::measured(10e-3),
        OptLevel::Local,
        1.0,
    );
    let expected = all.expect("a workload");
    let mut actual = expected;
    actual.ways[2].steps.value = actual_level_2;
    actual.allowed[Way::Network.place()] = false;
    Case {
        set: Set::Written,
        program: "p".into(),
        function: "f".into(),
        features: [0; FEATURES],
        score: scored(-20.0).score,
        expected,
        actual,
        routing: 0.0,
    }
}

#[test]
fn regret_compares_choices_with_hindsight_and_level_2() {
    // The router expects 50 steps at level 2; here it takes 10, so level 2 would have been right for 2,000 executions.
    let wrong = case(2_000.0, 10.0);
    assert_eq!(wrong.chosen(), Way::Level(OptLevel::Learned));
    let found = Regret::of(std::slice::from_ref(&wrong));
    let learned = 40e-6 + 2_000.0 * 40e-9;
    let whole = 30e-6 + 2_000.0 * 10e-9;
    assert!((found.costs.router - learned).abs() < 1e-12 && (found.costs.best - whole).abs() < 1e-12);
    assert!((found.regret.value - learned / whole).abs() < 1e-9);
    assert_eq!(found.regret.low, found.regret.high, "one function has no spread");
    let right = case(2_000.0, 50.0);
    let both = Regret::of(&[wrong, right]);
    assert!(both.regret.low <= both.regret.value && both.regret.value <= both.regret.high);
    assert_eq!((both.chosen[3], both.best[2], both.best[3]), (2, 1, 1));
    // The network is chosen, but cannot compile the function: the next best way is taken.
    assert_eq!(case(1e9, 50.0).chosen(), Way::Level(OptLevel::Learned));
    assert_eq!(case(1e9, 50.0).expected.best(), Way::Network);
    let points = curve(&[case(1.0, 50.0)]);
    assert!(points.windows(2).all(|pair| pair[0].costs.best <= pair[1].costs.best));
    assert!(points.iter().all(|point| point.costs.router + 1e-15 >= point.costs.best));
    assert!(
        points.first().is_some_and(|point| point.costs.to_usual() < 1.0),
        "level 0 is cheaper for one execution"
    );
}
