//! Judges goals about the flow of data, and about what the optimizer does to a function.

use super::{Case, GoalStatus, lines, no_function};
use crate::compiler::stage::compile_at;
use crate::compiler::stage::flow::{self, Access, Flow, access};
use crate::host::measure::numbers::plural;
use crate::lang::NONE;
use crate::lang::index::{Index, TokenId};
use crate::lang::level::OptLevel;
use crate::lang::opcode::{Class, class};
use crate::report::facts::{self, FactRow};
use crate::report::steps;

/// The flow of the code that the panels show, and a function of it.
struct FlowFunction {
    flow: Flow,
    routine: usize,
}

impl FlowFunction {
    fn of(case: &Case, name: &str) -> Option<FlowFunction> {
        let compiled = case.given.compiled;
        let head = case.head(name)?;
        let routine = compiled.executable.routines().position(|routine| routine.head() == head)?;
        let mut flow = Flow::default();
        flow::run(&compiled.ir, &compiled.executable.routines, &mut flow, &mut flow::FlowScratch::default());
        Some(FlowFunction { flow, routine })
    }

    /// Its blocks that control reaches.
    fn blocks(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.flow.spans.blocks(self.routine).filter(|block| self.flow.blocks.reached[*block] == 1)
    }
}

pub(super) fn blocks(case: &Case, most: u32, name: &str) -> GoalStatus {
    let Some(function) = FlowFunction::of(case, name) else { return no_function(name) };
    let count = function.blocks().count() as u64;
    GoalStatus::new(count <= u64::from(most), plural(count, "block"))
}

pub(super) fn fact(case: &Case, wanted: &str, name: &str) -> GoalStatus {
    let Some(function) = FlowFunction::of(case, name) else { return no_function(name) };
    let compiled = case.given.compiled;
    let all = facts::rows(compiled, &compiled.ir, &compiled.executable.routines, &function.flow);
    let own = |row: &&FactRow| function.blocks().any(|block| row.block as usize == block);
    let rows: Vec<&FactRow> = all.iter().filter(own).collect();
    let known = |row: &FactRow| -> Vec<String> {
        let live = row.variables.iter().filter(|variable| variable.live);
        live.flat_map(|variable| variable.facts.clone()).chain(row.available.clone()).collect()
    };
    if rows.iter().any(|row| known(row).iter().any(|fact| fact == wanted)) {
        return GoalStatus::new(true, "");
    }
    // The fact about the same variable in the last block.
    let subject = wanted.split(' ').next().unwrap_or(wanted);
    let last = rows.last().map_or(vec![], |row| known(row));
    let similar = last.into_iter().find(|fact| fact.split(' ').next() == Some(subject));
    GoalStatus::missing(match similar {
        Some(fact) => format!("at the end, {fact}"),
        None => format!("nothing is known about {subject} at the end"),
    })
}

pub(super) fn no_dead_store(case: &Case, name: &str) -> GoalStatus {
    let Some(function) = FlowFunction::of(case, name) else { return no_function(name) };
    let dead = function.blocks().flat_map(|block| dead_stores(case, &function.flow, block));
    let dead: Vec<u32> = dead
        .filter_map(|i| TokenId::from_word(case.given.compiled.ir.token[i]))
        .map(|t| case.line(t))
        .collect();
    let text = if dead.is_empty() { String::new() } else { lines(dead.iter().copied()) };
    GoalStatus::new(dead.is_empty(), text)
}

/// Returns the stores of a block whose value no path reads.
fn dead_stores(case: &Case, flow: &Flow, block: usize) -> Vec<usize> {
    let ir = &case.given.compiled.ir;
    let mut live = flow.live.exit[flow.facts(block)].to_vec();
    let mut dead = Vec::new();
    for i in flow.blocks.instructions(block).rev() {
        let variable = flow.accesses.variable[i];
        if variable == NONE {
            continue;
        }
        let (word, bit) = (variable as usize / 32, 1 << (variable % 32));
        match access(ir.op[i]) {
            Access::Reads => live[word] |= bit,
            Access::Stores => {
                if live[word] & bit == 0 && class(ir.op[i]) == Class::Store {
                    dead.push(i);
                }
                live[word] &= !bit;
            }
            Access::Names => {}
        }
    }
    dead
}

pub(super) fn changes(case: &Case, pass: &str, name: &str) -> GoalStatus {
    let program = compile_at(OptLevel::Whole, &case.given.compiled.text);
    let Some(head) = case.head(name) else { return no_function(name) };
    let Some(routine) = program.executable.routines().position(|routine| routine.head() == head) else {
        return no_function(name);
    };
    let all = steps::of(&program, &steps::snapshots(&program), routine);
    if let Some(step) = all.iter().find(|step| step.name == pass) {
        return GoalStatus::new(true, step.did.clone());
    }
    let view = program.view();
    let remarks = steps::remarks(&program);
    let own = remarks.iter().find(|own| own.expansion == pass && view.extent(head).contains(own.token));
    GoalStatus::missing(
        own.map_or(String::from("it does not yet"), |own| format!("line {}: {}", own.span.line, own.text)),
    )
}
