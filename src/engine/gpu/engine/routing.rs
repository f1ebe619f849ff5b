//! What the hybrid's router goes by: features and scores of the base's functions, from what the stages left on the device.

use std::ops::Range;

use crate::engine::EngineError;
use crate::engine::gpu::arena::{binding, storage};
use crate::engine::gpu::device::Gpu;
use crate::engine::gpu::runs::uniform;
use crate::lang::limits;
use crate::layout::RouterParams;
use crate::stage::route::constructs::SURPRISE;
use crate::stage::route::features::{FEATURES, Features};
use crate::stage::route::score::{Coefficients, Score, Scored};

use super::GpuEngine;

/// Words of a function's record: features, score, number of the batch.
const RECORD: usize = FEATURES + 2;

/// The router's own buffers.
pub struct Buffers {
    params: wgpu::Buffer,
    tables: wgpu::Buffer,
    scored: wgpu::Buffer,
}

impl Buffers {
    /// Buffers with the surprise of all constructs.
    fn new(gpu: &Gpu) -> Result<Buffers, EngineError> {
        gpu.scoped(|| {
            let buffers = Buffers {
                params: uniform(gpu, size_of::<RouterParams>()),
                tables: storage(gpu, "router tables", (1 + FEATURES + SURPRISE.len()) as u64),
                scored: storage(gpu, "scores", (RECORD * limits::FUNCTIONS) as u64),
            };
            let words: Vec<u32> = SURPRISE.iter().map(|&surprise| surprise.into()).collect();
            let behind = 4 * (1 + FEATURES) as u64;
            gpu.queue.write_buffer(&buffers.tables, behind, bytemuck::cast_slice(&words));
            buffers
        })
    }
}

impl GpuEngine {
    /// Features and scores of functions of the base.
    pub(super) fn score(
        &mut self,
        functions: Range<u32>,
        coefficients: &Coefficients,
    ) -> Result<Vec<Scored>, EngineError> {
        let epoch = self.next_epoch();
        let Some(base) = &self.base else { return Ok(Vec::new()) };
        let known = base.compiled.facts.functions;
        let functions = functions.start..functions.end.min(known);
        if functions.is_empty() {
            return Ok(Vec::new());
        }
        let gpu = &self.gpu;
        let buffers = match &mut self.routing {
            Some(buffers) => buffers,
            none => none.insert(Buffers::new(gpu)?),
        };
        let shape = &base.arena.shape.params;
        let params = RouterParams {
            token_capacity: shape.token_capacity,
            code_capacity: shape.code_capacity,
            first: functions.start,
            epoch,
        };
        let mut linear = vec![coefficients.constant];
        linear.extend(coefficients.by_feature);
        let mut encoder = gpu.encoder();
        gpu.attempt(|| {
            gpu.queue.write_buffer(&buffers.params, 0, bytemuck::bytes_of(&params));
            gpu.queue.write_buffer(&buffers.tables, 0, bytemuck::cast_slice(&linear));
            let arena = &base.arena.buffers;
            let group = self.kernels.router.bind(
                gpu,
                &[
                    ("rp", &buffers.params),
                    ("base", &arena[binding::PROGRAMS]),
                    ("tokens", &arena[binding::TOKENS]),
                    ("tree", &arena[binding::TREE]),
                    ("checked", &arena[binding::CHECKED]),
                    ("code", &arena[binding::CODE]),
                    ("tables", &buffers.tables),
                    ("scored", &buffers.scored),
                ],
            )?;
            let mut pass = encoder.begin_compute_pass(&Default::default());
            self.kernels.router.dispatch(&mut pass, "route", &group, functions.len() as u32);
            Ok(())
        })?;
        let read = gpu.read(encoder, &[(&buffers.scored, 0, (RECORD * functions.len()) as u64)])?;
        let records = read.first().map(Vec::as_slice).unwrap_or_default();
        let record = |record: &[u32]| {
            let (features, rest) = record.split_at(FEATURES);
            match (Features::try_from(features), rest) {
                (Ok(features), &[score, written]) if written == epoch => {
                    Ok(Scored { features, score: Score(score as i32) })
                }
                _ => Err(EngineError::Fault("a record of another batch".into())),
            }
        };
        records.chunks_exact(RECORD).map(record).collect()
    }
}
