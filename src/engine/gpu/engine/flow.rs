//! Analyses the flow of programs.

use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::flow::Flow;
use crate::engine::gpu::flow::FlowAnalyzer;
use crate::engine::{EngineError, FlowAnalysis};

use super::GpuEngine;

impl FlowAnalysis for GpuEngine {
    fn flow(&mut self, ir: &Ir, routines: &Routines) -> Result<Flow, EngineError> {
        let analyzer = match &mut self.flow {
            Some(analyzer) => analyzer,
            none => none.insert(FlowAnalyzer::new(&self.gpu)?),
        };
        analyzer.analyze(&self.gpu, ir, routines)
    }
}
