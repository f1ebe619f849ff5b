//! The paper's table 2 as a function: recommends an approach for this file, k and machine, with reasons.
//!
//! Table 2 states when an approach is good in general. The recommendation here follows from measurements. Unreliable
//! approaches are ruled out, and the remaining one with the lowest latency of k programs is recommended.

use super::curves::{self, CurveName, latency};
use super::measured::{Measured, Programs};
use super::table::count;
use crate::host::measure::quantity::Unit;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approach {
    Traditional,
    Neural,
    Hybrid,
}

impl Approach {
    pub const ALL: [Approach; 3] = [Approach::Traditional, Approach::Neural, Approach::Hybrid];

    pub fn ident(self) -> &'static str {
        match self {
            Approach::Traditional => "traditional",
            Approach::Neural => "neural",
            Approach::Hybrid => "hybrid",
        }
    }

    /// Returns the approach's latency curve.
    pub fn curve(self) -> CurveName {
        match self {
            Approach::Traditional => curves::TRADITIONAL,
            Approach::Neural => curves::NEURAL,
            Approach::Hybrid => curves::HYBRID,
        }
    }
}

/// The requirements for a recommendation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case {
    /// The number of different programs.
    pub k: u32,
    /// Whether every program must be proved.
    pub guarantee: bool,
    /// The fraction of programs for which the neural path must have correct code to count as reliable.
    pub success: f64,
}

impl Case {
    /// Returns the case with the measurements' own k and 99 % success.
    pub fn of(m: &Measured) -> Case {
        Case { k: m.subject.k, guarantee: false, success: 0.99 }
    }
}

/// A recommended approach with its reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    pub approach: Approach,
    pub why: String,
}

/// Returns why an approach is not reliable, or `None` if it is.
pub fn ruled_out(m: &Measured, approach: Approach, case: Case) -> Option<String> {
    let unproved = |of: Option<&Programs>| {
        let p = of.filter(|p| case.guarantee && p.proved < p.count)?;
        Some(format!("a guarantee is required, but only {1} of {0} programs are proved", p.count, p.proved))
    };
    match approach {
        Approach::Traditional => None,
        Approach::Hybrid => unproved(m.hybrid_programs()),
        Approach::Neural => {
            let unsure = |p: &&Programs| f64::from(p.done) < case.success * f64::from(p.count);
            let unsure = m.neural_programs().filter(unsure);
            let unsure = unsure.map(|p| format!("it has right code for {} of {} programs", p.done, p.count));
            unsure.or_else(|| unproved(m.neural_programs()))
        }
    }
}

/// Returns the milliseconds of k different programs by an approach, each with its tests.
pub fn time(m: &Measured, approach: Approach, k: u32) -> Option<f64> {
    Some(latency(m).curve(approach.curve())?.at(k.into()))
}

/// Recommends an approach. Without any curve, recommends the traditional compiler, which always succeeds.
pub fn advise(m: &Measured, case: Case) -> Advice {
    let at = |approach: Approach| time(m, approach, case.k);
    let shown = |approach: Approach| {
        let name = approach.ident();
        match (at(approach), ruled_out(m, approach, case)) {
            (Some(time), None) => format!("{name} {}", Unit::Milliseconds.show(time)),
            (Some(time), Some(why)) => {
                format!("{name} {}, but it is ruled out: {why}", Unit::Milliseconds.show(time))
            }
            (None, _) => format!("{name} not measured"),
        }
    };
    let why = format!("k = {}: {}", count(case.k), Approach::ALL.map(shown).join("; "));
    let allowed = Approach::ALL.into_iter().filter(|&one| ruled_out(m, one, case).is_none());
    let timed = allowed.filter_map(|one| Some((one, at(one)?)));
    let approach = timed.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(Approach::Traditional, |(one, _)| one);
    Advice { approach, why }
}
