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

    /// The program whose verdicts are checked, with its tests' results.
    pub fn base(&self) -> &BaseResult {
        &self.base
    }

    /// Verdicts that are there to be checked.
    pub fn verdicts(&self) -> u32 {
        self.verdicts.len() as u32
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
            self.difference = base.difference_from(&self.base);
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
