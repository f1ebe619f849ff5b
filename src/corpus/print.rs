//! Prints trees as text, with the brackets that the tree holds and no others than needed.

use std::fmt::Write;

use super::tree::{Block, Expr, Function, Iterable, Program, Stmt, Ty, TypeNode};
use crate::lang::token::{COMPARISON_STRENGTH, POSTFIX_STRENGTH, PREFIX_STRENGTH, TokenKind};

/// Returns the source of a program: constants, then functions, in their order.
pub fn program(program: &Program) -> String {
    let mut out = Printer { text: String::with_capacity(512), indent: 0 };
    for (name, value) in &program.constants {
        let _ = write!(out.text, "const {name} = ");
        out.expr(value, 0);
        out.text.push_str(";\n");
    }
    for function in &program.functions {
        out.function(function);
    }
    out.text
}

struct Printer {
    text: String,
    indent: usize,
}

fn spelling(kind: TokenKind) -> &'static str {
    kind.spelling().unwrap_or("")
}

/// Returns the binding strength of the root of an expression.
fn strength(e: &Expr) -> u32 {
    match e {
        Expr::Binary(op, ..) => op.infix_strength(),
        Expr::Unary(..) => PREFIX_STRENGTH,
        Expr::Int(n) if *n < 0 => PREFIX_STRENGTH,
        _ => POSTFIX_STRENGTH,
    }
}

impl Printer {
    fn function(&mut self, function: &Function) {
        let _ = write!(self.text, "fn {}(", function.name);
        for (i, (name, ty)) in function.params.iter().enumerate() {
            let _ = write!(self.text, "{}{name}: ", if i > 0 { ", " } else { "" });
            self.ty(ty);
        }
        self.text.push_str(") -> ");
        self.ty(&function.result);
        self.text.push(' ');
        self.block(&function.body);
        self.text.push('\n');
    }

    fn ty(&mut self, node: &TypeNode) {
        let element = if node.ty.element() == Ty::Bool { "bool" } else { "int" };
        if !node.ty.is_list() {
            self.text.push_str(element);
            return;
        }
        let _ = write!(self.text, "[{element}");
        if let Some(capacity) = &node.capacity {
            self.text.push_str("; ");
            self.expr(capacity, 0);
        }
        self.text.push(']');
    }

    fn line(&mut self) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n("    ", self.indent));
    }

    fn block(&mut self, block: &Block) {
        self.text.push('{');
        self.indent += 1;
        for statement in block {
            self.line();
            self.statement(statement);
        }
        self.indent -= 1;
        if !block.is_empty() {
            self.line();
        }
        self.text.push('}');
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Let(name, ty, value) => {
                let _ = write!(self.text, "let {name}");
                if let Some(ty) = ty {
                    self.text.push_str(": ");
                    self.ty(ty);
                }
                self.text.push_str(" = ");
                self.ended(value);
            }
            Stmt::Assign(target, op, value) => {
                self.expr(target, POSTFIX_STRENGTH);
                let _ = write!(self.text, " {}= ", op.map_or("", spelling));
                self.ended(value);
            }
            Stmt::If(arms, otherwise) => {
                for (i, (condition, block)) in arms.iter().enumerate() {
                    self.text.push_str(if i == 0 { "if " } else { " else if " });
                    self.expr(condition, 0);
                    self.text.push(' ');
                    self.block(block);
                }
                if let Some(block) = otherwise {
                    self.text.push_str(" else ");
                    self.block(block);
                }
            }
            Stmt::While(condition, body) => {
                self.text.push_str("while ");
                self.expr(condition, 0);
                self.text.push(' ');
                self.block(body);
            }
            Stmt::For(name, over, body) => {
                let _ = write!(self.text, "for {name} in ");
                match over {
                    Iterable::List(list) => self.expr(list, 0),
                    Iterable::Below(lo, hi) => self.range(lo, "..", hi),
                    Iterable::UpTo(lo, hi) => self.range(lo, "..=", hi),
                }
                self.text.push(' ');
                self.block(body);
            }
            Stmt::Break => self.text.push_str("break;"),
            Stmt::Continue => self.text.push_str("continue;"),
            Stmt::Return(value) => {
                self.text.push_str("return ");
                self.ended(value);
            }
            Stmt::Block(block) => self.block(block),
        }
    }

    fn ended(&mut self, value: &Expr) {
        self.expr(value, 0);
        self.text.push(';');
    }

    fn range(&mut self, lo: &Expr, between: &str, hi: &Expr) {
        self.expr(lo, 0);
        self.text.push_str(between);
        self.expr(hi, 0);
    }

    fn list(&mut self, list: &[Expr]) {
        for (i, e) in list.iter().enumerate() {
            if i > 0 {
                self.text.push_str(", ");
            }
            self.expr(e, 0);
        }
    }

    /// Prints an expression, in parentheses if it binds looser than `least`.
    fn expr(&mut self, e: &Expr, least: u32) {
        let own = strength(e);
        if own < least {
            self.text.push('(');
            self.expr(e, 0);
            self.text.push(')');
            return;
        }
        match e {
            Expr::Int(n) => {
                let _ = write!(self.text, "{n}");
            }
            Expr::Bool(b) => {
                let _ = write!(self.text, "{b}");
            }
            Expr::Str(codes) => {
                self.text.push('"');
                for code in codes {
                    match code {
                        b'\n' => self.text.push_str("\\n"),
                        b'\t' => self.text.push_str("\\t"),
                        0 => self.text.push_str("\\0"),
                        b'"' | b'\\' => self.text.extend(['\\', char::from(*code)]),
                        _ => self.text.push(char::from(*code)),
                    }
                }
                self.text.push('"');
            }
            Expr::Var(name) => self.text.push_str(name),
            Expr::Call(name, arguments) => {
                let _ = write!(self.text, "{name}(");
                self.list(arguments);
                self.text.push(')');
            }
            Expr::Group(inside) => {
                self.text.push('(');
                self.expr(inside, 0);
                self.text.push(')');
            }
            Expr::Index(list, at) => {
                self.expr(list, POSTFIX_STRENGTH);
                self.text.push('[');
                self.expr(at, 0);
                self.text.push(']');
            }
            Expr::Slice(list, lo, hi) => {
                self.expr(list, POSTFIX_STRENGTH);
                self.text.push('[');
                self.range(lo, "..", hi);
                self.text.push(']');
            }
            Expr::List(list) => {
                self.text.push('[');
                self.list(list);
                self.text.push(']');
            }
            Expr::Repeat(element, count) => {
                self.text.push('[');
                self.expr(element, 0);
                self.text.push_str("; ");
                self.expr(count, 0);
                self.text.push(']');
            }
            Expr::Unary(op, operand) => {
                self.text.push_str(spelling(*op));
                self.expr(operand, PREFIX_STRENGTH);
            }
            Expr::Binary(op, left, right) => {
                // Comparisons do not chain, so an operand that is a comparison needs parentheses.
                self.expr(left, own + u32::from(own == COMPARISON_STRENGTH));
                let _ = write!(self.text, " {} ", spelling(*op));
                self.expr(right, own + 1);
            }
        }
    }
}
