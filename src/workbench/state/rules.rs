//! The rules of the text as passes of the IR panel.

use std::sync::Arc;

use crate::workbench::results::Shown;

#[derive(Debug, Default)]
pub struct RulesPass {
    /// Whether the user wants the code after the rules.
    pub is_on: bool,
    /// The program with that code, once it is known.
    pub shown: Option<Arc<Shown>>,
}
