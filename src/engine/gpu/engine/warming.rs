//! Dispatches every pipeline once before it is needed, because some drivers compile a pipeline only at its
//! first dispatch.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::GpuEngine;
use crate::compiler::stage::route::score::Coefficients;
use crate::engine::gpu::chunk_size::ChunkSize;
use crate::engine::gpu::kernel::Kernel;
use crate::engine::gpu::pipelines::Pipelines;
use crate::engine::gpu::recorder::Recorder;
use crate::engine::gpu::slices::Pace;
use crate::engine::reuse::LastResults;
use crate::engine::{DeviceFailure, Engine, EngineError, Sampler};
use crate::lang::index::{Indices, RoutineId};
use crate::network::sampling::{Inputs, Sampling};
use crate::network::source;
use crate::network::weights::{Config, Weights};

/// The program that is compiled, run and sampled for warming.
const TEXT: &str = "fn f(a: int) -> int { return a + 1; } test f(1) == 2; prop a in 0..3 => f(a) > a;";

/// Limits for warming an adapter that the user did not name. A driver that is compiling a pipeline cannot be
/// interrupted; beyond a limit it receives no further ones.
#[derive(Clone, Copy)]
struct Limits {
    /// The limit of driver time, without pauses.
    time: Duration,
    /// The limit in bytes by which the process's resident memory may grow.
    memory: u64,
}

impl Limits {
    /// Mesa 25 takes a minute with an empty cache and an idle processor, Mesa 26 a quarter of that. Both take
    /// several hundred MB.
    const fn for_background() -> Limits {
        Limits { time: Duration::from_secs(240), memory: 2 << 30 }
    }
}

/// The time and memory that warming has used so far.
struct Used {
    time: Duration,
    since: Instant,
    resident: Option<u64>,
}

impl Used {
    fn begin() -> Used {
        Used { time: Duration::ZERO, since: Instant::now(), resident: resident() }
    }

    /// Starts the clock for a piece of work.
    fn go_on(&mut self) {
        self.since = Instant::now();
    }

    /// Stops the clock and checks the limits.
    fn check(&mut self, limits: Limits) -> Result<(), EngineError> {
        self.time += self.since.elapsed();
        let grown = self.resident.zip(resident()).map_or(0, |(before, now)| now.saturating_sub(before));
        let fault = |words: String| {
            Err(DeviceFailure::Opening.because(format!("its driver takes {words} to prepare the shaders")))
        };
        if self.time > limits.time {
            return fault(format!("more than {} s", limits.time.as_secs()));
        }
        if grown > limits.memory {
            return fault(format!("more than {} MB", limits.memory >> 20));
        }
        Ok(())
    }
}

/// Returns the resident memory of this process in bytes, if the system reports it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? << 10)
}

impl GpuEngine {
    /// Warms the pipelines that every keystroke uses.
    ///
    /// # Errors
    /// If the device fails.
    pub fn warm(&mut self) -> Result<(), EngineError> {
        self.make_base(&TEXT.into(), true, &|| false)?;
        self.score_functions(Indices::first(1), &Coefficients::default())?;
        self.mutants(Indices::first(4), &|| false, &mut |_| {})?;
        self.run(RoutineId::default(), &[1], &|| false)?;
        self.cool();
        Ok(())
    }

    /// Warms the pipelines for checking the CPU engine, one at a time. A software adapter compiles each at
    /// its first dispatch, which takes one or two seconds of processor time if its cache is empty. Before
    /// each, `pace` receives how many are done and how many there are in total, and decides whether to
    /// continue.
    ///
    /// # Errors
    /// If the device fails, `pace` ends the work, or a limit for an adapter that the user did not name is
    /// exceeded.
    pub fn warm_in_background(&mut self, pace: &mut dyn FnMut(u32, u32) -> bool) -> Result<(), EngineError> {
        self.warm_within(Limits::for_background(), pace)
    }

    fn warm_within(
        &mut self,
        limits: Limits,
        pace: &mut dyn FnMut(u32, u32) -> bool,
    ) -> Result<(), EngineError> {
        let entries = self.compiler.stages.iter().map(|compiler| compiler.entries().len());
        let kernels = self.for_bases(true).flat_map(Kernel::missing).count();
        // Three more pieces follow: judging a base, compiling a base, and mutants.
        let of = (entries.sum::<usize>() + kernels + 3) as u32;
        let mut done = 0;
        let mut used = Used::begin();
        let mut going_on = || {
            used.check(limits)?;
            let going_on = pace(done, of);
            done += 1;
            used.go_on();
            if going_on { Ok(()) } else { Err(EngineError::Cancelled) }
        };
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
        self.make_base(&TEXT.into(), true, &|| false)?;
        going_on()?;
        self.mutants(Indices::first(4), &|| false, &mut |_| {})?;
        self.cool();
        Ok(())
    }

    /// Warms the neural path: drawing candidates, and comparing them on random inputs. The pipelines are the
    /// same for all weights, so small temporary weights are used.
    ///
    /// # Errors
    /// If the device fails.
    pub fn warm_neural(&mut self) -> Result<(), EngineError> {
        let compiled = self.make_base(&TEXT.into(), true, &|| false)?.compiled;
        let source = source::read(&compiled.program(), RoutineId::default());
        let source = source.map_err(|why| EngineError::Bug(why.to_string()))?;
        self.weights(&Arc::new(Weights::random(Config::new(32, 1), 0)))?;
        self.sample(&source, &Sampling { k: 1, ..Sampling::default() }, &|| false, &mut |_| {})?;
        self.agree(RoutineId::default(), &[&[]], Inputs { seed: 0, first: 0, count: 1 }, &|| false)?;
        self.loaded = None;
        self.cool();
        Ok(())
    }

    /// Forgets the program and the measured speed of its slices.
    fn cool(&mut self) {
        (self.base, self.before, self.last) = (None, None, LastResults::default());
        (self.chunk, self.pace) =
            (ChunkSize::new(&self.runs.tuning), Pace::new(self.kept, self.runs.tuning.budget));
        self.gpu.pipelines.iter().for_each(Pipelines::save);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::gpu::adapter::AdapterQuery;

    #[test]
    fn warming_beyond_its_limits_abandons_the_adapter() {
        let mut gpu = GpuEngine::new(&AdapterQuery::Any).unwrap_or_else(|error| panic!("{error}"));
        for (limits, word) in [
            (Limits { time: Duration::ZERO, memory: u64::MAX }, "more than 0 s"),
            (Limits { time: Duration::MAX, memory: 0 }, "more than 0 MB"),
        ] {
            // Allocate in each piece, so that the memory limit is exceeded.
            let mut taken: Vec<Vec<u8>> = Vec::new();
            let mut pieces = 0;
            let answer = gpu.warm_within(limits, &mut |_, _| {
                taken.push(vec![1; 1 << 22]);
                pieces += 1;
                true
            });
            if word.ends_with("MB") && resident().is_none() {
                continue;
            }
            assert!(
                matches!(&answer, Err(EngineError::Device(DeviceFailure::Opening, words)) if words.contains(word)),
                "{answer:?}"
            );
            assert!(pieces <= 1, "{pieces} pieces");
        }
        let mut asked = 0;
        let answer = gpu.warm_within(Limits::for_background(), &mut |_, _| {
            asked += 1;
            asked < 3
        });
        assert_eq!((answer, asked), (Err(EngineError::Cancelled), 3));
    }
}
