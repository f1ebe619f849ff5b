//! The control-flow graph in the language of Graphviz.

use std::fmt::Write;

use super::{BlockRow, RoutineRow, instruction, names, rows};
use crate::compiler::program::{Compiled, Ir};
use crate::compiler::stage::flow::Flow;
use crate::report::listing::{self, Line};

/// Writes a graph with a cluster for each routine. A dashed edge leads back to the head of its loop.
pub fn dot(name: &str, program: &Compiled, ir: &Ir, flow: &Flow) -> String {
    let lines = listing::ir(program, ir);
    let mut graph = format!("digraph \"{}\" {{\n  node [shape=box, fontname=monospace];\n", escaped(name));
    for (number, row) in rows(program, ir, flow).iter().enumerate() {
        let _ = write!(graph, "  subgraph cluster_{number} {{\n    label=\"{}\";\n", escaped(&row.routine));
        for block in &row.blocks {
            let _ = writeln!(graph, "    b{} [label=\"{}\"];", block.block, label(block, &lines));
        }
        let _ = writeln!(graph, "  }}");
        edges(&mut graph, row, flow);
    }
    graph + "}\n"
}

fn label(block: &BlockRow, lines: &[Line]) -> String {
    let own = &lines[block.first as usize..block.end as usize];
    let head = format!("b{}, live in: {}", block.block, names(&block.live_in));
    let text = std::iter::once(head).chain(own.iter().map(instruction));
    text.map(|line| escaped(&line) + "\\l").collect()
}

fn edges(graph: &mut String, row: &RoutineRow, flow: &Flow) {
    for block in &row.blocks {
        for (to, label) in [(block.next, ""), (block.target, "jump")] {
            let Some(to) = to else { continue };
            let back = block.reached && flow.blocks.dominates(to as usize, block.block as usize);
            let style = if back { ", style=dashed" } else { "" };
            let _ = writeln!(graph, "  b{} -> b{to} [label=\"{label}\"{style}];", block.block);
        }
    }
}

/// Escapes text for a quoted string.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
