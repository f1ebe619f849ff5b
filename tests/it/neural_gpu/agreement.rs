//! Codes on random inputs: the device draws the same inputs as the CPU engine and has the same results for
//! every code.

use std::cell::Cell;

use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::Machine;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::gpu::{GpuEngine, shaders, trial};
use myriad::engine::{Abilities, Engine, EngineError};
use myriad::lang::index::{Index, Indices, RoutineId};
use myriad::lang::trap::Trap;
use myriad::network::assembler::{AssemblerState, assemble, is_valid};
use myriad::network::inputs::{Arguments, FUEL};
use myriad::network::layout::{InputParams, argument_words};
use myriad::network::sampling::{Agreement, Inputs, Sampling};
use myriad::network::source::{self, Source};
use myriad::network::target;
use myriad::network::vocabulary::TARGETS;

use super::{device, turn};
use crate::common::gpu::{Lent, fresh, lend};
use crate::common::rng::Rng;
use crate::common::{compile, typed};

/// Functions with all kinds of parameters and results; some trap, and some exceed the limits of recursion or
/// steps.
const FUNCTIONS: &str = "
fn half(a: int, b: int) -> int { return a / b + 12345678; }
fn xor(a: bool, b: bool, xs: [bool; 5]) -> bool { if len(xs) > 3 { return a && xs[3]; } return a != b; }
fn seven() -> int { return 7; }
fn count(xs: [int; 8], limit: int, strict: bool) -> int {
    let n = 0;
    for x in xs { if strict && x < limit { n += 1; } else if x <= limit { n += 2; } }
    return n;
}
fn twice(xs: [int; 40]) -> [int; 64] { return xs + xs; }
fn flags(xs: [bool; 20], n: int) -> [bool; 20] { if n < 0 { return xs[0..2]; } return xs; }
fn fact(n: int) -> int { if n <= 1 { return 1; } return n * fact(n - 1); }
fn fat(n: int, xs: [int; 64]) -> int { if n < 1 { return len(xs); } let ys = xs; return 1 + fat(n - 1, ys); }
fn wide(a: [int; 64], b: [int; 64], c: [int; 64], d: [bool; 64], e: [int; 64]) -> [int; 64] {
    let all = a;
    for x in e { all = all[0..len(all) / 2] + [x]; }
    if len(b) > len(c) && len(d) > 5 { return b; }
    return all;
}
fn late(a: int, b: int) -> int { if a == 777 && b == -4000 { return a + b; } return 1; }
test fact(5) == 120;
";
/// Ends only if n is not 3.
const LOOPING: &str = "fn f(n: int) -> int { while n == 3 { } return n; } test f(1) == 1;";

fn engines() -> (CpuEngine, Lent) {
    (CpuEngine::with_threads(1), lend())
}

/// A function with its source and its code in target words, as candidates use them.
struct Subject {
    compiled: Compiled,
    function: RoutineId,
    source: Source,
    own: Vec<u16>,
}

impl Subject {
    /// Returns `None` if the function is out of the model's reach.
    fn new(compiled: &Compiled, function: RoutineId) -> Option<Subject> {
        let program = compiled.program();
        let source = source::read(&program, function).ok()?;
        let own = target::write(&program, function, &source.tables).ok()?;
        Some(Subject { compiled: compiled.clone(), function, source, own })
    }

    fn code(&self, words: &[u16]) -> Vec<u32> {
        let origin = self.compiled.executable.end();
        assemble(&self.source.tables, words, origin).expect("code")
    }

    /// Returns the function's code with one word replaced by another that is allowed there; `None` if nothing
    /// valid was found.
    fn changed(&self, rng: &mut Rng) -> Option<Vec<u32>> {
        for _ in 0..20 {
            let at = rng.below(self.own.len());
            let mut state = AssemblerState::new(&self.source.tables);
            self.own[..at].iter().for_each(|&word| assert!(state.step(&self.source.tables, word)));
            let allowed: Vec<u16> =
                (0..TARGETS as u16).filter(|&word| state.allowed(&self.source.tables, word)).collect();
            let mut words = self.own.clone();
            words[at] = *rng.pick(&allowed);
            if words != self.own && is_valid(&self.source.tables, &words) {
                return Some(self.code(&words));
            }
        }
        None
    }

    /// Returns whether code exceeds the base's step limit on an input.
    fn loops(&self, code: &[u32], seed: u32, input: u32) -> bool {
        let mut machine = Machine::default();
        let program = &self.compiled.executable.with_function(self.function, code);
        machine.load(program);
        Arguments::new(&self.compiled, self.function).write(seed, input, machine.frame());
        machine.run(program, self.function, FUEL, 1).trap == Trap::StepLimit
    }
}

/// Returns the results of both engines on codes, which must be the same.
fn agree(
    (cpu, gpu): (&mut CpuEngine, &mut GpuEngine),
    function: RoutineId,
    codes: &[&[u32]],
    inputs: Inputs,
) -> Vec<Agreement> {
    let of = |engine: &mut dyn Engine| {
        engine
            .sampler()
            .and_then(|sampler| sampler.agree(function, codes, inputs, &|| false))
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let (expected, found) = (of(cpu), of(gpu));
    assert_eq!(expected, found, "function {function}, {inputs:?}");
    found
}

#[test]
fn device_inputs_equal_cpu_inputs() {
    let _turn = turn();
    let gpu = device();
    let many =
        "fn f(a: int, b: bool, c: [int; 64], d: [bool; 64], e: [int; 1], g: [int; 7], h: [bool; 1], i: int)
        -> int { return a + 777 - 12345678 * len(c); }";
    let small = "fn f(a: bool, xs: [bool; 4], b: bool, ys: [bool; 2]) -> bool { return a || b; }";
    let most = "fn f(xs: [bool; 11]) -> int { return len(xs); }";
    let one = "fn f(n: int) -> int { return n; }";
    for text in [many, small, most, one] {
        let compiled = compile::compile(text);
        let arguments = Arguments::new(&compiled, RoutineId::new(0));
        let words = arguments.words() as usize;
        for (seed, first) in [(1, 0), (77, 5_000), (u32::MAX, u32::MAX - 40)] {
            let first = arguments.size.map_or(first, |_| 0);
            let jobs = arguments.size.unwrap_or(301).min(1_000);
            let params = InputParams {
                seed,
                first,
                jobs,
                parameters: arguments.parameters.len() as u32,
                constants: arguments.constants.len() as u32,
                exhaustive: u32::from(arguments.size.is_some()),
                ..Default::default()
            };
            let params = bytemuck::cast_slice(&[params]).to_vec();
            let buffers = [params, argument_words(&arguments), vec![0; words * jobs as usize]];
            let left = trial::run(&gpu, &shaders::INPUTS, "write_inputs", &buffers, [jobs, 1]).expect("inputs");
            for job in 0..jobs {
                let mut expected = vec![0; words];
                arguments.write(seed, first.wrapping_add(job), &mut expected);
                let found: Vec<u32> =
                    (0..words).map(|word| left[2][word * jobs as usize + job as usize]).collect();
                assert_eq!(expected, found, "input {job} behind {first} of seed {seed}, {text}");
            }
        }
    }
}

#[test]
fn device_comparisons_equal_cpu_comparisons() {
    let _turn = turn();
    let (mut cpu, mut gpu) = engines();
    let compiled = compile::compile(FUNCTIONS);
    for engine in [&mut cpu as &mut dyn Engine, &mut *gpu] {
        engine.base(&FUNCTIONS.into(), &|| false).expect("a base");
    }
    let mut rng = Rng::new(1);
    let (mut trapping, mut skipped, mut first, mut late) = (0, 0, 0, 0);
    for function in compiled.functions() {
        let subject = Subject::new(&compiled, function).expect("a subject");
        let own = subject.code(&subject.own);
        let mut codes = vec![own.clone()];
        codes.extend((0..6).filter_map(|_| subject.changed(&mut rng)));
        // Code that is empty or truncated returns 0.
        codes.extend([vec![], own[..own.len() - 1].to_vec()]);
        let mut codes: Vec<&[u32]> = codes.iter().map(|code| &code[..]).collect();
        let inputs = Inputs { seed: 3, first: 0, count: 777 };
        let sums = agree((&mut cpu, &mut gpu), function, &codes, inputs);
        assert!(sums[0].agrees() && sums[0].steps == sums[0].base_steps, "{:?}", sums[0]);
        trapping += sums[0].trapping;
        skipped += Arguments::new(&compiled, function).count(inputs) - sums[0].compared;
        first += sums.iter().filter(|sum| sum.differs_at == Some(0)).count();
        late += sums.iter().filter(|sum| sum.differs_at > Some(20)).count();
        // The results do not depend on which codes are compared together.
        codes.rotate_left(2);
        assert_eq!(agree((&mut cpu, &mut gpu), function, &codes[..3], inputs), sums[2..5]);
        assert_eq!(agree((&mut cpu, &mut gpu), function, &codes[..1], inputs), sums[2..3]);
        // Any range of inputs, also across the end of their numbers.
        for (first, count) in [(1, 1), (30, 65), (u32::MAX - 33, 129), (u32::MAX, 1), (5, 0)] {
            agree((&mut cpu, &mut gpu), function, &codes, Inputs { seed: 9, first, count });
        }
    }
    println!("{trapping} trap, {skipped} say nothing, {first} differ on the first input, {late} late");
    assert!(trapping > 100 && skipped > 100 && first > 10 && late > 1);
    // Comparing does not affect the base and its mutants.
    let verdicts = |engine: &mut dyn Engine| {
        let mut all = Vec::new();
        engine.mutants(Indices::first(8), &|| false, &mut |part| all.extend(part.verdicts)).expect("mutants");
        all
    };
    assert_eq!(verdicts(&mut cpu), verdicts(&mut *gpu));
}

#[test]
fn a_late_disagreement_ends_a_comparison() {
    let _turn = turn();
    let (mut cpu, mut gpu) = engines();
    let compiled = compile::compile(FUNCTIONS);
    for engine in [&mut cpu as &mut dyn Engine, &mut *gpu] {
        engine.base(&FUNCTIONS.into(), &|| false).expect("a base");
    }
    let function = RoutineId::new(compiled.facts.functions - 1);
    let own = Subject::new(&compiled, function).map(|subject| subject.code(&subject.own)).expect("code");
    // Turns additions into subtractions; the inputs reach both constants.
    let changed: Vec<u32> = own
        .iter()
        .map(|word| match word & 0xff == myriad::lang::opcode::Op::Add as u32 {
            true => myriad::lang::opcode::Op::Sub as u32,
            false => *word,
        })
        .collect();
    assert_ne!(own, changed);
    let inputs = Inputs { seed: 5, first: 11, count: 4_500 };
    let sums = agree((&mut cpu, &mut gpu), function, &[&changed, &own], inputs);
    println!("{sums:?}");
    assert!(sums[0].differs_at > Some(200) && sums[1].compared == 4_500);
    assert_eq!(sums[0].differs_at, Some(11 + sums[0].compared - 1));
    // More codes than are compared in parallel.
    let codes: Vec<&[u32]> = (0..300).map(|i| if i % 7 == 0 { &changed[..] } else { &own }).collect();
    let inputs = Inputs { first: sums[0].differs_at.expect("a number") - 70, count: 99, ..inputs };
    let many = agree((&mut cpu, &mut gpu), function, &codes, inputs);
    assert_eq!(many.iter().filter(|sum| !sum.agrees()).count(), 43);
}

#[test]
fn samples_and_random_programs_compare_as_on_the_cpu() {
    let _turn = turn();
    let (mut cpu, mut gpu) = engines();
    let mut texts: Vec<String> = crate::common::command::samples()
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("a sample"))
        .collect();
    texts.extend((0..12).map(typed::program));
    let mut rng = Rng::new(2);
    let (mut agreeing, mut differing) = (0, 0);
    for text in texts {
        let compiled = compile::compile(&text);
        let subjects: Vec<Subject> =
            compiled.functions().iter().filter_map(|function| Subject::new(&compiled, function)).collect();
        if compiled.facts.errors > 0 || subjects.is_empty() {
            continue;
        }
        for engine in [&mut cpu as &mut dyn Engine, &mut *gpu] {
            engine.compile(&text.as_str().into(), &|| false).expect("a base");
        }
        for subject in subjects.iter().take(3) {
            let inputs = Inputs { seed: rng.next() as u32, first: rng.next() as u32, count: 90 };
            let mut codes = vec![subject.code(&subject.own)];
            codes.extend((0..3).filter_map(|_| subject.changed(&mut rng)));
            let codes: Vec<&[u32]> = codes.iter().map(|code| &code[..]).collect();
            let sums = agree((&mut cpu, &mut gpu), subject.function, &codes, inputs);
            agreeing += sums.iter().filter(|sum| sum.agrees() && sum.compared > 0).count();
            differing += sums.iter().filter(|sum| !sum.agrees()).count();
        }
    }
    println!("{agreeing} agree, {differing} differ");
    assert!(agreeing > 20 && differing > 10);
}

#[test]
fn endless_code_is_skipped_but_differs_from_ending_code() {
    let _turn = turn();
    let (mut cpu, mut gpu) = engines();
    for engine in [&mut cpu as &mut dyn Engine, &mut *gpu] {
        engine.base(&LOOPING.into(), &|| false).expect("a base");
    }
    let subject = Subject::new(&compile::compile(LOOPING), RoutineId::new(0)).expect("a subject");
    let own = subject.code(&subject.own);
    // The loop runs where n is not 3.
    let other: Vec<u32> = own
        .iter()
        .map(|word| match word & 0xff == myriad::lang::opcode::Op::Eq as u32 {
            true => myriad::lang::opcode::Op::Ne as u32,
            false => *word,
        })
        .collect();
    assert_ne!(own, other);
    // The first input on which the base never ends, and two on either side.
    let seed = 2;
    let at = (2..1_000).find(|&input| subject.loops(&own, seed, input)).expect("an input");
    let sums = agree(
        (&mut cpu, &mut gpu),
        RoutineId::new(0),
        &[&own, &other],
        Inputs { seed, first: at - 2, count: 5 },
    );
    assert!(sums[0].agrees() && sums[0].compared < 5, "{sums:?}");
    assert_eq!((sums[1].differs_at, sums[1].compared), (Some(at - 2), 1));

    // Cancelled between two slices, and then run again.
    let asked = Cell::new(0);
    let cancelled = || {
        asked.set(asked.get() + 1);
        asked.get() > 1
    };
    let inputs = Inputs { seed, first: at, count: 1 };
    let found = gpu.sampler().and_then(|sampler| sampler.agree(RoutineId::new(0), &[&own], inputs, &cancelled));
    assert_eq!((found, asked.get()), (Err(EngineError::Cancelled), 2));
    agree((&mut cpu, &mut gpu), RoutineId::new(0), &[&other, &own], Inputs { seed, first: at + 1, count: 1 });
}

#[test]
fn invalid_comparison_is_refused() {
    let _turn = turn();
    // An engine that never had a base.
    let mut gpu = fresh();
    let inputs = Inputs { seed: 1, first: 0, count: 100 };
    let ask = |gpu: &mut GpuEngine, function: RoutineId, codes: &[&[u32]]| {
        gpu.sampler().and_then(|sampler| sampler.agree(function, codes, inputs, &|| false))
    };
    assert!(matches!(ask(&mut gpu, RoutineId::new(0), &[&[1]]), Err(EngineError::Call(_))));
    // Warming an engine does not set a base.
    gpu.warm_neural().expect("a warm engine");
    assert!(matches!(ask(&mut gpu, RoutineId::new(0), &[&[1]]), Err(EngineError::Call(_))));
    let source = Source::default();
    let drawn = gpu.sampler().and_then(|s| s.sample(&source, &Sampling::default(), &|| false, &mut |_| {}));
    assert_eq!(drawn, Err(EngineError::Call("no weights were given".into())));
    gpu.base(&"fn f(n: int) -> int { return m; }".into(), &|| false).expect("a base");
    assert!(matches!(ask(&mut gpu, RoutineId::new(0), &[&[1]]), Err(EngineError::Call(_))));
    gpu.base(&LOOPING.into(), &|| false).expect("a base");
    assert!(matches!(ask(&mut gpu, RoutineId::new(1), &[&[1]]), Err(EngineError::Call(_))));
    assert_eq!(ask(&mut gpu, RoutineId::new(0), &[]), Ok(vec![]));
    let cancelled =
        gpu.sampler().and_then(|sampler| sampler.agree(RoutineId::new(0), &[&[1]], inputs, &|| true));
    assert_eq!(cancelled, Err(EngineError::Cancelled));
}
