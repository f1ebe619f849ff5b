//! The newest result of each idle job, by type. Only the jobs and the panels use the concrete types.

use std::any::TypeId;
use std::collections::HashMap;

use crate::lang::index::RoutineId;
use crate::session::job::JobResult;
use crate::session::{Changes, Filled, Finding, Proofs, Repairs, Survivors};

#[derive(Debug, Default)]
pub struct Findings {
    /// The flag is true if the finding belongs to the shown base, or to the listed mutants.
    newest: HashMap<TypeId, (Finding, bool)>,
}

impl Findings {
    /// Stores a finding about the shown base.
    pub fn take(&mut self, finding: Finding) {
        self.newest.insert(finding.kind(), (finding, true));
    }

    /// Marks findings as outdated: those about mutants and repairs when other verdicts are listed, all others when another
    /// base is shown, or the same one again.
    pub fn age(&mut self, of_mutants: bool) {
        let kinds = [
            TypeId::of::<Survivors>(),
            TypeId::of::<Proofs>(),
            TypeId::of::<Filled>(),
            TypeId::of::<Changes>(),
            TypeId::of::<Repairs>(),
        ];
        let aged = self.newest.iter_mut().filter(|(kind, _)| kinds.contains(kind) == of_mutants);
        aged.for_each(|(_, (_, current))| *current = false);
    }

    /// Returns the newest finding, possibly of an older text.
    pub fn last<T: JobResult>(&self) -> Option<&T> {
        self.newest.get(&TypeId::of::<T>())?.0.what()
    }

    /// Returns the newest finding, if it belongs to the shown base.
    pub fn current<T: JobResult>(&self) -> Option<&T> {
        let (finding, _) = self.newest.get(&TypeId::of::<T>()).filter(|(_, current)| *current)?;
        finding.what()
    }

    /// Returns the newest finding, if it belongs to this function.
    pub fn of_function<T: JobResult>(&self, function: RoutineId) -> Option<&T> {
        let (finding, _) = self.newest.get(&TypeId::of::<T>())?;
        finding.what().filter(|_| finding.function == Some(function))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::index::Index;

    #[test]
    fn newest_finding_of_each_type_is_kept() {
        let mut findings = Findings::default();
        findings.take(Finding::new(1, None, 7_u32));
        findings.take(Finding::new(1, Some(RoutineId::new(2)), "of a function"));
        findings.take(Finding::new(1, None, 8_u32));
        assert_eq!((findings.current::<u32>(), findings.last::<u64>()), (Some(&8), None));
        assert_eq!(findings.of_function::<&str>(RoutineId::new(2)), Some(&"of a function"));
        assert_eq!(findings.of_function::<&str>(RoutineId::new(3)), None, "of another function");
        findings.take(Finding::new(1, None, Changes::default()));
        findings.age(false);
        assert_eq!((findings.current::<u32>(), findings.last::<u32>()), (None, Some(&8)));
        assert!(findings.current::<Changes>().is_some(), "its mutants are still listed");
        findings.age(true);
        assert!(findings.current::<Changes>().is_none());
    }
}
