//! Explains why a mutant survives: no oracle reaches its change, or its values never differ there, or they differ and
//! later code hides the difference. (These are the steps of the RIP model: reach, infect, propagate; Voas, "PIE",
//! 1992.)

use super::Examiner;
use super::trace::{EventRecorder, TraceEvent, compare};
use crate::compiler::program::{Compiled, Executable, Watch};
use crate::compiler::stage::execute::{CallEvent, Domain, Machine, RunObserver, holds};
use crate::engine::oracles::Oracle;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::{EntryId, Index, InputId, MutantId, RoutineId, TokenId};
use crate::lang::limits;
use crate::lang::set::FunctionSet;
use crate::lang::trap::Trap;

/// The maximum steps of an examined run, and of all runs of a mutant together.
const LONGEST: u32 = 1 << 18;
const STEPS: u64 = 4_000_000;

/// How the oracles' runs relate to a mutant that none of them killed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KillReason {
    /// How often the oracles reached the change.
    pub reached: u64,
    /// The number of inputs that reached the change, and of those that it infected: on which a value differed.
    pub inputs: u32,
    pub infected: u32,
    /// The first infected input.
    pub infection: Option<Infection>,
    /// Whether every input was examined; otherwise only the first ones were.
    pub all: bool,
}

/// An input on which a mutant's values differ, and the place where the difference stops propagating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Infection {
    /// The oracle's index among all tests and properties, and the number of its input.
    pub entry: EntryId,
    pub input: InputId,
    /// The base's token at which the runs diverge.
    pub diverges_at: TokenId,
    pub masked_by: MaskedBy,
}

/// The place from which on the two runs are equal again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskedBy {
    /// In another function, by its number.
    Function(RoutineId),
    /// In the changed function, at this token.
    Here(TokenId),
    /// In the oracle's own expression.
    Oracle,
}

impl KillReason {
    /// Returns the explanation as a sentence without a period. [`KillReason::short`] is a shorter form.
    pub fn text(&self, base: &Compiled) -> String {
        let so_far = if self.all { "" } else { " so far" };
        let times = plural(self.reached, "time");
        match &self.infection {
            None if self.reached == 0 => format!("no test runs this code{so_far}"),
            None => format!("reached {times}{so_far}, always with the same value"),
            Some(infection) => {
                let line = |token| base.view().line(token);
                let by = match infection.masked_by {
                    MaskedBy::Function(function) => {
                        format!("but `{}` returned the same", base.function_name(function))
                    }
                    MaskedBy::Here(token) => format!("but line {} made the result the same", line(token)),
                    MaskedBy::Oracle => {
                        let head = base.entry(infection.entry).map(|entry| entry.head());
                        format!("but the test in line {} does not compare it", head.map_or(0, line))
                    }
                };
                let runs = plural(self.infected.into(), "run");
                format!("in {runs} of tests a value differed, {by}")
            }
        }
    }

    /// Returns the explanation in a few words.
    pub fn short(&self) -> String {
        match (&self.infection, self.reached) {
            (Some(_), _) => "same result, though a value differs".into(),
            (None, 0) => "no test runs it".into(),
            (None, 1) => "the same value".into(),
            (None, times) => format!("always the same value, {} times", grouped(times)),
        }
    }

    /// Returns the reason as one of a later text, if `token` returns what each of its tokens has become.
    pub fn follow(&self, token: impl Fn(TokenId) -> Option<TokenId>) -> Option<KillReason> {
        let mut reason = self.clone();
        if let Some(infection) = &mut reason.infection {
            infection.diverges_at = token(infection.diverges_at)?;
            if let MaskedBy::Here(at) = &mut infection.masked_by {
                *at = token(*at)?;
            }
        }
        Some(reason)
    }

    /// Ranks the mutant by how near the oracles are to killing it. The nearest have rank 0.
    pub fn rank(&self) -> u32 {
        match (&self.infection, self.reached) {
            (Some(_), _) => 0,
            (None, 1..) => 1,
            (None, 0) => 2,
        }
    }
}

/// For each input of each oracle, the set of functions that it enters on the base.
pub struct EnteredFunctions {
    oracles: Vec<Vec<FunctionSet>>,
}

impl EnteredFunctions {
    /// Returns `None` if the work was cancelled.
    pub(super) fn record(
        machine: &mut Machine,
        base: &Executable,
        oracles: &[Oracle],
        watch: &dyn Watch,
    ) -> Option<EnteredFunctions> {
        machine.load(base);
        let of = |oracle: &Oracle| {
            let mut inputs = Vec::new();
            for input in oracle.domain.inputs() {
                if watch.cancelled() {
                    return None;
                }
                let mut functions = Entered(FunctionSet::default());
                oracle.domain.observe(machine, base, (input, limits::STEPS), &mut functions);
                inputs.push(functions.0);
            }
            Some(inputs)
        };
        Some(EnteredFunctions { oracles: oracles.iter().map(of).collect::<Option<_>>()? })
    }

    pub(super) fn enters(&self, oracle: usize, input: InputId, functions: &[RoutineId]) -> bool {
        let entered = &self.oracles[oracle][input.position()];
        functions.iter().any(|function| entered.contains(*function))
    }
}

/// Records the functions that a run enters.
struct Entered(FunctionSet);

impl RunObserver for Entered {
    const ON: bool = true;

    fn called(&mut self, call: CallEvent) {
        self.0.insert(call.function);
    }
}

impl Examiner {
    /// Explains why no oracle kills a surviving mutant. Returns `None` if the work was cancelled or the mutant does not
    /// exist or compile.
    pub fn why(&mut self, id: MutantId, watch: &dyn Watch) -> Option<KillReason> {
        let pair = self.pair(id)?;
        let Examiner { base, lowered, oracles, machines: [machine, other], entered, .. } = self;
        let entered = match entered {
            Some(entered) => entered,
            none => none.insert(EnteredFunctions::record(machine, &base.executable, oracles, watch)?),
        };
        machine.load(lowered);
        other.load(&pair.lowered);
        let mut why = KillReason { all: true, ..KillReason::default() };
        let (mut spent, mut events) = (0, [Vec::new(), Vec::new()]);
        'oracles: for (place, oracle) in oracles.iter().enumerate() {
            for input in oracle.domain.inputs() {
                if !entered.enters(place, input, &pair.functions) {
                    continue;
                }
                if watch.cancelled() {
                    return None;
                }
                if spent > STEPS {
                    why.all = false;
                    break 'oracles;
                }
                let [own, mutants] = &mut events;
                let of_base = note(machine, (lowered, &pair.numbers[0]), &oracle.domain, input, own);
                let of_mutant = note(other, (&pair.lowered, &pair.numbers[1]), &oracle.domain, input, mutants);
                spent += (own.len() + mutants.len()) as u64;
                if !of_base || !of_mutant {
                    why.all = false;
                    continue;
                }
                let parting = compare(own, mutants);
                why.reached += u64::from(parting.reached);
                why.inputs += u32::from(parting.reached > 0);
                let (Some((first, _)), Some(again)) = (parting.first, parting.again) else { continue };
                why.infected += 1;
                if why.infection.is_none() {
                    let token = |event: usize| {
                        let pc = own.get(event).map_or(0, |event| event.pc.position());
                        TokenId::new(lowered.code.token.get(pc).copied().unwrap_or(0))
                    };
                    let pc = own.get(again.saturating_sub(1)).map(|event| event.pc).unwrap_or_default();
                    let masked_by = match lowered.routines().find(|routine| routine.extent().contains(pc)) {
                        Some(routine) if base.facts.entry_of(routine.id).is_some() => MaskedBy::Oracle,
                        Some(routine) if !pair.functions.contains(&routine.id) => {
                            MaskedBy::Function(routine.id)
                        }
                        _ => MaskedBy::Here(token(again.saturating_sub(1))),
                    };
                    why.infection =
                        Some(Infection { entry: oracle.entry, input, diverges_at: token(first), masked_by });
                }
            }
        }
        Some(why)
    }
}

/// Records the run of an oracle on an input of its domain. Returns whether it ends without a trap and passes.
fn note(
    machine: &mut Machine,
    (program, numbers): (&Executable, &[u32]),
    domain: &Domain,
    input: InputId,
    events: &mut Vec<TraceEvent>,
) -> bool {
    let frame = program.routine(domain.routine).map_or(0, |routine| routine.frame()) as usize;
    let mut recorder = EventRecorder::new(numbers, &program.code.word, frame, std::mem::take(events));
    let record = domain.observe(machine, program, (input, LONGEST), &mut recorder);
    *events = recorder.events;
    record.trap == Trap::None && holds(&record)
}
