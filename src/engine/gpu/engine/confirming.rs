//! The first base of an adapter and driver version, compared with the CPU engine's. Drivers have faults that no trial of single
//! operations shows. The result is kept in the cache folder.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::GpuEngine;
use crate::compiler::program::Watch;
use crate::engine::cpu::CpuEngine;
use crate::engine::gpu::device::Gpu;
use crate::engine::{BaseResult, Engine, EngineError};

/// Adapters whose first base was right, in this process.
static CONFIRMED: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// The cache file that says whether the first base of a device was right.
fn file(subgroups: bool) -> &'static str {
    if subgroups { "agrees-by-subgroups" } else { "agrees-by-memory" }
}

/// Whether scans by subgroups gave a wrong base before.
pub(super) fn subgroups_failed(gpu: &Gpu) -> bool {
    gpu.cache.as_ref().and_then(|cache| cache.load(file(true))) == Some(false)
}

/// Keeps whether the first base was right.
fn keep(gpu: &Gpu, agrees: bool) {
    gpu.cache.iter().for_each(|cache| cache.store(file(gpu.subgroups), &agrees));
}

impl GpuEngine {
    /// The base of a text, confirmed by the CPU engine if it is the first of this adapter and driver that has tests.
    ///
    /// # Errors
    /// If the device fails, is cancelled, or gives other results than the CPU engine also when it scans by memory.
    pub(super) fn confirmed_base(
        &mut self,
        text: &Arc<str>,
        watch: &dyn Watch,
    ) -> Result<BaseResult, EngineError> {
        if self.is_confirmed() {
            return self.make_base(text, true, watch);
        }
        let mut processor = CpuEngine::new();
        processor.set_group(self.group);
        let found = self.agreed_base(text, watch, &mut |text| processor.base(text, watch))?;
        if !found.entries.is_empty() {
            let mut confirmed = CONFIRMED.lock().unwrap_or_else(PoisonError::into_inner);
            confirmed.get_or_insert_default().insert(self.key());
            keep(&self.gpu, true);
        }
        Ok(found)
    }

    /// Whether its first base was right, in this run of the program or in an earlier one.
    fn is_confirmed(&self) -> bool {
        let key = self.key();
        CONFIRMED.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|all| all.contains(&key))
            || self.gpu.cache.as_ref().and_then(|cache| cache.load(file(self.gpu.subgroups))) == Some(true)
    }

    /// The base of a text, where it is the one that is expected. Where it is another, it is made again with scans by memory.
    fn agreed_base(
        &mut self,
        text: &Arc<str>,
        watch: &dyn Watch,
        expected: &mut dyn FnMut(&Arc<str>) -> Result<BaseResult, EngineError>,
    ) -> Result<BaseResult, EngineError> {
        let found = self.make_base(text, true, watch)?;
        let expected = expected(text)?;
        if agree(&expected, &found) {
            return Ok(found);
        }
        if self.gpu.subgroups {
            keep(&self.gpu, false);
            let mut other = GpuEngine::on(self.gpu.without_subgroups())?;
            (other.exact, other.reusing, other.group) = (self.exact, self.reusing, self.group);
            *self = other;
            let found = self.make_base(text, true, watch)?;
            if agree(&expected, &found) {
                return Ok(found);
            }
        }
        let name = &self.gpu.adapter.name;
        Err(EngineError::Fault(format!("{name} compiles or runs this program otherwise than the CPU engine")))
    }

    /// What a confirmation holds for.
    fn key(&self) -> String {
        let adapter = &self.gpu.adapter;
        let scans = if self.gpu.subgroups { "subgroups" } else { "memory" };
        [&*adapter.backend, &adapter.name, &adapter.driver, env!("CARGO_PKG_VERSION"), scans].join("\n")
    }
}

fn agree(expected: &BaseResult, found: &BaseResult) -> bool {
    expected.compiled == found.compiled && expected.entries == found.entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::device_cache::DeviceCache;
    use crate::engine::gpu::device::Wanted;

    #[test]
    fn a_base_that_differs_from_the_cpus_costs_the_subgroups_and_then_the_device() {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let open = || {
            let gpu = Gpu::open_with(&Wanted::Any, |adapter| Some(DeviceCache::at(folder.path(), adapter)));
            gpu.and_then(GpuEngine::with).unwrap_or_else(|error| panic!("{error}"))
        };
        let mut gpu = open();
        let by_subgroups = gpu.scans_by_subgroups();
        gpu.set_reusing(true);
        let text: Arc<str> = "fn f(a: int) -> int { return a + 1; } test f(1) == 2; test f(2) == 4;".into();
        let right = CpuEngine::new().base(&text, &|| false).unwrap_or_else(|error| panic!("{error}"));
        let agreed = gpu.agreed_base(&text, &|| false, &mut |_| Ok(right.clone()));
        assert!(agreed.is_ok_and(|base| base.entries == right.entries));
        let mut wrong = right.clone();
        wrong.entries.reverse();
        let answer = gpu.agreed_base(&text, &|| false, &mut |_| Ok(wrong.clone()));
        assert!(matches!(answer, Err(EngineError::Fault(_))), "{:?}", answer.map(|base| base.entries));
        assert!(!gpu.scans_by_subgroups() && gpu.reusing);
        // What the CPU engine then says is right still counts.
        let agreed = gpu.agreed_base(&text, &|| false, &mut |_| Ok(right.clone()));
        assert!(agreed.is_ok_and(|base| base.entries == right.entries));
        // The next run of the program remembers.
        let again = open();
        assert!(!again.scans_by_subgroups() && subgroups_failed(&again.gpu) == by_subgroups);
        keep(&again.gpu, true);
        assert!(again.is_confirmed());
    }
}
