//! The router's objective, with fixed times: executions are counted, and costs compared.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use myriad::compiler::program::Compiled;
use myriad::compiler::stage::route::features::{self, FEATURES};
use myriad::compiler::stage::route::score::{Coefficients, Score, Scored, UNIT};
use myriad::compiler::stage::{BackEnd, Compiler};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, Kind};
use myriad::host::measure::origin::Origin;
use myriad::host::measure::stat::StatLine;
use myriad::lang::index::{Index, Indices, RoutineId};
use myriad::lang::level::OptLevel;
use myriad::learned::hybrid::compile;
use myriad::learned::hybrid::model::Model;
use myriad::learned::hybrid::objective::history::{Ratios, group};
use myriad::learned::hybrid::objective::steps::is_slower;
use myriad::learned::hybrid::objective::{Executions, History, Pricing, Profile, Times, Way, Workload};
use myriad::learned::hybrid::paths::PathTimes;
use myriad::learned::hybrid::router::{DecisionWhy, Path, Route, Router, Settings};
use myriad::learned::synthesis::search::Level;
use myriad::network::source::Unsupported;
use myriad::network::weights;

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
    let line = |level: i32| StatLine { fixed: 0.0, each: f64::from(level + 1) * 1e-6 };
    Times { levels: [line(0), line(1), line(2), line(3)], step: 1e-9 }
}

fn history() -> History {
    let group = |number: usize| Ratios {
        loops: number & 1 != 0,
        calls: number & 2 != 0,
        functions: 1,
        steps: [1.2, 1.0, 0.5, 0.4],
        improved: 1.0,
        by: 0.5,
    };
    History { groups: (0..4).map(group).collect() }
}

fn pricing(executions: f64) -> Pricing {
    let executions = Executions { tests: executions, ..Executions::default() };
    let workload = Workload { executions, steps: 100.0, instructions: 10 };
    let profile = Profile::new(BTreeMap::from([("f".to_string(), workload)]), 20);
    Pricing { times: times(), history: history(), profile, any_level: true }
}

/// A function of as many tokens as those that the assumed times are of.
fn scored(logit: f64) -> Scored {
    let mut features = [0; FEATURES];
    features[0] = 57;
    Scored { features, score: Score((logit * UNIT) as i32) }
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
fn cost_is_compilation_plus_executions_times_steps_times_time() {
    let mut router = Router::new(Settings::default(), Coefficients::default());
    let mut at = |executions: f64| {
        router.pricing = Some(pricing(executions));
        router.route("f", &scored(-20.0), None, OptLevel::Local, Kind::Cpu)
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
    assert_eq!((decision.path, decision.why), (Path::Neural, DecisionWhy::LeastCost));
    assert!(Some(decision.expected()) < decision.counterfactual());
    let said = decision.to_string();
    assert!(said.starts_with("network costs least: ") && said.contains("; level 3: "), "{said}");
}

#[test]
fn unlikely_success_and_few_executions_keep_the_network_out() {
    let mut router = Router::new(Settings::default(), Coefficients::default());
    router.pricing = Some(pricing(1e9));
    let decision = router.route("f", &scored(20.0), None, OptLevel::Local, Kind::Cpu);
    assert_eq!(decision.way(), Some(Way::Level(OptLevel::Learned)), "the network would find nothing");
    let own = router.route("f", &scored(-20.0), None, OptLevel::Local, Kind::Cpu);
    assert_eq!(own.level(OptLevel::Local), OptLevel::Whole, "level 2 runs next to the network");
}

#[test]
fn paper_route_and_fixed_threshold_decide_by_score() {
    let mut router =
        Router::new(Settings { route: Route::Paper, ..Settings::default() }, Coefficients::default());
    router.pricing = Some(pricing(1e9));
    let decision = router.route("f", &scored(-20.0), None, OptLevel::Local, Kind::Cpu);
    assert_eq!(
        (decision.path, decision.why, decision.way()),
        (Path::Traditional, DecisionWhy::ProofNeedsBoth, None)
    );
    assert!(decision.comparison.is_some(), "the costs are shown");
    assert_eq!(decision.level(OptLevel::Local), OptLevel::Local);
    router.settings = Settings { theta: Some(0.0), ..Settings::default() };
    let decision = router.route("f", &scored(-20.0), None, OptLevel::Local, Kind::Cpu);
    assert_eq!((decision.path, decision.why), (Path::Neural, DecisionWhy::Fixed));
    // Functions whose executions are not known.
    router.settings = Settings::default();
    let decision = router.route("g", &scored(-20.0), None, OptLevel::Local, Kind::Cpu);
    assert_eq!((decision.why, decision.comparison), (DecisionWhy::ProofNeedsBoth, None));
}

#[test]
fn fixed_level_leaves_the_network_as_the_alternative() {
    let mut router = Router::new(Settings::default(), Coefficients::default());
    router.pricing = Some(Pricing { any_level: false, ..pricing(2_000.0) });
    let decision = router.route("f", &scored(-20.0), None, OptLevel::Local, Kind::Cpu);
    assert_eq!(decision.way(), Some(Way::Level(OptLevel::Local)));
    assert_eq!(decision.level(OptLevel::Local), OptLevel::Local);
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
    let mut features = [0; FEATURES];
    (features[2], features[4]) = (3, 1);
    assert_eq!(group(&features), 3);
}

/// Equation 9: the longer a function, the longer its search.
#[test]
fn time_of_a_search_grows_with_the_length_of_the_function() {
    let mut router = Router::new(Settings::default(), Coefficients::default());
    router.pricing = Some(pricing(0.0));
    let search = |length: u32, router: &mut Router| {
        let mut own = scored(-20.0);
        own.features[0] = length;
        let decision = router.route("f", &own, None, OptLevel::Local, Kind::Cpu);
        (decision.costs.neural, decision.comparison.expect("executions are known").total(Way::Network))
    };
    let ((short, of_short), (long, of_long)) = (search(20, &mut router), search(80, &mut router));
    assert!((long / short - 16.0).abs() < 1e-6 && of_long > of_short, "{short} {long}");
    // Searches of functions of any length are evidence for those of others.
    (0..80).for_each(|_| router.searched(40, Duration::from_millis(20)));
    assert!(
        (search(40, &mut router).0 - 20e-3).abs() < 1e-6 && (search(80, &mut router).0 - 80e-3).abs() < 1e-6
    );
}

#[test]
fn refused_function_has_a_reason_and_no_prediction() {
    let mut router = Router::new(Settings::default(), Coefficients::default());
    router.pricing = Some(pricing(1e9));
    let refused = Some(Unsupported::Untaught(7));
    let decision = router.route("f", &scored(-20.0), refused, OptLevel::Local, Kind::Cpu);
    assert_eq!(decision.way(), Some(Way::Level(OptLevel::Learned)), "the network is no way to get its code");
    assert_eq!((decision.probability(), decision.counterfactual()), (None, None));
    assert!(
        decision.prediction().contains("a list literal of 7 elements")
            && !decision.prediction().contains("p =")
    );
    // By a tuned threshold, too.
    router.pricing = None;
    router.settings.evidence = Level::Tests;
    router.paths = Some(PathTimes { routing: 1e-6, traditional: 1.0, length: 57.0 });
    let tuned = |refused, router: &mut Router| {
        router.route("f", &scored(-20.0), refused, OptLevel::Local, Kind::Cpu).path
    };
    assert_eq!(tuned(None, &mut router), Path::Neural);
    assert_eq!(tuned(refused, &mut router), Path::Traditional);
}

/// Directly after the network, whose weights fill the caches, both times would be several times as long.
#[test]
fn times_of_routing_and_traditional_path_have_one_source() {
    let mut engine = CpuEngine::with_threads(1);
    let program = engine.base(&PROGRAM.into(), &|| false).expect("it compiles").compiled;
    let weights = weights::open(None).expect("the shipped weights");
    let settings = Settings { theta: Some(f64::INFINITY), ..Settings::default() };
    let mut router = Router::new(settings, Model::shipped().coefficients());
    router.paths = PathTimes::measure(&mut engine, &program, &router.coefficients).expect("no device fails");
    let times = |router: &Router| {
        let costs = router.costs(Kind::Cpu);
        (costs.routing, costs.traditional)
    };
    let before = times(&router);
    for function in program.functions() {
        compile(&mut engine, &program, function, Some(&weights), &mut router, &|| false, &mut |_| {})
            .expect("code");
    }
    assert_eq!(times(&router), before);
    assert_eq!(router.origin(), Origin::Measured);
    let paths = router.paths.expect("it has functions");
    assert!(before == (paths.routing, paths.traditional) && before.0 > 0.0 && before.1 > 0.0, "{paths:?}");
    let mean =
        program.functions().iter().map(|function| features::of(&program, function).expect("features")[0]);
    assert_eq!(paths.length, f64::from(mean.sum::<u32>()) / 4.0);
}

#[test]
fn codes_of_a_function_are_compared_by_their_steps() {
    let program = compiled(
        "fn inc(a: int) -> int { return a + 1; }
fn sum(n: int) -> int { let s = 0; for i in 0..n { s = inc(s); } return s; }
fn twice(n: int) -> int { return inc(inc(n)); }
test sum(5) == 5;
",
    );
    let mut back = BackEnd::default();
    let mut at = |level: OptLevel| {
        back.compile_at(&program, level);
        back.executable.clone()
    };
    let [lowered, whole] = [OptLevel::Lowered, OptLevel::Whole].map(&mut at);
    // A function that tests call, and one that they do not.
    for function in [RoutineId::new(1), RoutineId::new(2)] {
        let slower = |codes| is_slower(&program, codes, function, &|| false);
        assert_eq!((slower([&lowered, &whole]), slower([&whole, &lowered])), (Some(true), Some(false)));
        assert_eq!(slower([&whole, &whole]), Some(false));
        assert_eq!(is_slower(&program, [&whole, &whole], function, &|| true), None);
    }
}
