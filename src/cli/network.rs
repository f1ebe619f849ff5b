//! Compiles functions with the neural network, for all subcommands that use it.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::args::{EvidenceChoice, SamplingArgs};
use super::exit::{Exit, Failure};
use super::progress::Progress;
use super::session::Session;
use crate::compiler::program::{Compiled, Watch};
use crate::host::measure::numbers::grouped;
use crate::lang::index::RoutineId;
use crate::learned::synthesis::compile::{self, Compilation, Refusal};
use crate::learned::synthesis::search::{Aim, Evidence, Level, Proof, Settings};
use crate::network::sampling::Sampling;
use crate::network::weights::{self, Unavailable, Weights};
use crate::testing::decide::{MutantKills, Ways};

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
pub fn settings(drawing: &SamplingArgs, k: u32) -> Settings {
    let SamplingArgs { temperature, top_p, seed, risk, confidence, .. } = *drawing;
    let sampling = Sampling { k: drawing.k.unwrap_or(k), first: 0, seed, temperature, top_p };
    Settings { sampling, risk, confidence, ..Settings::default() }
}

/// Returns the search settings of `myriad run` and `myriad neural`. `evidence` is the level that the answer needs.
pub fn run_settings(drawing: &SamplingArgs, evidence: Option<EvidenceChoice>) -> Settings {
    let level = evidence.map_or(Level::Proved, Level::from);
    Settings { aim: Aim::Fastest(level), ..settings(drawing, K) }
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
    settings: &Settings,
    watch: &dyn Watch,
) -> Result<Compilation, Refusal> {
    // The engine polls `watch` between steps, so the progress line is updated while candidates are drawn.
    let progress = RefCell::new((Progress::new("candidates judged"), 0u64));
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

/// Evidence in JSON documents.
#[derive(Clone, Copy, Serialize)]
pub struct EvidenceFields {
    evidence: &'static str,
    /// The method of a proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_bound: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deciding_inputs: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    random_inputs: Option<u64>,
    /// Branch directions and comparison outcomes in both codes: those taken and all.
    #[serde(skip_serializing_if = "Option::is_none")]
    branches: Option<Branches>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mutants: Option<Mutants>,
}

#[derive(Clone, Copy, Serialize)]
struct Branches {
    taken: u32,
    all: u32,
}

/// The function's own mutants: those that the inputs kill and all.
#[derive(Clone, Copy, Serialize)]
struct Mutants {
    killed: u32,
    all: u32,
}

impl From<Evidence> for EvidenceFields {
    fn from(evidence: Evidence) -> EvidenceFields {
        let tested = evidence.tested();
        let bound = tested.and_then(|tested| tested.bound);
        let ways = tested.map(|tested| tested.ways).filter(|ways| ways.all > 0);
        let kills = tested.and_then(|tested| tested.kills);
        EvidenceFields {
            evidence: evidence.ident(),
            proof: evidence.proof().map(Proof::ident),
            error_bound: bound.map(|bound| bound.error),
            confidence: bound.map(|bound| bound.confidence),
            deciding_inputs: tested.map(|tested| tested.deciding),
            random_inputs: tested.map(|tested| tested.random),
            branches: ways.map(|Ways { taken, all }| Branches { taken, all }),
            mutants: kills.map(|MutantKills { killed, all }| Mutants { killed, all }),
        }
    }
}
