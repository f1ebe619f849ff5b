//! Attacks claims that two codes behave alike: by deciding inputs, and by random inputs on a second machine.

use myriad::compiler::program::{Compiled, Executable};
use myriad::compiler::stage::execute::{Machine, Start, mutant_fuel};
use myriad::lang::index::{Index, RoutineId};
use myriad::lang::trap::Trap;
use myriad::lang::ty::Type;
use myriad::network::inputs::{Arguments, FUEL};
use myriad::testing::decide::{Decider, Effort};

use super::drawn::Named;
use super::reference::{End, call};
use super::rng::Rng;

/// The mean number of steps of both codes together on a deciding input; the search ends if they take more.
const STEPS: u64 = 1 << 12;

/// The claim that a function of another program behaves like one of this program.
#[derive(Clone, Copy)]
pub struct Claim<'a> {
    pub base: &'a Compiled,
    pub function: RoutineId,
    pub other: &'a Executable,
    pub other_function: RoutineId,
    /// Whether the other function may take 16 times the steps of this one, but no more.
    pub is_mutant: bool,
}

/// The number of inputs on which a claim was attacked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attacked {
    pub deciding: u64,
    pub on_reference: u64,
}

impl std::ops::AddAssign for Attacked {
    fn add_assign(&mut self, other: Attacked) {
        self.deciding += other.deciding;
        self.on_reference += other.on_reference;
    }
}

impl Claim<'_> {
    /// Attacks the claim with deciding inputs, and a hundredth of their number of random inputs on the second machine.
    ///
    /// # Errors
    /// The input on which the functions differ.
    pub fn attack(&self, inputs: u32) -> Result<Attacked, String> {
        let deciding = self.decide(inputs)?;
        Ok(Attacked { deciding, on_reference: self.on_second_machine(inputs.div_ceil(100))? })
    }

    fn decide(&self, inputs: u32) -> Result<u64, String> {
        let effort = Effort { inputs, steps: u64::from(inputs) * STEPS, persists: true };
        let other = (self.other, self.other_function);
        let decision = Decider::new(self.base, self.function)
            .decide_program(other, self.is_mutant, effort, &|| false)
            .expect("not cancelled");
        match decision.differs {
            None => Ok(decision.inputs.into()),
            Some(input) => Err(format!("differ on {input:?}")),
        }
    }

    /// Compares both functions on the second machine, and the first function also with the program's own machine.
    ///
    /// # Errors
    /// The input on which they differ.
    pub fn on_second_machine(&self, inputs: u32) -> Result<u64, String> {
        let Claim { base, function, other, other_function, is_mutant } = *self;
        let (named, arguments) = (Named::of(&base.text), Arguments::new(base, function));
        let mut machine = Machine::default();
        machine.translate(&base.executable);
        let (mut rng, mut runs) = (Rng::new(35), 0);
        for _ in 0..inputs {
            let words = named.arguments(&mut rng, &arguments);
            let (own, steps) = call(&base.executable, function, &words, FUEL);
            let fuel = if is_mutant { mutant_fuel(steps) } else { FUEL };
            let its = call(other, other_function, &words, fuel).0;
            let exhausted = |end: &End| matches!(end, End::OutOfSteps | End::Trap(Trap::RecursionTooDeep));
            if exhausted(&own) || exhausted(&its) && !(is_mutant && its == End::OutOfSteps) {
                continue;
            }
            runs += 1;
            if own != its {
                return Err(format!("differ on {words:?} on the second machine: {own:?}, {its:?}"));
            }
            let start = Start { routine: function, fuel: FUEL, depth: 1, origin: 0 };
            let record = machine.call(&base.executable, start, &words);
            let is_list = Type(base.executable.routines.result[function.position()]).is_list();
            let expected = match record.trap {
                Trap::None if is_list => {
                    End::Value(machine.words(0, record.value).iter().map(|word| *word as i32).collect())
                }
                Trap::None => End::Value(vec![record.value as i32]),
                trap => End::Trap(trap),
            };
            if !record.trap.counts_resources() && (expected, record.steps) != (own.clone(), steps) {
                return Err(format!("the machines differ on {words:?}: {own:?} after {steps}, {record:?}"));
            }
        }
        Ok(runs)
    }
}
