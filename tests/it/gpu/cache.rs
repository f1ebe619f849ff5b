//! The cache of a device: compiled pipelines and the length of slices.

use std::path::Path;
use std::sync::Arc;

use myriad::engine::Engine;
use myriad::engine::gpu::GpuEngine;
use myriad::engine::gpu::adapter::{AdapterQuery, AdapterSummary};
use myriad::engine::gpu::device::Gpu;
use myriad::engine::gpu::device_cache::DeviceCache;
use myriad::lang::verdict::Outcome;

/// Opens an engine whose cache is in a folder; with `hardware`, the software adapter is treated as hardware.
fn kept(folder: &Path, hardware: bool) -> GpuEngine {
    let cache = |adapter: &AdapterSummary| Some(DeviceCache::at(folder, adapter));
    let mut gpu = Gpu::open_with(&AdapterQuery::Any, cache).unwrap_or_else(|error| panic!("{error}"));
    gpu.adapter.software &= !hardware;
    GpuEngine::on(gpu).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn pipeline_cache_is_reused_and_damaged_caches_are_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    let text: Arc<str> = "fn f(a: int) -> int { return a + 1; } test f(1) == 2;".into();
    let run = || {
        let mut engine = kept(folder.path(), false);
        let base = engine.base(&text, &|| false).unwrap_or_else(|error| panic!("{error}"));
        assert!(base.entries.iter().all(|entry| entry.outcome == Outcome::Pass));
        let cache = DeviceCache::at(folder.path(), engine.adapter());
        (engine.adapter().backend == "Vulkan").then_some(cache)
    };
    let Some(cache) = run() else {
        println!("the backend keeps no pipelines");
        return;
    };
    let (path, sound) = (cache.path("pipelines"), cache.read("pipelines"));
    let whole = std::fs::read(&path).expect("the pipelines are kept");
    assert!(sound.is_some_and(|data| !data.is_empty()));
    let mut flipped = whole.clone();
    *flipped.last_mut().expect("not empty") ^= 1;
    for damaged in [vec![], whole[..whole.len() / 2].to_vec(), flipped] {
        std::fs::write(&path, damaged).expect("written");
        run();
        assert!(cache.read("pipelines").is_some(), "they are replaced");
    }
    // Contents that no driver wrote, in a valid file.
    cache.write("pipelines", b"no pipelines");
    run();
    assert_ne!(cache.read("pipelines").as_deref(), Some(&b"no pipelines"[..]));
    // A folder that cannot be created does no harm either.
    drop(kept(&path, false));
}

/// Whether slices become longer depends on time, which the tests of `Pace` cover.
#[test]
fn hardware_slices_start_short_and_their_length_is_cached() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut engine = kept(folder.path(), true);
    assert_eq!(engine.slice_budget(), 512);
    engine.base(&"test 1 == 1;".into(), &|| false).unwrap_or_else(|error| panic!("{error}"));
    let budget = engine.slice_budget();
    drop(engine);
    let software = kept(folder.path(), false);
    let cache = DeviceCache::at(folder.path(), software.adapter());
    assert_eq!(cache.load("budget"), Some(budget), "it is kept for the next run of the program");
    for (remembered, begins) in [(4_096, 4_096), (1 << 30, 16_384), (0, 512)] {
        cache.store("budget", &remembered);
        assert_eq!(kept(folder.path(), true).slice_budget(), begins);
    }
    if software.adapter().software {
        assert_eq!(software.slice_budget(), 2_048, "a software adapter has nothing to find out");
    }
}
