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
use crate::energy::Energy;
use crate::engine::session::Baseline;
use crate::engine::{
    BaseResult, Compiled, EntryResult, MutantResult, MutantStatus, Outcome, Stage, Timings, Verdict,
};
use crate::lang::NONE;
use crate::lang::role::Role;
use crate::report::diagnostics::{Diagnostic, diagnostics};
use crate::report::listing;
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
}

/// The verdicts on the shown program's mutants, as far as they are in.
#[derive(Debug, Default)]
pub struct Mutants {
    pub verdicts: Vec<Verdict>,
    /// How many will be judged in all, and how many of those are of first order.
    pub total: u32,
    pub first_order: u32,
    /// Ids by status, ascending.
    pub ids: [Vec<u32>; 7],
    /// Ids that count as judged, ascending as they came.
    pub judged: Vec<u32>,
    /// Survivors by line of the shown text, from 0.
    pub survivors: BTreeMap<usize, u32>,
    pub timings: Timings,
    pub done: Option<Duration>,
}

impl Mutants {
    pub fn count(&self, status: MutantStatus) -> usize {
        self.ids[status as usize].len()
    }
    /// 100 × (killed + timeout) / (killed + timeout + survived), where anything counts.
    pub fn score(&self) -> Option<f64> {
        let found = self.count(MutantStatus::Killed) + self.count(MutantStatus::Timeout);
        let all = found + self.count(MutantStatus::Survived);
        (all > 0).then(|| 100.0 * found as f64 / all as f64)
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
            insert(&mut self.ids[verdict.status as usize], id);
            insert(&mut self.judged, id);
            if verdict.status == MutantStatus::Survived
                && let Some(site) = shown.mutant(id).and_then(|m| m.edits.into_iter().next())
            {
                *self.survivors.entry(shown.place(site.lo).0 - 1).or_default() += 1;
            }
        }
        add_timings(&mut self.timings, &part.timings);
    }
}

/// Keeps a list ascending; parts nearly always come in order.
fn insert(ids: &mut Vec<u32>, id: u32) {
    if ids.last().is_none_or(|last| *last < id) {
        ids.push(id);
    } else if let Err(at) = ids.binary_search(&id) {
        ids.insert(at, id);
    }
}

fn add_timings(sum: &mut Timings, part: &Timings) {
    for stage in Stage::ALL {
        sum.stages[stage as usize] += part.stages[stage as usize];
    }
    sum.wall += part.wall;
    sum.programs += part.programs;
    sum.clock = part.clock;
}

/// One keystroke in the history of latencies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keystroke {
    pub revision: u64,
    /// From the key to the base's panels.
    pub base: Duration,
    /// From the key to the last verdict, once it is in.
    pub all: Option<Duration>,
    /// What base and mutants took.
    pub energy: Option<Energy>,
}

/// Keystrokes remembered.
pub const HISTORY: usize = 240;

/// The other engine's word on the same work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrossCheck {
    pub checked: u32,
    pub other: String,
    pub difference: Option<String>,
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
    pub cross_check: Option<CrossCheck>,
    /// The paper's conventional loop on the same mutants; of an older text until the newest is measured.
    pub baseline: Option<Baseline>,
    pub neural: Option<View>,
    pub router: Option<RouterView>,
    pub noise: Option<NoiseView>,
    pub history: Vec<Keystroke>,
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
        let new = Arc::new(Shown::new(revision, result));
        self.problems = diagnostics(&new.compiled);
        let none_yet = self.shown.as_ref().is_none_or(|s| s.has_errors());
        if new.is_good() || none_yet {
            self.shown = Some(new.clone());
            self.mutants = Mutants::default();
            self.details.clear();
            self.cross_check = None;
        }
        self.latest = Some(new);
        self.drift(text);
        if self.history.len() >= HISTORY {
            self.history.remove(0);
        }
        self.history.push(Keystroke { revision, base: since, all: None, energy: None });
        true
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
        if self.shown.as_ref().is_none_or(|s| s.revision != revision) {
            return false;
        }
        self.mutants.done = Some(wall);
        if let Some(last) = self.history.last_mut().filter(|k| k.revision == revision) {
            last.all = Some(since);
            last.energy = Some(energy);
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
