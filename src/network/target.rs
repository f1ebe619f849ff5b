//! Turns bytecode into the words that the model learns to write. The inverse is `assembler`.

use crate::compiler::program::{ExecutableInstruction, Instructions, Program};
use crate::lang::index::{Address, Index, RoutineId, Slot};
use crate::lang::opcode::{Op, Shape};
use crate::network::source::{Tables, Unsupported};
use crate::network::vocabulary::{
    CALLEES, CONSTANTS, COUNTS, ELEMENTS, EOS, Family, LABELS, LITERALS, TARGET_MAX, VARIABLES, plain,
};

/// Returns the words of a function's bytecode, with `<eos>` at the end.
///
/// # Errors
/// If the bytecode has a value that does not appear in the source, or too many labels or words.
pub fn write(program: &Program, function: RoutineId, tables: &Tables) -> Result<Vec<u16>, Unsupported> {
    let function = program.function(function).ok_or(Unsupported::NoFunction)?;
    of_code(function.words(), function.address(), tables)
}

/// Returns the words of code at address `origin`.
///
/// # Errors
/// As [`write`].
pub fn of_code(code: &[u32], origin: Address, tables: &Tables) -> Result<Vec<u16>, Unsupported> {
    // Which addresses are targets of jumps, and the label of each that has one already.
    let offset = |address: u32| address.wrapping_sub(origin.number()) as usize;
    let mut named = vec![None; code.len() + 1];
    let mut targets = vec![false; code.len() + 1];
    for ExecutableInstruction { op, operand, second, .. } in Instructions::of(code) {
        let target = match op.shape() {
            Shape::Target => operand,
            Shape::SlotTarget => second,
            _ => continue,
        };
        *targets.get_mut(offset(target)).ok_or(Unsupported::Value(target))? = true;
    }
    let mut fresh = 0;
    let mut label = |address: usize| -> Result<u32, Unsupported> {
        let slot = named.get_mut(address).ok_or(Unsupported::Value(address as u32))?;
        let name = *slot.get_or_insert_with(|| {
            fresh += 1;
            fresh - 1
        });
        if name < LABELS { Ok(name) } else { Err(Unsupported::Labels) }
    };
    let mut words = Vec::new();
    for ExecutableInstruction { at, op, operand, second } in Instructions::of(code) {
        if targets[at] {
            words.push(Family::Label.word(label(at)?));
        }
        let word = match op {
            Op::LoadConst | Op::LoadConstWide => constant(operand as i32, tables)?,
            Op::BuildList if operand > ELEMENTS => return Err(Unsupported::Elements(operand)),
            Op::BuildList => Family::Build.word(operand),
            Op::RepeatList => count(operand, tables)?,
            Op::Call => callee(RoutineId::new(operand), tables)?,
            Op::ReturnList => plain(Op::Return).ok_or(Unsupported::NoWord(op.name()))?,
            _ => match (family(op), op.shape()) {
                (Some(family), Shape::Target) => family.word(label(offset(operand))?),
                (Some(family), Shape::SlotTarget) => family.word(label(offset(second))?),
                (Some(family), _) => family.word(variable(Slot::new(operand), tables)?),
                (None, _) => plain(op).ok_or(Unsupported::NoWord(op.name()))?,
            },
        };
        words.push(word);
    }
    words.push(EOS);
    if words.len() > TARGET_MAX { Err(Unsupported::TargetWords(words.len())) } else { Ok(words) }
}

/// Returns the family of an instruction with a variable or a label.
fn family(op: Op) -> Option<Family> {
    Some(match op {
        Op::LoadVar | Op::LoadList => Family::Load,
        Op::StoreVar | Op::StoreList => Family::Store,
        Op::LoadIndexVar => Family::Index,
        Op::StoreIndex => Family::StoreIndex,
        Op::SliceVar => Family::SliceOf,
        Op::ListLenVar => Family::Len,
        Op::RangeIter => Family::Range,
        Op::RangeIterInclusive => Family::RangeInclusive,
        Op::ListIter => Family::Each,
        Op::Jump => Family::Jump,
        Op::JumpIfFalse => Family::IfFalse,
        Op::JumpIfTrue => Family::IfTrue,
        Op::JumpIfFalseOrPop => Family::IfFalseOrPop,
        Op::JumpIfTrueOrPop => Family::IfTrueOrPop,
        Op::ForRange | Op::ForList => Family::For,
        _ => return None,
    })
}

fn constant(value: i32, tables: &Tables) -> Result<u16, Unsupported> {
    if let Some(index) = LITERALS.iter().position(|&literal| literal == value) {
        return Ok(Family::Literal.word(index as u32));
    }
    find(&tables.constants, |&constant| constant == value, CONSTANTS, value as u32)
        .map(|i| Family::Copy.word(i))
}

fn count(count: u32, tables: &Tables) -> Result<u16, Unsupported> {
    if let Some(index) = COUNTS.iter().position(|&literal| literal == count) {
        return Ok(Family::Repeat.word(index as u32));
    }
    find(&tables.constants, |&constant| constant == count as i32, CONSTANTS, count)
        .map(|i| Family::RepeatCopy.word(i))
}

fn callee(function: RoutineId, tables: &Tables) -> Result<u16, Unsupported> {
    find(&tables.callees, |callee| callee.function == function, CALLEES, function.number())
        .map(|i| Family::Call.word(i))
}

fn variable(place: Slot, tables: &Tables) -> Result<u32, Unsupported> {
    find(&tables.variables, |variable| variable.place == place, VARIABLES, place.number())
}

/// Returns the slot of the entry for which `is` holds.
fn find<T>(table: &[T], is: impl Fn(&T) -> bool, limit: u32, word: u32) -> Result<u32, Unsupported> {
    let index = table.iter().position(is).map(|index| index as u32);
    index.filter(|&index| index < limit).ok_or(Unsupported::Value(word))
}
