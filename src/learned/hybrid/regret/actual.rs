//! The costs of all ways as measured afterwards.

use crate::lang::level::OptLevel;
use crate::learned::hybrid::compile::{Outcome, Steps};
use crate::learned::hybrid::objective::{Comparison, Figure, Terms, Way};

/// Returns the costs of all ways as measured afterwards: `compile` and `steps` by level, and the network's result. The
/// network is allowed only if it was tried and can compile the function.
pub fn actual(
    expected: &Comparison,
    compile: [f64; 4],
    steps: [f64; 4],
    tried: Option<&Outcome>,
) -> Comparison {
    let whole = OptLevel::Whole.number() as usize;
    let took = tried.and_then(|tried| tried.times.neural);
    let ratio = tried.filter(|tried| tried.failure.is_none()).and_then(|tried| {
        let Steps { own, base } = tried.steps?;
        Some(own as f64 / base.max(1) as f64)
    });
    let own = ratio.map_or(f64::INFINITY, |ratio| ratio * steps[OptLevel::Local.number() as usize]);
    let terms = |way: Way| match way {
        Way::Level(level) => {
            let place = level.number() as usize;
            Terms { way, compile: Figure::measured(compile[place]), steps: Figure::measured(steps[place]) }
        }
        Way::Network => Terms {
            way,
            compile: Figure::measured(took.map_or(0.0, |took| took.as_secs_f64()) + compile[whole]),
            steps: Figure::measured(own.min(steps[whole])),
        },
    };
    let mut allowed = expected.allowed;
    allowed[Way::Network.place()] &= took.is_some();
    Comparison { ways: Way::ALL.map(terms), allowed, ..*expected }
}
