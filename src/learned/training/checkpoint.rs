//! Checkpoints: a training run as one file that suffices to resume it exactly.
//!
//! A safetensors file with the weights in f32, the optimizer's moments in bf16 (wide range, half the size), and the
//! moving average in f16. The new file is written next to the old one, synced, and renamed over it, so that a complete
//! file always exists.

use std::collections::HashMap;
use std::path::Path;

use burn_tensor::{Device, Tensor, TensorData};
use half::{bf16, f16};
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use serde::{Deserialize, Serialize};

use super::TrainError;
use super::feed::Position;
use super::model::TrainingModel;
use super::optimizer::Optimizer;
use crate::host::files;
use crate::network::weights::{self, Config, Weights, tensors};

/// The format name in the file's metadata.
const FORMAT: &str = "myriad-training";
/// The maximum size of a file that is read: ten bytes for each number of the largest weights, which may be stored in
/// half precision.
const LARGEST: u64 = 5 * weights::LARGEST;

/// The state of a run besides its tensors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckpointState {
    pub width: usize,
    pub layers: usize,
    pub seed: u64,
    pub steps: u64,
    pub examples: u64,
    pub seconds: f64,
    pub position: Position,
    /// The lowest held-out loss and its step.
    pub best: Option<(f64, u64)>,
}

/// Writes a run's checkpoint.
///
/// # Errors
/// If the file cannot be written. The old one then remains.
pub fn save(
    path: &Path,
    state: &CheckpointState,
    model: &TrainingModel,
    optimizer: &Optimizer,
) -> Result<(), TrainError> {
    let table = tensors(&model.config);
    let mut parts: Vec<(String, Dtype, Vec<usize>, Vec<u8>)> = Vec::new();
    for (i, tensor) in table.iter().enumerate() {
        let shape = vec![tensor.rows, tensor.columns];
        let mut add = |kind: &str, dtype, bytes| {
            parts.push((format!("{kind}/{}", tensor.name), dtype, shape.clone(), bytes))
        };
        let weights = values(&model.tensors[i]);
        add("weight", Dtype::F32, weights.iter().flat_map(|x| x.to_le_bytes()).collect());
        let brief = |tensor| values(tensor).iter().flat_map(|&x| bf16::from_f32(x).to_le_bytes()).collect();
        add("first", Dtype::BF16, brief(&optimizer.first[i]));
        if let Some(second) = &optimizer.second[i] {
            add("second", Dtype::BF16, brief(second));
        }
        let average = values(&optimizer.average[i]);
        add("average", Dtype::F16, average.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes()).collect());
    }
    let state =
        serde_json::to_string(state).map_err(|error| TrainError::Corrupt(path.into(), error.to_string()))?;
    let entries = [("format", FORMAT.to_string()), ("state", state)];
    let corrupt = |error: safetensors::SafeTensorError| TrainError::Corrupt(path.into(), error.to_string());
    let views = parts.iter().map(|(name, dtype, shape, bytes)| {
        TensorView::new(*dtype, shape.clone(), bytes).map(|view| (name.as_str(), view))
    });
    let views: Vec<_> = views.collect::<Result<_, _>>().map_err(corrupt)?;
    let bytes = serialize(views, Some(entries.map(|(k, v)| (k.to_string(), v)).into())).map_err(corrupt)?;
    replace(path, &bytes)
}

/// Reads a checkpoint.
///
/// # Errors
/// If the file does not exist or is corrupt.
pub fn load(path: &Path, device: &Device) -> Result<(CheckpointState, TrainingModel, Optimizer), TrainError> {
    let bytes = files::read(path, LARGEST).map_err(|why| TrainError::Read(path.into(), why.into()))?;
    let corrupt = |reason: String| TrainError::Corrupt(path.into(), reason);
    let (_, header) = SafeTensors::read_metadata(&bytes).map_err(|error| corrupt(error.to_string()))?;
    let nothing = HashMap::new();
    let entries = header.metadata().as_ref().unwrap_or(&nothing);
    if entries.get("format").map(String::as_str) != Some(FORMAT) {
        return Err(corrupt("it is not a checkpoint of a training run".into()));
    }
    let state: CheckpointState = entries
        .get("state")
        .ok_or_else(|| corrupt("its state is missing".into()))
        .and_then(|text| serde_json::from_str(text).map_err(|error| corrupt(error.to_string())))?;
    let config = Config::new(state.width, state.layers);
    if !config.is_sound() {
        return Err(corrupt(format!("no model is {} wide with {} layers", state.width, state.layers)));
    }
    let file = SafeTensors::deserialize(&bytes).map_err(|error| corrupt(error.to_string()))?;
    let table = tensors(&config);
    let read = |kind: &str, i: usize| -> Result<Vec<f32>, TrainError> {
        let tensor = &table[i];
        let name = format!("{kind}/{}", tensor.name);
        let view = file.tensor(&name).map_err(|error| corrupt(error.to_string()))?;
        let bytes = view.data();
        let values: Vec<f32> = match view.dtype() {
            Dtype::F32 => bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect(),
            Dtype::BF16 => bytes.as_chunks().0.iter().map(|&b| bf16::from_le_bytes(b).to_f32()).collect(),
            Dtype::F16 => bytes.as_chunks().0.iter().map(|&b| f16::from_le_bytes(b).to_f32()).collect(),
            other => return Err(corrupt(format!("`{name}` has the unsupported type {other:?}"))),
        };
        if values.len() != tensor.len() || values.iter().any(|x| !x.is_finite()) {
            return Err(corrupt(format!("`{name}` has the wrong size or a value that is not finite")));
        }
        Ok(values)
    };
    let mut weights = Weights { config, steps: state.steps, examples: state.examples, data: Vec::new() };
    for i in 0..table.len() {
        weights.data.extend(read("weight", i)?);
    }
    let model = TrainingModel::new(&weights, device);
    let mut optimizer = Optimizer::new(&model);
    optimizer.steps = state.steps;
    let plain = device.clone().inner();
    for (i, tensor) in table.iter().enumerate() {
        let upload = |values| Tensor::from_data(TensorData::new(values, [tensor.rows, tensor.columns]), &plain);
        optimizer.first[i] = upload(read("first", i)?);
        if let Some(second) = &mut optimizer.second[i] {
            *second = upload(read("second", i)?);
        }
        optimizer.average[i] = upload(read("average", i)?);
    }
    Ok((state, model, optimizer))
}

/// Collects tensors as weights.
pub fn weights(config: Config, state: &CheckpointState, tensors: &[Tensor<2>]) -> Weights {
    let data = tensors.iter().flat_map(values).collect();
    Weights { config, steps: state.steps, examples: state.examples, data }
}

fn values(tensor: &Tensor<2>) -> Vec<f32> {
    tensor.clone().inner().to_data().iter::<f32>().collect()
}

/// Replaces a file's contents atomically and durably.
///
/// # Errors
/// If the disk is full or the folder cannot be written to.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    files::write(path, bytes).map_err(|error| TrainError::Write(path.into(), error))
}
