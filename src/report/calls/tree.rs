//! The call graph as an indented tree.

use super::CallRow;
use crate::lang::index::TokenId;
use crate::report::table::{Table, words};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeRow {
    pub depth: usize,
    /// The index of the routine among the rows of the graph.
    pub row: usize,
    /// The number of calls in the caller; 0 at the top.
    pub sites: usize,
    /// The first of these calls, or the item itself.
    pub token: TokenId,
    pub mark: TreeMark,
}

/// Why the calls of a routine are not below its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeMark {
    None,
    /// It is the caller, or one of its callers: a recursive call.
    Recursive,
    /// They are below an earlier line.
    Above,
}

/// Returns the tree: functions that no other function calls come first, each with its callees below it, then tests and
/// properties. The callees of a routine are listed once.
pub fn tree(rows: &[CallRow]) -> Vec<TreeRow> {
    let mut called = vec![false; rows.len()];
    for (caller, row) in rows.iter().enumerate().filter(|(_, row)| row.is_function) {
        row.calls.iter().filter(|callee| callee.row != caller).for_each(|callee| called[callee.row] = true);
    }
    let functions = |is_called: bool| {
        let called = &called;
        (0..rows.len()).filter(move |row| rows[*row].is_function && called[*row] == is_called)
    };
    let entries = (0..rows.len()).filter(|row| !rows[*row].is_function);
    let mut found = Tree { rows, lines: Vec::new(), listed: vec![false; rows.len()] };
    // Functions of a cycle that nothing else calls follow the others.
    for root in functions(false).chain(functions(true)) {
        if !found.listed[root] {
            found.add(root);
        }
    }
    entries.for_each(|entry| found.add(entry));
    found.lines
}

struct Tree<'a> {
    rows: &'a [CallRow],
    lines: Vec<TreeRow>,
    /// Whether the callees of a routine are listed.
    listed: Vec<bool>,
}

impl Tree<'_> {
    /// Adds a routine, and everything below it.
    fn add(&mut self, root: usize) {
        self.lines.push(TreeRow {
            depth: 0,
            row: root,
            sites: 0,
            token: self.rows[root].token,
            mark: TreeMark::None,
        });
        self.listed[root] = true;
        // The path to the current routine, with the number of its callees that are listed.
        let mut path = vec![(root, 0)];
        while let Some((row, next)) = path.last_mut() {
            let Some(callee) = self.rows[*row].calls.get(*next) else {
                path.pop();
                continue;
            };
            *next += 1;
            let is_open = path.iter().any(|(open, _)| *open == callee.row);
            let is_new = !self.listed[callee.row];
            let mark = match (is_open, is_new || self.rows[callee.row].calls.is_empty()) {
                (true, _) => TreeMark::Recursive,
                (false, true) => TreeMark::None,
                (false, false) => TreeMark::Above,
            };
            let token = callee.sites.first().map_or(self.rows[callee.row].token, |site| site.token);
            let (depth, sites) = (path.len(), callee.sites.len());
            self.lines.push(TreeRow { depth, row: callee.row, sites, token, mark });
            if is_new {
                self.listed[callee.row] = true;
                path.push((callee.row, 0));
            }
        }
    }
}

impl TreeRow {
    /// Returns the routine, indented: `  fn gcd ×2`.
    pub fn name(&self, rows: &[CallRow]) -> String {
        let times = if self.sites > 1 { format!(" ×{}", self.sites) } else { String::new() };
        format!("{}{}{times}", "  ".repeat(self.depth), rows[self.row].routine)
    }

    /// Returns what follows the routine: its effects, or where it is listed.
    pub fn note(&self, rows: &[CallRow]) -> String {
        match self.mark {
            TreeMark::None => rows[self.row].effects(),
            TreeMark::Recursive => "↺ recursive call".to_string(),
            TreeMark::Above => "↑ listed above".to_string(),
        }
    }
}

/// Formats the tree as text.
pub fn page(rows: &[CallRow]) -> String {
    let mut table = Table::new([words(""), words("")]);
    for line in tree(rows) {
        table.row(&[&line.name(rows), &line.note(rows)]);
    }
    table.text("")
}
