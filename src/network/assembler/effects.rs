//! The effects of words on operands and variables.

use crate::lang::opcode::Op;
use crate::network::source::{LoopKind, SourceVariable, Tables};
use crate::network::vocabulary::{Family, PLAIN};

/// The maximum count of `REPEAT_LIST`.
const REPEAT_MAX: i32 = 64;

/// The effect of an instruction. In sets of operands, bit 0 is the deepest one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssemblerEffect {
    /// Number of operands popped.
    pub pops: u32,
    /// The popped operands that must be lists.
    pub popped_lists: u32,
    /// Number of operands pushed.
    pub pushes: u32,
    /// The pushed operands that are lists.
    pub pushed_lists: u32,
    /// Variables that must have been stored before.
    pub reads: u32,
    /// Variables that are stored.
    pub stores: u32,
    /// Variables whose loops begin.
    pub begins: u32,
}

impl AssemblerEffect {
    const fn new(pops: u32, popped_lists: u32, pushes: u32, pushed_lists: u32) -> AssemblerEffect {
        AssemblerEffect { pops, popped_lists, pushes, pushed_lists, reads: 0, stores: 0, begins: 0 }
    }
    const fn reading(self, variable: u32) -> AssemblerEffect {
        AssemblerEffect { reads: 1 << variable, ..self }
    }
}

/// Returns the effect of an instruction's word, or `None` if its variable, slot or callee is missing or of
/// the wrong kind. The effect of a jump is that of falling through. Labels and `for` have no such effect.
pub fn effect(tables: &Tables, family: Family, index: u32) -> Option<AssemblerEffect> {
    let variable = || tables.variables.get(index as usize).copied();
    let list = || variable().filter(|variable| variable.capacity > 0);
    Some(match family {
        Family::Plain => match *PLAIN.get(index as usize)? {
            Op::Return => {
                AssemblerEffect::new(1, (tables.callees.first().is_some_and(|own| own.result > 0)) as u32, 0, 0)
            }
            op => {
                let effect = op.effect();
                AssemblerEffect::new(effect.takes, effect.taken_lists, effect.leaves, effect.left_lists)
            }
        },
        Family::Literal => AssemblerEffect::new(0, 0, 1, 0),
        Family::Copy => {
            tables.constants.get(index as usize)?;
            AssemblerEffect::new(0, 0, 1, 0)
        }
        Family::Load => AssemblerEffect::new(0, 0, 1, (variable()?.capacity > 0) as u32).reading(index),
        Family::Store => AssemblerEffect {
            stores: 1 << index,
            ..AssemblerEffect::new(1, (variable()?.capacity > 0) as u32, 0, 0)
        },
        Family::Index => list().map(|_| AssemblerEffect::new(1, 0, 1, 0).reading(index))?,
        Family::StoreIndex => list().map(|_| AssemblerEffect::new(2, 0, 0, 0).reading(index))?,
        Family::SliceOf => list().map(|_| AssemblerEffect::new(2, 0, 1, 1).reading(index))?,
        Family::Len => list().map(|_| AssemblerEffect::new(0, 0, 1, 0).reading(index))?,
        Family::Range | Family::RangeInclusive => begins(variable()?, index, false)?,
        Family::Each => begins(variable()?, index, true)?,
        Family::Jump => AssemblerEffect::default(),
        Family::IfFalse | Family::IfTrue | Family::IfFalseOrPop | Family::IfTrueOrPop => {
            AssemblerEffect::new(1, 0, 0, 0)
        }
        Family::Build => AssemblerEffect::new(index, 0, 1, 1),
        Family::Repeat => AssemblerEffect::new(1, 0, 1, 1),
        Family::RepeatCopy => {
            let count = *tables.constants.get(index as usize)?;
            (1..=REPEAT_MAX).contains(&count).then_some(AssemblerEffect::new(1, 0, 1, 1))?
        }
        Family::Call => {
            let callee = tables.callees.get(index as usize)?;
            AssemblerEffect::new(callee.params, callee.lists, 1, (callee.result > 0) as u32)
        }
        _ => return None,
    })
}

/// Returns the effect of beginning a loop, which pops two bounds or a list.
fn begins(variable: SourceVariable, index: u32, through_list: bool) -> Option<AssemblerEffect> {
    let effect = match (variable.looping, through_list) {
        (LoopKind::Range, false) => AssemblerEffect::new(2, 0, 0, 0),
        (LoopKind::List { .. }, true) => AssemblerEffect::new(1, 1, 0, 0),
        _ => return None,
    };
    Some(AssemblerEffect { begins: 1 << index, ..effect })
}
