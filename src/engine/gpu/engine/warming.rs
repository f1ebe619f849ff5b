//! Dispatching every pipeline once, before anybody waits for it: some drivers compile no sooner.

use std::sync::Arc;

use super::GpuEngine;
use crate::engine::EngineError;
use crate::engine::gpu::kernel::Kernel;
use crate::engine::gpu::recorder::Recorder;
use crate::engine::gpu::slices::Pace;
use crate::engine::{Engine, Sampler};
use crate::neural::sampling::{Inputs, Sampling};
use crate::neural::source;
use crate::neural::weights::{Config, Weights};
use crate::stage::route::score::Coefficients;

/// What is compiled, run and drawn for it.
const TEXT: &str = "fn f(a: int) -> int { return a + 1; } test f(1) == 2; prop a in 0..3 => f(a) > a;";

impl GpuEngine {
    /// Warms what every keystroke uses.
    ///
    /// # Errors
    /// If the device fails.
    pub fn warm(&mut self) -> Result<(), EngineError> {
        let compiled = self.base(&TEXT.into(), &|| false)?.compiled;
        self.route(&compiled, 0..1, &Coefficients::default())?;
        self.mutants(0, 4, &|| false, &mut |_| {})?;
        self.run(0, &[1], &|| false)?;
        self.cool();
        Ok(())
    }

    /// Warms what comparing takes, a pipeline at a time: a software adapter compiles each when it is first dispatched, which
    /// takes a second or two of the processor if its cache is empty. Between two of them `pace` is asked whether to go on.
    ///
    /// # Errors
    /// If the device fails, or is no longer wanted.
    pub fn warm_at_leisure(&mut self, pace: &mut dyn FnMut() -> bool) -> Result<(), EngineError> {
        let mut going_on = || if pace() { Ok(()) } else { Err(EngineError::Cancelled) };
        let arena = self.base_arena(TEXT)?;
        for compiler in &self.compiler.stages {
            for entry in compiler.entries() {
                going_on()?;
                let mut recorder = Recorder::new(&self.gpu, None);
                recorder.pass(compiler.stage, |pass| compiler.encode_entry(pass, entry, &arena));
                self.gpu.finish(recorder.encoder)?;
            }
        }
        for (kernel, entry) in self.for_bases(true).flat_map(Kernel::missing) {
            going_on()?;
            self.gpu.scoped(|| _ = kernel.pipeline(entry))?;
        }
        going_on()?;
        let mut recorder = Recorder::new(&self.gpu, None);
        self.runs.judge_base(&mut recorder, &arena)?;
        self.gpu.finish(recorder.encoder)?;
        going_on()?;
        self.base(&TEXT.into(), &|| false)?;
        going_on()?;
        self.mutants(0, 4, &|| false, &mut |_| {})?;
        self.cool();
        Ok(())
    }

    /// Warms the neural path: drawing candidates, and comparing them on random inputs. Its pipelines are the same for all
    /// weights, so that those used here are small ones and soon forgotten.
    ///
    /// # Errors
    /// If the device fails.
    pub fn warm_neural(&mut self) -> Result<(), EngineError> {
        let compiled = self.base(&TEXT.into(), &|| false)?.compiled;
        let source = source::read(&compiled.program(), 0);
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
        (self.base, self.before, self.last) = (None, None, None);
        (self.chunk, self.pace) = (self.runs.tuning.programs, Pace::new(self.runs.tuning.budget));
    }
}
