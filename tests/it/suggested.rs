//! Suggested tests: they are small, and like the file's own.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::common::extent::{one_in, scaled};
use crate::common::rng::Rng;
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::{Machine, Start, mutant_fuel};
use myriad::compiler::variants::Variants;
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::explain::Value;
use myriad::lang::index::{Index, Indices, MutantId};
use myriad::lang::trap::Trap;
use myriad::lang::ty::Type;
use myriad::lang::verdict::MutantStatus;
use myriad::testing::decide::calls_of_entries;
use myriad::testing::mutation::{Examiner, MutationQuestion, QuestionAnswer};

fn texts() -> Vec<(String, Arc<str>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ["samples", "tests/repair"].into_iter().flat_map(|folder| {
        let mut files: Vec<_> =
            fs::read_dir(root.join(folder)).unwrap().map(|file| file.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "myr"));
        files.sort();
        files
    });
    files.map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap().into())).collect()
}

/// Calls the function of a question in both programs.
struct Both<'a> {
    programs: [&'a Compiled; 2],
    machines: [Machine; 2],
    question: &'a MutationQuestion,
}

impl Both<'_> {
    fn differ(&mut self, arguments: &[i32]) -> bool {
        let words: Vec<u32> = arguments.iter().map(|int| *int as u32).collect();
        let mut call = |at: usize, fuel: u32| {
            let start = Start { routine: self.question.function, fuel, depth: 1, origin: 0 };
            self.machines[at].call(&self.programs[at].executable, start, &words)
        };
        let own = call(0, 65_536);
        let its = call(1, mutant_fuel(own.steps));
        own.trap == Trap::None && (own.trap, own.value) != (its.trap, its.value)
    }
}

/// Finds arguments whose sum without signs is smaller, by brute force within limits.
fn smaller(both: &mut Both, now: &[i32], domain: &[[i32; 2]], inside: bool) -> Option<Vec<i32>> {
    let size = |ints: &[i32]| ints.iter().map(|int| u64::from(int.unsigned_abs())).sum::<u64>();
    let within = |ints: &[i32]| ints.iter().zip(domain).all(|(int, [lo, hi])| (lo..=hi).contains(&int));
    let most = (size(now).min(3_000) as f64).min(30_000f64.powf(1.0 / now.len() as f64) / 2.0) as i32;
    let side = 2 * i64::from(most) + 1;
    let mut rng = Rng::new(9);
    let count = side.pow(now.len() as u32);
    for number in 0..count + 2_000 {
        let mut rest = number;
        let ints: Vec<i32> = { 0..now.len() }
            .map(|at| {
                if number < count {
                    let int = (rest % side) as i32 - most;
                    rest /= side;
                    return int;
                }
                // Beyond the cube: values of the domain.
                let [lo, hi] = domain.get(at).copied().unwrap_or([-1_000, 1_000]);
                (i64::from(lo) + rng.below((i64::from(hi) - i64::from(lo) + 1) as usize) as i64) as i32
            })
            .collect();
        if size(&ints) < size(now) && (!inside || within(&ints)) && both.differ(&ints) {
            return Some(ints);
        }
    }
    None
}

#[test]
#[ignore = "measures for minutes; run it by name with --ignored"]
fn suggested_tests_are_small_and_inside_the_domain() {
    let wanted = scaled(200);
    let (mut count, mut larger, mut with_domain, mut inside_of, mut missed) = (0, 0, 0, 0, Vec::new());
    let mut engine = CpuEngine::new();
    'all: for (name, text) in one_in(1, texts()) {
        let base = engine.base(&text, &|| false).unwrap();
        let mut verdicts = Vec::new();
        let all = Indices::first(engine.variants().first_order);
        engine.mutants(all, &|| false, &mut |part| verdicts.extend(part.verdicts)).unwrap();
        let variants = Variants::new(base.compiled.clone());
        let mut examiner = Examiner::new(base.compiled.clone(), &base.entries);
        let mut of_file = 0;
        for (id, verdict) in MutantId::all().zip(&verdicts) {
            if verdict.status != MutantStatus::Survived || of_file == 12 {
                continue;
            }
            // Survivors that few inputs distinguish take long.
            let polls = Cell::new(0);
            let watch = || polls.replace(polls.get() + 1) > 8_000;
            let Some(QuestionAnswer::Found(question)) = examiner.question(id, &watch) else { continue };
            let types = base.compiled.program().parameters(question.function);
            let ints: Option<Vec<i32>> = question
                .arguments
                .iter()
                .map(|value| if let Value::Int(int) = value { Some(*int) } else { None })
                .collect();
            let Some(ints) = ints.filter(|ints| {
                !ints.is_empty()
                    && types.iter().all(|ty| *ty == Type::INT)
                    && !matches!(question.value, Value::Ints(_) | Value::Bools(_))
            }) else {
                continue;
            };
            (count, of_file) = (count + 1, of_file + 1);
            let source: Arc<str> = variants.source(id).unwrap().into();
            let mutant = engine.compile(&source, &|| false).unwrap().0;
            let programs = [&*base.compiled, &mutant];
            let mut machines: [Machine; 2] = Default::default();
            machines.iter_mut().zip(programs).for_each(|(machine, program)| machine.load(&program.executable));
            let mut both = Both { programs, machines, question: &question };
            assert!(both.differ(&ints), "{name} #{id}: {}", question.test);
            let mut machine = Machine::default();
            let calls = calls_of_entries(&base.compiled, question.function, &mut machine, &|| false).unwrap();
            let at = |place: usize| calls.iter().map(move |call| call[place][0] as i32);
            let domain: Vec<[i32; 2]> = if calls.is_empty() {
                vec![]
            } else {
                { 0..ints.len() }.map(|place| [at(place).min().unwrap(), at(place).max().unwrap()]).collect()
            };
            let inside = ints.iter().zip(&domain).all(|(int, [lo, hi])| (lo..=hi).contains(&int));
            let inside = inside && !domain.is_empty();
            if !domain.is_empty() {
                let mut rng = Rng::new(5);
                let mut some = || -> Vec<i32> {
                    let draw = |[lo, hi]: &[i32; 2]| {
                        (i64::from(*lo) + rng.below((i64::from(*hi) - i64::from(*lo) + 1) as usize) as i64)
                            as i32
                    };
                    domain.iter().map(draw).collect()
                };
                let exists = inside || (0..5_000).any(|_| both.differ(&some()));
                with_domain += u64::from(exists);
                inside_of += u64::from(inside);
                if exists && !inside {
                    missed.push(format!("{name} #{id}: {} is outside {domain:?}", question.test));
                }
            }
            if let Some(found) = smaller(&mut both, &ints, &domain, inside) {
                larger += 1;
                missed.push(format!("{name} #{id}: {} although {found:?} decides", question.test));
            }
            if count == wanted {
                break 'all;
            }
        }
    }
    println!(
        "{count} suggested tests, {larger} with a smaller input that decides; {inside_of} of {with_domain} inside the domain"
    );
    missed.iter().for_each(|missed| println!("{missed}"));
    assert!(count >= wanted.min(200) / 2 && 20 * larger <= count, "{larger} of {count}");
    assert!(10 * inside_of >= 9 * with_domain, "{inside_of} of {with_domain}");
}

#[test]
fn suggested_strings_are_written_as_strings() {
    let text: Arc<str> = include_str!("../../samples/weak.myr").into();
    let mut engine = CpuEngine::new();
    let base = engine.base(&text, &|| false).unwrap();
    let mut verdicts = Vec::new();
    let all = Indices::first(engine.variants().first_order);
    engine.mutants(all, &|| false, &mut |part| verdicts.extend(part.verdicts)).unwrap();
    let mut examiner = Examiner::new(base.compiled.clone(), &base.entries);
    let survivors =
        MutantId::all().zip(&verdicts).filter(|(_, verdict)| verdict.status == MutantStatus::Survived);
    let mut tests = Vec::new();
    for (id, _) in survivors {
        if let Some(QuestionAnswer::Found(question)) = examiner.question(id, &|| false) {
            if question.test.contains("is_strong(") {
                assert!(question.test.contains("is_strong(\""), "{}", question.test);
                tests.push(question.test.clone());
            }
            let with: Arc<str> = format!("{text}\n{}\n", question.test).into();
            let base = engine.base(&with, &|| false).unwrap();
            assert!(base.entries.iter().all(|entry| !entry.outcome.fails()), "{}", question.test);
        }
    }
    println!("{tests:#?}");
    assert!(tests.len() > 3, "{tests:?}");
}
