//! Code generation in one pass over the tokens.
//!
//! Each instruction pops the starts of its operands from a stack, just as the machine pops their values. This
//! yields the `start` links, and the stack is empty after each statement.

use super::blocks::target_mut;
use super::{LowerScratch, text};
use crate::compiler::program::{Ir, STMT_UNCLOSED, View};
use crate::lang::NONE;
use crate::lang::index::{Index, InstructionId, Slot, TokenId};
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::token::{NAME_LEN, STR_CODES, STR_REPLACED, TokenKind, replacement_code};
use crate::lang::verdict::DISCARDED;

/// Writes the code of the whole program, and completes `position`.
pub fn write(input: View, ir: &mut Ir, scratch: &mut LowerScratch) {
    scratch.position.clear();
    scratch.operands.clear();
    scratch.patches.clear();
    scratch.logical.clear();
    scratch.unclosed.clear();
    let mut function = None;
    let mut writer = CodeWriter { input, ir, scratch };
    let mut silent_until = 0;
    for token in input.rows() {
        let at = token.position();
        writer.scratch.position.push(writer.next().number());
        // Constant expressions have no code: check has computed their values.
        silent_until = silent_until.max(writer.scratch.nodes.silent[at]);
        if writer.scratch.holes.contain(token) {
            if writer.scratch.holes.begins(token) {
                writer.action(Op::Hole, 0, writer.scratch.holes.end(token), token);
            }
        } else if token.number() >= silent_until {
            if input.is(token, Role::Fn) {
                function = writer.scratch.holes.any().then_some(token);
            }
            writer.own(token);
            let mut ending = TokenId::from_word(writer.scratch.nodes.ends[at]);
            while let Some(node) = ending {
                writer.emit_at_end(node);
                ending = TokenId::of(&writer.scratch.nodes.outer, node);
            }
            if let Some(statement) = TokenId::of(&writer.scratch.nodes.statement, token) {
                writer.statement(statement, token);
            }
        }
        if let Some(function) = function.filter(|function| writer.end(*function) == token + 1) {
            writer.end_body(function, token);
        }
    }
    let end = writer.next();
    scratch.position.push(end.number());
    ir.block.resize(end.position(), 0);
    // Jumps lead forward as well, so their targets are known only now.
    for &i in &scratch.patches {
        if let Some(target) = target_mut(ir, i.position()) {
            // The code after an unclosed block is the hole at the function's end.
            let unclosed = scratch.unclosed.binary_search(target).is_ok();
            *target = scratch.position[*target as usize] - u32::from(unclosed);
        }
    }
}

struct CodeWriter<'a> {
    input: View<'a>,
    ir: &'a mut Ir,
    scratch: &'a mut LowerScratch,
}

impl CodeWriter<'_> {
    fn next(&self) -> InstructionId {
        InstructionId::at(self.ir.op.len())
    }

    fn push(&mut self, op: Op, arg: u32, aux: u32, token: TokenId, start: InstructionId) {
        self.ir.op.push(op as u32);
        self.ir.arg.push(arg);
        self.ir.aux.push(aux);
        self.ir.token.push(token.number());
        self.ir.site.push(NONE);
        self.ir.start.push(start.number());
    }

    /// Writes an instruction that pushes a value and takes its operation's fixed number of operands.
    fn value(&mut self, op: Op, arg: u32, token: TokenId) {
        self.value_of(op.effect().takes, op, arg, 0, token);
    }

    /// Writes an instruction that pushes a value and takes `operands` operands.
    fn value_of(&mut self, operands: u32, op: Op, arg: u32, aux: u32, token: TokenId) {
        let next = self.next();
        let stack = &mut self.scratch.operands;
        let below = stack.len().saturating_sub(operands as usize);
        let start = stack.get(below).copied().unwrap_or(next);
        stack.truncate(below);
        stack.push(start);
        self.push(op, arg, aux, token, start);
    }

    /// Writes an instruction that pushes no value.
    fn action(&mut self, op: Op, arg: u32, aux: u32, token: TokenId) {
        let stack = &mut self.scratch.operands;
        stack.truncate(stack.len().saturating_sub(op.effect().takes as usize));
        self.push(op, arg, aux, token, self.next());
    }

    /// Writes a jump to a token, to be patched.
    fn jump(&mut self, op: Op, to: TokenId, token: TokenId) {
        self.scratch.patches.push(self.next());
        self.action(op, to.number(), 0, token);
    }

    /// Writes the instruction that starts the next iteration of a `for` loop, with a token as target, to be
    /// patched.
    fn emit_loop_step(&mut self, op: Op, slot: Slot, to: TokenId, token: TokenId) {
        self.scratch.patches.push(self.next());
        self.action(op, slot.number(), to.number(), token);
    }

    fn kind(&self, token: TokenId) -> TokenKind {
        self.input.kind(token)
    }

    /// Slot of the variable that `var` refers to.
    fn slot(&self, var: TokenId) -> Slot {
        self.place(self.declaration(var))
    }

    /// Slot of the variable declared at `name`.
    fn place(&self, name: TokenId) -> Slot {
        Slot::new(self.scratch.place[name.position()])
    }

    /// The declaration that a node of a checked program refers to.
    fn declaration(&self, node: TokenId) -> TokenId {
        TokenId::new(self.input.checked.decl[node.position()])
    }

    /// A child that a node of a checked program has.
    fn child(&self, node: TokenId, slot: usize) -> TokenId {
        self.scratch.nodes.own_child(node, slot)
    }

    fn has_child(&self, node: TokenId, slot: usize) -> bool {
        self.scratch.nodes.child(node, slot).is_some()
    }

    /// One past the last token of a node.
    fn end(&self, node: TokenId) -> TokenId {
        TokenId::new(self.input.tree.hi[node.position()])
    }

    /// Child 0 of a node, if it is a plain variable.
    fn variable_child(&self, node: TokenId) -> Option<TokenId> {
        self.scratch.nodes.child(node, 0).filter(|child| self.input.is(*child, Role::Var))
    }

    fn is_assigned(&self, node: TokenId) -> Option<TokenId> {
        let parent = self.input.parent(node)?;
        (self.input.is(parent, Role::Assign) && self.input.slot(node) == 0).then_some(parent)
    }

    /// Writes the instructions at a token itself, for the node that it heads.
    fn own(&mut self, token: TokenId) {
        let at = token.position();
        match Role::from_u32(self.input.tree.role[at]) {
            Some(Role::Int) => self.value(Op::LoadConst, self.input.tokens.value[at], token),
            Some(Role::Bool) => {
                let value = (self.kind(token) == TokenKind::True) as u32;
                self.value(Op::LoadConst, value, token);
            }
            Some(Role::Str) => {
                let (lo, hi) = (self.input.tokens.lo[at] as usize, self.input.tokens.hi[at] as usize);
                let (mut count, value) = (0, self.input.tokens.value[at]);
                let codes = text::codes(self.input.source.as_bytes().get(lo..hi).unwrap_or_default());
                for code in codes.take((value & STR_CODES) as usize) {
                    let other = count == 0 && value & STR_REPLACED != 0;
                    let code = if other { replacement_code(code) } else { code };
                    self.value(Op::LoadConst, code, token);
                    count += 1;
                }
                self.value_of(count, Op::BuildList, count, 0, token);
            }
            // No code after it in the block runs, so no value is pushed.
            Some(Role::Hole) => self.value_of(0, Op::Hole, 0, 0, token),
            Some(Role::Var) => self.variable(token),
            Some(Role::Binary) => {
                let op = match self.kind(token) {
                    TokenKind::AmpersandAmpersand => Op::JumpIfFalseOrPop,
                    TokenKind::BarBar => Op::JumpIfTrueOrPop,
                    _ => return,
                };
                // The left operand stays on the stack of starts, as the value of the whole expression begins
                // there.
                self.scratch.logical.push(self.next());
                self.push(op, 0, 0, token, self.next());
            }
            Some(Role::Break) => {
                let block = self.loop_block(self.declaration(token));
                self.jump(Op::Jump, self.end(block), token);
            }
            Some(Role::Continue) => self.jump_back(self.declaration(token), token),
            _ => {}
        }
    }

    fn loop_block(&self, head: TokenId) -> TokenId {
        self.child(head, if self.input.is(head, Role::For) { 3 } else { 1 })
    }

    /// Writes a jump to the instruction that starts the next iteration of a loop.
    fn jump_back(&mut self, head: TokenId, token: TokenId) {
        if self.input.is(head, Role::For) {
            let behind_brace = self.loop_block(head) + 1;
            let test = self.scratch.position[behind_brace.position()] - 1;
            self.action(Op::Jump, test, 0, token);
        } else {
            self.jump(Op::Jump, head, token);
        }
    }

    fn variable(&mut self, token: TokenId) {
        let declaration = self.declaration(token);
        if self.input.is(declaration, Role::ConstName) {
            return self.value(Op::LoadConst, self.input.constant(declaration), token);
        }
        if let Some(assign) = self.is_assigned(token)
            && self.kind(assign) == TokenKind::Equal
        {
            return;
        }
        let ty = self.input.ty(declaration);
        if ty.is_list() {
            let parent = self.input.parent(token).filter(|_| self.input.slot(token) == 0);
            let read_in_place = parent.is_some_and(|parent| match self.input.role(parent) {
                Role::Index | Role::Slice => true,
                Role::Call => self.is_builtin(parent, NAME_LEN),
                _ => false,
            });
            if !read_in_place {
                self.value_of(0, Op::LoadList, self.slot(token).number(), ty.capacity(), token);
            }
        } else {
            self.value(Op::LoadVar, self.slot(token).number(), token);
        }
    }

    fn is_builtin(&self, call: TokenId, name: u32) -> bool {
        self.kind(call) == TokenKind::Name && self.input.value(call) == name
    }

    /// Writes the instructions at the end of an expression.
    fn emit_at_end(&mut self, node: TokenId) {
        let at = node.position();
        match Role::from_u32(self.input.tree.role[at]) {
            Some(Role::Unary) => {
                self.value(Op::from_prefix(self.kind(node)).unwrap_or(Op::Nop), 0, node);
            }
            Some(Role::Binary) => self.binary(node),
            Some(Role::Call) => self.call(node),
            Some(Role::Index) => match (self.is_assigned(node), self.variable_child(node)) {
                (Some(assign), Some(list)) => {
                    if self.kind(assign) != TokenKind::Equal {
                        self.value_of(0, Op::Dup, 0, 0, node);
                        self.value(Op::LoadIndexVar, self.slot(list).number(), node);
                    }
                }
                (None, Some(list)) => self.value(Op::LoadIndexVar, self.slot(list).number(), node),
                _ => self.value(Op::LoadIndex, 0, node),
            },
            Some(Role::Slice) => match self.variable_child(node) {
                Some(list) => self.value(Op::SliceVar, self.slot(list).number(), node),
                None => self.value(Op::Slice, 0, node),
            },
            Some(Role::List) => {
                let count = self.scratch.nodes.children[at];
                self.value_of(count, Op::BuildList, count, 0, node);
            }
            Some(Role::Repeat) => {
                let count = self.child(node, 1);
                self.value(Op::RepeatList, self.input.constant(count), node);
            }
            _ => {}
        }
    }

    fn binary(&mut self, node: TokenId) {
        let kind = self.kind(node);
        if kind.is_logical() {
            if let Some(jump) = self.scratch.logical.pop() {
                self.ir.arg[jump.position()] = self.next().number();
            }
            self.scratch.operands.pop();
            if let (Some(start), Some(last)) = (self.scratch.operands.last(), self.ir.start.last_mut()) {
                *last = start.number();
            }
            return;
        }
        let operand = self.input.ty(self.child(node, 0));
        let of_bools = kind.is_equality() && operand == crate::lang::ty::Type::BOOL;
        self.value_of(2, operator(kind, operand.is_list()), 0, of_bools as u32, node);
    }

    fn call(&mut self, node: TokenId) {
        let at = node.position();
        if self.kind(node) != TokenKind::Name {
            return; // int(b): a bool already is 0 or 1
        }
        let name = self.input.tokens.value[at];
        match (Op::from_builtin(name), self.variable_child(node)) {
            (Some(_), Some(list)) if name == NAME_LEN => {
                self.value(Op::ListLenVar, self.slot(list).number(), node)
            }
            (Some(op), _) => self.value(op, 0, node),
            (None, _) => {
                let function = self.scratch.place[self.declaration(node).position()];
                self.value_of(self.scratch.nodes.children[at], Op::Call, function, 0, node);
            }
        }
    }

    /// Writes the instructions of a statement or item at `token`: after its value, or at the end of its
    /// block.
    fn statement(&mut self, node: TokenId, token: TokenId) {
        let at = node.position();
        let open_request = self.kind(token) != TokenKind::RightBrace;
        match Role::from_u32(self.input.tree.role[at]) {
            Some(Role::Let) => self.store(self.child(node, 0), node),
            Some(Role::Assign) => self.assign(node),
            Some(Role::If) if open_request => {
                self.jump(Op::JumpIfFalse, self.end(self.child(node, 1)), node);
            }
            Some(Role::If) if self.has_child(node, 2) => self.jump(Op::Jump, self.end(node), node),
            Some(Role::While) if open_request => {
                self.jump(Op::JumpIfFalse, self.end(self.child(node, 1)), node);
            }
            Some(Role::For) if open_request => self.begin_for(node),
            Some(Role::While | Role::For) => self.jump_back(node, node),
            Some(Role::Return) => {
                let result = self.input.ty(self.declaration(node));
                match result.is_list() {
                    true => self.action(Op::ReturnList, result.capacity(), 0, node),
                    false => self.action(Op::Return, 0, 0, node),
                }
            }
            Some(Role::Prop) if self.kind(token) == TokenKind::FatArrow => {
                self.scratch.condition = self.next();
                self.action(Op::JumpIfFalse, 0, 0, node);
            }
            Some(Role::Prop) if self.has_child(node, 2) => {
                self.action(Op::Return, 0, 0, node);
                self.ir.arg[self.scratch.condition.position()] = self.next().number();
                self.value(Op::LoadConst, DISCARDED, node);
                self.action(Op::Return, 0, 0, node);
            }
            Some(Role::Test | Role::Prop) => self.action(Op::Return, 0, 0, node),
            Some(Role::Fn) if !self.scratch.holes.any() && !self.ends_in_return(token) => {
                self.action(Op::Jump, self.next().number(), 0, node);
            }
            _ => {}
        }
    }

    /// Writes the hole at the end of a function of a program with errors.
    fn end_body(&mut self, function: TokenId, token: TokenId) {
        if self.input.tree.stmt[function.position()] & STMT_UNCLOSED != 0 {
            self.scratch.unclosed.push(token.number() + 1);
        } else if self.ends_in_return(token) {
            return;
        }
        self.action(Op::Hole, 0, 0, token);
    }

    /// Returns whether the statement before a function's closing brace is a `return` in that block.
    fn ends_in_return(&self, brace: TokenId) -> bool {
        let statement = brace.previous().and_then(|before| self.input.statement(before));
        statement.is_some_and(|statement| self.kind(statement.first) == TokenKind::Return)
    }

    /// Pops a value into the variable declared at `name`.
    fn store(&mut self, name: TokenId, node: TokenId) {
        let slot = self.place(name).number();
        let ty = self.input.ty(name);
        match ty.is_list() {
            true => self.action(Op::StoreList, slot, ty.capacity(), node),
            false => self.action(Op::StoreVar, slot, 0, node),
        }
    }

    fn assign(&mut self, node: TokenId) {
        let target = self.child(node, 0);
        let indexed = if self.input.is(target, Role::Index) { self.variable_child(target) } else { None };
        if let Some(kind) = self.kind(node).compound_operator() {
            let is_list = indexed.is_none() && self.input.ty(self.declaration(target)).is_list();
            self.value(operator(kind, is_list), 0, node);
        }
        match indexed {
            Some(list) => self.action(Op::StoreIndex, self.slot(list).number(), 0, node),
            None => self.store(self.declaration(target), node),
        }
    }

    fn begin_for(&mut self, node: TokenId) {
        let slot = self.place(self.child(node, 0));
        let first = self.child(node, 1);
        let end = self.end(self.loop_block(node));
        if !self.has_child(node, 2) {
            self.action(Op::ListIter, slot.number(), self.input.ty(first).capacity(), node);
            self.emit_loop_step(Op::ForList, slot, end, node);
        } else {
            let inclusive = self.kind(self.end(first)) == TokenKind::DotDotEqual;
            let op = if inclusive { Op::RangeIterInclusive } else { Op::RangeIter };
            self.action(op, slot.number(), 0, node);
            self.emit_loop_step(Op::ForRange, slot, end, node);
        }
    }
}

/// The operation of an infix operator other than `&&` and `||`.
fn operator(kind: TokenKind, on_lists: bool) -> Op {
    let op = if on_lists { Op::from_list_infix(kind) } else { Op::from_infix(kind) };
    // No other operators pass check.
    op.unwrap_or(Op::Nop)
}
