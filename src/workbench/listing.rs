//! Instructions as rows, with a heading where a function, test or property begins. Worked out once a program.

use crate::engine::Compiled;

/// A row of the IR or of the bytecode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeRow {
    /// The token that it comes from.
    pub token: u32,
    pub what: CodeItem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeItem {
    /// A routine, by index.
    Heading(u32),
    /// An instruction, by index or address.
    Instruction(u32),
}

/// The rows for instructions given as (index or address, token), in order.
pub fn listing(compiled: &Compiled, instructions: impl Iterator<Item = (u32, u32)>) -> Vec<CodeRow> {
    let mut items: Vec<(u32, u32)> =
        (0..).zip(&compiled.routines.token).map(|(routine, token)| (*token, routine)).collect();
    items.sort_unstable();
    let mut rows = Vec::new();
    let mut current = None;
    for (index, token) in instructions {
        let after = items.partition_point(|(item, _)| *item <= token);
        let item = after.checked_sub(1).and_then(|i| items.get(i)).copied();
        if item != current
            && let Some((item, routine)) = item
        {
            rows.push(CodeRow { token: item, what: CodeItem::Heading(routine) });
        }
        current = item;
        rows.push(CodeRow { token, what: CodeItem::Instruction(index) });
    }
    rows
}
