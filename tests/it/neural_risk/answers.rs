//! The answers of `myriad neural` for handwritten and generated functions: inputs distinguish no proved program from the
//! traditional compiler's code, and inputs from an independent source no tested one. `MYRIAD_SCALE=125` tries 1,000,000
//! inputs for each answer, all functions and five seeds.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::common::attack::{Attacked, Claim};
use crate::common::cases::programs;
use crate::common::drawn::Named;
use crate::common::extent::{exhaustive, one_in, scaled, skip_unless_thorough};
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::learned::synthesis::compile::{self, Refusal};
use myriad::learned::synthesis::evaluation::{self, EvaluationTask, Set};
use myriad::learned::synthesis::search::{Aim, Evidence, Level, Proof, SearchSettings};
use myriad::network::sampling::Sampling;
use myriad::network::weights;

/// Number of candidates per function, as in the workbench.
const K: u32 = 64;
/// Number of generated functions, and the seed of their corpus.
const GENERATED: u32 = 300;
const SEED: u64 = 35;

fn tasks() -> Vec<EvaluationTask> {
    let file = |(name, text): (String, String)| EvaluationTask {
        set: Set::Written,
        name,
        text: text.into(),
        function: None,
    };
    let written = programs(&["samples", "assets/neural/written"]).into_iter().map(file);
    written.chain(evaluation::generated_from(SEED, GENERATED)).collect()
}

#[test]
fn proved_and_tested_answers_agree_on_independent_inputs() {
    if skip_unless_thorough() {
        return;
    }
    let inputs = scaled(8_000);
    let weights = Arc::new(weights::shipped().expect("weights"));
    let seeds = if exhaustive() { 1..=5 } else { 1..=1 };
    let tasks = one_in(6, tasks());
    let mut engine = CpuEngine::with_threads(2);
    let (mut counts, mut attacked, mut wrong) = (BTreeMap::new(), Attacked::default(), Vec::new());
    // The codes of proved and of tested programs that were attacked.
    let mut known = HashSet::new();
    for seed in seeds {
        for (number, task) in tasks.iter().enumerate() {
            let compiled = engine.base(&task.text, &|| false).unwrap().compiled;
            if !compiled.facts.compiles() {
                continue;
            }
            let named = Named::of(&task.text);
            for function in task.functions(&compiled) {
                let sampling = Sampling { k: K, seed, ..Sampling::default() };
                let settings =
                    SearchSettings { sampling, aim: Aim::Fastest(Level::Tested), ..SearchSettings::default() };
                let (watch, sink) = (&|| false, &mut |_: &_| {});
                let found =
                    compile::function(&mut engine, &compiled, function, &weights, &settings, watch, sink);
                let found = match found {
                    Ok(compilation) => compilation.found,
                    Err(Refusal::Unsupported(_)) => continue,
                    Err(Refusal::Engine(error)) => panic!("{}: {error}", task.name),
                };
                let name = format!("{} {} seed {seed}", task.name, compiled.function_name(function));
                let answer = match found.best().map(|best| best.evidence) {
                    Some(Evidence::Proved(proof)) => proof.ident(),
                    Some(evidence) if evidence.level() == Some(Level::Tested) => "tested",
                    Some(_) => "tests",
                    None => "nothing",
                };
                *counts.entry(("answer", answer)).or_insert(0) += 1;
                // All proved programs are attacked, not only the answer.
                for judged in &found.candidates {
                    let code = &judged.candidate.code;
                    let proof = match judged.evidence {
                        Evidence::Proved(Proof::SameBytecode) => continue,
                        Evidence::Proved(proof) => proof.ident(),
                        evidence if evidence.level() == Some(Level::Tested) => "tested",
                        _ => continue,
                    };
                    if !known.insert((number, function, proof, code.clone())) {
                        continue;
                    }
                    *counts.entry(("code", proof)).or_insert(0) += 1;
                    if let Some(tested) = judged.evidence.tested() {
                        println!("{name}: tested, {}", tested.details().join("; "));
                        let states = if tested.kills.is_some() { "states kills" } else { "states no kills" };
                        *counts.entry(("tested", states)).or_insert(0) += 1;
                    }
                    if let Some(input) = named.told_apart(&compiled, function, code, (seed.into(), inputs)) {
                        let input: Vec<i32> = input.iter().map(|word| *word as i32).collect();
                        wrong.push(format!("{name}: {proof}, {input:?}"));
                    }
                    let other = &compiled.executable.with_function(function, code);
                    let claim =
                        Claim { base: &compiled, function, other, other_function: function, is_mutant: true };
                    match claim.attack(inputs as u32) {
                        Ok(own) => attacked += own,
                        // More inputs than were tried for the answer may distinguish a tested program.
                        Err(input) if proof == "tested" => println!("{name}: tested, but they {input}"),
                        Err(input) => wrong.push(format!("{name}: {proof}, they {input}")),
                    }
                }
            }
            if number % 20 == 19 {
                println!("seed {seed}, {} of {}: {counts:?}, {attacked:?}, {wrong:?}", number + 1, tasks.len());
            }
        }
    }
    println!("{counts:?}; {inputs} inputs of each code, {attacked:?}");
    assert!(
        counts.get(&("answer", Proof::SameBytecode.ident())).is_some_and(|count| *count > 10),
        "{counts:?}"
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
}
