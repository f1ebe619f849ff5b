//! Contradictions within the paper: results of its formulas with its own constants, compared with its statements
//! elsewhere. Nothing here is measured.

use super::formula::{self, Mixture};
use super::quoted::{self, Range};
use crate::host::measure::quantity::Unit;

/// Two statements of the paper about the same quantity.
struct Disagreement {
    /// The section in which the sentence is shown, as in [`super::table::Section::ident`].
    ident: &'static str,
    what: &'static str,
    unit: Unit,
    /// The result of the paper's formulas and constants, and the source of that result.
    follows: fn() -> Range,
    by: &'static str,
    /// The paper's statement and its place.
    says: Range,
    place: &'static str,
}

const ALL: [Disagreement; 7] = [
    Disagreement {
        ident: "eq2",
        what: "the speedup of k = 10 to 100 programs at once",
        unit: Unit::Times,
        follows: || {
            let of = |k: f64| k * quoted::GPU_COMPILE / formula::parallel(&[quoted::GPU_COMPILE], k, k);
            Range::new(of(quoted::MODERATE_K.low), of(quoted::MODERATE_K.high))
        },
        by: "(2), as P ≥ k",
        says: quoted::SPEEDUP_TRADITIONAL,
        place: "section 3.3",
    },
    Disagreement {
        ident: "eq8",
        what: "the candidates for 99 % with p = 0.1",
        unit: Unit::Count,
        follows: || Range::of(formula::candidates(quoted::K99_EXAMPLES[0].0, 0.99)),
        by: "the logarithms of (8)",
        says: Range::of(quoted::K99_EXAMPLES[0].1),
        place: "its approximation, 4.6 / p",
    },
    Disagreement {
        ident: "eq12",
        what: "the speedup of 1,000 candidates",
        unit: Unit::Times,
        follows: || Range::of(formula::speedup(quoted::NEURAL_K, quoted::CPU, quoted::NEURAL)),
        by: "(12)",
        says: quoted::SPEEDUP_NEURAL,
        place: "the sentence after it and table 1",
    },
    Disagreement {
        ident: "eq12",
        what: "the same speedup",
        unit: Unit::Times,
        follows: || {
            let of = |generate: f64, verify: f64| {
                formula::speedup(quoted::NEURAL_K, quoted::CPU, formula::neural(generate, verify))
            };
            let (generate, verify) = (quoted::NEURAL_GENERATE, quoted::NEURAL_VERIFY);
            Range::new(of(generate.high, verify.high), of(generate.low, verify.low))
        },
        by: "(12) with the times of section 6.1",
        says: quoted::SPEEDUP_NEURAL,
        place: "section 6.1 itself",
    },
    Disagreement {
        ident: "eq14",
        what: "the traditional path's time for a program",
        unit: Unit::Milliseconds,
        follows: || Range::of(quoted::HYBRID.traditional),
        by: "(15)",
        says: Range::of(quoted::GPU_COMPILE),
        place: "section 6.2",
    },
    Disagreement {
        ident: "eq15",
        what: "the hybrid's speedup",
        unit: Unit::Times,
        follows: || Range::of(quoted::CPU / hybrid()),
        by: "(15) and the T_CPU of (12)",
        says: quoted::SPEEDUP_HYBRID,
        place: "section 5.2 and table 1",
    },
    Disagreement {
        ident: "energy",
        what: "the time of 1,000 candidates",
        unit: Unit::Milliseconds,
        follows: || Range::of(quoted::NEURAL_ENERGY_TIME),
        by: "section 6.2",
        says: Range::of(quoted::NEURAL),
        place: "(12)",
    },
];

/// Returns equation 14 with the paper's constants.
pub fn hybrid() -> f64 {
    formula::hybrid(Mixture {
        p_simple: quoted::HYBRID.p_simple,
        neural: quoted::HYBRID.neural,
        traditional: quoted::HYBRID.traditional,
        routing: quoted::HYBRID.routing,
    })
}

/// Returns the contradictions that belong to a section, a sentence each.
pub fn disagreements(ident: &str) -> Vec<String> {
    let sentence = |one: &Disagreement| {
        let shown = |range: Range| one.unit.range(range.low, range.high);
        format!(
            "The paper disagrees with itself on {}: {} by {}, {} by {}.",
            one.what,
            shown((one.follows)()),
            one.by,
            shown(one.says),
            one.place
        )
    };
    ALL.iter().filter(|one| one.ident == ident).map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_each_contradiction_do_not_overlap() {
        for one in &ALL {
            let follows = (one.follows)();
            assert!(follows.low <= follows.high, "{}", one.what);
            assert!(follows.high < one.says.low || one.says.high < follows.low, "{}: {follows:?}", one.what);
        }
    }

    #[test]
    fn disagreement_sentence_quotes_both_numbers() {
        assert_eq!(
            disagreements("eq12")[0],
            "The paper disagrees with itself on the speedup of 1,000 candidates: 400× by (12), 10–100× by the sentence after it \
             and table 1."
        );
        assert!(disagreements("eq1").is_empty());
    }
}
