//! How the time to draw candidates for the current function grows with their number.

use super::task::{Setup, Step, Task};
use crate::engine::{Engine, EngineError};
use crate::learned::synthesis::times::NeuralTime;
use crate::network::sampling::Sampling;
use crate::network::source;

/// Numbers of candidates to draw. The Neural panel's own draws add a further point.
const SIZES: [u32; 2] = [1, 8];

/// Times to draw, one for each number of candidates.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth(pub Vec<NeuralTime>);

/// Reports a [`Growth`], unless the network cannot take the function.
pub fn measure(setup: &Setup, task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    let Some(function) = task.subject.function else { return Ok(Step::Done) };
    let program = task.judged.base.compiled.program();
    let (Ok(weights), Ok(source)) = (setup.weights(), source::read(&program, function)) else {
        return Ok(Step::Done);
    };
    let sampler = engine.sampler()?;
    sampler.weights(&weights)?;
    let draw = |k: u32| {
        let sampling = Sampling { k, ..Sampling::default() };
        NeuralTime::draw(&mut *sampler, &source, sampling, task)
    };
    let times = SIZES.into_iter().map(draw).collect::<Result<Vec<_>, _>>()?;
    task.found(Growth(times));
    Ok(Step::Done)
}
