//! The stack machine.
//!
//! Memory is one array of words for frames and operands, as in the shader, so that what counts as memory is the same
//! to the word. Its length is a power of two and every index is masked: no check can fail, and none costs a branch.

use crate::lang::fault::Fault;
use crate::lang::limits::{CALL_DEPTH, CAPACITY, STACK_WORDS};
use crate::lang::opcode::Op;
use crate::lang::trap::Trap;
use crate::lang::{NONE, limits::PARAMS};
use crate::program::Executable;

const WORDS: usize = STACK_WORDS as usize;
const MASK: usize = WORDS - 1;
type Memory = [u32; WORDS];

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub trap: Trap,
    /// The value; of a list its length; 0 after a trap.
    pub value: u32,
    /// Instructions executed, a trapping one included.
    pub steps: u32,
    /// Address of the instruction that trapped, or `NONE`.
    pub address: u32,
}

/// What a call needs of a routine, side by side.
#[derive(Clone, Copy)]
struct Callee {
    address: u32,
    frame: u32,
    params: u32,
    /// Whether any parameter is a list.
    lists: bool,
    caps: [u8; PARAMS],
}

#[derive(Clone, Copy, Default)]
struct Call {
    pc: usize,
    fp: usize,
}

/// Memory for one run at a time.
pub struct Machine {
    memory: Box<Memory>,
    calls: Box<[Call; CALL_DEPTH as usize]>,
    callees: Vec<Callee>,
    sp: usize,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine {
            memory: Box::new([0; WORDS]),
            calls: Box::new([Call::default(); CALL_DEPTH as usize]),
            callees: Vec::new(),
            sp: 0,
        }
    }
}

/// What may go wrong in the steps of a run. Where nothing can, none of it is compiled.
pub trait Faults {
    const ON: bool;
    /// Whether this step, counted from 1, is struck: how, and a random word that decides the rest.
    fn at(&mut self, step: u32) -> Option<(Fault, u32)>;
    /// Notes that a fault struck the instruction at an address.
    fn struck(&mut self, fault: Fault, address: usize);
}

/// A machine that does as it is told.
struct Faultless;

impl Faults for Faultless {
    const ON: bool = false;
    fn at(&mut self, _: u32) -> Option<(Fault, u32)> {
        None
    }
    fn struck(&mut self, _: Fault, _: usize) {}
}

/// Where a run ended; the rest of its record is known outside the loop.
struct End {
    trap: Trap,
    value: u32,
    address: usize,
}

impl Machine {
    /// Bytes that it takes, as allocated.
    pub fn bytes(&self) -> u64 {
        let callees = self.callees.capacity() * size_of::<Callee>();
        (size_of_val(&*self.memory) + size_of_val(&*self.calls) + callees) as u64
    }

    /// Makes a program's routines known. To be called before its runs.
    pub fn load(&mut self, program: &Executable) {
        let r = &program.routines;
        self.callees.clear();
        self.callees.extend((0..r.token.len()).map(|i| {
            let mut caps = [0; PARAMS];
            for (group, word) in [r.caps0[i], r.caps1[i], r.caps2[i], r.caps3[i]].into_iter().enumerate() {
                caps[4 * group..][..4].copy_from_slice(&word.to_le_bytes());
            }
            let lists = caps.iter().any(|c| *c != 0);
            Callee { address: r.address[i], frame: r.frame[i], params: r.params[i], lists, caps }
        }));
    }

    /// The words where a run's frame will begin: its input is to be written here.
    pub fn frame(&mut self) -> &mut [u32] {
        &mut self.memory[..]
    }

    /// The operand stack as the last run left it, the top last.
    pub fn operands(&self) -> &[u32] {
        &self.memory[..self.sp.min(WORDS)]
    }

    /// Runs a routine of the program last loaded, its arguments being in [`Self::frame`]. `depth` calls count as active already.
    pub fn run(&mut self, program: &Executable, routine: u32, fuel: u32, depth: u32) -> Record {
        self.run_with(program, routine, fuel, depth, &mut Faultless)
    }

    /// The same with faults. What the frame holds beside the arguments must be 0 then.
    pub fn run_with<F: Faults>(
        &mut self,
        program: &Executable,
        routine: u32,
        fuel: u32,
        depth: u32,
        faults: &mut F,
    ) -> Record {
        let Some(callee) = self.callees.get(routine as usize).copied() else {
            return Record { trap: Trap::None, value: 0, steps: 0, address: NONE };
        };
        if callee.frame > STACK_WORDS {
            return Record { trap: Trap::OutOfMemory, value: 0, steps: 0, address: callee.address };
        }
        let mut left = fuel;
        let end = self.steps(&program.code.word, callee, &mut left, depth as usize, faults);
        let address = if end.trap == Trap::None { NONE } else { end.address as u32 };
        Record { trap: end.trap, value: end.value, steps: fuel - left, address }
    }

    fn steps<F: Faults>(
        &mut self,
        code: &[u32],
        start: Callee,
        fuel: &mut u32,
        bottom: usize,
        faults: &mut F,
    ) -> End {
        let m = &mut *self.memory;
        let mut pc = start.address as usize;
        let mut fp = 0usize;
        let mut sp = start.frame as usize;
        let mut depth = bottom;
        let mut left = *fuel;
        let mut word: u32;

        macro_rules! end {
            ($trap:ident) => {{
                *fuel = left;
                self.sp = sp;
                return End { trap: Trap::$trap, value: 0, address: pc };
            }};
            (value $value:expr) => {{
                let value = $value;
                *fuel = left;
                self.sp = sp;
                return End { trap: Trap::None, value, address: pc };
            }};
        }
        // The operand of an instruction, and its second word.
        macro_rules! operand {
            () => {
                (word >> 8) as usize
            };
        }
        macro_rules! second {
            () => {
                code.get(pc + 1).copied().unwrap_or(0)
            };
        }
        macro_rules! at {
            ($index:expr) => {
                m[($index) & MASK]
            };
        }
        macro_rules! var {
            ($offset:expr) => {
                m[(fp + operand!() + $offset) & MASK]
            };
        }
        macro_rules! room {
            ($top:expr) => {
                if $top > WORDS {
                    end!(OutOfMemory)
                }
            };
        }
        macro_rules! push {
            ($value:expr) => {{
                let value = $value;
                room!(sp + 1);
                at!(sp) = value;
                sp += 1;
            }};
        }
        macro_rules! unary {
            (|$a:ident| $value:expr) => {{
                let $a = at!(sp.wrapping_sub(1)) as i32;
                at!(sp.wrapping_sub(1)) = ($value) as u32;
                pc += 1;
            }};
        }
        macro_rules! binary {
            (|$a:ident, $b:ident| $value:expr) => {{
                let $b = at!(sp.wrapping_sub(1)) as i32;
                let $a = at!(sp.wrapping_sub(2)) as i32;
                at!(sp.wrapping_sub(2)) = ($value) as u32;
                sp = sp.wrapping_sub(1);
                pc += 1;
            }};
        }
        macro_rules! divide {
            (|$a:ident, $b:ident| $value:expr) => {{
                if at!(sp.wrapping_sub(1)) == 0 {
                    end!(DivideByZero)
                }
                binary!(|$a, $b| $value)
            }};
        }
        macro_rules! lists_equal {
            ($wanted:expr) => {{
                let (a, b) = two_lists(m, sp);
                let equal = same(m, a, b, sp);
                at!(a) = u32::from(equal == $wanted);
                sp = a + 1;
                pc += 1;
            }};
        }

        loop {
            if left == 0 {
                end!(StepLimit)
            }
            left -= 1;
            let Some(&next) = code.get(pc) else { end!(None) };
            word = next;
            // What is added to the word that this step leaves.
            let mut off = 0u32;
            if F::ON
                && let Some((fault, random)) = faults.at(*fuel - left)
            {
                let op = Op::from_u32(word & 0xff).unwrap_or(Op::Nop);
                let exposure = op.exposure();
                let (bit, which) = (1 << (random & 31), (random >> 5) as usize);
                match fault {
                    Fault::Flipped => {
                        let length = at!(sp.wrapping_sub(1)) as usize;
                        let place = if exposure.operands > 0 {
                            Some(sp.wrapping_sub(1 + which % exposure.operands as usize))
                        } else if exposure.variable {
                            Some(fp + operand!())
                        } else {
                            (exposure.elements && length > 0).then(|| sp.wrapping_sub(2 + which % length))
                        };
                        if let Some(place) = place {
                            faults.struck(fault, pc);
                            at!(place) ^= bit;
                        }
                    }
                    Fault::Lost => {
                        if let Some(growth) = exposure.lost {
                            faults.struck(fault, pc);
                            if growth > 0 {
                                push!(0);
                            } else {
                                sp = sp.wrapping_sub(growth.unsigned_abs() as usize);
                            }
                            pc += op.shape().words() as usize;
                            continue;
                        }
                    }
                    Fault::Perturbed => {
                        if exposure.perturbed {
                            faults.struck(fault, pc);
                            off = [1, 2, 1u32.wrapping_neg(), 2u32.wrapping_neg()][(random & 3) as usize];
                        }
                    }
                }
            }
            match word & 0xff {
                LOAD_CONST => {
                    push!(((word as i32) >> 8) as u32);
                    pc += 1;
                }
                LOAD_CONST_WIDE => {
                    push!(second!());
                    pc += 2;
                }
                LOAD_VAR | LIST_LEN_VAR => {
                    push!(var!(0));
                    pc += 1;
                }
                STORE_VAR => {
                    sp = sp.wrapping_sub(1);
                    var!(0) = at!(sp);
                    pc += 1;
                }
                LOAD_LIST => {
                    let length = var!(0) as usize;
                    room!(sp + length + 1);
                    shift(m, fp + operand!() + 1, sp, length);
                    sp += length;
                    at!(sp) = length as u32;
                    sp += 1;
                    pc += 1;
                }
                STORE_LIST => {
                    let length = at!(sp.wrapping_sub(1));
                    if length > second!() {
                        end!(CapacityExceeded)
                    }
                    sp = sp.wrapping_sub(1 + length as usize);
                    var!(0) = length;
                    shift(m, sp, fp + operand!() + 1, length as usize);
                    pc += 2;
                }
                DUP => {
                    push!(at!(sp.wrapping_sub(1)));
                    pc += 1;
                }
                ADD => binary!(|a, b| a.wrapping_add(b)),
                SUB => binary!(|a, b| a.wrapping_sub(b)),
                MUL => binary!(|a, b| a.wrapping_mul(b)),
                DIV => divide!(|a, b| a.wrapping_div(b)),
                MOD => divide!(|a, b| a.wrapping_rem(b)),
                AND => binary!(|a, b| a & b),
                OR => binary!(|a, b| a | b),
                XOR => binary!(|a, b| a ^ b),
                SHL => binary!(|a, b| a.wrapping_shl(b as u32)),
                SHR => binary!(|a, b| a.wrapping_shr(b as u32)),
                EQ => binary!(|a, b| a == b),
                NE => binary!(|a, b| a != b),
                LT => binary!(|a, b| a < b),
                LE => binary!(|a, b| a <= b),
                GT => binary!(|a, b| a > b),
                GE => binary!(|a, b| a >= b),
                LIST_EQ => lists_equal!(true),
                LIST_NE => lists_equal!(false),
                NEG => unary!(|a| a.wrapping_neg()),
                INVERT => unary!(|a| !a),
                NOT => unary!(|a| a == 0),
                ABS => unary!(|a| a.wrapping_abs()),
                MIN => binary!(|a, b| a.min(b)),
                MAX => binary!(|a, b| a.max(b)),
                JUMP => pc = operand!(),
                JUMP_IF_FALSE => {
                    sp = sp.wrapping_sub(1);
                    pc = if at!(sp) == 0 { operand!() } else { pc + 1 };
                }
                JUMP_IF_TRUE => {
                    sp = sp.wrapping_sub(1);
                    pc = if at!(sp) != 0 { operand!() } else { pc + 1 };
                }
                JUMP_IF_FALSE_OR_POP => {
                    if at!(sp.wrapping_sub(1)) == 0 {
                        pc = operand!();
                    } else {
                        sp = sp.wrapping_sub(1);
                        pc += 1;
                    }
                }
                JUMP_IF_TRUE_OR_POP => {
                    if at!(sp.wrapping_sub(1)) != 0 {
                        pc = operand!();
                    } else {
                        sp = sp.wrapping_sub(1);
                        pc += 1;
                    }
                }
                BUILD_LIST => {
                    push!(operand!() as u32);
                    pc += 1;
                }
                REPEAT_LIST => {
                    let count = operand!();
                    room!(sp + count);
                    let value = at!(sp.wrapping_sub(1));
                    for i in 1..count {
                        at!(sp - 1 + i) = value;
                    }
                    sp = sp.wrapping_sub(1) + count;
                    at!(sp) = count as u32;
                    sp += 1;
                    pc += 1;
                }
                JOIN_LIST => {
                    let (_, b) = two_lists(m, sp);
                    let (first, second) = (at!(b.wrapping_sub(1)), at!(sp.wrapping_sub(1)));
                    if first.saturating_add(second) > CAPACITY {
                        end!(CapacityExceeded)
                    }
                    shift(m, b, b.wrapping_sub(1), second as usize);
                    sp = sp.wrapping_sub(1);
                    at!(sp.wrapping_sub(1)) = first + second;
                    pc += 1;
                }
                LOAD_INDEX => {
                    let index = at!(sp.wrapping_sub(1));
                    let length = at!(sp.wrapping_sub(2));
                    if index >= length {
                        end!(IndexOutOfBounds)
                    }
                    let list = sp.wrapping_sub(2 + length as usize);
                    at!(list) = at!(list.wrapping_add(index as usize));
                    sp = list.wrapping_add(1);
                    pc += 1;
                }
                LOAD_INDEX_VAR => {
                    let index = at!(sp.wrapping_sub(1));
                    if index >= var!(0) {
                        end!(IndexOutOfBounds)
                    }
                    at!(sp.wrapping_sub(1)) = var!(1 + index as usize);
                    pc += 1;
                }
                STORE_INDEX => {
                    let index = at!(sp.wrapping_sub(2));
                    if index >= var!(0) {
                        end!(IndexOutOfBounds)
                    }
                    var!(1 + index as usize) = at!(sp.wrapping_sub(1));
                    sp = sp.wrapping_sub(2);
                    pc += 1;
                }
                SLICE => {
                    let (from, to) = (at!(sp.wrapping_sub(2)), at!(sp.wrapping_sub(1)));
                    let length = at!(sp.wrapping_sub(3));
                    if from > to || to > length {
                        end!(IndexOutOfBounds)
                    }
                    let list = sp.wrapping_sub(3 + length as usize);
                    let count = (to - from) as usize;
                    shift(m, list.wrapping_add(from as usize), list, count);
                    sp = list.wrapping_add(count);
                    at!(sp) = count as u32;
                    sp = sp.wrapping_add(1);
                    pc += 1;
                }
                SLICE_VAR => {
                    let (from, to) = (at!(sp.wrapping_sub(2)), at!(sp.wrapping_sub(1)));
                    if from > to || to > var!(0) {
                        end!(IndexOutOfBounds)
                    }
                    let count = (to - from) as usize;
                    room!(sp + count - 1);
                    sp = sp.wrapping_sub(2);
                    shift(m, fp + operand!() + 1 + from as usize, sp, count);
                    sp = sp.wrapping_add(count);
                    at!(sp) = count as u32;
                    sp = sp.wrapping_add(1);
                    pc += 1;
                }
                LIST_LEN => {
                    let length = at!(sp.wrapping_sub(1));
                    sp = sp.wrapping_sub(length as usize);
                    at!(sp.wrapping_sub(1)) = length;
                    pc += 1;
                }
                RANGE_ITER => {
                    sp = sp.wrapping_sub(2);
                    let (a, b) = (at!(sp), at!(sp.wrapping_add(1)));
                    var!(1) = a;
                    var!(2) = if (a as i32) < (b as i32) { b.wrapping_sub(a) } else { 0 };
                    pc += 1;
                }
                RANGE_ITER_INCLUSIVE => {
                    sp = sp.wrapping_sub(2);
                    let (a, b) = (at!(sp), at!(sp.wrapping_add(1)));
                    var!(1) = a;
                    var!(2) = if (a as i32) <= (b as i32) { b.wrapping_sub(a).saturating_add(1) } else { 0 };
                    pc += 1;
                }
                FOR_RANGE => {
                    let iterations = var!(2);
                    if iterations == 0 {
                        pc = second!() as usize;
                    } else {
                        let next = var!(1);
                        var!(0) = next;
                        var!(1) = next.wrapping_add(1);
                        var!(2) = iterations - 1;
                        pc += 2;
                    }
                }
                LIST_ITER => {
                    let length = at!(sp.wrapping_sub(1));
                    if length > second!() {
                        end!(CapacityExceeded)
                    }
                    sp = sp.wrapping_sub(1 + length as usize);
                    var!(1) = 0;
                    var!(2) = length;
                    shift(m, sp, fp + operand!() + 3, length as usize);
                    pc += 2;
                }
                FOR_LIST => {
                    let index = var!(1);
                    if index == var!(2) {
                        pc = second!() as usize;
                    } else {
                        var!(0) = var!(3 + index as usize);
                        var!(1) = index.wrapping_add(1);
                        pc += 2;
                    }
                }
                CALL => {
                    if depth >= CALL_DEPTH as usize {
                        end!(RecursionTooDeep)
                    }
                    let Some(callee) = self.callees.get(operand!()) else { end!(None) };
                    let frame = callee.frame as usize;
                    let base = if callee.lists {
                        match place_arguments(m, sp, callee) {
                            Ok(base) => base,
                            Err(Trap::OutOfMemory) => end!(OutOfMemory),
                            Err(_) => end!(CapacityExceeded),
                        }
                    } else {
                        let base = sp.wrapping_sub(callee.params as usize);
                        room!(base.wrapping_add(frame));
                        base
                    };
                    if F::ON {
                        let caps = &callee.caps[..(callee.params as usize).min(PARAMS)];
                        let places: usize = caps.iter().map(|cap| 1 + usize::from(*cap)).sum();
                        if let Some(rest) = m.get_mut(base + places..base + frame) {
                            rest.fill(0);
                        }
                    }
                    self.calls[depth] = Call { pc: pc + 1, fp };
                    depth += 1;
                    fp = base;
                    sp = base + frame;
                    pc = callee.address as usize;
                }
                RETURN => {
                    let value = at!(sp.wrapping_sub(1));
                    if depth == bottom {
                        end!(value value)
                    }
                    depth -= 1;
                    sp = fp + 1;
                    at!(fp) = value;
                    Call { pc, fp } = self.calls[depth];
                }
                RETURN_LIST => {
                    let length = at!(sp.wrapping_sub(1));
                    if length > operand!() as u32 {
                        end!(CapacityExceeded)
                    }
                    shift(m, sp.wrapping_sub(1 + length as usize), fp, length as usize);
                    if depth == bottom {
                        end!(value length)
                    }
                    depth -= 1;
                    sp = fp + length as usize;
                    at!(sp) = length;
                    sp += 1;
                    Call { pc, fp } = self.calls[depth];
                }
                _ => pc += 1,
            }
            if F::ON && off != 0 {
                let left_at = if word & 0xff == STORE_VAR { fp + operand!() } else { sp.wrapping_sub(1) };
                at!(left_at) = at!(left_at).wrapping_add(off);
            }
        }
    }
}

/// Moves words within the memory; overlapping is allowed.
fn shift(m: &mut Memory, from: usize, to: usize, count: usize) {
    if from.saturating_add(count) <= WORDS && to.saturating_add(count) <= WORDS {
        m.copy_within(from..from + count, to);
    }
}

/// Where the elements of the two lists on top of the stack begin.
fn two_lists(m: &Memory, sp: usize) -> (usize, usize) {
    let b = sp.wrapping_sub(1 + m[sp.wrapping_sub(1) & MASK] as usize);
    let a = b.wrapping_sub(1 + m[b.wrapping_sub(1) & MASK] as usize);
    (a, b)
}

/// Whether two lists on top of the stack, whose elements begin at `a` and `b`, are equal.
fn same(m: &Memory, a: usize, b: usize, sp: usize) -> bool {
    match (m.get(a..b.wrapping_sub(1)), m.get(b..sp.wrapping_sub(1))) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

/// Moves a call's arguments, lists among them, to their places in the new frame, and returns where that begins.
fn place_arguments(m: &mut Memory, sp: usize, callee: &Callee) -> Result<usize, Trap> {
    let caps = &callee.caps[..(callee.params as usize).min(PARAMS)];
    let mut base = sp;
    for capacity in caps.iter().rev() {
        base = base.wrapping_sub(1);
        if *capacity != 0 {
            let length = m[base & MASK];
            if length > u32::from(*capacity) {
                return Err(Trap::CapacityExceeded);
            }
            base = base.wrapping_sub(length as usize);
        }
    }
    if base.wrapping_add(callee.frame as usize) > WORDS {
        return Err(Trap::OutOfMemory);
    }
    let mut to = base + caps.iter().map(|c| 1 + usize::from(*c)).sum::<usize>();
    let mut from = sp;
    for capacity in caps.iter().rev() {
        to -= 1 + usize::from(*capacity);
        from = from.wrapping_sub(1);
        if *capacity == 0 {
            m[to & MASK] = m[from & MASK];
        } else {
            let length = m[from & MASK];
            from = from.wrapping_sub(length as usize);
            shift(m, from, to + 1, length as usize);
            m[to & MASK] = length;
        }
    }
    Ok(base)
}

/// The opcodes as patterns.
macro_rules! patterns {
    ($($name:ident = $op:ident,)*) => { $(const $name: u32 = Op::$op as u32;)* };
}
patterns! {
    LOAD_CONST = LoadConst, LOAD_CONST_WIDE = LoadConstWide, LOAD_VAR = LoadVar, STORE_VAR = StoreVar,
    LOAD_LIST = LoadList, STORE_LIST = StoreList, DUP = Dup, ADD = Add, SUB = Sub, MUL = Mul, DIV = Div, MOD = Mod,
    AND = And, OR = Or, XOR = Xor, SHL = Shl, SHR = Shr, EQ = Eq, NE = Ne, LT = Lt, LE = Le, GT = Gt, GE = Ge,
    LIST_EQ = ListEq, LIST_NE = ListNe, NEG = Neg, INVERT = Invert, NOT = Not, ABS = Abs, MIN = Min, MAX = Max,
    JUMP = Jump, JUMP_IF_FALSE = JumpIfFalse, JUMP_IF_TRUE = JumpIfTrue, JUMP_IF_FALSE_OR_POP = JumpIfFalseOrPop,
    JUMP_IF_TRUE_OR_POP = JumpIfTrueOrPop, BUILD_LIST = BuildList, REPEAT_LIST = RepeatList, JOIN_LIST = JoinList,
    LOAD_INDEX = LoadIndex, LOAD_INDEX_VAR = LoadIndexVar, STORE_INDEX = StoreIndex, SLICE = Slice,
    SLICE_VAR = SliceVar, LIST_LEN = ListLen, LIST_LEN_VAR = ListLenVar, RANGE_ITER = RangeIter,
    RANGE_ITER_INCLUSIVE = RangeIterInclusive, LIST_ITER = ListIter, FOR_RANGE = ForRange, FOR_LIST = ForList,
    CALL = Call, RETURN = Return, RETURN_LIST = ReturnList,
}
