//! Compiles functions with the neural network, for all subcommands that use it.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use super::args::{EvidenceChoice, SamplingArgs};
use super::exit::{Exit, Failure};
use super::progress::CliProgress;
use super::session::Session;
use crate::compiler::program::{Compiled, Watch};
use crate::host::measure::numbers::grouped;
use crate::lang::index::RoutineId;
use crate::learned::synthesis::compile::{self, Compilation, Refusal};
use crate::learned::synthesis::search::{Aim, Evidence, Level, Proof, SearchSettings};
use crate::network::sampling::Sampling;
use crate::network::weights::{self, Unavailable, Weights};
use crate::report::document::Object;

/// Default number of candidates.
const K: u32 = 1_000;

/// Opens the weights that the call names, or else those of this build.
pub fn open_weights(drawing: &SamplingArgs) -> Result<Arc<Weights>, Failure> {
    weights::open(drawing.weights.as_deref()).map_err(|why| {
        let exit = if drawing.weights.is_some() { Exit::Call } else { Exit::Engine };
        let help = match why {
            Unavailable::NoWeights => "name a weights file with --weights; everything else works without it",
            _ => "name matching weights with --weights; everything else works without them",
        };
        Failure { exit, message: format!("neural compilation is not available: {why}"), help: help.to_string() }
    })
}

/// Returns the search settings; `k` is the default number of candidates.
pub fn settings(drawing: &SamplingArgs, k: u32) -> SearchSettings {
    let SamplingArgs { temperature, top_p, seed, risk, confidence, .. } = *drawing;
    let sampling = Sampling { k: drawing.k.unwrap_or(k), first: 0, seed, temperature, top_p };
    SearchSettings { sampling, risk, confidence, ..SearchSettings::default() }
}

/// Returns the search settings of `myriad run` and `myriad neural`. `evidence` is the level that the answer needs.
pub fn run_settings(drawing: &SamplingArgs, evidence: Option<EvidenceChoice>) -> SearchSettings {
    let level = evidence.map_or(Level::Proved, Level::from);
    SearchSettings { aim: Aim::Fastest(level), ..settings(drawing, K) }
}

impl From<EvidenceChoice> for Level {
    fn from(choice: EvidenceChoice) -> Level {
        match choice {
            EvidenceChoice::Proved => Level::Proved,
            EvidenceChoice::Tested => Level::Tested,
            EvidenceChoice::Tests => Level::Tests,
        }
    }
}

/// Compiles one function of the session's base.
pub fn compile_one(
    session: &mut Session,
    program: &Compiled,
    function: RoutineId,
    weights: &Arc<Weights>,
    settings: &SearchSettings,
    watch: &dyn Watch,
) -> Result<Compilation, Refusal> {
    // The engine polls `watch` between steps, so the progress line is updated while candidates are drawn.
    let progress = RefCell::new((CliProgress::new("candidates judged"), 0u64));
    let (name, started) = (program.function_name(function), Instant::now());
    let show = |judged: u32| {
        let (progress, done) = &mut *progress.borrow_mut();
        *done += u64::from(judged);
        let (done, seconds) = (grouped(*done), started.elapsed().as_secs());
        progress.follow(&format!("{name}: {done} candidates judged, {seconds} s"));
    };
    let watch = || {
        show(0);
        watch.cancelled()
    };
    compile::function(session.engine(), program, function, weights, settings, &watch, &mut |candidate| {
        show(candidate.samples);
    })
}

/// Returns the fields of evidence in JSON documents.
pub fn evidence(evidence: Evidence) -> Object {
    let tested = evidence.tested();
    let bound = tested.and_then(|tested| tested.bound);
    let ways = tested.map(|tested| tested.ways).filter(|ways| ways.all > 0);
    let kills = tested.and_then(|tested| tested.kills);
    Object::new()
        .field("evidence", evidence.ident())
        .option("proof", evidence.proof().map(Proof::ident))
        .option("error_bound", bound.map(|bound| bound.error))
        .option("confidence", bound.map(|bound| bound.confidence))
        .option("deciding_inputs", tested.map(|tested| tested.deciding))
        .option("random_inputs", tested.map(|tested| tested.random))
        // Branch directions and comparison outcomes in both codes: those taken and all.
        .option("branches", ways.map(|ways| Object::new().field("taken", ways.taken).field("all", ways.all)))
        // The function's own mutants: those that the inputs kill and all.
        .option(
            "mutants",
            kills.map(|kills| Object::new().field("killed", kills.killed).field("all", kills.all)),
        )
}
