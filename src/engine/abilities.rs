//! Abilities of engines besides judging mutants. An engine states the abilities that it has; the others have defaults.

use std::time::Duration;

use super::memory::{Memory, NeuralMemory};
use super::{
    EngineError, Patch, Sampler, Share, StepRange, Suite, Tested, TestedCandidate, TracedRun, Validated,
};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::rounds::Recording;
use crate::compiler::stage::execute::{Noise, NoisyRun, Record};
use crate::compiler::stage::route::score::{Coefficients, Scored, score_all};
use crate::fill::scanner::Scanner;
use crate::lang::index::{Indices, JobId, RoutineId};

/// Abilities that only some engines have, or that the host has for engines without.
pub trait Abilities {
    /// Whether a program that differs from the last base in a few functions is cheaper to test than an
    /// unrelated one. If so, testing programs does not replace the base.
    fn tests_incrementally(&self) -> bool {
        false
    }

    /// Returns the best batch size for [`Abilities::test_all`]: smaller batches take the same time.
    fn at_once(&self) -> usize {
        1
    }

    /// Puts the current base aside, with the results for programs near it. Returns its number for
    /// [`Abilities::recall`], or `None` if the engine keeps one base only. There is no base afterwards.
    fn shelve(&mut self) -> Option<u64> {
        None
    }

    /// Makes a base current that was put aside. Returns `false` if the engine no longer has it.
    fn recall(&mut self, _number: u64) -> bool {
        false
    }

    /// Compiles programs and runs all tests of each. A program's result is `None` if the call was cancelled
    /// before its turn.
    ///
    /// # Errors
    /// If the device fails.
    fn test_all(
        &mut self,
        _candidates: &[TestedCandidate],
        _watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        Err(EngineError::Call("this engine does not test programs".into()))
    }

    /// Returns the part of the engine that draws and judges candidates of neural compilation.
    ///
    /// # Errors
    /// If it has none.
    fn sampler(&mut self) -> Result<&mut dyn Sampler, EngineError> {
        Err(EngineError::Call("this engine does not sample".into()))
    }

    /// Repeats tests of the last base on a simulated machine with random faults: the jobs of a range, which
    /// [`Noise::run`] describes. Tests that fail without noise are skipped.
    ///
    /// # Errors
    /// If it is cancelled, a test does not exist, or the device fails or does not simulate noise.
    fn repeat(
        &mut self,
        _noise: Noise,
        _jobs: Indices<JobId>,
        _watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        Err(EngineError::Call("this engine does not simulate noise".into()))
    }

    /// Compiles a program with shaders that report each round. Returns the rounds of all stages that compile it.
    /// `compiled` provides the sizes of the columns.
    ///
    /// # Errors
    /// If it is cancelled, the engine has no shaders, the program is too large to trace, or the device fails.
    fn rounds(&mut self, _compiled: &Compiled, _watch: &dyn Watch) -> Result<Recording, EngineError> {
        Err(EngineError::Call("this engine has no shaders".into()))
    }

    /// Records the steps of a run as it executes them; `None` if the host records them. Runs a routine of a
    /// program, which must be the last base, with the given start of its frame. The run has at most `run.fuel`
    /// steps. `sink` receives them in stretches; one begins at each multiple of `run.keyframe`.
    ///
    /// # Errors
    /// If it is cancelled, another program is the base, the routine does not exist, or the device fails.
    fn trace(
        &mut self,
        _run: TracedRun,
        _watch: &dyn Watch,
        _sink: &mut dyn FnMut(StepRange),
    ) -> Option<Result<Record, EngineError>> {
        None
    }

    /// Whether the engine validates patches; otherwise the host's threads validate them.
    fn validates(&mut self) -> bool {
        false
    }

    /// Returns the result of each patch of a program, which must be the last base; `None` for a patch that
    /// the engine cannot apply. The contract is docs/stages/validate.md.
    ///
    /// # Errors
    /// If it is cancelled, another program is the base, or the device fails.
    fn validate(
        &mut self,
        _suite: &Suite,
        patches: &[Patch],
        _watch: &dyn Watch,
    ) -> Result<Vec<Option<Validated>>, EngineError> {
        Ok(vec![None; patches.len()])
    }

    /// Returns a device that goes on with a search for expressions which has tried this many, independent of the base;
    /// `None` if the processor does that.
    ///
    /// # Errors
    /// If the device fails.
    fn fill_scanner(&mut self, _tried: u64) -> Result<Option<Box<dyn Scanner>>, EngineError> {
        Ok(None)
    }

    /// Computes the router's features and scores of some functions of `compiled`, which must be the last base.
    ///
    /// # Errors
    /// If the device fails.
    fn score(
        &mut self,
        compiled: &Compiled,
        functions: Indices<RoutineId>,
        coefficients: &Coefficients,
    ) -> Result<Vec<Scored>, EngineError> {
        Ok(score_all(compiled, functions, coefficients))
    }

    /// Returns the memory held for the last base and its mutants, and for neural compilation once that has
    /// been used.
    fn memory(&self) -> (Memory, Option<NeuralMemory>) {
        (Memory::default(), None)
    }

    /// Measures the time to copy this many bytes to the device's memory and back. Returns `None` if the engine
    /// works in the host's own memory.
    ///
    /// # Errors
    /// If the device fails.
    fn transfer(&mut self, _bytes: usize) -> Result<Option<Duration>, EngineError> {
        Ok(None)
    }

    /// Returns how many mutants of the last base each device judged; empty if one engine judges all.
    fn shares(&self) -> Vec<Share> {
        vec![]
    }

    /// Returns the times from which automatic choice chose the engine of the last mutants, in a sentence, if it had a
    /// choice.
    fn choice(&self) -> Option<String> {
        None
    }
}
