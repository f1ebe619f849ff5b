//! Hybrid compilation: twin and shader agree on the router's features, and the final result is correct on
//! either path.

mod cost;
mod fit;
mod objective;
mod router;
mod training;

use crate::common::extent::scaled;
use std::collections::HashSet;
use std::sync::Arc;

use crate::common::{broken, twins, typed};
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::route::features::FEATURES;
use myriad::corpus::{self, Level as Difficulty};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Abilities, Engine};
use myriad::lang::index::{Index, Indices, RoutineId};
use myriad::learned::hybrid::model::Model;
use myriad::learned::hybrid::{
    self, Coefficients, CompileEvent, DecisionWhy, HybridCode, Path, Router, Settings,
};
use myriad::learned::synthesis::search::{Evidence, Level, Proof};
use myriad::network::sampling::{Inputs, Sampling};
use myriad::network::weights::{self, Weights};

fn coefficients(seed: i32) -> Coefficients {
    let by_feature = std::array::from_fn(|j| seed.wrapping_mul(7_919 + j as i32) % 150_000);
    Coefficients { constant: -1_000 * seed, by_feature }
}

/// Compares the device's features and scores of all functions of some texts with the twin's.
fn compare(texts: &[String]) -> usize {
    let mut gpu = crate::common::gpu::lend();
    let mut functions = 0;
    for (number, text) in texts.iter().enumerate() {
        let text: Arc<str> = text.as_str().into();
        let (compiled, _) = gpu.compile(&text, &|| false).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let coefficients = coefficients(number as i32);
        let count = compiled.facts.functions;
        let found =
            gpu.score(&compiled, compiled.functions(), &coefficients).unwrap_or_else(|error| panic!("{error}"));
        let expected =
            myriad::compiler::stage::route::score::score_all(&compiled, compiled.functions(), &coefficients);
        assert_eq!(found, expected, "---- of this program:\n{text}");
        if count > 2 {
            let part = gpu.score(&compiled, Indices::numbered(1..count + 5), &coefficients).unwrap();
            assert_eq!(part, expected[1..], "---- of this program, from its second function on:\n{text}");
        }
        functions += found.len();
    }
    functions
}

#[test]
fn twin_and_shader_agree_on_files() {
    assert!(compare(&twins::files()) > 100);
}

#[test]
fn twin_and_shader_agree_on_random_programs() {
    let mut texts: Vec<String> = (0..30).map(typed::program).collect();
    texts.extend((0..10).map(broken::program));
    texts.extend((0..60).map(|i| corpus::generate(3, i, Difficulty::Full).source));
    texts.push(
        crate::common::programs::hostile()
            .into_iter()
            .map(|(_, text)| text)
            .find(|text| text.contains("f255"))
            .unwrap(),
    );
    texts.extend(crate::common::programs::hostile().into_iter().map(|(_, text)| text));
    assert!(compare(&texts) > 300);
}

fn shipped() -> Arc<Weights> {
    Arc::new(weights::shipped().expect("this build has weights"))
}

/// Compiles all functions of a program; passes each outcome and the number of events to `check`.
fn compile_all(
    engine: &mut dyn Engine,
    compiled: &Compiled,
    weights: &Arc<Weights>,
    router: &mut Router,
    check: &mut dyn FnMut(&mut dyn Engine, RoutineId, hybrid::CompileOutcome, usize),
) {
    for function in compiled.functions() {
        let mut shown = 0;
        let mut told =
            |event: CompileEvent| shown += usize::from(matches!(event, CompileEvent::Provisional(_)));
        let outcome = hybrid::compile(engine, compiled, function, Some(weights), router, &|| false, &mut told)
            .unwrap_or_else(|error| panic!("{error}"));
        check(engine, function, outcome, shown);
    }
}

/// For functions of two levels, 200 by default: the final result with the default evidence is correct on every
/// test and on 3,000 random inputs, whichever path produced it.
#[test]
fn final_hybrid_results_are_correct() {
    let wanted = scaled(200);
    let weights = shipped();
    let next = std::sync::atomic::AtomicU64::new(0);
    let counted = std::sync::Mutex::new((0, HashSet::new(), [0u32; 3]));
    let work = || {
        let mut engine = CpuEngine::with_threads(1);
        let sampling = Sampling { k: 8, ..Sampling::default() };
        // Nine out of ten are simple enough.
        let settings = Settings { theta: Some(2.0), sampling, ..Settings::default() };
        let mut router = Router::new(settings, Model::shipped().coefficients());
        loop {
            let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if counted.lock().unwrap().0 >= wanted || index > 4 * wanted {
                break;
            }
            let level = if index.is_multiple_of(8) { Difficulty::Medium } else { Difficulty::Simple };
            let text: Arc<str> = corpus::generate(77, index, level).source.into();
            let compiled = engine.base(&text, &|| false).unwrap().compiled;
            router.forget_routes();
            compile_all(
                &mut engine,
                &compiled,
                &weights,
                &mut router,
                &mut |engine, function, outcome, shown| {
                    right(engine, &compiled, function, &outcome);
                    assert_eq!(shown, usize::from(outcome.provisional.is_some()), "shown once");
                    assert!(matches!(outcome.evidence, Evidence::Proved(_)));
                    let mut counted = counted.lock().unwrap();
                    counted.0 += 1;
                    counted.1.insert(outcome.reason.split(';').next_back().unwrap_or_default().to_string());
                    counted.2[0] += u32::from(outcome.path == Path::Neural);
                    counted.2[1] +=
                        u32::from(outcome.decision.path == Path::Neural && outcome.path == Path::Traditional);
                    counted.2[2] +=
                        u32::from(outcome.provisional.is_some() && outcome.path == Path::Traditional);
                },
            );
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let (functions, _, [neural, fallen_back, replaced]) = counted.into_inner().unwrap();
    println!(
        "{functions} functions, {neural} by the neural path, {fallen_back} fell back, {replaced} replaced"
    );
    // With proofs by normal form, few functions fall back; other tests make one do so.
    assert!(functions >= wanted && u64::from(neural) > wanted / 10, "{functions} {neural} {fallen_back}");
}

/// Checks that an outcome's program behaves like the original in tests and on random inputs.
fn right(engine: &mut dyn Engine, compiled: &Compiled, function: RoutineId, outcome: &hybrid::CompileOutcome) {
    match &outcome.code {
        HybridCode::Traditional(executable) => {
            assert_eq!(executable, &compiled.executable, "{}", compiled.text)
        }
        HybridCode::Neural(code) => {
            let inputs = Inputs { seed: 99, first: 0, count: 3_000 };
            let sampler = engine.sampler().unwrap();
            let agreement = sampler.agree(function, &[code], inputs, &|| false).unwrap();
            assert!(agreement[0].agrees(), "function {function} of\n{}", compiled.text);
            let changed = &outcome.executable(compiled, function);
            let mut machine = myriad::compiler::stage::execute::Machine::default();
            let own = &compiled.executable;
            let domains = myriad::compiler::stage::execute::domains(
                &compiled.facts,
                &compiled.executable.routines,
                &compiled.binders,
                1_024,
            );
            for domain in &domains {
                let mut passes = [own, changed].map(|program| {
                    machine.load(program);
                    myriad::compiler::stage::execute::entry(&mut machine, program, domain, 1_000_000, &|| false)
                        .passes()
                });
                passes.sort();
                assert_eq!(passes[0], passes[1], "{}", compiled.text);
            }
        }
    }
}

const PROGRAM: &str = "fn add(a: int, b: int) -> int { return a + b; }
fn both(a: bool, b: bool) -> bool { return a && b; }
fn gcd(a: int, b: int) -> int { while b != 0 { let t = a % b; a = b; b = t; } return a; }
test add(1, 2) == 3;
test both(true, true) && !both(true, false);
test gcd(12, 18) == 6;
";

fn with(settings: Settings) -> (CpuEngine, Arc<Compiled>, Router) {
    let mut engine = CpuEngine::with_threads(1);
    let compiled = engine.base(&PROGRAM.into(), &|| false).unwrap().compiled;
    (engine, compiled, Router::new(settings, Model::shipped().coefficients()))
}

/// Checks the cost of each setting: the traditional compiler works at most once for an outcome, and only where
/// it must.
#[test]
fn traditional_compiler_runs_at_most_once_per_outcome() {
    let weights = shipped();
    for (evidence, theta) in [
        (Level::Proved, f64::INFINITY),
        (Level::Proved, f64::NEG_INFINITY),
        (Level::Tested, f64::INFINITY),
        (Level::Tested, f64::NEG_INFINITY),
        (Level::Tests, f64::INFINITY),
    ] {
        let sampling = Sampling { k: 20, ..Sampling::default() };
        let (mut engine, compiled, mut router) =
            with(Settings { evidence, theta: Some(theta), sampling, ..Settings::default() });
        let mut runs = 0;
        for function in compiled.functions() {
            let outcome = hybrid::compile(
                &mut engine,
                &compiled,
                function,
                Some(&weights),
                &mut router,
                &|| false,
                &mut |_| {},
            )
            .unwrap();
            let once = router.traditional.runs - runs;
            runs = router.traditional.runs;
            let needed = evidence == Level::Proved || outcome.path == Path::Traditional;
            assert_eq!(once, u64::from(needed), "{evidence:?} {theta} {}", outcome.reason);
            assert_eq!(outcome.times.traditional.is_some(), needed);
            assert_eq!(outcome.times.neural.is_some(), theta > 0.0);
            assert_eq!(outcome.compilation.is_some(), theta > 0.0);
            // Not more candidates than requested, in one round.
            if let Some(compilation) = &outcome.compilation {
                assert_eq!((compilation.found.rounds.len(), compilation.found.drawn()), (1, 20));
            }
            let neural = outcome.times.neural.unwrap_or_default();
            let traditional = outcome.times.traditional.unwrap_or_default();
            assert!(outcome.times.wall >= outcome.times.routing + neural.max(traditional));
            assert!(outcome.evidence.level() >= Some(evidence));
            assert_eq!(outcome.row.is_some(), theta > 0.0 && evidence != Level::Tests);
            right_or_asked(&mut engine, &compiled, function, &outcome, evidence);
        }
    }
}

fn right_or_asked(
    engine: &mut dyn Engine,
    compiled: &Compiled,
    function: RoutineId,
    outcome: &hybrid::CompileOutcome,
    evidence: Level,
) {
    if evidence > Level::Tests {
        right(engine, compiled, function, outcome);
    }
}

#[test]
fn required_evidence_decides_the_final_result() {
    let weights = shipped();
    let outcome = |evidence: Level, function: RoutineId| {
        let sampling = Sampling { k: 60, ..Sampling::default() };
        let (mut engine, compiled, mut router) =
            with(Settings { evidence, theta: Some(f64::INFINITY), sampling, ..Settings::default() });
        let mut shown = 0;
        let mut told = |event: CompileEvent| shown += u32::from(matches!(event, CompileEvent::Provisional(_)));
        let outcome = hybrid::compile(
            &mut engine,
            &compiled,
            function,
            Some(&weights),
            &mut router,
            &|| false,
            &mut told,
        )
        .unwrap();
        (outcome, shown)
    };
    // All parameters are bools, so all inputs are tried.
    let (both, shown) = outcome(Level::Proved, RoutineId::new(1));
    assert_eq!((both.path, shown), (Path::Neural, 1), "{}", both.reason);
    assert!(both.provisional.is_some());
    // Evidence from tests needs no more than that, so nothing is provisional.
    let (tests, shown) = outcome(Level::Tests, RoutineId::new(0));
    assert_eq!((tests.path, shown, tests.provisional, tests.row), (Path::Neural, 0, None, None));
    assert!(tests.evidence.level() >= Some(Level::Tests) && tests.compilation.unwrap().found.spent == 0);
    let (verified, _) = outcome(Level::Tested, RoutineId::new(0));
    assert_eq!(verified.path, Path::Neural);
    assert!(verified.evidence.level() >= Some(Level::Tested), "{}", verified.evidence);
    assert!(
        verified.row.is_some_and(|row| row.drawn == 60 && row.correct > 0 && row.features.len() == FEATURES)
    );
}

#[test]
fn missing_weights_or_long_functions_use_the_traditional_path() {
    let (mut engine, compiled, mut router) = with(Settings { theta: Some(9.0), ..Settings::default() });
    let outcome =
        hybrid::compile(&mut engine, &compiled, RoutineId::new(0), None, &mut router, &|| false, &mut |_| {})
            .unwrap();
    assert_eq!((outcome.path, outcome.evidence), (Path::Traditional, Evidence::Proved(Proof::SameBytecode)));
    assert!(outcome.reason.contains("no weights"), "{}", outcome.reason);
    let text = format!("fn f(a: int) -> int {{ return a{}; }}", " + a".repeat(300));
    let compiled = engine.base(&text.into(), &|| false).unwrap().compiled;
    router.settings.theta = Some(f64::INFINITY);
    let weights = shipped();
    let outcome = hybrid::compile(
        &mut engine,
        &compiled,
        RoutineId::new(0),
        Some(&weights),
        &mut router,
        &|| false,
        &mut |_| {},
    )
    .unwrap();
    assert_eq!((outcome.path, outcome.times.neural, router.traditional.runs), (Path::Traditional, None, 2));
    assert!(outcome.reason.contains("out of the model's reach"), "{}", outcome.reason);
    assert!(
        hybrid::compile(&mut engine, &compiled, RoutineId::new(1), None, &mut router, &|| false, &mut |_| {})
            .is_err()
    );
}

#[test]
fn tuned_router_explains_the_traditional_path() {
    let weights = shipped();
    for (evidence, why) in
        [(Level::Proved, DecisionWhy::ProofNeedsBoth), (Level::Tested, DecisionWhy::NeverPays)]
    {
        let (mut engine, compiled, mut router) = with(Settings { evidence, ..Settings::default() });
        let outcome = hybrid::compile(
            &mut engine,
            &compiled,
            RoutineId::new(2),
            Some(&weights),
            &mut router,
            &|| false,
            &mut |_| {},
        )
        .unwrap();
        assert_eq!((outcome.path, outcome.decision.why), (Path::Traditional, why), "{}", outcome.reason);
        assert_eq!(outcome.decision.theta, f64::NEG_INFINITY);
        assert!(outcome.compilation.is_none() && outcome.row.is_none());
    }
}

#[test]
fn cancelled_hybrid_compilation_returns_an_error() {
    let weights = shipped();
    let (mut engine, compiled, mut router) =
        with(Settings { theta: Some(f64::INFINITY), ..Settings::default() });
    let error = hybrid::compile(
        &mut engine,
        &compiled,
        RoutineId::new(0),
        Some(&weights),
        &mut router,
        &|| true,
        &mut |_| {},
    );
    assert_eq!(error.err(), Some(myriad::engine::EngineError::Cancelled));
}
