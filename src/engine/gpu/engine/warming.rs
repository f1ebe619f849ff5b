//! Dispatching every pipeline once, before anybody waits for it: some drivers compile no sooner.

use std::sync::Arc;

use super::GpuEngine;
use crate::engine::{Engine, EngineError};
use crate::hybrid::score::Coefficients;
use crate::neural::sampling::{Inputs, Sampler, Sampling};
use crate::neural::source::{self, Program};
use crate::neural::weights::{Config, Weights};

/// What is compiled, run and drawn for it.
const TEXT: &str = "fn f(a: int) -> int { return a + 1; } test f(1) == 2; prop a in 0..3 => f(a) > a;";

impl GpuEngine {
    /// Warms what every keystroke uses.
    ///
    /// # Errors
    /// If the device fails.
    pub fn warm(&mut self) -> Result<(), EngineError> {
        let compiled = self.base(&TEXT.into())?.compiled;
        self.route(&compiled, 0..1, &Coefficients::default())?;
        self.mutants(0, 4, &|| false, &mut |_| {})?;
        self.run(0, &[1])?;
        self.cool();
        Ok(())
    }

    /// Warms the neural path: drawing candidates, and comparing them on random inputs. Its pipelines are the same for all
    /// weights, so that those used here are small ones and soon forgotten.
    ///
    /// # Errors
    /// If the device fails.
    pub fn warm_neural(&mut self) -> Result<(), EngineError> {
        let compiled = self.base(&TEXT.into())?.compiled;
        let source = source::read(&Program::from(&*compiled), 0);
        let source = source.map_err(|why| EngineError::Fault(why.to_string()))?;
        self.weights(&Arc::new(Weights::random(Config::new(32, 1), 0)))?;
        self.sample(&source, &Sampling { k: 1, ..Sampling::default() }, &|| false, &mut |_| {})?;
        self.agree(0, &[&[]], Inputs { seed: 0, first: 0, count: 1 }, &|| false)?;
        self.loaded = None;
        self.cool();
        Ok(())
    }

    /// Forgets the program, and what slices of it took.
    fn cool(&mut self) {
        self.base = None;
        (self.chunk, self.runs.budget) = (self.runs.tuning.programs, self.runs.tuning.budget);
    }
}
