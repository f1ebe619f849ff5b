//! The state of the Paper panel: the model's levers, and the one that keys move.

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
