//! inline: replaces calls of small functions that call nothing by their code.
//!
//! A planned call has the plan `PLANNED`, with a bit for each parameter that is not stored: the callee's loads
//! of it are replaced by its argument. The callee's frame follows the caller's, unless the code needs none.
//!
//! Leaves are inlined bottom-up. Arguments move as in the beta reduction of pure terms (Peyton Jones and
//! Marlow, "Secrets of the Glasgow Haskell Compiler inliner", 2002).

use super::missed::Why;
use super::{ExpandInstruction, Scratch};
use crate::compiler::program::{Ir, Routines};
use crate::compiler::stage::lower::{target, target_mut};
use crate::lang::index::{Index, RoutineId};
use crate::lang::limits::PARAMS;
use crate::lang::opcode::{Class, Op, class, has_slot};
use crate::lang::{NONE, arithmetic};

/// The maximum number of instructions of a function that is inlined.
pub const LONGEST: usize = 40;
/// The maximum number of instructions of an argument that is moved to where it is used.
pub const ARGUMENT: usize = 16;
/// Flag of a plan: the call is replaced.
pub const PLANNED: u32 = 1 << 31;
/// Flag of a plan: the code uses no word of a frame, and no more operands than the call. So it fits in memory
/// wherever the call does.
/// Even a recursion runs out of memory no earlier then.
pub const FRAMELESS: u32 = 1 << 30;
/// The bits of a plan for parameters.
pub const MOVED: u32 = (1 << PARAMS) - 1;

/// The properties of a function as a callee.
#[derive(Clone, Copy, Default)]
struct InlineCallee {
    /// Its instructions are `first .. end`.
    first: usize,
    end: usize,
    /// Why no call of it is replaced: it is long, calls a function, or returns a list.
    refused: Option<Why>,
    /// Whether its code has a backward jump or a `for`.
    loops: bool,
    /// Whether it is one block without stores.
    is_flat: bool,
    /// Whether it uses other slots than those of its parameters.
    has_locals: bool,
    /// A bit for each parameter that it stores, and that it loads more than once.
    stored: u32,
    repeated: u32,
}

/// A parameter: its slot, and its capacity or 0.
#[derive(Clone, Copy)]
struct Parameter {
    slot: u32,
    capacity: u32,
}

/// The instructions `first ..= last` of an argument.
#[derive(Clone, Copy)]
struct Argument {
    first: usize,
    last: usize,
}

/// The calls of a program, with scratch memory kept between programs.
#[derive(Default)]
pub struct Calls {
    callees: Vec<Option<InlineCallee>>,
    planned: Vec<Planned>,
    grown: Vec<[u32; 2]>,
}

struct Planned {
    call: usize,
    plan: u32,
    /// Number of instructions that replace it.
    size: u32,
}

pub fn run(ir: &mut Ir, routines: &mut Routines, scratch: &mut Scratch) -> bool {
    let mut calls = std::mem::take(&mut scratch.calls);
    let any = calls.plan(ir, routines, scratch);
    if any {
        calls.expand(ir, routines, scratch);
        scratch.finish(ir, routines);
    }
    scratch.calls = calls;
    any
}

impl Calls {
    /// Plans calls. Returns whether any is planned.
    fn plan(&mut self, ir: &Ir, routines: &Routines, scratch: &mut Scratch) -> bool {
        let Calls { callees, planned, .. } = self;
        scratch.find_owners(ir, routines);
        callees.clear();
        callees.resize(routines.ir.len(), None);
        planned.clear();
        for call in (0..ir.op.len()).filter(|i| ir.op[*i] == Op::Call as u32) {
            let function = ir.arg[call] as usize;
            let callee =
                callees[function].get_or_insert_with(|| InlineCallee::of(ir, routines, scratch, function));
            let plan = plan_of(ir, routines, callee, call);
            if let Some(plan) = scratch.decide(ir, call, Some(plan)) {
                let moved = Moved::of(ir, routines, (call, plan));
                planned.push(Planned { call, plan, size: size(ir, routines, callee, &moved, (call, plan)) });
            }
        }
        if planned.is_empty() {
            return false;
        }
        scratch.clear_plan(ir.op.len());
        for own in planned.iter() {
            scratch.plan[own.call] = own.plan;
        }
        let mut memory = std::mem::take(&mut scratch.memory);
        memory.find(ir, routines, scratch, |i| {
            let callee = ir.arg[i] as usize;
            frame_words(routines, scratch.plan[i], callee) + scratch.operands[callee]
        });
        for own in planned.iter().filter(|own| own.plan & FRAMELESS == 0) {
            if !memory.fits[scratch.owner[own.call] as usize] {
                scratch.plan[own.call] = 0;
                scratch.miss(ir, own.call, Why::Memory);
            }
        }
        scratch.memory = memory;
        scratch.take(ir, |i| {
            let own = planned.binary_search_by_key(&i, |own| own.call).ok().map(|at| &planned[at]);
            own.map_or(0, |own| own.size.saturating_sub(1))
        })
    }

    /// Writes the new code, and adds the callees' frames to those of their callers.
    fn expand(&mut self, ir: &Ir, routines: &mut Routines, scratch: &mut Scratch) {
        let Calls { callees, planned, grown } = self;
        let callee_of = |call: usize| callees[ir.arg[call] as usize].unwrap_or_default();
        planned.retain(|own| scratch.plan[own.call] != 0);
        scratch.count_one(ir.op.len());
        for &Planned { call, plan, size } in planned.iter() {
            scratch.place[call] = size;
            let stores = stores(routines, plan, RoutineId::new(ir.arg[call]));
            scratch.inside[call] = u32::from(!callee_of(call).is_flat || stores > 0);
            for (argument, _) in Moved::of(ir, routines, (call, plan)).all() {
                scratch.place[argument.first..=argument.last].fill(0);
            }
        }
        scratch.sum_counts();
        scratch.out.clear();
        let mut done = 0;
        for &Planned { call, plan, .. } in planned.iter() {
            scratch.copy(ir, done..call);
            write(ir, routines, &callee_of(call), scratch, (call, plan));
            done = call + 1;
        }
        scratch.copy(ir, done..ir.op.len());
        grown.clear();
        grown.resize(routines.ir.len(), [0; 2]);
        for &Planned { call, plan, .. } in planned.iter() {
            let callee = ir.arg[call] as usize;
            let [frame, operands] = &mut grown[scratch.owner[call] as usize];
            *frame = frame_words(routines, plan, callee).max(*frame);
            *operands = scratch.operands[callee].max(*operands);
        }
        for (routine, [frame, operands]) in grown.iter().enumerate() {
            routines.frame[routine] += frame;
            scratch.operands[routine] += operands;
        }
    }
}

impl InlineCallee {
    fn of(ir: &Ir, routines: &Routines, scratch: &Scratch, function: usize) -> InlineCallee {
        let (first, end) = (routines.ir[function] as usize, scratch.end[function] as usize);
        let mut callee = InlineCallee { first, end, ..InlineCallee::default() };
        if end - first > LONGEST {
            callee.refused = Some(Why::LongFunction((end - first) as u32));
            return callee;
        }
        callee.is_flat = ir.op[end - 1] == Op::Return as u32;
        let mut loaded = 0;
        for i in first..end {
            let op = ir.op[i];
            match class(op) {
                // A function that calls nothing cannot reach itself, so replacing its calls ends.
                Class::Call => callee.refused = Some(Why::Calls(ir.arg[i])),
                Class::Return if op != Op::Return as u32 => {
                    callee.refused = callee.refused.or(Some(Why::ReturnsList));
                }
                Class::Return if i + 1 < end => callee.is_flat = false,
                Class::Loop => callee.loops = true,
                _ => {}
            }
            let to = target(ir, i);
            callee.loops |= to.is_some_and(|to| to.position() <= i);
            callee.is_flat &= class(op) != Class::Store && to.is_none();
            if has_slot(op) {
                callee.has_locals |= parameters(routines, function).all(|of| of.slot != ir.arg[i]);
                for (j, parameter) in parameters(routines, function).enumerate() {
                    if parameter.slot == ir.arg[i] {
                        let bit = 1 << j;
                        if matches!(class(op), Class::Store | Class::Loop) {
                            callee.stored |= bit;
                        } else {
                            callee.repeated |= loaded & bit;
                            loaded |= bit;
                        }
                    }
                }
            }
        }
        callee
    }
}

fn parameters(routines: &Routines, function: usize) -> impl Iterator<Item = Parameter> {
    let Routines { params, caps0, caps1, caps2, caps3, .. } = routines;
    let caps = [caps0, caps1, caps2, caps3].map(|caps| caps[function]);
    let mut slot = 0;
    (0..params[function]).map(move |j| {
        let capacity = caps[j as usize / 4] >> (8 * (j % 4)) & 0xff;
        let words = if capacity == 0 { 1 } else { 1 + capacity };
        slot += words;
        Parameter { slot: slot - words, capacity }
    })
}

/// Finds the arguments of a call, from the last to the first, up to one whose code is not known.
fn arguments(ir: &Ir, call: usize, params: u32) -> [Option<Argument>; PARAMS] {
    let mut all = [None; PARAMS];
    let mut end = call;
    for j in (0..params as usize).rev() {
        let Some(last) = end.checked_sub(1) else { break };
        // A jump between argument and call leaves the code of the arguments before it unknown.
        if ir.block[last] != ir.block[call] || ir.start[last] == NONE {
            break;
        }
        end = ir.start[last] as usize;
        all[j] = Some(Argument { first: end, last });
    }
    all
}

/// The arguments that a plan moves to where they are used, by parameter.
struct Moved([Option<(Argument, Parameter)>; PARAMS]);

impl Moved {
    fn of(ir: &Ir, routines: &Routines, (call, plan): (usize, u32)) -> Moved {
        let function = ir.arg[call];
        let mut moved = Moved([None; PARAMS]);
        if plan & MOVED != 0 {
            let arguments = arguments(ir, call, routines.params[function as usize]);
            for (j, parameter) in parameters(routines, function as usize).enumerate() {
                moved.0[j] = arguments[j].filter(|_| plan >> j & 1 != 0).map(|argument| (argument, parameter));
            }
        }
        moved
    }

    fn all(&self) -> impl Iterator<Item = &(Argument, Parameter)> {
        self.0.iter().flatten()
    }

    /// Returns the argument that replaces an access to a parameter.
    fn at(&self, ir: &Ir, at: usize) -> Option<(Argument, Parameter)> {
        if !has_slot(ir.op[at]) {
            return None;
        }
        self.all().find(|(_, parameter)| parameter.slot == ir.arg[at]).copied()
    }
}

/// Returns the number of arguments that a planned call stores.
fn stores(routines: &Routines, plan: u32, function: RoutineId) -> u32 {
    routines.params[function.position()] - (plan & MOVED).count_ones()
}

fn plan_of(ir: &Ir, routines: &Routines, callee: &InlineCallee, i: usize) -> Result<u32, Why> {
    let function = ir.arg[i] as usize;
    if let Some(why) = callee.refused {
        return Err(why);
    }
    let arguments = arguments(ir, i, routines.params[function]);
    let (mut plan, mut loads) = (PLANNED, true);
    for (j, (parameter, argument)) in parameters(routines, function).zip(arguments).enumerate() {
        let bit = 1 << j;
        let moves = argument.is_some_and(|argument| {
            let Argument { first, last } = argument;
            let plain = || {
                last - first < ARGUMENT
                    // Code that is copied twice or into a loop would be computed more often than before.
                    && (callee.repeated & bit == 0 && !callee.loops)
                    && ir.block[first] == ir.block[i]
                    && (first..=last).all(|at| is_pure(ir.op[at]) && ir.start[at] != NONE)
            };
            match parameter.capacity {
                0 => first == last && class(ir.op[last]) == Class::Load || plain(),
                // The list that arrives must fit: `CALL` would have checked its capacity.
                capacity => first == last && ir.op[last] == Op::LoadList as u32 && ir.aux[last] <= capacity,
            }
        });
        if moves && callee.stored & bit == 0 {
            plan |= bit;
            loads &= argument.is_some_and(|argument| argument.first == argument.last);
        }
    }
    // The call is a step less, and so is each moved argument; a return is a step, as the jump in its place.
    let (moved, stored) = ((plan & MOVED).count_ones(), stores(routines, plan, RoutineId::new(ir.arg[i])));
    if stored > 1 + moved {
        return Err(Why::Arguments);
    }
    // Without stored arguments and locals, no word of a frame is used.
    let frameless = stored == 0 && loads && !callee.has_locals;
    Ok(plan | if frameless { FRAMELESS } else { 0 })
}

/// Returns the words that a planned call adds to its routine's frame.
fn frame_words(routines: &Routines, plan: u32, callee: usize) -> u32 {
    if plan & FRAMELESS == 0 { routines.frame[callee] } else { 0 }
}

/// Whether an operation depends on its operands and variables alone, and cannot trap.
fn is_pure(op: u32) -> bool {
    matches!(class(op), Class::Load | Class::Unary | Class::Binary) && !arithmetic::may_trap(op)
}

/// Returns the number of instructions that replace the callee's instruction `at`.
fn count(ir: &Ir, callee: &InlineCallee, moved: &Moved, at: usize) -> u32 {
    if ir.op[at] == Op::Return as u32 {
        return u32::from(at + 1 < callee.end);
    }
    moved.at(ir, at).map_or(1, |(argument, _)| (argument.last - argument.first) as u32 + 1)
}

/// Returns the number of instructions that replace a planned call.
fn size(ir: &Ir, routines: &Routines, callee: &InlineCallee, moved: &Moved, (call, plan): (usize, u32)) -> u32 {
    let code: u32 = (callee.first..callee.end).map(|at| count(ir, callee, moved, at)).sum();
    stores(routines, plan, RoutineId::new(ir.arg[call])) + code
}

/// Writes the code that replaces a planned call.
fn write(ir: &Ir, routines: &Routines, callee: &InlineCallee, scratch: &mut Scratch, (i, plan): (usize, u32)) {
    let function = ir.arg[i] as usize;
    let moved = Moved::of(ir, routines, (i, plan));
    let base = routines.frame[scratch.owner[i] as usize];
    let call = ExpandInstruction { site: ir.site[i], ..ExpandInstruction::of(ir, i) };
    let all: Vec<Parameter> = parameters(routines, function).collect();
    // From the last to the first, as the last argument is on top of the stack.
    for (_, parameter) in all.iter().enumerate().rev().filter(|(j, _)| plan >> j & 1 == 0) {
        let op = if parameter.capacity == 0 { Op::StoreVar } else { Op::StoreList };
        let start = scratch.out.op.len() as u32;
        let store = ExpandInstruction {
            op: op as u32,
            arg: base + parameter.slot,
            aux: parameter.capacity,
            start,
            ..call
        };
        scratch.out.push(&store);
    }
    // New positions of the callee's instructions.
    let mut offsets = [0; LONGEST + 1];
    let mut next = scratch.out.op.len() as u32;
    for at in callee.first..callee.end {
        offsets[at - callee.first] = next;
        next += count(ir, callee, &moved, at);
    }
    let end = next;
    offsets[callee.end - callee.first] = end;
    let place = |old: u32| offsets[old as usize - callee.first];
    for at in callee.first..callee.end {
        let own = ExpandInstruction { site: call.token, ..ExpandInstruction::of(ir, at) };
        let start = if own.start == NONE { NONE } else { place(own.start) };
        if own.op == Op::Return as u32 {
            // The last return needs no jump: control falls through to the code after the call.
            if at + 1 < callee.end {
                let jump =
                    ExpandInstruction { op: Op::Jump as u32, arg: end, aux: 0, start: place(at as u32), ..own };
                scratch.out.push(&jump);
            }
            continue;
        }
        match moved.at(ir, at) {
            Some((argument, Parameter { capacity: 0, .. })) if own.op == Op::LoadVar as u32 => {
                for from in argument.first..=argument.last {
                    let own = ExpandInstruction::of(ir, from);
                    let start = place(at as u32) + own.start - argument.first as u32;
                    scratch.out.push(&ExpandInstruction { start, ..own });
                }
            }
            Some((argument, _)) => {
                let (arg, capacity) = (ir.arg[argument.last], ir.aux[argument.last]);
                let aux = if own.op == Op::LoadList as u32 { capacity } else { own.aux };
                scratch.out.push(&ExpandInstruction { arg, aux, start, ..own });
            }
            None => {
                let arg = if has_slot(own.op) { own.arg + base } else { own.arg };
                scratch.out.push(&ExpandInstruction { arg, start, ..own });
                let last = scratch.out.op.len() - 1;
                if let Some(target) = target_mut(&mut scratch.out, last) {
                    *target = place(*target);
                }
            }
        }
    }
    // Nothing is known about the value that the code leaves, unless it is one expression.
    if (!callee.is_flat || stores(routines, plan, RoutineId::new(ir.arg[i])) > 0)
        && let Some(start) = scratch.out.start.last_mut()
    {
        *start = NONE;
    }
}
