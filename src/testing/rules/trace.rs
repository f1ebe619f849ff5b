//! The letters that each side of a rule evaluates, in order, and the steps that it takes, for every combination of the
//! conditions on which these depend.

use super::pattern::{Builtin, Operation, Pattern};
use super::read::{ExpressionRule, LETTERS};
use crate::lang::token::TokenKind;

/// The maximum number of conditions.
const ATOMS: usize = 10;

/// One way through a side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// The letters in the order of their evaluation, each with the number of operands on the stack before it.
    pub letters: Vec<(u8, u32)>,
    /// The instructions at level 0, except those of letters and blocks.
    pub steps: u32,
    /// The maximum number of operands, if each letter takes one.
    pub peak: u32,
    /// Whether a division by zero ended it.
    trapped: bool,
}

impl Way {
    /// The number of times that a letter is evaluated.
    pub fn count(&self, letter: u8) -> u32 {
        self.letters.iter().filter(|(own, _)| *own == letter).count() as u32
    }
}

/// A condition without `!`, `&&` and `||`, so that equal ones have equal texts.
#[derive(Clone, Debug, PartialEq)]
struct Atom {
    pattern: Pattern,
    /// Whether the condition holds where the atom does not.
    negated: bool,
}

impl Atom {
    fn of(pattern: &Pattern) -> Atom {
        use TokenKind::*;
        let Pattern::Apply(Operation::Binary(kind), parts) = pattern else {
            return Atom { pattern: pattern.clone(), negated: false };
        };
        let mut parts = parts.clone();
        let (kind, swaps, negated) = match kind {
            Greater => (Less, true, false),
            LessEqual => (Less, true, true),
            GreaterEqual => (Less, false, true),
            EqualEqual | BangEqual => (EqualEqual, text(&parts[0]) > text(&parts[1]), *kind == BangEqual),
            kind => (*kind, false, false),
        };
        if swaps {
            parts.reverse();
        }
        Atom { pattern: Pattern::Apply(Operation::Binary(kind), parts), negated }
    }

    fn is_zero(divisor: &Pattern) -> Atom {
        let parts = vec![divisor.clone(), Pattern::Int(0)];
        Atom::of(&Pattern::Apply(Operation::Binary(TokenKind::EqualEqual), parts))
    }
}

fn text(pattern: &Pattern) -> String {
    let mut text = String::new();
    pattern.write(&|letter| format!("${letter}"), &mut text);
    text
}

/// A walk through a side, with some truth of each atom.
struct Walk<'a> {
    atoms: &'a mut Vec<Pattern>,
    truths: u32,
    /// Whether constants are computed while compiling, as on the right side.
    rule: Option<&'a ExpressionRule>,
    way: Way,
}

impl Walk<'_> {
    /// Returns the truth of an atom. One not met before is added.
    fn holds(&mut self, atom: Atom) -> bool {
        let place = self.atoms.iter().position(|own| *own == atom.pattern).unwrap_or_else(|| {
            self.atoms.push(atom.pattern);
            self.atoms.len() - 1
        });
        (self.truths.checked_shr(place as u32).unwrap_or(0) & 1 == 1) != atom.negated
    }

    /// Returns the truth of a condition.
    fn truth(&mut self, pattern: &Pattern) -> bool {
        match pattern {
            Pattern::Bool(value) => *value,
            Pattern::Apply(Operation::Unary(TokenKind::Bang), parts) => !self.truth(&parts[0]),
            Pattern::Apply(Operation::Binary(kind), parts) if kind.is_logical() => {
                // Both, so that all atoms are met.
                let (a, b) = (self.truth(&parts[0]), self.truth(&parts[1]));
                if *kind == TokenKind::BarBar { a || b } else { a && b }
            }
            pattern => self.holds(Atom::of(pattern)),
        }
    }

    fn step(&mut self, count: u32, height: u32) {
        if !self.way.trapped {
            self.way.steps += count;
            self.way.peak = self.way.peak.max(height);
        }
    }

    fn run(&mut self, pattern: &Pattern, height: u32) {
        if self.way.trapped {
            return;
        }
        if self.rule.is_some_and(|rule| is_constant(rule, pattern)) {
            return self.step(1, height + 1);
        }
        match pattern {
            Pattern::Letter(letter) => {
                self.way.letters.push((*letter, height));
                self.step(0, height + 1);
            }
            Pattern::Int(_) | Pattern::Bool(_) => self.step(1, height + 1),
            Pattern::Apply(operation, parts) if operation.is_logical() => {
                self.run(&parts[0], height);
                self.step(1, height + 1);
                let decides = *operation == Operation::Binary(TokenKind::BarBar);
                if self.truth(&parts[0]) != decides {
                    self.run(&parts[1], height);
                }
            }
            Pattern::Apply(operation, parts) => {
                for (place, part) in (0..).zip(parts) {
                    self.run(part, height + place);
                }
                self.step(u32::from(*operation != Operation::Call(Builtin::Int)), height + 1);
                if operation.divides() && !self.way.trapped {
                    self.way.trapped = match parts[1].value(&|_| None) {
                        Some(value) => value == 0,
                        None => self.holds(Atom::is_zero(&parts[1])),
                    };
                }
            }
            Pattern::Nothing | Pattern::Block(_) => {}
            Pattern::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                self.run(condition, height);
                self.step(1, height);
                if !self.truth(condition) {
                    self.run(otherwise, height);
                } else {
                    // The left side may leave the block without the jump over `else`.
                    self.step(u32::from(self.rule.is_some() && *otherwise != Pattern::Nothing), height);
                    self.run(then, height);
                }
            }
        }
    }
}

/// Returns whether all letters of an expression are constants, so that it is computed while compiling.
fn is_constant(rule: &ExpressionRule, pattern: &Pattern) -> bool {
    let mut all = !pattern.is_statement();
    pattern.each(&mut |part| {
        if let Pattern::Letter(letter) = part {
            all &= rule.letters.get(*letter as usize).is_some_and(|letter| letter.is_constant);
        }
    });
    all
}

/// Returns both sides' ways for every combination of conditions; `None` if there are too many.
pub fn ways(rule: &ExpressionRule) -> Option<Vec<[Way; 2]>> {
    let (mut atoms, mut all): (Vec<Pattern>, Vec<[Way; 2]>) = (Vec::new(), Vec::new());
    let mut truths = 0;
    // Walks find further atoms, false at first.
    while truths < 1 << atoms.len() || truths == 0 {
        let mut way = |side: usize| {
            let folds = (side == 1).then_some(rule);
            let mut walk = Walk { atoms: &mut atoms, truths, rule: folds, way: Way::default() };
            walk.run(&rule.sides[side], 0);
            walk.way
        };
        let both = [way(0), way(1)];
        if !all.contains(&both) {
            all.push(both);
        }
        if atoms.len() > ATOMS {
            return None;
        }
        truths += 1;
    }
    Some(all)
}

/// Returns the smallest sets of letters that must not trap and must end, as bits: then both sides evaluate all other
/// letters in the same order. One of the sets is enough.
pub fn side_conditions(rule: &ExpressionRule, ways: &[[Way; 2]]) -> Vec<u32> {
    let order = |way: &Way, safe: u32| {
        let mut order: Vec<u8> = Vec::new();
        for (letter, _) in &way.letters {
            let is_safe = safe >> letter & 1 == 1 || rule.letters[*letter as usize].is_constant;
            if !is_safe && !order.contains(letter) {
                order.push(*letter);
            }
        }
        order
    };
    let mut sets: Vec<u32> = (0..1 << rule.letters.len().min(LETTERS)).collect();
    sets.sort_by_key(|set| (set.count_ones(), *set));
    let mut found: Vec<u32> = Vec::new();
    for set in sets {
        let is_enough = |[own, new]: &[Way; 2]| order(own, set) == order(new, set);
        if !found.iter().any(|known| known & set == *known) && ways.iter().all(is_enough) {
            found.push(set);
        }
    }
    found
}
