//! Neural compilation: the functions that a variant changes are written by the network, and judged by the tests in place of the
//! compiler's.
//!
//! What the network writes counts only where it is verified against the deterministic compiler's code of that variant: the same bytecode, or the same values on
//! [`CHOOSING`] random inputs. So the deterministic compiler takes part, and where nothing is verified there is no answer.

use std::time::Instant;

use super::{Absent, Fate, Field, Flag, Ready, Track, Works};
use crate::engine::Engine;
use crate::engine::EngineError;
use crate::engine::cpu::CpuEngine;
use crate::neural::inputs::Arguments;
use crate::neural::sampling::{Agreement, Inputs, Sampling, Status};
use crate::neural::source::Source;
use crate::neural::{assembler, source, weights};
use crate::program::{Compiled, Executable};
use crate::stage::execute::Machine;
use crate::synthesis::search::{CHOOSING, agree, own_code};

/// Candidates for a function, the greedy one among them.
const CANDIDATES: u32 = 4;

struct Neural {
    engine: CpuEngine,
    machine: Machine,
    seed: u32,
}

pub fn prepare(seed: u32) -> Result<Box<dyn Ready>, Absent> {
    let weights = weights::open(None).map_err(|why| Absent::LeftOut(why.to_string()))?;
    let mut engine = CpuEngine::new();
    engine.sampler().and_then(|sampler| sampler.weights(&weights)).map_err(failed)?;
    Ok(Box::new(Neural { engine, machine: Machine::default(), seed }))
}

impl Ready for Neural {
    fn go(&mut self, field: &Field, track: &mut Track) -> Result<String, Absent> {
        let flag = track.start(Works::AllCores);
        one_by_one(field, flag, track, |id, track| self.judge(field, id, flag, track))?;
        Ok(format!(
            "{CANDIDATES} candidates for each changed function, on the CPU engine; only verified ones count"
        ))
    }
}

/// Judges the variants one after the other, until the flag is up or there is no more to say.
pub(super) fn one_by_one(
    field: &Field,
    flag: Flag,
    track: &mut Track,
    mut judge: impl FnMut(u32, &mut Track) -> Result<Option<Fate>, EngineError>,
) -> Result<(), Absent> {
    for id in (0..field.k).take_while(|_| !flag.is_up()) {
        match judge(id, track) {
            Ok(Some(fate)) => track.report(id, fate),
            Ok(None) | Err(EngineError::Cancelled) => break,
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(())
}

pub(super) fn failed(error: EngineError) -> Absent {
    Absent::Failed(error.to_string())
}

impl Neural {
    fn judge(
        &mut self,
        field: &Field,
        id: u32,
        flag: Flag,
        track: &mut Track,
    ) -> Result<Option<Fate>, EngineError> {
        let Neural { engine, machine, seed } = self;
        let Some(text) = field.text(id) else { return Ok(Some(Fate::Invalid)) };
        let from = Instant::now();
        let compiled = engine.base(&text.into(), &|| flag.is_up())?.compiled;
        track.spent("deterministic compiler", from.elapsed());
        if compiled.facts.errors > 0 || compiled.facts.stopped() {
            return Ok(Some(Fate::Invalid));
        }
        // Each changed function's code stands behind what is there by then.
        let mut program = compiled.executable.clone();
        for function in field.changed(id) {
            let Some((source, words)) = write(engine, &compiled, function, *seed, flag, track)? else {
                return Ok(Some(Fate::NoAnswer));
            };
            if !append(&mut program, function, &source, &words) {
                return Ok(Some(Fate::NoAnswer));
            }
        }
        Ok(track.timed("run", || field.judge(machine, &program, &|| flag.is_up())))
    }
}

/// Puts what the network wrote for one of a program's functions behind it; false if the words are no program.
pub(super) fn append(program: &mut Executable, function: u32, source: &Source, words: &[u16]) -> bool {
    let origin = program.code.word.len();
    let written = assembler::assemble(&source.tables, words, origin as u32);
    written.is_ok_and(|written| {
        program.set_function(function, origin, &written);
        true
    })
}

/// The words of a verified candidate for a function of the engine's base.
fn write(
    engine: &mut CpuEngine,
    compiled: &Compiled,
    function: u32,
    seed: u32,
    flag: Flag,
    track: &mut Track,
) -> Result<Option<(Source, Vec<u16>)>, EngineError> {
    let program = compiled.program();
    let Ok(source) = source::read(&program, function) else { return Ok(None) };
    let own = own_code(&program, &source);
    let cancelled = || flag.is_up();
    let sampler = engine.sampler()?;
    let from = Instant::now();
    let sampling = Sampling { k: CANDIDATES, seed, ..Sampling::default() };
    let sampled = sampler.sample(&source, &sampling, &cancelled, &mut |_| {})?;
    track.spent("network", from.elapsed());
    let same = |code: &[u32]| own.as_deref() == Some(code);
    if let Some(known) = sampled.candidates.iter().find(|candidate| same(&candidate.code)) {
        return Ok(Some((source, known.words.clone())));
    }
    let passed: Vec<_> = sampled.candidates.iter().filter(|one| one.status == Status::Passed).collect();
    if passed.is_empty() {
        return Ok(None);
    }
    let from = Instant::now();
    let codes: Vec<&[u32]> = passed.iter().map(|candidate| &candidate.code[..]).collect();
    let domain = Arguments::new(compiled, function).size;
    // Inputs on which the program exhausts what a run may use say nothing.
    let verified = |said: &Agreement| {
        said.agrees() && said.compared * 2 > domain.map_or(CHOOSING, |size| size.min(CHOOSING))
    };
    let inputs = Inputs { seed, first: 0, count: CHOOSING };
    let agreements = agree(sampler, function, &codes, inputs, &cancelled)?;
    let told = passed.iter().zip(&agreements).filter(|(_, said)| verified(said));
    let best = told.min_by_key(|(candidate, _)| candidate.steps).map(|(candidate, _)| candidate.words.clone());
    track.spent("verify", from.elapsed());
    Ok(best.map(|words| (source, words)))
}
