//! The race: the same variants of a program through every way of compiling and testing them, one way after another.
//!
//! A contestant gets the [`Field`] (the program, the numbers of its variants, the tests that judge) and reports a [`Fate`] for each
//! variant on its [`Track`]. What differs is how it comes by it; the fates must be the same. One contestant runs at a time, so that each has
//! the machine to itself.

mod conventional;
mod cpu;
mod external;
mod field;
pub mod forms;
mod gpu;
mod hybrid;
mod neural;
mod result;
mod track;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use field::{Field, Refused};
pub use result::{Agreement, End, Race, Score};
pub use track::{Flag, Track};

use crate::energy::Meter;
use crate::engine::{MutantStatus, Verdict};
use crate::lang::numbered;

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

/// What became of a variant. Copies count as what they are copies of: a variant with the program's own bytecode survives, one that equals another shares its fate.
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
    pub const ALL: [Fate; 5] = [Fate::Killed, Fate::Timeout, Fate::Survived, Fate::Invalid, Fate::NoAnswer];

    pub fn name(self) -> &'static str {
        match self {
            Fate::Killed => "killed",
            Fate::Timeout => "timeout",
            Fate::Survived => "survived",
            Fate::Invalid => "invalid",
            Fate::NoAnswer => "no answer",
        }
    }

    /// Of an engine's verdict, where `twin` knows the fates of lower ids.
    fn of(verdict: Verdict, twin: impl Fn(u32) -> Option<Fate>) -> Fate {
        match verdict.status {
            MutantStatus::Killed => Fate::Killed,
            MutantStatus::Timeout => Fate::Timeout,
            MutantStatus::Survived | MutantStatus::Equivalent => Fate::Survived,
            MutantStatus::Invalid => Fate::Invalid,
            MutantStatus::Duplicate => twin(verdict.twin).unwrap_or(Fate::NoAnswer),
            MutantStatus::Pending => Fate::NoAnswer,
        }
    }
}

/// How a race is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Variants: the first so many, single changes before pairs.
    pub k: u32,
    /// Decides what the neural network draws.
    pub seed: u32,
    /// In any order; they start in that of [`Contestant::ALL`].
    pub contestants: Vec<Contestant>,
    /// For all together. Who is slower than its share ends before its last variant.
    pub limit: Duration,
    /// Whether a program that imitates a GPU may race as one.
    pub software: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            k: 1_000,
            seed: 1,
            contestants: Contestant::ALL.to_vec(),
            limit: Duration::from_secs(45),
            software: false,
        }
    }
}

/// What happens, as it happens.
#[derive(Clone, Debug)]
pub enum Event {
    /// It prepares: opens a device, reads weights. The clock does not run yet.
    Prepares(Contestant),
    Progress {
        contestant: Contestant,
        done: u32,
        time: Duration,
    },
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
    let mut waiting: Vec<Contestant> =
        Contestant::ALL.iter().copied().filter(|one| settings.contestants.contains(one)).collect();
    waiting.reverse();
    let mut scores = vec![];
    while let Some(contestant) = waiting.pop() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let left = settings.limit.saturating_sub(started.elapsed());
        let share = left / (waiting.len() as u32 + 1);
        tell(Event::Prepares(contestant));
        let mut track = Track::new(contestant, field.k, share, meter, stop, tell);
        let ran = match contestant {
            Contestant::External => external::run(field, &mut track),
            Contestant::Conventional => conventional::run(field, &mut track),
            Contestant::Cpu => cpu::run(field, &mut track),
            Contestant::Gpu => gpu::run(field, settings.software, &mut track),
            Contestant::Neural => neural::run(field, settings.seed, &mut track),
            Contestant::Hybrid => hybrid::run(field, settings.seed, &mut track),
        };
        let score = track.finish(ran);
        tell(Event::Ended(score.clone()));
        scores.push(score);
    }
    Race { k: field.k, seed: settings.seed, scores: Arc::from(scores) }
}
