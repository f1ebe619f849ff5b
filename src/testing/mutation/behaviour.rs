//! Groups variants by behaviour on many inputs of all functions, and finds inputs that separate variants that differ.

use std::collections::HashSet;

use super::inputs;
use crate::compiler::program::{Compiled, Executable, Routine, Watch};
use crate::compiler::stage::execute::{Machine, Start};
use crate::compiler::stage::judge::hash;
use crate::lang::index::{Index, Indices, InputId, RoutineId};
use crate::lang::limits;
use crate::lang::ty::Type;
use crate::network::inputs::Arguments;
use crate::testing::decide::{
    ArgumentDomain, Choice, Given, Pool, call_words, calls_of_entries, size, smallest,
};

/// The number of inputs of each function, and of all functions together.
const INPUTS: u32 = 256;
const ALL: u32 = 4_096;
/// The number of inputs inside the domain of a function's tests.
const NEAR: usize = 512;
/// The maximum number of steps of all variants, after which no more calls of a function are tried.
const STEPS: u64 = 1 << 26;
/// The maximum steps of a call.
pub const FUEL: u32 = 4_096;
const SEED: u32 = 7;

/// Distinguishes programs by the results of their functions.
pub struct Behaviour {
    /// For each function, its inputs and whether its result is a list.
    functions: Vec<(Arguments, bool)>,
    /// The number of inputs of each function.
    inputs: u32,
    machine: Machine,
}

impl Behaviour {
    pub fn new(base: &Compiled) -> Behaviour {
        let of = |function: RoutineId| {
            let result = base.executable.routine(function).map_or(Type::UNKNOWN, Routine::result);
            (Arguments::new(base, function), result.is_list())
        };
        let functions: Vec<_> = base.functions().iter().map(of).collect();
        let inputs = INPUTS.min(ALL / functions.len().max(1) as u32);
        Behaviour { functions, inputs, machine: Machine::default() }
    }

    /// Returns a hash of the results of a program's functions.
    pub fn of(&mut self, program: &Executable) -> [u32; 2] {
        let Behaviour { functions, inputs, machine } = self;
        machine.translate(program);
        let mut given = Vec::new();
        for (function, (arguments, list)) in (0..).map(RoutineId::new).zip(functions) {
            for input in Indices::<InputId>::first(arguments.size.unwrap_or(*inputs).min(*inputs)) {
                arguments.write(SEED, input.number(), machine.frame());
                let record = machine.run(program, function, FUEL, 1);
                given.push(record.trap as u32);
                given.extend(machine.value(&record, *list).unwrap_or_default());
            }
        }
        hash(&given)
    }

    /// Returns the call that best separates some variants of `base`. Such a call is inside the domain that its tests
    /// show if possible, has results with little weight, and is small enough for a person to answer. `weigh` returns the weight of
    /// the variants' results of a call of one of `functions`, within `fuel` steps; `None` if they do not differ. Returns `None`
    /// if the work was cancelled.
    pub fn divergence(
        &mut self,
        (base, programs): (&Compiled, &[&Executable]),
        fuel: u32,
        functions: impl Fn(RoutineId) -> bool,
        weigh: &mut dyn FnMut(&BehaviourCall, &[VariantResult]) -> Option<u64>,
        watch: &dyn Watch,
    ) -> Option<SeparatingCall> {
        let mut variants = RunVariants::new(programs);
        let mut best: Option<(BehaviourKey, SeparatingCall)> = None;
        let own = (0..).map(RoutineId::new).zip(&self.functions).filter(|(function, _)| functions(*function));
        for (function, (arguments, list)) in own {
            let types = base.program().parameters(function);
            let known = calls_of_entries(base, function, &mut self.machine, watch)?;
            let domain = ArgumentDomain::new(base, &types, &known);
            let pool = Pool::new(base, function, known.clone());
            let near = domain.as_ref().map(|domain| domain.inputs(&pool)).unwrap_or_default();
            let count = arguments.size.unwrap_or(self.inputs).min(self.inputs);
            let drawn =
                Indices::<InputId>::first(count).iter().map(|input| inputs::drawn(arguments, SEED, input));
            let inside = domain.iter().flat_map(|domain| domain.some(&pool, NEAR));
            let outside = |given: &Given| domain.as_ref().is_none_or(|domain| !domain.contains(given));
            let mut own: Option<(BehaviourKey, Given)> = None;
            let mut separated = |variants: &mut RunVariants, given: &Given| {
                if watch.cancelled() {
                    return None;
                }
                let results = variants.results(function, (given, &types), *list, fuel);
                Some((weigh(&(function, given, &types), &results)?, results))
            };
            variants.steps = 0;
            for given in known.into_iter().chain(near.into_iter().take(NEAR)).chain(inside).chain(drawn) {
                if watch.cancelled() {
                    return None;
                }
                if variants.steps > STEPS {
                    break;
                }
                let Some((uneven, _)) = separated(&mut variants, &given) else { continue };
                let key = BehaviourKey {
                    outside: outside(&given),
                    cost: uneven + 2 * u64::from((size(&given) + 1).ilog2()),
                    uneven,
                };
                if own.as_ref().is_none_or(|(known, _)| key < *known) {
                    own = Some((key, given));
                }
            }
            let Some((BehaviourKey { uneven, .. }, given)) = own else { continue };
            let choice = Choice { types: &types, domain: domain.as_ref(), pool: &pool };
            let as_even = |given: &Given| {
                let found = separated(&mut variants, given)?;
                (found.0 <= uneven).then_some(found.1)
            };
            let Some((arguments, given)) = smallest(&choice, as_even, given) else { continue };
            let outside = outside(&arguments);
            let key =
                BehaviourKey { outside, cost: uneven + 2 * u64::from((size(&arguments) + 1).ilog2()), uneven };
            if best.as_ref().is_none_or(|(known, _)| key < *known) {
                let text = (0..types.len())
                    .map(|place| domain.as_ref().is_some_and(|domain| domain.is_text(place)))
                    .collect();
                best = Some((key, SeparatingCall { function, arguments, inside: !outside, text, given }));
            }
        }
        let (_, mut parting) = best?;
        // The answer becomes a test, which may take the full number of steps.
        let (_, list) = *self.functions.get(parting.function.position())?;
        let types = base.program().parameters(parting.function);
        for (at, given) in parting.given.iter_mut().enumerate().filter(|(_, given)| given.is_none()) {
            *given = variants.value(at, parting.function, (&parting.arguments, &types), list, limits::STEPS);
        }
        Some(parting)
    }
}

/// The order of calls, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct BehaviourKey {
    outside: bool,
    cost: u64,
    /// The weight of the results.
    uneven: u64,
}

/// A function, and arguments with their types.
pub type BehaviourCall<'a> = (RoutineId, &'a Given, &'a [Type]);

/// The words of a call's value, or `None` if it traps.
pub type VariantResult = Option<Vec<u32>>;

/// Returns the sum of the squares of the sizes of groups with equal results, if two values differ.
pub fn unevenness(given: &[VariantResult]) -> Option<u64> {
    let alike = |one: &VariantResult| given.iter().filter(|other| *other == one).count();
    let uneven: u64 = given.iter().map(|one| alike(one) as u64).sum();
    let values: HashSet<_> = given.iter().flatten().collect();
    (values.len() >= 2).then_some(uneven)
}

pub struct RunVariants<'a> {
    programs: &'a [&'a Executable],
    machines: Vec<Machine>,
    /// The steps of all runs.
    steps: u64,
}

impl<'a> RunVariants<'a> {
    pub fn new(programs: &'a [&'a Executable]) -> RunVariants<'a> {
        let ready = |program: &&Executable| {
            let mut machine = Machine::default();
            machine.translate(program);
            machine
        };
        RunVariants { programs, machines: programs.iter().map(ready).collect(), steps: 0 }
    }

    /// Returns the results of all variants.
    fn results(
        &mut self,
        function: RoutineId,
        arguments: (&Given, &[Type]),
        list: bool,
        fuel: u32,
    ) -> Vec<VariantResult> {
        (0..self.programs.len()).map(|number| self.value(number, function, arguments, list, fuel)).collect()
    }

    /// Returns the value of a call of one variant, or `None` if it traps.
    pub fn value(
        &mut self,
        number: usize,
        function: RoutineId,
        (arguments, types): (&Given, &[Type]),
        list: bool,
        fuel: u32,
    ) -> VariantResult {
        let machine = &mut self.machines[number];
        let words = call_words(arguments, types);
        let record = machine.call(self.programs[number], Start::call(function, fuel), &words);
        self.steps += u64::from(record.steps);
        machine.value(&record, list).map(<[u32]>::to_vec)
    }
}

/// A call on which programs differ.
pub struct SeparatingCall {
    pub function: RoutineId,
    pub arguments: Given,
    /// Whether they are inside the domain that the file's tests show.
    pub inside: bool,
    /// Whether each argument is a string.
    pub text: Vec<bool>,
    /// The result of each program, or `None` if it traps.
    pub given: Vec<VariantResult>,
}
