//! A first pass over a program: children of nodes, ends of extents, items, and limits.

use super::*;
use crate::lang::index::{Index, TokenId};
use crate::lang::limits;

/// Returns whether child `slot` of a node with role `parent` must be a constant expression.
pub(super) fn wants_constant(parent: Role, slot: u32) -> bool {
    match parent {
        Role::Const | Role::Repeat => slot == 1,
        Role::TypeList | Role::Binder => true,
        _ => false,
    }
}

impl Check<'_> {
    pub(super) fn survey(&mut self, n: usize) {
        let (mut region, mut function) = (0, None);
        let mut constants = false;
        for t in 0..n {
            let token = TokenId::at(t);
            if self.kind(token).begins_item() {
                region = t;
            }
            if self.broken(token) {
                self.s.flags[region] |= BROKEN_REGION;
            }
            let role = self.role(token);
            if role == Role::None {
                continue;
            }
            let end = (self.tree.hi[t] as usize).clamp(1, n) - 1;
            self.s.next_ending[t] = self.s.ending[end];
            self.s.ending[end] = Some(token);
            match role {
                Role::Fn => {
                    self.s.signatures[t] =
                        Signature { first: self.s.params.len() as u32, params: 0, locals: 0 };
                    self.s.functions.push(token);
                    function = Some(t);
                }
                Role::Const => self.s.constants.push(token),
                Role::Test | Role::Prop => {
                    self.s.tests += 1;
                    if self.s.tests == limits::TESTS as u32 + 1 {
                        self.s.excess_test = token;
                    }
                }
                Role::Param => {
                    self.s.params.push(token);
                    if let Some(f) = function {
                        self.s.signatures[f].params += 1;
                    }
                }
                Role::LetName | Role::LoopVar => {
                    if let Some(f) = function {
                        self.s.signatures[f].locals += 1;
                    }
                }
                Role::TypeList | Role::Repeat | Role::Binder => constants = true,
                _ => {}
            }
        }
        // Backwards, so that each node's children are in token order.
        for t in (0..n).rev() {
            let parent = self.tree.parent[t] as usize;
            if self.tree.role[t] != Role::None as u32 && parent < n {
                self.s.next_sibling[t] = self.s.first_child[parent];
                self.s.first_child[parent] = Some(TokenId::at(t));
            }
        }
        if constants || !self.s.constants.is_empty() {
            self.survey_constants(n);
        }
    }

    /// Counts for each token the constant expressions that contain it.
    fn survey_constants(&mut self, n: usize) {
        fill(&mut self.s.constant_depth, n + 1, 0);
        for t in 0..n {
            let token = TokenId::at(t);
            let Some(parent) = self.parent(token) else { continue };
            if wants_constant(self.role(parent), self.tree.slot[t]) && self.role(token).is_expression() {
                let depth = &mut self.s.constant_depth;
                depth[self.tree.lo[t] as usize] = depth[self.tree.lo[t] as usize].wrapping_add(1);
                let hi = (self.tree.hi[t] as usize).min(n);
                depth[hi] = depth[hi].wrapping_sub(1);
            }
        }
        let mut sum = 0u32;
        for depth in &mut self.s.constant_depth {
            sum = sum.wrapping_add(*depth);
            *depth = sum;
        }
    }

    /// Number of constant expressions that contain token `t`.
    pub(super) fn constant_depth(&self, t: TokenId) -> u32 {
        self.s.constant_depth.get(t.position()).copied().unwrap_or(0)
    }

    /// Reports E0604 to E0606.
    pub(super) fn limits(&mut self) {
        for i in 0..self.s.functions.len() {
            let function = self.s.functions[i];
            let Signature { first, params, locals } = self.s.signatures[function.position()];
            if params > limits::PARAMS as u32 {
                let excess = self.s.params[first as usize + limits::PARAMS];
                self.report(excess, Code::TooManyLocals, params);
            }
            if locals > limits::LOCALS as u32
                && let Some(name) = self.child(function, 0)
            {
                self.report(name, Code::TooManyLocals, locals);
            }
        }
        let functions = self.s.functions.len();
        if functions > limits::FUNCTIONS {
            self.report(self.s.functions[limits::FUNCTIONS], Code::TooManyFunctions, functions as u32);
        }
        if self.s.tests > limits::TESTS as u32 {
            self.report(self.s.excess_test, Code::TooManyTests, self.s.tests);
        }
    }
}
