//! What the engine has said: of the newest text, and of the last one that compiled.
//!
//! The panels show the last good program. While the text on screen does not compile, or is newer than the answer,
//! its places are carried over by [`Drift`], and the panels say that they are behind.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::facts::{self, EntryDetail, Mutant, Pass};
use super::listing::{CodeRow, rows};
use super::neural::View;
use super::noise::NoiseView;
use super::router::RouterView;
use super::text::common_ends;
use crate::engine::{BaseResult, EntryResult, MutantResult, Timings};
use crate::lang::NONE;
use crate::lang::role::Role;
use crate::lang::verdict::{MutantStatus, Outcome, Verdict};
use crate::measure::energy::Energy;
use crate::measure::numbers::{grouped, plural};
use crate::program::Compiled;
use crate::report::diagnostics::{Diagnostic, diagnostics};
use crate::report::listing;
use crate::report::mutants::Tally;
use crate::session::{Baseline, Compared};
use crate::variants::Variants;

/// A program as the panels show it.
#[derive(Debug)]
pub struct Shown {
    pub revision: u64,
    pub compiled: Arc<Compiled>,
    pub entries: Vec<EntryResult>,
    pub timings: Timings,
    /// The tree's nodes in the order of the text: head token and depth.
    pub nodes: Vec<(u32, u16)>,
    /// Bytes at which lines begin.
    pub line_starts: Vec<u32>,
    /// What each test or property is called: its name, or its expression.
    pub labels: Vec<String>,
    // Worked out when first looked at.
    code_rows: OnceLock<Vec<CodeRow>>,
    lowered_rows: OnceLock<Vec<CodeRow>>,
    ir_rows: OnceLock<Vec<CodeRow>>,
    passes: OnceLock<Vec<Pass>>,
    variants: OnceLock<Variants<Arc<Compiled>>>,
}

impl Shown {
    pub fn new(revision: u64, result: BaseResult) -> Shown {
        let compiled = result.compiled;
        let line_starts =
            std::iter::once(0).chain(compiled.text.match_indices('\n').map(|(at, _)| at as u32 + 1)).collect();
        Shown {
            revision,
            nodes: nodes(&compiled),
            code_rows: OnceLock::new(),
            lowered_rows: OnceLock::new(),
            ir_rows: OnceLock::new(),
            line_starts,
            labels: facts::labels(&compiled),
            passes: OnceLock::new(),
            variants: OnceLock::new(),
            entries: result.entries,
            timings: result.timings,
            compiled,
        }
    }

    pub fn has_errors(&self) -> bool {
        self.compiled.facts.errors > 0 || self.compiled.facts.stopped()
    }
    /// Whether a test or property passes: only those judge mutants.
    pub fn has_passing(&self) -> bool {
        self.entries.iter().any(|entry| entry.outcome == Outcome::Pass)
    }
    /// Whether it went through all stages.
    pub fn is_good(&self) -> bool {
        !self.has_errors()
    }

    /// Rows of the bytecode.
    pub fn code_rows(&self) -> &[CodeRow] {
        self.code_rows.get_or_init(|| rows(listing::bytecode(&self.compiled)))
    }
    /// Rows of the IR as lowered.
    pub fn lowered_rows(&self) -> &[CodeRow] {
        self.lowered_rows.get_or_init(|| rows(listing::ir(&self.compiled, &self.compiled.lowered)))
    }
    /// Rows of the IR as optimized.
    pub fn ir_rows(&self) -> &[CodeRow] {
        self.ir_rows.get_or_init(|| rows(listing::ir(&self.compiled, &self.compiled.ir)))
    }
    /// The IR after each pass that changed it.
    pub fn passes(&self) -> &[Pass] {
        self.passes.get_or_init(|| facts::passes(&self.compiled))
    }

    /// The mutant with this id, if there are so many.
    pub fn mutant(&self, id: u32) -> Option<Mutant> {
        let variants = self.variants.get_or_init(|| Variants::new(self.compiled.clone()));
        facts::mutant(variants, &self.compiled.text, id)
    }

    /// Line and column, from 1, of a byte of the text; columns count characters.
    pub fn place(&self, byte: u32) -> (usize, usize) {
        let line = self.line_starts.partition_point(|start| *start <= byte).max(1) - 1;
        let text = &self.compiled.text;
        let start = self.line_starts.get(line).copied().unwrap_or(0) as usize;
        let end = (byte as usize).min(text.len());
        let column = text.get(start..end).map_or(0, |part| part.chars().count());
        (line + 1, column + 1)
    }

    /// The bytes of a token.
    pub fn span(&self, token: u32) -> Option<Range<usize>> {
        let tokens = &self.compiled.tokens;
        Some(*tokens.lo.get(token as usize)? as usize..*tokens.hi.get(token as usize)? as usize)
    }
    /// The bytes of a node's extent, or of the token alone where it heads no node.
    pub fn extent(&self, token: u32) -> Option<Range<usize>> {
        let (lo, hi) = self.extent_tokens(token);
        Some(self.span(lo)?.start..self.span(hi.checked_sub(1)?)?.end)
    }
    /// The tokens of a node's extent.
    pub fn extent_tokens(&self, token: u32) -> (u32, u32) {
        let tree = &self.compiled.tree;
        match (tree.lo.get(token as usize), tree.hi.get(token as usize)) {
            (Some(lo), Some(hi)) if hi > lo => (*lo, *hi),
            _ => (token, token + 1),
        }
    }

    /// The token at a byte, or the one that ends there.
    pub fn token_at(&self, byte: usize) -> Option<u32> {
        let tokens = &self.compiled.tokens;
        let after = tokens.lo.partition_point(|lo| *lo as usize <= byte);
        let token = after.checked_sub(1)?;
        (byte <= *tokens.hi.get(token)? as usize).then_some(token as u32)
    }

    /// The node that a token heads, or the smallest one around it.
    pub fn node_of(&self, token: u32) -> u32 {
        let tree = &self.compiled.tree;
        if tree.role.get(token as usize).is_none_or(|role| *role != Role::None as u32) {
            return token;
        }
        (0..tree.role.len() as u32)
            .filter(|t| tree.role[*t as usize] != Role::None as u32)
            .map(|t| (t, self.extent_tokens(t)))
            .filter(|(_, (lo, hi))| *lo <= token && token < *hi)
            .min_by_key(|(_, (lo, hi))| hi - lo)
            .map_or(token, |(t, _)| t)
    }
}

/// The tree's nodes, each before its children, with their depths.
fn nodes(compiled: &Compiled) -> Vec<(u32, u16)> {
    let tree = &compiled.tree;
    let count = tree.role.len();
    let is_node = |t: usize| tree.role[t] != Role::None as u32;
    // Children by parent, in the order of their extents.
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut roots = Vec::new();
    for t in (0..count).filter(|t| is_node(*t)) {
        match tree.parent[t] {
            parent if (parent as usize) < count && parent as usize != t => {
                children[parent as usize].push(t as u32)
            }
            _ => roots.push(t as u32),
        }
    }
    let by_place = |t: &u32| (tree.lo[*t as usize], *t);
    roots.sort_by_key(by_place);
    let mut rows = Vec::with_capacity(count);
    let mut stack: Vec<(u32, u16)> = roots.into_iter().rev().map(|t| (t, 0)).collect();
    while let Some((t, depth)) = stack.pop() {
        // A parent chain that is no tree cannot make this run on.
        if rows.len() >= count {
            break;
        }
        rows.push((t, depth));
        let mut below = std::mem::take(&mut children[t as usize]);
        below.sort_by_key(by_place);
        stack.extend(below.into_iter().rev().map(|c| (c, depth.saturating_add(1))));
    }
    rows
}

/// How a text became another: what lies before `prefix` kept its place, what lies behind `old_end` moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    prefix: usize,
    old_end: usize,
    new_end: usize,
}

impl Drift {
    pub fn between(old: &Arc<str>, new: &Arc<str>) -> Drift {
        if Arc::ptr_eq(old, new) || old == new {
            return Drift { prefix: old.len(), old_end: old.len(), new_end: new.len() };
        }
        let (prefix, suffix) = common_ends(old, new);
        Drift { prefix, old_end: old.len() - suffix, new_end: new.len() - suffix }
    }
    /// A byte of the old text in the new one; what was replaced is at its end.
    pub fn forward(self, byte: usize) -> usize {
        if byte <= self.prefix { byte } else { byte.saturating_sub(self.old_end) + self.new_end }
    }
    /// A byte of the new text in the old one, unless it is in what is new.
    pub fn back(self, byte: usize) -> Option<usize> {
        if byte <= self.prefix {
            Some(byte)
        } else {
            byte.checked_sub(self.new_end).map(|behind| behind + self.old_end)
        }
    }
    /// What of the old text was replaced, in bytes: what is new in the new one stands for it.
    pub fn replaced(self) -> Range<usize> {
        self.prefix..self.old_end.max(self.prefix)
    }
}

/// The verdicts on the shown program's mutants, as far as they are in.
#[derive(Debug, Default)]
pub struct Mutants {
    pub verdicts: Vec<Verdict>,
    /// How many will be judged in all, and how many of those are of first order.
    pub total: u32,
    pub first_order: u32,
    /// What became of those that are judged: of single changes, and apart of pairs.
    pub tally: Tally,
    /// Ids of judged single changes by status, ascending.
    pub ids: [Vec<u32>; 7],
    /// Ids of all judged single changes, and of all judged pairs, ascending.
    pub singles: Vec<u32>,
    pub pairs: Vec<u32>,
    /// Single changes that survive by line of the shown text, from 0.
    pub survivors: BTreeMap<usize, u32>,
    pub timings: Timings,
    pub done: Option<Duration>,
}

impl Mutants {
    /// How many single changes will be judged in all.
    pub fn singles_wanted(&self) -> u32 {
        self.first_order.min(self.total)
    }
    /// How many pairs will be judged in all.
    pub fn pairs_wanted(&self) -> u32 {
        self.total - self.singles_wanted()
    }
    /// How many single changes there are, and how many of them are judged while that is not all.
    pub fn singles_text(&self) -> String {
        part_of(self.tally.singles.judged(), self.singles_wanted(), "single")
    }
    /// The same of pairs, where any are to be judged.
    pub fn pairs_text(&self) -> Option<String> {
        let wanted = self.pairs_wanted();
        (wanted > 0).then(|| part_of(self.tally.pairs.judged(), wanted, "pair"))
    }

    fn add(&mut self, shown: &Shown, part: MutantResult) {
        let end = part.first as usize + part.verdicts.len();
        if self.verdicts.len() < end {
            let pending = Verdict { status: MutantStatus::Pending, killer: NONE, twin: NONE };
            self.verdicts.resize(end, pending);
        }
        for (id, verdict) in (part.first..).zip(part.verdicts) {
            let slot = &mut self.verdicts[id as usize];
            if slot.status != MutantStatus::Pending || verdict.status == MutantStatus::Pending {
                continue;
            }
            *slot = verdict;
            self.tally.add(self.first_order, id, verdict.status);
            if id >= self.first_order {
                insert(&mut self.pairs, id);
                continue;
            }
            insert(&mut self.singles, id);
            insert(&mut self.ids[verdict.status as usize], id);
            if verdict.status == MutantStatus::Survived
                && let Some(site) = shown.mutant(id).and_then(|m| m.edits.into_iter().next())
            {
                *self.survivors.entry(shown.place(site.lo).0 - 1).or_default() += 1;
            }
        }
        self.timings += &part.timings;
    }
}

/// `1,024 pairs`, or `7/1,024 pairs` before all are there.
fn part_of(some: u32, all: u32, one: &str) -> String {
    let all_of_them = plural(all.into(), one);
    if some < all { format!("{}/{all_of_them}", grouped(some.into())) } else { all_of_them }
}

/// Keeps a list ascending; parts nearly always come in order.
fn insert(ids: &mut Vec<u32>, id: u32) {
    if ids.last().is_none_or(|last| *last < id) {
        ids.push(id);
    } else if let Err(at) = ids.binary_search(&id) {
        ids.insert(at, id);
    }
}

/// Why a text was sent to the engine, or judged there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A person typed, pasted or took something back.
    Typed,
    /// The text came from a file: opened, read again, recovered.
    Opened,
    /// No text came: another engine judges the one that is there.
    Again,
}

/// How soon a text was answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    pub revision: u64,
    /// From the key, or from when the text was read, to the base's panels.
    pub base: Duration,
    /// The same to the last verdict, once it is in; never where the text has no mutants to judge.
    pub all: Option<Duration>,
    /// Whether that may still come.
    pub awaited: bool,
    /// What base and mutants took.
    pub energy: Option<Energy>,
}

/// A base and all its mutants, judged to the end: what they took together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batch {
    pub cause: Cause,
    pub energy: Energy,
    /// With the number of programs that the energy is of.
    pub timings: Timings,
}

/// Keystrokes remembered.
pub const HISTORY: usize = 240;
/// Texts that the engine may still answer.
const SENT: usize = 64;

/// A test or property that runs long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    pub revision: u64,
    /// What it is called.
    pub name: String,
    /// Inputs that it has run on so far.
    pub inputs: u32,
    pub taken: Duration,
}

/// Everything that the engine has said.
#[derive(Debug, Default)]
pub struct Results {
    /// The newest answer, good or not.
    pub latest: Option<Arc<Shown>>,
    /// What the panels show: the last that compiled, or the newest while none has.
    pub shown: Option<Arc<Shown>>,
    /// Diagnostics of `latest`, by place.
    pub problems: Vec<Diagnostic>,
    /// What the tests' results mean in values; comes after the base.
    pub details: Vec<EntryDetail>,
    pub mutants: Mutants,
    /// What takes long, until the base is there.
    pub running: Option<Running>,
    /// The other engine's word on the same work.
    pub compared: Option<Compared>,
    /// What all comparisons have taken since the session began.
    pub comparing: Option<Energy>,
    /// The paper's conventional loop on the same mutants; of an older text until the newest is measured.
    pub baseline: Option<Baseline>,
    pub neural: Option<View>,
    pub router: Option<RouterView>,
    pub noise: Option<NoiseView>,
    /// Answers to what a person typed, and to nothing else.
    pub history: Vec<Answer>,
    /// The answer to the text that was read from a file last.
    pub opened: Option<Answer>,
    /// What was judged to the end last.
    pub batch: Option<Batch>,
    /// Why the engine works on the newest base, until that is judged to the end.
    pub judging: Option<Cause>,
    /// Texts that were sent and have no base yet, with their revisions.
    sent: Vec<(u64, Cause)>,
    /// How the text on screen grew out of the shown and of the newest one.
    pub shown_drift: Drift,
    pub latest_drift: Drift,
}

impl Results {
    /// A base's answer. Older ones than known are dropped; true where it was taken.
    pub fn base(&mut self, revision: u64, result: BaseResult, text: &Arc<str>, since: Duration) -> bool {
        if self.latest.as_ref().is_some_and(|l| l.revision > revision) {
            return false;
        }
        self.running = None;
        let new = Arc::new(Shown::new(revision, result));
        self.problems = diagnostics(&new.compiled);
        let none_yet = self.shown.as_ref().is_none_or(|s| s.has_errors());
        if new.is_good() || none_yet {
            self.shown = Some(new.clone());
            self.mutants = Mutants::default();
            self.details.clear();
            self.compared = None;
        }
        self.latest = Some(new);
        self.drift(text);
        self.answered(revision, since);
        true
    }

    /// A text is on its way to the engine: its first base answers it.
    pub fn expect(&mut self, revision: u64, cause: Cause) {
        self.sent.retain(|(sent, _)| *sent != revision);
        if self.sent.len() >= SENT {
            self.sent.remove(0);
        }
        self.sent.push((revision, cause));
    }

    /// The engine is another from now on, or begins anew: what it says of texts sent before is no measure of how soon it
    /// answers.
    pub fn give_up(&mut self) {
        self.sent.clear();
        self.await_no_more();
    }

    fn await_no_more(&mut self) {
        self.history.last_mut().into_iter().chain(&mut self.opened).for_each(|answer| answer.awaited = false);
    }

    /// A base has come: the answer to a text, or a text judged again. Whatever was judged before is not judged to the end.
    fn answered(&mut self, revision: u64, since: Duration) {
        self.await_no_more();
        let cause = self.sent.iter().find(|(sent, _)| *sent == revision).map_or(Cause::Again, |sent| sent.1);
        self.sent.retain(|(sent, _)| *sent > revision);
        self.judging = Some(cause);
        let answer = Answer { revision, base: since, all: None, awaited: true, energy: None };
        match cause {
            Cause::Typed => {
                if self.history.len() >= HISTORY {
                    self.history.remove(0);
                }
                self.history.push(answer);
            }
            Cause::Opened => self.opened = Some(answer),
            Cause::Again => {}
        }
    }

    /// The newest answer to a text, and where the text came from.
    pub fn last_answer(&self) -> Option<(Cause, &Answer)> {
        let typed = self.history.last().map(|answer| (Cause::Typed, answer));
        let opened = self.opened.as_ref().map(|answer| (Cause::Opened, answer));
        typed.into_iter().chain(opened).max_by_key(|(_, answer)| answer.revision)
    }

    /// Some verdicts.
    pub fn mutants(&mut self, revision: u64, total: u32, first_order: u32, part: MutantResult) -> bool {
        let Some(shown) = self.shown.clone().filter(|s| s.revision == revision) else { return false };
        self.mutants.total = total;
        self.mutants.first_order = first_order;
        self.mutants.add(&shown, part);
        true
    }

    /// The last verdict is in.
    pub fn done(&mut self, revision: u64, wall: Duration, energy: Energy, since: Duration) -> bool {
        let newest = self.latest.as_ref().is_some_and(|latest| latest.revision == revision);
        let cause = if newest { self.judging.take() } else { None };
        let answers = self.history.last_mut().into_iter().chain(&mut self.opened);
        let awaited = answers.filter(|answer| answer.revision == revision && answer.awaited);
        let Some(shown) = self.shown.as_ref().filter(|shown| shown.revision == revision) else {
            // A text with errors has no verdicts.
            awaited.for_each(|answer| answer.awaited = false);
            return false;
        };
        self.mutants.done = Some(wall);
        awaited.for_each(|answer| {
            answer.awaited = false;
            answer.all = (self.mutants.total > 0).then_some(since);
            answer.energy = Some(energy);
        });
        if let Some(cause) = cause {
            let mut timings = shown.timings;
            timings += &self.mutants.timings;
            self.batch = Some(Batch { cause, energy, timings });
        }
        true
    }

    /// Follows an edit of the text on screen.
    pub fn drift(&mut self, text: &Arc<str>) {
        let from = |shown: &Option<Arc<Shown>>| {
            shown.as_ref().map_or(Drift::default(), |s| Drift::between(&s.compiled.text, text))
        };
        self.shown_drift = from(&self.shown);
        self.latest_drift = from(&self.latest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drift_carries_places_over_an_edit() {
        let drift = Drift::between(&Arc::from("let a = 1; b"), &Arc::from("let abc = 1; b"));
        assert_eq!(drift.forward(4), 4);
        assert_eq!(drift.forward(11), 13);
        assert_eq!(drift.back(13), Some(11));
        assert_eq!(drift.back(6), None);
    }
}
