//! A mutant beside its base.

use super::alike::Alike;
use crate::program::{Compiled, Executable};
use crate::stage::emit::as_lowered;
use crate::stage::mutate::Edit;

/// A mutant, and which of its instructions are the base's.
pub struct Pair {
    /// As it is executed, and before any pass.
    pub mutant: Executable,
    pub lowered: Executable,
    pub alike: Alike,
    /// The functions that it changes, ascending.
    pub functions: Vec<u32>,
}

impl Pair {
    pub fn new((base, lowered): (&Compiled, &Executable), mutant: &Compiled, edits: &[Edit]) -> Pair {
        let own = as_lowered(mutant);
        let alike = Alike::new(lowered, &own, edits);
        let view = base.view();
        let changed = |function: &u32| {
            let head = base.executable.routine(*function).map(|routine| routine.head());
            head.is_some_and(|head| edits.iter().any(|edit| view.extent(head).contains(&edit.site)))
        };
        let functions = (0..base.facts.functions).filter(changed).collect();
        Pair { mutant: mutant.executable.clone(), lowered: own, alike, functions }
    }
}
