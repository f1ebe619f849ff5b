//! The answers of `myriad neural` for handwritten functions: inputs from an independent source distinguish no proved
//! or tested program from the traditional compiler's code. `MYRIAD_SCALE=125` tries 1,000,000 inputs for each answer, all
//! files and five seeds.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use super::drawn::Named;
use crate::common::extent::{exhaustive, one_in, scaled, skip_unless_thorough};
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::learned::synthesis::compile::{self, Refusal};
use myriad::learned::synthesis::search::{Aim, Evidence, Level, Proof, Settings};
use myriad::network::sampling::Sampling;
use myriad::network::weights;

/// Number of candidates per function, as in the workbench.
const K: u32 = 64;
/// Number of inputs if the bytecode is the compiler's own; these check the test rather than the answer.
const SAME: u64 = 200;

fn files() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = ["samples", "assets/neural/written"]
        .iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "myr"))
        .collect();
    files.sort();
    files
}

#[test]
fn proved_and_tested_answers_agree_on_independent_inputs() {
    if skip_unless_thorough() {
        return;
    }
    let inputs = scaled(8_000);
    let weights = Arc::new(weights::shipped().expect("weights"));
    let seeds = if exhaustive() { 1..=5 } else { 1..=1 };
    let (mut counts, mut wrong) = (BTreeMap::new(), Vec::new());
    for path in one_in(6, files()) {
        let text: Arc<str> = fs::read_to_string(&path).expect("a text").into();
        let named = Named::of(&text);
        let mut engine = CpuEngine::with_threads(2);
        let compiled = engine.base(&text, &|| false).unwrap().compiled;
        if !compiled.facts.compiles() {
            continue;
        }
        for (function, seed) in compiled.functions().iter().flat_map(|f| seeds.clone().map(move |s| (f, s))) {
            let sampling = Sampling { k: K, seed, ..Sampling::default() };
            let settings = Settings { sampling, aim: Aim::Fastest(Level::Tested), ..Settings::default() };
            let found = compile::function(
                &mut engine,
                &compiled,
                function,
                &weights,
                &settings,
                &|| false,
                &mut |_| {},
            );
            let found = match found {
                Ok(compilation) => compilation.found,
                Err(Refusal::Unsupported(_)) => continue,
                Err(Refusal::Engine(error)) => panic!("{}: {error}", path.display()),
            };
            let name = format!("{} {} seed {seed}", path.display(), compiled.function_name(function));
            let Some(best) = found.best() else {
                *counts.entry("nothing").or_insert(0) += 1;
                continue;
            };
            let (what, tried) = match best.evidence {
                Evidence::Proved(Proof::SameBytecode) => ("same bytecode", SAME.min(inputs)),
                Evidence::Proved(Proof::Exhausted) => ("exhausted", inputs),
                Evidence::Proved(Proof::Form) => ("normal form", inputs),
                evidence if evidence.level() == Some(Level::Tested) => ("tested", inputs),
                _ => ("tests", 0),
            };
            *counts.entry(what).or_insert(0) += 1;
            if let Some(tested) = best.evidence.tested() {
                println!("{name}: {what}, {}", tested.details().join("; "));
            }
            if let Some(input) =
                named.told_apart(&compiled, function, &best.candidate.code, (seed.into(), tried))
            {
                wrong
                    .push(format!("{name}: {what}, {:?}", input.iter().map(|w| *w as i32).collect::<Vec<_>>()));
            }
        }
    }
    println!("{counts:?}; {inputs} inputs of each that is tested or exhausted");
    assert!(counts.get("same bytecode").is_some_and(|count| *count > 10), "{counts:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
