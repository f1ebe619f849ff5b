//! What a search gives: repairs, and the question that tells them apart.

use super::Candidate;
use super::rules::Rule;

/// A change of the text: these bytes become that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub rule: Rule,
    pub lo: usize,
    pub hi: usize,
    pub replacement: String,
}

/// A repair: changes in the order of the text, after which every test and property passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    pub changes: Vec<Change>,
    /// How much it changes; the less the likelier.
    pub cost: u32,
    pub suspicion: f64,
    /// Other repairs that give the same on all inputs that were tried.
    pub alike: u32,
    pub(super) candidate: Candidate,
}

/// What only a person knows: which of several values a call should give. Whatever the answer, it is a test that drops repairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The call, as it is written.
    pub call: String,
    /// The values that repairs give, each as a test, with the ranks of those that give it; the most likely first.
    pub answers: Vec<(String, Vec<usize>)>,
}

impl Repair {
    /// The text with the repair.
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

/// The better of two repairs changes less, where it is more suspicious, with fewer letters.
pub(super) fn order(repair: &Repair) -> (u32, f64, usize) {
    let letters = repair.changes.iter().map(|change| change.replacement.len() + change.hi - change.lo).sum();
    (repair.cost, -repair.suspicion, letters)
}
