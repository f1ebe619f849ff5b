//! The race: the same variants of a program through every way of compiling and testing them, in turn and repeatedly.
//!
//! A contestant gets the [`Field`] (the program, its variants' numbers, the judging tests) and reports a [`Fate`] for
//! each variant on its [`Track`]. Contestants differ in their method; the fates must be equal. One contestant runs at a
//! time, so that each has the machine to itself. They take turns, so that changes of the machine's speed affect all of
//! them. Before the race, the CPU engine judges the variants: the [`Population`].

mod conventional;
mod cpu;
mod entrant;
mod external;
mod field;
mod flag;
pub mod forms;
mod gpu;
mod hybrid;
mod neural;
mod population;
mod process;
pub mod replay;
mod result;
mod schedule;
mod track;

use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use field::{Field, Refused};
pub use flag::Flag;
pub use population::{Population, Tally};
pub use process::Processes;
pub use result::{Agreement, Disagreement, End, Race, Run, Score};
pub use track::Track;

use crate::engine::Kind;
use crate::host::measure::date;
use crate::host::measure::energy::{Meter, Running};
use crate::lang::index::MutantId;
use crate::lang::numbered;
use crate::lang::verdict::{MutantStatus, Verdict};
use entrant::ContestantState;
use track::Repetition;

numbered! {
    /// The contestants, in the order of the start.
    pub enum Contestant {
        External,
        Conventional,
        Cpu,
        Gpu,
        Neural,
        Hybrid,
    }
}

impl Contestant {
    /// Returns the name on the command line and in documents.
    pub fn name(self) -> &'static str {
        match self {
            Contestant::External => "external",
            Contestant::Conventional => "conventional",
            Contestant::Cpu => "cpu",
            Contestant::Gpu => "gpu",
            Contestant::Neural => "neural",
            Contestant::Hybrid => "hybrid",
        }
    }

    pub fn from_name(name: &str) -> Option<Contestant> {
        Contestant::ALL.iter().copied().find(|contestant| contestant.name() == name)
    }

    pub fn title(self) -> &'static str {
        match self {
            Contestant::External => "external compiler",
            Contestant::Conventional => "conventional loop",
            Contestant::Cpu => "CPU engine, all cores",
            Contestant::Gpu => "GPU engine",
            Contestant::Neural => "neural",
            Contestant::Hybrid => "hybrid",
        }
    }

    /// Returns the letter in tables.
    pub fn letter(self) -> char {
        (b'a' + self as u8) as char
    }

    /// Returns the range of the paper's expected speedup over the conventional loop (table 1).
    pub fn quoted(self) -> Option<(u32, u32)> {
        match self {
            Contestant::Gpu => Some((2, 5)),
            Contestant::Neural => Some((10, 100)),
            Contestant::Hybrid => Some((5, 20)),
            Contestant::External | Contestant::Conventional | Contestant::Cpu => None,
        }
    }
}

/// The result of running a variant. A contestant that recognises a copy need not run it: a copy of the program
/// survives, and a copy of another variant shares its fate. The [`Population`] decides which variants count as
/// survivors and which as copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    Killed,
    Timeout,
    Survived,
    /// The variant does not compile.
    Invalid,
    /// The contestant has no answer.
    NoAnswer,
}

impl Fate {
    pub fn name(self) -> &'static str {
        match self {
            Fate::Killed => "killed",
            Fate::Timeout => "timeout",
            Fate::Survived => "survived",
            Fate::Invalid => "invalid",
            Fate::NoAnswer => "no answer",
        }
    }

    /// Returns the fate of an exported program from its exit status and its last line of output.
    pub fn of_process(status: ExitStatus, said: &str) -> Fate {
        match (status.code(), said.lines().last().unwrap_or("")) {
            (Some(0), _) => Fate::Survived,
            (Some(1), line) if line.ends_with("trap StepLimit") => Fate::Timeout,
            (Some(1), _) => Fate::Killed,
            // A signal ended it.
            _ => Fate::NoAnswer,
        }
    }

    /// Returns the fate for an engine's verdict. `original` returns the fates of lower ids.
    fn of(verdict: Verdict, original: impl Fn(MutantId) -> Option<Fate>) -> Fate {
        match verdict.status {
            MutantStatus::Killed => Fate::Killed,
            MutantStatus::Timeout => Fate::Timeout,
            MutantStatus::Survived | MutantStatus::Equivalent => Fate::Survived,
            MutantStatus::Invalid => Fate::Invalid,
            MutantStatus::Duplicate => verdict.original.and_then(original).unwrap_or(Fate::NoAnswer),
            MutantStatus::Pending | MutantStatus::Ignored | MutantStatus::Unfinished => Fate::NoAnswer,
        }
    }
}

/// The resources that a contestant uses and is charged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// One thread, or one process at a time.
    OneCore,
    AllCores,
    Gpu,
}

impl Resource {
    /// Starts to measure the energy of these resources.
    fn watch(self, meter: &Meter) -> Running {
        match self {
            Resource::OneCore => meter.start_one_core(),
            Resource::AllCores => meter.start(Kind::Cpu),
            Resource::Gpu => meter.start(Kind::Gpu),
        }
    }
}

/// A prepared contestant.
trait Ready {
    /// Judges the whole field without reusing earlier results. Returns a description of its means.
    ///
    /// # Errors
    /// If it fails.
    fn go(&mut self, field: &Field, track: &mut Track) -> Result<String, NoScore>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct RaceSettings {
    /// The number of variants. Their ids are the lowest, with first-order variants before second-order ones.
    pub k: u32,
    /// The seed of the network's draws.
    pub seed: u32,
    /// The contestants in any order. They run in the order of [`Contestant::ALL`].
    pub contestants: Vec<Contestant>,
    /// The number of times that each contestant judges all variants, if time allows; at least once.
    pub repetitions: u32,
    /// The time limit of the whole race. A contestant that exceeds its share ends before its last variant.
    pub limit: Duration,
    /// Whether a software adapter may race as a GPU.
    pub software: bool,
    /// Whether the engines run every variant on every input, without shortcuts.
    pub exact: bool,
}

impl Default for RaceSettings {
    fn default() -> RaceSettings {
        RaceSettings {
            k: 1_000,
            seed: 1,
            contestants: Contestant::ALL.to_vec(),
            repetitions: 5,
            limit: Duration::from_secs(45),
            software: false,
            exact: false,
        }
    }
}

#[derive(Clone, Debug)]
pub enum RaceEvent {
    /// The contestant prepares: opens a device, loads weights. The clock is not running yet.
    Prepares(Contestant),
    /// The progress in a repetition, counted from 1.
    Progress {
        contestant: Contestant,
        repetition: u32,
        done: u32,
        time: Duration,
    },
    /// The contestant waits for its next turn.
    Between(Score),
    Ended(Score),
}

/// The reason why a contestant has no score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoScore {
    /// The machine lacks a requirement.
    LeftOut(String),
    Failed(String),
}

/// The duration of the idle measurement before the race. A meter subtracts idle power from the contestants' energy.
const REST: Duration = Duration::from_millis(300);

/// Runs the race. `tell` receives the events. `stop` ends the race with the results so far.
pub fn run(
    field: &Field,
    settings: &RaceSettings,
    meter: &Meter,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(RaceEvent),
) -> Race {
    meter.measure_idle(REST);
    let started = Instant::now();
    let left = || settings.limit.saturating_sub(started.elapsed());
    let cores = crate::host::measure::cores();
    let racing = Contestant::ALL.iter().copied().filter(|one| settings.contestants.contains(one));
    let mut entrants: Vec<ContestantState> = racing.map(ContestantState::new).collect();
    let population = Population::judge(field, Flag::new(stop, left() / (entrants.len() as u32 + 1)));
    let stopped = || stop.load(Ordering::Relaxed);
    'race: for repetition in 1..=settings.repetitions.max(1) {
        for i in 0..entrants.len() {
            if stopped() {
                break 'race;
            }
            if entrants[i].over {
                continue;
            }
            let others = entrants.iter().enumerate().filter(|(other, entrant)| *other != i && !entrant.over);
            let wishes: Vec<_> = others.map(|(_, entrant)| entrant.wish(settings.repetitions)).collect();
            let share = schedule::share(left(), &wishes);
            let contestant = entrants[i].contestant();
            let turn = Repetition { contestant, repetition, k: field.k, share, meter, stop };
            entrants[i].turn(field, settings, turn, tell);
        }
    }
    entrants.retain(|entrant| entrant.begun);
    entrants.iter_mut().filter(|entrant| !entrant.over).for_each(|entrant| entrant.end(tell));
    Race {
        k: field.k,
        seed: settings.seed,
        repetitions: settings.repetitions.max(1),
        cores,
        date: date::text(date::today()),
        population,
        scores: entrants.into_iter().map(ContestantState::score).collect(),
    }
}
