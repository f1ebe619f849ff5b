//! Under the shell's resource limits, a command does its work or reports what is refused; it never panics or
//! dies of a signal.
#![cfg(target_os = "linux")]

use std::process::{Command, Output};

fn under(limits: &str, words: &str) -> Output {
    let script = format!("ulimit {limits} && exec '{}' {words}", env!("CARGO_BIN_EXE_myriad"));
    // The environment lies on the stack, and the system leaves up to 8 KiB of the stack unused.
    let kept = ["PATH", "HOME"].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    Command::new("sh").args(["-c", &script]).env_clear().envs(kept).output().expect("a shell")
}

fn ends_well(limits: &str, words: &str) {
    let output = under(limits, words);
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => {}
        Some(3) => assert!(said.contains("error: ") && said.contains("help: "), "{limits} {words}: {said}"),
        code => panic!("{limits} {words}: {code:?}, {said}"),
    }
}

#[test]
fn commands_under_few_descriptors_or_a_small_stack_do_their_work() {
    for limits in ["-n 4", "-n 6", "-n 12", "-s 64", "-s 24"] {
        for words in ["check samples/gcd.myr", "mutate samples/gcd.myr --engine cpu --budget 32"] {
            let output = under(limits, words);
            assert_eq!(output.status.code(), Some(0), "{limits} {words}: {output:?}");
        }
    }
}

/// Returns the smallest address space limit, in KiB, under which the program can be loaded.
fn least() -> u64 {
    let loads = |limit: &u64| under(&format!("-v {limit}"), "--version").status.success();
    (20_000..2_000_000).step_by(4_000).find(loads).expect("some limit is enough")
}

#[test]
fn commands_without_memory_report_it() {
    let least = least();
    for more in [0, 2, 4, 8, 12, 16, 20, 30, 60, 100] {
        for words in ["check samples/gcd.myr", "mutate samples/gcd.myr --engine cpu --budget 32"] {
            ends_well(&format!("-v {}", least + more * 1024), words);
        }
    }
}
