//! Keys of functions: a hash of everything that decides what a function does.
//!
//! It covers the lowered code of the function and of all functions that it may call, with their types. Names, comments and
//! the place in a file do not matter, so equal functions of different files have one key.

use crate::compiler::program::{Ir, Routines};
use crate::lang::hash::fnv128;
use crate::lang::opcode::Op;

use super::code::{self, Instruction};

/// The hash of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LearnedKey(pub u128);

/// A function's key, and the routines that its code refers to: itself, then those that it may call, in order of
/// discovery.
#[derive(Clone, Debug)]
pub struct Keyed {
    pub key: LearnedKey,
    pub closure: Vec<u32>,
}

pub fn hash(words: impl IntoIterator<Item = u32>) -> u128 {
    fnv128(words.into_iter().flat_map(u32::to_le_bytes))
}

/// A routine's own words: all but the functions that it calls, which are listed in order of their first calls.
struct Own {
    hash: u128,
    callees: Vec<u32>,
}

/// Returns the key of each routine of lowered code.
pub fn keys(lowered: &Ir, routines: &Routines) -> Vec<Keyed> {
    let own: Vec<Own> = (0..routines.ir.len()).map(|routine| of_routine(lowered, routines, routine)).collect();
    (0..own.len() as u32)
        .map(|routine| {
            let mut closure = vec![routine];
            let mut words = Vec::new();
            let mut at = 0;
            while let Some(member) = closure.get(at).and_then(|member| own.get(*member as usize)) {
                at += 1;
                words.extend((0..4).map(|part| (member.hash >> (32 * part)) as u32));
                for callee in &member.callees {
                    let place = closure.iter().position(|known| known == callee).unwrap_or_else(|| {
                        closure.push(*callee);
                        closure.len() - 1
                    });
                    words.push(place as u32);
                }
            }
            Keyed { key: LearnedKey(hash(words)), closure }
        })
        .collect()
}

fn of_routine(lowered: &Ir, routines: &Routines, routine: usize) -> Own {
    let head = routines.token[routine];
    let Routines { frame, params, caps0, caps1, caps2, caps3, result, .. } = routines;
    let header = [frame, params, caps0, caps1, caps2, caps3, result];
    let mut words: Vec<u32> = header.iter().map(|column| column.get(routine).copied().unwrap_or(0)).collect();
    let mut callees: Vec<u32> = Vec::new();
    for Instruction { op, arg, aux, token, .. } in code::of(lowered, routines, routine) {
        let arg = match op {
            Op::Call => callees.iter().position(|known| *known == arg).unwrap_or_else(|| {
                callees.push(arg);
                callees.len() - 1
            }) as u32,
            _ => arg,
        };
        words.extend([op as u32, arg, aux, token.wrapping_sub(head)]);
    }
    Own { hash: hash(words), callees }
}
