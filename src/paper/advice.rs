//! The paper's table 2 as a function: for this file, this k and this machine, which approach and why.
//!
//! Table 2 says when an approach is good in general. What decides here is measured: an approach that cannot be relied on
//! is out, and of the others the one is taken whose curve in the plot of latency is lowest at k programs.

use super::curves::{self, Name, latency};
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

    /// The curve that says what k programs take.
    pub fn curve(self) -> Name {
        match self {
            Approach::Traditional => curves::TRADITIONAL,
            Approach::Neural => curves::NEURAL,
            Approach::Hybrid => curves::HYBRID,
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case {
    /// Different programs wanted.
    pub k: u32,
    /// Nothing less than a proof will do.
    pub guarantee: bool,
    /// The part of programs that the neural path must have right code for, to be relied on.
    pub success: f64,
}

impl Case {
    /// The measurements' own k, and 99 % success.
    pub fn of(m: &Measured) -> Case {
        Case { k: m.subject.k, guarantee: false, success: 0.99 }
    }
}

/// An approach, and why it.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    pub approach: Approach,
    pub why: String,
}

/// Why an approach cannot be relied on; `None` of one that can.
pub fn ruled_out(m: &Measured, approach: Approach, case: Case) -> Option<String> {
    let unproved = |of: Option<&Programs>| {
        let p = of.filter(|p| case.guarantee && p.proved < p.count)?;
        Some(format!("a guarantee is asked for, and of {} programs {} are proved", p.count, p.proved))
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

/// Advises. Where nothing says what k programs take, the traditional compiler is the one that always has an answer.
pub fn advise(m: &Measured, case: Case) -> Advice {
    let plot = latency(m);
    let at = |approach: Approach| plot.curve(approach.curve()).map(|curve| curve.line.at(case.k.into()));
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
