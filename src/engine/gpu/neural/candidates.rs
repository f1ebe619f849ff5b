//! Turns candidates into programs and judges them, in the engine's buffers.
//!
//! `assemble` creates programs for a chunk of candidates in a separate arena, in the columns that emit
//! writes. The judge stage finds equal programs, execute runs the others against the base's tests, and
//! `report` collects the results.

use crate::compiler::program::Compiled;
use crate::compiler::stage::Stage;
use crate::engine::EngineError;
use crate::engine::gpu::arena::{Arena, Room, Shape, binding, storage, uniform};
use crate::engine::gpu::device::{Gpu, Part};
use crate::engine::gpu::kernel::Kernel;
use crate::engine::gpu::recorder::Recorder;
use crate::engine::gpu::records::GpuRecord;
use crate::engine::gpu::runs::Runs;
use crate::engine::gpu::shaders;
use crate::lang::NONE;
use crate::lang::index::{EntryId, Index, RoutineId};
use crate::lang::verdict::{MutantStatus, Outcome};
use crate::network::layout::{AssembleParams, report};
use crate::network::sampling::Status;
use crate::network::vocabulary::TARGET_MAX;

use super::model::ModelMemory;

/// The maximum number of words that execute uses for the steps of jobs.
const STEP_WORDS: u64 = 1 << 24;

/// The kernels between words and verdicts, and their buffers.
pub struct Assembly {
    assemble: Kernel,
    report: Kernel,
    params: wgpu::Buffer,
    records: wgpu::Buffer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidateRecord {
    pub status: Status,
    /// The row of the first candidate with the same code, which is judged instead; `NONE` if this is the
    /// first.
    pub original: u32,
    pub differing: Option<EntryId>,
    pub steps: u64,
    /// The number of words written, and the bits of their log-probability.
    pub length: u32,
    pub log_p: u32,
    /// The length of the program in words, including the base's code; 0 if invalid.
    pub code: u32,
}

#[derive(Clone, Copy)]
pub struct CandidateChunk {
    pub function: RoutineId,
    /// The index of the first candidate in the batch.
    pub first: u32,
    pub jobs: u32,
}

/// Returns the room for one candidate's program: the base's words and routines, and two words for each target
/// word.
fn room(base: &Compiled) -> Room {
    let (code, routines) =
        (base.executable.code.word.len() as u32, base.executable.routines.token.len() as u32);
    Room { tokens: routines.max(1), ir: 1, code: code + 2 * TARGET_MAX as u32 }
}

impl Assembly {
    pub fn new(gpu: &Gpu) -> Result<Assembly, EngineError> {
        Ok(Assembly {
            assemble: Kernel::new(gpu, &shaders::ASSEMBLE)?,
            report: Kernel::new(gpu, &shaders::REPORT)?,
            params: gpu.scoped(|| uniform(gpu, &AssembleParams::default()))?,
            records: gpu.scoped(|| storage(gpu, "candidates", report::WORDS as u64))?,
        })
    }

    /// Returns the maximum number of programs in a chunk with `jobs` jobs each.
    pub fn chunk(slots: u32, jobs: u32) -> u32 {
        (STEP_WORDS / u64::from(jobs.max(1))).clamp(1, u64::from(slots)) as u32
    }

    /// Lays out a chunk with as many of `count` candidates as fit.
    pub fn shape(gpu: &Gpu, base: &Compiled, count: u32, epoch: u32) -> Shape {
        let limits = gpu.device.limits();
        let mut shape = Shape::default();
        for _ in 0..count {
            if shape.params.programs > 0 && !shape.fits_with(room(base), 0, &limits) {
                break;
            }
            shape.push(room(base), 0, 0);
        }
        shape.params.epoch = epoch;
        shape
    }

    /// Encodes the assembly of the batch's candidates from `of.first` on, as the arena's programs.
    pub fn assemble(
        &self,
        recorder: &mut Recorder,
        memory: &ModelMemory,
        base: &Arena,
        arena: &Arena,
        of: CandidateChunk,
    ) -> Result<(), EngineError> {
        let params = AssembleParams {
            programs: arena.shape.params.programs,
            first: of.first,
            function: of.function.number(),
            base_token_capacity: base.shape.params.token_capacity,
            base_code_capacity: base.shape.params.code_capacity,
            token_capacity: arena.shape.params.token_capacity,
            code_capacity: arena.shape.params.code_capacity,
            jobs: of.jobs,
        };
        recorder.gpu.queue.write_buffer(&self.params, 0, bytemuck::bytes_of(&params));
        let group = self.assemble.bind(
            recorder.gpu,
            &[
                ("assemble_params", &self.params),
                ("base_programs", &base.buffers[binding::PROGRAMS]),
                ("base_code", &base.buffers[binding::CODE]),
                ("lexicon", &memory.lexicon),
                ("words", &memory.words),
                ("states", &memory.states),
                ("programs", &arena.buffers[binding::PROGRAMS]),
                ("code", &arena.buffers[binding::CODE]),
            ],
        )?;
        recorder.pass(Stage::Emit, |pass| {
            self.assemble.dispatch(pass, "assemble", &group, params.programs);
        });
        Ok(())
    }

    /// Encodes the collection of the chunk's records.
    pub fn report(
        &self,
        recorder: &mut Recorder,
        memory: &ModelMemory,
        arena: &Arena,
        runs: &Runs,
    ) -> Result<(), EngineError> {
        let programs = arena.shape.params.programs;
        let group = self.report.bind(
            recorder.gpu,
            &[
                ("assemble_params", &self.params),
                ("programs", &arena.buffers[binding::PROGRAMS]),
                ("states", &memory.states),
                ("verdicts", &runs.verdicts),
                ("best", &runs.best),
                ("records", &self.records),
            ],
        )?;
        recorder.pass(Stage::Judge, |pass| self.report.dispatch(pass, "report", &group, programs));
        Ok(())
    }

    /// Makes room for a chunk's records.
    ///
    /// # Errors
    /// If the device has no memory for them.
    pub fn need(&mut self, gpu: &Gpu, programs: u32) -> Result<(), EngineError> {
        Runs::need(gpu, &mut self.records, u64::from(report::WORDS * programs))
    }

    /// Returns the part of the record buffer that a chunk fills.
    pub fn records(&self, programs: u32) -> Part<'_> {
        (&self.records, 0, u64::from(report::WORDS * programs))
    }
}

impl GpuRecord for CandidateRecord {
    const WORDS: u32 = report::WORDS;
    const EPOCH: u32 = report::EPOCH;

    fn of(words: &[u32]) -> Option<CandidateRecord> {
        let at = |place: u32| words[place as usize];
        let verdict = MutantStatus::from_u32(at(report::STATUS))?;
        let status = match (verdict, Outcome::from_u32(at(report::OUTCOME))?) {
            (MutantStatus::Invalid, _) => Status::Invalid,
            (MutantStatus::Survived | MutantStatus::Duplicate, _) => Status::Passed,
            (MutantStatus::Timeout, _) => Status::Timeout,
            (MutantStatus::Killed, Outcome::Trap(_)) => Status::Trap,
            (MutantStatus::Killed, _) => Status::Wrong,
            (
                MutantStatus::Pending
                | MutantStatus::Equivalent
                | MutantStatus::Ignored
                | MutantStatus::Unfinished,
                _,
            ) => return None,
        };
        Some(CandidateRecord {
            status,
            original: if verdict == MutantStatus::Duplicate { at(report::ORIGINAL) } else { NONE },
            differing: EntryId::from_word(at(report::ENTRY)),
            steps: u64::from(at(report::STEPS_LOW)) + (u64::from(at(report::STEPS_HIGH)) << report::STEPS_BITS),
            length: at(report::LENGTH),
            log_p: at(report::LOG_P),
            code: at(report::CODE),
        })
    }
}
