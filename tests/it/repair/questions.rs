//! The first question between repairs is small, and like the file's own tests.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::common::extent::one_in;
use crate::common::rng::Rng;
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::{Machine, Start};
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::lang::index::RoutineId;
use myriad::testing::decide::{ArgumentDomain, Given, calls_of_entries};
use myriad::testing::mutation::repair::Search;

/// Returns whether random inputs within the ranges of known calls distinguish programs.
fn are_separated(programs: &[Arc<Compiled>], calls: &[Given], function: RoutineId) -> bool {
    let mut machines: Vec<Machine> = Vec::new();
    for program in programs {
        let mut machine = Machine::default();
        machine.load(&program.executable);
        machines.push(machine);
    }
    let mut rng = Rng::new(3);
    (0..2_000).any(|_| {
        let draw = |place: usize| {
            let known = || calls.iter().map(|call| i64::from(call[place][0] as i32));
            let (lo, hi) = (known().min().unwrap_or(0), known().max().unwrap_or(0));
            (lo + rng.below((hi - lo + 1) as usize) as i64) as u32
        };
        let words: Vec<u32> = (0..calls[0].len()).map(draw).collect();
        let start = Start { routine: function, fuel: 4_096, depth: 1, origin: 0 };
        let mut ends = machines.iter_mut().zip(programs).map(|(machine, program)| {
            let record = machine.call(&program.executable, start, &words);
            (record.trap, record.value)
        });
        let first = ends.next();
        ends.any(|end| Some(end) != first)
    })
}

#[test]
fn first_questions_are_short_and_inside_the_domain() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/repair");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "myr"));
    files.sort();
    let (mut asked, mut inside, mut apart, mut short, mut long, mut missed) = (0, 0, 0, 0, 0, Vec::new());
    let mut engine = CpuEngine::new();
    for path in one_in(1, files) {
        let text: Arc<str> = fs::read_to_string(&path).unwrap().into();
        let base = engine.base(&text, &|| false).unwrap();
        let Some(mut search) = Search::new(base.compiled.clone(), &base.entries, &|| false) else { continue };
        while !search.is_done() && search.searched() < 20_000 {
            search.step(&|| false).expect("nobody stops it");
        }
        let repairs = search.repairs(&|| false);
        let Some(question) = search.question(&repairs, &|| false) else { continue };
        let function = question.function;
        let types = base.compiled.program().parameters(function);
        let mut machine = Machine::default();
        let calls = calls_of_entries(&base.compiled, function, &mut machine, &|| false).unwrap();
        let domain = ArgumentDomain::new(&base.compiled, &types, &calls);
        let is_inside = domain.is_some_and(|domain| domain.contains(&question.arguments));
        let elements = question.arguments.iter().zip(&types).filter(|(_, ty)| ty.is_list());
        let elements: usize = elements.map(|(words, _)| words.len()).sum();
        let ints = types.iter().filter(|ty| !ty.is_list()).count();
        let is_short = elements <= 8 && ints <= 2;
        // Functions with more than two ints have no shorter calls.
        long += u32::from(elements > 8);
        if !is_inside && types.iter().all(|ty| !ty.is_list()) && !calls.is_empty() {
            let mended: Vec<Arc<Compiled>> = { repairs.iter().take(8) }
                .map(|repair| engine.base(&repair.apply(&text).into(), &|| false).unwrap().compiled)
                .collect();
            apart += u32::from(are_separated(&mended, &calls, function));
        }
        asked += 1;
        inside += u32::from(is_inside);
        short += u32::from(is_short);
        if !is_inside || !is_short {
            missed.push(format!(
                "{}: {}, inside: {is_inside}, short: {is_short}",
                path.display(),
                question.call
            ));
        }
    }
    println!(
        "{asked} first questions, {inside} inside the domain, {apart} not although random inputs inside separate; \
         {short} with at most 8 elements or two ints, {long} with more though the parameters allow less"
    );
    missed.iter().for_each(|missed| println!("{missed}"));
    let few_apart = apart <= 1 || 10 * inside >= 9 * (inside + apart);
    assert!(asked > 0 && few_apart && 10 * long <= asked, "{missed:#?}");
}
