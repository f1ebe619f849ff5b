//! The paper's table 2 as a function: for this file, this k and this machine, which approach and why.
//!
//! Table 2 says when an approach is good in general. What decides here is measured: an approach that cannot be relied on
//! is out, and of the others the one is taken whose curve in the plot of latency is lowest at k programs.

use super::curves::{self, Name, latency};
use super::measured::{Measured, Programs};
use super::table::count;
use crate::measure::quantity::Unit;

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

#[cfg(test)]
mod tests {
    use super::super::curves::plots;
    use super::super::measured::Batch;
    use super::super::rows::sections;
    use super::super::rows::tests::{measured, with_hybrid};
    use super::*;
    use crate::measure::origin::Origin;
    use crate::measure::stat::Stat;

    const KS: [u32; 5] = [1, 10, 100, 1_000, 10_000];
    const CASE: Case = Case { k: 1000, guarantee: false, success: 0.99 };

    fn neural(m: &mut Measured) -> &mut Programs {
        m.neural.as_mut().unwrap().programs.as_mut().unwrap()
    }
    fn hybrid(m: &mut Measured) -> &mut Programs {
        m.hybrid.as_mut().unwrap().programs.as_mut().unwrap()
    }

    /// Machines on which different approaches are the fastest, and none at all k.
    fn machines() -> Vec<Measured> {
        let change = |change: &dyn Fn(&mut Measured)| {
            let mut m = with_hybrid();
            change(&mut m);
            m
        };
        let slow_start = |m: &mut Measured| {
            m.traditional.batches.iter_mut().for_each(|b: &mut Batch| {
                let all = 700.0 + 0.4 * f64::from(b.k);
                b.all = Stat { median: all, spread: 0.0, of: 3 };
            });
        };
        vec![
            change(&|_| {}),
            change(&|m| neural(m).whole = 0.2),
            change(&|m| hybrid(m).whole = 0.1),
            change(&slow_start),
            change(&|m| {
                slow_start(m);
                neural(m).whole = 20.0;
            }),
            change(&|m| {
                slow_start(m);
                neural(m).whole = 20.0;
                neural(m).done = 12;
            }),
            Measured { neural: None, ..with_hybrid() },
            measured(),
        ]
    }

    #[test]
    fn the_advice_is_the_lowest_curve_of_those_allowed() {
        let mut taken = Vec::new();
        for m in machines() {
            let plot = &plots(&m)[0];
            for (k, guarantee) in KS.into_iter().flat_map(|k| [(k, false), (k, true)]) {
                let case = Case { k, guarantee, ..CASE };
                let advice = advise(&m, case);
                let mut lowest: Option<(Approach, f64)> = None;
                for approach in Approach::ALL {
                    let Some(curve) = plot.curves.iter().find(|c| c.name == approach.curve()) else { continue };
                    let time = curve.line.fixed + curve.line.each * f64::from(k);
                    let allowed = ruled_out(&m, approach, case).is_none();
                    if allowed && lowest.is_none_or(|(_, least)| time < least) {
                        lowest = Some((approach, time));
                    }
                }
                assert_eq!(Some(advice.approach), lowest.map(|(one, _)| one), "k = {k}: {advice:?}");
                let time = Unit::Milliseconds.show(lowest.unwrap().1);
                assert!(advice.why.contains(&format!("{} {time}", advice.approach.ident())), "{advice:?}");
                taken.push(advice.approach);
            }
            // Table 2 says the same.
            let table = sections(&m).into_iter().find(|section| section.ident == "table2").unwrap();
            for k in KS {
                let row = table.rows.iter().find(|row| row.name == format!("k = {}", count(k))).unwrap();
                let advice = advise(&m, Case { k, ..Case::of(&m) });
                assert_eq!(row.cell(Origin::Modelled).unwrap().value, words(advice.approach));
                assert_eq!(row.cell(Origin::Measured), None, "a line at any k is no measurement");
            }
        }
        assert!(Approach::ALL.iter().all(|one| taken.contains(one)), "one of them is never the best");
    }

    fn words(approach: Approach) -> super::super::table::Value {
        super::super::table::Value::Words(approach.ident().into())
    }

    #[test]
    fn the_hybrids_curve_is_what_equation_14_measures_of_programs() {
        let m = with_hybrid();
        let each = latency(&m).curve(curves::HYBRID).unwrap().line.each;
        let of_14 = sections(&m).into_iter().find(|section| section.equation == Some(14)).unwrap();
        let row = of_14.rows.iter().find(|row| row.name == "T_hybrid, a program").unwrap();
        assert_eq!(row.number(Origin::Measured), Some(each));
    }

    #[test]
    fn who_cannot_be_relied_on_is_out() {
        let fast = |change: &dyn Fn(&mut Programs), case: Case| {
            let mut m = measured();
            neural(&mut m).whole = 0.2;
            change(neural(&mut m));
            advise(&m, case)
        };
        assert_eq!(fast(&|_| {}, CASE).approach, Approach::Neural);
        let advice = fast(&|p| p.done = 19, CASE);
        assert_eq!(advice.approach, Approach::Traditional);
        assert!(advice.why.contains("it has right code for 19 of 20 programs"), "{advice:?}");
        let advice = fast(&|p| p.proved = 19, Case { guarantee: true, ..CASE });
        assert_eq!(advice.approach, Approach::Traditional);
        assert!(advice.why.contains("a guarantee is asked for"), "{advice:?}");
        assert_eq!(fast(&|p| p.proved = 19, CASE).approach, Approach::Neural);
    }
}
