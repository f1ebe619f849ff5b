//! Runs recorded by the device are identical to those recorded by the host.

use super::{compiled, frame_of};
use crate::common::extent::{one_in, scaled};
use crate::common::{gpu, typed};
use myriad::engine::{Abilities, Engine};
use myriad::lang::index::{Index, Indices, InputId, RoutineId};
use myriad::lang::limits;
use myriad::testing::trace::{Trace, record, record_on};

/// Maximum number of steps compared, since a device runs them on one thread.
const LONGEST: u32 = 60_000;

/// Records routines of a program on both; returns the number of steps compared.
fn compare(engine: &mut dyn Engine, text: &str) -> u64 {
    let Some(host) = compiled(text) else { return 0 };
    let base = engine.base(&text.into(), &|| false).unwrap();
    assert_eq!(base.compiled.executable, host.executable);
    let mut steps = 0;
    for routine in host.executable.routines().map(|routine| routine.id) {
        let Some(frame) = frame_of(&host, routine, InputId::FIRST) else { continue };
        let one = record(&host, routine, &frame, limits::STEPS);
        if one.len() > LONGEST {
            continue;
        }
        let other = record_on(engine, &base.compiled, routine, &frame, &|| false).unwrap();
        assert_alike(&one, &other, &format!("routine {routine} of\n{text}"));
        steps += u64::from(one.len());
    }
    steps
}

fn assert_alike(one: &Trace, other: &Trace, what: &str) {
    assert_eq!(one.record, other.record, "{what}");
    let parts = one.steps().iter().zip(other.steps()).position(|(one, other)| one != other);
    let both = parts.map(|at| (at, one.steps()[at], other.steps()[at]));
    assert!(one.steps() == other.steps(), "{what}: the steps differ: {both:?}");
    assert_eq!(one.calls(), other.calls(), "{what}");
    for position in Indices::first(one.len()).iter().step_by(1_000) {
        assert_eq!(one.state(position), other.state(position), "{what}: step {position}");
    }
}

#[test]
fn both_engines_record_the_same_bytes() {
    let mut gpu = gpu::lend();
    let mut steps = 0;
    for (_, text) in one_in(2, crate::common::cases::programs(&["samples"])) {
        steps += compare(&mut *gpu, &text);
    }
    for seed in 0..scaled(15) {
        let text = typed::program(seed);
        steps += compare(&mut *gpu, &text);
    }
    assert!(steps > 5_000, "{steps} steps");
}

#[test]
fn both_engines_record_traps_and_limits_alike() {
    let mut gpu = gpu::lend();
    let text = "fn down(n: int) -> int {\n    if n == 0 {\n        return 1 / n;\n    }\n    return down(n - 1);\n}\nfn deep(n: int) -> int {\n    return deep(n + 1);\n}\nfn wide(n: int) -> int {\n    let xs = [n; 64];\n    return wide(n + xs[0]);\n}\nfn out(n: int) -> int {\n    let xs = [1, 2];\n    xs[n + 5] = 3;\n    return 0;\n}\n\
                test down(5) == 1;\ntest deep(0) == 1;\ntest wide(0) == 1;\ntest out(0) == 1;\n";
    assert!(compare(&mut *gpu, text) > 500);
    // A run that never ends, with a limit in the middle of calls.
    let text = "fn id(n: int) -> int {\n    return n;\n}\nfn f(n: int) -> int {\n    while id(n) == n {\n        n += 1;\n    }\n    return n;\n}\ntest f(0) == 1;\n";
    let host = compiled(text).unwrap();
    let base = gpu.base(&text.into(), &|| false).unwrap();
    for fuel in 20_000..20_012 {
        let one = record(&host, RoutineId::new(1), &[0], fuel);
        let mut stretches = Vec::new();
        let program = &base.compiled;
        let run = myriad::engine::TracedRun {
            program,
            routine: RoutineId::new(1),
            frame: &[0],
            fuel,
            bottom: 1,
            keyframe: 4_096,
        };
        let ended = gpu.trace(run, &|| false, &mut |stretch| stretches.extend_from_slice(stretch.steps));
        assert_eq!(ended, Some(Ok(one.record)), "{fuel}");
        assert_eq!(stretches.len(), 4 * one.len() as usize);
    }
}
