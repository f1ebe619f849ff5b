//! Regret: the cost of the router's choices, compared with the best choices in hindsight and with level 2 for all
//! functions.

mod actual;
mod gather;

pub use actual::actual;
pub use gather::{Subject, executions_of_samples, gather, hard, training, written};

use super::objective::history::Counted;
use super::objective::{Comparison, Executions, Way};
use crate::compiler::stage::route::features::Features;
use crate::compiler::stage::route::score::Score;
use crate::lang::level::OptLevel;
use crate::lang::random::Rng;
use crate::learned::synthesis::evaluation::Set;

/// The way that the router is compared with.
pub const USUAL: Way = Way::Level(OptLevel::Whole);
/// The resamples of a bootstrap, its seed, and the part of them in an interval.
const RESAMPLES: usize = 2_000;
const SEED: u64 = 38;
const CONFIDENCE: f64 = 0.95;

/// A function with the costs of all ways: as the router expects them, and as measured afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub set: Set,
    pub program: String,
    pub function: String,
    pub features: Features,
    pub score: Score,
    pub expected: Comparison,
    pub actual: Comparison,
    /// The seconds that the router took.
    pub routing: f64,
}

impl Case {
    /// This case with another number of executions.
    pub fn with_executions(&self, executions: f64) -> Case {
        let executions = Executions { tests: executions, ..Executions::default() };
        let with = |all: Comparison| Comparison { executions, ..all };
        Case { expected: with(self.expected), actual: with(self.actual), ..self.clone() }
    }

    /// The router's choice. A way that turned out to be impossible is replaced by the next best.
    pub fn chosen(&self) -> Way {
        Comparison { allowed: self.actual.allowed, ..self.expected }.best()
    }

    /// The way that a threshold on the score chooses, as algorithm 3 does, for a program of level `own`. A function that the
    /// network cannot compile takes the traditional path.
    pub fn by_threshold(&self, theta: f64, own: OptLevel) -> Way {
        let neural = self.score.logit() < theta && self.actual.allowed[Way::Network.place()];
        if neural { Way::Network } else { Way::Level(own) }
    }

    /// The counts from which the router learns, or `None` if no call ended.
    pub fn counted(&self) -> Option<Counted> {
        let steps = [0, 1, 2, 3].map(|level: usize| self.actual.ways[level].steps.value);
        let network = self.actual.ways[Way::Network.place()].steps.value;
        let is_better = self.actual.allowed[Way::Network.place()] && network < steps[2];
        let counted = Counted { features: self.features, steps, network: is_better.then_some(network) };
        steps.iter().all(|steps| *steps > 0.0).then_some(counted)
    }

    fn costs(&self) -> Costs {
        Costs {
            router: self.routing + self.actual.total(self.chosen()),
            usual: self.actual.total(USUAL),
            best: self.actual.total(self.actual.best()),
        }
    }
}

/// Costs in seconds, of one function or the sum of several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Costs {
    pub router: f64,
    /// Of level 2 for all functions.
    pub usual: f64,
    /// Of the best choice for each function in hindsight.
    pub best: f64,
}

impl Costs {
    fn sum(all: impl Iterator<Item = Costs>) -> Costs {
        all.fold(Costs::default(), |sum, one| Costs {
            router: sum.router + one.router,
            usual: sum.usual + one.usual,
            best: sum.best + one.best,
        })
    }

    /// The router's cost in relation to the best in hindsight.
    pub fn regret(&self) -> f64 {
        self.router / self.best.max(f64::MIN_POSITIVE)
    }

    /// The router's cost in relation to that of level 2.
    pub fn to_usual(&self) -> f64 {
        self.router / self.usual.max(f64::MIN_POSITIVE)
    }

    /// The best cost in hindsight in relation to that of level 2: no router can be below.
    pub fn limit(&self) -> f64 {
        self.best / self.usual.max(f64::MIN_POSITIVE)
    }
}

/// A ratio with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// The result for some functions.
#[derive(Clone, Debug)]
pub struct Regret {
    pub functions: usize,
    pub costs: Costs,
    pub regret: Ratio,
    pub to_usual: Ratio,
    pub limit: Ratio,
    /// How often each way was chosen, and was the best in hindsight, in the order of [`Way::ALL`].
    pub chosen: [usize; Way::ALL.len()],
    pub best: [usize; Way::ALL.len()],
}

impl Regret {
    /// Computes the result. The intervals are those of a bootstrap over functions (B. Efron, "Bootstrap Methods: Another
    /// Look at the Jackknife", Annals of Statistics 7, 1979), with a fixed seed.
    pub fn of(cases: &[Case]) -> Regret {
        let each: Vec<Costs> = cases.iter().map(Case::costs).collect();
        let costs = Costs::sum(each.iter().copied());
        let resamples: Vec<Costs> = (0..RESAMPLES)
            .map(|number| {
                let mut rng = Rng::new(SEED, number as u64);
                Costs::sum((0..each.len()).filter_map(|_| rng.pick(&each).copied()))
            })
            .collect();
        let ratio = |of: fn(&Costs) -> f64| {
            let mut all: Vec<f64> = resamples.iter().map(of).collect();
            all.sort_by(f64::total_cmp);
            let tail = (1.0 - CONFIDENCE) / 2.0;
            let at = |part: f64| all[((RESAMPLES - 1) as f64 * part).round() as usize];
            Ratio { value: of(&costs), low: at(tail), high: at(1.0 - tail) }
        };
        let count = |way: &dyn Fn(&Case) -> Way| {
            Way::ALL.map(|own| cases.iter().filter(|case| way(case) == own).count())
        };
        Regret {
            functions: cases.len(),
            costs,
            regret: ratio(Costs::regret),
            to_usual: ratio(Costs::to_usual),
            limit: ratio(Costs::limit),
            chosen: count(&Case::chosen),
            best: count(&|case| case.actual.best()),
        }
    }
}

/// A point of the curve: all functions with the same number of executions.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub executions: f64,
    pub costs: Costs,
    /// The cost of each way for all functions. A function that the network cannot compile takes level 2 there.
    pub ways: [f64; Way::ALL.len()],
}

/// The powers of ten of the curve.
const POWERS: i32 = 8;

/// The costs by number of executions.
pub fn curve(cases: &[Case]) -> Vec<Point> {
    let point = |power: i32| {
        let executions = 10f64.powi(power);
        let all: Vec<Case> = cases.iter().map(|case| case.with_executions(executions)).collect();
        let ways = Way::ALL.map(|way| {
            let own = |case: &Case| if case.actual.allowed[way.place()] { way } else { USUAL };
            all.iter().map(|case| case.actual.total(own(case))).sum()
        });
        Point { executions, costs: Costs::sum(all.iter().map(Case::costs)), ways }
    };
    (0..=POWERS).map(point).collect()
}
