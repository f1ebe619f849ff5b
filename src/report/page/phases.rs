//! The phases of a page: tokens, tree, intermediate code and bytecode, one row for each element.

use std::fmt::Write;

use crate::compiler::program::Compiled;
use crate::lang::index::{Index, TokenId};
use crate::report::html::escaped_line;
use crate::report::listing::{self, Line};

/// The maximum indentation of the tree, in levels.
const DEEPEST: usize = 12;

pub fn sections(page: &mut String, program: &Compiled) {
    tokens(page, program);
    tree(page, program);
    code(page, "ir", "IR, optimized", &listing::ir(program, &program.ir));
    code(page, "bytecode", "Bytecode", &listing::bytecode(program));
}

fn open(page: &mut String, id: &str, title: &str, heads: &[&str]) {
    let _ = write!(
        page,
        "<section id=\"{id}\"><details open><summary><h2>{title}</h2></summary>\n<table class=\"rows\"><tr>"
    );
    for head in heads {
        let _ = write!(page, "<th>{head}</th>");
    }
    page.push_str("</tr>\n");
}

fn close(page: &mut String) {
    page.push_str("</table></details></section>\n");
}

/// Writes a row that belongs to a token.
fn row(page: &mut String, token: Option<TokenId>, cells: &[&str]) {
    let token = token.map_or(String::new(), |token| format!(" data-t=\"{}\"", token.number()));
    let _ = write!(page, "<tr{token}>");
    for cell in cells {
        let _ = write!(page, "<td><code>{}</code></td>", escaped_line(cell));
    }
    page.push_str("</tr>\n");
}

fn tokens(page: &mut String, program: &Compiled) {
    open(page, "tokens", "Tokens", &["token", "kind", "line"]);
    let view = program.view();
    for t in view.all() {
        row(page, Some(t), &[view.text(t), view.kind(t).ident(), &view.line(t).to_string()]);
    }
    close(page);
}

fn tree(page: &mut String, program: &Compiled) {
    open(page, "ast", "AST", &["node", "type"]);
    let (view, children) = (program.view(), program.view().children());
    let in_order = |mut nodes: Vec<TokenId>| {
        nodes.sort_by_key(|t| (view.extent(*t).start(), *t));
        nodes.into_iter().rev()
    };
    let is_root = |t: &TokenId| view.parent(*t).is_none_or(|parent| !view.has(parent) || parent == *t);
    let mut stack: Vec<(TokenId, usize)> =
        in_order(view.nodes().filter(is_root).collect()).map(|t| (t, 0)).collect();
    let mut left = view.len();
    // Ends even if the parent links do not form a tree.
    while let Some((t, depth)) = stack.pop().filter(|_| left > 0) {
        left -= 1;
        let has_type = view.role(t).is_expression() || view.role(t).declares();
        let ty = if has_type { view.ty(t).to_string() } else { String::new() };
        let name = format!("{}{} {}", "  ".repeat(depth.min(DEEPEST)), view.role(t).ident(), view.text(t));
        row(page, Some(t), &[&name, &ty]);
        let below = children.of(t).filter(|child| *child != t).collect();
        stack.extend(in_order(below).map(|child| (child, depth + 1)));
    }
    close(page);
}

fn code(page: &mut String, id: &str, title: &str, lines: &[Line]) {
    open(page, id, title, &["instruction", "at"]);
    for line in lines {
        if let Some(heading) = &line.heading {
            let _ = writeln!(page, "<tr><th colspan=\"2\"><code>{}</code></th></tr>", escaped_line(heading));
        }
        row(page, line.token, &[format!("{} {}", line.op, line.operands).trim_end(), &line.at.to_string()]);
    }
    close(page);
}
