//! The routing decision for a function, and its reason in words.

use std::fmt;

use super::cost::{Costs, DEAD_BAND, Fallback, K, Objective, Path, with_prefix};
use super::objective::{Comparison, Way};
use super::paths::PathTimes;
use crate::compiler::stage::route::score::Score;
use crate::host::measure::origin::Origin;
use crate::lang::level::OptLevel;
use crate::network::source::Unsupported;

/// The quality of the predicted probabilities, as measured: see `docs/hybrid.md`.
pub const SKILL: &str =
    "p says no more than its mean, 97 %, for functions that people write; for long generated ones it has skill";

/// The reason for a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionWhy {
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
    pub why: DecisionWhy,
    pub score: Score,
    pub theta: f64,
    /// Why the network cannot compile the function, if so. Then the score predicts nothing.
    pub refused: Option<Unsupported>,
    /// The times of routing and of the traditional path, if they were measured.
    pub paths: Option<PathTimes>,
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
        self.comparison.as_ref().filter(|_| self.why == DecisionWhy::LeastCost)
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
            DecisionWhy::Fixed => write!(f, "score {score} is {below} the fixed θ {theta}"),
            DecisionWhy::Tuned => {
                let p = self.score.probability();
                write!(f, "score {score} is {below} θ {theta}: with success at p = {p:.2} ")?;
                f.write_str(if self.path == Path::Neural { "it pays to try" } else { "it does not pay to try" })
            }
            DecisionWhy::Kept => {
                write!(f, "score {score} is within {DEAD_BAND} of θ {theta}, so the route stays as it was")
            }
            DecisionWhy::NeverPays => write!(
                f,
                "the neural path takes {} and the traditional one {} ({}): no probability of success makes up for that",
                self.amount(self.costs.neural),
                self.amount(self.costs.traditional),
                self.origin
            ),
            DecisionWhy::ProofNeedsBoth => write!(
                f,
                "evidence `proved` needs the traditional compiler as well as the neural path ({}), so the traditional compiler alone is cheaper: {} ({})",
                self.amount(self.costs.neural),
                self.amount(self.costs.traditional),
                self.origin
            ),
            DecisionWhy::Refused => match self.refused {
                Some(why) => write!(f, "the network cannot compile it: {why}"),
                None => Ok(()),
            },
            DecisionWhy::LeastCost => match self.compared() {
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
