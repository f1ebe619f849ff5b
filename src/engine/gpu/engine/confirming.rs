//! Compares the first base of an adapter and driver version with the CPU engine's. Some driver faults do not
//! show in trials of single operations. The outcome is stored in the cache folder.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::GpuEngine;
use crate::compiler::program::Watch;
use crate::engine::cpu::CpuEngine;
use crate::engine::gpu::device::Gpu;
use crate::engine::{BaseResult, DeviceFailure, Engine, EngineError, EngineSettings};

/// Adapters whose first base was right, in this process.
static CONFIRMED: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// Returns the name of the cache file with the outcome for a device.
fn file(subgroups: bool) -> &'static str {
    if subgroups { "agrees-by-subgroups" } else { "agrees-by-memory" }
}

/// Whether scans by subgroups produced a wrong base before.
pub(super) fn subgroups_failed(gpu: &Gpu) -> bool {
    gpu.cache.as_ref().and_then(|cache| cache.load(file(true))) == Some(false)
}

/// Stores whether the first base was right.
fn keep(gpu: &Gpu, agrees: bool) {
    gpu.cache.iter().for_each(|cache| cache.store(file(gpu.subgroups), &agrees));
}

impl GpuEngine {
    /// Compiles and tests a text at level 3 on the CPU, because no shader applies learned code. The device keeps its base.
    pub(super) fn learned_base(
        &mut self,
        text: &Arc<str>,
        watch: &dyn Watch,
    ) -> Result<BaseResult, EngineError> {
        let mut twin = CpuEngine::new();
        twin.configure(self.settings);
        twin.base(text, watch)
    }

    /// Compiles and tests a base. The first base with tests on this adapter and driver is compared with the
    /// CPU engine's.
    ///
    /// # Errors
    /// If it is cancelled, the device fails, or the results differ from the CPU engine's even with scans in
    /// memory.
    pub(super) fn confirmed_base(
        &mut self,
        text: &Arc<str>,
        watch: &dyn Watch,
    ) -> Result<BaseResult, EngineError> {
        if self.is_confirmed() {
            return self.make_base(text, true, watch);
        }
        let mut processor = CpuEngine::new();
        processor.configure(EngineSettings { exact: false, reusing: false, ..self.settings });
        let found = self.agreed_base(text, watch, &mut |text| processor.base(text, watch))?;
        if !found.entries.is_empty() {
            let mut confirmed = CONFIRMED.lock().unwrap_or_else(PoisonError::into_inner);
            confirmed.get_or_insert_default().insert(self.key());
            keep(&self.gpu, true);
        }
        Ok(found)
    }

    /// Whether the adapter's first base was right, in this run of the program or an earlier one.
    fn is_confirmed(&self) -> bool {
        let key = self.key();
        CONFIRMED.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|all| all.contains(&key))
            || self.gpu.cache.as_ref().and_then(|cache| cache.load(file(self.gpu.subgroups))) == Some(true)
    }

    /// Compiles and tests a base, and compares it with the expected one. If they differ, it is compiled again
    /// with scans in memory.
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
            other.settings = self.settings;
            *self = other;
            let found = self.make_base(text, true, watch)?;
            if agree(&expected, &found) {
                return Ok(found);
            }
        }
        let name = &self.gpu.adapter.name;
        Err(DeviceFailure::Results
            .because(format!("{name} does not compile or run this program like the CPU engine")))
    }

    /// Returns the key for which a confirmation is valid.
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
    use crate::engine::gpu::adapter::AdapterQuery;
    use crate::engine::gpu::device_cache::DeviceCache;

    #[test]
    fn base_mismatch_disables_subgroups_then_the_device() {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let open = || {
            let gpu =
                Gpu::open_with(&AdapterQuery::Any, |adapter| Some(DeviceCache::at(folder.path(), adapter)));
            gpu.and_then(GpuEngine::with).unwrap_or_else(|error| panic!("{error}"))
        };
        let mut gpu = open();
        let by_subgroups = gpu.scans_by_subgroups();
        gpu.configure(EngineSettings { reusing: true, ..gpu.settings });
        let text: Arc<str> = "fn f(a: int) -> int { return a + 1; } test f(1) == 2; test f(2) == 4;".into();
        let right = CpuEngine::new().base(&text, &|| false).unwrap_or_else(|error| panic!("{error}"));
        let agreed = gpu.agreed_base(&text, &|| false, &mut |_| Ok(right.clone()));
        assert!(agreed.is_ok_and(|base| base.entries == right.entries));
        let mut wrong = right.clone();
        wrong.entries.reverse();
        let answer = gpu.agreed_base(&text, &|| false, &mut |_| Ok(wrong.clone()));
        assert!(
            matches!(answer, Err(EngineError::Device(DeviceFailure::Results, _))),
            "{:?}",
            answer.map(|base| base.entries)
        );
        assert!(!gpu.scans_by_subgroups() && gpu.settings.reusing);
        // Later bases that equal the CPU engine's are still accepted.
        let agreed = gpu.agreed_base(&text, &|| false, &mut |_| Ok(right.clone()));
        assert!(agreed.is_ok_and(|base| base.entries == right.entries));
        // The next run of the program reads the stored outcome.
        let again = open();
        assert!(!again.scans_by_subgroups() && subgroups_failed(&again.gpu) == by_subgroups);
        keep(&again.gpu, true);
        assert!(again.is_confirmed());
    }
}
