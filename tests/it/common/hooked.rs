//! An engine that calls a function of a test before each call of another engine.

use std::sync::Arc;

use myriad::compiler::program::Watch;
use myriad::compiler::stage::execute::{Noise, NoisyRun};
use myriad::engine::{
    Abilities, BaseResult, Chunk, ChunkJudge, ChunkMode, Engine, EngineError, EngineSettings, Kind,
    MutantCounts, RunResult, Sampler, Seen, Tested, TestedCandidate,
};
use myriad::lang::index::{Indices, JobId, MutantId, RoutineId};
use myriad::network::refuted::Refuted;
use myriad::network::sampling::{Agreement, Candidate as Written, Draft, Inputs, Sampled, Sampling};
use myriad::network::source::Source;
use myriad::network::weights::Weights;

/// The kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Base,
    Chunk,
    Run,
    Test,
    Repeat,
    /// Any call of the sampler, or the end of a draw.
    Sample,
}

/// Runs before each call. An error takes the place of the call.
pub type Hook = Box<dyn FnMut(Call) -> Result<(), EngineError> + Send>;

/// Another engine with a hook. Its settings, counts and results are those of the other engine.
pub struct Hooked {
    pub engine: Box<dyn Engine>,
    pub kind: Kind,
    pub name: &'static str,
    /// The largest number of mutants in a chunk.
    pub chunk: u32,
    /// Whether chunks and programs are finished although the caller cancels them.
    pub deaf: bool,
    pub hook: Hook,
}

impl Hooked {
    pub fn new(engine: impl Engine + 'static, name: &'static str, hook: Hook) -> Hooked {
        let (kind, engine) = (engine.kind(), Box::new(engine));
        Hooked { engine, kind, name, chunk: u32::MAX, deaf: false, hook }
    }
}

impl Engine for Hooked {
    fn kind(&self) -> Kind {
        self.kind
    }
    fn describe(&self) -> String {
        self.name.into()
    }
    fn settings(&self) -> EngineSettings {
        self.engine.settings()
    }
    fn configure(&mut self, settings: EngineSettings) {
        self.engine.configure(settings);
    }
    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        (self.hook)(Call::Base)?;
        self.engine.base(text, watch)
    }
    fn run(
        &mut self,
        function: RoutineId,
        arguments: &[u32],
        watch: &dyn Watch,
    ) -> Result<RunResult, EngineError> {
        (self.hook)(Call::Run)?;
        self.engine.run(function, arguments, watch)
    }
    fn variants(&self) -> MutantCounts {
        self.engine.variants()
    }
    fn chunks(&mut self) -> &mut dyn ChunkJudge {
        self
    }
}

impl ChunkJudge for Hooked {
    fn prepare(&mut self, end: MutantId) -> Result<Seen, EngineError> {
        self.engine.chunks().prepare(end)
    }
    fn forget(&mut self) -> Result<(), EngineError> {
        self.engine.chunks().forget()
    }
    fn chunk(
        &mut self,
        ids: Indices<MutantId>,
        ask: ChunkMode,
        watch: &dyn Watch,
    ) -> Result<Chunk, EngineError> {
        (self.hook)(Call::Chunk)?;
        let deaf = self.deaf;
        let (ids, _) = ids.split_at(self.chunk);
        self.engine.chunks().chunk(ids, ask, &|| !deaf && watch.cancelled())
    }
}

impl Abilities for Hooked {
    fn test_all(
        &mut self,
        all: &[TestedCandidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        (self.hook)(Call::Test)?;
        let deaf = self.deaf;
        self.engine.test_all(all, &|| !deaf && watch.cancelled())
    }
    fn sampler(&mut self) -> Result<&mut dyn Sampler, EngineError> {
        Ok(self)
    }
    fn repeat(
        &mut self,
        noise: Noise,
        jobs: Indices<JobId>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        (self.hook)(Call::Repeat)?;
        self.engine.repeat(noise, jobs, watch)
    }
}

impl Sampler for Hooked {
    fn weights(&mut self, weights: &Arc<Weights>) -> Result<(), EngineError> {
        (self.hook)(Call::Sample)?;
        self.engine.sampler()?.weights(weights)
    }
    fn sample_unrefuted(
        &mut self,
        source: &Source,
        sampling: &Sampling,
        refuted: &Refuted,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(&Written),
    ) -> Result<Sampled, EngineError> {
        (self.hook)(Call::Sample)?;
        let sampled = self.engine.sampler()?.sample_unrefuted(source, sampling, refuted, watch, sink)?;
        // It may also fail after all results have been delivered.
        (self.hook)(Call::Sample)?;
        Ok(sampled)
    }
    fn write(
        &mut self,
        sources: &[&Source],
        sampling: &Sampling,
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<Draft>>, EngineError> {
        (self.hook)(Call::Sample)?;
        self.engine.sampler()?.write(sources, sampling, watch)
    }
    fn agree(
        &mut self,
        function: RoutineId,
        codes: &[&[u32]],
        inputs: Inputs,
        watch: &dyn Watch,
    ) -> Result<Vec<Agreement>, EngineError> {
        (self.hook)(Call::Sample)?;
        self.engine.sampler()?.agree(function, codes, inputs, watch)
    }
}
