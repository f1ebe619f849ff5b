//! The results of a search: repairs, and a question that separates them.

use std::cmp::Ordering;

use super::RepairCandidate;
use super::catalogue::Written;
use super::rules::Rule;
use crate::compiler::program::Compiled;
use crate::engine::explain::Value;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::RoutineId;
use crate::testing::decide::Given;
use crate::testing::mutation::question::{call_text, literals, test_of};

/// A replacement of a byte range of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub rule: Rule,
    pub lo: usize,
    pub hi: usize,
    pub replacement: String,
    /// The number of failing tests and properties that the change mends without the repair's other changes, if it
    /// breaks none. Such a change can be taken alone.
    pub mends: u32,
}

/// A repair: changes in text order, after which every test and property passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    pub changes: Vec<Change>,
    /// The size of the change. Repairs of lower cost are more likely to be right.
    pub cost: u32,
    /// The order among what is written in the place of a `?`; 0 elsewhere.
    pub weight: u32,
    /// The number of calls inside the domain of the tests that end otherwise than before, and of all that were tried.
    pub changed: u32,
    pub calls: u32,
    pub suspicion: f64,
    /// The number of other repairs with the same results on all inputs that were tried.
    pub alike: u32,
    /// The number of these that are proved equal.
    pub proved: u32,
    /// These repairs, at most [`super::LIKES`].
    pub likes: Vec<Repair>,
    /// A call in a passing test or property whose result the repair changes, if a function that it changes has one.
    pub other_use: Option<OtherUse>,
    /// Functions that call a function which it changes, and that no failing test enters.
    pub other_callers: Vec<String>,
    pub(super) candidate: RepairCandidate,
}

/// A call in a passing test or property, and its results before and after a repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherUse {
    pub call: String,
    /// `None` if the call traps.
    pub before: Option<String>,
    pub after: Option<String>,
}

impl OtherUse {
    /// Returns the change as a clause.
    pub fn text(&self) -> String {
        let end = |value: &Option<String>| value.clone().unwrap_or_else(|| "a trap".into());
        format!("changes {} for passing tests: {} → {}", self.call, end(&self.before), end(&self.after))
    }
}

/// A question for a person: which of several values a call should return. Each answer is a test that eliminates
/// repairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairQuestion {
    pub function: RoutineId,
    pub arguments: Given,
    /// Whether the arguments are inside the domain that the file's tests show. If not, no input was found there that
    /// separates the repairs.
    pub inside: bool,
    /// The call as source text.
    pub call: String,
    /// The values that repairs return, each as a test, with the ranks of these repairs. The most likely value comes
    /// first.
    pub answers: Vec<(String, Vec<usize>)>,
    /// The ranks of repairs for which the call traps.
    pub traps: Vec<usize>,
}

impl RepairQuestion {
    /// Asks for the value of a call. `is_text` says whether an argument is a string. `results` are the ranks of repairs
    /// with their values, or `None` if they trap.
    pub fn new(
        base: &Compiled,
        (function, arguments, inside): (RoutineId, Given, bool),
        is_text: impl Fn(usize) -> bool,
        results: impl Iterator<Item = (usize, Option<Value>)>,
    ) -> RepairQuestion {
        let texts = literals(&arguments, &base.program().parameters(function), is_text);
        let (mut answers, mut traps): (Vec<(String, Vec<usize>)>, _) = (Vec::new(), Vec::new());
        for (rank, value) in results {
            let Some(value) = value else {
                traps.push(rank);
                continue;
            };
            let test = test_of(base, function, &texts, &value);
            match answers.iter_mut().find(|(known, _)| *known == test) {
                Some((_, ranks)) => ranks.push(rank),
                None => answers.push((test, vec![rank])),
            }
        }
        RepairQuestion { function, arguments, inside, call: call_text(base, function, &texts), answers, traps }
    }
}

impl Repair {
    /// Returns the size of what is written in the place of a `?`.
    pub fn size(&self) -> Option<u32> {
        Some(self.weight / Written::SIZE).filter(|size| *size > 0)
    }

    /// Describes the other repairs like this one: `equal, as proved`; `like it on all inputs tried`.
    pub fn likeness(&self) -> Option<String> {
        let others = plural(self.alike.into(), "other");
        match (self.alike, self.proved) {
            (0, _) => None,
            (all, proved) if proved == all => Some(format!("{others} proved equal")),
            (_, 0) => Some(format!("{others} like it on all inputs tried")),
            (_, proved) => Some(format!("{others} like it on all inputs tried, {proved} proved equal")),
        }
    }

    /// Describes a sole repair: nothing shows that it is right.
    pub fn plausible(&self) -> String {
        let others = match (self.alike, self.proved) {
            (0, _) => "no other was found",
            (all, proved) if proved == all => "all others that were found are proved equal to it",
            _ => "no input was found on which the others differ from it",
        };
        format!("plausible, not proved right: every test passes, and {others}")
    }

    pub fn apply(&self, text: &str) -> String {
        applied(&self.changes, text, 0..text.len())
    }

    /// Returns the lines of the text that change, counted from 0, each group with the text that takes their place.
    pub fn lines(&self, text: &str) -> Vec<(std::ops::Range<usize>, String)> {
        let begin = |at: usize| text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        let end = |at: usize| text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |n| at + n);
        let line = |at: usize| text.get(..at).unwrap_or("").matches('\n').count();
        let mut groups = Vec::new();
        let mut rest = &self.changes[..];
        while let Some(first) = rest.first() {
            let (lo, mut hi) = (begin(first.lo), end(first.hi));
            let mut count = 1;
            while let Some(next) = rest.get(count).filter(|next| next.lo <= hi) {
                hi = end(next.hi).max(hi);
                count += 1;
            }
            let (group, others) = rest.split_at(count);
            groups.push((line(lo)..line(hi) + 1, applied(group, text, lo..hi)));
            rest = others;
        }
        groups
    }
}

fn applied(changes: &[Change], text: &str, range: std::ops::Range<usize>) -> String {
    let mut out = String::with_capacity(range.len());
    let mut at = range.start;
    for change in changes {
        out.push_str(text.get(at..change.lo).unwrap_or(""));
        out.push_str(&change.replacement);
        at = change.hi.max(at);
    }
    out.push_str(text.get(at..range.end).unwrap_or(""));
    out
}

/// The questions that a search leaves open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unmended {
    /// The number of failing tests and properties, and the lines of those that no change mends.
    pub failing: usize,
    pub lines: Vec<u32>,
    /// The line that is most likely wrong.
    pub suspect: Option<u32>,
}

/// Explains the order of repairs: for each, its cost, the results that it changes, its suspicion, and the first
/// difference from the one before.
pub fn reasons(repairs: &[Repair]) -> Vec<String> {
    let doublings = doublings(repairs);
    let reason = |(i, repair): (usize, &Repair)| {
        let rules: Vec<&str> = repair.changes.iter().map(|change| change.rule.name()).collect();
        let Repair { cost, changed, calls, suspicion, .. } = repair;
        let (changed, calls) = (grouped((*changed).into()), grouped((*calls).into()));
        let rules = rules.join(" + ");
        let own =
            format!("cost {cost} ({rules}), changes {changed} of {calls} results, suspicion {suspicion:.2}");
        match i.checked_sub(1).and_then(|before| repairs.get(before)) {
            None => own,
            Some(other) if other.cost < repair.cost => format!("{own}; the one before costs {}", other.cost),
            Some(other) if doublings[i - 1] < doublings[i] => {
                format!("{own}; the one before changes {}", grouped(other.changed.into()))
            }
            Some(other) if other.suspicion > repair.suspicion => {
                format!("{own}; the one before has suspicion {:.2}", other.suspicion)
            }
            Some(_) => format!("{own}; the one before is shorter"),
        }
    };
    repairs.iter().enumerate().map(reason).collect()
}

/// The cost of twice as many changed results.
const OF_TWICE: f64 = 0.75;

/// Returns the binary logarithm of the number of results that each repair changes, in steps of one half, since smaller
/// differences are chance. Returns zeros if a repair changes none: then the calls that show the bug exhaust their
/// resources, and were left out.
fn doublings(repairs: &[Repair]) -> Vec<f64> {
    let counts = repairs.iter().all(|repair| repair.changed > 0);
    let of =
        |repair: &Repair| if counts { (2.0 * f64::from(repair.changed).log2()).floor() / 2.0 } else { 0.0 };
    repairs.iter().map(of).collect()
}

/// Returns the repairs in the order of their ranks: lower cost first, to which changed results add; then higher suspicion,
/// then fewer changed bytes. What is written in the place of a `?` has its own order.
pub(super) fn sorted(repairs: Vec<Repair>) -> Vec<Repair> {
    let key = |repair: &Repair, doublings: f64| {
        let letters: usize =
            repair.changes.iter().map(|change| change.replacement.len() + change.hi - change.lo).sum();
        // A `?` changes every result.
        let doublings = if repair.weight > 0 { 0.0 } else { doublings };
        (f64::from(repair.cost) + OF_TWICE * doublings, -repair.suspicion, repair.weight, letters)
    };
    let doublings = doublings(&repairs);
    let mut keyed: Vec<_> = repairs
        .into_iter()
        .zip(doublings)
        .map(|(repair, doublings)| (key(&repair, doublings), repair))
        .collect();
    keyed.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
    keyed.into_iter().map(|(_, repair)| repair).collect()
}
