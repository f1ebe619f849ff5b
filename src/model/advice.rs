//! The paper's table 2 as a function: for this file, this k and this machine, which approach and why.
//!
//! Table 2 says when an approach is good in general. What decides here is measured: an approach that cannot be relied on
//! is out, and of the others the fastest is taken.

use super::measured::Measured;
use super::stat::Line;
use crate::report::quantity::Unit;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approach {
    Traditional,
    Neural,
    Hybrid,
}

impl Approach {
    pub fn ident(self) -> &'static str {
        match self {
            Approach::Traditional => "traditional",
            Approach::Neural => "neural",
            Approach::Hybrid => "hybrid",
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case {
    /// Programs wanted: variants of the traditional path, candidates of the neural one.
    pub k: u32,
    /// Nothing less than a proof will do.
    pub guarantee: bool,
    /// Success that the neural path needs to be relied on.
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

/// Advises.
pub fn advise(m: &Measured, case: Case) -> Advice {
    let k = f64::from(case.k);
    let traditional =
        m.traditional_line().map(|line: Line| line.at(k)).unwrap_or(m.traditional.single.median * k);
    let ms = |time: f64| Unit::Milliseconds.show(time);
    let advice = |approach, why: String| Advice { approach, why };
    let Some(n) = &m.neural else {
        let why = m.missing.iter().find(|why| why.contains("neural")).cloned();
        return advice(
            Approach::Traditional,
            why.unwrap_or_else(|| "the neural path is not there on this machine".into()),
        );
    };
    let p = f64::from(n.correct) / f64::from(n.drawn.max(1));
    let success = super::formula::success(p, k);
    let neural = m.neural_line().map_or(f64::INFINITY, |line| line.at(k));
    if case.guarantee && n.evidence != Some("proved") {
        return advice(
            Approach::Traditional,
            format!("a guarantee is asked for, and the best candidate for {} is not proved", n.function),
        );
    }
    let hybrid = m.hybrid.map(|h| h.all).unwrap_or(f64::INFINITY);
    if success < case.success {
        let why = format!(
            "{} candidates for {} succeed with {:.0} % only",
            Unit::Count.show(k),
            n.function,
            100.0 * success
        );
        return match hybrid < traditional {
            true => advice(Approach::Hybrid, format!("{why}, and the hybrid falls back in {}", ms(hybrid))),
            false => advice(Approach::Traditional, why),
        };
    }
    if hybrid < traditional.min(neural) {
        return advice(
            Approach::Hybrid,
            format!("{} a function, against {} and {}", ms(hybrid), ms(traditional), ms(neural)),
        );
    }
    match neural < traditional {
        true => advice(
            Approach::Neural,
            format!(
                "k = {}: candidates take {}, variants {}",
                Unit::Count.show(k),
                ms(neural),
                ms(traditional)
            ),
        ),
        false => advice(
            Approach::Traditional,
            format!(
                "k = {}: variants take {}, candidates {}; and it is certain",
                Unit::Count.show(k),
                ms(traditional),
                ms(neural)
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::measured;
    use super::*;

    fn with(change: impl FnOnce(&mut Measured), case: Case) -> Advice {
        let mut m = measured();
        change(&mut m);
        advise(&m, case)
    }
    const CASE: Case = Case { k: 1000, guarantee: false, success: 0.99 };

    #[test]
    fn the_fastest_that_can_be_relied_on() {
        // Made-up: 1000 variants 400 ms, 1000 candidates 900 ms.
        assert_eq!(with(|_| {}, CASE).approach, Approach::Traditional);
        let fast = |m: &mut Measured| {
            for point in &mut m.neural.as_mut().unwrap().points {
                point.all = point.all.times(0.1);
            }
        };
        let advice = with(fast, CASE);
        assert_eq!(advice.approach, Approach::Neural, "{advice:?}");
        // Fast, but never right.
        let wrong = |m: &mut Measured| {
            fast(m);
            m.neural.as_mut().unwrap().correct = 0;
        };
        let advice = with(wrong, CASE);
        assert_eq!(advice.approach, Approach::Traditional);
        assert!(advice.why.contains("0 % only"), "{advice:?}");
        // Fast and right, but a guarantee is asked for that it does not give.
        let unproved = |m: &mut Measured| {
            fast(m);
            m.neural.as_mut().unwrap().evidence = Some("verified");
        };
        let advice = with(unproved, Case { guarantee: true, ..CASE });
        assert_eq!(advice.approach, Approach::Traditional);
        assert!(advice.why.contains("guarantee"), "{advice:?}");
        assert_eq!(with(|m| m.neural = None, CASE).approach, Approach::Traditional);
    }

    #[test]
    fn few_candidates_are_not_enough() {
        // p_correct is 0.4: one candidate succeeds in 40 % of the cases.
        let advice = with(|_| {}, Case { k: 1, ..CASE });
        assert!(advice.why.contains("40 % only"), "{advice:?}");
    }

    #[test]
    fn the_hybrid_where_it_is_fastest() {
        let hybrid = |m: &mut Measured| {
            m.hybrid = Some(super::super::measured::Hybrid {
                functions: 5,
                p_simple: 0.8,
                p_success: 0.9,
                neural: 0.2,
                traditional: 20.0,
                routing: 0.05,
                all: 0.1,
                energy: crate::energy::Energy::estimate(65.0, std::time::Duration::from_micros(100)),
                score: 0.3,
            });
        };
        assert_eq!(with(hybrid, CASE).approach, Approach::Hybrid);
    }
}
