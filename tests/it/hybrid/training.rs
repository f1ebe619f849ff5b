//! Rows for training.

use std::sync::Arc;

use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, EngineError};
use myriad::learned::hybrid::router::K;
use myriad::learned::hybrid::training::rows;
use myriad::network::weights::{Config, Weights};

#[test]
fn training_rows_reach_the_requested_count() {
    let weights = Arc::new(Weights::random(Config::new(32, 1), 1));
    let open = || -> Result<Box<dyn Engine>, EngineError> { Ok(Box::new(CpuEngine::with_threads(1))) };
    let mut told = 0;
    let rows = rows(6, &weights, 2, &open, &mut |done| told = done).unwrap();
    assert_eq!((rows.len(), told), (6, 6));
    assert!(rows.iter().all(|row| row.drawn == K && row.features[0] > 5));
}
