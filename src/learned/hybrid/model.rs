//! The router's coefficients: the shipped ones, and their update from the user's history.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fit::{self, Example, FitTerms, Prior, Scale, TERMS};
use super::history::HistoryRow;
use crate::compiler::stage::route::features::{FEATURES, Feature};
use crate::compiler::stage::route::score::Coefficients;

static SHIPPED: &str = include_str!("../../../assets/hybrid/coefficients.json");

/// The weight of the shipped coefficients, as a number of history rows.
pub const WORTH: f64 = 200.0;
/// The strength of the penalty toward 0 when coefficients are fitted without a prior.
const SHRINKAGE: f64 = 1.0;

/// Coefficients with their provenance and the scale of the features.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub terms: FitTerms,
    pub scale: Scale,
    /// The number of functions that the coefficients were fitted to.
    pub functions: usize,
    /// The number of training examples of the network whose successes they were fitted to.
    pub examples: u64,
}

/// The contents of the coefficients file.
#[derive(Serialize, Deserialize)]
struct HybridDocument {
    /// The command that made the file.
    made_by: String,
    functions: usize,
    weights_examples: u64,
    constant: f64,
    features: BTreeMap<String, Of>,
}

/// The entry of one feature.
#[derive(Serialize, Deserialize)]
struct Of {
    coefficient: f64,
    mean: f64,
    deviation: f64,
}

impl Model {
    /// Fits a model without a prior to functions with known outcomes.
    pub fn fit(rows: &[HistoryRow], examples: u64) -> Model {
        let list: Vec<Example> = rows.iter().map(example).collect();
        let scale = Scale::of(&list);
        let prior = Prior { terms: [0.0; TERMS], strength: SHRINKAGE, constant: false };
        Model { terms: fit::fit(&list, &scale, &prior), scale, functions: rows.len(), examples }
    }

    /// Returns the model that this build ships.
    pub fn shipped() -> Model {
        // A test checks that the file is readable. The fallback predicts a success probability of ½ for every function.
        Model::read(SHIPPED).unwrap_or(Model {
            terms: [0.0; TERMS],
            scale: Scale { means: [0.0; FEATURES], deviations: [1.0; FEATURES] },
            functions: 0,
            examples: 0,
        })
    }

    /// Returns the coefficients updated with the user's history.
    pub fn learned(&self, history: &[HistoryRow]) -> Coefficients {
        if history.is_empty() {
            return self.coefficients();
        }
        let list: Vec<Example> = history.iter().map(example).collect();
        // A row contributes at most a quarter of a unit of penalty to the curvature.
        let prior = Prior { terms: self.terms, strength: WORTH / 4.0, constant: true };
        of_terms(&fit::fit(&list, &self.scale, &prior))
    }

    /// Returns the coefficients in the form that engines take.
    pub fn coefficients(&self) -> Coefficients {
        of_terms(&self.terms)
    }

    fn read(text: &str) -> Option<Model> {
        let document: HybridDocument = serde_json::from_str(text).ok()?;
        let mut model = Model {
            terms: [document.constant; TERMS],
            scale: Scale { means: [0.0; FEATURES], deviations: [1.0; FEATURES] },
            functions: document.functions,
            examples: document.weights_examples,
        };
        for feature in Feature::ALL {
            let of = document.features.get(&feature.name())?;
            let j = *feature as usize;
            model.terms[j + 1] = of.coefficient;
            model.scale.means[j] = of.mean;
            model.scale.deviations[j] = of.deviation;
        }
        (document.features.len() == FEATURES).then_some(model)
    }

    /// Returns the text of the coefficients file.
    pub fn text(&self, made_by: &str) -> String {
        let short = |x: f64| (x * 1e6).round() / 1e6;
        let of = |feature: &Feature| {
            let j = *feature as usize;
            let of = Of {
                coefficient: short(self.terms[j + 1]),
                mean: short(self.scale.means[j]),
                deviation: short(self.scale.deviations[j]),
            };
            (feature.name(), of)
        };
        let document = HybridDocument {
            made_by: made_by.to_string(),
            functions: self.functions,
            weights_examples: self.examples,
            constant: short(self.terms[0]),
            features: Feature::ALL.iter().map(of).collect(),
        };
        serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
    }
}

fn of_terms(terms: &FitTerms) -> Coefficients {
    Coefficients::nearest(terms[0], std::array::from_fn(|j| terms[j + 1]))
}

fn example(row: &HistoryRow) -> Example {
    Example { features: row.features.map(f64::from), success: row.success() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_model_loads_and_round_trips() {
        let model =
            Model::read(SHIPPED).expect("assets/hybrid/coefficients.json; `myriad router --fit` makes it");
        assert!(model.functions > 0 && model.coefficients() != Coefficients::default());
        let again = Model::read(&model.text("x")).expect("what was written");
        assert_eq!(again.text("x"), model.text("x"));
        assert_eq!(Model::read("{}"), None);
        assert_eq!(model.learned(&[]), model.coefficients());
    }

    #[test]
    fn history_shifts_the_predicted_probability() {
        let model = Model::shipped();
        let features = model.scale.means.map(|mean| mean.round() as u32);
        let row = |correct| HistoryRow { features, drawn: 100, correct, draws: 0 };
        let p = |rows: &[HistoryRow]| model.learned(rows).score(&features).probability();
        let (before, failed, succeeded) = (p(&[]), p(&[row(0); 300]), p(&[row(100); 300]));
        assert!(failed < before && before < succeeded, "{failed} {before} {succeeded}");
        assert!((p(&[row(0)]) - before).abs() < 0.05, "one row is not much");
    }
}
