//! Computes the router's features and scores of the base's functions, from the columns that the stages left
//! on the device.

use crate::compiler::layout::RouterParams;
use crate::compiler::stage::route::constructs::SURPRISE;
use crate::compiler::stage::route::features::FEATURES;
use crate::compiler::stage::route::score::{Coefficients, Scored};
use crate::engine::EngineError;
use crate::engine::gpu::arena::{binding, storage, uniform};
use crate::engine::gpu::device::Gpu;
use crate::engine::gpu::kernel::Kernel;
use crate::engine::gpu::records::{GpuRecord, incomplete, records};
use crate::engine::gpu::shaders;
use crate::lang::index::{Index, Indices, RoutineId};
use crate::lang::limits;

use super::GpuEngine;

pub struct GpuRouting {
    route: Kernel,
    params: wgpu::Buffer,
    tables: wgpu::Buffer,
    scored: wgpu::Buffer,
}

impl GpuRouting {
    /// Compiles the kernel and writes the surprise of all constructs.
    fn new(gpu: &Gpu) -> Result<GpuRouting, EngineError> {
        let route = Kernel::new(gpu, &shaders::ROUTE)?;
        gpu.scoped(|| {
            let routing = GpuRouting {
                route,
                params: uniform(gpu, &RouterParams::default()),
                tables: storage(gpu, "router tables", (1 + FEATURES + SURPRISE.len()) as u64),
                scored: storage(gpu, "scores", u64::from(Scored::WORDS) * limits::FUNCTIONS as u64),
            };
            let words: Vec<u32> = SURPRISE.iter().map(|&surprise| surprise.into()).collect();
            let behind = 4 * (1 + FEATURES) as u64;
            gpu.queue.write_buffer(&routing.tables, behind, bytemuck::cast_slice(&words));
            routing
        })
    }
}

impl GpuEngine {
    /// See [`crate::engine::Abilities::score`].
    pub(super) fn score_functions(
        &mut self,
        functions: Indices<RoutineId>,
        coefficients: &Coefficients,
    ) -> Result<Vec<Scored>, EngineError> {
        let epoch = self.next_epoch();
        let Some(base) = &self.base else { return Ok(Vec::new()) };
        let functions = Indices::new(functions.start(), functions.end().min(base.compiled.functions().end()));
        if functions.is_empty() {
            return Ok(Vec::new());
        }
        let gpu = &self.gpu;
        let routing = match &mut self.routing {
            Some(routing) => routing,
            none => none.insert(GpuRouting::new(gpu)?),
        };
        let shape = &base.arena.shape.params;
        let params = RouterParams {
            token_capacity: shape.token_capacity,
            code_capacity: shape.code_capacity,
            first: functions.start().number(),
            epoch,
        };
        let mut linear = vec![coefficients.constant];
        linear.extend(coefficients.by_feature);
        let mut encoder = gpu.encoder();
        gpu.attempt(|| {
            gpu.queue.write_buffer(&routing.params, 0, bytemuck::bytes_of(&params));
            gpu.queue.write_buffer(&routing.tables, 0, bytemuck::cast_slice(&linear));
            let arena = &base.arena.buffers;
            let group = routing.route.bind(
                gpu,
                &[
                    ("router_params", &routing.params),
                    ("base", &arena[binding::PROGRAMS]),
                    ("tokens", &arena[binding::TOKENS]),
                    ("tree", &arena[binding::TREE]),
                    ("checked", &arena[binding::CHECKED]),
                    ("code", &arena[binding::CODE]),
                    ("tables", &routing.tables),
                    ("scored", &routing.scored),
                ],
            )?;
            let mut pass = encoder.begin_compute_pass(&Default::default());
            routing.route.dispatch(&mut pass, "route", &group, functions.len());
            Ok(())
        })?;
        let words = u64::from(Scored::WORDS) * u64::from(functions.len());
        let read = gpu.read(encoder, &[(&routing.scored, 0, words)])?;
        records(read.first().ok_or_else(incomplete)?, epoch)
    }
}
