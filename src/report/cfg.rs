//! The control-flow graph of a program, with its loops and live variables: as rows for JSON, as text, and as a
//! graph for Graphviz.

mod dot;

use std::fmt::Write;

use serde::Serialize;

use super::document::Span;
use super::listing::{self, Line};
use super::places::Lines;
use crate::compiler::program::{Compiled, Ir};
use crate::compiler::stage::flow::Flow;
use crate::lang::NONE;
use crate::lang::index::{Index, TokenId};
pub use dot::{dot, escaped};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Effects {
    /// Whether it may call itself, directly or through others.
    pub recursive: bool,
    /// Whether it may trap for another reason than lack of steps, depth or memory.
    pub traps: bool,
    /// Greatest number of calls that are open at once during its own; absent if it may reach a recursive function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Bound on the words of memory that it takes; absent if it may reach a recursive function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<u32>,
}

impl Effects {
    pub fn of(flow: &Flow, routine: usize) -> Effects {
        Effects {
            recursive: flow.calls.recursive[routine] == 1,
            traps: flow.calls.traps[routine] == 1,
            depth: some(flow.calls.depth[routine]),
            words: some(flow.calls.words[routine]),
        }
    }
}

/// Returns a word of a column unless it is empty.
fn some(word: u32) -> Option<u32> {
    (word != NONE).then_some(word)
}

/// A routine, in the order of the code.
#[derive(Debug, Serialize)]
pub struct RoutineRow {
    /// The item as in the source: `fn gcd`, `test "coprime"`.
    pub routine: String,
    #[serde(flatten)]
    pub effects: Effects,
    /// The names of its variables, in the order of slots.
    pub variables: Vec<String>,
    pub blocks: Vec<BlockRow>,
    #[serde(flatten)]
    pub span: Span,
}

/// A basic block; its place is that of its first instruction.
#[derive(Debug, Serialize)]
pub struct BlockRow {
    pub block: u32,
    /// Its first instruction, and one past its last.
    pub first: u32,
    pub end: u32,
    pub reached: bool,
    /// The block that control falls through to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
    /// The block that its last instruction may jump to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<u32>,
    /// The blocks that it may follow.
    pub from: Vec<u32>,
    /// Immediate dominator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dominator: Option<u32>,
    /// Head of the innermost loop that contains it.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub head: Option<u32>,
    /// Number of loops that contain it.
    pub depth: u32,
    /// Variables that are live where it begins, and where it ends.
    pub live_in: Vec<String>,
    pub live_out: Vec<String>,
    pub token: TokenId,
    #[serde(flatten)]
    pub span: Span,
}

/// Returns the routines of code with their blocks. `flow` is that of `ir`.
pub fn rows(program: &Compiled, ir: &Ir, flow: &Flow) -> Vec<RoutineRow> {
    let (view, lines) = (program.view(), Lines::new(&program.text));
    let span = |token: TokenId| lines.span(view.span(token).unwrap_or_default());
    let mut routines: Vec<usize> = (0..flow.spans.block.len()).collect();
    routines.sort_by_key(|routine| flow.spans.block[*routine]);
    let row = |routine: usize| {
        let head = TokenId::new(program.executable.routines.token[routine]);
        let slots = &flow.variables.slot[flow.spans.variables(routine)];
        let variables = listing::variables(program, head, slots);
        let set = |column: &[u32], block: usize| -> Vec<String> {
            let bits = &column[flow.facts(block)];
            let is_in = |v: &usize| bits[v / 32] >> (v % 32) & 1 == 1;
            (0..variables.len()).filter(is_in).map(|v| variables[v].clone()).collect()
        };
        let block = |block: usize| {
            let blocks = &flow.blocks;
            let token = TokenId::new(ir.token[blocks.first[block] as usize]);
            BlockRow {
                block: block as u32,
                first: blocks.first[block],
                end: blocks.end[block],
                reached: blocks.reached[block] == 1,
                next: some(blocks.next[block]),
                target: some(blocks.target[block]),
                from: flow.predecessors(block).map(|from| from as u32).collect(),
                dominator: some(blocks.dominator[block]),
                head: some(blocks.head[block]),
                depth: blocks.depth[block],
                live_in: set(&flow.live.entry, block),
                live_out: set(&flow.live.exit, block),
                token,
                span: span(token),
            }
        };
        RoutineRow {
            routine: listing::heading(program, head),
            effects: Effects::of(flow, routine),
            blocks: flow.spans.blocks(routine).map(block).collect(),
            variables,
            span: span(head),
        }
    };
    routines.into_iter().map(row).collect()
}

/// Formats the routines as text, with the instructions of each block.
pub fn page(program: &Compiled, ir: &Ir, flow: &Flow) -> String {
    let lines = listing::ir(program, ir);
    let mut page = String::new();
    for row in rows(program, ir, flow) {
        let gap = if page.is_empty() { "" } else { "\n" };
        let _ = writeln!(page, "{gap}{}: {}", row.routine, row.calls());
        for block in &row.blocks {
            let _ = writeln!(page, "  {}", block.title());
            let _ = writeln!(page, "          live in: {}", names(&block.live_in));
            for line in &lines[block.first as usize..block.end as usize] {
                let _ = writeln!(page, "  {}", instruction(line));
            }
            let _ = writeln!(page, "          live out: {}", names(&block.live_out));
        }
    }
    page
}

fn instruction(line: &Line) -> String {
    format!("{:6}  {:<21} {}", line.at, line.op, line.operands).trim_end().to_string()
}

fn names(variables: &[String]) -> String {
    if variables.is_empty() { "-".into() } else { variables.join(", ") }
}

impl RoutineRow {
    /// Describes what a call may do.
    fn calls(&self) -> String {
        let bounds = match (self.effects.recursive, self.effects.depth, self.effects.words) {
            (true, ..) => "recursive".into(),
            (_, Some(depth), Some(words)) => format!("calls {depth} deep, at most {words} words"),
            _ => "calls recursive functions".into(),
        };
        format!("{bounds}, {}", if self.effects.traps { "may trap" } else { "traps only at limits" })
    }
}

impl BlockRow {
    /// Describes its edges, its dominator and its loop.
    fn title(&self) -> String {
        let list = |word: &str, blocks: &[u32]| {
            let blocks: Vec<String> = blocks.iter().map(|block| format!("b{block}")).collect();
            (!blocks.is_empty()).then(|| format!("{word} {}", blocks.join(" ")))
        };
        let to: Vec<u32> = self.next.into_iter().chain(self.target).collect();
        let place = match (self.reached, self.head) {
            (false, _) => Some("not reached".into()),
            (_, Some(head)) if head == self.block => Some(format!("head of a loop, depth {}", self.depth)),
            (_, Some(head)) => Some(format!("in loop b{head}, depth {}", self.depth)),
            _ => None,
        };
        let dominator = self.dominator.map(|dominator| format!("dominated by b{dominator}"));
        let parts = [list("from", &self.from), list("to", &to), dominator, place];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("b{}: {}", self.block, if parts.is_empty() { "alone".into() } else { parts.join("; ") })
    }
}
