//! Routes functions by a threshold on their score, tuned to the measured costs of the paths on this machine.

use std::collections::HashMap;
use std::time::Duration;

use crate::engine::Kind;
use crate::host::measure::energy::Watts;
use crate::host::measure::origin::Origin;
use crate::learned::synthesis::search::{self, Aim, Level};
use crate::network::sampling::Sampling;
use crate::network::source::Unsupported;

use super::cost::{Costs, Fallback, MovingAverage};
pub use super::cost::{DEAD_BAND, K, Objective, Path, with_prefix};
pub use super::decision::{Decision, DecisionWhy, SKILL, threshold};
use super::objective::{Comparison, Figure, Pricing, Way};
use super::paths::PathTimes;
use crate::compiler::stage::BackEnd;
use crate::compiler::stage::route::features::Feature;
use crate::compiler::stage::route::score::{Coefficients, Scored};
use crate::lang::level::OptLevel;

/// The maximum number of functions whose routes are remembered.
const HELD: usize = 1_024;
/// The assumed seconds of routing, neural and traditional path before any measurement, for a function of [`LENGTH`]
/// tokens. They were measured on a machine with two cores with the CPU engine.
const ASSUMED: [f64; 3] = [0.6e-6, 11e-3, 12e-6];
/// The mean number of tokens of the functions that the coefficients were fitted to.
const LENGTH: f64 = 57.0;
/// The power of a function's length with which the time of a search grows: `myriad model --equation 9` fits it.
const GROWTH: f64 = 2.0;

/// The rule by which functions are routed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// The way with the least cost: time to compile + executions × steps × time of a step.
    #[default]
    Cost,
    /// Algorithm 3 of the paper: a threshold on the score.
    Paper,
}

impl Route {
    pub const ALL: [Route; 2] = [Route::Cost, Route::Paper];

    pub fn ident(self) -> &'static str {
        match self {
            Route::Cost => "cost",
            Route::Paper => "paper",
        }
    }
}

/// The user's settings for hybrid compilation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The evidence that a final result needs.
    pub evidence: Level,
    pub route: Route,
    /// The threshold as a logit, or `None` to tune it. A fixed threshold decides alone, as in algorithm 3.
    pub theta: Option<f64>,
    pub objective: Objective,
    /// The configured powers, by which time is converted to energy.
    pub watts: Watts,
    /// The parameters of drawing and comparing candidates.
    pub sampling: Sampling,
    pub risk: f64,
    pub confidence: f64,
}

impl Default for Settings {
    fn default() -> Self {
        let search::SearchSettings { sampling, risk, confidence, .. } = search::SearchSettings::default();
        Settings {
            evidence: Level::default(),
            route: Route::default(),
            theta: None,
            objective: Objective::default(),
            watts: Watts::default(),
            sampling: Sampling { k: K, ..sampling },
            risk,
            confidence,
        }
    }
}

impl Settings {
    /// Returns the settings of the neural path's search: one round, and the first candidate with the required evidence.
    pub fn search(&self) -> search::SearchSettings {
        let Settings { sampling, risk, confidence, evidence, .. } = *self;
        search::SearchSettings { sampling, risk, confidence, rounds: 1, aim: Aim::First(evidence) }
    }

    /// Returns when the traditional compiler runs for a function on the neural path.
    pub fn fallback(&self) -> Fallback {
        if self.evidence == Level::Proved { Fallback::Parallel } else { Fallback::Sequential }
    }
}

/// The time of a search for a function of `length` tokens, in relation to one of [`LENGTH`] tokens.
fn growth(length: f64) -> f64 {
    (length.max(1.0) / LENGTH).powf(GROWTH)
}

/// A router: its settings, the measured costs, and the routes so far.
#[derive(Default)]
pub struct Router {
    pub settings: Settings,
    pub coefficients: Coefficients,
    /// The traditional path: the stages after check, which produce the same bytecode on any machine.
    pub traditional: BackEnd,
    /// The times of routing and of the traditional path for the program at hand, once they are measured.
    pub paths: Option<PathTimes>,
    /// The mean seconds of a search, for a function of [`LENGTH`] tokens.
    search: MovingAverage,
    /// The tuned threshold, once it is computed.
    tuned: Option<f64>,
    /// The routes of functions, by name.
    held: HashMap<String, Path>,
    /// The prices and executions for the program at hand. Without them, the threshold decides.
    pub pricing: Option<Pricing>,
}

/// The state that [`Router::force`] replaced.
pub struct RouterKept {
    theta: Option<f64>,
    held: HashMap<String, Path>,
}

impl Router {
    pub fn new(settings: Settings, coefficients: Coefficients) -> Router {
        Router { settings, coefficients, ..Router::default() }
    }

    /// Records the time of a search for a function of `length` tokens.
    pub fn searched(&mut self, length: u32, time: Duration) {
        self.search.add(time.as_secs_f64() / growth(f64::from(length)));
    }

    /// Forgets the routes of all functions, for use with another program.
    pub fn forget_routes(&mut self) {
        self.held.clear();
    }

    /// Fixes the threshold temporarily and sets the functions' routes aside. [`Self::restore`] undoes this.
    pub fn force(&mut self, theta: f64) -> RouterKept {
        RouterKept { theta: self.settings.theta.replace(theta), held: std::mem::take(&mut self.held) }
    }

    pub fn restore(&mut self, kept: RouterKept) {
        (self.settings.theta, self.held) = (kept.theta, kept.held);
    }

    /// Returns the origin of [`Self::costs`]. They count as measured only for time, once all three were measured on
    /// this machine.
    pub fn origin(&self) -> Origin {
        if self.paths.is_some() { self.origin_of_search() } else { Origin::Modelled }
    }

    fn origin_of_search(&self) -> Origin {
        let is_measured = self.search.mean().is_some() && self.settings.objective == Objective::Time;
        if is_measured { Origin::Measured } else { Origin::Modelled }
    }

    /// The mean number of tokens of the program's functions.
    fn length(&self) -> f64 {
        self.paths.map_or(LENGTH, |paths| paths.length)
    }

    /// Returns the costs of routing and of the paths for a function of the program's mean length, in the objective's
    /// unit. `kind` is the engine of the neural path.
    pub fn costs(&self, kind: Kind) -> Costs {
        self.costs_at(self.length(), kind)
    }

    /// Likewise for a function of `length` tokens.
    fn costs_at(&self, length: f64, kind: Kind) -> Costs {
        let [routing, search, traditional] = ASSUMED;
        let (routing, traditional) =
            self.paths.map_or((routing, traditional), |paths| (paths.routing, paths.traditional));
        let mut costs = [routing, self.search.mean().unwrap_or(search) * growth(length), traditional];
        if self.settings.objective == Objective::Energy {
            let watts = self.settings.watts;
            for (cost, watts) in costs.iter_mut().zip([watts.of(kind), watts.of(kind), watts.cpu]) {
                *cost *= watts;
            }
        }
        let [routing, neural, traditional] = costs;
        Costs { routing, neural, traditional }
    }

    /// Returns the threshold in force.
    pub fn theta(&mut self, kind: Kind) -> f64 {
        if let Some(theta) = self.settings.theta {
            return theta;
        }
        let best = self.costs(kind).best_threshold(self.settings.fallback());
        let stays = |tuned: &f64| *tuned == best || (best - tuned).abs() <= DEAD_BAND;
        let theta = self.tuned.filter(stays).unwrap_or(best);
        self.tuned = Some(theta);
        theta
    }

    /// Routes a function by the threshold. The name identifies its previous route, so that the route does not flicker.
    pub fn decide(
        &mut self,
        name: &str,
        scored: &Scored,
        refused: Option<Unsupported>,
        kind: Kind,
    ) -> Decision {
        let score = scored.score;
        let theta = self.theta(kind);
        let held = self.held.get(name).copied();
        let below = score.logit() < theta;
        let keeps = (score.logit() - theta).abs() <= DEAD_BAND;
        let plain = if below { Path::Neural } else { Path::Traditional };
        let is_refused = refused.is_some() && self.settings.theta.is_none();
        let path = held.filter(|_| keeps).unwrap_or(plain);
        let fallback = self.settings.fallback();
        let why = match self.settings.theta {
            None if is_refused => DecisionWhy::Refused,
            _ if path != plain => DecisionWhy::Kept,
            Some(_) => DecisionWhy::Fixed,
            None if fallback == Fallback::Parallel => DecisionWhy::ProofNeedsBoth,
            None if theta == f64::NEG_INFINITY => DecisionWhy::NeverPays,
            None => DecisionWhy::Tuned,
        };
        if self.held.len() >= HELD {
            self.held.clear();
        }
        self.held.insert(name.to_string(), path);
        let path = if is_refused { Path::Traditional } else { path };
        let objective = self.settings.objective;
        let costs = self.costs_at(f64::from(scored.features[Feature::Length as usize]), kind);
        let (origin, paths) = (self.origin(), self.paths);
        Decision {
            path,
            why,
            score,
            theta,
            refused,
            paths,
            costs,
            origin,
            objective,
            fallback,
            comparison: None,
        }
    }

    /// Routes a function of a program of level `own` by the rule of the settings. The threshold decides if the user fixed
    /// it, or if the executions of the function are not known. `refused` is the network's reason not to compile it.
    pub fn route(
        &mut self,
        name: &str,
        scored: &Scored,
        refused: Option<Unsupported>,
        own: OptLevel,
        kind: Kind,
    ) -> Decision {
        let decision = self.decide(name, scored, refused, kind);
        let Some(mut comparison) = self.compare(name, scored, &decision.costs, own) else { return decision };
        comparison.allowed[Way::Network.place()] &= refused.is_none();
        if self.settings.route == Route::Paper || self.settings.theta.is_some() {
            return Decision { comparison: Some(comparison), ..decision };
        }
        let path = comparison.best().path();
        Decision { path, why: DecisionWhy::LeastCost, comparison: Some(comparison), ..decision }
    }

    /// Compares the costs of all ways for a function, in the objective's unit.
    fn compare(&self, name: &str, scored: &Scored, costs: &Costs, own: OptLevel) -> Option<Comparison> {
        let pricing = self.pricing.as_ref()?;
        let network = Figure { value: costs.neural, origin: self.origin_of_search() };
        let watts = match self.settings.objective {
            Objective::Time => 1.0,
            Objective::Energy => self.settings.watts.cpu,
        };
        pricing.compare(name, scored, network, own, watts)
    }
}
