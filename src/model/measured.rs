//! What was measured on this machine, as plain numbers: what the rows, the plots and the advice are made of. Times are
//! in milliseconds, energies in joules, memory in bytes.

use super::stat::{Line, Stat};
use crate::energy::Energy;
use crate::engine::memory::{Memory, NeuralMemory};
use crate::engine::{Kind, Stage};
use crate::neural::evaluation::Class;

/// Where and on what it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The engine, as it calls itself.
    pub adapter: String,
    pub kind: Kind,
    /// Programs that are worked on at once, P: the CPU engine's threads; of a GPU as many as make its time for a batch.
    pub cores: f64,
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
    /// The same, and its tests run.
    pub tested: Stat,
    /// What executing its tests took, one after another.
    pub execute: f64,
    pub energy: Energy,
    /// By k, ascending; the last has [`Subject::programs`].
    pub batches: Vec<Batch>,
}

/// k programs at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batch {
    pub k: u32,
    /// Generated and compiled.
    pub compile: Stat,
    /// Generated, compiled, executed and judged.
    pub all: Stat,
    pub energy: Energy,
}

/// The conventional loop, for one program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loop {
    pub generate: Stat,
    /// One way.
    pub transfer: Stat,
    pub compile: Stat,
    pub execute: Stat,
    pub total: Stat,
    /// The mean, which is what k of them take divided by k.
    pub mean: f64,
    pub energy: Energy,
}

/// The neural path for one function.
#[derive(Clone, Debug, PartialEq)]
pub struct Neural {
    pub function: String,
    pub class: Class,
    /// Source words n, layers L, width d.
    pub words: u32,
    pub layers: u32,
    pub width: u32,
    pub parameters: u64,
    /// By k, ascending.
    pub points: Vec<Draws>,
    /// From function to evidence with k candidates.
    pub whole: f64,
    pub energy: Energy,
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

/// k candidates drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draws {
    pub k: u32,
    pub generate: Stat,
    /// Run against the tests: with them less without. `None` where that drowns in the noise of both.
    pub verify: Option<f64>,
    /// Both together.
    pub all: Stat,
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
}

/// Everything. What could not be measured is absent, with the reason in `missing`.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub subject: Subject,
    pub traditional: Traditional,
    pub conventional: Option<Loop>,
    pub neural: Option<Neural>,
    pub hybrid: Option<Hybrid>,
    /// For [`Subject::programs`] programs.
    pub memory: Option<Memory>,
    pub neural_memory: Option<NeuralMemory>,
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

    /// How time grows with k, for each approach.
    pub fn traditional_line(&self) -> Option<Line> {
        let points: Vec<_> = self.traditional.batches.iter().map(|b| (f64::from(b.k), b.all.median)).collect();
        Line::through(&points)
    }
    pub fn neural_line(&self) -> Option<Line> {
        let points: Vec<_> =
            self.neural.iter().flat_map(|n| &n.points).map(|p| (f64::from(p.k), p.all.median)).collect();
        Line::through(&points)
    }
    pub fn conventional_line(&self) -> Option<Line> {
        self.conventional.map(|one| Line { fixed: 0.0, each: one.mean })
    }
}
