//! Every shader has the same output as its twin, bit for bit.

use crate::common::extent::{one_in, scaled};
use crate::common::{broken, called, confused, extremes, holed, looped, twins, typed};
use myriad::compiler::stage::Stage;
use myriad::lang::level::OptLevel;

/// Number of random programs of each kind.
fn seeds() -> u64 {
    scaled(80)
}

fn stage(stage: Stage) {
    let mut runner = twins::device();
    twins::compare(&mut runner, stage, &one_in(1, twins::files()));
    for texts in batches(&one_in(1, extremes::extremes())) {
        twins::compare(&mut runner, stage, texts);
    }
    let unended = |seed| broken::without_semicolons(seed).1;
    for generate in [typed::program, holed::program, broken::program, broken::without_bracket, unended] {
        let texts: Vec<String> = (0..seeds()).map(generate).collect();
        for texts in batches(&texts) {
            twins::compare(&mut runner, stage, texts);
        }
    }
}

/// Splits texts into batches whose arenas fit in the smallest binding that a device may support.
fn batches(texts: &[String]) -> impl Iterator<Item = &[String]> {
    const BYTES: usize = 400_000;
    let mut bytes = 0;
    texts.chunk_by(move |text, next| {
        bytes += text.len();
        let fits = bytes + next.len() < BYTES;
        if !fits {
            bytes = 0;
        }
        fits
    })
}

#[test]
fn lex_shader_matches_its_twin() {
    stage(Stage::Lex);
}

#[test]
fn parse_shader_matches_its_twin() {
    stage(Stage::Parse);
}

#[test]
fn check_shader_matches_its_twin() {
    stage(Stage::Check);
    let mut runner = twins::device();
    let texts: Vec<String> = (0..seeds()).map(confused::program).collect();
    for texts in batches(&texts) {
        twins::compare(&mut runner, Stage::Check, texts);
    }
}

#[test]
fn lower_shader_matches_its_twin() {
    stage(Stage::Lower);
}

#[test]
fn emit_shader_matches_its_twin() {
    stage(Stage::Emit);
}

#[test]
fn optimize_shader_matches_its_twin() {
    stage(Stage::Optimize);
}

#[test]
fn optimize_at_level_2() {
    let mut runner = twins::device();
    let random: Vec<String> = (0..seeds())
        .flat_map(|seed| [typed::program(seed), called::program(seed), looped::program(seed)])
        .collect();
    let texts = [one_in(1, twins::files()), one_in(1, extremes::extremes()), random].concat();
    for texts in batches(&texts) {
        twins::compare_at(OptLevel::Whole, &mut runner, Stage::Optimize, texts);
    }
}
