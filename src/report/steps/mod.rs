//! The optimizer at work on one routine: each pass or expansion that changed its code, with the difference and
//! the reasons.

mod missed;
mod reasons;
mod words;

use std::borrow::Cow;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::listing::{self, Line};
use crate::compiler::program::{Compiled, Ir, Routines};
use crate::compiler::stage::lower::target;
use crate::compiler::stage::optimize::{self, PASSES, Snapshot, expand, learned};
use crate::lang::index::{Index, TokenId};
use crate::lang::opcode::{Class, Op, class};

pub use missed::{Remark, page as remarks_page, remarks};

/// The most characters of a quoted expression.
const LONGEST: usize = 40;

/// A pass or expansion that changed the code of a routine. Instructions that a pass has dropped are not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportStep {
    /// Its index among the passes that changed the program.
    pub number: usize,
    pub name: &'static str,
    /// The name, and the number of changes: `inline 2 calls`.
    pub did: String,
    /// The description of the pass.
    pub summary: Cow<'static, str>,
    /// The routine's code after it; removed instructions are in between.
    pub rows: Vec<StepRow>,
}

/// A row of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepRow {
    Equal(Line),
    Removed(Line),
    Added(Line),
    /// The reason for the changes before it, and the place that it is about.
    Reason(String, Option<TokenId>),
}

/// Returns the lowered code, and the code after each pass that changed it.
pub fn snapshots(program: &Compiled) -> Vec<Snapshot> {
    let mut all = optimize::snapshots(program);
    all.dedup_by(|next, before| next.ir == before.ir);
    all
}

/// Returns the description of a pass or expansion.
pub fn summary(name: &str) -> &'static str {
    let passes = PASSES.iter().map(|pass| (pass.name, pass.summary));
    let expansions = expand::all().map(|expansion| (expansion.name, expansion.summary));
    let mut all = passes.chain(expansions).chain(learned::STEPS);
    all.find(|(own, _)| *own == name).map_or("", |(_, summary)| summary)
}

/// Returns the names of all passes, then of all expansions.
pub fn names() -> impl Iterator<Item = &'static str> {
    PASSES.iter().map(|pass| pass.name).chain(expand::all().map(|expansion| expansion.name))
}

/// Returns the steps of a routine, in order. `snapshots` are those of [`snapshots`].
pub fn of(program: &Compiled, snapshots: &[Snapshot], routine: usize) -> Vec<ReportStep> {
    let pairs = snapshots.iter().zip(snapshots.iter().skip(1)).enumerate();
    let step = |(number, pair): (usize, (_, _))| step([program; 2], number, pair.0, pair.1, routine);
    pairs.filter_map(step).collect()
}

/// Returns the code of the first routine that a pass changes, before it and after it, with dropped instructions.
pub fn first_change(program: &Compiled, name: &str) -> Option<[Vec<Line>; 2]> {
    let all = snapshots(program);
    let lines = |snapshot: &Snapshot, routine: usize| {
        let Snapshot { ir, routines, .. } = snapshot;
        listing::ir_of(program, ir, extent(ir, routines, routine))
    };
    let changes = |before: &Snapshot, after: &Snapshot, routine: usize| {
        let length = |form: &Snapshot| extent(&form.ir, &form.routines, routine).len();
        // Compact only removes dropped instructions, so it is not a step of its own.
        step([program; 2], 0, before, after, routine).is_some()
            || name == "compact" && length(before) != length(after)
    };
    let pairs = all.iter().zip(all.iter().skip(1)).filter(|(_, after)| after.name == name);
    { pairs }.find_map(|(before, after)| {
        let routine = (0..before.routines.ir.len()).find(|routine| changes(before, after, *routine))?;
        Some([lines(before, routine), lines(after, routine)])
    })
}

/// Returns a routine's instructions.
pub fn extent(ir: &Ir, routines: &Routines, routine: usize) -> Range<usize> {
    let first = routines.ir.get(routine).copied().unwrap_or_default();
    let next = routines.ir.iter().filter(|other| **other > first).min();
    first as usize..next.map_or(ir.op.len(), |next| *next as usize)
}

/// Returns the expression that a token heads, as written.
fn quoted(program: &Compiled, token: TokenId) -> String {
    let view = program.view();
    let text = view.extent_span(token).and_then(|bytes| view.source.get(bytes)).unwrap_or("");
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = words.char_indices().nth(LONGEST) {
        words.truncate(end);
        words.push('…');
    }
    words
}

/// The code of a routine before or after a pass.
struct Form<'a> {
    ir: &'a Ir,
    routines: &'a Routines,
    extent: Range<usize>,
    /// Its instructions without dropped ones.
    kept: Vec<usize>,
}

impl<'a> Form<'a> {
    fn of(snapshot: &'a Snapshot, routine: usize) -> Form<'a> {
        let Snapshot { ir, routines, .. } = snapshot;
        let extent = extent(ir, routines, routine);
        let kept = extent.clone().filter(|i| ir.op[*i] != Op::Nop as u32).collect();
        Form { ir, routines, extent, kept }
    }

    /// Returns what a difference compares. Where instructions have moved, the targets of jumps do not count.
    fn keys(&self, moved: bool) -> Vec<[u32; 3]> {
        let key = |&i: &usize| {
            let Ir { op, arg, aux, .. } = self.ir;
            match class(op[i]) {
                Class::Jump | Class::Branch { .. } if moved => [op[i], 0, 0],
                Class::Loop if moved => [op[i], arg[i], 0],
                _ => [op[i], arg[i], aux[i]],
            }
        };
        self.kept.iter().map(key).collect()
    }

    /// Counts the instructions for which `is` holds.
    fn count(&self, is: impl Fn(Op) -> bool) -> usize {
        self.kept.iter().filter(|i| Op::from_u32(self.ir.op[**i]).is_some_and(&is)).count()
    }

    fn token(&self, i: usize) -> Option<TokenId> {
        TokenId::from_word(self.ir.token[i])
    }

    fn is(&self, i: usize, op: Op) -> bool {
        self.ir.op.get(i) == Some(&(op as u32))
    }

    fn class(&self, i: usize) -> Class {
        class(self.ir.op[i])
    }

    fn jumps(&self, i: usize) -> bool {
        target(self.ir, i).is_some()
    }
}

/// Both forms of a routine, and the pass between them.
struct Pair<'a> {
    program: &'a Compiled,
    name: &'static str,
    before: Form<'a>,
    after: Form<'a>,
}

/// Adjacent changes, as instructions.
struct Hunk {
    removed: Vec<usize>,
    added: Vec<usize>,
    /// The instruction of the form before at which they are.
    at: usize,
}

/// Returns how a pass changed a routine. `programs` are those that the tokens before it and after it belong to.
pub fn step(
    programs: [&Compiled; 2],
    number: usize,
    before: &Snapshot,
    after: &Snapshot,
    routine: usize,
) -> Option<ReportStep> {
    let moved = before.ir.op.len() != after.ir.op.len();
    let (before, name) = (Form::of(before, routine), after.name);
    let pair = Pair { program: programs[1], name, before, after: Form::of(after, routine) };
    let (old, new) = (pair.before.keys(moved), pair.after.keys(moved));
    if old == new {
        return None;
    }
    let [own, others] = [(programs[0], &pair.before), (programs[1], &pair.after)].map(|(program, form)| {
        let lines = listing::ir_of(program, form.ir, form.extent.clone());
        let line = |i: &usize| lines[i - form.extent.start].clone();
        form.kept.iter().map(line).collect::<Vec<Line>>()
    });
    let mut rows = Vec::new();
    let mut hunk: Option<Hunk> = None;
    let close = |hunk: &mut Option<Hunk>, rows: &mut Vec<StepRow>| {
        if let Some((text, token)) = hunk.take().and_then(|hunk| pair.reason(&hunk)) {
            rows.push(StepRow::Reason(text, token));
        }
    };
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (removed, added) = (op.old_range(), op.new_range());
        if let DiffOp::Equal { .. } = op {
            close(&mut hunk, &mut rows);
            rows.extend(others[added].iter().cloned().map(StepRow::Equal));
            continue;
        }
        let at = pair.before.kept.get(removed.start).copied().unwrap_or(pair.before.extent.end);
        let open = hunk.get_or_insert(Hunk { removed: vec![], added: vec![], at });
        open.removed.extend_from_slice(&pair.before.kept[removed.clone()]);
        open.added.extend_from_slice(&pair.after.kept[added.clone()]);
        rows.extend(own[removed].iter().cloned().map(StepRow::Removed));
        rows.extend(others[added].iter().cloned().map(StepRow::Added));
    }
    close(&mut hunk, &mut rows);
    Some(ReportStep { number, name, did: pair.did(), summary: summary(name).into(), rows })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::stage::Compiler;
    use crate::lang::level::OptLevel;

    const PROGRAM: &str = "\
fn cell(row: int) -> int { return row * 8; }
fn f(n: int, ready: bool, xs: [int; 4]) -> int {
    let a = 3 * 4 + n + 1 + 2;
    if !ready { return 1; }
    let s = 0;
    for i in 0..3 { s += cell(i); }
    for j in 0..20 { s += xs[0] ^ (n * n + 1); }
    return a + s + xs[n + 1] + xs[n + 1] + xs[n + 1];
}
test f(1, false, [1, 2]) == 1;
";

    fn steps() -> Vec<ReportStep> {
        let mut compiler = Compiler::at(OptLevel::Whole);
        compiler.compile(PROGRAM);
        assert!(compiler.compiles());
        let program = compiler.compiled(&PROGRAM.into());
        of(&program, &snapshots(&program), 1)
    }

    fn reasons(steps: &[ReportStep], name: &str) -> Vec<String> {
        let rows = steps.iter().filter(|step| step.name == name).flat_map(|step| &step.rows);
        let reason = |row: &StepRow| match row {
            StepRow::Reason(text, _) => Some(text.clone()),
            _ => None,
        };
        rows.filter_map(reason).collect()
    }

    #[test]
    fn passes_are_counted_in_their_own_words() {
        let did: Vec<String> = steps().into_iter().map(|step| step.did).collect();
        for wanted in
            ["fold 1", "branch 1 jump", "inline 1 call", "unroll 1 loop", "hoist 1 value", "share 1 value"]
        {
            assert!(did.iter().any(|did| did == wanted), "{wanted}: {did:?}");
        }
        assert!(!did.iter().any(|did| did.starts_with("compact")), "{did:?}");
    }

    #[test]
    fn reasons_quote_the_source() {
        let steps = steps();
        let has = |name: &str, wanted: &str| {
            let all = reasons(&steps, name);
            assert!(all.iter().any(|own| own == wanted), "{wanted}: {all:?}");
        };
        has("fold", "`3 * 4` is always 12: line 3");
        has("inline", "`cell` has 4 instructions, at most 40, and calls nothing: line 6");
        has("hoist", "the loop runs 20 times and `n * n + 1` does not change in it: line 7");
        has("share", "`xs[n + 1]` is computed again although nothing since line 8 changes it: line 8");
        assert!(reasons(&steps, "unroll").iter().any(|own| own.starts_with("the loop runs 3 times")));
    }

    /// Removing the removed rows and adding the added ones turns the code before into the code after.
    #[test]
    fn differences_lead_from_one_step_to_the_next() {
        let steps = steps();
        let ops = |step: &ReportStep, before: bool| -> Vec<&'static str> {
            let op = |row: &StepRow| match row {
                StepRow::Equal(line) => Some(line.op),
                StepRow::Removed(line) => before.then_some(line.op),
                StepRow::Added(line) => (!before).then_some(line.op),
                StepRow::Reason(..) => None,
            };
            step.rows.iter().filter_map(op).collect()
        };
        assert!(steps.len() > 4);
        for pair in steps.windows(2) {
            assert_eq!(ops(&pair[0], false), ops(&pair[1], true), "{} to {}", pair[0].name, pair[1].name);
        }
    }
}
