//! The paper's model as it is looked at: its levers, and which of them the keys turn.

use crate::paper::levers::{Lever, Levers};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaperView {
    pub levers: Levers,
    pub chosen: Lever,
}

impl Default for PaperView {
    fn default() -> PaperView {
        PaperView { levers: Levers::default(), chosen: Lever::Programs }
    }
}
