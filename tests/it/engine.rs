//! The CPU engine on the language's cases and the samples: tests have the expected results, and mutants are
//! consistent.

mod automatic;
mod choose;
mod conventional;
mod groups;
mod lanes;
mod timings;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::cases::{expected_outcomes, programs};
use crate::common::compile::compile;
use crate::common::extent::{HANG, one_in};
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::Domain;
use myriad::compiler::stage::mutate::{rank_pair, unrank_pair};
use myriad::compiler::variants::{Operator, VariantChange, Variants};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, EngineError, EngineSettings, Timings, Transfer};
use myriad::lang::index::{EditId, EntryId, Index, Indices, MutantId, RoutineId};
use myriad::lang::mutation::Group;
use myriad::lang::verdict::{MutantStatus, Outcome, Verdict};

fn judge(engine: &mut CpuEngine, first: u32, count: u32) -> Vec<Verdict> {
    let mut verdicts = vec![];
    let ids = Indices::starting(MutantId::new(first), count);
    let judged = engine.mutants(ids, &|| false, &mut |part| {
        assert_eq!(part.first.position(), first as usize + verdicts.len());
        verdicts.extend(part.verdicts);
    });
    judged.expect("the CPU engine does not fail");
    verdicts
}

#[test]
fn cases_end_as_expected() {
    let mut engine = CpuEngine::new();
    let mut wrong = vec![];
    for (name, text) in programs(&["tests/conformance", "tests/cases"]) {
        let result = engine.base(&Arc::from(&*text), &|| false).expect("the CPU engine does not fail");
        let expected = expected_outcomes(&result.compiled);
        assert_eq!(expected.len(), result.entries.len(), "{name}");
        let first = result.compiled.facts.functions as usize;
        for (i, (entry, expected)) in result.entries.iter().zip(expected).enumerate() {
            let line =
                result.compiled.tokens.line[result.compiled.executable.routines.token[first + i] as usize] + 1;
            if entry.outcome != expected {
                wrong.push(format!("{name}:{line}: expected {expected:?}, found {:?}", entry.outcome));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn samples_pass_their_tests_unless_marked() {
    let mut engine = CpuEngine::new();
    for (name, text) in programs(&["samples"]) {
        let result = engine.base(&Arc::from(&*text), &|| false).expect("the CPU engine does not fail");
        let passes = !result.entries.is_empty() && result.entries.iter().all(|e| e.outcome == Outcome::Pass);
        let says = text.lines().next().unwrap_or("").contains("does not") || text.starts_with("// Broken");
        assert!(passes != says, "{name}: passes: {passes}; {:?}", result.entries);
    }
}

#[test]
fn stage_times_do_not_exceed_the_wall_time() {
    let mut engine = CpuEngine::with_threads(2);
    let check = |name: &str, timings: &Timings| {
        let parts: Duration = timings.parts.iter().sum();
        let work: Duration = timings.stages.iter().sum();
        assert!(parts <= timings.wall, "{name}: {timings:?}");
        assert!(
            timings.parts.iter().zip(timings.stages).all(|(part, stage)| *part <= stage),
            "{name}: {timings:?}"
        );
        // The work does not exceed what both threads can do.
        assert!(work <= 2 * timings.wall, "{name}: {timings:?}");
        assert_eq!((timings.threads, timings.transfer), (2, Transfer::NoDevice));
        assert_eq!(timings.split().stages, timings.parts, "{name}");
    };
    for (name, text) in programs(&["samples", "tests/cases"]) {
        let base = engine.base(&Arc::from(&*text), &|| false).expect("the CPU engine does not fail");
        check(&name, &base.timings);
        engine
            .mutants(Indices::first(64), &|| false, &mut |part| check(&name, &part.timings))
            .expect("the CPU engine does not fail");
        // Cancelled work leaves no times.
        let _ = engine.mutants(Indices::first(u32::MAX), &after(Duration::from_millis(5)), &mut |_| {});
    }
}

/// Returns a cancellation check that fires after some time.
fn after(time: Duration) -> impl Fn() -> bool {
    let started = Instant::now();
    move || started.elapsed() > time
}

#[test]
fn mutant_source_compiles_to_the_mutant() {
    let mut checked = 0;
    for (name, text) in programs(&["samples", "tests/conformance"]) {
        let base = Compiled { group: Group::Repair, ..compile(&text) };
        let mut engine = CpuEngine::with_threads(1);
        engine.configure(EngineSettings { group: Group::Repair, ..engine.settings() });
        engine.base(&Arc::from(&*text), &|| false).expect("the CPU engine does not fail");
        let variants = Variants::new(&base);
        assert_eq!(variants.first_order(), engine.variants().first_order, "{name}");
        let n = variants.first_order();
        // First-order mutants and some second-order ones, sampled by rows, since mutants between them need not
        // run.
        let rows = (0..variants.all().min(n + 50)).step_by(10);
        let judged = one_in(8, rows).into_iter().flat_map(|first| {
            let verdicts = judge(&mut engine, first, 10.min(n + 50 - first));
            (first as usize..).zip(verdicts).collect::<Vec<_>>()
        });
        for (id, verdict) in judged {
            let source = variants.source(MutantId::at(id)).expect("a variant");
            let what = || format!("{name}, mutant {id}: {:?}\n{source}", variants.describe(MutantId::at(id)));
            let again = compile(&source);
            let compiles = again.facts.errors == 0;
            if id < n as usize {
                assert_eq!(compiles, verdict.status != MutantStatus::Invalid, "{}", what());
            }
            if compiles {
                let equal = again.executable.code.word == base.executable.code.word
                    && again.executable.routines.frame == base.executable.routines.frame;
                if id < n as usize {
                    assert_eq!(equal, verdict.status == MutantStatus::Equivalent, "{}", what());
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 1_000, "only {checked} mutants compile");
}

#[test]
fn strong_operators_yield_the_expected_changes() {
    let base = Compiled { group: Group::Strong, ..compile(crate::groups::STRONG) };
    let variants = Variants::new(&base);
    let told: Vec<String> = Indices::first(variants.first_order())
        .iter()
        .filter_map(|id| variants.describe(id))
        .flat_map(|variant| variant.changes)
        .filter(|change| change.operator.group() == Group::Strong)
        .map(|change| {
            let original = &base.text[change.lo..change.hi];
            format!("{}: {original} → {}", change.operator.name(), change.replacement.trim())
        })
        .collect();
    let expected = "\
once: } → break; }
jump: continue → break
else-part: else if xs[i] == x { return i; } else { break; } →\x20
return-value: i → 0
return-value: i → 1
return-value: i → -1
return-value: i → x
else-part: else { break; } →\x20
jump: break → continue
return-value: -1 → 0
return-value: -1 → 1
return-value: -1 → -1
return-value: -1 → x
else-part: else { if n > high { return !true; } } →\x20
return-value: !true → true
return-value: !true → false
return-value: n >= low && n <= high → true
return-value: n >= low && n <= high → false
element: n, →\x20
element: (n + 1), →\x20
element: , 3 →\x20
element: n →\x20
element: [n][0] →\x20
return-value: all + one + [] → []
return-value: xs[a | 1..min(b, len(xs)) - 0] → []
return-value: xs[a | 1..min(b, len(xs)) - 0] → xs
bound: a | 1 → (a | 1) + 1
bound: a | 1 → (a | 1) - 1
argument: min(b, len(xs)) → b
argument: min(b, len(xs)) → len(xs)
bound: min(b, len(xs)) - 0 → min(b, len(xs)) - 0 + 1
bound: min(b, len(xs)) - 0 → min(b, len(xs)) - 0 - 1
return-value: p == q || a < b → true
return-value: p == q || a < b → false
return-value: p == q || a < b → p
return-value: p == q || a < b → q
argument: weigh(false, a & 3, abs(b), a == b) → false
swap: a & 3, abs(b) → abs(b), a & 3
argument: abs(b) → b
argument: weigh(false, a & 3, abs(b), a == b) → (a == b)
once: } → break; }
return-value: b → 0
return-value: b → 1
return-value: b → -1
return-value: b → a
jump: continue → break
jump: continue → break
string: \"a\\n\\\"\" → \"\"
string: \"a\\n\\\"\" → \"a\\n\"
string: \"a\\n\\\"\" → \"b\\n\\\"\"
string: \"b\" → \"\"
string: \"b\" → \"a\"
argument: between(1, \"a\\n\\\"\" + \"b\" + \"\", 2) → (\"a\\n\\\"\" + \"b\" + \"\")
once: } → break; }
return-value: b → 0
return-value: b → 1
return-value: b → -1
return-value: b → a";
    assert_eq!(told.join("\n"), expected);
    // The default group has none of them, and its mutants are unchanged.
    let default = compile(crate::groups::STRONG);
    let default = Variants::new(&default);
    assert_eq!(default.first_order() as usize + told.len(), variants.first_order() as usize);
}

/// The names and inserted texts of the repair group's edits; only some of the many conditions.
#[test]
fn repair_operators_yield_the_expected_changes() {
    let text = "\
fn less(a: int, b: int) -> bool { return a < b; }
fn more(a: int, b: int) -> bool { return a > b; }
fn f(n: int, xs: [int]) -> int {
    let s = 0;
    for x in xs {
        if less(x, n) || x == 3 { s += x * 2; }
        s = s + 1;
        if s > 9 { break; }
    }
    return -min(s, 4);
}
";
    let base = Compiled { group: Group::Repair, ..compile(text) };
    let variants = Variants::new(&base);
    let changes = Indices::first(variants.first_order()).iter().filter_map(|id| variants.describe(id));
    let changes = changes.flat_map(|variant| variant.changes);
    let of_f = changes
        .filter(|change| change.operator.group() == Group::Repair && change.lo > text.find("fn f").unwrap());
    let written = |change: &VariantChange| {
        let original = &base.text[change.lo..change.hi];
        format!("{}: {original} → {}", change.operator.name(), change.replacement.trim())
    };
    let (mut told, mut counts) = (Vec::new(), Vec::<(usize, usize, u32)>::new());
    for change in of_f {
        let many = matches!(change.operator, Operator::Join | Operator::Guard | Operator::Expression);
        let place = (change.lo, change.operator as usize);
        match counts.last_mut().filter(|count| (count.0, count.1) == place) {
            Some(count) => count.2 += 1,
            None => counts.push((place.0, place.1, 1)),
        }
        let (.., count) = counts.last().copied().unwrap_or_default();
        if !many || count <= 3 || count % 40 == 0 {
            told.push(written(&change));
        }
    }
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn verdicts_do_not_depend_on_threads_or_order() {
    for (name, text) in programs(&["samples"]) {
        let text: Arc<str> = Arc::from(&*text);
        let (mut one, mut many) = (CpuEngine::with_threads(1), CpuEngine::with_threads(3));
        assert_eq!(
            one.base(&text, &|| false).unwrap().entries,
            many.base(&text, &|| false).unwrap().entries,
            "{name}"
        );
        let all = one.variants().all.min(1_024);
        let whole = judge(&mut one, 0, all);
        assert_eq!(whole, judge(&mut many, 0, all), "{name}");
        // A part from the middle, and then one before it.
        assert_eq!(whole[all as usize / 2..], judge(&mut many, all / 2, all - all / 2), "{name}");
        assert_eq!(whole[..all as usize / 3], judge(&mut one, 0, all / 3), "{name}");
        for (id, verdict) in whole.iter().enumerate() {
            let killed = matches!(verdict.status, MutantStatus::Killed | MutantStatus::Timeout);
            assert_eq!(killed, verdict.killer.is_some(), "{name}, mutant {id}");
            let copies = verdict.status == MutantStatus::Duplicate;
            assert_eq!(
                copies,
                verdict.original.is_some_and(|original| original.position() < id),
                "{name}, mutant {id}"
            );
        }
    }
}

#[test]
fn functions_run_on_arguments() {
    let mut engine = CpuEngine::new();
    let text =
        "fn f(xs: [int; 3], n: int) -> [int; 4] { return xs + [n]; } fn d(n: int) -> int { return d(n - 1); }";
    engine.base(&Arc::from(text), &|| false).unwrap();
    let result = engine.run(RoutineId::new(0), &[2, 7, 8, 0, 9], &|| false).unwrap();
    assert_eq!(result.value, [7, 8, 9]);
    // Called from a test's expression, the 128th nested call is one too many.
    let result = engine.run(RoutineId::new(1), &[0], &|| false).unwrap();
    assert_eq!(result.trap, myriad::lang::trap::Trap::RecursionTooDeep);
    assert!(engine.run(RoutineId::new(2), &[], &|| false).is_err());
}

#[test]
fn each_input_of_a_small_domain_is_drawn_once_in_order() {
    let text = "prop a in 0..2, xs in [5..7; 2], b in -1..1 => a + b + len(xs) == 99;";
    let program = compile(text);
    let domain = Domain::new(&program.executable.routines, &program.binders, RoutineId::new(0), 1_024);
    // 2 × (1 + 2 + 4) × 2 values.
    assert!(domain.exhaustive());
    assert_eq!(domain.inputs().len(), 28);
    let mut drawn = vec![];
    for input in domain.inputs() {
        let mut frame = [0; 5];
        domain.write(input, &mut frame);
        drawn.push(frame);
    }
    let list =
        |xs: &[u32]| [xs.len() as u32, xs.first().copied().unwrap_or(0), xs.get(1).copied().unwrap_or(0)];
    let lists = [&[][..], &[5], &[6], &[5, 5], &[5, 6], &[6, 5], &[6, 6]];
    let mut expected = vec![];
    for a in [0, 1] {
        for xs in lists {
            for b in [u32::MAX, 0] {
                let [n, first, second] = list(xs);
                expected.push([a, n, first, second, b]);
            }
        }
    }
    assert_eq!(drawn, expected);
}

#[test]
fn cancelled_mutants_stop_soon_and_later_results_are_correct() {
    // Each input takes nearly the whole step limit, and no mutant of the second function is noticed.
    let text = "fn slow(n: int) -> int { let s = 0; for i in 0..100000 { s += i; } return 0; }
        fn idle(n: int) -> int { return n + 1; }
        prop n in 0..40 => slow(n) == 0;";
    let mut engine = CpuEngine::new();
    engine.base(&Arc::from(text), &|| false).unwrap();
    let started = Instant::now();
    let cancelled = || started.elapsed() > Duration::from_millis(100);
    let result = engine.mutants(Indices::first(10_000), &cancelled, &mut |_| {});
    assert_eq!(result, Err(EngineError::Cancelled));
    assert!(started.elapsed() < HANG, "{:?}", started.elapsed());
    // Later results are still correct.
    let quick: Arc<str> = Arc::from("fn f(n: int) -> int { return n + 1; } test f(1) == 2;");
    engine.base(&quick, &|| false).unwrap();
    let again = judge(&mut engine, 0, 20);
    let mut other = CpuEngine::with_threads(1);
    other.base(&quick, &|| false).unwrap();
    assert_eq!(again, judge(&mut other, 0, 20));
}

#[test]
fn random_and_hostile_programs_are_judged() {
    let random = (0..40).map(crate::common::typed::program);
    let broken = (0..40).map(crate::common::broken::program);
    let hostile = crate::common::programs::hostile().into_iter().map(|(_, text)| text);
    let mut engine = CpuEngine::new();
    let mut judged = 0;
    for text in random.chain(broken).chain(hostile) {
        let base = engine.base(&Arc::from(&*text), &|| false).expect("the CPU engine does not fail");
        let n = engine.variants().first_order;
        assert!(base.compiled.facts.errors == 0 || n == 0);
        judged += judge(&mut engine, 0, n.min(24)).len();
        if n > 0 {
            // The last mutant of each order.
            let variants = Variants::new(&*base.compiled);
            assert_eq!(variants.all(), engine.variants().all);
            let source = |number| variants.source(MutantId::new(number));
            assert!(source(n - 1).is_some());
            assert_eq!(source(variants.all() - 1).is_some(), n > 0);
            assert!(source(variants.all()).is_none());
        }
    }
    assert!(judged > 500, "only {judged} mutants");
}

#[test]
fn every_pair_of_edits_has_one_number() {
    for n in 0..40 {
        let all = n + n * (n.max(1) - 1) / 2;
        let mut pairs: Vec<_> =
            Indices::numbered(n..all).iter().map(|id| unrank_pair(n, id).expect("a pair")).collect();
        assert!(pairs.iter().all(|(i, j)| i < j && j.number() < n), "{n}: {pairs:?}");
        let numbers = pairs.iter().map(|(i, j)| rank_pair(n, *j, *i));
        assert!(numbers.eq(Indices::numbered(n..all).iter().map(Some)), "{n}: {pairs:?}");
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len() as u32, all - n, "{n}");
    }
    assert_eq!(unrank_pair(6, MutantId::new(5)), None);
    let of = |i, j| rank_pair(6, EditId::new(i), EditId::new(j));
    assert_eq!([of(5, 5), of(0, 6)], [None, None]);
}

/// Cancels the base at the first test that is reported as running.
#[derive(Default)]
struct Impatient {
    heard: std::cell::RefCell<Vec<(EntryId, u32)>>,
}

impl myriad::compiler::program::Watch for Impatient {
    fn cancelled(&self) -> bool {
        !self.heard.borrow().is_empty()
    }
    fn running(&self, _: &Arc<myriad::compiler::program::Compiled>, entry: EntryId, inputs: u32) {
        self.heard.borrow_mut().push((entry, inputs));
    }
}

/// Returns a program of properties that take most of the step limit on each input.
fn slow() -> Arc<str> {
    let count = "fn count(n: int) -> int { let k = 0; while k < 50000 { k = k + 1; } return k + n; }";
    let props: Vec<String> =
        (0..10).map(|i| format!("prop a in 0..1000, b in 0..1000 => count(a) > b - {i} - 1000;")).collect();
    format!("{count}\n{}", props.join("\n")).into()
}

#[test]
fn slow_base_is_cancelled_between_inputs() {
    let (mut engine, watch) = (CpuEngine::with_threads(2), Impatient::default());
    assert_eq!(engine.base(&slow(), &watch).map(|_| ()), Err(myriad::engine::EngineError::Cancelled));
    let heard = watch.heard.into_inner();
    assert!(heard.iter().all(|(entry, inputs)| *entry == EntryId::FIRST && *inputs < 1_024), "{heard:?}");
    assert_eq!(engine.variants().all, 0, "there is no base whose mutants could be judged");
    let quick = engine.base(&Arc::from("test 1 + 1 == 2;"), &|| false).expect("the next program");
    assert_eq!(quick.entries.len(), 1);
}
