//! Every shader leaves what its twin leaves, bit for bit.

mod common;

use common::{broken, twins, typed};
use myriad::engine::Stage;

/// Random programs of each kind; more by the environment variable `MYRIAD_PROGRAMS`.
fn programs() -> u64 {
    std::env::var("MYRIAD_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000)
}

fn stage(stage: Stage) {
    let mut runner = twins::device();
    twins::compare(&mut runner, stage, &twins::files());
    for text in twins::extremes() {
        twins::compare(&mut runner, stage, &[text]);
    }
    let seeds: Vec<u64> = (0..programs()).collect();
    for seeds in seeds.chunks(500) {
        twins::compare(&mut runner, stage, &seeds.iter().map(|&seed| typed::program(seed)).collect::<Vec<_>>());
        twins::compare(
            &mut runner,
            stage,
            &seeds.iter().map(|&seed| broken::program(seed)).collect::<Vec<_>>(),
        );
    }
}

#[test]
fn lex() {
    stage(Stage::Lex);
}
