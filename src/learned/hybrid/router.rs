//! Routes functions by a threshold on their score, tuned to the measured costs of the paths on this machine.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use crate::engine::Kind;
use crate::host::measure::energy::Watts;
use crate::host::measure::origin::Origin;
use crate::learned::synthesis::search::{self, Aim, Level};
use crate::network::sampling::Sampling;
use crate::network::source::Unsupported;

use super::cost::{Costs, Fallback, MovingAverage};
pub use super::cost::{Path, with_prefix};
use super::objective::{Comparison, Figure, Pricing, Way};
use super::paths::PathTimes;
use crate::compiler::stage::BackEnd;
use crate::compiler::stage::route::features::Feature;
use crate::compiler::stage::route::score::{Coefficients, Score, Scored};
use crate::lang::level::OptLevel;

/// The number of candidates of the neural path, as in algorithm 3.
pub const K: u32 = 100;
/// The hysteresis in logits: how far beyond the threshold a score must be for a function's route to change, and how far
/// the best threshold must move for the threshold in force to follow.
pub const DEAD_BAND: f64 = 0.25;
/// The maximum number of functions whose routes are remembered.
const HELD: usize = 1_024;
/// The assumed seconds of routing, neural and traditional path before any measurement, for a function of [`LENGTH`]
/// tokens. They were measured on a machine with two cores with the CPU engine.
const ASSUMED: [f64; 3] = [0.6e-6, 11e-3, 12e-6];
/// The mean number of tokens of the functions that the coefficients were fitted to.
const LENGTH: f64 = 57.0;
/// The power of a function's length with which the time of a search grows: `myriad model --equation 9` fits it.
const GROWTH: f64 = 2.0;

/// How good the predicted probabilities are: `docs/hybrid.md` has the measurement.
pub const SKILL: &str =
    "p says no more than its mean, 97 %, for functions that people write; for long generated ones it has skill";

/// The quantity that the threshold minimizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    #[default]
    Time,
    Energy,
}

impl Objective {
    /// The unit of costs.
    pub fn unit(self) -> &'static str {
        match self {
            Objective::Time => "s",
            Objective::Energy => "J",
        }
    }
}

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
        let search::Settings { sampling, risk, confidence, .. } = search::Settings::default();
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
    pub fn search(&self) -> search::Settings {
        let Settings { sampling, risk, confidence, evidence, .. } = *self;
        search::Settings { sampling, risk, confidence, rounds: 1, aim: Aim::First(evidence) }
    }

    /// Returns when the traditional compiler runs for a function on the neural path.
    pub fn fallback(&self) -> Fallback {
        if self.evidence == Level::Proved { Fallback::Parallel } else { Fallback::Sequential }
    }
}

/// The reason for a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The user fixed the threshold.
    Fixed,
    /// The threshold minimizes the expected cost.
    Tuned,
    /// The score is so near the threshold that the function's route is unchanged.
    Kept,
    /// The neural path costs more than the traditional one, even at a success probability of 1.
    NeverPays,
    /// The traditional compiler must run in any case, so the neural path saves nothing.
    ProofNeedsBoth,
    /// The way of this path has the least cost of all.
    LeastCost,
    /// The network cannot read or write the function.
    Refused,
}

/// The routing decision for a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    pub path: Path,
    pub why: Why,
    pub score: Score,
    pub theta: f64,
    /// Why the network cannot compile the function, if so. Then the score predicts nothing.
    pub refused: Option<Unsupported>,
    /// The costs of a function of this length known at that time, in seconds or joules.
    pub costs: Costs,
    /// Whether the costs were measured on this machine. Energy is always modelled.
    pub origin: Origin,
    pub objective: Objective,
    pub fallback: Fallback,
    /// The costs of all ways, if the executions of the function are known.
    pub comparison: Option<Comparison>,
}

impl Decision {
    /// Returns the chosen way if the cost decided.
    pub fn way(&self) -> Option<Way> {
        self.compared().map(Comparison::best)
    }

    /// Returns the comparison if it decided.
    pub fn compared(&self) -> Option<&Comparison> {
        self.comparison.as_ref().filter(|_| self.why == Why::LeastCost)
    }

    /// Returns the level of the traditional compiler for a program of this level.
    pub fn level(&self, own: OptLevel) -> OptLevel {
        match (self.way(), self.compared()) {
            (Some(Way::Level(level)), _) => level,
            (Some(Way::Network), Some(all)) if all.allowed[Way::Level(OptLevel::Whole).place()] => {
                OptLevel::Whole
            }
            _ => own,
        }
    }

    /// The probability of success within [`K`] candidates, or `None` if the network refuses the function.
    pub fn probability(&self) -> Option<f64> {
        self.refused.is_none().then(|| self.score.probability())
    }

    /// Returns the expected cost of the chosen path.
    pub fn expected(&self) -> f64 {
        self.of(self.path == Path::Neural)
    }

    /// Returns the expected cost of the other path, or `None` if the network refuses the function.
    pub fn counterfactual(&self) -> Option<f64> {
        self.refused.is_none().then(|| self.of(self.path != Path::Neural))
    }

    fn of(&self, neural: bool) -> f64 {
        let path = if neural { Path::Neural } else { Path::Traditional };
        if let Some(all) = self.compared()
            && let Some(way) = all.best_of(path)
        {
            return all.total(way);
        }
        self.costs.expected(neural, self.probability().unwrap_or(0.0), self.fallback)
    }

    /// Formats the score, and what it predicts: the probability of success, or else why the network refuses the function.
    pub fn prediction(&self) -> String {
        let score = self.score;
        match self.refused {
            Some(why) => format!("score {score}; the network cannot compile it: {why}"),
            None => {
                let p = score.probability();
                format!("score {score}, success within {K} candidates p = {p:.3} ({})", Origin::Modelled)
            }
        }
    }

    /// Formats an amount in the objective's unit.
    pub fn amount(&self, amount: f64) -> String {
        with_prefix(amount, self.objective.unit())
    }
}

/// The time of a search for a function of `length` tokens, in relation to one of [`LENGTH`] tokens.
fn growth(length: f64) -> f64 {
    (length.max(1.0) / LENGTH).powf(GROWTH)
}

/// Formats a threshold for people.
pub fn threshold(theta: f64) -> String {
    match theta {
        t if t == f64::NEG_INFINITY => "−∞".into(),
        t if t == f64::INFINITY => "∞".into(),
        t => format!("{t:.3}"),
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let below = if self.path == Path::Neural { "below" } else { "not below" };
        let (score, theta) = (self.score, threshold(self.theta));
        match self.why {
            Why::Fixed => write!(f, "score {score} is {below} the fixed θ {theta}"),
            Why::Tuned => {
                let p = self.score.probability();
                write!(f, "score {score} is {below} θ {theta}: with success at p = {p:.2} ")?;
                f.write_str(if self.path == Path::Neural { "it pays to try" } else { "it does not pay to try" })
            }
            Why::Kept => {
                write!(f, "score {score} is within {DEAD_BAND} of θ {theta}, so the route stays as it was")
            }
            Why::NeverPays => write!(
                f,
                "the neural path takes {} and the traditional one {} ({}): no probability of success makes up for that",
                self.amount(self.costs.neural),
                self.amount(self.costs.traditional),
                self.origin
            ),
            Why::ProofNeedsBoth => write!(
                f,
                "evidence `proved` needs the traditional compiler as well as the neural path ({}), so the traditional compiler alone is cheaper: {} ({})",
                self.amount(self.costs.neural),
                self.amount(self.costs.traditional),
                self.origin
            ),
            Why::Refused => match self.refused {
                Some(why) => write!(f, "the network cannot compile it: {why}"),
                None => Ok(()),
            },
            Why::LeastCost => match self.compared() {
                Some(all) => least_cost(all, self.objective.unit(), f),
                None => Ok(()),
            },
        }
    }
}

/// Writes both terms of the cost of the best way, and of the best way of the other path.
fn least_cost(all: &Comparison, unit: &str, f: &mut fmt::Formatter) -> fmt::Result {
    let best = all.best();
    write!(f, "{best} costs least: {}", all.sum(best, unit))?;
    let other = if best.path() == Path::Neural { Path::Traditional } else { Path::Neural };
    match all.best_of(other) {
        Some(way) => write!(f, "; {way}: {}", all.sum(way, unit)),
        None => Ok(()),
    }
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
pub struct Kept {
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
    pub fn force(&mut self, theta: f64) -> Kept {
        Kept { theta: self.settings.theta.replace(theta), held: std::mem::take(&mut self.held) }
    }

    /// Restores the threshold and the routes.
    pub fn restore(&mut self, kept: Kept) {
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
            None if is_refused => Why::Refused,
            _ if path != plain => Why::Kept,
            Some(_) => Why::Fixed,
            None if fallback == Fallback::Parallel => Why::ProofNeedsBoth,
            None if theta == f64::NEG_INFINITY => Why::NeverPays,
            None => Why::Tuned,
        };
        if self.held.len() >= HELD {
            self.held.clear();
        }
        self.held.insert(name.to_string(), path);
        let path = if is_refused { Path::Traditional } else { path };
        let objective = self.settings.objective;
        let costs = self.costs_at(f64::from(scored.features[Feature::Length as usize]), kind);
        let origin = self.origin();
        Decision { path, why, score, theta, refused, costs, origin, objective, fallback, comparison: None }
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
        Decision { path, why: Why::LeastCost, comparison: Some(comparison), ..decision }
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
