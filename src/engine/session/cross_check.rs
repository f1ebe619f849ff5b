//! The same batch judged again by the other engine, a part at a time.

use std::sync::Arc;

use crate::engine::{BaseResult, Compiled, Engine, EngineError, Kind, MutantResult, Verdict};

/// Mutants of one part: small, so that a keystroke never waits long behind one.
const PART: u32 = 64;

/// What one engine has found, and how far the other one agrees.
pub struct CrossCheck {
    kind: Kind,
    base: BaseResult,
    verdicts: Vec<Verdict>,
    base_checked: bool,
    checked: u32,
    difference: Option<String>,
}

impl CrossCheck {
    /// Begins a check of what the engine of `kind` found for a base.
    pub fn new(kind: Kind, base: BaseResult) -> Self {
        CrossCheck { kind, base, verdicts: vec![], base_checked: false, checked: 0, difference: None }
    }

    /// Adds verdicts that are to be checked; parts come in order.
    pub fn record(&mut self, part: &MutantResult) {
        self.verdicts.truncate(part.first as usize);
        self.verdicts.extend(&part.verdicts);
    }

    /// The engine whose findings are checked.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The program whose verdicts are checked.
    pub fn compiled(&self) -> &Arc<Compiled> {
        &self.base.compiled
    }

    /// Mutants judged alike by both engines so far.
    pub fn checked(&self) -> u32 {
        self.checked
    }

    /// Where the engines differ, if they do.
    pub fn difference(&self) -> Option<String> {
        self.difference.clone()
    }

    /// Nothing is left to do.
    pub fn is_done(&self) -> bool {
        self.difference.is_some() || (self.base_checked && self.checked as usize >= self.verdicts.len())
    }

    /// Compares the base first, then one part of the mutants.
    pub fn step(
        &mut self,
        other: &mut dyn Engine,
        text: &Arc<str>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), EngineError> {
        if !self.base_checked {
            let base = other.base(text)?;
            self.difference = base_difference(&self.base, &base);
            self.base_checked = true;
            return Ok(());
        }
        let count = PART.min(self.verdicts.len() as u32 - self.checked);
        let (verdicts, difference) = (&self.verdicts, &mut self.difference);
        let mut checked = self.checked;
        other.mutants(self.checked, count, cancelled, &mut |part| {
            for (id, found) in (part.first..).zip(&part.verdicts) {
                let expected = verdicts.get(id as usize);
                if difference.is_none() && expected != Some(found) {
                    *difference = Some(format!("mutant {id}: {expected:?} and {found:?}"));
                }
            }
            checked += part.verdicts.len() as u32;
        })?;
        self.checked = checked;
        Ok(())
    }
}

fn base_difference(one: &BaseResult, other: &BaseResult) -> Option<String> {
    let (a, b) = (&*one.compiled, &*other.compiled);
    let stages = [
        ("lex", a.tokens == b.tokens),
        ("parse", a.tree == b.tree),
        ("check", a.checked == b.checked && a.facts == b.facts),
        ("lower", a.lowered == b.lowered && a.binders == b.binders),
        ("optimize", a.ir == b.ir),
        ("emit", a.code == b.code && a.routines == b.routines),
    ];
    if let Some((stage, _)) = stages.iter().find(|(_, equal)| !equal) {
        return Some(format!("{stage} differs"));
    }
    let entries = one.entries.iter().zip(&other.entries).position(|(x, y)| x != y);
    match entries {
        Some(index) => Some(format!("test {index}: {:?} and {:?}", one.entries[index], other.entries[index])),
        None if one.entries.len() != other.entries.len() => Some("the number of tests".into()),
        None => None,
    }
}
