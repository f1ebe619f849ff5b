//! The race: the same variants of a program through every way of compiling and testing them, one way after another, and all again.
//!
//! A contestant gets the [`Field`] (the program, the numbers of its variants, the tests that judge) and reports a [`Fate`] for each
//! variant on its [`Track`]. What differs is how it comes by it; the fates must be the same. One contestant runs at a time, so that each has
//! the machine to itself; they take turns, so that a machine that grows slower or faster does so for all. Before the first, the CPU engine
//! says what the variants are: that is the [`Population`].

mod conventional;
mod cpu;
mod entrant;
mod external;
mod field;
pub mod forms;
mod gpu;
mod hybrid;
mod neural;
mod population;
mod process;
mod result;
mod schedule;
mod track;

use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use field::{Field, Refused};
pub use population::{Population, Tally};
pub use process::Processes;
pub use result::{Agreement, End, Race, Run, Score};
pub use track::{Flag, Track};

use crate::engine::Kind;
use crate::host::measure::energy::{Meter, Running};
use crate::lang::numbered;
use crate::lang::verdict::{MutantStatus, Verdict};
use entrant::Entrant;
use track::Turn;

numbered! {
    /// Who races, in the order of the start.
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
    /// The name on the command line and in documents.
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

    /// For people.
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

    /// The letter in tables.
    pub fn letter(self) -> char {
        (b'a' + self as u8) as char
    }

    /// Between what the paper expects its speedup over the conventional loop (table 1).
    pub fn quoted(self) -> Option<(u32, u32)> {
        match self {
            Contestant::Gpu => Some((2, 5)),
            Contestant::Neural => Some((10, 100)),
            Contestant::Hybrid => Some((5, 20)),
            Contestant::External | Contestant::Conventional | Contestant::Cpu => None,
        }
    }
}

/// What running a variant comes to. Who recognises a copy need not run it, for that is known: one of the program itself survives, one of another
/// variant shares its fate. What is counted as a survivor, and what as a copy, the [`Population`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    Killed,
    Timeout,
    Survived,
    /// It does not compile.
    Invalid,
    /// The contestant cannot say.
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

    /// Of a program that was exported, by how it ended and by what it said last.
    pub fn of_process(status: ExitStatus, said: &str) -> Fate {
        match (status.code(), said.lines().last().unwrap_or("")) {
            (Some(0), _) => Fate::Survived,
            (Some(1), line) if line.ends_with("trap StepLimit") => Fate::Timeout,
            (Some(1), _) => Fate::Killed,
            // A signal ended it.
            _ => Fate::NoAnswer,
        }
    }

    /// Of an engine's verdict, where `twin` knows the fates of lower ids.
    fn of(verdict: Verdict, original: impl Fn(u32) -> Option<Fate>) -> Fate {
        match verdict.status {
            MutantStatus::Killed => Fate::Killed,
            MutantStatus::Timeout => Fate::Timeout,
            MutantStatus::Survived | MutantStatus::Equivalent => Fate::Survived,
            MutantStatus::Invalid => Fate::Invalid,
            MutantStatus::Duplicate => original(verdict.original).unwrap_or(Fate::NoAnswer),
            MutantStatus::Pending | MutantStatus::Ignored => Fate::NoAnswer,
        }
    }
}

/// What a contestant works with, and so is charged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Works {
    /// One thread, or one process after the other.
    OneCore,
    AllCores,
    Gpu,
}

impl Works {
    /// Begins to watch what it draws power from.
    fn watch(self, meter: &Meter) -> Running {
        match self {
            Works::OneCore => meter.start_one_core(),
            Works::AllCores => meter.start(Kind::Cpu),
            Works::Gpu => meter.start(Kind::Gpu),
        }
    }
}

/// A contestant that is prepared.
trait Ready {
    /// Judges the whole field, as if for the first time; says what it works with.
    ///
    /// # Errors
    /// If it breaks.
    fn go(&mut self, field: &Field, track: &mut Track) -> Result<String, Absent>;
}

/// How a race is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Variants: the first so many, single changes before pairs.
    pub k: u32,
    /// Decides what the neural network draws.
    pub seed: u32,
    /// In any order; their turns are in that of [`Contestant::ALL`].
    pub contestants: Vec<Contestant>,
    /// How often each judges all variants, if there is time; once in any case.
    pub repetitions: u32,
    /// For all together. Who is slower than its share ends before its last variant.
    pub limit: Duration,
    /// Whether a program that imitates a GPU may race as one.
    pub software: bool,
    /// Whether the engines run every variant on every input, whatever is known without.
    pub exact: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
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

/// What happens, as it happens.
#[derive(Clone, Debug)]
pub enum Event {
    /// It prepares: opens a device, reads weights. The clock does not run yet.
    Prepares(Contestant),
    /// In its repetition with this number, counted from 1, it has done so much.
    Progress {
        contestant: Contestant,
        repetition: u32,
        done: u32,
        time: Duration,
    },
    /// It waits for its next turn.
    Between(Score),
    Ended(Score),
}

/// Why a contestant has no score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absent {
    /// This machine lacks what it needs.
    LeftOut(String),
    /// It broke.
    Failed(String),
}

/// How long nothing runs before the race, for who has a meter: what the machine takes even so is not the contestants'.
const REST: Duration = Duration::from_millis(300);

/// Runs the race. `tell` gets what happens; `stop` ends it, with what is there by then.
pub fn run(
    field: &Field,
    settings: &Settings,
    meter: &Meter,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Event),
) -> Race {
    meter.measure_idle(REST);
    let started = Instant::now();
    let left = || settings.limit.saturating_sub(started.elapsed());
    let cores = crate::host::measure::cores();
    let racing = Contestant::ALL.iter().copied().filter(|one| settings.contestants.contains(one));
    let mut entrants: Vec<Entrant> = racing.map(Entrant::new).collect();
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
            let turn = Turn { contestant, repetition, k: field.k, share, meter, stop };
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
        population,
        scores: entrants.into_iter().map(Entrant::score).collect(),
    }
}
