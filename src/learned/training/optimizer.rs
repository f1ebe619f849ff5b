//! Updates weights from gradients.
//!
//! Matrices inside the layers use *Muon* (Jordan et al. 2024): five steps of a Newton–Schulz iteration make the
//! momentum nearly orthogonal, so that all directions of a matrix move equally. Embeddings and gains use *Adam*
//! (Kingma, Ba 2015). Both use decoupled weight decay. A moving average of the weights is evaluated and shipped.

use burn_tensor::{Gradients, Tensor};

use super::model::TrainingModel;

/// Adam's learning rate at the plateau.
const ADAM: f64 = 3e-3;
/// Muon's learning rate at the plateau: approximately how far a matrix moves in each direction.
const MUON: f64 = 0.02;
/// The weight decay, multiplied by the rate.
const DECAY: f64 = 0.01;
/// Adam's decay rates of the moments.
const BETA: [f64; 2] = [0.9, 0.98];
const EPSILON: f64 = 1e-8;
/// Muon's momentum.
const MOMENTUM: f64 = 0.95;
/// The maximum gradient norm; longer gradients are scaled down.
const CLIP: f64 = 1.0;
/// The decay rate of the moving average after its warm-up.
const AVERAGE: f64 = 0.999;
/// The coefficients of the Newton–Schulz iteration that bring singular values near 1 fastest.
const QUINTIC: [f64; 3] = [3.4445, -4.7750, 2.0315];
const ITERATIONS: usize = 5;
/// The number of embedding tensors, which come first.
const TABLES: usize = 5;

pub struct Optimizer {
    pub steps: u64,
    pub first: Vec<Tensor<2>>,
    /// Adam's second moments, or `None` for tensors that use Muon.
    pub second: Vec<Option<Tensor<2>>>,
    /// The moving average of the weights.
    pub average: Vec<Tensor<2>>,
}

impl Optimizer {
    pub fn new(model: &TrainingModel) -> Optimizer {
        let inner: Vec<Tensor<2>> = model.tensors.iter().map(|tensor| tensor.clone().inner()).collect();
        let zeros = |tensor: &Tensor<2>| tensor.zeros_like();
        Optimizer {
            steps: 0,
            first: inner.iter().map(zeros).collect(),
            second: inner.iter().enumerate().map(|(i, t)| (!is_matrix(i, t)).then(|| zeros(t))).collect(),
            average: inner,
        }
    }

    /// Updates all weights by one step; `rate` is the fraction of the plateau's rate. Returns the gradient norm.
    pub fn step(&mut self, model: &mut TrainingModel, mut gradients: Gradients, rate: f64) -> f32 {
        let found: Vec<Option<Tensor<2>>> =
            model.tensors.iter().map(|tensor| tensor.grad_remove(&mut gradients)).collect();
        let squares = found.iter().flatten().map(|gradient| gradient.clone().square().sum());
        let length = squares.reduce(|a, b| a + b).map_or(0.0, |sum| sum.sqrt().into_scalar::<f32>());
        if !length.is_finite() {
            return length;
        }
        let scale = (CLIP / f64::from(length).max(1e-12)).min(1.0);
        self.steps += 1;
        let keep = AVERAGE.min((1 + self.steps) as f64 / (10 + self.steps) as f64);
        for (i, gradient) in found.into_iter().enumerate() {
            let Some(gradient) = gradient else { continue };
            let old = model.tensors[i].clone().inner();
            let gradient = gradient.mul_scalar(scale);
            let (update, speed) = match self.second[i].take() {
                Some(second) => {
                    let (update, second) = self.adam(i, gradient, second);
                    self.second[i] = Some(second);
                    (update, ADAM)
                }
                None => self.muon(i, gradient),
            };
            let new = old.mul_scalar(1.0 - rate * speed * DECAY) - update.mul_scalar(rate * speed);
            self.average[i] = self.average[i].clone().mul_scalar(keep) + new.clone().mul_scalar(1.0 - keep);
            model.tensors[i] = new.autodiff().require_grad();
        }
        length
    }

    fn adam(&mut self, i: usize, gradient: Tensor<2>, second: Tensor<2>) -> (Tensor<2>, Tensor<2>) {
        let [a, b] = BETA;
        let first = self.first[i].clone().mul_scalar(a) + gradient.clone().mul_scalar(1.0 - a);
        let second = second.mul_scalar(b) + gradient.square().mul_scalar(1.0 - b);
        self.first[i] = first.clone();
        let steps = self.steps.min(100_000) as i32;
        let root = second.clone().div_scalar(1.0 - b.powi(steps)).sqrt().add_scalar(EPSILON);
        (first.div_scalar(1.0 - a.powi(steps)) / root, second)
    }

    /// Returns the update and its rate. Wider outputs move further, so that the outputs change equally.
    fn muon(&mut self, i: usize, gradient: Tensor<2>) -> (Tensor<2>, f64) {
        let momentum = self.first[i].clone().mul_scalar(MOMENTUM) + gradient.clone().mul_scalar(1.0 - MOMENTUM);
        self.first[i] = momentum.clone();
        let ahead = momentum.mul_scalar(MOMENTUM) + gradient.mul_scalar(1.0 - MOMENTUM);
        let [rows, columns] = ahead.dims();
        let speed = MUON * (columns as f64 / rows as f64).max(1.0).sqrt();
        (orthogonal(ahead), speed)
    }
}

/// Returns whether tensor `i` is a matrix inside a layer.
fn is_matrix(i: usize, tensor: &Tensor<2>) -> bool {
    i >= TABLES && tensor.dims()[0] > 1
}

/// Returns a matrix with nearly the same singular vectors and all singular values near 1.
fn orthogonal(matrix: Tensor<2>) -> Tensor<2> {
    let [rows, columns] = matrix.dims();
    let tall = rows > columns;
    let mut x = if tall { matrix.transpose() } else { matrix };
    let length = x.clone().square().sum().sqrt().add_scalar(1e-7);
    x = x / length.unsqueeze();
    let [a, b, c] = QUINTIC;
    for _ in 0..ITERATIONS {
        let square = x.clone().matmul(x.clone().transpose());
        let inner = square.clone().mul_scalar(b) + square.clone().matmul(square).mul_scalar(c);
        x = x.clone().mul_scalar(a) + inner.matmul(x);
    }
    if tall { x.transpose() } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_tensor::{Device, Distribution};

    #[test]
    fn orthogonalized_matrix_has_singular_values_near_one() {
        let device = Device::flex();
        for shape in [[16, 16], [8, 32], [32, 8]] {
            let random = Tensor::<2>::random(shape, Distribution::Normal(0.0, 3.0), &device);
            let x = orthogonal(random);
            let square = if shape[0] > shape[1] {
                x.clone().transpose().matmul(x)
            } else {
                x.clone().matmul(x.transpose())
            };
            let n = shape[0].min(shape[1]);
            let trace: f32 = square.clone().mul(Tensor::eye(n, &device)).sum().into_scalar();
            assert!((trace / n as f32 - 1.0).abs() < 0.4, "{shape:?}: {trace}");
        }
    }
}
