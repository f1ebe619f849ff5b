//! Decisions of the router.

use std::time::Duration;

use myriad::compiler::stage::route::features::FEATURES;
use myriad::compiler::stage::route::score::{Coefficients, Score, Scored, UNIT};
use myriad::engine::Kind;
use myriad::host::measure::energy::Watts;
use myriad::host::measure::origin::Origin;
use myriad::learned::hybrid::paths::PathTimes;
use myriad::learned::hybrid::router::{DecisionWhy, Objective, Path, Router, Settings, threshold, with_prefix};
use myriad::learned::synthesis::search::Level;

/// The tokens of a function.
const LENGTH: u32 = 57;

fn router(evidence: Level, theta: Option<f64>) -> Router {
    Router::new(Settings { evidence, theta, ..Settings::default() }, Coefficients::default())
}

fn measure(router: &mut Router, neural: f64, traditional: f64) {
    let time = Duration::from_secs_f64;
    router.paths = Some(PathTimes { routing: 1e-6, traditional, length: f64::from(LENGTH) });
    (0..80).for_each(|_| router.searched(LENGTH, time(neural)));
}

fn logit(logit: f64) -> Scored {
    let mut features = [0; FEATURES];
    features[0] = LENGTH;
    Scored { features, score: Score((logit * UNIT) as i32) }
}

#[test]
fn threshold_follows_the_measured_path_times() {
    let mut router = router(Level::Tested, None);
    let decision = router.decide("f", &logit(-9.0), None, Kind::Cpu);
    assert_eq!((decision.path, decision.why), (Path::Traditional, DecisionWhy::NeverPays));
    assert_eq!(router.origin(), Origin::Modelled);
    assert!(decision.to_string().contains("(modelled)"), "{decision}");
    measure(&mut router, 0.2e-3, 20e-3);
    assert_eq!(router.origin(), Origin::Measured);
    let theta = router.theta(Kind::Cpu);
    assert!((theta - 99f64.ln()).abs() < 0.3, "{theta}");
    assert_eq!(router.decide("f", &logit(4.0), None, Kind::Cpu).path, Path::Neural);
    assert_eq!(router.decide("g", &logit(5.5), None, Kind::Cpu).path, Path::Traditional);
    // A small drift of the costs changes nothing, a large one does.
    measure(&mut router, 0.21e-3, 20e-3);
    assert_eq!(router.theta(Kind::Cpu), theta);
    measure(&mut router, 2e-3, 20e-3);
    assert!((router.theta(Kind::Cpu) - 9f64.ln()).abs() < 0.3);
}

#[test]
fn required_proof_always_takes_the_traditional_path() {
    let mut router = router(Level::Proved, None);
    measure(&mut router, 0.2e-3, 20e-3);
    let decision = router.decide("f", &logit(-20.0), None, Kind::Cpu);
    assert_eq!((decision.path, decision.why), (Path::Traditional, DecisionWhy::ProofNeedsBoth));
    assert!(decision.to_string().contains("proved"), "{decision}");
}

#[test]
fn route_changes_only_beyond_a_margin() {
    let mut router = router(Level::Tests, Some(1.0));
    let mut path = |score: f64| {
        let decision = router.decide("f", &logit(score), None, Kind::Cpu);
        (decision.path, decision.why)
    };
    use Path::*;
    assert_eq!(path(0.9), (Neural, DecisionWhy::Fixed));
    for score in [1.1, 0.95, 1.2, 1.05] {
        assert_eq!(path(score).0, Neural, "{score}");
    }
    assert_eq!(path(1.1), (Neural, DecisionWhy::Kept));
    assert_eq!(path(1.3), (Traditional, DecisionWhy::Fixed));
    assert_eq!(path(0.8), (Traditional, DecisionWhy::Kept));
    assert_eq!(path(0.7), (Neural, DecisionWhy::Fixed));
    // Another function has its own route.
    assert_eq!(router.decide("g", &logit(1.1), None, Kind::Cpu).path, Traditional);
}

#[test]
fn energy_objective_weights_times_by_watts() {
    let mut router = router(Level::Tests, None);
    measure(&mut router, 1e-3, 2e-3);
    assert!((router.theta(Kind::Gpu) - 0.0).abs() < 0.3);
    router.settings.objective = Objective::Energy;
    router.settings.watts = Watts { cpu: 50.0, gpu: 300.0, ..Watts::default() };
    assert_eq!(router.theta(Kind::Gpu), f64::NEG_INFINITY);
    assert!((router.costs(Kind::Gpu).neural - 0.3).abs() < 0.01);
    assert!((router.costs(Kind::Gpu).traditional - 0.1).abs() < 0.01);
    assert!((router.theta(Kind::Cpu) - 0.0).abs() < 0.3);
    assert!(router.decide("f", &logit(-1.0), None, Kind::Cpu).amount(0.05).ends_with("50.0 mJ"));
}

#[test]
fn amounts_are_shown_with_unit_prefixes() {
    assert_eq!(with_prefix(0.0123, "s"), "12.3 ms");
    assert_eq!(with_prefix(2.5e-6, "s"), "2.50 µs");
    assert_eq!(with_prefix(123.4, "J"), "123 J");
    assert_eq!(with_prefix(0.0, "s"), "0.00 s");
    assert_eq!(threshold(f64::NEG_INFINITY), "−∞");
}
