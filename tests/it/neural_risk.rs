//! The level of evidence *tested*, tested on near misses: handwritten functions with small changes to their bytecode
//! that no test was written to notice. Inputs from an independent source must not distinguish programs with this
//! level of evidence.

mod answers;
mod found;

use std::sync::Arc;

use crate::common::command::myriad;
use crate::common::drawn::Named;
use crate::common::extent::{one_in, scaled};
use myriad::compiler::program::Watch;
use myriad::compiler::stage::execute::mix;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, EngineError, Sampler};
use myriad::lang::index::{Address, RoutineId};
use myriad::learned::synthesis::evaluation;
use myriad::learned::synthesis::search::{Aim, Level, SearchSettings, SearchSubject, own_code, search};
use myriad::network::refuted::Refuted;
use myriad::network::sampling::{Agreement, Candidate, Draft, Inputs, Sampled, Sampling, Status};
use myriad::network::source::{self, Source};
use myriad::network::vocabulary::{Family, TARGETS};
use myriad::network::weights::Weights;
use myriad::network::{assembler, inputs, target};
use myriad::testing::decide::{Decide, Decider};
use myriad::testing::equivalence::CodeProver;

/// Number of changed programs for each function.
const NEAR_MISSES: usize = 16;
/// Number of inputs on which programs with evidence are tried again.
const TRIED: u64 = 20_000;

/// A sampler that offers given programs as if they had been drawn, and compares them like the engine.
struct Offers<'a> {
    engine: &'a mut CpuEngine,
    candidates: Vec<Candidate>,
}

impl Sampler for Offers<'_> {
    fn weights(&mut self, _: &Arc<Weights>) -> Result<(), EngineError> {
        Ok(())
    }
    fn sample_unrefuted(
        &mut self,
        _: &Source,
        _: &Sampling,
        _: &Refuted,
        _: &dyn Watch,
        _: &mut dyn FnMut(&Candidate),
    ) -> Result<Sampled, EngineError> {
        Ok(Sampled { candidates: self.candidates.clone(), oracles: 0, ..Sampled::default() })
    }
    fn write(&mut self, _: &[&Source], _: &Sampling, _: &dyn Watch) -> Result<Vec<Vec<Draft>>, EngineError> {
        Err(EngineError::Call("a search judges what it draws".into()))
    }
    fn agree(
        &mut self,
        function: RoutineId,
        codes: &[&[u32]],
        inputs: Inputs,
        watch: &dyn Watch,
    ) -> Result<Vec<Agreement>, EngineError> {
        self.engine.agree(function, codes, inputs, watch)
    }
}

/// Returns programs that differ from `words` in one word, either of the same family or any that is allowed
/// there.
fn near_misses(source: &Source, words: &[u16], own: &[u32], origin: Address, seed: u32) -> Vec<Candidate> {
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
            shares: Vec::new(),
            status: Status::Passed,
            differing: None,
            passed: 0,
            // In random order, so that each may be the fastest.
            steps: u64::from(draw(3) % 100),
        });
    }
    found
}

#[test]
fn tested_near_misses_agree_on_independent_inputs() {
    let mut engine = CpuEngine::with_threads(1);
    let settings = SearchSettings { rounds: 1, aim: Aim::Fastest(Level::Tested), ..SearchSettings::default() };
    let (mut searches, mut offered, mut claimed, mut proved, mut wrong) = (0, 0, 0, 0, Vec::new());
    for task in one_in(2, evaluation::written().iter().filter(|task| task.name.starts_with("assets/"))) {
        let compiled = engine.base(&task.text, &|| false).unwrap().compiled;
        let named = Named::of(&task.text);
        let program = compiled.program();
        let origin = program.executable.end();
        for function in program.functions {
            let Ok(source) = source::read(&program, function) else { continue };
            let (Ok(words), Some(own)) =
                (target::write(&program, function, &source.tables), own_code(&program, &source))
            else {
                continue;
            };
            let candidates = near_misses(&source, &words, &own, origin, 7 + searches);
            offered += candidates.len();
            let prover = CodeProver::new(&compiled, function);
            for candidate in candidates.iter().filter(|c| prover.as_ref().is_some_and(|p| p.proves(&c.code))) {
                proved += 1;
                if let Some(input) = named.told_apart(&compiled, function, &candidate.code, (98, TRIED)) {
                    wrong.push(format!(
                        "{} {}: normal form on {input:?}",
                        task.name,
                        compiled.function_name(function)
                    ));
                }
            }
            searches += 1;
            let domain = inputs::Arguments::new(&compiled, function).size;
            let subject = SearchSubject { source: &source, own: Some(&own), domain, prover: prover.as_ref() };
            let mut offers = Offers { engine: &mut engine, candidates };
            let mut decider = Decider::new(&compiled, function);
            let found = search(&mut offers, &mut decider, subject, &settings, &|| false, &mut |_| {}).unwrap();
            let Some(best) = found.best() else { continue };
            if best.evidence.level() < Some(Level::Tested) {
                continue;
            }
            claimed += 1;
            if let Some(input) = named.told_apart(&compiled, function, &best.candidate.code, (99, TRIED)) {
                let input: Vec<i32> = input.iter().map(|word| *word as i32).collect();
                let name = compiled.function_name(function);
                wrong.push(format!("{} {name}: {} on {input:?}", task.name, best.evidence));
            }
        }
    }
    println!(
        "{searches} searches, {offered} near misses, {proved} with the same normal form, {claimed} answers proved or tested, {wrong:?} told apart"
    );
    assert!(u64::from(searches) > scaled(150) && offered as u64 > scaled(3_000) && claimed > scaled(14));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const WEAK: &str = include_str!("../../samples/weak.myr");
/// Code for `is_strong` that counts no character after `z`.
const BLIND: &str = "if c >= 'a' { if c <= 'z' { letters += 1; } } else { others += 1; }";

/// Code that passes the file's tests and random inputs, but fails on a typical string.
#[test]
fn character_absent_from_the_tests_is_tried() {
    let blind = WEAK.replace("if c >= 'a' && c <= 'z' { letters += 1; } else { others += 1; }", BLIND);
    assert_ne!(blind, WEAK);
    let mut engine = CpuEngine::with_threads(1);
    let other = engine.base(&blind.into(), &|| false).unwrap();
    assert!(other.entries.iter().all(|entry| !entry.outcome.fails()), "the tests do not tell");
    let text: Arc<str> = WEAK.into();
    let compiled = engine.base(&text, &|| false).unwrap().compiled;
    let function = compiled.functions().iter().find(|f| compiled.function_name(*f) == "is_strong").unwrap();
    let source = source::read(&compiled.program(), function).unwrap();
    let words = target::write(&other.compiled.program(), function, &source.tables).unwrap();
    let origin = compiled.executable.end();
    let code = assembler::assemble(&source.tables, &words, origin).unwrap();
    let named = Named::of("\"correct~horse~battery\"");
    assert!(named.told_apart(&compiled, function, &code, (1, 20_000)).is_some(), "the code is wrong");

    let mut decider = Decider::new(&compiled, function);
    let decision = decider.decide(&code, &|| false).unwrap();
    let password = &decision.differs.expect("an input")[0];
    assert!(password.iter().any(|code| *code > u32::from(b'z')), "{password:?}");
    let candidate = Candidate {
        number: 1,
        samples: 1,
        words,
        code,
        log_p: -1.0,
        shares: Vec::new(),
        status: Status::Passed,
        differing: None,
        passed: 2,
        steps: 1,
    };
    let subject = SearchSubject { source: &source, own: None, domain: None, prover: None };
    let mut offers = Offers { engine: &mut engine, candidates: vec![candidate] };
    let settings = SearchSettings { rounds: 1, aim: Aim::Fastest(Level::Tested), ..SearchSettings::default() };
    let found = search(&mut offers, &mut decider, subject, &settings, &|| false, &mut |_| {}).unwrap();
    assert!(found.best().is_none(), "{:?}", found.best());
}

/// The compiler's code is the answer, or faster code that is proved; and it is right for a string that the tests lack.
#[test]
fn is_strong_counts_characters_after_z() {
    let (file, password) = ("samples/weak.myr", "\"correct~horse~battery\"");
    for seed in ["1", "2"] {
        let drawing = ["-k", "100", "--seed", seed, "--engine", "cpu", "--format", "json"];
        let run = |words: &[&str]| {
            let called = myriad(&[words, &drawing].concat(), b"");
            assert_eq!(called.code, 0, "{called:?}");
            called.file()
        };
        let answer = run(&["run", file, "is_strong", password, "--compiler", "neural"]);
        assert_eq!((&answer["value"], &answer["evidence"]), (&true.into(), &"proved".into()), "{answer}");
        let row = &run(&["neural", file, "--function", "is_strong"])["functions"][0];
        let best = &row["best"];
        assert!(best.is_null() || best["evidence"] == "proved", "{row}");
        assert!(best.is_null() || best["steps"].as_u64() <= best["base_steps"].as_u64(), "{row}");
        assert!(row["tested"].is_null() || row["tested"]["evidence"] == "tested", "{row}");
    }
}
