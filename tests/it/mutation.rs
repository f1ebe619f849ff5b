//! Explanations of mutants: why one survives, which test would notice it, and that it never ends.

use std::sync::Arc;

use crate::common::extent::{one_in, scaled};
use crate::common::{cases, typed};
use myriad::compiler::stage::execute::Machine;
use myriad::compiler::variants::{Operator, Variants};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{BaseResult, Engine, EngineSettings};
use myriad::lang::index::{EntryId, Index, Indices, MutantId, RoutineId};
use myriad::lang::role::Role;
use myriad::lang::samples;
use myriad::lang::trap::Trap;
use myriad::lang::ty::Type;
use myriad::lang::verdict::{MutantStatus, Outcome, Verdict};
use myriad::session::Changes;
use myriad::testing::mutation::{Examiner, MaskedBy, QuestionAnswer};

/// Number of random programs.
fn programs() -> u64 {
    scaled(60)
}

/// A program with the verdicts on its first mutants.
struct Subject {
    engine: CpuEngine,
    base: BaseResult,
    verdicts: Vec<Verdict>,
    examiner: Examiner,
}

impl Subject {
    fn new(text: &str, count: u32) -> Subject {
        let mut engine = CpuEngine::new();
        let base = engine.base(&text.into(), &|| false).unwrap_or_else(|error| panic!("{error}"));
        let mut verdicts = Vec::new();
        let count = count.min(engine.variants().first_order);
        engine
            .mutants(Indices::first(count), &|| false, &mut |part| verdicts.extend(part.verdicts))
            .unwrap_or_else(|error| panic!("{error}"));
        let examiner = Examiner::new(base.compiled.clone(), &base.entries);
        Subject { engine, base, verdicts, examiner }
    }

    fn with(&self, status: MutantStatus) -> Vec<MutantId> {
        MutantId::all()
            .zip(&self.verdicts)
            .filter(|(_, verdict)| verdict.status == status)
            .map(|(id, _)| id)
            .collect()
    }

    /// Returns the mutant that replaces `old` by `new` in the first occurrence of `around`.
    fn mutant(&self, around: &str, old: &str, new: &str) -> MutantId {
        let text = &self.base.compiled.text;
        let at = text.find(around).unwrap() + around.find(old).unwrap();
        let variants = Variants::new(self.base.compiled.clone());
        let is_it = |id: &MutantId| {
            let change = variants.describe(*id).unwrap();
            (change.lo, &*change.original, &*change.replacement) == (at, old, new)
        };
        Indices::first(variants.first_order())
            .iter()
            .find(is_it)
            .unwrap_or_else(|| panic!("no mutant {old} → {new} at {around}"))
    }

    fn why(&mut self, id: MutantId) -> String {
        self.examiner.why(id, &|| false).unwrap().text(&self.base.compiled)
    }
}

const SURVIVORS: &str = "\
fn larger(a: int, b: int) -> int {
    if a > b { return a; }
    return b;
}
fn unused(a: int) -> int { return a + 1; }
fn clamp(n: int) -> int {
    let low = larger(n - 1, 0);
    if low > 100 { low = low * 2; }
    return larger(low, 10);
}
fn size(n: int) -> int {
    let twice = n + n;
    return twice * 0 + 7;
}
test larger(3, 2) == 3;
test larger(2, 3) == 3;
test clamp(4) == 10;
test clamp(5) == 10;
test len([size(2)]) == 1;
";

#[test]
fn survival_reasons_are_distinguished() {
    let mut subject = Subject::new(SURVIVORS, u32::MAX);
    for (around, old, new, said) in [
        ("a + 1", "+", "-", "no test runs this code"),
        ("low * 2", "2", "0", "no test runs this code"),
        // No test uses equal numbers, so it does not matter which one is returned.
        ("a > b", ">", ">=", "reached 6 times, always with the same value"),
        ("low > 100", "100", "101", "in 2 runs of tests a value differed, but line 8 made the result the same"),
        ("low > 100", ">", ">=", "reached 2 times, always with the same value"),
        ("n - 1", "1", "2", "in 2 runs of tests a value differed, but `larger` returned the same"),
        ("n + n", "+", "-", "in 1 run of tests a value differed, but line 13 made the result the same"),
        ("+ 7", "7", "8", "in 1 run of tests a value differed, but the test in line 19 does not compare it"),
    ] {
        let id = subject.mutant(around, old, new);
        assert_eq!(subject.verdicts[id.position()].status, MutantStatus::Survived, "{around}: {old} → {new}");
        assert_eq!(subject.why(id), said, "{around}: {old} → {new}");
    }
}

/// If the changed expression is replaced by one that always traps, some oracle traps exactly if the change is
/// reported as reached.
#[test]
fn reached_mutant_traps_when_replaced_by_a_trap() {
    let (mut reached, mut unreached) = (0, 0);
    let mut check = |text: &str, count: u32| {
        let mut subject = Subject::new(text, count);
        let compiled = subject.base.compiled.clone();
        let (view, variants) = (compiled.view(), Variants::new(compiled.clone()));
        let mut last = None;
        for id in subject.with(MutantStatus::Survived) {
            let change = variants.describe(id).unwrap().changes.remove(0);
            let operators = [Operator::Arithmetic, Operator::Relational, Operator::Bitwise];
            let site = change.site;
            if !operators.contains(&change.operator) || !view.is(site, Role::Binary) || last == Some(site) {
                continue;
            }
            last = Some(site);
            let Some(why) = subject.examiner.why(id, &|| false).filter(|why| why.all) else { continue };
            let span = view.extent_span(site).unwrap();
            let trap = if view.ty(site) == Type::BOOL { "(1 / 0 == 0)" } else { "(1 / 0)" };
            let changed = [&text[..span.start], trap, &text[span.end..]].concat();
            let other = subject.engine.base(&changed.as_str().into(), &|| false).unwrap();
            assert_eq!(other.compiled.facts.errors, 0, "{changed}");
            let passes = |base: &BaseResult, entry: usize| base.entries[entry].outcome == Outcome::Pass;
            let traps = (0..other.entries.len()).any(|e| passes(&subject.base, e) && !passes(&other, e));
            assert_eq!(why.reached > 0, traps, "mutant {id} of\n{text}\n{changed}");
            if traps { reached += 1 } else { unreached += 1 }
        }
    };
    for (_, text) in cases::programs(&["samples"]) {
        check(&text, 400);
    }
    check(SURVIVORS, 400);
    for seed in 0..programs() {
        check(&typed::program(seed), 40);
    }
    assert!(reached > 100 && unreached > 5, "{reached} reached, {unreached} not");
}

/// An offered test passes on the program and kills the mutant.
#[test]
fn offered_tests_kill_their_mutants() {
    let (mut found, mut alike) = (0, 0);
    let mut check = |text: &str, count: u32, most: usize| {
        let mut subject = Subject::new(text, count);
        for id in subject.with(MutantStatus::Survived).into_iter().take(most) {
            match subject.examiner.question(id, &|| false) {
                Some(QuestionAnswer::Found(question)) => {
                    found += 1;
                    let more: Arc<str> = format!("{text}\n{}\n", question.test).into();
                    let base = subject.engine.base(&more, &|| false).unwrap();
                    assert_eq!(base.compiled.facts.errors, 0, "{more}");
                    assert_eq!(base.entries.last().unwrap().outcome, Outcome::Pass, "{more}");
                    let part = subject.engine.part(Indices::one(id), &|| false).unwrap();
                    let status = part.result.verdicts[0].status;
                    let noticed = [MutantStatus::Killed, MutantStatus::Timeout].contains(&status);
                    assert!(noticed, "mutant {id} is {status:?}:\n{more}");
                }
                Some(QuestionAnswer::Alike { inputs, .. }) => {
                    assert!(inputs > 0);
                    alike += 1;
                }
                None => panic!("mutant {id} of\n{text}"),
            }
        }
    };
    for (_, text) in one_in(2, cases::programs(&["samples"])) {
        check(&text, 400, 3);
    }
    check(SURVIVORS, 400, 400);
    for seed in 0..programs() / 6 {
        check(&typed::program(seed), 40, 6);
    }
    assert!(found > 40 && alike > 2, "{found} found, {alike} not told apart");
}

#[test]
fn offered_tests_are_small() {
    let mut subject = Subject::new(
        "fn mid(xs: [int], on: bool) -> int { if on && len(xs) > 2 { return xs[1]; } return -5; }
         test mid([1, 2, 3], false) == -5; test mid([4, 5, 6, 7], true) == 5;",
        u32::MAX,
    );
    for (around, old, new, wanted) in [
        ("xs) > 2", ">", ">=", "test mid([0, 0], true) == -5; – the mutant gives 0"),
        ("&& len", "&&", "||", "test mid([1, 1, 1], false) == -5; – the mutant gives 1"),
        ("> 2", "2", "3", "test mid([1, 1, 1], true) == 1; – the mutant gives -5"),
    ] {
        let id = subject.mutant(around, old, new);
        let answer = subject.examiner.question(id, &|| false).unwrap();
        assert_eq!(answer.text(), wanted, "{around}: {old} → {new}");
    }
    // Bools have few enough inputs to be sure.
    let mut subject = Subject::new(
        "fn both(a: bool, b: bool) -> bool { return a && b || a && b; } test both(true, true);",
        u32::MAX,
    );
    let id = subject.mutant("|| a", "||", "&&");
    let answer = subject.examiner.question(id, &|| false).unwrap();
    assert_eq!(answer.text(), "equivalent: no input distinguishes it from the program");
}

/// A mutant that is reported to never end does not end within a hundred times the fuel, and most endless loops
/// are recognized.
#[test]
fn endless_loops_are_distinguished_from_long_ones() {
    let (mut endless, mut others) = (0, 0);
    for (name, text) in cases::programs(&["samples"]) {
        let mut subject = Subject::new(&text, 400);
        let variants = Variants::new(subject.base.compiled.clone());
        for id in subject.with(MutantStatus::Timeout).into_iter().take(12) {
            let verdict = subject.verdicts[id.position()];
            if !subject.examiner.never_ends(id, &verdict, &|| false).unwrap() {
                others += 1;
                continue;
            }
            endless += 1;
            let source: Arc<str> = variants.source(id).unwrap().into();
            let (compiled, _) = CpuEngine::with_threads(1).compile(&source, &|| false).unwrap();
            let entry = compiled.entry(verdict.killer.unwrap()).unwrap();
            let domain = myriad::compiler::stage::execute::Domain::new(
                &compiled.executable.routines,
                &compiled.binders,
                entry.id,
                myriad::lang::limits::SAMPLES,
            );
            let mut machine = Machine::default();
            machine.translate(&compiled.executable);
            let runs_on = domain.inputs().iter().any(|input| {
                let record = domain.run(&mut machine, &compiled.executable, input, 3_000_000);
                record.trap == Trap::StepLimit
            });
            assert!(runs_on, "{name}: mutant {id}");
        }
    }
    assert!(endless > 20, "{endless} endless, {others} not");
}

/// A difference in a function that the oracle calls indirectly is hidden in the caller.
#[test]
fn function_that_masks_a_difference_is_named() {
    let mut subject = Subject::new(SURVIVORS, u32::MAX);
    let id = subject.mutant("n - 1", "1", "2");
    let why = subject.examiner.why(id, &|| false).unwrap();
    let differing = why.infection.unwrap();
    assert_eq!((why.inputs, why.infected, differing.entry), (2, 2, EntryId::new(2)));
    assert_eq!(differing.masked_by, MaskedBy::Function(RoutineId::new(0)));
    let line = subject.base.compiled.view().line(differing.diverges_at);
    assert!((6..=8).contains(&line), "they part at line {line}");
}

/// An oracle notices a mutant exactly if it fails on a program with the mutant's text, with the oracle's steps.
#[test]
fn oracles_kill_the_same_mutants_as_in_separate_runs() {
    let mut noticed = 0;
    let mut check = |text: &str, count: u32| {
        let mut subject = Subject::new(text, count);
        let variants = Variants::new(subject.base.compiled.clone());
        let oracles = subject.examiner.oracles();
        let mut fresh = CpuEngine::new();
        for (id, verdict) in MutantId::all().zip(subject.verdicts.clone()) {
            let by = subject.examiner.noticed(id, &verdict, &|| false).unwrap();
            if !matches!(verdict.status, MutantStatus::Killed | MutantStatus::Timeout) {
                assert!(by.is_empty());
                continue;
            }
            let source = variants.source(id).unwrap();
            let mutant = fresh.base(&source.as_str().into(), &|| false).unwrap();
            for entry in &oracles {
                let own = subject.base.entries[entry.position()];
                let result = mutant.entries[entry.position()];
                let in_time = result.costliest <= myriad::compiler::stage::execute::mutant_fuel(own.costliest);
                let passes = result.outcome == Outcome::Pass && in_time;
                assert_eq!(by.contains(*entry), !passes, "mutant {id} and test {entry} of\n{text}");
            }
            noticed += by.len();
        }
    };
    for sample in myriad::lang::samples::all() {
        check(sample.text, 60);
    }
    for seed in 0..programs() {
        check(&typed::program(seed), 40);
    }
    assert!(noticed > 1000, "{noticed}");
}

#[test]
fn survivors_of_equal_behaviour_share_one_kind() {
    let mut subject = Subject::new("fn f(n: int) -> int { return n * 2 + 1; }\ntest f(0) > 0;\n", u32::MAX);
    let kind = |subject: &mut Subject, old: &str, new: &str| {
        let id = subject.mutant("n * 2 + 1", old, new);
        assert_eq!(subject.verdicts[id.position()].status, MutantStatus::Survived, "{old} → {new}");
        subject.examiner.behaviour(id).expect("not the program's own")
    };
    let [thrice, once, quotient] =
        [("2", "3"), ("2", "1"), ("*", "/")].map(|(old, new)| kind(&mut subject, old, new));
    assert_ne!(thrice, once);
    assert_ne!(once, quotient);
    // `n * 2` with its product negated, either way.
    assert_eq!(kind(&mut subject, "2", "1"), once);
}

fn changes(before: &str, after: &str) -> (Changes, Vec<String>) {
    let [old, new] = [before, after].map(|text| Subject::new(text, u32::MAX));
    let changes = Changes::between((&old.base.compiled, &old.verdicts), (&new.base.compiled, &new.verdicts));
    let variants = Variants::new(new.base.compiled.clone());
    let told = |id: &MutantId| {
        let change = variants.describe(*id).unwrap();
        format!("{} → {}", change.original, change.replacement)
    };
    let told = changes.ids().iter().map(told).collect();
    (changes, told)
}

#[test]
fn edit_reports_changed_verdicts() {
    let one = "fn larger(a: int, b: int) -> int {\n    if a > b { return a; }\n    return b;\n}\ntest larger(3, 2) == 3;\n";
    // An added test notices more, wherever it is.
    for more in [format!("{one}test larger(2, 3) == 3;\n"), format!("test larger(2, 3) == 3;\n{one}")] {
        let (added, told) = changes(one, &more);
        assert!(added.survive.is_empty() && added.fresh.is_empty());
        assert!(told.contains(&"a > b → true".to_string()), "{told:?}");
        // Without the added test the same mutants survive again.
        let (removed, again) = changes(&more, one);
        assert_eq!((removed.survive.len(), again), (added.noticed.len(), told));
    }
    // New code that is not noticed is reported separately.
    let (fresh, told) = changes(one, &one.replace("return b;", "return b + 0 * a;"));
    assert!(fresh.noticed.is_empty() && fresh.survive.is_empty() && !told.is_empty(), "{fresh:?} {told:?}");
    assert!(told.iter().any(|told| told.starts_with('*')), "{told:?}");
    // A comment changes nothing.
    assert!(changes(one, &format!("// so\n{one}")).0.is_empty());
}

/// A function with an error, which nothing calls, changes nothing that is said of the others.
#[test]
fn text_with_an_error_has_the_same_reasons_and_tests() {
    const BROKEN: &str = "\nfn unfinished_one(n: int) -> int { let m = ; return m; }\n";
    let mut compared = 0;
    for sample in one_in(1, samples::all()).into_iter().filter(|sample| sample.name != "broken.myr") {
        let of = |text: &str| {
            let mut engine = CpuEngine::new();
            engine.configure(EngineSettings { holes: true, ..engine.settings() });
            let base = engine.base(&text.into(), &|| false).unwrap_or_else(|error| panic!("{error}"));
            let count = engine.variants().first_order;
            let mut verdicts = Vec::new();
            engine
                .mutants(Indices::first(count), &|| false, &mut |part| verdicts.extend(part.verdicts))
                .unwrap_or_else(|error| panic!("{error}"));
            let examiner = Examiner::new(base.compiled.clone(), &base.entries);
            Subject { engine, base, verdicts, examiner }
        };
        let (mut whole, mut broken) = (of(sample.text), of(&format!("{}{BROKEN}", sample.text)));
        assert!(!broken.base.compiled.facts.compiles());
        let survivors = whole.with(MutantStatus::Survived);
        assert_eq!(survivors, broken.with(MutantStatus::Survived), "{}", sample.name);
        for id in survivors {
            assert_eq!(whole.why(id), broken.why(id), "{} #{id}", sample.name);
            let answer = |subject: &mut Subject| subject.examiner.question(id, &|| false).unwrap().text();
            assert_eq!(answer(&mut whole), answer(&mut broken), "{} #{id}", sample.name);
            compared += 1;
        }
    }
    assert!(compared > 0);
}

/// A call that reaches a hole shows no difference, whichever of the two reaches it.
#[test]
fn hole_suggests_no_test() {
    let text =
        "fn f(n: int) -> int { if n > 100 { return m; } return n; }\ntest f(3) == 3;\ntest f(-2) == -2;\n";
    let mut engine = CpuEngine::new();
    engine.configure(EngineSettings { holes: true, ..engine.settings() });
    let base = engine.base(&text.into(), &|| false).unwrap_or_else(|error| panic!("{error}"));
    let mut examiner = Examiner::new(base.compiled.clone(), &base.entries);
    let mut found = 0;
    for id in Indices::first(examiner.first_order()) {
        if let Some(QuestionAnswer::Found(question)) = examiner.question(id, &|| false) {
            assert!(!question.mutant.text().contains("Hole"), "#{id}: {}", question.test);
            found += 1;
        }
    }
    assert!(found > 0);
}
