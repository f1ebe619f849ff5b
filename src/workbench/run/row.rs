//! Rows of the Run panel.

use crate::lang::index::{CallId, Position, Slot, TokenId};
use crate::testing::trace::ProvenanceSource;
use crate::workbench::text::visible;
use crate::workbench::theme::Look;

/// Identifies a row across positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKey {
    Slider,
    Source,
    /// The offset from the next instruction.
    Code(isize),
    /// An operand, counted from the top of the stack.
    Operand(u32),
    /// A caller's operand: the number of calls outward, then the index from the top.
    Waiting(u32, u32),
    /// A variable: the number of calls outward, then its slot.
    Variable(u32, Slot),
    Call(CallId),
    /// A row of a comparison: the step's offset from the divergence.
    Beside(i64),
    Other(u32),
}

#[derive(Clone, Debug)]
pub struct RunRow {
    pub key: RunKey,
    pub parts: Vec<(Look, String)>,
    /// The token of the run's program that the row belongs to.
    pub token: Option<TokenId>,
    /// The position that enter goes to.
    pub leads: Option<Position>,
    /// The step that made the row's value.
    pub source: Option<ProvenanceSource>,
    /// The row's variable: its call, and its place in the frame.
    pub variable: Option<(CallId, Slot)>,
}

impl RunRow {
    pub fn new(key: RunKey, parts: impl IntoIterator<Item = (Look, String)>) -> RunRow {
        let parts = parts.into_iter().map(|(look, text)| (look, visible(&text))).collect();
        RunRow { key, parts, token: None, leads: None, source: None, variable: None }
    }
}
