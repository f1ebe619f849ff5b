//! The code of one routine apart from its program. Targets of jumps are indices into this code.

use std::collections::BTreeMap;

use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::lower::{falls_through, number_blocks};
use crate::lang::NONE;
use crate::lang::opcode::{Class, Op, has_slot};

/// An instruction, with the columns of [`Ir`] that decide what it does and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    pub op: Op,
    pub arg: u32,
    pub aux: u32,
    pub token: u32,
    pub site: u32,
}

impl Instruction {
    /// The index that it can jump to.
    pub fn target(&self) -> Option<u32> {
        match self.op.class() {
            Class::Jump | Class::Branch { .. } => Some(self.arg),
            Class::Loop => Some(self.aux),
            _ => None,
        }
    }

    pub fn set_target(&mut self, to: u32) {
        match self.op.class() {
            Class::Jump | Class::Branch { .. } => self.arg = to,
            Class::Loop => self.aux = to,
            _ => {}
        }
    }

    /// Returns whether control can continue with the next instruction.
    pub fn falls_through(&self) -> bool {
        falls_through(self.op as u32)
    }

    /// The variable that it names.
    pub fn slot(&self) -> Option<u32> {
        has_slot(self.op as u32).then_some(self.arg)
    }
}

/// Returns the end of a routine's code: the beginning of the next routine, or the end of the program.
fn end(ir: &Ir, routines: &Routines, routine: usize) -> usize {
    let first = routines.ir[routine];
    let next = routines.ir.iter().filter(|other| **other > first).min();
    next.map_or(ir.op.len(), |next| *next as usize)
}

/// Returns the code of a routine. It is empty if the program has no such routine, or has unknown operations.
pub fn of(ir: &Ir, routines: &Routines, routine: usize) -> Vec<Instruction> {
    let Some(&first) = routines.ir.get(routine) else { return Vec::new() };
    let instructions = (first as usize..end(ir, routines, routine)).map(|i| {
        let op = Op::from_u32(ir.op[i])?;
        let mut own = Instruction { op, arg: ir.arg[i], aux: ir.aux[i], token: ir.token[i], site: ir.site[i] };
        if let Some(target) = own.target() {
            own.set_target(target.checked_sub(first)?);
        }
        Some(own)
    });
    instructions.collect::<Option<_>>().unwrap_or_default()
}

/// Replaces the code of some routines. Values of the new code have no known start.
pub fn replace(ir: &mut Ir, routines: &mut Routines, new: &BTreeMap<usize, Vec<Instruction>>) {
    if new.is_empty() {
        return;
    }
    let mut order: Vec<usize> = (0..routines.ir.len()).collect();
    order.sort_by_key(|routine| routines.ir[*routine]);
    let mut out = Ir::default();
    let mut entries = vec![0; routines.ir.len()];
    for routine in order {
        let (from, first) = (routines.ir[routine] as usize, out.op.len() as u32);
        entries[routine] = first;
        let old;
        let code = match new.get(&routine) {
            Some(code) => code,
            None => {
                old = of(ir, routines, routine);
                &old
            }
        };
        for (place, mut own) in code.iter().copied().enumerate() {
            if let Some(target) = own.target() {
                own.set_target(target + first);
            }
            out.op.push(own.op as u32);
            out.arg.push(own.arg);
            out.aux.push(own.aux);
            out.token.push(own.token);
            out.site.push(own.site);
            let start = match new.contains_key(&routine) {
                true => NONE,
                false => match ir.start[from + place] {
                    NONE => NONE,
                    start => start - from as u32 + first,
                },
            };
            out.start.push(start);
            out.block.push(0);
        }
    }
    routines.ir = entries;
    *ir = out;
    number_blocks(ir, &routines.ir, &mut Vec::new());
}

/// Marks the instructions that some jump leads to. One more than instructions.
pub fn targets(code: &[Instruction]) -> Vec<bool> {
    let mut targeted = vec![false; code.len() + 1];
    for target in code.iter().filter_map(Instruction::target) {
        if let Some(place) = targeted.get_mut(target as usize) {
            *place = true;
        }
    }
    targeted
}

/// Removes `NOP`s and the code that control cannot reach.
pub fn compact(code: &mut Vec<Instruction>) {
    let mut reached = vec![false; code.len()];
    let mut open = vec![0];
    while let Some(i) = open.pop() {
        let Some(own) = code.get(i) else { continue };
        if std::mem::replace(&mut reached[i], true) {
            continue;
        }
        if own.falls_through() {
            open.push(i + 1);
        }
        open.extend(own.target().map(|target| target as usize));
    }
    let keeps = |i: usize| reached[i] && code[i].op != Op::Nop;
    let mut place = Vec::with_capacity(code.len() + 1);
    let mut count = 0;
    for i in 0..code.len() {
        place.push(count);
        count += u32::from(keeps(i));
    }
    place.push(count);
    let kept = (0..code.len()).filter(|i| keeps(*i)).map(|i| {
        let mut own = code[i];
        if let Some(target) = own.target() {
            own.set_target(place[target as usize]);
        }
        own
    });
    *code = kept.collect();
}

/// Returns whether no path from instruction `from` on reads an int variable before it is stored.
pub fn is_dead(code: &[Instruction], from: usize, slot: u32) -> bool {
    let mut visited = vec![false; code.len()];
    let mut open = vec![from];
    while let Some(i) = open.pop() {
        let Some(own) = code.get(i) else { continue };
        if std::mem::replace(&mut visited[i], true) {
            continue;
        }
        if own.slot() == Some(slot) {
            match own.op {
                Op::StoreVar => continue,
                // They name the variable, and may store it.
                Op::RangeIter | Op::RangeIterInclusive | Op::ListIter => {}
                op if op.class() == Class::Loop => {}
                _ => return false,
            }
        }
        if own.falls_through() {
            open.push(i + 1);
        }
        open.extend(own.target().map(|target| target as usize));
    }
    true
}
