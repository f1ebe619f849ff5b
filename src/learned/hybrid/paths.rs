//! The times of routing and of the traditional path, for all places that show or use them.

use std::time::{Duration, Instant};

use super::objective::times::{REPETITIONS, compile_time};
use super::objective::workload::{all_instructions, instructions};
use crate::compiler::program::Compiled;
use crate::compiler::stage::route::features::Feature;
use crate::compiler::stage::route::score::Coefficients;
use crate::engine::{Engine, EngineError};
use crate::lang::index::Indices;

/// Means over the functions of a program, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathTimes {
    /// T_routing: features and score.
    pub routing: f64,
    /// T_trad: a function's part, by instructions, of the time from the checked program to its bytecode.
    pub traditional: f64,
    /// The number of tokens of a function.
    pub length: f64,
}

impl PathTimes {
    /// Measures a program without errors, the engine's last base. Each time is the least of several in a row: directly
    /// after the network, whose weights evict everything else from the caches, both would take several times as long.
    /// Returns `None` for a program without functions.
    ///
    /// # Errors
    /// If the device fails.
    pub fn measure(
        engine: &mut dyn Engine,
        program: &Compiled,
        coefficients: &Coefficients,
    ) -> Result<Option<PathTimes>, EngineError> {
        let (mut routing, mut own, mut length) = (Duration::ZERO, 0, 0);
        for function in program.functions() {
            let (mut least, mut tokens) = (Duration::MAX, 0);
            for _ in 0..REPETITIONS {
                let started = Instant::now();
                let scored = engine.score(program, Indices::one(function), coefficients)?;
                least = least.min(started.elapsed());
                tokens = scored.first().map_or(0, |scored| scored.features[Feature::Length as usize]);
            }
            routing += least;
            length += tokens;
            own += instructions(program, function);
        }
        let count = f64::from(program.facts.functions);
        if count == 0.0 {
            return Ok(None);
        }
        let part = f64::from(own) / f64::from(all_instructions(program));
        let (whole, _) = compile_time(program, program.level);
        Ok(Some(PathTimes {
            routing: routing.as_secs_f64() / count,
            traditional: whole.as_secs_f64() * part / count,
            length: f64::from(length) / count,
        }))
    }
}
