//! What was measured on this machine, as plain numbers: what the rows, the plots and the advice are made of. Times are
//! in milliseconds, energies in joules, memory in bytes.

use std::time::Duration;

use super::formula;
use crate::compiler::stage::Stage;
use crate::engine::Kind;
use crate::engine::memory::{Memory, NeuralMemory};
use crate::host::measure::energy::Energy;
use crate::host::measure::stat::{Line, Stat};
use crate::learned::synthesis::evaluation::Class;
use crate::learned::synthesis::times::NeuralTime;

/// Where and on what it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The engine, as it calls itself.
    pub adapter: String,
    pub kind: Kind,
    /// Programs that are worked on at once, P: the CPU engine's threads; of a GPU as many as make its time for one batch.
    pub cores: f64,
    /// The batch that P was fitted to; none where P is known.
    pub fitted: Option<u32>,
    /// One engine does all the work.
    pub alone: bool,
    /// The machine has a GPU, so that the race's loop copies its texts there and back.
    pub hardware: bool,
    pub bytes: u32,
    pub tests: u32,
    /// Programs asked for.
    pub k: u32,
    /// Programs that the batches had: k, or fewer where there are no more mutants.
    pub programs: u32,
}

/// The traditional path.
#[derive(Clone, Debug, PartialEq)]
pub struct Traditional {
    /// T_i(n): each stage of one program, in the order of [`Stage::ALL`]; those that compile are the first six.
    pub stages: [Stat; 9],
    /// From text to bytecode.
    pub single: Stat,
    /// How many of the times that this was done gave the bytecode of the first.
    pub same: u32,
    /// The same, and its tests run.
    pub tested: Stat,
    /// What executing its tests took, one after another.
    pub execute: f64,
    pub energy: Energy,
    /// By k, ascending; the last has [`Subject::programs`].
    pub batches: Vec<Batch>,
    /// Longer and longer texts: the program several times over.
    pub sizes: Vec<Size>,
}

/// One text from characters to bytecode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// How often the program is in it.
    pub times: u32,
    pub bytes: u32,
    /// In the order of [`Stage::ALL`].
    pub stages: [Stat; 9],
    pub whole: Stat,
}

/// k programs at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batch {
    pub k: u32,
    /// Generated and compiled.
    pub compile: Stat,
    /// What a person waits for: the program itself compiled and tested, then its mutants generated, compiled, executed and judged.
    pub all: Stat,
    pub energy: Energy,
    /// What the engine held when it was done, and had held nothing larger before.
    pub memory: Memory,
}

impl Batch {
    pub fn per_second(&self) -> f64 {
        rate(self.k, self.all.median)
    }
}

/// The conventional loop, for one program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loop {
    pub generate: Stat,
    /// One way.
    pub transfer: Stat,
    pub compile: Stat,
    pub execute: Stat,
    /// By the clock, not as the sum of the terms.
    pub total: Stat,
    /// How many programs went through it.
    pub programs: u32,
    /// What all of them took, by the clock.
    pub whole: f64,
    /// Of all of them.
    pub energy: Energy,
    /// Texts are copied to a device and back; else they are copied in the host's memory.
    pub crosses: bool,
}

impl Loop {
    /// What k of them take divided by k.
    pub fn mean(&self) -> f64 {
        self.whole / f64::from(self.programs.max(1))
    }
    pub fn per_second(&self) -> f64 {
        rate(self.programs, self.whole)
    }
    pub fn energy_each(&self) -> Energy {
        self.energy.share(1.0 / f64::from(self.programs.max(1)))
    }
}

/// Different programs through a path one after the other, as one waits for them: mutants of the file, each with the functions that it
/// changes compiled by that path. What the deterministic compiler takes to say which tests judge is part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Programs {
    /// How many were measured.
    pub count: u32,
    /// For how many of them the path had code that is right as far as can be told: of the neural path it passes the tests, and is the compiler's own or says
    /// the same as that on random inputs; of the hybrid it is verified.
    pub done: u32,
    /// For how many of them that code is proved.
    pub proved: u32,
    /// Candidates drawn for all of them.
    pub drawn: u32,
    pub each: Stat,
    /// What all of them took.
    pub whole: f64,
    /// What the conventional loop took for the same programs.
    pub conventional: f64,
    /// Of all of them.
    pub energy: Energy,
    /// What the network held behind them; what it took for anything before, it keeps.
    pub memory: Option<NeuralMemory>,
}

impl Programs {
    pub fn mean(&self) -> f64 {
        self.whole / f64::from(self.count.max(1))
    }
    pub fn per_second(&self) -> f64 {
        rate(self.count, self.whole)
    }
    /// How many times faster than the conventional loop, for the same programs.
    pub fn speedup(&self) -> f64 {
        self.conventional / self.whole
    }
    pub fn energy_each(&self) -> Energy {
        self.energy.share(1.0 / f64::from(self.count.max(1)))
    }
}

/// The neural path: k candidates of one program, and programs one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Neural {
    pub function: String,
    pub class: Class,
    /// Source words n, layers L, width d.
    pub words: u32,
    pub layers: u32,
    pub width: u32,
    pub parameters: u64,
    /// k candidates of this one function, by k, ascending: what the paper computes.
    pub points: Vec<Draws>,
    /// Different candidates, and what running them against the tests takes: drawn so wide that there are many.
    pub verified: Vec<(u32, f64)>,
    /// k programs, as many as were measured: what a user waits for. None if they could not be.
    pub programs: Option<Programs>,
    /// From function to evidence with k candidates: their drawing, the evidence, and further rounds if there are any.
    pub whole: f64,
    /// What the network held behind k candidates.
    pub memory: Option<NeuralMemory>,
    pub sweeps: Sweeps,
    /// What k draws were.
    pub drawn: u32,
    pub valid: u32,
    pub passed: u32,
    pub correct: u32,
    /// The interval of the part that is correct, with 95 %.
    pub p_low: f64,
    pub p_high: f64,
    /// Success within 1, 10, 100 … and k draws, unbiased.
    pub success: Vec<(u32, f64)>,
    /// Draws from which the unbiased estimate of success is 99 %.
    pub k99: Option<u32>,
    /// ln p of the candidate drawn most often, and the part of the draws that it is.
    pub likeliest: Option<(f64, f64)>,
    /// Minus ln p of the deterministic compiler's code for each of its words, where it was drawn.
    pub own_loss: Option<f64>,
    /// Mean of R · −ln p over the draws.
    pub reward_loss: f64,
    /// What was found of the best one: `proved`, `verified`, `tests passed`.
    pub evidence: Option<&'static str>,
}

impl Neural {
    /// T_gen and T_verify against k: lines through what was measured. `None` where fewer than two numbers of candidates were drawn, for
    /// one says nothing of how time grows.
    pub fn growth(&self) -> Option<(Line, Line)> {
        let line = |pick: fn(&Draws) -> f64| {
            Line::through(&self.points.iter().map(|p| (f64::from(p.k), pick(p))).collect::<Vec<_>>())
        };
        let generate = line(|point| point.generate.median).filter(|_| self.points.len() > 1)?;
        Some((generate, line(|point| point.verify.median).unwrap_or(Line { fixed: 0.0, each: 0.0 })))
    }
}

/// k candidates drawn. All its figures are of one run: the repetition in the middle by time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draws {
    pub k: u32,
    /// Different programs among them: equal ones are run once.
    pub distinct: u32,
    /// T_gen(k).
    pub generate: Stat,
    /// T_verify(k): run against the tests.
    pub verify: Stat,
    /// T_neural(k), their sum.
    pub all: Stat,
    /// The energy of that run; `None` if no meter ran.
    pub energy: Option<Energy>,
}

impl Draws {
    /// The figures of some repetitions with the same k, each with its energy. `None` of none.
    pub fn of(runs: Vec<(NeuralTime, Option<Energy>)>) -> Option<Draws> {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let spread = |pick: &dyn Fn(&NeuralTime) -> Duration| {
            Stat::of(runs.iter().map(|(time, _)| ms(pick(time))).collect()).map(|stat| (stat.spread, stat.of))
        };
        let spreads =
            [spread(&|time| time.generate)?, spread(&|time| time.verify)?, spread(&|time| time.total())?];
        let ((time, energy), _) = middle(runs.iter(), |(time, _)| ms(time.total()))?;
        let (generate, verify) = (ms(time.generate), ms(time.verify));
        let stat = |median: f64, (spread, of): (f64, u32)| Stat { median, spread, of };
        Some(Draws {
            k: time.k,
            distinct: time.distinct,
            generate: stat(generate, spreads[0]),
            verify: stat(verify, spreads[1]),
            all: stat(formula::neural(generate, verify), spreads[2]),
            energy: *energy,
        })
    }
}

/// The repetition in the middle by time, with the spread of all. `None` of none.
pub fn middle<T>(runs: impl IntoIterator<Item = T>, time: impl Fn(&T) -> f64) -> Option<(T, Stat)> {
    let mut runs: Vec<T> = runs.into_iter().collect();
    runs.sort_by(|a, b| time(a).total_cmp(&time(b)));
    let stat = Stat::of(runs.iter().map(&time).collect())?;
    let at = runs.len() / 2;
    Some((runs.swap_remove(at), stat))
}

/// Times to generate against one of the quantities of equation 9, the others held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sweeps {
    /// Candidates drawn at each point.
    pub k: u32,
    /// Source words, and the time.
    pub words: Vec<(f64, Stat)>,
    /// Layers, and the time for each word read or written, by networks of random weights.
    pub layers: Vec<(f64, Stat)>,
    /// Width, and the same.
    pub width: Vec<(f64, Stat)>,
    /// What the networks of random weights have of the other: width of the first, layers of the second.
    pub held: [u32; 2],
}

/// The hybrid path over the functions of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hybrid {
    pub functions: u32,
    /// The part that is routed to the neural path, and of those the part for which it succeeds.
    pub p_simple: f64,
    pub p_success: f64,
    /// Means over functions.
    pub neural: f64,
    pub traditional: f64,
    pub routing: f64,
    /// The whole, measured in one go.
    pub all: f64,
    pub energy: Energy,
    /// Mean complexity score.
    pub score: f64,
    /// Whole programs at the same threshold.
    pub programs: Option<Programs>,
}

/// Everything. What could not be measured is absent, with the reason in `missing`.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub subject: Subject,
    pub traditional: Traditional,
    pub conventional: Option<Loop>,
    pub neural: Option<Neural>,
    pub hybrid: Option<Hybrid>,
    /// Bytes that the GPU engine's arenas lay out for one more variant of this program; known without a GPU.
    pub memory_each: Option<f64>,
    /// To the device and back.
    pub device_transfer: Option<Stat>,
    /// Stated, while data moves.
    pub pcie_watts: f64,
    pub missing: Vec<String>,
}

impl Measured {
    /// The stages that compile one program, as their medians.
    pub fn compile_stages(&self) -> impl Iterator<Item = (Stage, Stat)> + '_ {
        let compiles = |stage: &Stage| (*stage as usize) < Stage::Execute as usize;
        Stage::ALL.into_iter().filter(compiles).map(|stage| (stage, self.traditional.stages[stage as usize]))
    }

    pub fn largest(&self) -> Option<&Batch> {
        self.traditional.batches.last()
    }

    /// The batch of exactly so many programs, if there was one.
    pub fn batch(&self, k: u32) -> Option<&Batch> {
        self.traditional.batches.iter().find(|batch| batch.k == k)
    }

    /// k different programs through the neural path.
    pub fn neural_programs(&self) -> Option<&Programs> {
        self.neural.as_ref()?.programs.as_ref()
    }
    /// The same through the hybrid.
    pub fn hybrid_programs(&self) -> Option<&Programs> {
        self.hybrid.as_ref()?.programs.as_ref()
    }
    /// The conventional loop, if its texts went where the race's go: to a device exactly where the machine has one.
    pub fn raced_loop(&self) -> Option<&Loop> {
        self.conventional.as_ref().filter(|one| one.crosses == self.subject.hardware)
    }
    /// k candidates of one program, for the largest k.
    pub fn candidates(&self) -> Option<&Draws> {
        self.neural.as_ref()?.points.last()
    }
}

/// How many a second, of what takes so many milliseconds.
fn rate(count: u32, milliseconds: f64) -> f64 {
    f64::from(count) / milliseconds * 1e3
}

/// P of equation 2 where nobody knows it: as many programs at once as make the time of a batch out of that of one program, and the batch that it was
/// fitted to. The last batch but one, so that the others test it. `None` without a batch of more than one program.
pub fn cores_in_effect(single: f64, batches: &[Batch]) -> Option<(f64, u32)> {
    let several: Vec<&Batch> = batches.iter().filter(|batch| batch.k > 1).collect();
    let batch = several.get(several.len().saturating_sub(2))?;
    let cores = f64::from(batch.k) * single / batch.compile.median;
    (cores.is_finite() && cores > 0.0).then_some((cores, batch.k))
}
