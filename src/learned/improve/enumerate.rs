//! Finds a shorter window for a window, by trying all (Massalin, "Superoptimizer", 1987; Bansal and Aiken, "Automatic
//! generation of peephole superoptimizers", 2006).

use super::lanes::Lanes;
use super::windows::Window;
use crate::compiler::program::Watch;
use crate::compiler::stage::optimize::learned::rule::{Constant, Operand, Rule, RulePiece, heights};
use crate::lang::arithmetic;
use crate::lang::opcode::{Class, Op};
use crate::testing::prove::{RuleVerdict, rule as prove};

/// The maximum number of instructions that are tried.
pub const LONGEST: usize = 3;
/// The maximum number of proofs for a window.
const PROOFS: u32 = 12;

struct EnumerateSearch<'a> {
    window: &'a Window,
    dead: Vec<u8>,
    alphabet: Vec<RulePiece>,
    wanted: Lanes,
    /// The height of the stack at the end.
    height: usize,
    pieces: Vec<RulePiece>,
    proofs: u32,
    watch: &'a dyn Watch,
}

/// Returns a rule without a name that shortens a window as much as possible, and whose equality is proved. Returns
/// `None` if there is none within [`LONGEST`] instructions, or the work was cancelled.
pub fn shorten(window: &Window, watch: &dyn Watch) -> Option<Rule> {
    let mut deads = vec![Vec::new()];
    deads.extend((!window.dead.is_empty()).then(|| window.dead.clone()));
    let mut wanted = Lanes::start();
    let start = wanted.height() as i32;
    for (place, piece) in window.pieces.iter().enumerate() {
        wanted.run(piece, place)?;
    }
    // A window that takes more operands than states have is left out.
    let (lowest, _) = heights(&window.pieces);
    if start + lowest < 0 {
        return None;
    }
    for dead in deads {
        let mut search = EnumerateSearch {
            window,
            dead,
            alphabet: alphabet(window),
            height: wanted.height(),
            wanted: wanted.clone(),
            pieces: Vec::new(),
            proofs: PROOFS,
            watch,
        };
        for length in 0..window.pieces.len().min(LONGEST + 1) {
            if let Some(rule) = search.extend(&Lanes::start(), length) {
                return Some(rule);
            }
        }
    }
    None
}

/// The instructions that a replacement may consist of.
fn alphabet(window: &Window) -> Vec<RulePiece> {
    let mut alphabet = Vec::new();
    let mut constants = Vec::new();
    let mut add = |op, operand| {
        let piece = RulePiece { op, operand };
        if !alphabet.contains(&piece) {
            alphabet.push(piece);
        }
    };
    for piece in &window.pieces {
        match &piece.operand {
            Operand::Slot(slot) => {
                add(Op::LoadVar, Operand::Slot(*slot));
                if piece.op == Op::StoreVar {
                    add(Op::StoreVar, Operand::Slot(*slot));
                }
            }
            Operand::Constant(constant) if !constants.contains(constant) => constants.push(constant.clone()),
            _ => {}
        }
    }
    let computed = constants.clone();
    for a in &computed {
        constants.push(Constant::Unary(Op::Neg, Box::new(a.clone())));
        for b in &computed {
            for op in [Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or, Op::Xor] {
                constants.push(Constant::Binary(op, Box::new([a.clone(), b.clone()])));
            }
        }
    }
    constants.extend([0, 1, -1].map(Constant::Value));
    for constant in constants {
        // Of values, only the value counts.
        let constant = constant.value(&[]).map_or(constant, |value| Constant::Value(value as i32));
        add(Op::LoadConst, Operand::Constant(constant));
    }
    let has = |wanted: Op| window.pieces.iter().any(|piece| piece.op == wanted);
    for op in Op::ALL.iter().copied() {
        let computes = matches!(op.class(), Class::Unary | Class::Binary | Class::Copy);
        if computes && (!arithmetic::may_trap(op as u32) || has(op)) {
            add(op, Operand::None);
        }
    }
    if window.pieces.last().is_some_and(|piece| matches!(piece.op.class(), Class::Branch { .. })) {
        add(Op::JumpIfTrue, Operand::Target);
        add(Op::JumpIfFalse, Operand::Target);
    }
    alphabet
}

impl EnumerateSearch<'_> {
    /// Extends the pieces by `length` more in all ways, until a proof succeeds.
    fn extend(&mut self, lanes: &Lanes, length: usize) -> Option<Rule> {
        if length == 0 {
            return if lanes.same(&self.wanted, &self.dead) { self.proved() } else { None };
        }
        // An instruction changes the height by at most one.
        if lanes.height().abs_diff(self.height) > length || self.watch.cancelled() {
            return None;
        }
        let jumps =
            matches!(self.window.pieces.last().map(|piece| piece.op.class()), Some(Class::Branch { .. }));
        for i in 0..self.alphabet.len() {
            let piece = self.alphabet[i].clone();
            let is_branch = matches!(piece.op.class(), Class::Branch { .. });
            if is_branch != (jumps && length == 1) {
                continue;
            }
            let mut next = lanes.clone();
            let source = self.window.pieces.iter().rposition(|own| own.op == piece.op);
            if next.run(&piece, source.unwrap_or(self.window.pieces.len() - 1)).is_none() {
                continue;
            }
            self.pieces.push(piece);
            let found = self.extend(&next, length - 1);
            self.pieces.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Returns the rule for the pieces if it is proved.
    fn proved(&mut self) -> Option<Rule> {
        let rule = Rule {
            name: "new".into(),
            pattern: self.window.pieces.clone(),
            replacement: self.pieces.clone(),
            dead: self.dead.clone(),
        };
        if rule.check().is_err() || self.proofs == 0 {
            return None;
        }
        self.proofs -= 1;
        (prove(&rule, self.watch) == Some(RuleVerdict::Proved)).then_some(rule)
    }
}
