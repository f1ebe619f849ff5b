//! Neural inference on the device: each kernel against a plain loop, the whole against the model's definition,
//! the walk against the assembler, candidates against the CPU engine.

mod agreement;
mod candidates;
mod draws;
mod greedy;
mod kernels;
mod model;
mod reference;
mod walks;

use std::sync::{Mutex, MutexGuard};

use myriad::compiler::program::Compiled;
use myriad::compiler::stage::Stage;
use myriad::engine::gpu::adapter::AdapterQuery;
use myriad::engine::gpu::device::Gpu;
use myriad::network::source::{self, Source};

/// Only one test at a time uses the adapter, since a software adapter occupies all cores.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn device() -> Gpu {
    Gpu::open(&AdapterQuery::Any).unwrap_or_else(|error| {
        panic!(
            "these tests need an adapter, if only a software one: apt-get install mesa-vulkan-drivers ({error})"
        )
    })
}

/// Functions of the samples, and some that use all of the language.
fn functions() -> Vec<(Compiled, Source)> {
    let mut texts: Vec<String> = std::fs::read_dir("samples")
        .expect("the samples")
        .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path()).ok())
        .collect();
    texts.sort();
    texts.push(EVERYTHING.into());
    let mut all = Vec::new();
    for text in texts {
        let compiled = crate::common::twins::compile(&text, Stage::Emit);
        for function in compiled.functions() {
            if let Ok(source) = source::read(&compiled.program(), function) {
                all.push((compiled.clone(), source));
            }
        }
    }
    assert!(all.len() >= 10, "{} functions", all.len());
    all.sort_by_key(|(_, source)| source.tables.variables.len() + source.tables.constants.len());
    all
}

/// Lists, both kinds of loops, constants of all sizes, calls.
const EVERYTHING: &str = "
    fn many(xs: [int], n: int, b: bool) -> [int; 32] {
        let ys = [0; 32];
        let total = 100000000;
        for i in 0..n { ys[i] = xs[i] * 7 + total; }
        for x in xs { if x > 3 && b || !b { total += abs(x); } else { continue; } }
        while total > 1000 { total /= 17; if total == 5 { break; } }
        for j in 2..=n { total = max(total, j) ^ len(xs); }
        let zs = xs[1..n] + [total, -1, 12345];
        if zs == ys { return zs + [7; 5]; }
        return many(zs, helper(n, zs), b);
    }
    fn helper(n: int, xs: [int]) -> int { return n + xs[0] % 9; }
    fn quiet(a: int, b: bool) -> bool { return b && a > 2 || a < 77; }
    test helper(1, [2]) == 3;
    test many([1, 2, 3], 2, true)[0] == 1;
    test quiet(3, true);
";
