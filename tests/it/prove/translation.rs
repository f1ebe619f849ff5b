//! Level 2 of the optimizer is compared with level 0, routine by routine.

use std::sync::Arc;

use crate::common::cases::programs;
use crate::common::compile::compile_at;
use crate::common::extent::{one_in, scaled};
use crate::common::{called, looped, typed};
use myriad::lang::level::OptLevel;
use myriad::learned::synthesis::evaluation;
use myriad::testing::prove::{Method, ProveVerdict, translation};

/// The functions by verdict.
#[derive(Debug, Default)]
struct Counts {
    form: u32,
    symbolic: u32,
    tested: u32,
    inputs: u64,
    differ: Vec<String>,
}

impl Counts {
    fn add(&mut self, name: &str, text: &str) {
        let program = Arc::new(compile_at(OptLevel::Local, text));
        if !program.facts.compiles() {
            return;
        }
        for function in program.functions() {
            match translation(&program, function, &|| false).expect("not cancelled") {
                ProveVerdict::Proved(Method::Form) => self.form += 1,
                ProveVerdict::Proved(_) => self.symbolic += 1,
                ProveVerdict::Unknown(tried) => {
                    self.tested += 1;
                    self.inputs += u64::from(tried.decision.inputs);
                }
                differs => {
                    let of = program.function_name(function);
                    self.differ.push(format!("{name}: {of}: {differs:?}\n{text}"));
                }
            }
        }
    }

    fn check(&self, of: &str) {
        println!("{of}: {self:?}");
        assert!(self.differ.is_empty(), "{:#?}", self.differ);
        assert!(self.form > 0);
    }
}

#[test]
fn whole_programs_of_samples_and_repairs_behave_like_lowered_ones() {
    let mut counts = Counts::default();
    for (name, text) in one_in(4, programs(&["samples", "tests/repair"])) {
        counts.add(&name, &text);
    }
    counts.check("samples and repairs");
}

#[test]
fn whole_random_programs_behave_like_lowered_ones() {
    let mut counts = Counts::default();
    for seed in 0..scaled(4) {
        for text in [typed::program(seed), called::program(seed), looped::program(seed)] {
            counts.add(&format!("seed {seed}"), &text);
        }
    }
    counts.check("random programs");
    for task in evaluation::generated_from(2, scaled(20) as u32) {
        counts.add(&task.name, &task.text);
    }
    counts.check("random and generated programs");
}
