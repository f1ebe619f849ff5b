//! Mutants that are proved equal to their program, or to each other, behave alike on every input tried.

use std::collections::HashSet;
use std::sync::Arc;

use crate::common::attack::{Attacked, Claim};
use crate::common::cases::programs;
use crate::common::compile::compile_at;
use crate::common::extent::{exhaustive, one_in, scaled};
use crate::common::{called, typed};
use crate::levels_exact::{arguments, is_resource, token, words};
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::Machine;
use myriad::compiler::variants::Variants;
use myriad::engine::cpu::{CpuEngine, call};
use myriad::engine::{Engine, EngineSettings};
use myriad::lang::index::{Index, Indices, MutantId, TokenId};
use myriad::lang::level::OptLevel;
use myriad::lang::trap::Trap;
use myriad::lang::verdict::{MutantStatus, Verdict};
use myriad::testing::equivalence::{Equality, Prover, apply, function_of};
use myriad::testing::prove::{Finding, survivor};

/// Inputs on which a mutant is compared.
const INPUTS: u32 = 200;

/// The program of a mutant, as lowered, and its number of tokens more than the base's.
fn mutant(variants: &Variants<Arc<Compiled>>, id: MutantId) -> Compiled {
    let source = variants.source(id).expect("a mutant");
    compile_at(OptLevel::Lowered, &source)
}

/// Runs all functions of two programs that should do the same. Returns the number of runs.
fn compare(machine: &mut Machine, base: &Compiled, other: &Compiled, of: &str) -> u64 {
    let constants = [words(base), words(other)].concat();
    let mut runs = 0;
    for function in base.functions().iter() {
        for input in 0..INPUTS {
            let arguments = arguments(base, function, &constants, input);
            let [expected, found] =
                [base, other].map(|program| call(machine, &program.executable, function, &arguments));
            // The level 0 code of a mutant may take more steps and more depth.
            if is_resource(expected.trap) || is_resource(found.trap) {
                continue;
            }
            runs += 1;
            let same = (expected.trap, &expected.value) == (found.trap, &found.value);
            assert!(same, "{of}: {function}{arguments:?}: {expected:?}, {found:?}\n{}", other.text);
            if expected.trap != Trap::None {
                // An edit may change the operator that traps, or add tokens before it, but not both.
                let [(at, text), (other_at, other_text)] =
                    [(base, &expected), (other, &found)].map(|(program, run)| {
                        let token = token(&program.executable, run.trap, run.trap_address);
                        (token, token.map(|token| program.view().text(TokenId::new(token)).to_string()))
                    });
                let same = at == other_at || text == other_text;
                assert!(same, "{of}: traps at {text:?} and {other_text:?}\n{}", other.text);
            }
        }
    }
    runs
}

/// Attacks all proofs about the first-order mutants of a program. Returns the numbers of proofs and of runs.
fn attack(machine: &mut Machine, prover: &mut Prover, name: &str, text: &str) -> (u64, u64) {
    let base = Arc::new(compile_at(OptLevel::Local, text));
    let lowered = compile_at(OptLevel::Lowered, text);
    let variants = Variants::new(base);
    let ids = Indices::first(variants.first_order());
    let found = prover.examine(&variants, ids.iter(), &|| false).expect("not cancelled");
    let (mut proofs, mut runs) = (0, 0);
    for (id, equality) in found {
        let change = variants.describe(id).expect("a mutant");
        let of = format!("{name}: {id}: {} → {}, {equality:?}", change.original, change.replacement);
        proofs += 1;
        let other = mutant(&variants, id);
        runs += match equality {
            Equality::Base(_) => compare(machine, &lowered, &other, &of),
            Equality::Mutant(first) => compare(machine, &mutant(&variants, first), &other, &of),
        };
    }
    (proofs, runs)
}

#[test]
fn proved_mutants_of_samples_and_cases_behave_like_the_program() {
    let (mut machine, mut prover) = (Machine::default(), Prover::default());
    let (mut proofs, mut runs) = (0, 0);
    for (name, text) in one_in(4, programs(&["samples", "tests/cases"])) {
        if compile_at(OptLevel::Local, &text).facts.compiles() {
            let found = attack(&mut machine, &mut prover, &name, &text);
            (proofs, runs) = (proofs + found.0, runs + found.1);
        }
    }
    println!("{proofs} proofs, {runs} runs");
    assert!(proofs > 0 && runs > proofs);
}

#[test]
fn proved_mutants_of_random_programs_behave_like_the_program() {
    let (mut machine, mut prover) = (Machine::default(), Prover::default());
    let (mut proofs, mut runs) = (0, 0);
    for seed in 0..scaled(4) {
        for text in [typed::program(seed), called::program(seed)] {
            let found = attack(&mut machine, &mut prover, &format!("seed {seed}"), &text);
            (proofs, runs) = (proofs + found.0, runs + found.1);
        }
    }
    println!("{proofs} proofs, {runs} runs");
    assert!(proofs > 0 && runs > proofs);
}

/// Returns the verdicts on the first-order mutants of a program, or `None` if it does not compile.
fn judged(engine: &mut CpuEngine, text: &str) -> Option<(Arc<Compiled>, Vec<Verdict>)> {
    let base = engine.base(&text.into(), &|| false).expect("a base").compiled;
    base.facts.compiles().then_some(())?;
    let ids = Indices::first(Variants::new(base.clone()).first_order());
    let mut verdicts: Vec<Verdict> = Vec::new();
    engine.mutants(ids, &|| false, &mut |part| verdicts.extend(part.verdicts)).expect("verdicts");
    Some((base, verdicts))
}

/// A text that lacks only some `;` has the verdicts and the proofs of the whole text; so have functions beside one with an
/// error.
#[test]
fn survivors_of_texts_with_errors_are_proved_equivalent() {
    let (mut engine, mut prover) = (CpuEngine::with_threads(2), Prover::default());
    engine.configure(EngineSettings { holes: true, ..engine.settings() });
    let mut proofs = 0;
    let mut judged = |text: &str| {
        let base = engine.base(&text.into(), &|| false).expect("a base").compiled;
        let variants = Variants::new(base.clone());
        let mut verdicts: Vec<Verdict> = Vec::new();
        let ids = Indices::first(variants.first_order());
        engine.mutants(ids, &|| false, &mut |part| verdicts.extend(part.verdicts)).expect("verdicts");
        let survives = |id: &MutantId| verdicts[id.position()].status == MutantStatus::Survived;
        let found = prover.examine(&variants, ids.iter().filter(survives), &|| false).expect("not cancelled");
        let mut found: Vec<MutantId> = found.into_iter().map(|(id, _)| id).collect();
        found.sort_unstable();
        (base.facts.errors, verdicts, found)
    };
    for (_, text) in one_in(2, programs(&["samples"])) {
        let (errors, verdicts, found) = judged(&text);
        if errors > 0 {
            continue;
        }
        let mut lines: Vec<&str> = text.lines().collect();
        for (nth, line) in lines.iter_mut().enumerate().filter(|(_, line)| line.starts_with(' ')) {
            *line = line.strip_suffix(';').filter(|_| nth % 3 == 0).unwrap_or(line);
        }
        let (errors, own_verdicts, own) = judged(&(lines.join("\n") + "\n"));
        let lacking = lines.join("\n");
        assert!(errors > 0);
        let differ = verdicts.iter().zip(&own_verdicts).position(|(a, b)| a != b);
        assert_eq!(differ.map(|id| (id, verdicts[id], own_verdicts[id])), None, "{lacking}");
        assert_eq!(own, found, "{lacking}");
        let (_, _, beside) = judged(&(text + "\nfn broken(n: int) -> int { return n + ; }\n"));
        assert_eq!(beside, found);
        proofs += found.len();
    }
    assert!(proofs > 3, "{proofs}");
}

/// `MYRIAD_SCALE=125` tries 1,000,000 deciding inputs for each proof about all samples, symbolic ones included.
#[test]
fn proofs_about_survivors_of_samples_withstand_deciding_inputs() {
    let (mut engine, mut prover) = (CpuEngine::with_threads(2), Prover::default());
    let (mut proofs, mut attacked, mut refuted) = ([0; 2], Attacked::default(), Vec::new());
    for (name, text) in one_in(2, programs(&["samples"])) {
        let Some((base, verdicts)) = judged(&mut engine, &text) else { continue };
        let survives = |id: &MutantId| verdicts[id.position()].status == MutantStatus::Survived;
        let variants = Variants::new(base.clone());
        let survivors: Vec<MutantId> = Indices::first(variants.first_order()).iter().filter(survives).collect();
        let lowered = compile_at(OptLevel::Lowered, &text);
        let mut found = prover.examine(&variants, survivors.iter().copied(), &|| false).expect("not cancelled");
        let by_code: HashSet<MutantId> = found.iter().map(|(id, _)| *id).collect();
        for id in survivors.into_iter().filter(|id| exhaustive() && !by_code.contains(id)) {
            if let Finding::Equal(reason) = survivor(&variants, id, &|| false).expect("not cancelled") {
                found.push((id, Equality::Base(reason)));
            }
        }
        for (id, equality) in found {
            let started = std::time::Instant::now();
            let function = function_of(&base, variants.edits(id).expect("a mutant").first).expect("a function");
            let (own, kind) = match equality {
                Equality::Base(_) => (lowered.clone(), 0),
                Equality::Mutant(first) => (mutant(&variants, first), 1),
            };
            let other = &mutant(&variants, id).executable;
            let claim = Claim { base: &own, function, other, other_function: function, is_mutant: true };
            let change = variants.describe(id).expect("a mutant");
            let of = format!("{name}: {id}: {} → {}, {equality:?}", change.original, change.replacement);
            proofs[kind] += 1;
            let result = claim.attack(scaled(8_000) as u32);
            println!("{of}: {result:?}, {:.1?}", started.elapsed());
            match result {
                Ok(own) => attacked += own,
                Err(input) => refuted.push(format!("{of}: {input}")),
            }
        }
    }
    println!("{} proofs of equivalence, {} duplicates, {attacked:?}", proofs[0], proofs[1]);
    assert!(refuted.is_empty(), "{refuted:#?}");
    assert!(proofs[0] > 0 && attacked.deciding > proofs[0]);
}

/// The survivors of the samples, those that are proved, and that no verdict contradicts a proof.
#[test]
fn survivors_of_samples_are_proved_equivalent() {
    let mut engine = CpuEngine::with_threads(2);
    let mut prover = Prover::default();
    let mut sums = [0; 3];
    for (name, text) in programs(&["samples"]) {
        let Some((base, mut verdicts)) = judged(&mut engine, &text) else { continue };
        let variants = Variants::new(base);
        let ids = Indices::<MutantId>::first(variants.first_order());
        let survivors: Vec<MutantId> =
            ids.iter().filter(|id| verdicts[id.position()].status == MutantStatus::Survived).collect();
        let started = std::time::Instant::now();
        let found = prover.examine(&variants, survivors.iter().copied(), &|| false).expect("not cancelled");
        let taken = started.elapsed();
        let equivalent = found.iter().filter(|(_, equality)| matches!(equality, Equality::Base(_))).count();
        println!(
            "{name}: {} survivors, {equivalent} equivalent, {} duplicates, {taken:?}",
            survivors.len(),
            found.len() - equivalent
        );
        for (id, equality) in &found {
            if let Equality::Base(reason) = equality {
                let change = variants.describe(*id).expect("a mutant");
                let line = text[..change.lo].lines().count();
                println!("    {line}: {} → {}: {}", change.original, change.replacement, reason.text());
            }
        }
        // A second call finds the same without new work.
        assert_eq!(prover.examine(&variants, survivors.iter().copied(), &|| false), Some(found.clone()));
        sums = [sums[0] + survivors.len(), sums[1] + equivalent, sums[2] + found.len() - equivalent];
        // A mutant that a test kills equals nothing that survives.
        let all = prover.examine(&variants, ids.iter(), &|| false).expect("not cancelled");
        for (id, equality) in all {
            let other = match equality {
                Equality::Base(_) => None,
                Equality::Mutant(first) => Some(verdicts[first.position()].status),
            };
            let own = verdicts[id.position()].status;
            let killed = |status| status == MutantStatus::Killed;
            assert!(!killed(own) || other.is_some_and(|other| other != MutantStatus::Survived), "{name}: {id}");
        }
        apply(&found, &mut verdicts);
        let left = verdicts.iter().filter(|verdict| verdict.status == MutantStatus::Survived).count();
        assert_eq!(left, survivors.len() - found.len(), "{name}");
    }
    println!("{sums:?}");
    assert!(sums[1] >= 40, "{sums:?}");
}

/// Returns a sample's variants, and the ids of its first-order mutants.
fn sample(name: &str) -> (Variants<Arc<Compiled>>, Indices<MutantId>) {
    let text = programs(&["samples"]).into_iter().find(|(found, _)| found.contains(name)).expect("a sample").1;
    let variants = Variants::new(Arc::new(compile_at(OptLevel::Local, &text)));
    let ids = Indices::first(variants.first_order());
    (variants, ids)
}

#[test]
fn survivors_that_arrive_while_others_are_judged_have_the_proofs_of_one_thread() {
    for name in ["gcd", "sorting", "text"] {
        let (variants, ids) = sample(name);
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
        let expected = alone.install(|| Prover::default().examine(&variants, ids.iter(), &|| false));
        let expected = expected.expect("not cancelled");
        assert!(expected.len() > 5, "{name}: {expected:?}");
        let mut prover = Prover::default();
        let verdicts = vec![Verdict::of(MutantStatus::Survived); ids.len() as usize];
        prover.while_judging(&variants, &|| false, |arrived| {
            for (number, chunk) in (0..).zip(verdicts.chunks(7)) {
                arrived(MutantId::new(7 * number), chunk);
            }
        });
        assert!(!prover.take_times().spent.is_zero(), "{name}");
        assert_eq!(prover.examine(&variants, ids.iter(), &|| false), Some(expected), "{name}");
    }
}

/// The code of a function is compiled apart from tests and from functions that it does not call, so what they are
/// changes no proof.
#[test]
fn proofs_about_a_function_do_not_depend_on_functions_that_it_does_not_call() {
    let function =
        "fn f(a: int, b: int) -> int { let s = a * 2 + b; if s > b { s = s - b; } return s + g(a); }\n";
    let callee = "fn g(a: int) -> int { return a + LIMIT - 3; }\n";
    let found = |text: &str| {
        let base = Arc::new(compile_at(OptLevel::Local, text));
        assert!(base.facts.compiles(), "{text}");
        let variants = Variants::new(base.clone());
        let own: Vec<MutantId> = Indices::<MutantId>::first(variants.first_order())
            .iter()
            .filter(|id| {
                let edits = variants.edits(*id).expect("a mutant");
                let function = function_of(&base, edits.first);
                function.is_some_and(|function| base.function_name(function) == "f")
            })
            .collect();
        let proofs =
            Prover::default().examine(&variants, own.iter().copied(), &|| false).expect("not cancelled");
        let place = |id: MutantId| own.iter().position(|other| *other == id);
        let shown = |equality: Equality| match equality {
            Equality::Base(reason) => reason.text(),
            Equality::Mutant(id) => format!("as {:?}", place(id)),
        };
        proofs.into_iter().map(|(id, equality)| (place(id), shown(equality))).collect::<Vec<_>>()
    };
    let alone = found(&format!("const LIMIT = 3;\n{function}{callee}"));
    assert!(!alone.is_empty());
    let other = "fn h(xs: [int; 4]) -> int { let s = 0; for x in xs { s += f(x, 1); } return s; }\n";
    let among =
        format!("{callee}const LIMIT = 3;\n{function}{other}test h([1, 2]) == 9;\ntest f(1, 2) == 3;\n");
    assert_eq!(found(&among), alone);
}
