//! The results of a search: repairs, and a question that separates them.

use super::Candidate;
use super::rules::Rule;
use crate::host::measure::numbers::plural;
use crate::lang::index::RoutineId;
use crate::testing::decide::Given;

/// A replacement of a byte range of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub rule: Rule,
    pub lo: usize,
    pub hi: usize,
    pub replacement: String,
}

/// A repair: changes in text order, after which every test and property passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    pub changes: Vec<Change>,
    /// The size of the change. Repairs of lower cost are more likely to be right.
    pub cost: u32,
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
    pub(super) candidate: Candidate,
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
pub struct Question {
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
}

impl Repair {
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

    /// Applies the repair to the text.
    pub fn apply(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for change in &self.changes {
            out.push_str(text.get(at..change.lo).unwrap_or(""));
            out.push_str(&change.replacement);
            at = change.hi.max(at);
        }
        out.push_str(text.get(at..).unwrap_or(""));
        out
    }
}

/// Returns the sort key of a repair: lower cost first, then higher suspicion, then fewer changed bytes.
pub(super) fn order(repair: &Repair) -> (u32, f64, usize) {
    let letters = repair.changes.iter().map(|change| change.replacement.len() + change.hi - change.lo).sum();
    (repair.cost, -repair.suspicion, letters)
}
