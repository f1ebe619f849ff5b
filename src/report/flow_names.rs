//! The rows of flow's columns with the names of blocks, variables, values and routines, and their words as text.

use super::expression::{self, variable};
use super::listing::Names;
use crate::compiler::program::Compiled;
use crate::compiler::rounds::{Rows, read};
use crate::compiler::stage::flow::{self, Flow};
use crate::lang::NONE;
use crate::lang::index::{Index, Slot, TokenId};
use crate::lang::opcode::number::CALL;

/// The names of a program's rows.
#[derive(Clone, Debug, Default)]
pub struct FlowNames {
    flow: Flow,
    /// By routine: its name, the token of its head, its variables, and the code of its values.
    routines: Vec<RoutineNames>,
    /// By instruction: its token.
    tokens: Vec<Option<TokenId>>,
    /// By instruction: its operation.
    ops: Vec<u32>,
    /// The calls in reached blocks.
    calls: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
struct RoutineNames {
    name: String,
    head: Option<TokenId>,
    variables: Vec<String>,
    values: Vec<String>,
}

impl FlowNames {
    /// Analyses the code of a program, as far as it is named in columns.
    pub fn new(program: &Compiled) -> FlowNames {
        let (ir, routines) = (&program.ir, &program.executable.routines);
        if ir.op.is_empty() {
            return FlowNames::default();
        }
        let mut flow = Flow::default();
        flow::run(ir, routines, &mut flow, &mut flow::Scratch::default());
        let mut names = Names::new(program);
        let each = (0..routines.ir.len()).map(|routine| {
            let head = TokenId::from_word(routines.token[routine]);
            let name = names.enter(head).unwrap_or_default();
            let slots = &flow.variables.slot[flow.spans.variables(routine)];
            let first = flow.value_spans.value[routine] as usize;
            let values = (first..first + flow.value_spans.values[routine] as usize).map(|value| {
                let code = flow.values.begin[value] as usize..flow.values.end[value] as usize;
                expression::text(program, ir, code, &names)
            });
            RoutineNames {
                name: name.strip_prefix("fn ").map_or(name.clone(), str::to_string),
                head,
                variables: slots.iter().map(|slot| variable(program, &names, Slot::new(*slot))).collect(),
                values: values.collect(),
            }
        });
        let routines = each.collect();
        let is_call = |i: &usize| ir.op[*i] == CALL && flow.blocks.reached[ir.block[*i] as usize] == 1;
        FlowNames {
            routines,
            tokens: ir.token.iter().map(|token| TokenId::from_word(*token)).collect(),
            ops: ir.op.clone(),
            calls: (0..ir.op.len()).filter(is_call).collect(),
            flow,
        }
    }

    /// Returns the token that a row belongs to, and the row's name.
    pub fn label(&self, rows: Rows, row: usize) -> (Option<TokenId>, String) {
        match rows {
            Rows::Instructions => {
                let op = self.ops.get(row).map(|op| read("ir.op", *op)).unwrap_or_default();
                (self.token(row), format!("{row:>4} {op}"))
            }
            Rows::Blocks => self.block_label(row, ""),
            Rows::VariableSets => {
                let (block, word) = self.fact(row);
                self.block_label(block, &nth(word))
            }
            Rows::ValueSets => {
                let (block, word) = self.value_set(row);
                self.block_label(block, &nth(word))
            }
            Rows::BlockSets => {
                let (block, word) = self.relation(row);
                self.block_label(block, &nth(word))
            }
            Rows::Cells => {
                let (routine, block, variable) = self.cell(row);
                (self.begin(block), format!("b{block} {}", self.variable(routine, variable)))
            }
            Rows::Edges => {
                let to = self.flow.blocks.edges.partition_point(|first| *first as usize <= row);
                (self.begin(to.saturating_sub(1)), format!("to b{}", to.saturating_sub(1)))
            }
            Rows::Calls => {
                let call = self.calls.get(row).copied();
                (call.and_then(|i| self.token(i)), format!("call {row}"))
            }
            Rows::Routines => (self.head(row), self.routine(row as u32)),
            Rows::RoutineSets => {
                let words = self.routines.len().div_ceil(32).max(1);
                (self.head(row / words), self.routine((row / words) as u32) + &nth(row % words))
            }
            Rows::Variables => {
                let routine = last(&self.flow.spans.variable, row);
                let first = self.flow.spans.variable.get(routine).map_or(0, |first| *first as usize);
                (self.head(routine), self.variable(routine, row.saturating_sub(first)))
            }
            Rows::Values => {
                let routine = last(&self.flow.value_spans.value, row);
                let first = self.flow.value_spans.value.get(routine).map_or(0, |first| *first as usize);
                let text = self.routines.get(routine).and_then(|own| own.values.get(row.saturating_sub(first)));
                (self.head(routine), text.cloned().unwrap_or_default())
            }
            Rows::ReaderSets => {
                let (routine, variable, word) = self.reader(row);
                (self.head(routine), self.variable(routine, variable) + &nth(word))
            }
            _ => (None, format!("{row:>4}")),
        }
    }

    /// Formats a word of a column, after the word that a round has replaced, if it has. Of a set, the members that
    /// it has gained and lost are marked.
    pub fn text(&self, column: &str, rows: Rows, row: usize, before: Option<u32>, now: u32) -> String {
        if let Some(members) = self.members(column, rows, row) {
            return set(&members, before.unwrap_or(now), now);
        }
        let own = |word| self.word(column, rows, row, word);
        match before {
            Some(before) if before != 0 => format!("{}→{}", own(before), own(now)),
            _ => own(now),
        }
    }

    /// Returns the names of a word's bits if the word is a set.
    fn members(&self, column: &str, rows: Rows, row: usize) -> Option<Vec<String>> {
        let part = |all: &[String], word: usize| all.iter().skip(word * 32).take(32).cloned().collect();
        match (rows, column) {
            (Rows::VariableSets, _) => {
                let (block, word) = self.fact(row);
                Some(part(&self.routines.get(self.owner(block))?.variables, word))
            }
            (Rows::ValueSets, "available.bits" | "changes.added" | "changes.removed") => {
                let (block, word) = self.value_set(row);
                Some(part(&self.routines.get(self.owner(block))?.values, word))
            }
            (Rows::ReaderSets, _) => {
                let (routine, _, word) = self.reader(row);
                Some(part(&self.routines.get(routine)?.values, word))
            }
            (Rows::BlockSets, _) => {
                let (block, word) = self.relation(row);
                let blocks = self.blocks(self.owner(block));
                Some(blocks.skip(word * 32).take(32).map(|block| format!("b{block}")).collect())
            }
            (Rows::RoutineSets, _) => {
                let word = row % self.routines.len().div_ceil(32).max(1);
                Some(self.routines.iter().skip(word * 32).take(32).map(|own| own.name.clone()).collect())
            }
            _ => None,
        }
    }

    /// Formats a word that is not a set.
    fn word(&self, column: &str, rows: Rows, row: usize, word: u32) -> String {
        let block = |word: u32| if word == NONE { "-".into() } else { format!("b{word}") };
        match column {
            "blocks.next" | "blocks.target" | "blocks.dominator" | "blocks.head" | "edges.from"
            | "spans.block" | "changes.block" => block(word),
            "blocks.routine" | "variables.routine" | "sites.caller" | "sites.callee" => self.routine(word),
            "walk.owner" | "slots.named" if word > 0 => self.routine(word - 1),
            "walk.state" if word > 0 => "reached".into(),
            "sweeps.state" if word & 1 == 1 => format!("{} now", word >> 1),
            "sweeps.state" => (word >> 1).to_string(),
            "accesses.variable" if word != NONE => {
                let routine = self.owner(last(&self.flow.blocks.first, row));
                self.variable(routine, word as usize)
            }
            "constants.same" if rows == Rows::Cells => self.variable(self.cell(row).0, word as usize),
            "constants.value" | "ranges.lo" | "ranges.hi" => match word as i32 {
                i32::MIN => "min".into(),
                i32::MAX => "max".into(),
                value => value.to_string(),
            },
            "ranges.zeros" | "ranges.ones" => format!("{word:#x}"),
            _ => read(column, word),
        }
    }

    fn token(&self, i: usize) -> Option<TokenId> {
        self.tokens.get(i).copied().flatten()
    }

    /// Returns the token of a block's first instruction.
    fn begin(&self, block: usize) -> Option<TokenId> {
        self.token(*self.flow.blocks.first.get(block)? as usize)
    }

    fn block_label(&self, block: usize, more: &str) -> (Option<TokenId>, String) {
        (self.begin(block), format!("b{block}{more} {}", self.routine(self.owner(block) as u32)))
    }

    /// Returns the routine of a block.
    fn owner(&self, block: usize) -> usize {
        self.flow.blocks.routine.get(block).map_or(0, |routine| *routine as usize)
    }

    /// Returns the blocks of a routine.
    fn blocks(&self, routine: usize) -> std::ops::Range<usize> {
        if routine < self.routines.len() { self.flow.spans.blocks(routine) } else { 0..0 }
    }

    fn routine(&self, routine: u32) -> String {
        self.routines.get(routine as usize).map_or_else(|| "-".into(), |own| own.name.clone())
    }

    fn head(&self, routine: usize) -> Option<TokenId> {
        self.routines.get(routine)?.head
    }

    fn variable(&self, routine: usize, variable: usize) -> String {
        let own = self.routines.get(routine).and_then(|own| own.variables.get(variable));
        own.cloned().unwrap_or_else(|| "-".into())
    }

    /// Returns the block of a set of variables, and the number of the set in the block.
    fn fact(&self, row: usize) -> (usize, usize) {
        let block = last(&self.flow.blocks.facts, row);
        (block, row - first(&self.flow.blocks.facts, block, row))
    }

    /// Returns the routine, the block and the variable of a row about a variable in a block.
    fn cell(&self, row: usize) -> (usize, usize, usize) {
        let routine = last(&self.flow.cells.first, row);
        let (offset, blocks) = (row - first(&self.flow.cells.first, routine, row), self.blocks(routine));
        let count = self.routines.get(routine).map_or(0, |own| own.variables.len()).max(1);
        (routine, blocks.start + offset / count, offset % count)
    }

    /// Returns the block of a set of values, and the number of the set in the block.
    fn value_set(&self, row: usize) -> (usize, usize) {
        let routine = last(&self.flow.value_spans.words, row);
        let offset = row - first(&self.flow.value_spans.words, routine, row);
        let words = self.value_words(routine).max(1);
        (self.blocks(routine).start + offset / words, offset % words)
    }

    /// Returns the block of a set of blocks, and the number of the set in the block.
    fn relation(&self, row: usize) -> (usize, usize) {
        let mut first = 0;
        for block in 0..self.flow.blocks.len() {
            let words = self.blocks(self.owner(block)).len().div_ceil(32);
            if row < first + words {
                return (block, row - first);
            }
            first += words;
        }
        (0, 0)
    }

    /// Returns the routine and the variable of a set of values that read it, and the number of the set.
    fn reader(&self, row: usize) -> (usize, usize, usize) {
        let mut first = 0;
        for (routine, own) in self.routines.iter().enumerate() {
            let words = self.value_words(routine);
            if row < first + own.variables.len() * words {
                return (routine, (row - first) / words, (row - first) % words);
            }
            first += own.variables.len() * words;
        }
        (0, 0, 0)
    }

    fn value_words(&self, routine: usize) -> usize {
        self.routines.get(routine).map_or(0, |own| own.values.len().div_ceil(32))
    }
}

/// Returns the first row of an item, at most `row`.
fn first(column: &[u32], item: usize, row: usize) -> usize {
    column.get(item).map_or(row, |first| *first as usize).min(row)
}

/// Returns the last item whose first row is at most `row`. Items without rows begin where the next one does.
fn last(first_rows: &[u32], row: usize) -> usize {
    first_rows.partition_point(|first| *first as usize <= row).saturating_sub(1)
}

/// Returns the number of a set among several of one block, if it is not the first.
fn nth(word: usize) -> String {
    if word == 0 { String::new() } else { format!(".{}", word + 1) }
}

/// Formats a set: the members that remain, those that it has gained, and those that it has lost.
fn set(names: &[String], before: u32, now: u32) -> String {
    let mask = if names.len() >= 32 { u32::MAX } else { (1 << names.len()) - 1 };
    let (before, now) = (before & mask, now & mask);
    if now == mask && before == 0 && names.len() > 2 {
        return "+all".into();
    }
    if now == mask && before == mask && names.len() > 2 {
        return "all".into();
    }
    let part = |sign: &'static str, bits: u32| {
        let own = names.iter().enumerate().filter(move |(bit, _)| bits >> bit & 1 == 1);
        own.map(move |(_, name)| format!("{sign}{name}"))
    };
    let all: Vec<String> =
        part("", now & before).chain(part("+", now & !before)).chain(part("-", before & !now)).collect();
    let gap = if names.iter().any(|name| name.contains(' ')) { ", " } else { " " };
    if all.is_empty() { "none".into() } else { all.join(gap) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_mark_the_members_that_they_gain_and_lose() {
        let names = ["a", "b", "c"].map(String::from);
        assert_eq!(set(&names, 0b001, 0b011), "a +b");
        assert_eq!(set(&names, 0b011, 0b110), "b +c -a");
        assert_eq!(set(&names, 0, 0), "none");
        assert_eq!(set(&names, 0, u32::MAX), "+all");
        assert_eq!(set(&names, u32::MAX, u32::MAX), "all");
        assert_eq!(set(&names, u32::MAX, 0b001), "a -b -c");
    }

    #[test]
    fn items_without_rows_are_skipped() {
        assert_eq!([0, 1, 2, 3].map(|row| last(&[0, 2, 2, 3], row)), [0, 0, 2, 3]);
    }
}
