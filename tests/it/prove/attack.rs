//! Proofs are attacked: code that is proved equal behaves alike on every input tried, and no test tells it apart.

use std::sync::Arc;

use crate::common::attack::{Attacked, Claim};
use crate::common::cases::programs;
use crate::common::compile::compile_at;
use crate::common::extent::{one_in, scaled};
use crate::common::{called, looped, typed};
use myriad::compiler::variants::Variants;
use myriad::lang::index::Indices;
use myriad::lang::level::OptLevel;
use myriad::testing::equivalence::function_of;
use myriad::testing::prove::{Method, ProofEffort, ProveVerdict, Question, mutant, prove};

/// The maximum number of deciding inputs on which a proof is attacked.
const INPUTS: u64 = 10_000;
/// The number of claims about random programs after which no more are made.
const CLAIMS: u64 = 10_000;

/// The proofs, and the runs that attacked them.
#[derive(Debug, Default)]
struct Proofs {
    mutants: u64,
    claims: u64,
    symbolic: u64,
    attacked: Attacked,
    refuted: Vec<String>,
}

impl Proofs {
    /// Asks for a proof of each mutant of a program, and attacks those found. The mutants are not selected by their
    /// verdicts: most of them differ.
    fn attack(&mut self, name: &str, text: &str, share: usize) {
        let base = Arc::new(compile_at(OptLevel::Local, text));
        let variants = Variants::new(base.clone());
        for id in one_in(share, Indices::first(variants.first_order()).iter().collect::<Vec<_>>()) {
            let Some(edits) = variants.edits(id) else { continue };
            let Some(function) = function_of(&base, edits.first) else { continue };
            let Some(other) = mutant(&base, edits.first) else { continue };
            let (base, edit) = (&base, Some(edits.first));
            let question = Question { base, function, other: &other, other_function: function, edit };
            self.mutants += 1;
            let Some(ProveVerdict::Proved(method)) = prove(&question, &ProofEffort::searching(0), &|| false)
            else {
                continue;
            };
            self.claims += 1;
            self.symbolic += u64::from(matches!(method, Method::Symbolic(_)));
            let other = &other.executable;
            let claim = Claim { base, function, other, other_function: function, is_mutant: true };
            match claim.attack(scaled(1_600).min(INPUTS) as u32) {
                Ok(attacked) => self.attacked += attacked,
                Err(input) => {
                    let change = variants.describe(id).expect("a mutant");
                    let change = format!("{} → {}", change.original, change.replacement);
                    self.refuted.push(format!("{name}: {id}: {change}, {method:?}: {input}\n{text}"));
                }
            }
        }
    }

    fn check(&self) {
        println!("{self:?}");
        assert!(self.refuted.is_empty(), "{:#?}", self.refuted);
        assert!(self.mutants > 0 && self.attacked.deciding >= self.claims);
    }
}

#[test]
fn proved_mutants_of_samples_and_cases_behave_alike() {
    let mut proofs = Proofs::default();
    for (name, text) in one_in(4, programs(&["samples", "tests/cases", "tests/conformance"])) {
        if compile_at(OptLevel::Local, &text).facts.compiles() {
            proofs.attack(&name, &text, 48);
        }
    }
    proofs.check();
}

/// `MYRIAD_SCALE=1000` makes 10,000 claims.
#[test]
fn proved_mutants_of_random_programs_behave_alike() {
    let mut proofs = Proofs::default();
    for seed in 0..scaled(2) {
        for text in [typed::program(seed), called::program(seed), looped::program(seed)] {
            proofs.attack(&format!("seed {seed}"), &text, 16);
        }
        if seed % 16 == 15 {
            println!("seed {seed}: {proofs:?}");
        }
        if proofs.claims >= CLAIMS {
            break;
        }
    }
    proofs.check();
}
