//! A GPU that fails while the user works: the CPU engine continues, and one line reports this.

#[path = "../it/faults/layer.rs"]
mod layer;

use std::path::Path;
use std::time::Duration;

use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::gpu::adapter::{AdapterSummary, adapters};
use myriad::engine::gpu::device_cache::DeviceCache;
use myriad::engine::measured::{self, Measured, Speed};

use portable_pty::CommandBuilder;

use crate::extent::skip;
use crate::place::Place;
use crate::terminal::{Session, within};

const NOTICE: &str = "the CPU engine goes on";

/// Creates a cache in which the adapter, reported as hardware, is faster than the CPU; returns false if there
/// is no adapter.
fn prefer_the_device(folder: &Path) -> bool {
    let Some(found) = adapters().into_iter().find(|adapter| adapter.backend == "Vulkan") else {
        skip("no Vulkan adapter");
        return false;
    };
    let cache = DeviceCache::at(&folder.join("devices"), &AdapterSummary { software: false, ..found });
    let speed = |each| Speed { base: each, fixed: 0.0, each };
    let processor = CpuEngine::new().describe();
    cache.store(measured::FILE, &Measured { processor, cpu: speed(1_000.0), device: speed(1.0) });
    true
}

#[test]
fn workbench_continues_on_the_cpu_after_a_gpu_failure() {
    for fault in [
        ("LAYER_FAIL_DEVICE", "1"),
        ("LAYER_FAIL_PIPELINE", "emit"),
        ("LAYER_FAIL_PIPELINE", "slice"),
        ("LAYER_FAIL_SUBMIT", "2"),
        ("LAYER_FAIL_SUBMIT", "3"),
        ("LAYER_FAIL_SUBMIT", "4"),
    ] {
        let folder = Place::new();
        let file = folder.path().join("twice.myr");
        std::fs::write(&file, "fn twice(x: int) -> int {\n    return x * 2;\n}\n\ntest twice(4) == 8;\n")
            .expect("written");
        let cache = folder.path().join("cache");
        if !prefer_the_device(&cache) {
            return;
        }
        let Some(layer) = layer::environment(&[("LAYER_HARDWARE", "1"), fault]) else { return };
        let cache = cache.display().to_string();
        let layer: Vec<(String, String)> =
            layer.into_iter().map(|(name, value)| (name, value.display().to_string())).collect();
        let mut environment: Vec<(&str, &str)> =
            layer.iter().map(|(name, value)| (&**name, &**value)).collect();
        environment.push(("MYRIAD_CACHE", &cache));
        let mut session = Session::open(&file, (150, 40), &environment);
        session.wait_for("1 passes");
        // A software adapter prepares shaders for a while, longer when other tests run.
        let noticed = session.shows_within(Duration::from_secs(180), |screen| screen.contains(NOTICE));
        assert!(noticed, "{fault:?}:\n{}", session.screen());
        let told = session.screen();
        assert_eq!(told.matches(NOTICE).count(), 1, "{fault:?}:\n{told}");
        // The text is judged as before: a wrong program fails, and a correct one passes.
        session.send("\x1b[B\x1b[F\x1b[D\x1b[D2");
        session.wait_for("1 of 1 fails");
        session.send("\x7f");
        session.wait_for("1 passes");
        session.send("\x11");
    }
}

/// A stopped terminal receives no progress. The work continues nevertheless, and ends.
#[test]
fn stopped_terminal_does_not_block_work() {
    let folder = Place::new();
    let file = folder.path().join("spin.myr");
    // Few mutants that take long, so that progress is drawn.
    let function = |i: u32| {
        format!(
            "fn spin{i}(n: int) -> int {{ let i = 0; while i < n {{ i += 1; }} return i; }}
            test spin{i}(50000) == 50000;\n"
        )
    };
    std::fs::write(&file, (0..8).map(function).collect::<String>()).expect("written");
    let mut command = CommandBuilder::new("sh");
    // The shell waits for a line; meanwhile the test stops the terminal.
    let script = "echo ready; read line; exec \"$0\" mutate spin.myr --format json >verdicts.json";
    command.args(["-c", script, env!("CARGO_BIN_EXE_myriad")]);
    let mut session = Session::start(command, &file, (100, 30), &[]);
    session.wait_for("ready");
    // Stops the terminal, then sends the line that the shell waits for.
    session.send("\x13");
    session.send("\n");
    let ended = within(Duration::from_secs(240), || session.ended().is_some());
    let verdicts = std::fs::read_to_string(folder.path().join("verdicts.json")).unwrap_or_default();
    assert!(ended, "{} bytes of the document were written", verdicts.len());
    assert!(verdicts.trim_end().ends_with('}'), "the document is whole");
}
