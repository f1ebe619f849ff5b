//! Facts of data flow hold in every run: programs run step by step, and wherever a block begins, its facts are compared
//! with the memory. Available values are computed again, by the machine, from that memory.

use crate::common::compile::compile_at;
use crate::common::extent::{one_in, scaled};
use crate::common::{called, twins, typed};
use crate::levels_exact::{arguments, words};
use myriad::compiler::program::{Compiled, Instructions};
use myriad::compiler::stage::execute::{Continuation, Domain, Machine, RunObserver, Start, StepState};
use myriad::compiler::stage::flow::{self, Flow};
use myriad::lang::index::{Address, Index, InputId, RoutineId};
use myriad::lang::level::OptLevel;
use myriad::lang::opcode::Op;
use myriad::lang::{NONE, limits};
use std::collections::HashMap;

/// Inputs of each routine, and steps of each run.
const INPUTS: u32 = 6;
const FUEL: u32 = 4_000;
/// Calls of at most this many steps are repeated to compare their values.
const STEPS: u32 = 300;

/// A program with its facts.
struct Subject {
    compiled: Compiled,
    flow: Flow,
    /// By address: the instruction.
    instruction: Vec<usize>,
    /// By instruction: its address.
    address: Vec<usize>,
}

impl Subject {
    fn new(text: &str, level: OptLevel) -> Subject {
        let compiled = compile_at(level, text);
        let mut flow = Flow::default();
        let (ir, routines) = (&compiled.ir, &compiled.executable.routines);
        flow::run(ir, routines, &mut flow, &mut flow::FlowScratch::default());
        let words = &compiled.executable.code.word;
        let mut instruction = vec![usize::MAX; words.len()];
        let mut address = vec![usize::MAX; ir.op.len()];
        let emitted = (0..ir.op.len()).filter(|i| ir.op[*i] != Op::Nop as u32);
        for (i, word) in emitted.zip(Instructions::of(words)) {
            (instruction[word.at], address[i]) = (i, word.at);
        }
        Subject { compiled, flow, instruction, address }
    }
}

/// A value that an activation has computed.
#[derive(Clone)]
struct Computed {
    words: Vec<u32>,
    steps: u32,
}

/// The state of an active call.
#[derive(Default)]
struct Activation {
    /// By instruction: the step at which it was executed last, and the words of memory then.
    began: HashMap<usize, (u32, usize)>,
    /// The value that the last instruction pushes, and the instruction at which its code begins.
    pending: Option<(u32, usize)>,
    computed: HashMap<u32, Computed>,
}

/// How many facts were compared.
#[derive(Debug, Default)]
struct Counts {
    constants: u64,
    copies: u64,
    bounds: u64,
    bits: u64,
    values: u64,
}

struct Checker<'a> {
    of: &'a Subject,
    bottom: usize,
    active: Vec<Activation>,
    machine: Machine,
    counts: &'a mut Counts,
}

impl RunObserver for Checker<'_> {
    const STEPS: bool = true;

    fn step(&mut self, now: StepState) {
        let (number, i) = (FUEL - now.left, self.of.instruction[now.pc]);
        self.active.truncate(now.depth - self.bottom + 1);
        while self.active.len() <= now.depth - self.bottom {
            self.active.push(Activation::default());
        }
        let own = self.active.last_mut().expect("an active call");
        if let Some((value, begin)) = own.pending.take() {
            let (step, sp) = own.began[&begin];
            own.computed.insert(value, Computed { words: now.words()[sp..].to_vec(), steps: number - step });
        }
        let block = self.of.compiled.ir.block[i] as usize;
        if self.of.flow.blocks.first[block] as usize == i {
            self.check(block, now);
        }
        let own = self.active.last_mut().expect("an active call");
        own.began.insert(i, (number, now.sp));
        let value = self.of.flow.numbers.value[i];
        if value != NONE {
            let routine = self.of.flow.blocks.routine[block] as usize;
            let row = (self.of.flow.value_spans.value[routine] + value) as usize;
            let length = self.of.flow.values.end[row] - self.of.flow.values.begin[row];
            // The elements of a constant list follow the instruction that pushes it.
            let is_list = self.of.compiled.ir.op[i] == Op::LoadListConst as u32;
            own.pending = Some((value, if is_list { i } else { i + 1 - length as usize }));
        }
    }
}

impl Checker<'_> {
    fn check(&mut self, block: usize, now: StepState) {
        let Subject { compiled, flow, .. } = self.of;
        let routine = flow.blocks.routine[block] as usize;
        let frame = &now.words()[now.fp..];
        let at = || format!("block {block} of\n{}\n{:?}", compiled.text, compiled.ir);
        assert_eq!((flow.arrivals.constants[block], flow.arrivals.ranges[block]), (1, 1), "{}", at());
        let variables = flow.spans.variables(routine);
        let slots = &flow.variables.slot[variables.clone()];
        let begin =
            flow.cells.first[routine] as usize + (block - flow.spans.block[routine] as usize) * variables.len();
        for (variable, slot) in slots.iter().enumerate() {
            let (row, word) = (begin + variable, frame[*slot as usize]);
            if flow.constants.known[row] == 1 {
                assert_eq!(flow.constants.value[row], word, "slot {slot} in {}", at());
                self.counts.constants += 1;
            }
            let same = flow.constants.same[row] as usize;
            if same != variable {
                let other = &frame[slots[same] as usize..];
                assert_eq!(other[0], word, "slot {slot} equals {} in {}", slots[same], at());
                if self.is_list(routine, variable) && self.is_list(routine, same) {
                    let length = word as usize;
                    assert_eq!(other[1..=length], frame[*slot as usize + 1..][..length], "{}", at());
                }
                self.counts.copies += 1;
            }
            let range = flow.ranges.at(row);
            assert!(range.contains(word as i32), "slot {slot} is {} in {range:?}: {}", word as i32, at());
            self.counts.bounds += u64::from((range.lo, range.hi) != (i32::MIN, i32::MAX));
            self.counts.bits += u64::from(range.zeros | range.ones != 0);
        }
        self.check_values(routine, block, now);
    }

    /// Returns whether a variable is a list.
    fn is_list(&self, routine: usize, variable: usize) -> bool {
        let Subject { compiled, flow, .. } = self.of;
        let blocks = flow.spans.blocks(routine);
        let code = flow.blocks.first[blocks.start] as usize..flow.blocks.end[blocks.end - 1] as usize;
        let lists =
            [Op::StoreList, Op::LoadList, Op::LoadIndexVar, Op::StoreIndex, Op::ListLenVar, Op::SliceVar];
        code.into_iter().any(|i| {
            flow.accesses.variable[i] as usize == variable
                && lists.iter().any(|op| *op as u32 == compiled.ir.op[i])
        })
    }

    fn check_values(&mut self, routine: usize, block: usize, now: StepState) {
        let Subject { compiled, flow, address, .. } = self.of;
        let (first, count) =
            (flow.value_spans.value[routine] as usize, flow.value_spans.values[routine] as usize);
        let row = flow.value_spans.words[routine] as usize
            + (block - flow.spans.block[routine] as usize) * count.div_ceil(32);
        let is_available = |value: &usize| flow.available.bits[row + value / 32] >> (value % 32) & 1 == 1;
        for value in (0..count).filter(is_available) {
            let own = self.active.last().expect("an active call");
            let begin = flow.values.begin[first + value] as usize;
            let at = || format!("value {value}, from {begin}, in block {block} of\n{}", compiled.text);
            let computed = own.computed.get(&(value as u32)).unwrap_or_else(|| panic!("{}", at())).clone();
            if computed.steps > STEPS || now.sp + computed.words.len() + 200 > limits::STACK_WORDS as usize {
                continue;
            }
            let from = Continuation { pc: Address::at(address[begin]), fp: now.fp as u32 };
            self.machine.resume(&compiled.executable, from, now.words(), [], computed.steps);
            assert_eq!(self.machine.operands().get(now.sp..), Some(&computed.words[..]), "{}", at());
            self.counts.values += 1;
        }
    }
}

/// Runs all routines of a program, and compares its facts at each level.
fn check(machine: &mut Machine, text: &str, counts: &mut Counts) {
    for level in OptLevel::FIXED {
        let subject = Subject::new(text, level);
        if !subject.compiled.facts.compiles() {
            return;
        }
        for routine in subject.compiled.executable.routines().map(|routine| routine.id) {
            for input in 0..INPUTS {
                if !run(machine, &subject, routine, input, counts) {
                    break;
                }
            }
        }
    }
}

/// Runs a routine on an input. Returns false if there is no such input.
fn run(machine: &mut Machine, subject: &Subject, routine: RoutineId, input: u32, counts: &mut Counts) -> bool {
    let compiled = &subject.compiled;
    let own = &compiled.executable;
    machine.load(own);
    // Words that were not stored are arbitrary.
    machine.frame().iter_mut().zip(1u32..).for_each(|(word, n)| *word = n.wrapping_mul(0x9e37_79b9));
    let is_function = compiled.functions().contains(routine);
    if is_function {
        let arguments = arguments(compiled, routine, &words(compiled), input);
        machine.frame()[..arguments.len()].copy_from_slice(&arguments);
    } else {
        let domain = Domain::new(&own.routines, &compiled.binders, routine, limits::SAMPLES);
        if input >= domain.inputs().len() {
            return false;
        }
        domain.write(InputId::new(input), machine.frame());
    }
    let depth = u32::from(is_function);
    let start = Start { routine, fuel: FUEL, depth, origin: 0 };
    let mut again = Machine::default();
    again.load(own);
    let mut checker = Checker { of: subject, bottom: depth as usize, active: vec![], machine: again, counts };
    machine.run_before(own, start, &mut checker);
    true
}

#[test]
fn facts_hold_in_samples_and_cases() {
    let (mut machine, mut counts) = (Machine::default(), Counts::default());
    for text in one_in(2, twins::files()) {
        check(&mut machine, &text, &mut counts);
    }
    assert!(
        [counts.constants, counts.bounds, counts.bits, counts.values].iter().all(|count| *count > 40),
        "{counts:?}"
    );
}

#[test]
fn facts_hold_in_random_programs() {
    let (mut machine, mut counts) = (Machine::default(), Counts::default());
    for seed in 0..scaled(200) {
        for text in [called::program(seed), typed::program(seed)] {
            check(&mut machine, &text, &mut counts);
        }
    }
    let Counts { constants, copies, bounds, bits, values } = counts;
    assert!([constants, copies, bounds, bits, values].iter().all(|count| *count > 1_000), "{counts:?}");
}
