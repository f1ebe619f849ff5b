//! Facts about variables and values where basic blocks begin (`myriad stages --stage facts`).

use serde::Serialize;
use std::fmt::Write;

use super::expression::{self, variable};
use super::listing::Names;
use crate::compiler::program::{Compiled, Ir, Routines};
use crate::compiler::stage::flow::ranges::Range;
use crate::compiler::stage::flow::{Flow, ranges};
use crate::lang::index::{Index, Slot, TokenId};
use crate::lang::ty::{KIND_BOOL, Type};

#[derive(Debug, Serialize)]
pub struct FactRow {
    /// The routine that begins here, as in the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    pub block: u32,
    /// Its first instruction, and one past its last.
    pub first: u32,
    pub end: u32,
    /// Whether control may arrive.
    pub reached: bool,
    pub variables: Vec<VariableRow>,
    /// The expressions whose values are known, in order of their first computation.
    pub available: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct VariableRow {
    pub name: String,
    pub slot: u32,
    /// Whether its value may be read later.
    pub live: bool,
    /// A variable with the same value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equals: Option<String>,
    /// Its values; the lengths of a list.
    pub lo: i32,
    pub hi: i32,
    /// The bits that are 0 and 1 in all of them.
    pub zeros: u32,
    pub ones: u32,
    /// The facts in words, without those that its type implies.
    pub facts: Vec<String>,
}

/// Returns the facts of each block of the program's code at some point between lower and emit.
pub fn rows(program: &Compiled, ir: &Ir, routines: &Routines, flow: &Flow) -> Vec<FactRow> {
    if ir.op.is_empty() {
        return Vec::new();
    }
    let mut names = Names::new(program);
    let mut rows = Vec::new();
    for routine in 0..routines.ir.len() {
        let mut item = names.enter(TokenId::from_word(routines.token[routine]));
        let writer = FactWriter { program, ir, flow, names: &names, routine };
        rows.extend(flow.spans.blocks(routine).map(|block| writer.row(block, item.take())));
    }
    rows
}

struct FactWriter<'a> {
    program: &'a Compiled,
    ir: &'a Ir,
    flow: &'a Flow,
    names: &'a Names<'a>,
    routine: usize,
}

impl FactWriter<'_> {
    fn row(&self, block: usize, item: Option<String>) -> FactRow {
        let arrivals = &self.flow.arrivals;
        let reached = arrivals.constants[block] & arrivals.ranges[block] == 1;
        let code = self.flow.blocks.instructions(block);
        let variables = 0..self.flow.spans.variables(self.routine).len();
        FactRow {
            item,
            block: block as u32,
            first: code.start as u32,
            end: code.end as u32,
            reached,
            variables: variables.filter(|_| reached).map(|variable| self.variable(block, variable)).collect(),
            available: if reached { self.available(block) } else { Vec::new() },
        }
    }

    fn slot(&self, variable: usize) -> Slot {
        Slot::new(self.flow.variables.slot[self.flow.spans.variables(self.routine).start + variable])
    }

    fn name(&self, of: usize) -> String {
        variable(self.program, self.names, self.slot(of))
    }

    fn number(&self, block: usize) -> usize {
        block - self.flow.spans.block[self.routine] as usize
    }

    fn variable(&self, block: usize, variable: usize) -> VariableRow {
        let count = self.flow.spans.variables(self.routine).len();
        let row = self.flow.cells.first[self.routine] as usize + self.number(block) * count + variable;
        let (constants, mut range) = (&self.flow.constants, self.flow.ranges.at(row));
        if constants.known[row] == 1 {
            range = Range::of(constants.value[row] as i32);
        }
        let set = self.flow.blocks.facts[block] as usize + variable / 32;
        let (slot, name) = (self.slot(variable), self.name(variable));
        let equal = constants.same[row] as usize;
        let equals = (equal != variable).then(|| self.name(equal));
        let ty = self.names.declaration(slot).map_or(Type::INT, |token| self.program.view().ty(token));
        let mut facts: Vec<String> = equals.iter().map(|other| format!("{name} = {other}")).collect();
        facts.extend(in_words(&name, ty, range));
        VariableRow {
            live: self.flow.live.entry[set] >> (variable % 32) & 1 == 1,
            name,
            slot: slot.number(),
            equals,
            lo: range.lo,
            hi: range.hi,
            zeros: range.zeros,
            ones: range.ones,
            facts,
        }
    }

    fn available(&self, block: usize) -> Vec<String> {
        let spans = &self.flow.value_spans;
        let count = spans.values[self.routine] as usize;
        let row = spans.words[self.routine] as usize + self.number(block) * count.div_ceil(32);
        let is_available = |value: &usize| self.flow.available.bits[row + value / 32] >> (value % 32) & 1 == 1;
        let text = |value: usize| {
            let at = spans.value[self.routine] as usize + value;
            let code = self.flow.values.begin[at] as usize..self.flow.values.end[at] as usize;
            expression::text(self.program, self.ir, code, self.names)
        };
        (0..count).filter(is_available).map(text).collect()
    }
}

/// Describes a variable's values, except for facts that its type implies.
fn in_words(name: &str, ty: Type, range: Range) -> Vec<String> {
    let subject = if ty.is_list() { format!("len({name})") } else { name.to_string() };
    let is_bool = ty.kind() == KIND_BOOL;
    if let Some(value) = range.value() {
        let value = if is_bool { (value != 0).to_string() } else { value.to_string() };
        return vec![format!("{subject} = {value}")];
    }
    let implied = match ty {
        _ if is_bool => Range::BOOL,
        _ if ty.is_list() => Range::between(0, ty.capacity() as i32),
        _ => Range::ANY,
    };
    let bounds = match (range.lo > implied.lo, range.hi < implied.hi) {
        (true, true) => Some(format!("{subject} in {}..={}", range.lo, range.hi)),
        (true, false) if ty.is_list() => Some(format!("{subject} in {}..={}", range.lo, range.hi)),
        (false, true) if ty.is_list() => Some(format!("{subject} in {}..={}", range.lo, range.hi)),
        (true, false) => Some(format!("{subject} >= {}", range.lo)),
        (false, true) => Some(format!("{subject} <= {}", range.hi)),
        (false, false) => None,
    };
    let new = range.known() & !implied.known() & !Range::between(range.lo, range.hi).known();
    bounds.into_iter().chain(bits(&subject, range, new)).collect()
}

/// Describes the known bits in the mask `new`.
fn bits(subject: &str, range: Range, new: u32) -> Option<String> {
    let lower = ranges::trailing(range.known());
    match (new, range.ones & lower) {
        (0, _) => None,
        _ if new & !lower != 0 => {
            let mask = range.known();
            Some(format!("{subject} & {:#x} = {:#x}", mask, range.ones))
        }
        (_, 0) if lower == 1 => Some(format!("{subject} is even")),
        (_, 1) if lower == 1 => Some(format!("{subject} is odd")),
        (_, 0) => Some(format!("{subject} is a multiple of {}", u64::from(lower) + 1)),
        (_, ones) => Some(format!("{subject} & {lower} = {ones}")),
    }
}

/// Formats the rows as text: the facts about live variables.
pub fn page(rows: &[FactRow]) -> String {
    let mut page = String::new();
    for row in rows {
        if let Some(item) = &row.item {
            let gap = if page.is_empty() { "" } else { "\n" };
            let _ = writeln!(page, "{gap}{item}");
        }
        let live = row.variables.iter().filter(|variable| variable.live);
        let mut lines: Vec<String> = live.flat_map(|variable| variable.facts.iter().cloned()).collect();
        if !row.available.is_empty() {
            lines.push(format!("available: {}", row.available.join(", ")));
        }
        if !row.reached {
            lines.push("never reached".into());
        }
        let head = format!("b{:<4} {:>5}..{:<5}", row.block, row.first, row.end);
        let first = lines.first().map_or("", String::as_str);
        let _ = writeln!(page, "{}", format!("  {head} {first}").trim_end());
        for line in lines.iter().skip(1) {
            let _ = writeln!(page, "  {:width$} {line}", "", width = head.len());
        }
    }
    page
}
