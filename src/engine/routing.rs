//! Engines that compute the router's features and scores.

use super::{Engine, EngineError};
use crate::compiler::program::Compiled;
use crate::compiler::stage::route::score::{Coefficients, Scored, score_all};
use crate::lang::index::{Indices, RoutineId};

/// Scores functions of the last base.
pub trait RouteScorer {
    /// Computes features and scores of some functions of `compiled`, which must be the last base.
    ///
    /// # Errors
    /// If the device fails.
    fn score(
        &mut self,
        compiled: &Compiled,
        functions: Indices<RoutineId>,
        coefficients: &Coefficients,
    ) -> Result<Vec<Scored>, EngineError>;
}

/// Computes the router's features and scores for some functions of `compiled`, which must be the last base, on
/// the engine or else on the host.
///
/// # Errors
/// If the device fails.
pub fn route(
    engine: &mut dyn Engine,
    compiled: &Compiled,
    functions: Indices<RoutineId>,
    coefficients: &Coefficients,
) -> Result<Vec<Scored>, EngineError> {
    match engine.route_scorer() {
        Some(scorer) => scorer.score(compiled, functions, coefficients),
        None => Ok(score_all(compiled, functions, coefficients)),
    }
}
