//! Lays out a batch of texts with their tests, and the results that are read back.
//!
//! The number of a text's tests is only known after the device has parsed it. Each test begins with a
//! keyword, however, so the occurrences in the text are an upper bound.

use crate::compiler::layout::Program;
use crate::compiler::layout::numbers::{binder, entry, job, sum};
use crate::compiler::stage::execute::max_exhaustive_size;
use crate::engine::memory::Memory;
use crate::engine::{EngineError, TestedCandidate};
use crate::lang::level::OptLevel;
use crate::lang::limits;
use crate::lang::token::TokenKind;

use super::arena::{Arena, Room, Shape, storage};
use super::compiler::GpuCompiler;
use super::device::{Gpu, Part};
use super::runs::Runs;
use super::tuning::Tuning;

/// The limit in bytes of all arenas of a batch, unless it has only one program.
const BYTES: u64 = 256 << 20;

/// Upper bounds for the tests of a text.
#[derive(Clone, Copy, Debug, Default)]
struct Need {
    /// Rows of the table of entries, including its head.
    rows: u32,
    binders: u32,
    jobs: u32,
}

impl Need {
    fn of(text: &str) -> Need {
        let found = |kind: TokenKind| kind.spelling().map_or(0, |word| text.matches(word).count()) as u32;
        let most = limits::TESTS as u32;
        let (tests, properties) = (found(TokenKind::Test).min(most), found(TokenKind::Prop).min(most));
        Need {
            rows: 1 + (tests + properties).min(most),
            binders: if properties > 0 { found(TokenKind::In) } else { 0 },
            jobs: tests + properties * max_exhaustive_size(limits::SAMPLES),
        }
    }

    /// Adds another text's bounds.
    fn with(self, other: Need) -> Need {
        Need {
            rows: self.rows + other.rows,
            binders: self.binders + other.binders,
            jobs: self.jobs + other.jobs,
        }
    }

    /// Returns the words of the table of entries.
    fn table(self) -> u64 {
        u64::from(entry::WORDS) * u64::from(self.rows) + u64::from(binder::WORDS) * u64::from(self.binders)
    }

    /// Returns the words of the results of `programs` programs.
    fn results(self, programs: u32) -> u64 {
        u64::from(sum::WORDS) * u64::from(programs) + u64::from(job::WORDS) * u64::from(self.jobs)
    }

    /// Whether the tables fit the limits of a binding and a dispatch.
    fn fits(self, programs: u32, limits: &wgpu::Limits) -> bool {
        let words = self.table().max(self.results(programs));
        words * 4 <= limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
            && self.rows < limits.max_compute_workgroups_per_dimension
    }
}

/// The buffers of a batch of texts, reused for the next batch.
pub struct Texts {
    arena: Option<Arena>,
    pub entries: wgpu::Buffer,
    /// One record per text, then one record per job.
    pub results: wgpu::Buffer,
    pub rows: u32,
    /// The size of the next batch in texts; adapts to the time of batches.
    pub most: u32,
}

impl Texts {
    /// # Errors
    /// If the device fails.
    pub fn new(gpu: &Gpu, tuning: Tuning) -> Result<Texts, EngineError> {
        gpu.scoped(|| Texts {
            arena: None,
            entries: storage(gpu, "texts' entries", 4),
            results: storage(gpu, "texts' results", 4),
            rows: 0,
            most: tuning.programs,
        })
    }

    /// Adds the allocated sizes of its buffers.
    pub fn add_to(&self, memory: &mut Memory) {
        memory.execution += self.entries.size() + self.results.size();
        self.arena.iter().for_each(|arena| arena.add_to(memory));
    }

    /// Uploads the first of some texts: as many as fit, at most `most`. The caller returns the arena with
    /// [`Texts::give_back`].
    ///
    /// # Errors
    /// If the device has no memory for one text.
    pub fn lay_out(
        &mut self,
        gpu: &Gpu,
        compiler: &GpuCompiler,
        candidates: &[TestedCandidate],
        epoch: u32,
        level: OptLevel,
    ) -> Result<Arena, EngineError> {
        let limits = gpu.device.limits();
        let mut shape = Shape::default();
        let mut old = self.arena.take();
        if let Some(old) = &mut old {
            std::mem::swap(&mut shape, &mut old.shape);
            shape.clear();
        }
        let (mut need, mut bytes) = (Need::default(), 0);
        for candidate in candidates.iter().take(self.most.max(1) as usize) {
            let text = source(candidate.text);
            let (room, own) = (Room::of_text(text), Need::of(text));
            let (both, programs) = (need.with(own), shape.params.programs + 1);
            bytes += room.bytes() + text.len() as u64;
            let fits =
                bytes <= BYTES && both.fits(programs, &limits) && shape.fits_with(room, text.len(), &limits);
            if programs > 1 && !fits {
                break;
            }
            let at = shape.push_text(text);
            let program = shape.push(room, at, candidate.text.len() as u32);
            program.entry_base = need.rows;
            program.entry_room = own.rows - 1;
            // Offsets within their own kind; the bases are added when all texts are known.
            program.domains = binder::WORDS * need.binders;
            program.records = job::WORDS * need.jobs;
            need = both;
        }
        let programs = shape.params.programs;
        for Program { domains, records, .. } in &mut shape.programs {
            *domains += entry::WORDS * need.rows;
            *records += sum::WORDS * programs;
        }
        (shape.params.epoch, shape.params.level) = (epoch, level.of_variants().number());
        self.rows = need.rows;
        Runs::need(gpu, &mut self.entries, need.table())?;
        Runs::need(gpu, &mut self.results, need.results(programs))?;
        compiler.arena(gpu, old, shape)
    }

    /// Takes back an arena, for the next batch.
    pub fn give_back(&mut self, arena: Arena) {
        self.arena = Some(arena);
    }

    /// Returns the part of the results with the records of `texts` texts.
    pub fn records(&self, texts: u32) -> Part<'_> {
        (&self.results, 0, u64::from(sum::WORDS * texts))
    }
}

/// Returns the text to upload. A text that is too long is rejected by its length alone, so its bytes are not
/// needed.
pub fn source(text: &str) -> &str {
    if text.len() > limits::SOURCE_BYTES { "" } else { text }
}
