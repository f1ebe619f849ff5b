//! Counts on the processor, without a device: how many steps of tests and mutants lanes of vector instructions could share,
//! and how many of a mutant's steps are those of the base. `cargo test --test it engine::lanes -- --ignored --nocapture`
//! prints the table in `docs/performance.md`.

use std::sync::Arc;

use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::{Domain, Machine, RunObserver, StepState, discards, holds, mutant_fuel};
use myriad::compiler::variants::Variants;
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::lang::index::{Index, MutantId};
use myriad::lang::limits;

/// Inputs of an entry and mutants of a program that are counted at most.
const INPUTS: usize = 64;
const MUTANTS: u32 = 24;

/// The addresses of a run's instructions.
#[derive(Default)]
pub struct Path(pub Vec<u32>);

impl RunObserver for Path {
    const STEPS: bool = true;

    fn step(&mut self, state: StepState) {
        self.0.push(state.pc as u32);
    }
}

#[derive(Default)]
struct Sums {
    steps: u64,
    /// Steps in groups of 8 or 16 inputs of which at least 8 have followed the majority so far.
    together: [u64; 2],
    /// Steps of mutants before the first changed instruction.
    prefix: u64,
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.steps += other.steps;
        self.prefix += other.prefix;
        self.together = [0, 1].map(|size| self.together[size] + other.together[size]);
    }

    fn share(&self, part: u64) -> f64 {
        if self.steps == 0 { 0.0 } else { 100.0 * part as f64 / self.steps as f64 }
    }
}

/// Returns how many steps the lanes of a group make while at least 8 follow the majority. Others have left for good.
fn together(group: &[Vec<u32>]) -> u64 {
    let (mut lanes, mut made): (Vec<&Vec<u32>>, u64) = (group.iter().collect(), 0);
    for step in 0.. {
        let at = |lane: &&Vec<u32>| lane.get(step).copied();
        let here: Vec<u32> = lanes.iter().filter_map(at).collect();
        let most =
            here.iter().max_by_key(|address| here.iter().filter(|other| other == address).count()).copied();
        lanes.retain(|lane| most.is_some() && at(lane) == most);
        if lanes.len() < 8 {
            return made;
        }
        made += lanes.len() as u64;
    }
    made
}

/// Runs the tests of a program in order, up to the first input that fails if it is a mutant of `base`.
fn run(program: &Compiled, base: Option<&Compiled>, fuels: &mut Vec<u32>) -> Sums {
    let (mut sums, mut machine) = (Sums::default(), Machine::default());
    let executable = &program.executable;
    machine.load(executable);
    let words = |program: &Compiled, at: u32| program.executable.code.word.get(at as usize).copied();
    for id in program.entries() {
        let routine = program.facts.entry(id);
        let domain = Domain::new(&executable.routines, &program.binders, routine, limits::SAMPLES);
        let fuel = if base.is_some() { mutant_fuel(fuels[id.position()]) } else { limits::STEPS };
        let (mut paths, mut killed, mut costliest) = (Vec::new(), false, 0);
        for input in domain.inputs().iter().take(INPUTS) {
            let mut path = Path::default();
            let record = domain.observe(&mut machine, executable, (input, fuel), &mut path);
            costliest = costliest.max(path.0.len() as u32);
            sums.steps += path.0.len() as u64;
            if let Some(base) = base {
                let same = |at: &&u32| words(base, **at) == words(program, **at);
                sums.prefix += path.0.iter().take_while(same).count() as u64;
            }
            killed = base.is_some() && !holds(&record) && !discards(&record);
            paths.push(path.0);
            if killed {
                break;
            }
        }
        for (place, size) in [8, 16].into_iter().enumerate() {
            sums.together[place] += paths.chunks(size).map(together).sum::<u64>();
        }
        if base.is_none() {
            fuels.push(costliest);
        }
        if killed {
            break;
        }
    }
    sums
}

/// Returns the samples and cases that compile and have entries.
pub fn base_programs() -> Vec<(String, Arc<str>)> {
    let folders = ["samples", "tests/cases"].map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let paths = folders.into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|e| e == "myr")).collect();
    paths.sort();
    let mut engine = CpuEngine::with_threads(1);
    let read = paths.into_iter().filter_map(|path| {
        let text: Arc<str> = std::fs::read_to_string(&path).expect("a program").into();
        let (base, _) = engine.compile(&text, &|| false).ok()?;
        let runs = base.facts.compiles() && !base.entries().is_empty();
        runs.then(|| (path.display().to_string(), text))
    });
    read.collect()
}

#[test]
#[ignore = "counts for minutes; run it by name with --ignored"]
fn steps_that_lanes_and_mutants_could_share() {
    let mut all = [Sums::default(), Sums::default()];
    let mut programs = 0;
    for (path, text) in base_programs() {
        let mut engine = CpuEngine::with_threads(1);
        let Ok((base, _)) = engine.compile(&text, &|| false) else { continue };
        let mut fuels = Vec::new();
        let of_base = run(&base, None, &mut fuels);
        let variants = Variants::new(base.clone());
        let (mut of_mutants, count) = (Sums::default(), variants.first_order());
        for number in (0..count).step_by(count.div_ceil(MUTANTS).max(1) as usize) {
            let Some(source) = variants.source(MutantId::new(number)) else { continue };
            let Ok((mutant, _)) = engine.compile(&source.into(), &|| false) else { continue };
            if mutant.facts.compiles() {
                of_mutants.add(&run(&mutant, Some(&base), &mut fuels));
            }
        }
        programs += 1;
        println!(
            "| {} | {} | {:.0} | {:.0} | {} | {:.0} | {:.0} | {:.0} |",
            path,
            of_base.steps,
            of_base.share(of_base.together[0]),
            of_base.share(of_base.together[1]),
            of_mutants.steps,
            of_mutants.share(of_mutants.together[0]),
            of_mutants.share(of_mutants.together[1]),
            of_mutants.share(of_mutants.prefix),
        );
        all[0].add(&of_base);
        all[1].add(&of_mutants);
    }
    let [base, mutants] = &all;
    let shares = [base, mutants].map(|sums| sums.together.map(|part| sums.share(part)));
    println!(
        "{programs} programs: {} and {} steps, {shares:.1?}, prefix {:.1}",
        base.steps,
        mutants.steps,
        mutants.share(mutants.prefix)
    );
    assert!(programs > 20 && shares.as_flattened().iter().all(|share| (0.0..=100.0).contains(share)));
}
