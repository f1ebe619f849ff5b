//! Measures the costs of all ways to get the code of a program's functions, for the router's objective and for the
//! threshold of algorithm 3.

use std::sync::Arc;

use crate::engine::{Engine, EngineError};
use crate::lang::level::OptLevel;
use crate::learned::hybrid::model::Model;
use crate::learned::hybrid::objective::Way;
use crate::learned::hybrid::regret::{Case, Subject, gather};
use crate::learned::hybrid::{Router, Settings};
use crate::learned::synthesis::evaluation::Set;
use crate::learned::synthesis::search::Level;
use crate::network::weights::Weights;

/// The costs of all ways for the functions of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Ways {
    /// A case for each function, with costs in seconds.
    pub cases: Vec<Case>,
    /// The threshold of algorithm 3, tuned to the measured times (equation 14).
    pub tuned: f64,
    /// The level of the traditional path in algorithm 3.
    pub own: OptLevel,
}

/// The expected cost of some choices, and their cost as measured afterwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    pub expected: f64,
    pub measured: f64,
}

impl Ways {
    /// Measures a program. Without weights, the network is not tried. The evidence is `tested`, so that the traditional
    /// compiler runs only after a failed attempt, as in the paper.
    pub fn measure(
        engine: &mut dyn Engine,
        text: &Arc<str>,
        weights: Option<&Arc<Weights>>,
    ) -> Result<Ways, EngineError> {
        let settings = Settings { evidence: Level::Tested, ..Settings::default() };
        let mut router = Router::new(settings, Model::shipped().coefficients());
        let subject = Subject { set: Set::Written, name: String::new(), text: text.clone(), function: None };
        let cases = gather(engine, &[subject], weights, &mut router, &|| false, &mut |_, _| {})?;
        let own = engine.settings().level;
        Ok(Ways { cases, tuned: router.theta(engine.kind()), own })
    }

    /// The costs if each function takes a way, in seconds. Where the network cannot compile a function, the level of the
    /// program takes its place.
    pub fn of_way(&self, way: Way) -> Totals {
        self.total(&|case| if case.actual.allowed[way.place()] { way } else { Way::Level(self.own) })
    }

    /// The costs of the choices of a rule, in seconds.
    pub fn total(&self, choice: &dyn Fn(&Case) -> Way) -> Totals {
        self.cases.iter().fold(Totals { expected: 0.0, measured: 0.0 }, |sum, case| Totals {
            expected: sum.expected + case.expected.total(choice(case)),
            measured: sum.measured + case.actual.total(choice(case)),
        })
    }

    /// The number of functions that a threshold sends to the network.
    pub fn sent(&self, theta: f64) -> usize {
        self.cases.iter().filter(|case| case.by_threshold(theta, self.own) == Way::Network).count()
    }
}
