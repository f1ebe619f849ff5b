//! Values that occur in a program, from which inputs are built.

use super::calls::Given;
use crate::compiler::program::{Compiled, Instructions, Routine};
use crate::compiler::stage::lex;
use crate::lang::index::{Indices, RoutineId, TokenId};
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;

/// The maximum numbers of integers and lists that are kept.
const INTS: usize = 256;
const LISTS: usize = 64;

/// The values that inputs are built from.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    /// Constants, characters, and bounds of binders. Those of the function's own code come first.
    pub ints: Vec<u32>,
    /// Strings and constant lists.
    pub lists: Vec<Vec<u32>>,
    /// The arguments with which tests and properties call the function.
    pub calls: Vec<Given>,
}

impl Pool {
    /// Collects the values of a program without errors, for one of its functions.
    pub fn new(compiled: &Compiled, function: RoutineId, calls: Vec<Given>) -> Pool {
        let mut pool = Pool { calls, ..Pool::default() };
        let own = compiled.executable.routine(function);
        pool.add_code(own.map_or(&[], Routine::words));
        if let Some(own) = own {
            pool.add_tokens(compiled, compiled.view().extent(own.head()));
        }
        pool.add_tokens(compiled, compiled.view().all());
        pool.add_code(&compiled.executable.code.word);
        let binders = &compiled.binders;
        for (lo, hi) in binders.lo.iter().zip(&binders.hi) {
            [*lo, *hi, hi.wrapping_sub(1)].into_iter().for_each(|bound| pool.add_int(bound));
        }
        pool
    }

    pub fn add_int(&mut self, value: u32) {
        if self.ints.len() < INTS && !self.ints.contains(&value) {
            self.ints.push(value);
        }
    }

    fn add_list(&mut self, list: Vec<u32>) {
        if self.lists.len() < LISTS && !self.lists.contains(&list) {
            self.lists.push(list);
        }
    }

    /// Adds the constants that code loads, and the lists that it builds from constants alone.
    pub fn add_code(&mut self, words: &[u32]) {
        // The constants that the immediately preceding instructions load.
        let mut run: Vec<u32> = Vec::new();
        for instruction in Instructions::of(words) {
            match instruction.op {
                Op::LoadConst | Op::LoadConstWide => {
                    run.push(instruction.operand);
                    self.add_int(instruction.operand);
                    continue;
                }
                Op::BuildList => {
                    if let Some(first) = run.len().checked_sub(instruction.operand as usize) {
                        self.add_list(run.split_off(first));
                    }
                }
                Op::LoadListConst => {
                    let elements = words.get(instruction.at + 1..).unwrap_or_default();
                    let elements = Instructions::of(elements).take(instruction.operand as usize);
                    self.add_list(elements.map(|element| element.operand).collect());
                }
                _ => {}
            }
            run.clear();
        }
    }

    /// Adds the literals and named constants in a range of tokens.
    fn add_tokens(&mut self, compiled: &Compiled, tokens: Indices<TokenId>) {
        let view = compiled.view();
        for token in tokens {
            match view.kind(token) {
                TokenKind::Int | TokenKind::Char => self.add_int(view.value(token)),
                TokenKind::Str => {
                    let codes: Vec<u32> = lex::codes(view.text(token)).collect();
                    codes.iter().for_each(|code| self.add_int(*code));
                    self.add_list(codes);
                }
                TokenKind::Name if view.declaration(token).is_some_and(|of| view.is(of, Role::ConstName)) => {
                    let declaration = view.declaration(token).unwrap_or(token);
                    self.add_int(view.constant(declaration));
                }
                _ => {}
            }
        }
    }
}
