//! Measures the weights on held-out functions.

use std::collections::HashSet;

use burn_tensor::{Device, activation};
use serde::{Deserialize, Serialize};

use super::batch::{Example, TrainingBatch, bucket};
use super::feed::{ExampleBuilder, normal_form};
use super::model::{TrainingInput, TrainingModel};
use crate::lang::random::Rng;
use crate::learned::synthesis::evaluation::{self, EvaluationClass, EvaluationTask, Set};

/// The number of generated functions excluded from training: those that the model is evaluated on.
const GENERATED: u32 = 2_000;
/// The number of words of a measured batch.
const BUDGET: usize = 8_000;

/// The measurements on a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    pub functions: usize,
    /// The cross-entropy per word.
    pub loss: f64,
    /// The fraction of functions for which the greedy candidate equals the compiler's code.
    pub exact: f64,
    /// The mean probability that a candidate drawn at temperature 1, unconstrained, equals the compiler's code word by
    /// word. This is a lower bound of p_correct.
    pub probable: f64,
}

/// The results of candidates drawn at temperature 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// The fraction that are programs.
    pub valid: f64,
    /// The fraction that agree with the compiler's code on random inputs.
    pub passing: f64,
}

/// Functions that are never trained on.
pub struct HeldOut {
    /// All held-out functions, by [`normal_form`].
    pub forms: HashSet<u64>,
    /// Some of the generated functions.
    pub simple: Vec<Example>,
    pub complex: Vec<Example>,
    /// The functions written by people.
    pub written: Vec<Example>,
    /// Generated functions whose candidates are run.
    pub tasks: Vec<EvaluationTask>,
}

/// The number of functions of each class whose candidates are run.
const RUN: usize = 12;

impl HeldOut {
    /// Collects the functions that the model is evaluated on. Keeps `count` generated functions of each class for
    /// measurement.
    pub fn new(count: usize) -> HeldOut {
        let mut maker = ExampleBuilder::default();
        let mut held =
            HeldOut { forms: HashSet::new(), simple: vec![], complex: vec![], written: vec![], tasks: vec![] };
        let generated = evaluation::generated(GENERATED);
        let half = generated.len() / 2;
        let some = |from: usize| generated.iter().skip(from).take(RUN.min(count)).cloned();
        held.tasks.extend(some(0).chain(some(half)));
        for EvaluationTask { set, text, function, .. } in generated.into_iter().chain(evaluation::written()) {
            for example in maker.of_text(&text, function) {
                held.forms.insert(normal_form(&example.source));
                let (list, limit) = match (set, EvaluationClass::of(&example.source)) {
                    (Set::Written, _) => (&mut held.written, usize::MAX),
                    (Set::Generated | Set::Hard, EvaluationClass::Simple) => (&mut held.simple, count),
                    (Set::Generated | Set::Hard, EvaluationClass::Complex) => (&mut held.complex, count),
                };
                if list.len() < limit {
                    list.push(example);
                }
            }
        }
        held
    }
}

/// Measures weights on examples. `model` must be on a device without automatic differentiation.
pub fn measure(model: &TrainingModel, examples: &[Example], device: &Device) -> Measure {
    let mut sum = Measure::default();
    let mut words = 0;
    for list in bucket(examples, BUDGET, &mut Rng::new(0, 0)) {
        let batch = TrainingBatch::new(&list.iter().map(|&i| &examples[i]).collect::<Vec<_>>());
        let input = TrainingInput::new(&batch, device);
        let log_p = activation::log_softmax(model.logits(&input), 1);
        let best: Vec<f32> = log_p.clone().max_dim(1).into_data().iter::<f32>().collect();
        let wanted: Vec<f32> = log_p.gather(1, input.wanted.clone()).into_data().iter::<f32>().collect();
        for row in 0..batch.rows {
            let at = row * batch.target..(row + 1) * batch.target;
            let answered = at.filter(|&i| batch.weight[i] > 0.0);
            let (mut total, mut exact) = (0.0, true);
            for i in answered {
                total += f64::from(wanted[i]);
                exact &= wanted[i] >= best[i];
                words += 1;
            }
            sum.functions += 1;
            sum.loss -= total;
            sum.exact += f64::from(u8::from(exact));
            sum.probable += total.exp();
        }
    }
    let functions = sum.functions.max(1) as f64;
    Measure {
        functions: sum.functions,
        loss: sum.loss / f64::from(words.max(1)),
        exact: sum.exact / functions,
        probable: sum.probable / functions,
    }
}
