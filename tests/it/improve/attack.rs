//! Attacks on what was learned: independent inputs, on the second machine.

use crate::common::attack::Claim;
use crate::common::cases::programs;
use crate::common::compile::compile_at;
use crate::common::extent::{one_in, scaled};
use crate::common::reference::{End, call};
use crate::common::rng::Rng;
use myriad::compiler::program::{Compiled, Executable};
use myriad::compiler::stage::optimize::learned::rule::{
    CONSTANTS, Constant, Operand, Rule, RulePiece, SLOTS, heights,
};
use myriad::compiler::stage::optimize::learned::{Learned, SHIPPED, read_rules};
use myriad::lang::index::{Index, RoutineId};
use myriad::lang::level::OptLevel;
use myriad::lang::opcode::{Op, Shape, word};
use myriad::lang::ty::Type;
use myriad::learned::improve::learn;

/// Operands below a window.
const BELOW: usize = 6;

/// A function that runs a window on its arguments and returns all that is left: operands, variables that are read later,
/// and whether the window jumped.
fn program(pieces: &[RulePiece], dead: &[u8], constants: [u32; CONSTANTS.len()]) -> Executable {
    let mut words: Vec<u32> = Vec::new();
    let slots = SLOTS.len() as u32;
    words.extend((0..BELOW as u32).map(|k| word(Op::LoadVar, slots + k)));
    let constant = |words: &mut Vec<u32>, value: u32| words.extend([word(Op::LoadConstWide, 0), value]);
    let (mut height, mut jump) = (BELOW as i32, None);
    for piece in pieces {
        match &piece.operand {
            Operand::None => words.push(word(piece.op, 0)),
            Operand::Slot(slot) => words.push(word(piece.op, u32::from(*slot))),
            Operand::Constant(own) => {
                constant(&mut words, own.value(&constants.map(Some)).expect("a constant"));
            }
            Operand::Target => {
                jump = Some(words.len());
                words.push(0);
            }
        }
    }
    height += heights(pieces).1.last().copied().unwrap_or(0);
    constant(&mut words, 0);
    if let Some(at) = jump {
        words.push(word(Op::Jump, words.len() as u32 + 3));
        words[at] = word(pieces.last().expect("a jump").op, words.len() as u32);
        constant(&mut words, 1);
    }
    let alive: Vec<u32> = (0..slots).filter(|slot| !dead.contains(&(*slot as u8))).collect();
    words.extend(alive.iter().map(|slot| word(Op::LoadVar, *slot)));
    words.push(word(Op::BuildList, height as u32 + 1 + alive.len() as u32));
    words.push(word(Op::ReturnList, 64));
    let text =
        "fn f(x: int, y: int, z: int, u: int, v: int, w: int, a: int, b: int, c: int, d: int, e: int, g: int)
        -> [int; 64] { return [x, y, z, u, v, w, a, b, c, d, e, g]; }";
    let compiled: Compiled = compile_at(OptLevel::Lowered, text);
    assert!(compiled.facts.compiles());
    assert!(Type(compiled.executable.routines.result[0]).is_list());
    let mut own = compiled.executable;
    own.routines.address[0] = 0;
    own.code.word = words;
    own
}

/// Runs both windows of a rule on random values. Returns the number of runs.
fn attack(rule: &Rule, inputs: u64, rng: &mut Rng) -> u64 {
    let mut draw = || match rng.below(4) {
        0 => rng.below(6) as u32,
        1 => (rng.below(6) as u32).wrapping_neg(),
        2 => [i32::MIN as u32, i32::MAX as u32, 31, 32, 255, 0xffff][rng.below(6)],
        _ => rng.next() as u32,
    };
    let mut runs = 0;
    for _ in 0..inputs.div_ceil(16) {
        let constants = std::array::from_fn(|_| draw());
        let [own, new] =
            [&rule.pattern, &rule.replacement].map(|window| program(window, &rule.dead, constants));
        for _ in 0..16 {
            let words: Vec<u32> = (0..SLOTS.len() + BELOW).map(|_| draw()).collect();
            let [a, b] = [&own, &new].map(|program| call(program, RoutineId::new(0), &words, 1_000).0);
            assert_eq!(a, b, "{rule} on {words:?} with {constants:?}");
            assert!(!matches!(a, End::OutOfSteps));
            runs += 1;
        }
    }
    runs
}

#[test]
fn shipped_rules_withstand_independent_inputs() {
    let (mut rng, mut runs) = (Rng::new(38), 0);
    for rule in read_rules(SHIPPED).map(|rule| rule.expect("a rule")) {
        runs += attack(&rule, scaled(1_000), &mut rng);
    }
    println!("{runs} runs of rules");
}

/// The attack notices a wrong rule.
#[test]
fn wrong_rule_falls_to_the_attack() {
    let wrong =
        Rule::read("r: LOAD_CONST 2; BINARY_MOD; UNARY_NOT => LOAD_CONST 1; BINARY_AND").expect("a rule");
    let mut falls = || attack(&wrong, 1_000, &mut Rng::new(1));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(&mut falls)).is_err());
    assert!(matches!(wrong.pattern[0].operand, Operand::Constant(Constant::Value(2))));
    assert_eq!(Op::LoadConstWide.shape(), Shape::Wide);
}

#[test]
fn learned_functions_withstand_independent_inputs() {
    let (mut functions, mut attacked) = (0, crate::common::attack::Attacked::default());
    let learned = Learned::shipped();
    for (name, text) in one_in(6, programs(&["samples", "tests/learned"])) {
        let base = compile_at(OptLevel::Whole, &text);
        if !base.facts.compiles() {
            continue;
        }
        for function in base.functions() {
            let outcome = learn(&base, function, &learned, None, &|| false).expect("not cancelled");
            let Some(entry) = outcome.entry() else { continue };
            let mut own = learned.clone();
            own.functions.insert(entry.key, entry.code.clone().into());
            let better = super::compile_with(&own, &text);
            let claim = Claim {
                base: &base,
                function,
                other: &better.executable,
                other_function: function,
                is_mutant: false,
            };
            let of = base.function_name(function);
            attacked += claim.attack(scaled(20_000) as u32).unwrap_or_else(|why| panic!("{name}: {of}: {why}"));
            functions += 1;
        }
    }
    println!("{functions} functions, {attacked:?}");
}
