//! Code from lower to emit: invariants of its shape on every program, optimized code behaves like lowered code,
//! and snapshots of the code of some programs.

use crate::common::extent::scaled;
use crate::common::programs::hostile;
use crate::common::{broken, called, looped, twins, typed};
use myriad::compiler::program::{Compiled, Executable, ExecutableInstruction, Instructions, Ir};
use myriad::compiler::stage::execute::{self, Machine, Record};
use myriad::compiler::stage::{Stage, emit, lower, optimize, passes};
use myriad::lang::index::Index;
use myriad::lang::level::OptLevel;
use myriad::lang::limits;
use myriad::lang::opcode::{Op, Shape};
use myriad::lang::trap::Trap;
use myriad::report::listing;

fn compile(text: &str) -> Compiled {
    twins::compile(text, Stage::Emit)
}

/// Returns names and texts of the case files, the samples, and seeded random programs.
fn all() -> impl Iterator<Item = (String, String)> {
    let files =
        twins::files().into_iter().map(|text| (text.lines().next().unwrap_or_default().to_string(), text));
    let random = (0..400).flat_map(|seed| {
        [(format!("typed {seed}"), typed::program(seed)), (format!("broken {seed}"), broken::program(seed))]
    });
    files.chain(hostile()).chain(random)
}

/// Returns the number of values that an instruction pops and pushes; a list counts as one.
fn effect(c: &Compiled, ir: &Ir, i: usize) -> (usize, usize) {
    let op = Op::from_u32(ir.op[i]).expect("an operation");
    let takes = match op {
        Op::BuildList => ir.arg[i],
        Op::Call => c.executable.routines.params[ir.arg[i] as usize],
        _ => op.effect().takes,
    };
    (takes as usize, op.effect().leaves as usize)
}

/// Checks invariants of code: targets and entries, blocks, `start` links, stack depth.
fn check_shape(name: &str, c: &Compiled, optimized: bool) {
    let (ir, entries) = match optimized {
        true => (&c.ir, c.executable.routines.ir.clone()),
        false => (&c.lowered, lowered_entries(c)),
    };
    let len = ir.op.len();
    let mut leaders = vec![false; len + 1];
    for &entry in &entries {
        assert!((entry as usize) < len, "{name}: a routine without code");
        leaders[entry as usize] = true;
    }
    for i in 0..len {
        assert_ne!(ir.op[i], Op::Nop as u32, "{name}: NOP at {i}");
        assert!((ir.token[i] as usize) < c.tokens.kind.len(), "{name}: token of {i}");
        assert!(ir.start[i] as usize <= i, "{name}: start of {i}");
        if let Some(target) = lower::target(ir, i) {
            assert!(target.position() < len, "{name}: target of {i}");
            leaders[target.position()] = true;
        }
        leaders[i + 1] |= lower::ends_block(ir.op[i]);
    }
    assert!(len == 0 || leaders[len], "{name}: the end is reached");
    let mut block = u32::MAX;
    for (i, leads) in leaders[..len].iter().enumerate() {
        block = block.wrapping_add(u32::from(*leads));
        assert_eq!(ir.block[i], block, "{name}: block of {i}");
        assert!(
            !entries.contains(&(i as u32)) || i == 0 || !lower::falls_through(ir.op[i - 1]),
            "{name}: {i} falls in"
        );
    }
    // Computes the stack depth before each instruction along the control flow.
    let mut depth = vec![None; len + 1];
    let mut pending: Vec<(usize, usize)> = entries.iter().map(|&entry| (entry as usize, 0)).collect();
    while let Some((i, before)) = pending.pop() {
        if let Some(known) = depth[i] {
            assert_eq!(known, before, "{name}: stack at {i}");
            continue;
        }
        depth[i] = Some(before);
        let (takes, leaves) = effect(c, ir, i);
        assert!(before >= takes, "{name}: stack at {i}");
        let after = before - takes + leaves;
        // Machines use a list in place of its variable while it is an operand, so no store may happen while
        // operands are on the stack.
        let stores = matches!(Op::from_u32(ir.op[i]), Some(Op::StoreVar | Op::StoreList | Op::StoreIndex));
        assert!(!stores || after == 0, "{name}: {i} stores while operands wait");
        if let Some(target) = lower::target(ir, i) {
            let keeps = Op::from_u32(ir.op[i]).and_then(Op::condition).is_some_and(|(_, keeps)| keeps);
            pending.push((target.position(), after + keeps as usize));
        }
        if lower::falls_through(ir.op[i]) {
            pending.push((i + 1, after));
        } else if lower::target(ir, i).is_none() && ir.op[i] != Op::Hole as u32 {
            assert_eq!(after, 0, "{name}: {i} returns with more on the stack");
        }
    }
    // Operands are where the links say: the stack depth before an operand equals its position on the stack.
    // Passes maintain this only where no jump targets the end of an operand, since nothing looks beyond that.
    for i in 0..len {
        let Some(before) = depth[i] else { continue };
        let (takes, _) = effect(c, ir, i);
        let mut end = i;
        for place in (before - takes..before).rev() {
            assert!(end > 0, "{name}: operand of {i}");
            if optimized && ir.block[end - 1] != ir.block[end] {
                break;
            }
            let start = ir.start[end - 1] as usize;
            assert_eq!(depth[start], Some(place), "{name}: operand of {i} from {start} to {end}");
            end = start;
        }
    }
}

fn check_words(name: &str, c: &Compiled) {
    let words = &c.executable.code.word;
    let mut starts = vec![false; words.len() + 1];
    let mut end = 0;
    for ExecutableInstruction { at, op, .. } in Instructions::of(words) {
        starts[at] = true;
        end = at + op.shape().words() as usize;
    }
    assert_eq!(end, words.len(), "{name}: the last instruction is cut");
    assert_eq!(c.executable.code.token.len(), words.len());
    for ExecutableInstruction { at, op, operand, second } in Instructions::of(words) {
        assert_ne!(op, Op::Nop, "{name}: word {at}");
        match op.shape() {
            Shape::Target => assert!(starts[operand as usize], "{name}: target of {at}"),
            Shape::SlotTarget => assert!(starts[second as usize], "{name}: target of {at}"),
            _ => {}
        }
    }
    for &address in &c.executable.routines.address {
        assert!(
            starts[address as usize] && (address as usize) < c.executable.code.word.len(),
            "{name}: an entry"
        );
    }
}

/// Returns the first instruction of each routine in the lowered code.
fn lowered_entries(c: &Compiled) -> Vec<u32> {
    let at = |token: &u32| c.lowered.token.iter().position(|t| t >= token).unwrap_or(0) as u32;
    c.executable.routines.token.iter().map(at).collect()
}

fn check(name: &str, text: &str) -> Compiled {
    let c = compile(text);
    if c.facts.errors > 0 || c.facts.stopped() {
        assert_eq!((c.lowered.op.len(), c.ir.op.len(), c.executable.code.word.len()), (0, 0, 0), "{name}");
        assert_eq!(c.executable.routines.token.len(), 0, "{name}");
        return c;
    }
    let codes: u32 = (0..c.tokens.kind.len())
        .filter(|&t| c.tokens.kind[t] == myriad::lang::token::TokenKind::Str as u32)
        .map(|t| c.tokens.value[t])
        .sum();
    assert!(c.lowered.op.len() <= c.tokens.kind.len() + codes as usize, "{name}: more code than room");
    assert!(c.ir.op.len() <= c.lowered.op.len());
    check_shape(name, &c, false);
    check_shape(name, &c, true);
    check_words(name, &c);
    c
}

/// Runs all tests and some inputs of the properties on this code.
fn run_entries(c: &Compiled, program: &Executable, fuel: u32) -> Vec<Record> {
    let mut machine = Machine::default();
    machine.load(program);
    let mut records = vec![];
    for domain in execute::domains(&c.facts, &program.routines, &c.binders, 16) {
        records.extend(domain.inputs().iter().map(|input| domain.run(&mut machine, program, input, fuel)));
    }
    records
}

/// Optimized code must have the value or trap of lowered code, at the same token, in no more steps; only
/// resource traps may come later or disappear.
fn check_meaning(name: &str, c: &Compiled) {
    let mut lowered = Executable { routines: c.executable.routines.clone(), ..Executable::default() };
    lowered.routines.ir = lowered_entries(c);
    emit::run(&c.lowered, &mut lowered.routines, &mut lowered.code, &mut emit::EmitScratch::default());
    let fuel = 20_000;
    let plain = run_entries(c, &lowered, fuel);
    let better = run_entries(c, &c.executable, fuel);
    assert_eq!(plain.len(), better.len());
    for (a, b) in plain.iter().zip(&better) {
        if matches!(a.trap, Trap::StepLimit | Trap::OutOfMemory | Trap::RecursionTooDeep) {
            continue;
        }
        assert_eq!((a.trap, a.value), (b.trap, b.value), "{name}");
        assert!(b.steps <= a.steps, "{name}: {} steps become {}", a.steps, b.steps);
        let token = |of: &Executable, record: &Record| of.code.token[record.address.unwrap().position()];
        if a.trap != Trap::None {
            assert_eq!(token(&lowered, a), token(&c.executable, b), "{name}: place of a trap");
        }
    }
}

#[test]
fn code_is_well_formed_and_means_the_same_when_optimized() {
    let mut compiled = 0;
    for (name, text) in all() {
        let c = check(&name, &text);
        check_meaning(&name, &c);
        compiled += (c.facts.errors == 0 && !c.facts.stopped()) as u32;
    }
    assert!(compiled > 400, "only {compiled} programs compile");
}

#[test]
fn snapshot_after_the_last_pass_is_the_optimized_code() {
    for level in [OptLevel::Local, OptLevel::Whole] {
        for (name, text) in all().take(100) {
            let c = twins::compile_at(level, &text, Stage::Emit);
            if c.ir.op.is_empty() {
                continue;
            }
            let all = optimize::snapshots(&c);
            let last = all.last().expect("a pass");
            assert_eq!((&last.ir, &last.routines.frame), (&c.ir, &c.executable.routines.frame), "{name}");
        }
    }
}

/// Where nobody observes the passes, level 2 runs them on each routine apart.
#[test]
fn level_2_does_not_depend_on_who_observes_the_passes() {
    let observed = |c: &Compiled| {
        let last = optimize::snapshots(c).pop().expect("the lowered code");
        (last.ir, last.routines.frame)
    };
    for seed in 0..scaled(400) {
        for text in [called::program(seed), looped::program(seed), typed::program(seed)] {
            let c = twins::compile_at(OptLevel::Whole, &text, Stage::Emit);
            assert_eq!(
                observed(&c),
                (c.ir.clone(), c.executable.routines.frame.clone()),
                "seed {seed}\n{text}"
            );
        }
    }
}

/// Tests have the same results on the code after each pass, and never take more steps.
#[test]
fn tests_agree_after_each_pass() {
    let mut forms_run = 0;
    for (name, text) in all().take(100) {
        let c = compile(&text);
        let mut before: Option<Vec<execute::Tally>> = None;
        for form in passes::forms(&c) {
            let tallies = passes::run(&c, &form, &|| false).expect("it is not cancelled");
            for (index, (old, new)) in before.iter().flatten().zip(&tallies).enumerate() {
                assert!(passes::agree(old, new), "{name}: test {index} after {}: {old:?}, {new:?}", form.name);
                assert!(
                    new.steps <= old.steps || old.last.trap != new.last.trap,
                    "{name}: test {index} after {}",
                    form.name
                );
            }
            before = Some(tallies);
            forms_run += 1;
        }
    }
    assert!(forms_run > 200, "{forms_run}");
}

#[test]
fn long_constant_and_negation_chains_are_folded() {
    let test = 5; // instructions of `test f(1) == 1`
    for (name, text) in hostile() {
        let c = compile(&text);
        assert!(c.facts.errors == 0 && !c.facts.stopped(), "{name} does not compile: {:?}", c.facts);
        let function = c.ir.op.len().saturating_sub(test);
        match name.as_str() {
            "sum of constants" | "prefixes" | "erased sums" | "erased chain" => {
                assert_eq!(function, 2, "{name}")
            }
            "brackets" | "breaks" => assert_eq!(function, 2, "{name}"),
            _ => {}
        }
    }
}

#[test]
fn code_addresses_fit_into_an_operand() {
    // Addresses and frame slots must fit in 24 bits next to an opcode.
    const { assert!(2 * (limits::TOKENS + limits::SOURCE_BYTES) < 1 << 24) };
}

#[test]
fn compiled_code_matches_its_snapshots() {
    for (name, text) in [("gcd", GCD), ("lists", LISTS), ("logic", LOGIC)] {
        let c = check(name, text);
        assert_eq!(c.facts.errors, 0, "{name}");
        let lowered = listing::page(&listing::ir(&c, &c.lowered));
        let ir = listing::page(&listing::ir(&c, &c.ir));
        let code = listing::page(&listing::bytecode(&c));
        insta::assert_snapshot!(
            name,
            format!("{text}\n--- lowered\n{lowered}\n--- optimized\n{ir}\n--- bytecode\n{code}")
        );
    }
}

const GCD: &str = "\
const LIMIT = 3 * 4;
fn gcd(a: int, b: int) -> int {
    while b != 0 { let t = a % b; a = b; b = t; }
    return a;
}
fn count(n: int) -> int {
    let c = 0;
    for i in 0..n { if i == 7 { continue; } if i > LIMIT { break; } else { c += 1; } }
    for j in 1..=0x7fffffff { c -= j; if c < -(-2147483648) { return abs(min(c, LIMIT)); } }
    while true { c += 2; if c > 1000 { return c; } }
}
test gcd(12, 18) == 6;
prop \"commutes\": a in 0..LIMIT, xs in [-1..2; 8] => gcd(a, len(xs)) == gcd(len(xs), a);
";

const LISTS: &str = "\
fn first(xs: [int; 4], i: int) -> [int] {
    let ys = xs + \"a\\n\";
    ys[i] += 1; ys[0] = xs[i]; ys[i + 1] *= ys[i];
    for y in ys[1..len(ys)] { xs += [y]; }
    for z in first([], 3) { i += z; }
    if xs == [] { return [0; 8]; }
    return first(xs, i)[0..1] + [len(first(xs, 0)), first(xs, 1)[2]];
}
test first([1, 2,], 0) != [] && len(\"abc\") == 3;
";

const LOGIC: &str = "\
fn f(a: bool, b: bool, x: int) -> bool {
    if !(a && !b) || x * 0 == 1 { return a && b || x < 3; }
    if a && true { x = 0 - x; }
    if false && b { x = 1; } else if !(x < 2) { return !!a == true; }
    return (int(a || b) == 1) != false && !(x + 0 == 1 * x);
}
test f(true, false, 1 + 2 * 3);
";
