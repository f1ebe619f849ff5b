//! The call graph in the language of Graphviz.

use std::fmt::Write;

use super::CallRow;
use crate::report::cfg::escaped;

/// Writes the graph: functions are boxes, tests and properties ellipses. A dashed edge is a recursive call; a label counts
/// the calls of an edge.
pub fn dot(name: &str, rows: &[CallRow]) -> String {
    let mut graph = format!("digraph \"{}\" {{\n  node [fontname=monospace];\n", escaped(name));
    for (number, row) in rows.iter().enumerate() {
        let shape = if row.is_function { "box" } else { "ellipse" };
        let label = format!("{}\\n{}", escaped(&row.routine), row.effects());
        let _ = writeln!(graph, "  r{number} [shape={shape}, label=\"{label}\"];");
    }
    for (number, row) in rows.iter().enumerate() {
        for callee in &row.calls {
            let label =
                if callee.sites.len() > 1 { format!("{}×", callee.sites.len()) } else { String::new() };
            let style = if callee.recursive { ", style=dashed" } else { "" };
            let _ = writeln!(graph, "  r{number} -> r{} [label=\"{label}\"{style}];", callee.row);
        }
    }
    graph + "}\n"
}
