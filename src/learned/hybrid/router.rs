//! Which path a function takes: a threshold on its score, tuned to what the paths cost on this machine.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use crate::engine::Kind;
use crate::host::measure::energy::Watts;
use crate::host::measure::origin::Origin;
use crate::learned::synthesis::search::{self, Aim, Level};
use crate::network::sampling::Sampling;

use super::cost::{Costs, Fallback, Forgetting};
use crate::compiler::stage::BackEnd;
use crate::compiler::stage::route::score::{Coefficients, Score};

/// Candidates of the neural path, as in algorithm 3.
pub const K: u32 = 100;
/// How far a score must be beyond the threshold for a function's route to change, and how far the best threshold must
/// move for the threshold to follow, in logits.
pub const DEAD_BAND: f64 = 0.25;
/// Functions whose routes are remembered at most.
const HELD: usize = 1_024;
/// What stands in for the costs of routing, neural and traditional path before anything is measured, in seconds: what they were on a machine with two
/// cores, by the CPU engine (`myriad router --eval`).
const ASSUMED: [f64; 3] = [0.6e-6, 11e-3, 12e-6];

/// A way to bytecode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    Traditional,
    Neural,
}

impl Path {
    pub fn ident(self) -> &'static str {
        match self {
            Path::Traditional => "traditional",
            Path::Neural => "neural",
        }
    }
}

/// What the threshold makes least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    #[default]
    Time,
    Energy,
}

/// What a user asks of the hybrid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// What a final result needs.
    pub evidence: Level,
    /// The threshold, as a logit; tuned if none is said.
    pub theta: Option<f64>,
    pub objective: Objective,
    /// Stated powers: energy is time by them.
    pub watts: Watts,
    /// How candidates are drawn and verified.
    pub sampling: Sampling,
    pub risk: f64,
    pub confidence: f64,
}

impl Default for Settings {
    fn default() -> Self {
        let search::Settings { sampling, risk, confidence, .. } = search::Settings::default();
        Settings {
            evidence: Level::default(),
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
    /// The neural path's search: one round, and the first candidate that has the evidence.
    pub fn search(&self) -> search::Settings {
        let Settings { sampling, risk, confidence, evidence, .. } = *self;
        search::Settings { sampling, risk, confidence, rounds: 1, aim: Aim::First(evidence) }
    }

    /// When the traditional compiler works for a function on the neural path.
    pub fn fallback(&self) -> Fallback {
        if self.evidence == Level::Proved { Fallback::Beside } else { Fallback::Behind }
    }
}

/// Why a path is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// By a threshold that the user fixed.
    Fixed,
    /// By the threshold that makes the expected cost least.
    Tuned,
    /// The score is so near the threshold that the function's route stays as it was.
    Kept,
    /// The neural path costs more than the traditional one, however sure it is to succeed.
    NeverPays,
    /// The traditional compiler has to work in any case, so nothing is saved.
    ProofNeedsBoth,
}

/// Where a function is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    pub path: Path,
    pub why: Why,
    pub score: Score,
    pub theta: f64,
    /// What was known of the costs, in seconds or joules.
    pub costs: Costs,
    /// Whether they are this machine's own; energy never is.
    pub origin: Origin,
    pub objective: Objective,
    pub fallback: Fallback,
}

impl Decision {
    pub fn probability(&self) -> f64 {
        self.score.probability()
    }

    /// What this path is expected to cost.
    pub fn expected(&self) -> f64 {
        self.of(self.path == Path::Neural)
    }

    /// What the other one would be expected to cost.
    pub fn counterfactual(&self) -> f64 {
        self.of(self.path != Path::Neural)
    }

    fn of(&self, neural: bool) -> f64 {
        self.costs.expected(neural, self.probability(), self.fallback)
    }

    /// An amount in words, in the objective's unit.
    pub fn amount(&self, amount: f64) -> String {
        let unit = match self.objective {
            Objective::Time => "s",
            Objective::Energy => "J",
        };
        with_prefix(amount, unit)
    }
}

/// Three digits and a prefix: `0.0123` seconds are `12.3 ms`.
pub fn with_prefix(amount: f64, unit: &str) -> String {
    let (scale, prefix) = match amount.abs() {
        a if a >= 1.0 || a == 0.0 => (1.0, ""),
        a if a >= 1e-3 => (1e3, "m"),
        a if a >= 1e-6 => (1e6, "µ"),
        _ => (1e9, "n"),
    };
    let scaled = amount * scale;
    let digits = if scaled.abs() >= 100.0 {
        0
    } else if scaled.abs() >= 10.0 {
        1
    } else {
        2
    };
    format!("{scaled:.digits$} {prefix}{unit}")
}

/// A threshold as people see it.
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
                let p = self.probability();
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
                "evidence `proved` needs the traditional compiler beside the neural path ({}), so its {} alone are cheaper ({})",
                self.amount(self.costs.neural),
                self.amount(self.costs.traditional),
                self.origin
            ),
        }
    }
}

/// A router: what it was told, what it has measured, and how it decided.
#[derive(Default)]
pub struct Router {
    pub settings: Settings,
    pub coefficients: Coefficients,
    /// The traditional path: the stages behind check, which make the same bytecode on any machine.
    pub traditional: BackEnd,
    /// Seconds of routing, neural and traditional path.
    means: [Forgetting; 3],
    /// The tuned threshold, once there is one.
    tuned: Option<f64>,
    /// The routes of functions, by name.
    held: HashMap<String, Path>,
}

/// What was in force before [`Router::force`].
pub struct Kept {
    theta: Option<f64>,
    held: HashMap<String, Path>,
}

impl Router {
    pub fn new(settings: Settings, coefficients: Coefficients) -> Router {
        Router { settings, coefficients, ..Router::default() }
    }

    /// Takes measured times of a function; those of paths that were not taken are none.
    pub fn measured(&mut self, routing: Duration, neural: Option<Duration>, traditional: Option<Duration>) {
        for (mean, time) in self.means.iter_mut().zip([Some(routing), neural, traditional]) {
            if let Some(time) = time {
                mean.add(time.as_secs_f64());
            }
        }
    }

    /// Forgets where functions were sent: for another program.
    pub fn forget_routes(&mut self) {
        self.held.clear();
    }

    /// Fixes the threshold for a while, without a trace in the functions' routes; [`Self::restore`] ends that.
    pub fn force(&mut self, theta: f64) -> Kept {
        Kept { theta: self.settings.theta.replace(theta), held: std::mem::take(&mut self.held) }
    }

    /// Makes the threshold and the routes what they were.
    pub fn restore(&mut self, kept: Kept) {
        (self.settings.theta, self.held) = (kept.theta, kept.held);
    }

    /// Where [`Self::costs`] come from: measured are times alone, once there are all three of this machine.
    pub fn origin(&self) -> Origin {
        let measured = self.means.iter().all(|mean| mean.mean().is_some());
        if measured && self.settings.objective == Objective::Time { Origin::Measured } else { Origin::Modelled }
    }

    /// What routing and the paths cost, in the objective's unit, with the neural path on an engine of that kind.
    pub fn costs(&self, kind: Kind) -> Costs {
        let mut costs = [0.0; 3];
        for (cost, (mean, assumed)) in costs.iter_mut().zip(self.means.iter().zip(ASSUMED)) {
            *cost = mean.mean().unwrap_or(assumed);
        }
        if self.settings.objective == Objective::Energy {
            let watts = self.settings.watts;
            for (cost, watts) in costs.iter_mut().zip([watts.of(kind), watts.of(kind), watts.cpu]) {
                *cost *= watts;
            }
        }
        let [routing, neural, traditional] = costs;
        Costs { routing, neural, traditional }
    }

    /// The threshold in force.
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

    /// Where a function is sent whose name is known, so that its route does not flicker.
    pub fn decide(&mut self, name: &str, score: Score, kind: Kind) -> Decision {
        let theta = self.theta(kind);
        let held = self.held.get(name).copied();
        let below = score.logit() < theta;
        let keeps = (score.logit() - theta).abs() <= DEAD_BAND;
        let plain = if below { Path::Neural } else { Path::Traditional };
        let path = held.filter(|_| keeps).unwrap_or(plain);
        let fallback = self.settings.fallback();
        let why = match self.settings.theta {
            _ if path != plain => Why::Kept,
            Some(_) => Why::Fixed,
            None if fallback == Fallback::Beside => Why::ProofNeedsBoth,
            None if theta == f64::NEG_INFINITY => Why::NeverPays,
            None => Why::Tuned,
        };
        if self.held.len() >= HELD {
            self.held.clear();
        }
        self.held.insert(name.to_string(), path);
        let (costs, objective) = (self.costs(kind), self.settings.objective);
        Decision { path, why, score, theta, costs, origin: self.origin(), objective, fallback }
    }
}
