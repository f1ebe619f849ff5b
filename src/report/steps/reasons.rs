//! Why a pass changed code, in terms of the source.

use super::{Form, Hunk, Pair, extent, quoted};
use crate::compiler::stage::optimize::expand::{INLINE_LONGEST, known_rounds, last_jump_to};
use crate::host::measure::numbers::plural;
use crate::lang::index::{Index, RoutineId, TokenId};
use crate::lang::opcode::{Class, Op};

/// A reason, and the place that it is about.
type Reason = (String, Option<TokenId>);

impl Pair<'_> {
    pub fn reason(&self, hunk: &Hunk) -> Option<Reason> {
        match self.name {
            "fold" => self.folded(hunk),
            "combine" => self.combined(hunk),
            "branch" => self.branched(hunk),
            "thread" => self.at(&self.before, *hunk.removed.first()?, "the jump led to another jump"),
            "unreachable" => self.at(&self.before, *hunk.removed.first()?, "control never reaches this code"),
            "inline" => self.inlined(hunk),
            "unroll" => self.unrolled(hunk),
            "hoist" => self.hoisted(hunk),
            "rotate" => {
                self.at(&self.after, *hunk.added.first()?, "the loop tests at its end, which saves a jump")
            }
            "lists" => self.at(&self.after, *hunk.added.first()?, "the list is in the code"),
            "calls" | "share" => self.shared(hunk),
            _ => None,
        }
    }

    /// Adds the line of an instruction to a reason.
    fn at(&self, form: &Form, i: usize, why: &str) -> Option<Reason> {
        let token = form.token(i)?;
        Some((format!("{why}: line {}", self.line(token)), Some(token)))
    }

    fn line(&self, token: TokenId) -> u32 {
        self.program.view().line(token)
    }

    fn written(&self, token: TokenId) -> String {
        quoted(self.program, token)
    }

    fn folded(&self, hunk: &Hunk) -> Option<Reason> {
        let is_operation =
            |i: &&usize| matches!(self.before.class(**i), Class::Unary | Class::Binary | Class::Copy);
        let root = *hunk.removed.iter().rev().find(is_operation)?;
        let token = self.before.token(root)?;
        let text = self.written(token);
        let constant = hunk.added.last().filter(|i| self.after.is(**i, Op::LoadConst));
        let why = match constant {
            Some(i) => format!("`{text}` is always {}", self.after.ir.arg[*i] as i32),
            None if hunk.added.is_empty() => format!("an operation in `{text}` changes nothing"),
            None => format!("one operation does the same as `{text}`"),
        };
        Some((format!("{why}: line {}", self.line(token)), Some(token)))
    }

    fn combined(&self, hunk: &Hunk) -> Option<Reason> {
        let store = hunk.removed.iter().find(|i| self.before.is(**i, Op::StoreVar));
        if let Some(store) = store {
            let why = "the stored value is loaded next, and the variable is not read again";
            return self.at(&self.before, *store, why);
        }
        let sum = *hunk.added.last().or(hunk.removed.last())?;
        let form = if hunk.added.is_empty() { &self.before } else { &self.after };
        self.at(form, sum, "the constants of one sum are added once")
    }

    fn branched(&self, hunk: &Hunk) -> Option<Reason> {
        let first = *hunk.removed.first()?;
        let why = match self.before.is(first, Op::LoadConst) {
            true if self.before.ir.arg[first] == 0 => "the condition is always false",
            true => "the condition is always true",
            false => "the opposite jump needs no `!`",
        };
        self.at(&self.before, first, why)
    }

    fn inlined(&self, hunk: &Hunk) -> Option<Reason> {
        let Pair { before, after, .. } = self;
        let site = hunk.added.iter().find_map(|i| TokenId::from_word(after.ir.site[*i]));
        let is_site = |i: &&usize| before.is(**i, Op::Call) && before.token(**i) == site;
        let call = hunk
            .removed
            .iter()
            .find(|i| before.is(**i, Op::Call))
            .or_else(|| before.kept.iter().find(is_site))?;
        let function = before.ir.arg[*call] as usize;
        let name = self.program.function_name(RoutineId::new(function as u32));
        let length = extent(before.ir, before.routines, function).len();
        let size = plural(length as u64, "instruction");
        self.at(before, *call, &format!("`{name}` has {size}, at most {INLINE_LONGEST}, and calls nothing"))
    }

    fn unrolled(&self, hunk: &Hunk) -> Option<Reason> {
        let head = self.loop_at(hunk.at)?;
        let (_, rounds) = known_rounds(self.before.ir, head)?;
        let back = last_jump_to(self.before.ir, head, usize::MAX / 2)?;
        let size = plural((back - head).saturating_sub(1) as u64, "instruction");
        let rounds = plural(u64::from(rounds), "time");
        self.at(&self.before, head, &format!("the loop runs {rounds}, with {size} a round"))
    }

    fn hoisted(&self, hunk: &Hunk) -> Option<Reason> {
        let head = self.loop_at(hunk.at)?;
        let (_, rounds) = known_rounds(self.before.ir, head)?;
        let moved = hunk
            .added
            .iter()
            .rev()
            .find(|i| [Op::StoreVar, Op::LoadVar].iter().any(|op| self.after.is(**i, *op)))?;
        let text = self.written(self.after.token(*moved)?);
        let rounds = plural(u64::from(rounds), "time");
        self.at(&self.before, head, &format!("the loop runs {rounds} and `{text}` does not change in it"))
    }

    /// Returns the head of the loop over numbers that begins at an instruction or is around it.
    fn loop_at(&self, at: usize) -> Option<usize> {
        let Form { ir, extent, .. } = &self.before;
        let holds = |head: &usize| {
            let back = last_jump_to(ir, *head, ir.op.len());
            known_rounds(ir, *head).is_some() && back.is_some_and(|back| (head - 3..=back).contains(&at))
        };
        extent.clone().filter(|i| self.before.is(*i, Op::ForRange)).rfind(holds)
    }

    fn shared(&self, hunk: &Hunk) -> Option<Reason> {
        let after = &self.after;
        let is_store = |i: usize| after.is(i, Op::StoreVar) || after.is(i, Op::StoreList);
        let load = *hunk.added.last().filter(
            |i| matches!(after.ir.op[**i], op if op == Op::LoadVar as u32 || op == Op::LoadList as u32),
        )?;
        let slot = after.ir.arg[load];
        let token = after.token(load)?;
        let text = self.written(token);
        let store = after.kept.iter().find(|i| is_store(**i) && after.ir.arg[**i] == slot);
        let again =
            |i: &&usize| **i > load && after.ir.arg[**i] == slot && after.ir.op[**i] == after.ir.op[load];
        // Otherwise the change has the later load as well.
        if hunk.added.iter().any(|i| is_store(*i))
            && let Some(later) = after.kept.iter().find(again)
        {
            return self.at(after, *later, &format!("`{text}` is needed again"));
        }
        let first = self.line(after.token(*store?)?);
        let why = format!("`{text}` is computed again although nothing since line {first} changes it");
        self.at(after, load, &why)
    }
}
