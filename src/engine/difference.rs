//! Compares the results of two engines on one base. They must always be equal.

use super::BaseResult;

impl BaseResult {
    /// Describes the first difference between the results of two engines: the earliest stage or test.
    pub fn difference_from(&self, other: &BaseResult) -> Option<String> {
        let (a, b) = (&*self.compiled, &*other.compiled);
        let stages = [
            ("lex", a.tokens == b.tokens),
            ("parse", a.tree == b.tree),
            ("check", a.checked == b.checked && a.facts == b.facts),
            ("lower", a.lowered == b.lowered && a.binders == b.binders),
            ("optimize", a.ir == b.ir),
            ("emit", a.executable == b.executable),
        ];
        if let Some((stage, _)) = stages.iter().find(|(_, equal)| !equal) {
            return Some(format!("{stage} differs"));
        }
        let entries = self.entries.iter().zip(&other.entries).position(|(x, y)| x != y);
        match entries {
            Some(index) => {
                Some(format!("test {index}: {:?} and {:?}", other.entries[index], self.entries[index]))
            }
            None if self.entries.len() != other.entries.len() => Some("the number of tests".into()),
            None => None,
        }
    }
}
