//! Items, statements, types and blocks: declarations, requirements on operands, and control flow.

use super::operands::Requirement;
use super::*;
use crate::lang::index::{Index, TokenId};
use crate::lang::limits;

impl Check<'_> {
    /// Opens the scope that begins at a token, if any.
    pub(super) fn open(&mut self, t: TokenId) {
        match self.role(t) {
            Role::Prop => self.open_scope(t, false),
            Role::Block => {
                let parent = self.parent(t);
                let owner = parent.map_or(Role::None, |parent| self.role(parent));
                if owner == Role::Fn {
                    return; // opened with its parameters
                }
                self.open_scope(t, false);
                if matches!(owner, Role::While | Role::For)
                    && let Some(frame) = self.s.frames.last_mut()
                {
                    frame.loop_head = parent;
                }
                if let Some(head) = parent.filter(|_| owner == Role::For) {
                    self.loop_variable(head);
                }
            }
            _ => {}
        }
    }

    fn loop_variable(&mut self, t: TokenId) {
        let Some(name) = self.child(t, 0) else { return };
        let list = self.ty_of(self.child(t, 1));
        let ty = match self.child(t, 2) {
            Some(_) => Type::INT,
            None if list.is_list() => list.element(),
            None => Type::UNKNOWN,
        };
        self.set_ty(name, ty);
        self.declare(name);
    }

    /// Checks a node that is not an expression, after its children.
    pub(super) fn statement(&mut self, t: TokenId, role: Role) {
        let ends = match role {
            Role::TypeInt | Role::TypeBool | Role::TypeList => {
                let capacity = self.child(t, 0).and_then(|root| self.constant(t, root, Some(1)));
                let ty = self.type_node(t, capacity);
                self.set_ty(t, ty);
                return;
            }
            Role::Param => {
                let ty = self.ty_of(self.child(t, 0));
                self.set_ty(t, ty);
                return self.declare(t);
            }
            Role::Binder => return self.binder(t),
            Role::Const => return self.const_item(t),
            Role::Test | Role::Prop => {
                self.require(t, self.child(t, 1), Requirement::Type(Type::BOOL), true);
                if role == Role::Prop {
                    self.require(t, self.child(t, 2), Requirement::Type(Type::BOOL), true);
                    self.close_scope();
                }
                return;
            }
            Role::Let => self.let_statement(t),
            Role::Assign => self.assignment(t),
            Role::If => {
                self.require(t, self.child(t, 0), Requirement::Type(Type::BOOL), true);
                let ends = |child: Option<TokenId>| child.is_some_and(|c| self.has(c, DIVERGES));
                ends(self.child(t, 1)) && ends(self.child(t, 2))
            }
            Role::While => {
                self.require(t, self.child(t, 0), Requirement::Type(Type::BOOL), true);
                self.is_true(self.child(t, 0)) && !self.has(t, HAS_BREAK)
            }
            Role::For => {
                let (first, last) = (self.child(t, 1), self.child(t, 2));
                let want = if last.is_some() { Requirement::Type(Type::INT) } else { Requirement::List };
                self.require(t, first, want, true);
                self.require(t, last, Requirement::Type(Type::INT), true);
                false
            }
            Role::Return => self.return_statement(t),
            Role::Break | Role::Continue => self.jump(t, role == Role::Break),
            Role::Block => self.block(t),
            Role::Broken => false,
            _ => return,
        };
        if ends {
            self.s.flags[t.position()] |= DIVERGES;
        }
        if self.parent(t).is_some_and(|parent| self.role(parent) == Role::Block) {
            self.follow(t, ends, matches!(role, Role::Return | Role::Break | Role::Continue));
        }
    }

    /// Records in the enclosing block that the statement `t` has been passed.
    fn follow(&mut self, t: TokenId, ends: bool, jumps: bool) {
        let Some(frame) = self.s.frames.last_mut() else { return };
        frame.ended |= ends;
        match frame.dead {
            Dead::No if jumps => frame.dead = Dead::Next,
            Dead::Next => {
                frame.dead = Dead::Reported;
                self.report(TokenId::new(self.tree.lo[t.position()]), Code::Unreachable, 0);
            }
            _ => {}
        }
    }

    /// The type that a type node denotes; `capacity` is the written capacity, if valid.
    pub(super) fn type_node(&self, t: TokenId, capacity: Option<u32>) -> Type {
        let element = |kind| match kind {
            Some(TokenKind::IntType) => Type::INT,
            Some(TokenKind::BoolType) => Type::BOOL,
            _ => Type::UNKNOWN,
        };
        let kind_at =
            |t: TokenId| self.tokens.kind.get(t.position()).and_then(|kind| TokenKind::from_u32(*kind));
        match self.role(t) {
            Role::TypeList => match element(kind_at(t + 1)) {
                Type::UNKNOWN => Type::UNKNOWN,
                element => Type::list(element, capacity.unwrap_or(limits::DEFAULT_CAPACITY)),
            },
            _ => element(kind_at(t)),
        }
    }

    fn binder(&mut self, t: TokenId) {
        for slot in 0..2 {
            if let Some(root) = self.child(t, slot) {
                self.constant(t, root, None);
            }
        }
        let ty = if self.broken(t) {
            Type::UNKNOWN
        } else {
            match self.child(t, 2) {
                None => Type::INT,
                Some(root) => {
                    let length = self.constant(t, root, Some(0)).filter(|n| *n > 0);
                    Type::list(Type::INT, length.unwrap_or(limits::DEFAULT_CAPACITY))
                }
            }
        };
        self.set_ty(t, ty);
        self.declare(t);
    }

    fn const_item(&mut self, t: TokenId) {
        let (Some(name), Some(root)) = (self.child(t, 0), self.child(t, 1)) else { return };
        let ty = self.ty(root);
        if ty == Type::INT || ty == Type::BOOL {
            self.set_ty(name, ty);
        }
        if let Some(value) = self.constant(t, root, None) {
            self.out.constant[name.position()] = value;
            self.s.flags[name.position()] |= VALUED;
        }
    }

    fn let_statement(&mut self, t: TokenId) -> bool {
        let value = self.child(t, 2);
        let ty = match self.child(t, 1) {
            Some(written) => {
                let ty = self.ty(written);
                self.require(t, value, Requirement::typed(ty), true);
                ty
            }
            None => {
                self.require(t, value, Requirement::Nothing, true);
                self.ty_of(value)
            }
        };
        if let Some(name) = self.child(t, 0) {
            self.set_ty(name, ty);
            self.declare(name);
        }
        false
    }

    fn assignment(&mut self, t: TokenId) -> bool {
        let (Some(target), Some(value)) = (self.child(t, 0), self.child(t, 1)) else { return false };
        let base = if self.role(target) == Role::Index { self.child(target, 0) } else { Some(target) };
        if let Some(base) = base {
            let declaration = self.declaration(base);
            if declaration.is_some_and(|declaration| self.role(declaration) == Role::ConstName) {
                // This error takes precedence over others at the constant, such as E0405.
                self.replace(base, Code::AssignToConstant);
                self.taint(base);
                self.taint(target);
            }
        }
        match self.kind(t).compound_operator() {
            Some(operator) => self.right_operand(t, operator, target, Some(value)),
            None => {
                let want = Requirement::typed(self.ty(target));
                self.require(t, Some(value), want, self.clean(target));
            }
        }
        false
    }

    fn return_statement(&mut self, t: TokenId) -> bool {
        let function = self.s.functions.partition_point(|f| *f <= t).checked_sub(1);
        if let Some(function) = function.map(|i| self.s.functions[i]) {
            self.set_declaration(t, function);
            let result = self.ty(function);
            self.require(t, self.child(t, 0), Requirement::typed(result), true);
        }
        true
    }

    /// Finds the loop that a `break` or `continue` belongs to, and marks the loop if a `break` can run.
    fn jump(&mut self, t: TokenId, breaks: bool) -> bool {
        let mut reached = true;
        for frame in self.s.frames.iter().rev() {
            reached &= !frame.ended;
            if let Some(head) = frame.loop_head {
                if breaks && reached {
                    self.s.flags[head.position()] |= HAS_BREAK;
                }
                self.set_declaration(t, head);
                return true;
            }
            if frame.function {
                break;
            }
        }
        self.report(t, Code::OutsideLoop, 0);
        true
    }

    fn block(&mut self, t: TokenId) -> bool {
        if self.parent(t).is_some_and(|parent| self.role(parent) == Role::Fn) {
            return self.s.frames.last().is_some_and(|frame| frame.ended); // closed with the function
        }
        self.close_scope().is_some_and(|frame| frame.ended)
    }

    /// Returns whether a condition is `true`, possibly in groups.
    fn is_true(&self, mut condition: Option<TokenId>) -> bool {
        while let Some(t) = condition {
            match self.role(t) {
                Role::Group => condition = self.child(t, 0),
                Role::Bool => return self.kind(t) == TokenKind::True,
                _ => return false,
            }
        }
        false
    }

    /// Closes a function's scope after its last token, and reports a missing `return`.
    pub(super) fn close_function(&mut self, t: TokenId) {
        self.close_scope();
        if let Some(block) = self.child(t, 2)
            && !self.has(block, DIVERGES)
            && (!self.has(t, BROKEN_REGION)
                || self.is_part && self.tree.stmt[t.position()] & STMT_UNCLOSED == 0)
        {
            self.report(self.end(block) - 1, Code::MissingReturn, 0);
        }
    }
}
