//! The number of changes that a pass made, with its own word for them.

use super::Pair;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::opcode::{Class, Op};

impl Pair<'_> {
    /// Returns the name of the pass with the number of its changes.
    pub fn did(&self) -> String {
        let (before, after) = (&self.before, &self.after);
        let of = |count: usize, noun: &str| format!("{} {}", self.name, plural(count as u64, noun));
        let calls = |op: Op| op == Op::Call;
        let ranges = |op: Op| op == Op::ForRange;
        let jumps = |op: Op| op == Op::Jump;
        let lists = |op: Op| op == Op::BuildList;
        let stores = |op: Op| matches!(op, Op::StoreVar | Op::StoreList);
        match self.name {
            "fold" => {
                let folded = self.changed(|i| {
                    matches!(before.class(i), Class::Unary | Class::Binary | Class::Copy)
                        && before.ir.op[i] != after.ir.op[i]
                });
                format!("fold {}", grouped(folded as u64))
            }
            "combine" => {
                let combined = self.changed(|i| {
                    after.is(i, Op::Nop) && [Op::Add, Op::Sub, Op::StoreVar].iter().any(|op| before.is(i, *op))
                });
                format!("combine {}", grouped(combined as u64))
            }
            "branch" | "thread" => of(self.changed(|i| before.jumps(i)), "jump"),
            "calls" => of(before.count(calls).saturating_sub(after.count(calls)), "call"),
            "inline" => of(before.count(calls).saturating_sub(after.count(calls)), "call"),
            "unroll" => of(before.count(ranges).saturating_sub(after.count(ranges)), "loop"),
            "rotate" => of(before.count(jumps).saturating_sub(after.count(jumps)).max(1), "loop"),
            "lists" => of(before.count(lists).saturating_sub(after.count(lists)), "list"),
            "hoist" | "share" => of(after.count(stores).saturating_sub(before.count(stores)), "value"),
            _ => of(after.kept.len().abs_diff(before.kept.len()).max(1), "instruction"),
        }
    }

    /// Counts the changed instructions for which `is` holds. The pass moves no instructions.
    fn changed(&self, is: impl Fn(usize) -> bool) -> usize {
        let word = |ir: &crate::compiler::program::Ir, i: usize| [ir.op[i], ir.arg[i], ir.aux[i]];
        let same_place = self.before.extent == self.after.extent;
        let differs = |i: &usize| word(self.before.ir, *i) != word(self.after.ir, *i);
        self.before.kept.iter().filter(|_| same_place).filter(|i| differs(i) && is(**i)).count()
    }
}
