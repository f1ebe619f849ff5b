//! The claim of verification, tried on near misses: functions that people wrote, each with small changes to its bytecode that no
//! test is there to notice. What is reported as verified must not err more often than was said, but for the few that the
//! confidence leaves room for.

use std::sync::Arc;

use crate::common::part::{one_in, some};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, EngineError, Sampler};
use myriad::lang::NONE;
use myriad::neural::sampling::{Agreement, Candidate, Draft, Inputs, Sampled, Sampling, Status};
use myriad::neural::source::{self, Source};
use myriad::neural::vocabulary::{Family, TARGETS};
use myriad::neural::weights::Weights;
use myriad::neural::{assembler, inputs, target};
use myriad::program::Watch;
use myriad::stage::execute::mix;
use myriad::synthesis::evaluation;
use myriad::synthesis::search::{Evidence, Settings, Subject, own_code, search};

/// Changed programs of each function.
const NEAR_MISSES: usize = 16;
/// Inputs on which what was verified is tried again.
const TRIED: u32 = 8_000;

/// Offers programs as if they had been drawn, and compares them as the engine does.
struct Offers<'a> {
    engine: &'a mut CpuEngine,
    candidates: Vec<Candidate>,
}

impl Sampler for Offers<'_> {
    fn weights(&mut self, _: &Arc<Weights>) -> Result<(), EngineError> {
        Ok(())
    }
    fn sample(
        &mut self,
        _: &Source,
        _: &Sampling,
        _: &dyn Watch,
        _: &mut dyn FnMut(&Candidate),
    ) -> Result<Sampled, EngineError> {
        Ok(Sampled { candidates: self.candidates.clone(), oracles: 0, ..Sampled::default() })
    }
    fn write(&mut self, _: &[&Source], _: &Sampling, _: &dyn Watch) -> Result<Vec<Vec<Draft>>, EngineError> {
        Err(EngineError::Fault("a search judges what it draws".into()))
    }
    fn agree(
        &mut self,
        function: u32,
        codes: &[&[u32]],
        inputs: Inputs,
        watch: &dyn Watch,
    ) -> Result<Vec<Agreement>, EngineError> {
        self.engine.agree(function, codes, inputs, watch)
    }
}

/// Programs that differ from `words` in one word, of the same family or any other that may stand there.
fn near_misses(source: &Source, words: &[u16], own: &[u32], origin: u32, seed: u32) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for attempt in 0..20_000u32 {
        if found.len() == NEAR_MISSES {
            break;
        }
        let draw = |stream: u32| mix(mix(mix(seed).wrapping_add(attempt)).wrapping_add(stream));
        let mut changed = words.to_vec();
        let at = draw(0) as usize % changed.len();
        let Some((family, _)) = Family::of(changed[at]) else { continue };
        changed[at] = match draw(1) % 4 {
            // Mostly another of its kind: another variable, label, operator or constant.
            0 => (draw(2) as usize % TARGETS) as u16,
            _ => family.word(draw(2) % family.count()),
        };
        let Ok(code) = assembler::assemble(&source.tables, &changed, origin) else { continue };
        if code == own || found.iter().any(|candidate| candidate.code == code) {
            continue;
        }
        found.push(Candidate {
            number: 1 + found.len() as u32,
            samples: 1,
            words: changed,
            code,
            log_p: -1.0,
            status: Status::Passed,
            differing: NONE,
            passed: 0,
            // In no particular order, so that each has its chance to be the fastest.
            steps: u64::from(draw(3) % 100),
        });
    }
    found
}

#[test]
fn near_misses_are_hardly_ever_verified() {
    let mut engine = CpuEngine::with_threads(1);
    let settings = Settings { rounds: 1, ..Settings::default() };
    let (mut searches, mut offered, mut verified, mut wrong) = (0, 0, 0, Vec::new());
    for task in one_in(2, evaluation::written().iter().filter(|task| task.name.starts_with("assets/"))) {
        let compiled = engine.base(&task.text, &|| false).unwrap().compiled;
        let program = compiled.program();
        let origin = program.executable.code.word.len() as u32;
        for function in 0..program.functions {
            let Ok(source) = source::read(&program, function) else { continue };
            let (Ok(words), Some(own)) =
                (target::write(&program, function, &source.tables), own_code(&program, &source))
            else {
                continue;
            };
            let candidates = near_misses(&source, &words, &own, origin, 7 + searches);
            offered += candidates.len();
            searches += 1;
            let domain = inputs::Arguments::new(&compiled, function).size;
            let subject = Subject { source: &source, own: Some(&own), domain };
            let mut offers = Offers { engine: &mut engine, candidates };
            let found = search(&mut offers, subject, &settings, &|| false, &mut |_| {}).unwrap();
            let Some(best) = found.best() else { continue };
            let again = Inputs { seed: 99, first: 0, count: TRIED };
            let code = &best.candidate.code;
            let name = format!("{} {}", task.name, compiled.function_name(function));
            match best.evidence {
                Evidence::Verified { error_bound, .. } => {
                    verified += 1;
                    assert!(error_bound <= 0.001);
                    let errors = errors(&mut engine, function, code, again);
                    if f64::from(errors) / f64::from(TRIED) > 1.5 * 0.001 {
                        wrong.push(format!("{name}: {errors} of {TRIED}"));
                    }
                }
                Evidence::Proved(_) => {
                    let agreement = engine.agree(function, &[code], again, &|| false).unwrap()[0];
                    assert!(agreement.agrees(), "{name} is called proved");
                }
                _ => {}
            }
        }
    }
    println!(
        "{searches} searches, {offered} near misses, {verified} verified, {} beyond the risk: {wrong:?}",
        wrong.len()
    );
    assert!(u64::from(searches) > some(150) && offered as u64 > some(3_000) && verified > some(14));
    // The confidence of 95 % allows one in twenty searches to be fooled, were every function to have such a near miss.
    assert!(wrong.len() * 20 <= searches as usize, "{wrong:?}");
}

/// On how many inputs a program errs. Comparing ends at the first, so it begins again behind each.
fn errors(engine: &mut CpuEngine, function: u32, code: &[u32], all: Inputs) -> u32 {
    let (mut errors, mut first) = (0, all.first);
    while first < all.first + all.count && errors < 200 {
        let rest = Inputs { first, count: all.first + all.count - first, ..all };
        let agreement = engine.agree(function, &[code], rest, &|| false).unwrap()[0];
        let Some(at) = agreement.differs_at else { break };
        errors += 1;
        first = at + 1;
    }
    errors
}
