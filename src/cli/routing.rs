//! The hybrid compiler as commands use it: with the user's options, weights and history.

use std::path::PathBuf;
use std::sync::Arc;

use super::args::{Common, HybridRouting, ObjectiveChoice, RouteChoice, SamplingArgs};
use super::exit::Failure;
use super::network::open_weights;
use super::output::print_error;
use super::progress::CliProgress;
use super::session::Session;
use crate::compiler::program::Compiled;
use crate::host::files;
use crate::lang::index::{Indices, RoutineId};
use crate::learned::hybrid::history::{self, HistoryRow};
use crate::learned::hybrid::model::Model;
use crate::learned::hybrid::objective::Pricing;
use crate::learned::hybrid::paths::PathTimes;
use crate::learned::hybrid::router::{K, Objective};
use crate::learned::hybrid::{self, CompileEvent, CompileOutcome, Route, Router, Settings};
use crate::learned::synthesis::search::Level;
use crate::network::sampling::Sampling;
use crate::network::weights::Weights;
use crate::report::visible::visible;
use crate::workbench::config::Config;

pub struct Hybrid {
    pub router: Router,
    pub weights: Option<Arc<Weights>>,
    history: Option<PathBuf>,
}

impl Hybrid {
    pub fn new(common: Common, routing: &HybridRouting, drawing: &SamplingArgs) -> Result<Hybrid, Failure> {
        // Weights named by the call must exist; without the shipped ones everything takes the traditional path.
        let weights = match open_weights(drawing) {
            Err(why) if drawing.weights.is_some() => return Err(why),
            opened => opened.ok(),
        };
        let history = history::place();
        let rows = history.as_deref().map(history::load).and_then(Result::ok).unwrap_or_default();
        let settings = settings(&common.config, routing, drawing, common.config.router.evidence);
        let router = Router::new(settings, Model::shipped().learned(&rows));
        Ok(Hybrid { router, weights, history })
    }

    /// Judges the first-order mutants of the session's base, counts the executions of its functions, and measures the
    /// times of the paths.
    pub fn price(&mut self, session: &mut Session, program: &Compiled) -> Result<(), Failure> {
        let engine = session.engine();
        let ids = Indices::first(engine.variants().first_order);
        let mut verdicts = Vec::new();
        engine.mutants(ids, &|| false, &mut |part| verdicts.extend(part.verdicts))?;
        self.router.pricing = Pricing::of(program, &verdicts, true, &|| false);
        self.router.paths = PathTimes::measure(engine, program, &self.router.coefficients)?;
        Ok(())
    }

    /// Prices one call of a function of the session's base with the words of its frame: see [`Pricing::of_call`].
    pub fn price_call(
        &mut self,
        session: &mut Session,
        program: &Compiled,
        function: RoutineId,
        frame: Option<&[u32]>,
        any_level: bool,
    ) -> Result<(), Failure> {
        self.router.pricing = Pricing::of_call(program, function, frame, any_level, &|| false);
        self.router.paths = PathTimes::measure(session.engine(), program, &self.router.coefficients)?;
        Ok(())
    }

    /// Compiles a function of the session's base.
    pub fn compile(
        &mut self,
        session: &mut Session,
        program: &Compiled,
        function: RoutineId,
    ) -> Result<CompileOutcome, Failure> {
        let mut progress = CliProgress::new("candidates judged");
        let (mut judged, k) = (0, self.router.settings.sampling.k as usize);
        let mut told = |event: CompileEvent| {
            if let CompileEvent::Candidate(candidate) = event {
                judged += candidate.samples as usize;
                progress.update(judged.min(k), k);
            }
        };
        let weights = self.weights.as_ref();
        let engine = session.engine();
        let outcome =
            hybrid::compile(engine, program, function, weights, &mut self.router, &|| false, &mut told)?;
        drop(progress);
        self.learn(outcome.row.as_slice());
        Ok(outcome)
    }

    /// Adds rows to the user's history. A failed write is reported once and otherwise ignored.
    pub fn learn(&mut self, rows: &[HistoryRow]) {
        let Some(path) = &self.history else { return };
        if let Err(error) = history::append(path, rows) {
            let why =
                format!("the router's history is not kept: {}: {}", path.display(), files::message(&error));
            print_error(&(visible(&why) + "\n"));
            self.history = None;
        }
    }
}

/// Returns the settings of the hybrid compiler, from the call or else the configuration. `evidence` is the
/// default of the command.
pub fn settings(config: &Config, routing: &HybridRouting, drawing: &SamplingArgs, evidence: Level) -> Settings {
    let SamplingArgs { temperature, top_p, seed, risk, confidence, .. } = *drawing;
    let sampling = Sampling { k: drawing.k.unwrap_or(K), first: 0, seed, temperature, top_p };
    let evidence = routing.evidence.map_or(evidence, Level::from);
    let objective = match routing.objective {
        None => config.router.objective,
        Some(ObjectiveChoice::Time) => Objective::Time,
        Some(ObjectiveChoice::Energy) => Objective::Energy,
    };
    let theta = routing.theta.or(config.router.theta);
    let route = match routing.route {
        None => config.router.route,
        Some(RouteChoice::Cost) => Route::Cost,
        Some(RouteChoice::Paper) => Route::Paper,
    };
    Settings { evidence, route, theta, objective, watts: config.energy, sampling, risk, confidence }
}
