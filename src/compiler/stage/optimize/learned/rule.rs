//! Rules: a short window of code with holes, and a shorter one that does the same.
//!
//! A rule is a line of text: `name: LOAD_CONST 0; COMPARE_NE; JUMP_IF_TRUE @ => JUMP_IF_TRUE @`. The letters `x y z u v w`
//! are holes for variables, which differ from each other; `a b c d` are holes for constants. A constant of the replacement
//! may be computed from these: `LOAD_CONST BINARY_ADD(a, b)`. After `if dead`, variables follow that no later code reads.

use std::fmt::{self, Display};

use super::code::{Instruction, is_dead, targets};
use crate::lang::arithmetic;
use crate::lang::opcode::{Class, Op, Shape};

/// The names of holes for variables and for constants.
pub const SLOTS: [&str; 6] = ["x", "y", "z", "u", "v", "w"];
pub const CONSTANTS: [&str; 4] = ["a", "b", "c", "d"];
/// The maximum number of instructions of a window.
pub const LONGEST: usize = 8;

/// A constant: a value, a hole, or computed from others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    Value(i32),
    Hole(u8),
    Unary(Op, Box<Constant>),
    Binary(Op, Box<[Constant; 2]>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    None,
    Slot(u8),
    Constant(Constant),
    /// The target of the window's last instruction.
    Target,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RulePiece {
    pub op: Op,
    pub operand: Operand,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    pub name: String,
    pub pattern: Vec<RulePiece>,
    pub replacement: Vec<RulePiece>,
    /// Holes for variables that no code after the window reads.
    pub dead: Vec<u8>,
}

/// The variables and constants of a window that matches.
#[derive(Clone, Debug, Default)]
struct Binding {
    slots: [Option<u32>; SLOTS.len()],
    constants: [Option<u32>; CONSTANTS.len()],
    target: u32,
}

impl Constant {
    /// Returns the value, or `None` if a hole is open.
    pub fn value(&self, holes: &[Option<u32>]) -> Option<u32> {
        Some(match self {
            Constant::Value(value) => *value as u32,
            Constant::Hole(hole) => *holes.get(*hole as usize)?.as_ref()?,
            Constant::Unary(op, of) => arithmetic::unary(*op as u32, of.value(holes)?),
            Constant::Binary(op, of) => {
                arithmetic::binary(*op as u32, of[0].value(holes)?, of[1].value(holes)?).ok()?
            }
        })
    }

    fn holes(&self, each: &mut impl FnMut(u8)) {
        match self {
            Constant::Value(_) => {}
            Constant::Hole(hole) => each(*hole),
            Constant::Unary(_, of) => of.holes(each),
            Constant::Binary(_, of) => of.iter().for_each(|of| of.holes(each)),
        }
    }
}

/// Returns whether a window may contain an operation: one on words, or a conditional jump that pops its condition.
pub fn is_word_op(op: Op) -> bool {
    match op.class() {
        Class::Unary | Class::Binary | Class::Copy => true,
        Class::Branch { .. } => op.condition().is_some_and(|(_, keeps)| !keeps),
        _ => matches!(op, Op::LoadConst | Op::LoadVar | Op::StoreVar),
    }
}

/// The operands that pieces take below where they begin, and the heights of the stack after each, from there.
pub fn heights(pieces: &[RulePiece]) -> (i32, Vec<i32>) {
    let (mut height, mut lowest, mut all) = (0, 0, Vec::new());
    for piece in pieces {
        let effect = piece.op.effect();
        lowest = lowest.min(height - effect.takes as i32);
        height += effect.leaves as i32 - effect.takes as i32;
        all.push(height);
    }
    (lowest, all)
}

impl Rule {
    /// Checks everything but the equality of both windows.
    ///
    /// # Errors
    /// Says what is wrong, as a clause.
    pub fn check(&self) -> Result<(), String> {
        let Rule { pattern, replacement, dead, .. } = self;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if self.name.is_empty() || self.name.len() > 64 || !self.name.chars().all(is_name) {
            return Err("its name must have 1 to 64 letters, digits and `-`".into());
        }
        if pattern.is_empty() || pattern.len() > LONGEST || replacement.len() >= pattern.len() {
            return Err(format!("its window must have at most {LONGEST} instructions, and become shorter"));
        }
        let is_branch = |piece: &RulePiece| matches!(piece.op.class(), Class::Branch { .. });
        for window in [pattern, replacement] {
            let inner = window.split_last().map_or(&[][..], |(_, inner)| inner);
            if inner.iter().any(is_branch) || !window.iter().all(|piece| is_word_op(piece.op)) {
                return Err("only its last instruction may jump, and all others compute words".into());
            }
        }
        if pattern.last().is_some_and(is_branch) != replacement.last().is_some_and(is_branch) {
            return Err("both windows must jump, or neither".into());
        }
        let (mut slots, mut constants) = (Vec::new(), Vec::new());
        for piece in pattern {
            match &piece.operand {
                Operand::Slot(slot) => slots.push(*slot),
                Operand::Constant(Constant::Hole(hole)) => constants.push(*hole),
                Operand::Constant(Constant::Value(_)) | Operand::None | Operand::Target => {}
                Operand::Constant(_) => return Err("constants of its window must not be computed".into()),
            }
        }
        let mut known = dead.iter().all(|slot| slots.contains(slot));
        for piece in replacement {
            match &piece.operand {
                Operand::Slot(slot) => known &= slots.contains(slot),
                Operand::Constant(constant) => constant.holes(&mut |hole| known &= constants.contains(&hole)),
                Operand::None | Operand::Target => {}
            }
        }
        if !known {
            return Err("its replacement has a hole that its window lacks".into());
        }
        // OutOfMemory must not come earlier: neither in all, nor before an operation that may trap.
        let peak = |pieces: &[RulePiece]| {
            let until = pieces.iter().position(|piece| arithmetic::may_trap(piece.op as u32));
            let highest = |all: &[i32]| all.iter().copied().max().unwrap_or(0).max(0);
            let all = heights(pieces).1;
            [highest(&all[..until.unwrap_or(all.len())]), highest(&all)]
        };
        let (own, new) = (peak(pattern), peak(replacement));
        if new[0] > own[0] || new[1] > own[1] {
            return Err("its replacement needs more memory than its window".into());
        }
        Ok(())
    }

    /// The instruction of the window whose place an instruction of the replacement takes: the last one with the same
    /// operation, or else the last one.
    pub fn source(&self, piece: &RulePiece) -> usize {
        let same = self.pattern.iter().rposition(|own| own.op == piece.op);
        same.unwrap_or(self.pattern.len() - 1)
    }

    /// Matches the window against the code at `at`.
    fn matches(&self, code: &[Instruction], targeted: &[bool], at: usize) -> Option<Binding> {
        let mut binding = Binding::default();
        let window = code.get(at..at + self.pattern.len())?;
        for (place, (piece, own)) in self.pattern.iter().zip(window).enumerate() {
            if piece.op != own.op || place > 0 && targeted[at + place] {
                return None;
            }
            match &piece.operand {
                Operand::None => {}
                Operand::Slot(hole) => {
                    // Different holes are different variables.
                    let other = binding.slots.iter().position(|slot| *slot == Some(own.arg));
                    if other.is_some_and(|other| other != *hole as usize) {
                        return None;
                    }
                    if *binding.slots.get_mut(*hole as usize)?.get_or_insert(own.arg) != own.arg {
                        return None;
                    }
                }
                Operand::Constant(Constant::Hole(hole)) => {
                    let bound = binding.constants.get_mut(*hole as usize)?;
                    if *bound.get_or_insert(own.arg) != own.arg {
                        return None;
                    }
                }
                Operand::Constant(constant) => {
                    if constant.value(&[])? != own.arg {
                        return None;
                    }
                }
                Operand::Target => binding.target = own.arg,
            }
        }
        let after = at + self.pattern.len();
        let jumps = window.last().and_then(Instruction::target);
        let is_dead = |slot: &u8| {
            let slot = binding.slots.get(*slot as usize).copied().flatten();
            slot.is_some_and(|slot| {
                is_dead(code, after, slot) && jumps.is_none_or(|target| is_dead(code, target as usize, slot))
            })
        };
        self.dead.iter().all(is_dead).then_some(binding)
    }

    /// Returns the code of the replacement. `window` is the code that matches.
    fn written(&self, window: &[Instruction], binding: &Binding) -> Option<Vec<Instruction>> {
        let write = |piece: &RulePiece| {
            let from = window[self.source(piece)];
            let arg = match &piece.operand {
                Operand::None => 0,
                Operand::Slot(hole) => binding.slots.get(*hole as usize).copied().flatten()?,
                Operand::Constant(constant) => constant.value(&binding.constants)?,
                Operand::Target => binding.target,
            };
            Some(Instruction { op: piece.op, arg, aux: 0, ..from })
        };
        self.replacement.iter().map(write).collect()
    }
}

/// Applies rules to a routine until none applies. Adds to `hits` how often each was applied. Returns whether any was.
pub fn apply<'a>(
    rules: impl Iterator<Item = &'a Rule> + Clone,
    code: &mut Vec<Instruction>,
    hits: &mut dyn FnMut(&Rule),
) -> bool {
    let mut any = false;
    loop {
        let targeted = targets(code);
        let mut changed = false;
        let mut at = 0;
        while at < code.len() {
            let found = rules.clone().filter(|rule| rule.pattern[0].op == code[at].op).find_map(|rule| {
                let binding = rule.matches(code, &targeted, at)?;
                let window = &code[at..at + rule.pattern.len()];
                Some((rule, rule.written(window, &binding)?))
            });
            if let Some((rule, new)) = found {
                for place in 0..rule.pattern.len() {
                    let nop = Instruction { op: Op::Nop, arg: 0, aux: 0, ..code[at + place] };
                    code[at + place] = new.get(place).copied().unwrap_or(nop);
                }
                hits(rule);
                changed = true;
                at += rule.pattern.len();
            } else {
                at += 1;
            }
        }
        if !changed {
            return any;
        }
        any = true;
        super::code::compact(code);
    }
}

impl Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Constant::Value(value) => write!(f, "{value}"),
            Constant::Hole(hole) => f.write_str(CONSTANTS.get(*hole as usize).copied().unwrap_or("?")),
            Constant::Unary(op, of) => write!(f, "{}({of})", op.name()),
            Constant::Binary(op, of) => write!(f, "{}({}, {})", op.name(), of[0], of[1]),
        }
    }
}

impl Display for RulePiece {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.op.name())?;
        match &self.operand {
            Operand::None => Ok(()),
            Operand::Slot(hole) => write!(f, " {}", SLOTS.get(*hole as usize).copied().unwrap_or("?")),
            Operand::Constant(constant) => write!(f, " {constant}"),
            Operand::Target => f.write_str(" @"),
        }
    }
}

impl Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let window = |pieces: &[RulePiece]| {
            let all: Vec<String> = pieces.iter().map(RulePiece::to_string).collect();
            if all.is_empty() { "nothing".to_string() } else { all.join("; ") }
        };
        write!(f, "{}: {} => {}", self.name, window(&self.pattern), window(&self.replacement))?;
        for (place, slot) in self.dead.iter().enumerate() {
            let before = if place == 0 { " if dead " } else { " " };
            write!(f, "{before}{}", SLOTS.get(*slot as usize).copied().unwrap_or("?"))?;
        }
        Ok(())
    }
}

impl Rule {
    /// Reads a rule from a line of text, and checks all but the equality of both windows.
    ///
    /// # Errors
    /// Says what is wrong, as a clause.
    pub fn read(line: &str) -> Result<Rule, String> {
        let (name, rest) = line.split_once(':').ok_or("it must begin with a name and `:`")?;
        let (rest, dead) = rest.split_once(" if dead ").unwrap_or((rest, ""));
        let (pattern, replacement) = rest.split_once("=>").ok_or("it has no `=>`")?;
        let window = |text: &str| match text.trim() {
            "nothing" => Ok(Vec::new()),
            text => text.split(';').map(|piece| read_piece(piece.trim())).collect::<Result<Vec<_>, _>>(),
        };
        let slot = |word: &str| hole(&SLOTS, word).ok_or(format!("`{word}` is not a variable's hole"));
        let rule = Rule {
            name: name.trim().into(),
            pattern: window(pattern)?,
            replacement: window(replacement)?,
            dead: dead.split_whitespace().map(slot).collect::<Result<_, _>>()?,
        };
        rule.check()?;
        Ok(rule)
    }
}

fn hole(names: &[&str], word: &str) -> Option<u8> {
    names.iter().position(|name| *name == word).and_then(|place| u8::try_from(place).ok())
}

fn operation(name: &str) -> Result<Op, String> {
    let found = Op::ALL.iter().copied().find(|op| op.name() == name && is_word_op(*op));
    found.ok_or_else(|| format!("`{name}` is not an operation of rules"))
}

fn read_piece(text: &str) -> Result<RulePiece, String> {
    let (name, operand) = text.split_once(' ').unwrap_or((text, ""));
    let (op, operand) = (operation(name)?, operand.trim());
    let operand = match op.shape() {
        Shape::Slot => {
            Operand::Slot(hole(&SLOTS, operand).ok_or(format!("`{operand}` is not a variable's hole"))?)
        }
        Shape::Value => Operand::Constant(read_constant(operand, 0)?),
        Shape::Target if operand == "@" => Operand::Target,
        Shape::Plain if operand.is_empty() => Operand::None,
        _ => return Err(format!("`{text}` has a wrong operand")),
    };
    Ok(RulePiece { op, operand })
}

fn read_constant(text: &str, depth: u32) -> Result<Constant, String> {
    let wrong = || format!("`{text}` is not a constant");
    if let Some(hole) = hole(&CONSTANTS, text) {
        return Ok(Constant::Hole(hole));
    }
    if let Ok(value) = text.parse() {
        return Ok(Constant::Value(value));
    }
    if depth > 3 {
        return Err("a constant is nested too deep".into());
    }
    let (name, inner) = text.strip_suffix(')').and_then(|text| text.split_once('(')).ok_or_else(wrong)?;
    let op = operation(name)?;
    match op.class() {
        Class::Unary => Ok(Constant::Unary(op, Box::new(read_constant(inner.trim(), depth + 1)?))),
        Class::Binary if !arithmetic::may_trap(op as u32) => {
            // The comma outside of all parentheses.
            let mut open = 0;
            let comma = inner.char_indices().find(|(_, c)| {
                open += i32::from(*c == '(') - i32::from(*c == ')');
                open == 0 && *c == ','
            });
            let (first, second) = inner.split_at(comma.ok_or_else(wrong)?.0);
            let parts =
                [read_constant(first.trim(), depth + 1)?, read_constant(second[1..].trim(), depth + 1)?];
            Ok(Constant::Binary(op, Box::new(parts)))
        }
        _ => Err(wrong()),
    }
}
