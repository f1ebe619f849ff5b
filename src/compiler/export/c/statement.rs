//! Generation of C for statements, with the same structure. A turn is counted at each loop iteration.

use super::expression::infix;
use super::writer::{Temp, Writer, WriterWork};
use crate::lang::index::TokenId;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;

impl Writer<'_> {
    /// Begins a statement and schedules its expressions.
    pub fn begin_statement(&mut self, t: TokenId) {
        match self.nodes.role(t) {
            Role::Block => {
                let of_statement =
                    self.nodes.parent(t).is_none_or(|parent| !self.nodes.is(parent, Role::Block));
                if !of_statement {
                    self.open("{");
                    self.work.push(WriterWork::Close);
                }
                let statements: Vec<TokenId> = self.nodes.children(t).collect();
                self.work.extend(statements.into_iter().rev().map(WriterWork::Visit));
            }
            Role::Let => {
                self.work.push(WriterWork::Finish(t));
                self.visit_child(t, 2);
            }
            Role::Assign => self.begin_assignment(t),
            Role::If => {
                self.work.push(WriterWork::Then(t, false));
                self.visit_child(t, 0);
            }
            Role::While => {
                if self.condition_needs_statements(t) {
                    self.open("for (;;) {");
                }
                self.work.push(WriterWork::Head(t));
                self.visit_child(t, 0);
            }
            Role::For => {
                self.work.push(WriterWork::Head(t));
                self.visit_child(t, 2);
                self.visit_child(t, 1);
            }
            Role::Break => self.line("break;"),
            Role::Continue => self.line("continue;"),
            Role::Return => {
                self.work.push(WriterWork::Finish(t));
                self.visit_child(t, 0);
            }
            _ => {}
        }
    }

    /// Writes a statement after its operands have been evaluated.
    pub fn finish_statement(&mut self, t: TokenId) {
        match self.nodes.role(t) {
            Role::Let => {
                let Some(name) = self.nodes.child(t, 0) else { return };
                let (variable, value) = (self.variable(name), self.pop().text);
                if self.nodes.ty(name).is_list() {
                    let capacity = self.nodes.ty(name).capacity();
                    self.line(&format!("List {variable};"));
                    self.line(&format!("m_store(&{variable}, {capacity}, &{value});"));
                } else {
                    self.line(&format!("int32_t {variable} = {value};"));
                    self.suppress_unused(name);
                }
            }
            Role::Assign => self.finish_assignment(t),
            Role::Return => {
                let value = self.pop().text;
                let ty = self.nodes.declaration(t);
                self.result(&value, ty.map(|ty| self.nodes.ty(ty).capacity()));
            }
            _ => {}
        }
    }

    /// Returns a value from a routine; a list is stored with the result's capacity.
    pub fn result(&mut self, value: &str, capacity: Option<u32>) {
        let capacity = capacity.filter(|capacity| *capacity > 0);
        if let Some(capacity) = capacity {
            self.line(&format!("m_store(out, {capacity}, &{value});"));
        }
        if let Some(words) = self.frame {
            self.line(&format!("m_leave({words});"));
        }
        self.line(&if capacity.is_some() { "return;".to_string() } else { format!("return {value};") });
    }

    /// Schedules an assignment. `xs[i] = e` evaluates i, then e, and then checks i; `xs[i] += e` reads the
    /// element before it evaluates e.
    fn begin_assignment(&mut self, t: TokenId) {
        self.work.push(WriterWork::Finish(t));
        self.visit_child(t, 1);
        let Some(target) = self.nodes.child(t, 0) else { return };
        if self.nodes.role(target) == Role::Index {
            if self.nodes.kind(t).compound_operator().is_some() {
                self.work.push(WriterWork::Element(target));
            }
            self.visit_child(target, 1);
        }
    }

    /// Returns the list variable of an indexed target.
    fn list_of_target(&self, target: TokenId) -> Option<String> {
        let list = self.nodes.child(target, 0)?;
        Some(self.variable(self.nodes.declaration(list)?))
    }

    /// Reads the element of an assignment's target and leaves the index on the operand stack.
    pub fn element(&mut self, target: TokenId) {
        let Some(list) = self.list_of_target(target) else { return };
        let index = self.operands.last().map_or(String::new(), |index| index.text.clone());
        let element = self.take(Temp::Int, vec![]);
        self.line(&format!("{} = m_at(&{list}, {index});", element.text));
        self.operands.push(element);
    }

    fn finish_assignment(&mut self, t: TokenId) {
        let Some(target) = self.nodes.child(t, 0) else { return };
        let operator = self.nodes.kind(t).compound_operator();
        let value = self.pop();
        if self.nodes.role(target) == Role::Index {
            let Some(list) = self.list_of_target(target) else { return };
            let text = match operator {
                None => value.text,
                Some(operator) => infix(operator, &self.pop().text, &value.text),
            };
            let index = self.pop().text;
            return self.line(&format!("m_set(&{list}, {index}, {text});"));
        }
        let Some(name) = self.nodes.declaration(target) else { return };
        let variable = self.variable(name);
        match operator {
            Some(_) if self.nodes.ty(name).is_list() => {
                let added = value.text.clone();
                let both = self.take(Temp::List, vec![value]);
                self.line(&format!("m_join(&{}, &{variable}, &{added});", both.text));
                self.store(name, &both.text);
                self.release(&both);
            }
            None if self.nodes.ty(name).is_list() => self.store(name, &value.text),
            None => self.line(&format!("{variable} = {};", value.text)),
            Some(operator) => self.line(&format!("{variable} = {};", infix(operator, &variable, &value.text))),
        }
    }

    fn store(&mut self, name: TokenId, list: &str) {
        let (variable, capacity) = (self.variable(name), self.nodes.ty(name).capacity());
        self.line(&format!("m_store(&{variable}, {capacity}, &{list});"));
    }

    /// Opens a loop and declares its variable.
    pub fn loop_head(&mut self, t: TokenId) {
        self.work.push(WriterWork::Close);
        if self.nodes.role(t) == Role::While {
            let condition = self.pop().text;
            if self.condition_needs_statements(t) {
                self.line(&format!("if (!{condition}) break;"));
            } else {
                self.open(&format!("while ({condition}) {{"));
            }
            self.line("m_turn();");
            return self.visit_child(t, 1);
        }
        let (Some(name), Some(first)) = (self.nodes.child(t, 0), self.nodes.child(t, 1)) else { return };
        let value = if let Some(second) = self.nodes.child(t, 2) {
            let (hi, lo) = (self.pop().text, self.pop().text);
            let upto = self.nodes.kind(self.nodes.extent(first).end()) == TokenKind::DotDotEqual;
            let rounds = if upto { "m_upto" } else { "m_below" };
            self.open(&format!(
                "for (uint32_t at_{t} = (uint32_t){lo}, left_{t} = {rounds}({lo}, {hi}); left_{t} > 0; \
                 at_{t}++, left_{t}--) {{"
            ));
            debug_assert!(second > first);
            format!("(int32_t)at_{t}")
        } else {
            let (list, capacity) = (self.pop().text, self.nodes.ty(first).capacity());
            self.line(&format!("List each_{t};"));
            self.line(&format!("m_store(&each_{t}, {capacity}, &{list});"));
            self.open(&format!("for (int32_t at_{t} = 0; at_{t} < each_{t}.n; at_{t}++) {{"));
            format!("each_{t}.v[at_{t}]")
        };
        self.line("m_turn();");
        self.line(&format!("int32_t {} = {value};", self.variable(name)));
        self.suppress_unused(name);
        self.visit_child(t, 3);
    }

    pub fn then(&mut self, t: TokenId, behind_else: bool) {
        let condition = self.pop().text;
        if behind_else {
            self.indent -= 1;
        }
        let before = if behind_else { "} else " } else { "" };
        self.open(&format!("{before}if ({condition}) {{"));
        self.work.push(WriterWork::Else(t));
        self.visit_child(t, 1);
    }

    /// Continues an `if` after its first block. An `else if` extends the same C chain if its condition needs
    /// no statements.
    pub fn else_branch(&mut self, t: TokenId) {
        let Some(next) = self.nodes.child(t, 2) else {
            self.indent -= 1;
            return self.line("}");
        };
        if self.nodes.role(next) == Role::If && !self.condition_needs_statements(next) {
            self.work.push(WriterWork::Then(next, true));
            return self.visit_child(next, 0);
        }
        self.indent -= 1;
        self.open("} else {");
        self.work.push(WriterWork::Close);
        self.work.push(WriterWork::Visit(next));
    }

    fn condition_needs_statements(&self, t: TokenId) -> bool {
        self.nodes.child(t, 0).is_some_and(|condition| self.nodes.needs_statements(condition))
    }

    fn open(&mut self, text: &str) {
        self.line(text);
        self.indent += 1;
    }

    /// Suppresses the C compiler's warning about a variable that is never read.
    fn suppress_unused(&mut self, name: TokenId) {
        if self.is_unread(name) {
            self.line(&format!("(void){};", self.variable(name)));
        }
    }
}
