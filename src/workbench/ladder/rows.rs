//! The phases of a line as rows, for narrow panels.

use similar::ChangeTag;

use super::{LadderRow, LineFindings, changed, flow, instructions, tokens_of};
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::{EntryId, Index, TokenId};
use crate::lang::ty::Type;
use crate::report::listing::Line;
use crate::session::PassProfile;
use crate::workbench::listing::Widths;
use crate::workbench::results::Shown;
use crate::workbench::text::visible;
use crate::workbench::theme::Look;

/// Builds all rows of a line of the source, counted from 1; `token` is the one under the cursor.
pub fn rows(shown: &Shown, line: usize, token: Option<TokenId>, findings: LineFindings) -> Vec<LadderRow> {
    let mut ladder = Rows { shown, token, own: tokens_of(shown, line), rows: Vec::new() };
    ladder.source(line);
    ladder.tokens();
    ladder.tree();
    if shown.is_good() {
        ladder.code(shown);
    }
    if let Some(graph) = findings.graph.filter(|_| shown.is_good()) {
        let flow = flow::of_line(shown, &ladder.own, graph);
        ladder.heading("flow", format!(" · {}", plural(flow.blocks as u64, "block")));
        for LadderRow { token, parts } in flow.cells {
            ladder.say(token, std::iter::once((Look::Text, "  ".to_string())).chain(parts).collect());
        }
    }
    if let Some(climbed) = findings.climbed {
        ladder.steps(climbed);
    }
    ladder.rows
}

struct Rows<'a> {
    shown: &'a Shown,
    /// The token under the cursor.
    token: Option<TokenId>,
    /// The line's tokens.
    own: Vec<TokenId>,
    rows: Vec<LadderRow>,
}

impl Rows<'_> {
    fn say(&mut self, token: Option<TokenId>, parts: Vec<(Look, String)>) {
        let parts = parts.into_iter().map(|(look, text)| (look, visible(&text))).collect();
        self.rows.push(LadderRow { token, parts });
    }

    fn heading(&mut self, title: &str, more: String) {
        self.say(None, vec![(Look::Heading, title.to_string()), (Look::Dim, more)]);
    }

    fn source(&mut self, line: usize) {
        let text = self.shown.compiled.text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
        self.heading("source", format!(" · line {}", grouped(line as u64)));
        self.say(self.own.first().copied(), vec![(Look::Text, format!("  {text}"))]);
    }

    /// Adds the tokens with their kinds, four in a row.
    fn tokens(&mut self) {
        let view = self.shown.compiled.view();
        self.heading("tokens", format!(" · {}", plural(self.own.len() as u64, "token")));
        for some in self.own.clone().chunks(4) {
            let mut parts = vec![(Look::Text, "  ".to_string())];
            for t in some {
                let look = if Some(*t) == self.token { Look::Good } else { Look::Text };
                parts.push((look, view.text(*t).to_string()));
                parts.push((Look::Dim, format!(" {}   ", view.kind(*t).ident())));
            }
            let own = self.token.filter(|token| some.contains(token));
            self.say(own.or(some.first().copied()), parts);
        }
    }

    fn tree(&mut self) {
        let shown = self.shown;
        let view = shown.compiled.view();
        let nodes: Vec<_> = shown.nodes.iter().filter(|(t, _)| self.own.contains(t)).copied().collect();
        self.heading("tree", format!(" · {}", plural(nodes.len() as u64, "node")));
        let least = nodes.iter().map(|(_, depth)| *depth).min().unwrap_or(0);
        for (t, depth) in nodes {
            let guides = "│ ".repeat(usize::from((depth - least).min(16)));
            let mut parts =
                vec![(Look::Rule, format!("  {guides}")), (Look::Text, view.role(t).ident().to_string())];
            parts.push((
                if Some(t) == self.token { Look::Good } else { Look::Str },
                format!(" {}", view.text(t)),
            ));
            if view.ty(t) != Type::UNKNOWN {
                parts.push((Look::Type, format!("  {}", view.ty(t))));
            }
            self.say(Some(t), parts);
        }
    }

    fn instruction(&mut self, sign: &str, look: Look, line: &Line, widths: Widths) {
        let Widths { op, operands, .. } = widths;
        let text = format!("{sign} {:>4} {:<op$} {:<operands$} ", line.at, line.op, line.operands);
        let view = self.shown.compiled.view();
        let source = line.token.map_or("", |token| view.text(token)).to_string();
        let here = if line.token == self.token { Look::Good } else { Look::Comment };
        self.say(line.token, vec![(look, text), (here, source)]);
    }

    /// Adds the IR as lowered, the changes of each pass, and the bytecode.
    fn code(&mut self, shown: &Shown) {
        let mut before = instructions(shown.lowered_rows(), &self.own);
        self.heading("IR as lowered", format!(" · {}", plural(before.len() as u64, "instruction")));
        let code = instructions(shown.code_rows(), &self.own);
        let mut all = [&before[..], &code[..]].concat();
        all.extend(shown.passes().iter().flat_map(|pass| instructions(&pass.rows, &self.own)));
        let widths = Widths::of(all).ample();
        for line in &before {
            self.instruction(" ", Look::Text, line, widths);
        }
        let mut idle: Vec<&str> = Vec::new();
        for pass in shown.passes() {
            let after = instructions(&pass.rows, &self.own);
            match changed(&before, &after) {
                None => idle.push(&pass.name),
                Some(diff) => {
                    self.heading(&format!("after {}", pass.name), String::new());
                    for (tag, line) in diff {
                        match tag {
                            ChangeTag::Delete => self.instruction("-", Look::Removed, line, widths),
                            ChangeTag::Insert => self.instruction("+", Look::Added, line, widths),
                            ChangeTag::Equal => {}
                        }
                    }
                }
            }
            before = after;
        }
        if !idle.is_empty() {
            self.say(None, vec![(Look::Dim, format!("no change here by {}", idle.join(", ")))]);
        }
        self.heading("bytecode", format!(" · {}", plural(code.len() as u64, "instruction")));
        for line in code {
            self.instruction(" ", Look::Text, line, widths);
        }
    }

    /// Adds the steps that the tests take with the code of each pass.
    fn steps(&mut self, climbed: &PassProfile) {
        let Some(last) = climbed.rungs.last() else { return };
        self.heading("tests, in steps", " · after each pass".to_string());
        for (at, rung) in climbed.rungs.iter().enumerate() {
            let total: u64 = rung.steps.iter().sum();
            let name = if rung.name == "lower" { "as lowered" } else { &rung.name };
            let (look, agreed) = match rung.different.first() {
                Some(test) => (Look::Bad, format!("test {} ends differently", test + 1)),
                None if at == 0 => (Look::Dim, String::new()),
                None => (Look::Dim, "all end as before".to_string()),
            };
            let text = format!(
                "  {name:<16} {:>14}  {:>16}  ",
                plural(total, "step"),
                plural(rung.instructions as u64, "instruction")
            );
            self.say(None, vec![(Look::Text, text), (look, agreed)]);
        }
        for (id, label) in EntryId::all().zip(&self.shown.labels.clone()) {
            let counts: Vec<String> = climbed
                .rungs
                .iter()
                .filter_map(|rung| rung.steps.get(id.position()))
                .map(|n| grouped(*n))
                .collect();
            if last.steps.len() > id.position() {
                let head = self.shown.compiled.entry(id).map(|entry| entry.head());
                let counts = (Look::Number, format!("  {}", counts.join(" → ")));
                self.say(head, vec![(Look::Text, format!("  {label}")), counts]);
            }
        }
    }
}
