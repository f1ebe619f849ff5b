//! Neural compilation: the network writes the changed functions of a variant, and the tests judge the result.
//!
//! Variants are processed in batches, as by an engine. All are compiled, the network writes all changed functions
//! together on the selected engine, the results are compared, and the tests run. The network's code counts only if it
//! agrees with the deterministic compiler's code for that variant. It must have the same bytecode, or the same values
//! on [`CHOOSING`] random inputs (less than the level `tested` requires). If no candidate agrees, there is no
//! answer.

use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use super::{Fate, Field, Flag, NoScore, Ready, Resource, Track};
use crate::compiler::program::Executable;
use crate::compiler::stage::Compiler;
use crate::compiler::stage::execute::Machine;
use crate::engine::choose::{Preference, Work};
use crate::engine::news::{Report, Reporter};
use crate::engine::{Engine, EngineError, Kind, open};
use crate::lang::index::{Address, Index, Indices, MutantId, RoutineId};
use crate::learned::synthesis::search::{CHOOSING, agree, own_code};
use crate::network::inputs::Arguments;
use crate::network::sampling::{Agreement, Draft, Inputs, Sampling};
use crate::network::source::Source;
use crate::network::{assembler, source, weights};

/// The number of candidates for a function, including the greedy one.
const CANDIDATES: u32 = 4;
/// The number of variants in a batch.
const BATCH: u32 = 128;

struct RaceNeural {
    engine: Box<dyn Engine>,
    seed: u32,
    /// Notices of the engine, such as that a device failed and the processor continues.
    notices: Arc<Mutex<Vec<String>>>,
}

struct Variant {
    text: Arc<str>,
    /// The deterministic compiler's code.
    program: Executable,
    /// The functions for the network to write.
    functions: Vec<Writing>,
}

/// A changed function.
struct Writing {
    function: RoutineId,
    source: Source,
    /// The deterministic compiler's code, if candidates can express it.
    own: Option<Vec<u32>>,
    /// The words of the candidate whose code agrees with the deterministic compiler's; `None` if none does.
    words: Option<Vec<u16>>,
}

pub fn prepare(seed: u32) -> Result<Box<dyn Ready>, NoScore> {
    let weights = weights::open(None).map_err(|why| NoScore::LeftOut(why.to_string()))?;
    let notices = Arc::new(Mutex::new(Vec::new()));
    let kept = notices.clone();
    let news = Reporter::new(move |report| {
        if let (Report::Notice(text), Ok(mut kept)) = (report, kept.lock()) {
            kept.push(text.to_string());
        }
    });
    let mut engine = open::open(Preference::Auto, Work::Network, &news).map_err(failed)?;
    engine.sampler().and_then(|sampler| sampler.weights(&weights)).map_err(failed)?;
    Ok(Box::new(RaceNeural { engine, seed, notices }))
}

impl Ready for RaceNeural {
    fn go(&mut self, field: &Field, track: &mut Track) -> Result<String, NoScore> {
        let power = self.engine.power_source();
        let flag = track.start(match power {
            Kind::Cpu => Resource::AllCores,
            Kind::Gpu => Resource::Gpu,
        });
        let mut left = field.ids();
        while !left.is_empty() {
            let (batch, rest) = left.split_at(BATCH);
            left = rest;
            match self.judge(field, batch, flag, track) {
                Ok(()) => {}
                Err(EngineError::Cancelled) => break,
                Err(error) => return Err(failed(error)),
            }
        }
        if self.engine.power_source() != power {
            track.drop_energy();
        }
        let mut engine = self.engine.describe();
        for notice in self.notices.lock().iter().flat_map(|notices| notices.iter()) {
            engine = format!("{engine} ({notice})");
        }
        Ok(format!(
            "{CANDIDATES} candidates for each changed function, {BATCH} variants a batch; {engine}; only candidates that agree with the deterministic compiler's code count"
        ))
    }
}

pub(super) fn failed(error: EngineError) -> NoScore {
    NoScore::Failed(error.to_string())
}

impl RaceNeural {
    /// Judges a batch of variants.
    fn judge(
        &mut self,
        field: &Field,
        ids: Indices<MutantId>,
        flag: Flag,
        track: &mut Track,
    ) -> Result<(), EngineError> {
        let cancelled = || flag.is_up();
        let mut variants: Vec<Result<Variant, Fate>> = track.timed("deterministic compiler", || {
            let compile = |compiler: &mut Compiler, id: MutantId| read(field, id, compiler);
            ids.numbers().into_par_iter().map(MutantId::new).map_init(Compiler::default, compile).collect()
        });
        let mut writings: Vec<(&Arc<str>, Address, &mut Writing)> = Vec::new();
        for Variant { text, program, functions } in variants.iter_mut().flatten() {
            let origin = program.end();
            writings.extend(functions.iter_mut().map(|writing| (&*text, origin, writing)));
        }
        let sources: Vec<&Source> = writings.iter().map(|(.., writing)| &writing.source).collect();
        let sampling = Sampling { k: CANDIDATES, seed: self.seed, ..Sampling::default() };
        let drafts =
            track.timed("network", || self.engine.sampler()?.write(&sources, &sampling, &cancelled))?;
        track.timed("verify", || {
            writings.iter_mut().zip(drafts).try_for_each(|((text, origin, writing), drafts)| {
                writing.words = self.agreeing(text, *origin, writing, drafts, flag)?;
                Ok(())
            })
        })?;
        let fates: Vec<Option<Fate>> = track.timed("run", || {
            let run = |machine: &mut Machine, variant: Result<Variant, Fate>| match variant {
                Ok(variant) => run(field, variant, machine, flag),
                Err(fate) => Some(fate),
            };
            variants.into_par_iter().map_init(Machine::default, run).collect()
        });
        for (id, fate) in ids.iter().zip(fates) {
            track.report(id, fate.ok_or(EngineError::Cancelled)?);
        }
        Ok(())
    }

    /// Returns the words of a draft that agrees, the fastest if there are several.
    fn agreeing(
        &mut self,
        text: &Arc<str>,
        origin: Address,
        writing: &Writing,
        drafts: Vec<Draft>,
        flag: Flag,
    ) -> Result<Option<Vec<u16>>, EngineError> {
        let Writing { function, source, own, .. } = writing;
        let assembled = |draft: Draft| {
            let code = assembler::assemble(&source.tables, &draft.words, origin).ok()?;
            Some((draft.words, code))
        };
        let mut written: Vec<(Vec<u16>, Vec<u32>)> =
            drafts.into_iter().filter(|draft| draft.whole).filter_map(assembled).collect();
        if let Some(same) = written.iter().position(|(_, code)| own.as_ref() == Some(code)) {
            return Ok(Some(written.swap_remove(same).0));
        }
        if written.is_empty() {
            return Ok(None);
        }
        let cancelled = || flag.is_up();
        let base = self.engine.base(text, &cancelled)?;
        let domain = Arguments::new(&base.compiled, *function).size;
        // Inputs on which the program exhausts its resources are inconclusive.
        let agrees = |said: &Agreement| {
            said.agrees() && said.compared * 2 > domain.map_or(CHOOSING, |size| size.min(CHOOSING))
        };
        let inputs = Inputs { seed: self.seed, first: 0, count: CHOOSING };
        let codes: Vec<&[u32]> = written.iter().map(|(_, code)| &code[..]).collect();
        let agreements = agree(self.engine.sampler()?, *function, &codes, inputs, &cancelled)?;
        let told = written.into_iter().zip(&agreements).filter(|(_, said)| agrees(said));
        Ok(told.min_by_key(|(_, said)| said.steps).map(|((words, _), _)| words))
    }
}

/// Compiles a variant and reads its changed functions. Returns the variant's fate if that is already known.
fn read(field: &Field, id: MutantId, compiler: &mut Compiler) -> Result<Variant, Fate> {
    let text = field.text(id).ok_or(Fate::Invalid)?;
    compiler.compile(&text);
    if !compiler.compiles() {
        return Err(Fate::Invalid);
    }
    let program = compiler.program(&text);
    let writing = |function| {
        let source = source::read(&program, function).ok()?;
        let own = own_code(&program, &source);
        Some(Writing { function, source, own, words: None })
    };
    let functions: Option<Vec<Writing>> = field.changed(id).into_iter().map(writing).collect();
    // A changed function may be out of the model's reach.
    let functions = functions.ok_or(Fate::NoAnswer)?;
    let program = program.executable.clone();
    Ok(Variant { program, functions, text: text.into() })
}

/// Runs the tests on a variant with the network's code. Returns `None` if the race ends first.
fn run(field: &Field, variant: Variant, machine: &mut Machine, flag: Flag) -> Option<Fate> {
    let Variant { mut program, functions, .. } = variant;
    // The code of each changed function is appended to the program.
    for Writing { function, source, words, .. } in functions {
        let written = words.is_some_and(|words| append(&mut program, function, &source, &words));
        if !written {
            return Some(Fate::NoAnswer);
        }
    }
    field.judge(machine, &program, &|| flag.is_up())
}

/// Appends the network's code for a function to the program. Returns false if the words are not a program.
pub(super) fn append(program: &mut Executable, function: RoutineId, source: &Source, words: &[u16]) -> bool {
    let origin = program.end();
    let written = assembler::assemble(&source.tables, words, origin);
    written.is_ok_and(|written| {
        program.set_function(function, origin, &written);
        true
    })
}
