//! The measurements of this machine as plain numbers, from which rows, plots and recommendations are computed. Times
//! are in milliseconds, energies in joules, memory in bytes.

use std::time::Duration;

use super::formula;
use crate::compiler::stage::Stage;
use crate::engine::Kind;
use crate::engine::memory::{Memory, NeuralMemory};
use crate::host::measure::energy::Energy;
use crate::host::measure::stat::{Stat, StatLine};
use crate::learned::synthesis::evaluation::EvaluationClass;
use crate::learned::synthesis::times::NeuralTime;

/// The machine and the subject of the measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredSubject {
    /// The engine's description.
    pub adapter: String,
    pub kind: Kind,
    /// P, the number of programs processed at once: the CPU engine's threads, or for a GPU the value fitted to a batch.
    pub cores: f64,
    /// The size of the batch that P was fitted to, or `None` if P is known.
    pub fitted: Option<u32>,
    /// Whether a single engine does all the work.
    pub alone: bool,
    /// Whether the machine has a GPU, so that the race's loop copies its texts there and back.
    pub hardware: bool,
    pub bytes: u32,
    pub tests: u32,
    /// The requested number of programs.
    pub k: u32,
    /// The number of programs in the largest batch: k, or fewer if there are not as many mutants.
    pub programs: u32,
}

/// The traditional path.
#[derive(Clone, Debug, PartialEq)]
pub struct Traditional {
    /// T_i(n): each stage of one program, in the order of [`Stage::ALL`]. The first six compile.
    pub stages: [Stat; 9],
    /// The time from text to bytecode.
    pub single: Stat,
    /// The number of repetitions that produced the same bytecode as the first.
    pub same: u32,
    /// Likewise, including the program's tests.
    pub tested: Stat,
    /// The time of executing the tests in sequence.
    pub execute: f64,
    pub energy: Energy,
    /// The batches by ascending k. The last has [`MeasuredSubject::programs`].
    pub batches: Vec<Batch>,
    /// Texts of increasing length: several copies of the program.
    pub sizes: Vec<MeasuredSize>,
}

/// One text compiled to bytecode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredSize {
    /// The number of copies of the program in the text.
    pub times: u32,
    pub bytes: u32,
    /// The stages, in the order of [`Stage::ALL`].
    pub stages: [Stat; 9],
    pub whole: Stat,
}

/// k programs at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batch {
    pub k: u32,
    /// Generated and compiled.
    pub compile: Stat,
    /// The time that users wait: the program is compiled and tested, then its mutants are generated, compiled, executed
    /// and judged.
    pub all: Stat,
    pub energy: Energy,
    /// The engine's memory afterwards, if no larger batch ran before.
    pub memory: Memory,
}

impl Batch {
    pub fn per_second(&self) -> f64 {
        rate(self.k, self.all.median)
    }
}

/// The conventional loop for one program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loop {
    pub generate: Stat,
    /// The transfer in one direction.
    pub transfer: Stat,
    pub compile: Stat,
    pub execute: Stat,
    /// The elapsed time, not the sum of the terms.
    pub total: Stat,
    pub programs: u32,
    /// The elapsed time of all programs.
    pub whole: f64,
    pub energy: Energy,
    /// Whether texts are copied to a device and back; otherwise, they are copied in host memory.
    pub crosses: bool,
}

impl Loop {
    /// Returns the mean time per program.
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

/// Different programs compiled by a path in sequence: mutants of the file, each with its changed functions compiled by
/// that path. The time includes the deterministic compiler's run that determines which tests judge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Programs {
    pub count: u32,
    /// The number of programs with apparently right code. Code of the neural path passes the
    /// tests, and equals the compiler's own or agrees with it on random inputs. Code of the hybrid is proved, or tested on adequate inputs.
    pub done: u32,
    /// The number of programs whose code is proved.
    pub proved: u32,
    /// The number of candidates drawn for all programs.
    pub drawn: u32,
    pub each: Stat,
    /// The time of all programs.
    pub whole: f64,
    /// The time of the conventional loop for the same programs.
    pub conventional: f64,
    pub energy: Energy,
    /// The network's memory afterwards. This includes memory allocated for earlier work.
    pub memory: Option<NeuralMemory>,
}

impl Programs {
    pub fn mean(&self) -> f64 {
        self.whole / f64::from(self.count.max(1))
    }
    pub fn per_second(&self) -> f64 {
        rate(self.count, self.whole)
    }
    /// Returns the speedup over the conventional loop for the same programs.
    pub fn speedup(&self) -> f64 {
        self.conventional / self.whole
    }
    pub fn energy_each(&self) -> Energy {
        self.energy.share(1.0 / f64::from(self.count.max(1)))
    }
}

/// The neural path: k candidates of one program, and programs in sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredNeural {
    pub function: String,
    pub class: EvaluationClass,
    /// The source words n, the layers L and the width d.
    pub words: u32,
    pub layers: u32,
    pub width: u32,
    pub parameters: u64,
    /// k candidates of this one function, by ascending k, as in the paper's computations.
    pub points: Vec<Draws>,
    /// The number of distinct candidates and the time of running them against the tests, drawn at a higher temperature.
    pub verified: Vec<(u32, f64)>,
    /// k programs, as many as were measured, which users wait for. `None` if they could not be measured.
    pub programs: Option<Programs>,
    /// The time from the function to its evidence with k candidates: draws, evidence, and further rounds if any.
    pub whole: f64,
    /// The network's memory after drawing k candidates.
    pub memory: Option<NeuralMemory>,
    pub sweeps: Sweeps,
    /// The counts of the k draws.
    pub drawn: u32,
    pub valid: u32,
    pub passed: u32,
    pub correct: u32,
    /// The 95 % confidence interval of the correct fraction.
    pub p_low: f64,
    pub p_high: f64,
    /// The unbiased success within 1, 10, 100 … and k draws.
    pub success: Vec<(u32, f64)>,
    /// The number of draws for which the unbiased estimate of success is 99 %.
    pub k99: Option<u32>,
    /// ln p of the candidate drawn most often, and its fraction of the draws.
    pub likeliest: Option<(f64, f64)>,
    /// −ln p of the deterministic compiler's code per word, if it was drawn.
    pub own_loss: Option<f64>,
    /// The mean of R · −ln p over the draws.
    pub reward_loss: f64,
    /// The evidence of the best candidate: `proved` or `tested`.
    pub evidence: Option<&'static str>,
}

impl MeasuredNeural {
    /// Returns lines fitted to T_gen and T_verify as functions of k. Returns `None` if only one k was measured, which
    /// does not show the growth.
    pub fn growth(&self) -> Option<(StatLine, StatLine)> {
        let line = |pick: fn(&Draws) -> f64| {
            StatLine::through(&self.points.iter().map(|p| (f64::from(p.k), pick(p))).collect::<Vec<_>>())
        };
        let generate = line(|point| point.generate.median).filter(|_| self.points.len() > 1)?;
        Some((generate, line(|point| point.verify.median).unwrap_or(StatLine { fixed: 0.0, each: 0.0 })))
    }
}

/// k candidates drawn. All figures are of one run: the repetition with the median time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draws {
    pub k: u32,
    /// The number of distinct programs among them. Equal programs are run once.
    pub distinct: u32,
    /// T_gen(k).
    pub generate: Stat,
    /// T_verify(k): the time of running them against the tests.
    pub verify: Stat,
    /// T_neural(k): the sum of both.
    pub all: Stat,
    /// The energy of that run, or `None` if it was not metered.
    pub energy: Option<Energy>,
}

impl Draws {
    /// Returns the figures of repetitions with the same k, each with its energy. Returns `None` without repetitions.
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

/// Returns the repetition with the median time, and the spread of all. Returns `None` without repetitions.
pub fn middle<T>(runs: impl IntoIterator<Item = T>, time: impl Fn(&T) -> f64) -> Option<(T, Stat)> {
    let mut runs: Vec<T> = runs.into_iter().collect();
    runs.sort_by(|a, b| time(a).total_cmp(&time(b)));
    let stat = Stat::of(runs.iter().map(&time).collect())?;
    let at = runs.len() / 2;
    Some((runs.swap_remove(at), stat))
}

/// Generation times as functions of each quantity of equation 9, with the others constant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sweeps {
    /// The number of candidates drawn at each point.
    pub k: u32,
    /// The source words and the time.
    pub words: Vec<(f64, Stat)>,
    /// The layers and the time per word read or written, with random weights.
    pub layers: Vec<(f64, Stat)>,
    /// Likewise for the width.
    pub width: Vec<(f64, Stat)>,
    /// The constant width of the `layers` sweep, and the constant layers of the `width` sweep.
    pub held: [u32; 2],
}

/// The hybrid path over the functions of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredHybrid {
    pub functions: u32,
    /// The fraction routed to the neural path, and the fraction of these that succeed.
    pub p_simple: f64,
    pub p_success: f64,
    /// Means over functions.
    pub neural: f64,
    pub traditional: f64,
    pub routing: f64,
    /// The total, measured directly.
    pub all: f64,
    pub energy: Energy,
    /// The mean complexity score.
    pub score: f64,
    /// The threshold that routes the fraction `p_simple` to the neural path.
    pub theta: f64,
    /// Whole programs at the same threshold.
    pub programs: Option<Programs>,
}

/// All measurements. Whatever could not be measured is absent, with the reason in `missing`.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub subject: MeasuredSubject,
    pub traditional: Traditional,
    pub conventional: Option<Loop>,
    pub neural: Option<MeasuredNeural>,
    pub hybrid: Option<MeasuredHybrid>,
    /// The bytes of the GPU engine's arenas for each further variant of this program, known without a GPU.
    pub memory_each: Option<f64>,
    /// The time of a transfer to the device and back.
    pub device_transfer: Option<Stat>,
    /// The configured power during transfers.
    pub pcie_watts: f64,
    pub missing: Vec<String>,
}

impl Measured {
    /// Returns the stages that compile one program, with their times.
    pub fn compile_stages(&self) -> impl Iterator<Item = (Stage, Stat)> + '_ {
        let compiles = |stage: &Stage| (*stage as usize) < Stage::Execute as usize;
        Stage::ALL.into_iter().filter(compiles).map(|stage| (stage, self.traditional.stages[stage as usize]))
    }

    pub fn largest(&self) -> Option<&Batch> {
        self.traditional.batches.last()
    }

    /// Returns the batch of exactly k programs, if it was measured.
    pub fn batch(&self, k: u32) -> Option<&Batch> {
        self.traditional.batches.iter().find(|batch| batch.k == k)
    }

    /// Returns k different programs through the neural path.
    pub fn neural_programs(&self) -> Option<&Programs> {
        self.neural.as_ref()?.programs.as_ref()
    }
    /// Returns k different programs through the hybrid path.
    pub fn hybrid_programs(&self) -> Option<&Programs> {
        self.hybrid.as_ref()?.programs.as_ref()
    }
    /// Returns the conventional loop if it copied its texts like the race: to a device exactly if the machine has one.
    pub fn raced_loop(&self) -> Option<&Loop> {
        self.conventional.as_ref().filter(|one| one.crosses == self.subject.hardware)
    }
    /// Returns the draws of one program for the largest k.
    pub fn candidates(&self) -> Option<&Draws> {
        self.neural.as_ref()?.points.last()
    }
}

/// Returns the rate per second for a count and its milliseconds.
fn rate(count: u32, milliseconds: f64) -> f64 {
    f64::from(count) / milliseconds * 1e3
}

/// Returns the P of equation 2 for which the time of one program explains the time of a batch, and the size of that
/// batch. The last batch but one is used, so that the others test the fit. Returns `None` without a batch of more than
/// one program.
pub fn cores_in_effect(single: f64, batches: &[Batch]) -> Option<(f64, u32)> {
    let several: Vec<&Batch> = batches.iter().filter(|batch| batch.k > 1).collect();
    let batch = several.get(several.len().saturating_sub(2))?;
    let cores = f64::from(batch.k) * single / batch.compile.median;
    (cores.is_finite() && cores > 0.0).then_some((cores, batch.k))
}

/// Returns 1, 10, 100 … below k, then k.
pub fn sizes(k: u32) -> Vec<u32> {
    let mut sizes: Vec<u32> = (0..6).map(|power| 10u32.pow(power)).filter(|size| *size < k).collect();
    sizes.extend((k > 0).then_some(k));
    sizes
}
