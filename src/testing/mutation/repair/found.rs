//! The results of a search: repairs, and a question that separates them.

use super::Candidate;
use super::rules::Rule;

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
    pub(super) candidate: Candidate,
}

/// A question for a person: which of several values a call should return. Each answer is a test that eliminates
/// repairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The call as source text.
    pub call: String,
    /// The values that repairs return, each as a test, with the ranks of these repairs. The most likely value comes
    /// first.
    pub answers: Vec<(String, Vec<usize>)>,
}

impl Repair {
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
