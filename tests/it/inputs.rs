//! Inputs of properties: distinct, the same on every engine, with small and extreme values among the first.

use std::collections::HashSet;
use std::fmt::Write;
use std::process::Command;

use myriad::compiler::export::c::{self, Unit};
use myriad::compiler::export::compiler::ExportCompiler;
use myriad::compiler::stage::execute::{Domain, max_exhaustive_size};
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::lang::index::{Index, InputId, RoutineId};
use myriad::lang::limits::{INPUTS, SAMPLES};
use myriad::lang::verdict::Outcome;

use crate::common::compile::compile;
use crate::common::gpu;
use crate::common::rng::Rng;

/// Binders whose domains are larger than a sample: slightly, much, or beyond 64 bits; of ints, lists and both.
const DOMAINS: &[&str] = &[
    "a in 0..1153",
    "a in 0..1200",
    "a in -700..700",
    "a in 0..65536",
    "a in 0..65537",
    "a in -10..100000",
    "a in -2147483647..2147483647",
    "a in 0..40, b in 0..40",
    "a in 0..2, b in 0..1000",
    "a in -300..300, b in 5..9000",
    "a in -2147483647..2147483647, b in -2147483647..2147483647",
    "a in 0..12, b in 0..12, c in 0..12",
    "a in -1000..1000, b in 0..3, c in 7..100000, d in 0..1000000",
    "xs in [0..2; 10]",
    "xs in [0..2; 15]",
    "xs in [0..1; 64], ys in [0..1; 64]",
    "xs in [0..1; 64], ys in [0..1; 64], zs in [0..1; 64]",
    "xs in [0..10; 4]",
    "xs in [-50..50; 8]",
    "xs in [0..1000000; 3]",
    "xs in [-2147483647..2147483647; 64]",
    "xs in [0..100; 8], n in 0..9",
    "xs in [0..9; 6], ys in [0..9; 6], n in -100000..100000",
    "a in 0..5, b in 0..5, c in 0..5, d in 0..5, e in 0..5, f in 0..5, g in 0..5, h in 0..5",
];

/// More binders than a property's row has capacities, including some with one value and lists of no elements.
fn many_binders() -> String {
    let mut text = String::new();
    for i in 0..40 {
        let binder = match i % 8 {
            0 => "x{} in 0..3, ",
            1 => "x{} in [0..3; 0], ",
            2 => "x{} in 7..8, ",
            3 => "x{} in [0..4; 2], ",
            4 => "x{} in [5..5; 3], ",
            _ => "x{} in -1000..1000, ",
        };
        text += &binder.replace("{}", &i.to_string());
    }
    text.trim_end_matches(", ").into()
}

fn domains() -> Vec<String> {
    DOMAINS.iter().map(|binders| binders.to_string()).chain([many_binders()]).collect()
}

/// Returns the values of each input as words, lists with their lengths, and checks their bounds.
fn values(binders: &str, samples: u32) -> Vec<Vec<u32>> {
    let program = compile(&format!("prop {binders} => true;"));
    let domain = Domain::new(&program.executable.routines, &program.binders, RoutineId::new(0), samples);
    let mut frame = vec![0; 8_192];
    let of = |input: InputId| {
        domain.write(input, &mut frame);
        let mut words = Vec::new();
        for binder in 0.. {
            let Some((slot, list)) = domain.place(binder) else { break };
            let length = if list { frame[slot] as usize } else { 0 };
            let (lo, hi) = (program.binders.lo[binder] as i32, program.binders.hi[binder] as i32);
            let numbers = &frame[slot + usize::from(list)..][..if list { length } else { 1 }];
            assert!(numbers.iter().all(|n| (lo..hi).contains(&(*n as i32))), "{numbers:?} of {binders}");
            assert!(length <= program.binders.longest(binder).unwrap_or(0) as usize, "{length} of {binders}");
            words.extend(list.then_some(length as u32));
            words.extend(numbers);
        }
        words
    };
    domain.inputs().iter().map(of).collect()
}

#[test]
fn property_inputs_are_distinct() {
    let few = domains().into_iter().map(|binders| (binders, SAMPLES));
    let many = [3, 4, 5, 8, 14, 17, 18].map(|at| (DOMAINS[at].to_string(), INPUTS));
    for (binders, samples) in few.chain(many) {
        let all = values(&binders, samples);
        let distinct: HashSet<&Vec<u32>> = all.iter().collect();
        assert_eq!(distinct.len(), all.len(), "{binders}, {samples}");
        assert!(all.len() >= SAMPLES as usize, "{} of {binders}", all.len());
    }
}

#[test]
fn larger_samples_extend_smaller_ones() {
    for binders in domains() {
        let (few, more) = (values(&binders, SAMPLES), values(&binders, SAMPLES + 1));
        // A domain that is tried completely comes in another order.
        if more.len() as u32 == SAMPLES + 1 {
            assert!(few[..] == more[..few.len()], "{binders}");
        }
    }
}

#[test]
fn domain_up_to_an_eighth_larger_is_exhausted() {
    let least = |hi: u32, value: u32| {
        let text = format!("fn same(x: int) -> int {{ return x; }}\nprop x in 0..{hi} => same(x) != {value};");
        let base = CpuEngine::with_threads(1).base(&text.as_str().into(), &|| false).expect("no device");
        base.entries[0].outcome
    };
    assert_eq!(max_exhaustive_size(SAMPLES), 1_152);
    assert_eq!((max_exhaustive_size(INPUTS), max_exhaustive_size(0)), (INPUTS, 0));
    // Every value of a domain just beyond the number of samples, and small values and bounds of any domain.
    for value in 0..1_025 {
        assert_eq!(least(1_025, value), Outcome::Fail, "{value}");
    }
    for hi in [1_152, 1_153, 2_000, 65_536, 65_537, 1_000_000, i32::MAX as u32] {
        for value in (0..20).chain([hi - 1, hi - 2]) {
            assert_eq!(least(hi, value), Outcome::Fail, "{value} of {hi}");
        }
    }
}

/// Two binders: small values and bounds are combined with each other and with random values.
#[test]
fn small_values_are_combined_with_small_and_random_ones() {
    let all = values("a in -20000..30000, b in 0..30000", SAMPLES);
    let corners = [[0, 0], [0, 29_999], [-20_000, 0], [29_999, 29_999], [1, 1], [-1, 1]];
    for corner in corners {
        assert!(all.contains(&corner.map(|n: i32| n as u32).to_vec()), "{corner:?}");
    }
    for b in [0, 1, 29_999] {
        let partners: HashSet<u32> =
            all.iter().filter(|values| values[1] == b).map(|values| values[0]).collect();
        assert!(partners.len() > 15, "{b} meets {partners:?}");
    }
    // The others are spread over the whole range.
    let tenths: HashSet<u32> = all.iter().map(|values| values[1] / 3_000).collect();
    assert_eq!(tenths.len(), 10);
    let halves = all.iter().filter(|values| values[1] < 15_000).count();
    assert!((350..700).contains(&halves), "{halves}");
    // Lists of every length, fewer of the longer ones, the empty one once.
    let lists = values("xs in [-50..50; 8]", SAMPLES);
    for length in 1..=8 {
        let count = lists.iter().filter(|values| values[0] == length).count();
        assert!(count > 20, "{count} of length {length}");
    }
    assert_eq!(lists.iter().filter(|values| values[0] == 0).count(), 1);
}

/// Returns a program whose properties take a number of steps that depends on the input; one in three fails on
/// some inputs.
fn program(number: u64) -> String {
    let mut rng = Rng::new(number);
    let mut text = String::from(
        "fn mixed(h: int, n: int) -> int { let x = (h ^ n) * 40503 + 77; return x ^ (x >> 7); }
        fn all(h: int, xs: [int; 64]) -> int { for x in xs { h = mixed(h, x); } return mixed(h, len(xs)); }
        fn turns(h: int) -> int { let t = 0; while t < h % 13 { t += 1; } return h; }\n",
    );
    for binders in domains() {
        let names = binders.split(", ").filter_map(|part| part.split_once(" in ")).map(|(name, _)| name);
        let folded = names.fold("7".to_string(), |h, name| {
            let list = binders.contains(&format!("{name} in ["));
            if list { format!("all({h}, {name})") } else { format!("mixed({h}, {name})") }
        });
        let modulus = [500, 2_000, 100_000][rng.below(3)];
        let _ = writeln!(text, "prop {binders} => turns({folded}) % {modulus} != {};", rng.below(9));
    }
    text
}

#[test]
fn cpu_and_gpu_draw_the_same_inputs() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu::lend());
    let mut fail = 0;
    for number in 0..2 {
        let text = program(number);
        let one = cpu.base(&text.as_str().into(), &|| false).expect("no device");
        let other = gpu.base(&text.as_str().into(), &|| false).expect("a device");
        assert_eq!(one.entries.len(), DOMAINS.len() + 1, "it does not compile: {text}");
        assert_eq!(one.entries, other.entries, "{text}");
        fail += one.entries.iter().filter(|entry| entry.outcome == Outcome::Fail).count();
    }
    assert!(fail > 10, "{fail}");
}

/// The exported program draws the same inputs as the engines, so it fails on the same ones.
#[test]
fn exported_programs_draw_the_same_inputs() {
    let compiler =
        ExportCompiler::find().expect("a C compiler: `apt-get install tcc`, or another of tcc, gcc and cc");
    let mut fail = 0;
    for number in 0..6 {
        let base = CpuEngine::new().base(&program(number).as_str().into(), &|| false).expect("no device");
        let entries = c::all_entries(&base.compiled);
        let unit = Unit { program: &base.compiled, entries: &entries, stop_at_first_failure: false };
        let folder = tempfile::tempdir().expect("a folder");
        let (source, binary) = (folder.path().join("p.c"), folder.path().join("p"));
        std::fs::write(&source, c::source(&[unit])).expect("room for a file");
        compiler.compile(&source, &binary, &["-Wall"]).unwrap_or_else(|error| panic!("{error}"));
        let said = String::from_utf8(Command::new(&binary).output().expect("it runs").stdout).expect("UTF-8");
        for (line, entry) in said.lines().zip(&base.entries) {
            assert_eq!(line.ends_with("fail"), entry.outcome == Outcome::Fail, "{line}: {entry:?}");
            fail += u32::from(entry.outcome == Outcome::Fail);
        }
        assert_eq!(said.lines().count(), base.entries.len());
    }
    assert!(fail > 30, "{fail}");
}

/// A list of at most no elements is the empty list, at any position among the binders, on every engine.
#[test]
fn zero_length_list_binder_draws_the_empty_list() {
    let sixteen: Vec<String> = (0..16).map(|i| format!("x{i} in 0..1")).collect();
    let sixteen = sixteen.join(", ");
    let text = format!(
        "fn size(xs: [int]) -> int {{ return len(xs); }}
        prop xs in [0..3; 0] => size(xs) == 0;
        prop {sixteen}, xs in [0..3; 0], n in 5..7 => size(xs) == 0 && xs == [] && (n == 5 || n == 6);
        prop {sixteen}, xs in [0..3; 0], n in 0..9 => size(xs) + n != 8;"
    );
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu::lend());
    let one = cpu.base(&text.as_str().into(), &|| false).expect("no device");
    let of = |e: &myriad::engine::EntryResult| (e.outcome, e.inputs);
    let expected = [(Outcome::Pass, 1), (Outcome::Pass, 2), (Outcome::Fail, 9)];
    assert_eq!(one.entries.iter().map(of).collect::<Vec<_>>(), expected);
    assert_eq!(gpu.base(&text.as_str().into(), &|| false).expect("a device").entries, one.entries);
}
