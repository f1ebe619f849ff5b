//! Analyses the flow of programs on the device.

use crate::compiler::layout::flow::params;
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::flow::Flow;
use crate::compiler::stage::flow::tables::{ENTRIES, HEAD, Rooms, places, rooms};
use crate::engine::{DeviceFailure, EngineError};

use super::arena::{storage, uniform_words};
use super::device::Gpu;
use super::kernel::Kernel;
use super::records::incomplete;
use super::shaders;

/// The state of an entry point that has finished: `FINISHED` in `shaders/flow/facts.wgsl`.
pub(super) const FINISHED: u32 = 2;
/// More submissions than any program needs.
pub(super) const SUBMISSIONS: usize = 1 << 12;

/// The kernel of flow.
pub struct FlowAnalyzer {
    kernel: Kernel,
}

impl FlowAnalyzer {
    /// Prepares the shader.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(gpu: &Gpu) -> Result<FlowAnalyzer, EngineError> {
        Ok(FlowAnalyzer { kernel: Kernel::new(gpu, &shaders::FLOW)? })
    }

    /// Analyses a program at any level. `routines` are those of `ir`.
    ///
    /// # Errors
    /// If the program is too large, or the device fails.
    pub fn analyze(&self, gpu: &Gpu, ir: &Ir, routines: &Routines) -> Result<Flow, EngineError> {
        let Some(rooms) = rooms(ir, routines) else {
            return Err(EngineError::TooLarge("the program is too large for the shader of flow".into()));
        };
        let (places, words) = places(&rooms);
        let (facts, group) = bind(&self.kernel, gpu, ir, routines, &rooms, 0)?;
        for _ in 0..SUBMISSIONS {
            let mut encoder = gpu.encoder();
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for entry in ENTRIES {
                self.kernel.dispatch(&mut pass, entry, &group, 1);
            }
            drop(pass);
            let read = gpu.read(encoder, &[(&facts, 0, u64::from(words))])?;
            let words = read.first().ok_or_else(incomplete)?;
            if words.get(HEAD as usize - 1) == Some(&FINISHED) {
                return unpack(words, &rooms, &places);
            }
        }
        Err(DeviceFailure::Results.because("the flow of a program is not found"))
    }
}

/// Creates the buffer of the tables, with `more` words after them, and binds it together with the program.
///
/// # Errors
/// If the device fails.
pub(super) fn bind(
    kernel: &Kernel,
    gpu: &Gpu,
    ir: &Ir,
    routines: &Routines,
    rooms: &Rooms,
    more: u32,
) -> Result<(wgpu::Buffer, wgpu::BindGroup), EngineError> {
    let (_, words) = places(rooms);
    let (ir, routines) = (ir.columns().concat(), routines.columns().concat());
    gpu.attempt(|| {
        let buffer = |label: &str, words: &[u32]| {
            let buffer = storage(gpu, label, words.len() as u64);
            gpu.write(&buffer, 0, bytemuck::cast_slice(words));
            buffer
        };
        let facts = storage(gpu, "flow", u64::from(words) + u64::from(more));
        let buffers = [
            ("flow_params", &uniform_words(gpu, &params(rooms))),
            ("ir", &buffer("flow code", &ir)),
            ("routines", &buffer("flow routines", &routines)),
            ("facts", &facts),
        ];
        let group = kernel.bind(gpu, &buffers)?;
        Ok((facts, group))
    })
}

/// Extracts the output from the shader's buffer.
fn unpack(words: &[u32], rooms: &Rooms, places: &[u32]) -> Result<Flow, EngineError> {
    let mut flow = Flow::default();
    for ((table, columns), place) in Flow::TABLES.iter().zip(flow.tables_mut()).zip(places) {
        let space = table.space as usize;
        // A count beyond its room is a fault of the device, not of a program.
        let count = words[space].min(rooms[space]) as usize;
        for (column, to) in columns.into_iter().enumerate() {
            let first = *place as usize + column * rooms[space] as usize;
            to.extend_from_slice(words.get(first..first + count).ok_or_else(incomplete)?);
        }
    }
    Ok(flow)
}
