//! Generation of C for expressions.
//!
//! C does not specify the order in which operands are evaluated. So an expression is written as one C
//! expression only if nothing in it can trap. Otherwise it is evaluated into temporaries, statement by
//! statement, in the language's order.

use std::sync::LazyLock;

use super::RUNTIME;
use super::writer::{Temp, Writer, WriterOperand, WriterWork};
use crate::compiler::stage::lower::string_codes;
use crate::lang::index::TokenId;
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;

/// For each operation, the runtime function that computes it, or `None` if a C operator does.
static FUNCTIONS: LazyLock<Vec<Option<String>>> = LazyLock::new(|| {
    let name = |op: &Op| format!("m_{}", op.ident().to_lowercase());
    let of = |op| Some(name(op)).filter(|name| RUNTIME.contains(&format!(" {name}(")));
    Op::ALL.iter().map(of).collect()
});

fn runtime(op: Option<Op>) -> Option<&'static str> {
    FUNCTIONS[op? as usize].as_deref()
}

/// Writes an int in C, which has no literal for the least int.
pub fn int(value: u32) -> String {
    match value as i32 {
        i32::MIN => "(-2147483647 - 1)".into(),
        value if value < 0 => format!("({value})"),
        value => value.to_string(),
    }
}

/// Writes an infix operator applied to two operands.
pub fn infix(operator: TokenKind, a: &str, b: &str) -> String {
    match runtime(Op::from_infix(operator)) {
        Some(function) => format!("{function}({a}, {b})"),
        None => format!("({a} {} {b})", operator.spelling().unwrap_or("?")),
    }
}

impl Writer<'_> {
    /// Begins an expression. A leaf becomes an operand at once; for other nodes, the operands are scheduled
    /// first.
    pub fn begin_expression(&mut self, t: TokenId) {
        match self.nodes.role(t) {
            Role::Int => self.push(int(self.nodes.value(t))),
            Role::Bool => self.push(u32::from(self.nodes.kind(t) == TokenKind::True).to_string()),
            Role::Str => {
                let codes: Vec<_> = string_codes(self.nodes.text(t).as_bytes()).map(int).collect();
                self.list_of(&codes, vec![]);
            }
            Role::Var => {
                let Some(declaration) = self.nodes.declaration(t) else { return };
                match self.nodes.role(declaration) {
                    Role::ConstName => self.push(int(self.nodes.constant(declaration))),
                    _ => self.push(self.variable(declaration)),
                }
            }
            Role::Group => self.visit_child(t, 0),
            Role::Call if self.nodes.kind(t) == TokenKind::IntType => self.visit_child(t, 0),
            Role::Binary if self.is_logical(t) && self.right_needs_statements(t) => {
                self.work.push(WriterWork::BetweenSides(t));
                self.visit_child(t, 0);
            }
            Role::Repeat => {
                self.work.push(WriterWork::Finish(t));
                self.visit_child(t, 0);
            }
            _ => {
                self.work.push(WriterWork::Finish(t));
                let children: Vec<TokenId> = self.nodes.children(t).collect();
                self.work.extend(children.into_iter().rev().map(WriterWork::Visit));
            }
        }
    }

    fn is_logical(&self, t: TokenId) -> bool {
        self.nodes.kind(t).is_logical()
    }

    fn right_needs_statements(&self, t: TokenId) -> bool {
        self.nodes.child(t, 1).is_some_and(|right| self.nodes.needs_statements(right))
    }

    /// Writes `a && b` or `a || b` where b needs statements: these go into an `if`.
    pub fn between_sides(&mut self, t: TokenId) {
        let left = self.pop();
        let both = self.take(Temp::Int, vec![left.clone()]);
        let stop = if self.nodes.kind(t) == TokenKind::BarBar { "!" } else { "" };
        self.line(&format!("{} = {};", both.text, left.text));
        self.line(&format!("if ({stop}{}) {{", both.text));
        self.indent += 1;
        self.operands.push(both);
        self.work.push(WriterWork::Finish(t));
        self.visit_child(t, 1);
    }

    /// Combines the operands of an expression into one operand.
    pub fn finish_expression(&mut self, t: TokenId) {
        let count = match self.nodes.role(t) {
            Role::Repeat => 1,
            _ => self.nodes.children(t).count(),
        };
        let operands = self.pop_many(count);
        let text = |i: usize| operands.get(i).map_or("", |operand| operand.text.as_str());
        match self.nodes.role(t) {
            Role::Unary => {
                let kind = self.nodes.kind(t);
                let value = match runtime(Op::from_prefix(kind)) {
                    Some(function) => format!("{function}({})", text(0)),
                    None => format!("({}{})", kind.spelling().unwrap_or("?"), text(0)),
                };
                self.value(t, value, operands);
            }
            Role::Binary if self.is_logical(t) && self.right_needs_statements(t) => {
                self.line(&format!("{} = {};", text(0), text(1)));
                self.indent -= 1;
                self.line("}");
                let text = text(0).to_string();
                self.keep(text, operands.into_iter().take(1).collect());
            }
            Role::Binary if self.nodes.ty(t).is_list() => {
                let (a, b) = (text(0).to_string(), text(1).to_string());
                self.list(operands, |to| format!("m_join(&{to}, &{a}, &{b});"));
            }
            Role::Binary => {
                let lists = self.nodes.child(t, 0).is_some_and(|left| self.nodes.ty(left).is_list());
                let value = match (lists, self.nodes.kind(t)) {
                    (false, kind) => infix(kind, text(0), text(1)),
                    (true, TokenKind::BangEqual) => format!("(!m_same(&{}, &{}))", text(0), text(1)),
                    (true, _) => format!("m_same(&{}, &{})", text(0), text(1)),
                };
                self.value(t, value, operands);
            }
            Role::Call => self.call(t, operands),
            Role::Index => {
                let value = format!("m_at(&{}, {})", text(0), text(1));
                self.value(t, value, operands);
            }
            Role::Slice => {
                let [list, a, b] = [0, 1, 2].map(|i| text(i).to_string());
                self.list(operands, |to| format!("m_slice(&{to}, &{list}, {a}, {b});"));
            }
            Role::List => {
                let elements: Vec<String> = operands.iter().map(|operand| operand.text.clone()).collect();
                self.list_of(&elements, operands);
            }
            Role::Repeat => {
                let count = self.nodes.child(t, 1).map_or(0, |root| self.nodes.constant(root));
                let element = text(0).to_string();
                self.list(operands, |to| format!("m_repeat(&{to}, {count}, {element});"));
            }
            _ => self.keep(String::new(), operands),
        }
    }

    fn call(&mut self, t: TokenId, operands: Vec<WriterOperand>) {
        let texts: Vec<&str> = operands.iter().map(|operand| operand.text.as_str()).collect();
        let Some(function) = self.nodes.declaration(t) else {
            let value = match runtime(Op::from_builtin(self.nodes.value(t))) {
                Some(function) => format!("{function}({})", texts.join(", ")),
                None => format!("{}.n", texts.concat()),
            };
            return self.value(t, value, operands);
        };
        let is_list = |child: TokenId| self.nodes.ty(child).is_list();
        let mut arguments: Vec<String> = vec![];
        for (child, text) in self.nodes.children(t).zip(texts) {
            arguments.push(if is_list(child) { format!("&{text}") } else { text.to_string() });
        }
        let name = self.function(function);
        if self.nodes.ty(function).is_list() {
            self.list(operands, |to| {
                arguments.insert(0, format!("&{to}"));
                format!("{name}({});", arguments.join(", "))
            });
        } else {
            self.value(t, format!("{name}({})", arguments.join(", ")), operands);
        }
    }

    /// Pushes a list with these elements.
    fn list_of(&mut self, elements: &[String], operands: Vec<WriterOperand>) {
        let count = elements.len();
        self.list(operands, |to| match count {
            0 => format!("{to}.n = 0;"),
            _ => format!("m_list(&{to}, {count}, (const int32_t[]){{{}}});", elements.join(", ")),
        });
    }

    /// Pushes a list that `statement` stores in a temporary.
    fn list(&mut self, operands: Vec<WriterOperand>, statement: impl FnOnce(&str) -> String) {
        let result = self.take(Temp::List, operands);
        self.line(&statement(&result.text));
        self.operands.push(result);
    }

    /// Pushes an int or bool: the C expression itself, or a temporary if the node must be a statement.
    fn value(&mut self, t: TokenId, value: String, operands: Vec<WriterOperand>) {
        if self.nodes.is_statement(t) || self.nodes.is_long(t) {
            let result = self.take(Temp::Int, operands);
            self.line(&format!("{} = {value};", result.text));
            self.operands.push(result);
        } else {
            self.keep(value, operands);
        }
    }
}
