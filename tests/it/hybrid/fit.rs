//! Fitting of coefficients.

use myriad::compiler::stage::route::features::FEATURES;
use myriad::lang::random::Rng;
use myriad::learned::hybrid::fit::{Example, FitTerms, Prior, Scale, TERMS, fit};

const LOOSE: Prior = Prior { terms: [0.0; TERMS], strength: 1e-3, constant: false };

fn truth() -> FitTerms {
    let mut terms = [0.0; TERMS];
    (terms[0], terms[1], terms[3], terms[4]) = (-2.0, 0.03, 0.8, -0.5);
    terms
}

/// Returns examples that follow the true model; with `drawn`, success is drawn, otherwise it is the
/// probability.
fn examples(count: usize, drawn: bool) -> Vec<Example> {
    let mut rng = Rng::new(7, 0);
    let mut unit = move || (rng.bits() >> 11) as f64 / (1u64 << 53) as f64;
    let one = |_| {
        let features: [f64; FEATURES] =
            std::array::from_fn(|j| (unit() * if j == 0 { 100.0 } else { 4.0 }).floor());
        let s = truth()[0] + (0..FEATURES).map(|j| truth()[j + 1] * features[j]).sum::<f64>();
        let p = 1.0 / (1.0 + s.exp());
        Example { features, success: if drawn { f64::from(unit() < p) } else { p } }
    };
    (0..count).map(one).collect()
}

#[test]
fn fit_recovers_known_coefficients() {
    for (drawn, count, tolerance) in [(false, 400, 1e-3), (true, 20_000, 0.12)] {
        let examples = examples(count, drawn);
        let scale = Scale::of(&examples);
        let found = fit(&examples, &scale, &LOOSE);
        for (j, (found, truth)) in found.iter().zip(truth()).enumerate() {
            assert!((found - truth).abs() < tolerance, "{j}: {found} for {truth}");
        }
    }
}

#[test]
fn prior_dominates_until_examples_suffice() {
    let prior = Prior { terms: truth(), strength: 50.0, constant: true };
    let scale = Scale::of(&examples(500, true));
    assert_eq!(fit(&[], &scale, &prior).map(|t| (t * 1e6).round()), truth().map(|t| (t * 1e6).round()));
    // All examples fail, whatever the prior.
    let failing = |count| -> Vec<Example> {
        examples(count, false).into_iter().map(|example| Example { success: 0.0, ..example }).collect()
    };
    let p = |terms: FitTerms| {
        let all = failing(100);
        let logit = |e: &Example| terms[0] + (0..FEATURES).map(|j| terms[j + 1] * e.features[j]).sum::<f64>();
        all.iter().map(|e| 1.0 / (1.0 + logit(e).exp())).sum::<f64>() / 100.0
    };
    let (none, few, many) =
        (p(truth()), p(fit(&failing(10), &scale, &prior)), p(fit(&failing(3_000), &scale, &prior)));
    assert!(none - few < 0.1 && few < none, "{none} {few}");
    assert!(many < 0.1, "{many}");
}

#[test]
fn separable_examples_yield_finite_coefficients() {
    let mut examples = examples(50, false);
    for example in &mut examples {
        example.success = f64::from(example.features[2] < 2.0);
        example.features[5] = 3.0;
    }
    let scale = Scale::of(&examples);
    let found = fit(&examples, &scale, &Prior { strength: 1.0, ..LOOSE });
    assert!(found.iter().all(|term| term.is_finite()) && found[3] > 0.5, "{found:?}");
    assert_eq!(found[6], 0.0);
}
