//! Engines that analyse the flow of programs.

use super::{Engine, EngineError};
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::flow::{self, Flow};

/// Analyses the flow of programs on a device.
pub trait FlowAnalysis {
    /// Returns the flow of code at any level. `routines` are those of `ir`.
    ///
    /// # Errors
    /// If the program is too large for it, or the device fails.
    fn flow(&mut self, ir: &Ir, routines: &Routines) -> Result<Flow, EngineError>;
}

/// Returns the flow of code at any level, by the engine or else by the host.
///
/// # Errors
/// If the device fails.
pub fn flow(engine: &mut dyn Engine, ir: &Ir, routines: &Routines) -> Result<Flow, EngineError> {
    match engine.flow_analysis().map(|device| device.flow(ir, routines)) {
        None | Some(Err(EngineError::TooLarge(_))) => {
            let mut flow = Flow::default();
            flow::run(ir, routines, &mut flow, &mut flow::Scratch::default());
            Ok(flow)
        }
        Some(found) => found,
    }
}
