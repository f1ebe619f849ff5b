//! Scopes, and the resolution of names.

use super::*;
use crate::lang::index::{Index, TokenId};
use crate::lang::token::FIRST_NAME;

impl Check<'_> {
    /// Declares constants and functions, which are visible everywhere, with the functions' types if already
    /// known.
    pub(super) fn declare_items(&mut self) {
        for i in 0..self.s.constants.len() {
            if let Some(name) = self.child(self.s.constants[i], 0) {
                let id = self.tokens.value[name.position()] as usize;
                match self.s.constant[id] {
                    None => self.s.constant[id] = Some(name),
                    Some(first) => self.report(name, Code::AlreadyDeclared, first.number()),
                }
            }
        }
        for i in 0..self.s.functions.len() {
            let function = self.s.functions[i];
            let result = match self.child(function, 1) {
                Some(t) => self.s.results.get(i).map_or_else(|| self.type_node(t, None), |ty| Type(*ty)),
                None => Type::UNKNOWN,
            };
            self.set_ty(function, result);
            let Some(name) = self.child(function, 0) else { continue };
            self.set_ty(name, result);
            let id = self.tokens.value[name.position()];
            match self.s.function[id as usize] {
                _ if id < FIRST_NAME => self.report(name, Code::AlreadyDeclared, NONE),
                None => self.s.function[id as usize] = Some(name),
                Some(first) => self.report(name, Code::AlreadyDeclared, first.number()),
            }
        }
    }

    /// Walks a function's header, with each parameter visible in those after it.
    pub(super) fn header(&mut self, function: TokenId) {
        let hi = self.end(function);
        let block = self.child(function, 2);
        self.open_scope(function, true);
        self.walk(function + 1, block.unwrap_or(hi));
        self.close_scope();
        if let Some(result) = self.child(function, 1) {
            let ty = self.ty(result);
            self.set_ty(function, ty);
            if let Some(name) = self.child(function, 0) {
                self.set_ty(name, ty);
            }
        }
    }

    /// Opens a function's scope with its parameters, for its body.
    pub(super) fn open_function(&mut self, function: TokenId) {
        self.open_scope(function, true);
        let Signature { first, params, .. } = self.s.signatures[function.position()];
        for i in first..first + params {
            self.declare(self.s.params[i as usize]);
        }
    }

    pub(super) fn open_scope(&mut self, scope: TokenId, function: bool) {
        let names = self.s.locals.len() as u32;
        self.s.frames.push(CheckFrame {
            scope,
            names,
            loop_head: None,
            function,
            ended: false,
            dead: Dead::No,
        });
    }

    /// Ends the innermost scope and restores the names that it hid.
    pub(super) fn close_scope(&mut self) -> Option<CheckFrame> {
        let frame = self.s.frames.pop()?;
        while self.s.locals.len() > frame.names as usize {
            if let Some(local) = self.s.locals.pop() {
                self.s.local[local.name as usize] = local.hides;
            }
        }
        Some(frame)
    }

    /// Makes a parameter, binder or local visible from here to the end of the innermost scope.
    pub(super) fn declare(&mut self, token: TokenId) {
        let Some(scope) = self.s.frames.last().map(|frame| frame.scope) else { return };
        let name = self.tokens.value[token.position()];
        let hides = self.s.local[name as usize];
        if let Some(first) = self.s.locals.get(hides as usize)
            && first.scope == scope
        {
            let first = first.token;
            if first != token {
                self.report(token, Code::AlreadyDeclared, first.number());
            }
            return;
        }
        self.s.local[name as usize] = self.s.locals.len() as u32;
        self.s.locals.push(Local { token, name, scope, hides });
    }

    /// Resolves a Var to its declaration.
    pub(super) fn resolve(&mut self, t: TokenId) {
        let name = self.tokens.value[t.position()] as usize;
        let decl = match self.s.locals.get(self.s.local[name] as usize) {
            Some(local) => Some(local.token),
            None => self.s.constant[name],
        };
        let Some(decl) = decl else {
            self.report(t, Code::UnknownVariable, 0);
            self.taint(t);
            return;
        };
        self.set_declaration(t, decl);
        if self.constant_depth(t) == 0 || self.role(decl) != Role::ConstName || self.precedes(decl, t) {
            let ty = self.ty(decl);
            self.set_ty(t, ty);
        }
    }

    /// Returns whether the constant named at `decl` is declared before the use at `t`.
    pub(super) fn precedes(&self, decl: TokenId, t: TokenId) -> bool {
        self.parent(decl).is_some_and(|item| self.end(item) <= t)
    }
}
