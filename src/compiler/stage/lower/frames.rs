//! Frames, routines and binders: offsets of variables, and the machine's data about each function, test and
//! property.

use super::LowerScratch;
use crate::compiler::program::{Binders, Routines, View};
use crate::lang::NONE;
use crate::lang::index::{Index, Slot, TokenId};
use crate::lang::role::Role;
use crate::lang::ty::Type;

/// Lays out every frame and fills the rows of routines (but `ir`) and binders. Returns the number of functions.
pub fn lay_out(
    input: View,
    functions: &mut Routines,
    binders: &mut Binders,
    scratch: &mut LowerScratch,
) -> u32 {
    let LowerScratch { nodes, holes, place, entries, .. } = scratch;
    place.clear();
    place.resize(input.rows().len() as usize, 0);
    entries.clear();
    let mut in_entry = false;
    for token in input.rows() {
        let at = token.position();
        let Some(role) = Role::from_u32(input.tree.role[at]) else { continue };
        let rows = if in_entry { &mut *entries } else { &mut *functions };
        match role {
            Role::Fn => {
                in_entry = false;
                if let Some(name) = nodes.child(token, 0) {
                    place[name.position()] = functions.token.len() as u32;
                }
                add_row(functions, token, input.ty(token), 0);
            }
            Role::Test | Role::Prop => {
                in_entry = true;
                add_row(entries, token, Type::BOOL, binders.lo.len() as u32);
            }
            // The code of a hole uses no variables, but code after it may name those that a `let` declares.
            Role::Param | Role::Binder | Role::LoopVar if holes.contain(token) => {}
            Role::Param => {
                let ty = input.ty(token);
                add_parameter(rows, ty.capacity());
                place[at] = allocate(rows, ty.words()).number();
            }
            Role::Binder => {
                let constant_or =
                    |slot, other| nodes.child(token, slot).map_or(other, |child| input.constant(child));
                let ty = input.ty(token);
                add_parameter(rows, ty.capacity());
                place[at] = allocate(rows, ty.words()).number();
                binders.lo.push(constant_or(0, 0));
                binders.hi.push(constant_or(1, 0));
                binders.max_len.push(constant_or(2, NONE));
                binders.token.push(token.number());
            }
            Role::LetName => place[at] = allocate(rows, input.ty(token).words()).number(),
            Role::LoopVar => {
                let list = input.parent(token).and_then(|head| nodes.child(head, 1));
                let capacity = list.map_or(0, |list| input.ty(list).capacity());
                place[at] = allocate(rows, 3 + capacity).number();
            }
            _ => {}
        }
    }
    let count = functions.token.len() as u32;
    for (column, more) in functions.columns_mut().into_iter().zip(entries.columns()) {
        column.extend_from_slice(more);
    }
    count
}

fn add_row(rows: &mut Routines, token: TokenId, result: Type, binders: u32) {
    rows.token.push(token.number());
    rows.ir.push(0);
    rows.frame.push(0);
    rows.params.push(0);
    rows.caps0.push(0);
    rows.caps1.push(0);
    rows.caps2.push(0);
    rows.caps3.push(0);
    rows.result.push(result.0);
    rows.binders.push(binders);
    rows.address.push(0);
}

/// Records the next parameter or binder of the last routine. The limit on parameters makes 16 capacities
/// enough.
fn add_parameter(rows: &mut Routines, capacity: u32) {
    let Some(params) = rows.params.last_mut() else { return };
    let index = *params;
    *params += 1;
    let column = match index / 4 {
        0 => &mut rows.caps0,
        1 => &mut rows.caps1,
        2 => &mut rows.caps2,
        3 => &mut rows.caps3,
        _ => return,
    };
    if let Some(word) = column.last_mut() {
        *word |= capacity << (index % 4 * 8);
    }
}

/// Allocates `words` in the frame of the last routine.
fn allocate(rows: &mut Routines, words: u32) -> Slot {
    let Some(frame) = rows.frame.last_mut() else { return Slot::default() };
    let place = Slot::new(*frame);
    *frame += words;
    place
}
