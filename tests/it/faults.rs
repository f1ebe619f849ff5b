//! Drivers that fail or never answer: the program continues on the CPU, reports this on one line, and prints
//! what it would have printed.
//!
//! A Vulkan layer (`faults/layer.c`) reports the adapter of these tests as hardware and injects the faults.

mod layer;
mod measuring;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::common::command::{Called, call, myriad_in};
use crate::common::extent::{one_in, skip, skip_unless_thorough};
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::gpu::adapter::{AdapterSummary, adapters};
use myriad::engine::gpu::device_cache::DeviceCache;
use myriad::engine::gpu::shaders;
use myriad::engine::measured::{self, Measured, Speed};
use myriad::lang::mutation::Group;

const HARDWARE: (&str, &str) = ("LAYER_HARDWARE", "1");

/// Returns the adapter as the layer reports it.
fn reported() -> Option<AdapterSummary> {
    let found = adapters().into_iter().find(|adapter| adapter.backend == "Vulkan");
    if found.is_none() {
        skip("no Vulkan adapter");
    }
    found.map(|adapter| AdapterSummary { software: false, ..adapter })
}

/// Creates a cache in which the device is faster than the CPU on any batch.
fn cache(folder: &Path) -> Option<DeviceCache> {
    let cache = DeviceCache::at(&folder.join("devices"), &reported()?);
    let speed = |each| Speed { base: 1.0, fixed: 0.0, each };
    let processor = CpuEngine::new().describe();
    cache.store(measured::FILE, &Measured { processor, cpu: speed(1_000.0), device: speed(1.0) });
    Some(cache)
}

/// Calls the program with a device that has these faults; `None` if that is not possible here.
fn with_faults(words: &str, folder: &Path, faults: &[(&str, &str)]) -> Option<Called> {
    cache(folder)?;
    let mut environment = layer::environment(faults)?;
    environment.push(("MYRIAD_CACHE".into(), folder.to_path_buf()));
    // A software adapter on a loaded machine is slow, so only tests of the time limit use a short one.
    if faults.iter().all(|(name, _)| *name != "MYRIAD_PATIENCE") {
        environment.push(("MYRIAD_PATIENCE".into(), "600".into()));
    }
    Some(myriad_in(&words.split_whitespace().collect::<Vec<_>>(), &environment))
}

/// Counts the lines of standard error, which must all be notices that the CPU continues.
fn notices(called: &Called) -> usize {
    for line in called.stderr.lines() {
        assert!(
            line.starts_with("note: the CPU engine goes on; ") || line.contains(" is left out: "),
            "{line}"
        );
    }
    called.stderr.lines().count()
}

const MUTATE: &str = "mutate samples/gcd.myr --format json";

/// Returns the entry points that a base and its mutants use.
fn pipelines() -> Vec<&'static str> {
    let mutate = const { &shaders::MUTATE }[Group::Default as usize].entries;
    let compile = const { &shaders::COMPILE }.iter().flat_map(|(_, shader)| shader.entries);
    let others = [
        &shaders::VARY,
        &shaders::SEGMENT,
        &shaders::SPLICE,
        &shaders::JUDGE,
        &shaders::PLAN,
        &shaders::EXECUTE,
    ];
    let others = others.into_iter().flat_map(|shader| shader.entries);
    compile.chain(mutate).chain(others).copied().collect()
}

#[test]
fn failed_pipeline_creation_falls_back_to_the_cpu() {
    let expected = call(&format!("{MUTATE} --engine cpu"));
    assert_eq!(expected.code, 0);
    for entry in one_in(4, pipelines()) {
        let folder = tempfile::tempdir().expect("a folder");
        let faults = [HARDWARE, ("LAYER_FAIL_PIPELINE", entry)];
        let Some(found) = with_faults(MUTATE, folder.path(), &faults) else { return };
        assert_eq!((found.code, &found.stdout), (0, &expected.stdout), "{entry}: {}", found.stderr);
        assert_eq!(notices(&found), 1, "{entry}: {}", found.stderr);
    }
}

/// From the first submission, which tries subgroups, to one in the middle of the mutants.
#[test]
fn lost_submission_falls_back_to_the_cpu() {
    for (words, all) in [
        (MUTATE, &["1", "2", "3", "4", "7", "9", "11"][..]),
        ("noise samples/gcd.myr -k 300 --format json", &["2", "3", "4", "8"][..]),
        ("neural samples/gcd.myr --function gcd -k 2 --format json", &["2", "3", "4", "8"][..]),
    ] {
        let expected = call(&format!("{words} --engine cpu"));
        for number in one_in(if words == MUTATE { 1 } else { 2 }, all) {
            let folder = tempfile::tempdir().expect("a folder");
            let faults = [HARDWARE, ("LAYER_FAIL_SUBMIT", *number)];
            let Some(found) = with_faults(words, folder.path(), &faults) else { return };
            let what = format!("{words}, submission {number}: {}", found.stderr);
            assert_eq!((found.code, &found.stdout), (expected.code, &expected.stdout), "{what}");
            assert_eq!(notices(&found), 1, "{what}");
        }
    }
}

/// Without a fault, the same device judges the mutants, and no notice is printed.
#[test]
fn a_device_that_is_faster_judges_the_mutants() {
    if skip_unless_thorough() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let expected = call(&format!("{MUTATE} --engine cpu"));
    let Some(found) = with_faults(MUTATE, folder.path(), &[HARDWARE]) else { return };
    assert_eq!((found.code, &found.stdout, &*found.stderr), (0, &expected.stdout, ""));
    let Some(timed) = with_faults(&format!("{MUTATE} --timings"), folder.path(), &[HARDWARE]) else { return };
    let engine = timed.file()["timings"]["engine"].as_str().unwrap_or_default().to_string();
    assert!(engine.ends_with("(Vulkan)"), "{engine}");
}

/// The script for hardware, run on an adapter that is reported as hardware, with the widths, slots and slices
/// of hardware.
#[test]
fn the_script_for_devices_runs_as_on_hardware() {
    if skip_unless_thorough() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let Some(environment) = reported().and_then(|_| layer::environment(&[HARDWARE])) else { return };
    let output = std::process::Command::new("tests/device")
        .args([env!("CARGO_BIN_EXE_myriad"), "--small", "--out"])
        .arg(folder.path())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .envs(environment)
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("* gpu "), "the adapter counts as hardware: {said}");
}

#[test]
fn engines_command_marks_a_device_that_fails_to_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let engines = "engines --format json";
    let Some(good) = with_faults(engines, folder.path(), &[HARDWARE]) else { return };
    let rows = good.json()["engines"].clone();
    assert_eq!((&rows[0]["chosen"], &rows[0]["opens"]), (&true.into(), &true.into()), "{rows}");
    assert_eq!((&rows[1]["chosen"], &rows[1]["opens"]), (&true.into(), &true.into()), "{rows}");
    assert_eq!(rows[1]["min_device_batch"], 256, "{rows}");
    let faults = [HARDWARE, ("LAYER_FAIL_DEVICE", "1")];
    let Some(broken) = with_faults(engines, folder.path(), &faults) else { return };
    let rows = broken.json()["engines"].clone();
    assert_eq!((&rows[0]["chosen"], &rows[1]["chosen"]), (&true.into(), &false.into()), "{rows}");
    assert_eq!(
        (&rows[1]["opens"], &rows[1]["min_device_batch"]),
        (&false.into(), &serde_json::Value::Null),
        "{rows}"
    );
    assert!(rows[1]["reason"].as_str().is_some_and(|reason| reason.contains("cannot be opened")), "{rows}");
    assert!(rows[0]["reason"].as_str().is_some_and(|reason| reason.ends_with("cannot be used")), "{rows}");
    // A command uses the engine that was listed; a command that requires a device reports the reason.
    let Some(found) = with_faults(MUTATE, folder.path(), &faults) else { return };
    assert_eq!((found.code, notices(&found)), (0, 1), "{}", found.stderr);
    let Some(found) = with_faults(&format!("{MUTATE} --engine gpu"), folder.path(), &faults) else { return };
    assert_eq!(found.code, 3);
    assert!(found.stderr.contains("cannot be opened"), "{}", found.stderr);
}

/// With `--engine all`, a device that fails is reported on one line. The call lasts until the test has read that line.
#[test]
fn device_lost_while_sharing_work_is_reported_once() {
    for fault in [("LAYER_FAIL_DEVICE", "1"), ("LAYER_FAIL_PIPELINE", "splice"), ("LAYER_FAIL_SUBMIT", "2")] {
        let Some(environment) = reported().and_then(|_| layer::environment(&[HARDWARE, fault])) else { return };
        let mut child = Command::new(env!("CARGO_BIN_EXE_myriad"))
            .args(["batch", "--engine", "all"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("MYRIAD_CONFIG", "tests/it/common/config.toml")
            .env("MYRIAD_CACHE", "")
            .envs(environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (mut input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let records = std::thread::spawn(move || BufReader::new(output).lines().map_while(Result::ok).count());
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let lines = std::thread::spawn(move || {
            let mut lines = 0;
            while !stopped.load(Ordering::Relaxed) {
                writeln!(
                    input,
                    r#"{{"id": {lines}, "source": "fn f(a: int) -> int {{ return a; }} test f({lines}) == {lines};"}}"#
                )
                .expect("it reads");
                lines += 1;
                std::thread::sleep(Duration::from_millis(1));
            }
            lines
        });
        // A device whose shaders are not in the driver's cache joins late, after the first lines of progress.
        let errors = BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
        let mut errors = errors.filter(|line| !line.contains(" candidates judged, "));
        let notice = errors.next().unwrap_or_default();
        assert!(notice.starts_with("note: ") && notice.contains(" is left out: "), "{fault:?}: {notice}");
        stop.store(true, Ordering::Relaxed);
        let lines = lines.join().expect("it has not panicked");
        assert_eq!(errors.collect::<Vec<_>>(), Vec::<String>::new(), "{fault:?}");
        assert_eq!(child.wait().expect("it ends").code(), Some(0), "{fault:?}");
        assert_eq!(records.join().expect("it has not panicked"), lines, "{fault:?}");
    }
}

/// A driver that never returns delays the program only up to the time limit, and small work not at all.
#[test]
fn hanging_driver_delays_commands_only_up_to_the_limit() {
    let patience = Duration::from_secs(2);
    let within = |words: &str, hangs: &str, most: Duration| -> Option<Called> {
        let folder = tempfile::tempdir().expect("a folder");
        let started = Instant::now();
        let faults = [HARDWARE, ("LAYER_HANG", hangs), ("MYRIAD_PATIENCE", "2")];
        let called = with_faults(words, folder.path(), &faults)?;
        let taken = started.elapsed();
        assert!(taken < most, "{words} took {taken:?} where {hangs} hangs: {}", called.stderr);
        Some(called)
    };
    // How long the work itself takes depends on the machine.
    let started = Instant::now();
    let explained = call(&format!("{MUTATE} --why --engine cpu")).stdout;
    let slack = Duration::from_secs(25) + 5 * started.elapsed();
    let expected = call(&format!("{MUTATE} --engine cpu")).stdout;
    let program = tempfile::tempdir().expect("a folder");
    let small = program.path().join("small.myr");
    std::fs::write(&small, "fn f(a: int) -> int { return a + 1; } test f(1) == 2;").expect("written");
    // Hanging calls do not occupy threads that other work shares: `--why` needs all of them.
    let why = format!("{MUTATE} --why");
    let Some(found) = within(&why, "split", patience + slack) else { return };
    assert_eq!((found.code, &found.stdout, notices(&found)), (0, &explained, 1), "{}", found.stderr);
    for hangs in ["instance", "device", "pipeline"] {
        let Some(found) = within(MUTATE, hangs, patience + slack) else { return };
        assert_eq!((found.code, &found.stdout), (0, &expected), "{hangs}: {}", found.stderr);
        assert_eq!(notices(&found), 1, "{hangs}: {}", found.stderr);
        // Fewer mutants than are worth a device: no driver is called.
        let Some(found) = within(&format!("mutate {}", small.display()), hangs, slack) else { return };
        assert_eq!((found.code, &*found.stderr), (0, ""), "{hangs}");
        // The CPU engine does not wait for devices that join it.
        let Some(found) = within(&format!("{MUTATE} --engine all"), hangs, slack) else { return };
        assert_eq!((found.code, &found.stdout), (0, &expected), "{hangs}: {}", found.stderr);
    }
    let Some(found) = within("engines", "instance", patience + slack) else { return };
    assert!(found.code == 0 && found.stdout.contains("listing devices has taken longer than 2 s"), "{found:?}");
    let Some(found) = within("engines", "device", 2 * patience + slack) else { return };
    assert!(found.code == 0 && found.stdout.contains("opening it has taken longer than 2 s"), "{found:?}");
    let Some(found) = within(&format!("{MUTATE} --engine gpu"), "instance", patience + slack) else { return };
    assert_eq!(found.code, 3, "{found:?}");
}
