//! Finds rules in code: windows, most general and most frequent first, each shortened and proved.

use std::collections::HashMap;

use super::enumerate::shorten;
use super::windows::{Window, harvest};
use crate::compiler::program::Watch;
use crate::compiler::stage::optimize::learned::code::Instruction;
use crate::compiler::stage::optimize::learned::rule::{Rule, RulePiece};
use crate::lang::opcode::{Class, Op};

pub struct RuleSearch {
    /// The windows that are not tried yet, the next one last, each with the number of its occurrences.
    left: Vec<(Window, u64)>,
    /// The rules known before, and those found.
    pub rules: Vec<Rule>,
    /// The number of rules known before.
    known: usize,
    pub tried: usize,
}

impl RuleSearch {
    /// Collects the windows of some routines. `most` is the maximum number of windows.
    pub fn new<'a>(
        routines: impl Iterator<Item = &'a [Instruction]>,
        rules: Vec<Rule>,
        most: usize,
    ) -> RuleSearch {
        let mut found = HashMap::new();
        routines.for_each(|code| harvest(code, &mut found));
        let mut left: Vec<(Window, u64)> = found.into_iter().collect();
        let text = |window: &Window| format!("{:?}", window.pieces);
        // Frequent windows are tried first, and of those short ones, because a short rule applies within long ones.
        left.sort_by_cached_key(|(window, count)| {
            (u64::MAX - count, window.pieces.len(), text(window), window.dead.len())
        });
        left.truncate(most);
        left.sort_by_key(|(window, _)| window.pieces.len());
        left.reverse();
        let known = rules.len();
        RuleSearch { left, rules, known, tried: 0 }
    }

    pub fn left(&self) -> usize {
        self.left.len()
    }

    pub fn found(&self) -> &[Rule] {
        &self.rules[self.known..]
    }

    /// Tries the next window: first with holes for its constants, then with its own constants. Returns the rule found.
    pub fn step(&mut self, watch: &dyn Watch) -> Option<&Rule> {
        let (window, _) = self.left.last()?;
        let found = match window.is_known(self.rules.iter()) {
            true => None,
            false => {
                window.general().and_then(|window| shorten(&window, watch)).or_else(|| shorten(window, watch))
            }
        };
        if watch.cancelled() {
            return None;
        }
        self.left.pop();
        self.tried += 1;
        let mut rule = found?;
        rule.name = self.name(&rule.pattern);
        self.rules.push(rule);
        self.rules.last()
    }

    /// Names a rule after its window, with a number if necessary.
    fn name(&self, pattern: &[RulePiece]) -> String {
        let words: Vec<String> = pattern.iter().map(|piece| word(piece.op)).collect();
        let name = words.join("-");
        let is_free = |name: &String| self.rules.iter().all(|rule| rule.name != *name);
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
    }
}

/// A short word for an operation.
fn word(op: Op) -> String {
    let name = op.name();
    let short = match (op, op.class()) {
        (Op::LoadConst, _) => "const",
        (Op::LoadVar, _) => "load",
        (Op::StoreVar, _) => "store",
        (Op::JumpIfTrue, _) => "if",
        (Op::JumpIfFalse, _) => "unless",
        (_, Class::Copy) => "dup",
        _ => name.rsplit('_').next().unwrap_or(name),
    };
    short.to_lowercase()
}
