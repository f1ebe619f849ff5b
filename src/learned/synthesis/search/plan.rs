//! Plans the order in which candidates are compared, and the number of inputs for each.
//!
//! Fresh inputs make the error bound of one candidate valid. Trying candidates until one holds does not, since each try
//! is another chance of a false result. Therefore the total chance α is divided among all candidates in line (weighted
//! Bonferroni inequality). The reported candidate then exceeds the stated risk with probability at most α. A single
//! candidate gets all of α: 2,995 inputs for 0.1 % at 95 %.
//!
//! The order is by promise: fewest steps first, because the first candidate that holds is the answer. The shares are by
//! doubt: a candidate that is unlikely by the model, long, or unlike the others gets a smaller share, so it must agree
//! on more inputs.

use crate::host::measure::statistics::inputs_for;

/// The properties of a candidate from which the comparison is planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    /// The sort key, least first: the instructions executed in choosing, or the candidate's number.
    pub rank: u64,
    /// The number of draws that produced it. This estimates its probability independently of an adapter's rounding of
    /// logits.
    pub draws: u32,
    /// The number of its target words.
    pub words: usize,
    /// The fraction (0 to 1) of its adjacent word pairs that occur in no other waiting candidate.
    pub unusual: f64,
}

/// A candidate's turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedCheck {
    pub claim: usize,
    /// The allowed chance that it is accepted although its error rate exceeds the risk.
    pub alpha: f64,
    /// The number of inputs on which it must agree.
    pub inputs: u64,
}

/// Returns the turns of all claims in order, or `None` if no number of inputs bounds the risk.
pub fn plan(claims: &[Claim], risk: f64, confidence: f64) -> Option<Vec<PlannedCheck>> {
    let alpha = 1.0 - confidence;
    let weights: Vec<f64> = claims.iter().map(|claim| 1.0 / doubt(claim, claims)).collect();
    let total: f64 = weights.iter().sum();
    let mut order: Vec<usize> = (0..claims.len()).collect();
    // Among equally fast candidates, the most likely comes first: if it holds, the others cost nothing.
    order.sort_by(|&a, &b| {
        claims[a].rank.cmp(&claims[b].rank).then(claims[b].draws.cmp(&claims[a].draws)).then(a.cmp(&b))
    });
    let turn = |claim: usize| {
        // A single claim gets exactly all of α.
        let alpha = if claims.len() == 1 { alpha } else { alpha * weights[claim] / total };
        Some(PlannedCheck { claim, alpha, inputs: inputs_for(risk, 1.0 - alpha)? })
    };
    order.into_iter().map(turn).collect()
}

/// Returns the number of inputs to compare all claims with equal shares, each to its end.
pub fn uniform_cost(claims: usize, risk: f64, confidence: f64) -> Option<u64> {
    if claims == 0 {
        return Some(0);
    }
    let each = inputs_for(risk, 1.0 - (1.0 - confidence) / claims as f64)?;
    each.checked_mul(claims as u64)
}

/// Returns the doubt about a claim, at least 1. It adds one point for each factor of ten between its draws and the
/// maximum, one for each multiple of the shortest length beyond the first, and one if all its word pairs are unusual.
/// Each criterion adds at most three points.
fn doubt(claim: &Claim, all: &[Claim]) -> f64 {
    const MOST: f64 = 3.0;
    let most = all.iter().map(|other| other.draws.max(1)).max().unwrap_or(1);
    let shortest = all.iter().map(|other| other.words).min().unwrap_or(1).max(1);
    let unlikely = (f64::from(most) / f64::from(claim.draws.max(1))).log10();
    let long = claim.words as f64 / shortest as f64 - 1.0;
    1.0 + [unlikely, long, claim.unusual]
        .map(|points| if points > 0.0 { points.min(MOST) } else { 0.0 })
        .iter()
        .sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::measure::statistics::error_bound;

    const PLAIN: Claim = Claim { rank: 10, draws: 500, words: 20, unusual: 0.0 };

    #[test]
    fn single_claim_receives_all_of_alpha() {
        let turns = plan(&[PLAIN], 0.001, 0.95).unwrap();
        assert_eq!(turns.iter().map(|turn| turn.inputs).collect::<Vec<_>>(), [2995]);
        assert_eq!(uniform_cost(1, 0.001, 0.95), Some(2995));
        assert_eq!(uniform_cost(0, 0.001, 0.95), Some(0));
    }

    #[test]
    fn promising_candidates_come_first() {
        let claims = [
            Claim { rank: 30, ..PLAIN },
            Claim { draws: 9, ..PLAIN },
            PLAIN,
            Claim { rank: 5, draws: 1, ..PLAIN },
        ];
        let order: Vec<usize> = plan(&claims, 0.01, 0.95).unwrap().iter().map(|turn| turn.claim).collect();
        assert_eq!(order, [3, 2, 1, 0]);
    }

    #[test]
    fn doubtful_candidates_need_more_inputs() {
        for doubtful in
            [Claim { draws: 1, ..PLAIN }, Claim { words: 60, ..PLAIN }, Claim { unusual: 0.5, ..PLAIN }]
        {
            let turns = plan(&[PLAIN, doubtful], 0.001, 0.95).unwrap();
            let [plain, other] = [0, 1].map(|claim| turns.iter().find(|turn| turn.claim == claim).unwrap());
            assert!(other.inputs > plain.inputs && plain.inputs > 2995, "{turns:?}");
        }
    }

    #[test]
    fn shares_add_up_and_bound_the_risk() {
        let claims: Vec<Claim> =
            (0..40).map(|i| Claim { draws: 1 + 40 * i, words: 20 + i as usize, ..PLAIN }).collect();
        let turns = plan(&claims, 0.002, 0.9).unwrap();
        let sum: f64 = turns.iter().map(|turn| turn.alpha).sum();
        assert!((sum - 0.1).abs() < 1e-9);
        assert!(turns.iter().all(|turn| error_bound(turn.inputs, 1.0 - turn.alpha) <= 0.002));
        assert_eq!(plan(&claims, 0.0, 0.9), None);
    }

    #[test]
    fn plan_accepts_zero_and_nan_values() {
        let odd = Claim { rank: 0, draws: 0, words: 0, unusual: f64::NAN };
        assert!(plan(&[odd, PLAIN, odd], 0.001, 0.95).unwrap().iter().all(|turn| turn.alpha > 0.0));
        assert!(plan(&[odd], 0.001, 0.95).is_some());
    }
}
