//! Counts on the processor, without a device: the divergence of groups of 32 threads, if each thread runs the tests with few
//! inputs of one mutant and groups are formed by one property or another. `cargo test --test it engine::groups --
//! --ignored --nocapture` prints the table in `docs/performance.md`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::lanes::base_programs;
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::{Machine, RunObserver, StepState, discards, holds};
use myriad::compiler::variants::Variants;
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::oracles::{Oracle, oracles};
use myriad::lang::index::{Index, Indices, MutantId};
use myriad::lang::limits;
use myriad::lang::verdict::{MutantStatus, Verdict};

/// Mutants of a program that are counted, and the steps of each, at most; and those of a chunk.
const MUTANTS: u32 = 1_024;
const CHUNK: usize = 512;
const STEPS: usize = 20_000;
/// The threads of a group, and the inputs from which on an entry's inputs run in groups of their own.
const GROUP: usize = 32;
const MANY_INPUTS: u32 = 8;

/// The turns of a run's instructions, as the machine of threads computes them: the deepest call first, then the least
/// address on the base.
#[derive(Default)]
struct Turns {
    turns: Vec<u32>,
    /// The address of the changed function, and by how much later addresses of the base are larger.
    edited: usize,
    longer: u32,
}

impl RunObserver for Turns {
    const STEPS: bool = true;

    fn step(&mut self, state: StepState) {
        let address = (state.pc as u32).wrapping_add(if state.pc >= self.edited { self.longer } else { 0 });
        self.turns.push(((limits::CALL_DEPTH + 2 - state.depth as u32) << 20) + (address & 0xfffff) + 1);
    }
}

/// A mutant's thread.
struct Thread {
    turns: Vec<u32>,
    /// The steps of the same jobs on the base.
    predicted: usize,
}

/// Returns the turns that a group makes until all its threads have ended.
fn turns(group: &[&Thread]) -> u64 {
    let mut next = vec![0; group.len()];
    for made in 0.. {
        let turn = |thread: usize, next: &[usize]| group[thread].turns.get(next[thread]).copied();
        let Some(least) = (0..group.len()).filter_map(|thread| turn(thread, &next)).min() else { return made };
        for thread in 0..group.len() {
            next[thread] += usize::from(turn(thread, &next) == Some(least));
        }
    }
    0
}

/// Returns the divergence and the turns of the longest group, for threads in this order.
fn grouped(threads: &[&Thread]) -> (f64, u64) {
    let steps: usize = threads.iter().map(|thread| thread.turns.len()).sum();
    let all: Vec<u64> = threads.chunks(GROUP).map(turns).collect();
    let divergence = (GROUP as u64 * all.iter().sum::<u64>()) as f64 / steps.max(1) as f64;
    (divergence, all.into_iter().max().unwrap_or_default())
}

/// Runs the first entries of a mutant, those with few inputs, up to the first that kills it. The base's `paths` say which
/// runs cannot differ: those that do not enter the changed function.
fn thread(base: &Compiled, mutant: &Compiled, oracles: &[Oracle], paths: &[Vec<Vec<u32>>]) -> Thread {
    let words = |program: &Compiled| program.executable.code.word.clone();
    let [before, now] = [base, mutant].map(words);
    let first = before.iter().zip(&now).position(|(one, other)| one != other).unwrap_or(before.len());
    let changed = base.executable.routines().map(|routine| routine.extent().positions());
    let changed = changed.into_iter().find(|extent| extent.contains(&first)).unwrap_or(0..0);
    let longer = (before.len() as u32).wrapping_sub(now.len() as u32);
    let mut path = Turns { turns: vec![], edited: changed.start, longer };
    let (mut machine, mut predicted) = (Machine::default(), 0);
    machine.load(&mutant.executable);
    'entries: for (oracle, inputs) in oracles.iter().zip(paths) {
        for (input, taken) in oracle.domain.inputs().iter().zip(inputs) {
            if !taken.iter().any(|address| changed.contains(&(*address as usize))) {
                continue;
            }
            predicted += taken.len();
            let fuel = (oracle.fuel, input);
            let record = oracle.domain.observe(&mut machine, &mutant.executable, (fuel.1, fuel.0), &mut path);
            if (!holds(&record) && !discards(&record)) || path.turns.len() > STEPS {
                break 'entries;
            }
        }
    }
    path.turns.truncate(STEPS);
    Thread { turns: path.turns, predicted }
}

/// Returns the threads of a program's first mutants that run, in the order of their ids: by their changed place.
fn threads(engine: &mut CpuEngine, text: &Arc<str>) -> Vec<Thread> {
    let Ok(base) = engine.base(text, &|| false) else { return vec![] };
    let (compiled, mut verdicts) = (base.compiled.clone(), Vec::<Verdict>::new());
    let count = engine.variants().all.min(MUTANTS);
    let judged = engine.mutants(Indices::first(count), &|| false, &mut |part| verdicts.extend(part.verdicts));
    judged.expect("the CPU engine does not fail");
    let mut first = oracles(&compiled, &base.entries);
    first.truncate(first.iter().take_while(|oracle| oracle.domain.inputs().len() < MANY_INPUTS).count());
    let mut machine = Machine::default();
    machine.load(&compiled.executable);
    let mut path = |oracle: &Oracle, input| {
        let mut path = super::lanes::Path::default();
        oracle.domain.observe(&mut machine, &compiled.executable, (input, limits::STEPS), &mut path);
        path.0
    };
    let paths: Vec<Vec<Vec<u32>>> = first
        .iter()
        .map(|oracle| oracle.domain.inputs().iter().map(|input| path(oracle, input)).collect())
        .collect();
    let variants = Variants::new(compiled.clone());
    let mut compiler = CpuEngine::with_threads(1);
    let runs = |id: &MutantId| {
        use MutantStatus::{Killed, Survived, Timeout};
        [Killed, Timeout, Survived].contains(&verdicts[id.position()].status)
    };
    let mutants = Indices::<MutantId>::first(count).iter().filter(runs).filter_map(|id| variants.source(id));
    let mutants = mutants.filter_map(|text| compiler.compile(&text.into(), &|| false).ok());
    let all = mutants.map(|(mutant, _)| thread(&compiled, &mutant, &first, &paths));
    all.filter(|thread| !thread.turns.is_empty()).collect()
}

/// Returns the turns of a device with room for a chunk, each thread in a group of its own: if a chunk waits for its longest
/// thread, and if the next mutants begin where threads have ended.
fn chunked(threads: &[&Thread]) -> [u64; 2] {
    let steps = |thread: &&Thread| thread.turns.len() as u64;
    let waiting = threads.chunks(CHUNK).filter_map(|chunk| chunk.iter().map(steps).max()).sum();
    let mut ends: BinaryHeap<Reverse<u64>> = (0..CHUNK).map(|_| Reverse(0)).collect();
    for thread in threads {
        let Reverse(free) = ends.pop().unwrap_or_default();
        ends.push(Reverse(free + steps(thread)));
    }
    [waiting, ends.into_iter().map(|Reverse(end)| end).max().unwrap_or_default()]
}

#[test]
#[ignore = "counts for a minute; run it by name with --ignored"]
fn divergence_of_mutants_that_share_groups() {
    const ORDERS: [&str; 5] = ["alone", "by place", "scattered", "by predicted steps", "by steps"];
    let (mut all, mut chunks) = (Vec::<[(f64, u64); 5]>::new(), Vec::new());
    println!(
        "| program | threads | steps | {} | chunks |",
        ORDERS.map(|order| format!("{order}: D, turns")).join(" | ")
    );
    for (path, text) in base_programs() {
        let threads = threads(&mut CpuEngine::with_threads(2), &text);
        if threads.len() < GROUP {
            continue;
        }
        let steps: u64 = threads.iter().map(|thread| thread.turns.len() as u64).sum();
        let longest = threads.iter().map(|thread| thread.turns.len() as u64).max().unwrap_or_default();
        let by_place: Vec<&Thread> = threads.iter().collect();
        let groups = by_place.len().div_ceil(GROUP);
        let scattered: Vec<&Thread> =
            (0..groups).flat_map(|first| by_place.iter().skip(first).step_by(groups).copied()).collect();
        let sorted = |key: fn(&Thread) -> usize| {
            let mut order = by_place.clone();
            order.sort_by_key(|thread| Reverse(key(thread)));
            order
        };
        let orders =
            [&by_place, &scattered, &sorted(|thread| thread.predicted), &sorted(|thread| thread.turns.len())];
        let mut found = vec![(GROUP as f64, longest)];
        found.extend(orders.map(|order| grouped(order)));
        let found: [(f64, u64); 5] = found.try_into().expect("five orders");
        let cells = found.map(|(divergence, turns)| format!("{divergence:.1}, {turns}"));
        let [waiting, going_on] = chunked(&by_place);
        println!("| {path} | {} | {steps} | {} | {waiting}, {going_on} |", threads.len(), cells.join(" | "));
        all.push(found);
        let room = CHUNK.min(threads.len()) as u64;
        chunks.push([steps as f64 / (room * waiting) as f64, going_on as f64 / waiting as f64]);
    }
    for (place, count) in ["busy", "turns, if unfinished threads go on"].into_iter().enumerate() {
        let mut found: Vec<f64> = chunks.iter().map(|chunk| chunk[place]).collect();
        found.sort_by(f64::total_cmp);
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        println!("{count}: mean {mean:.2}, median {:.2}, {:.2?}", found[found.len() / 2], found);
    }
    for (place, order) in ORDERS.into_iter().enumerate() {
        let mut divergence: Vec<f64> = all.iter().map(|found| found[place].0).collect();
        divergence.sort_by(f64::total_cmp);
        let mean = divergence.iter().sum::<f64>() / divergence.len() as f64;
        let longer: f64 = all.iter().map(|found| (found[place].1 as f64 / found[0].1 as f64).ln()).sum();
        let longer = (longer / all.len() as f64).exp();
        println!(
            "{order}: divergence {mean:.1}, median {:.1}, most {:.1}; the longest group {longer:.2} times",
            divergence[divergence.len() / 2],
            divergence[divergence.len() - 1]
        );
        assert!((1.0..=GROUP as f64).contains(&divergence[0]) && longer > 0.99);
    }
    assert!(all.len() > 15);
}
