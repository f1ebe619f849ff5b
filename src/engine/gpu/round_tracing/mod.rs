//! Records the rounds of stages with the stages' own shaders, instrumented with a call after each barrier.
//!
//! The instrumented text differs from the stage's own text in two ways: `shaders/round_tracing/scratch.wgsl` replaces
//! `shared/scratch`; and where a `#round` describes a barrier, a call of `shaders/round_tracing/rounds.wgsl` follows it.
//! The recorded words follow the scratch. If a stage has more rounds than fit, it runs again for the missing
//! ones.

mod pieces;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::compiler::layout::WORKGROUP;
use crate::compiler::layout::numbers::round_trace;
use crate::compiler::layout::scratch::{IR_SCRATCH, TOKEN_SCRATCH};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::rounds::{Recording, RoundSite, SiteKind, StageRounds};
use crate::compiler::stage::{BackEnd, Stage};
use crate::engine::EngineError;
use crate::host::measure::numbers::grouped;
use crate::lang::level::OptLevel;
use crate::lang::token::TokenKind;

use super::arena::{Arena, Room, Shape, binding};
use super::compiler::CompileStage;
use super::device::Gpu;
use super::kernel::Kernel;
use super::records::incomplete;
use super::{shaders, wgsl};
use pieces::ColumnLayout;

/// Words for the rounds of one run of a stage: 32 MiB.
const ROOM: usize = 8 << 20;
/// Loop iterations per invocation and dispatch for recording, in addition to those of the stage itself.
const ITERATIONS: usize = 12_000;
/// The maximum size of a recording in bytes.
const MOST: usize = 96 << 20;
/// The maximum size of a program in tokens. Each round records all columns, which must stay readable.
pub const LARGEST: usize = 2048;

/// A stage with instrumented shaders, and their sentences by number.
type TracedStage = (CompileStage, Vec<RoundSite>);

pub struct RoundTracer {
    stages: Vec<TracedStage>,
    /// The optimizer with its expansions, compiled for the first program of level 2.
    expanding: OnceLock<TracedStage>,
    /// Whether a program was recorded, so that the shaders are compiled.
    is_warm: AtomicBool,
}

impl RoundTracer {
    /// Compiles the shaders.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(gpu: &Gpu) -> Result<RoundTracer, EngineError> {
        let stages = shaders::COMPILE.iter().map(|(stage, shader)| traced(gpu, *stage, shader));
        let stages = stages.collect::<Result<_, _>>()?;
        Ok(RoundTracer { stages, expanding: OnceLock::new(), is_warm: AtomicBool::new(false) })
    }

    fn stages(&self, gpu: &Gpu, level: OptLevel) -> Result<Vec<&TracedStage>, EngineError> {
        let mut stages: Vec<&TracedStage> = self.stages.iter().collect();
        if level == OptLevel::Whole
            && let Some(optimize) = stages.iter_mut().find(|(own, _)| own.stage == Stage::Optimize)
        {
            if self.expanding.get().is_none() {
                let (mut own, sites) = traced(gpu, Stage::Optimize, optimize.0.kernel.shader())?;
                // Both kernels record into the same words, so their sentences are numbered together.
                let (expand, sites) =
                    text(Stage::Optimize, &shaders::EXPAND, sites).map_err(EngineError::Bug)?;
                own.expand = Some(Kernel::of_text(gpu, &shaders::EXPAND, expand)?);
                // Another thread may have been faster.
                drop(self.expanding.set((own, sites)));
            }
            *optimize = self.expanding.get().ok_or_else(incomplete)?;
        }
        Ok(stages)
    }

    /// Records the rounds of a program. Also returns the program as compiled by the device.
    ///
    /// # Errors
    /// If it is cancelled, the program is too large, or the device fails.
    pub fn record(
        &self,
        gpu: &Gpu,
        program: &Compiled,
        watch: &dyn Watch,
    ) -> Result<(Recording, Compiled), EngineError> {
        if !fits(program) {
            let most = grouped(LARGEST as u64);
            let own = grouped(size(program) as u64);
            let why = format!(
                "rounds are recorded for at most {most} tokens or instructions, and this program has {own}"
            );
            return Err(EngineError::TooLarge(why));
        }
        let refined = program.level == OptLevel::Whole && !program.ir.op.is_empty();
        let own = refined.then(|| BackEnd::shared(program));
        let program = own.as_ref().unwrap_or(program);
        let (group, level) = (program.group, program.level);
        let mut compiled = Compiled { text: program.text.clone(), group, level, ..Default::default() };
        let device = format!("{} ({})", gpu.adapter.name, gpu.adapter.backend);
        let mut recording = Recording { device, stages: Vec::new() };
        let left =
            |recording: &Recording| MOST.saturating_sub(recording.stages.iter().map(StageRounds::bytes).sum());
        let stages = self.stages(gpu, level)?;
        let (all, is_warm) = (stages.len(), self.is_warm.load(Ordering::Relaxed));
        let _ended = ProgressEnd(gpu);
        for (number, (stage, sites)) in stages.into_iter().enumerate() {
            if watch.cancelled() {
                return Err(EngineError::Cancelled);
            }
            if !is_warm {
                let (name, done) = (stage.stage.name(), number + 1);
                gpu.news.progress(&format!("compiling and recording {name}, stage {done} of {all}"));
            }
            let rounds = record_stage(gpu, stage, sites, program, &mut compiled, left(&recording))?;
            if !rounds.rounds.is_empty() {
                recording.stages.push(rounds);
            }
        }
        self.is_warm.store(true, Ordering::Relaxed);
        Ok((recording, compiled))
    }
}

/// Ends the progress of a recording, however it ends.
struct ProgressEnd<'a>(&'a Gpu);

impl Drop for ProgressEnd<'_> {
    fn drop(&mut self) {
        self.0.news.progress("");
    }
}

/// Compiles the instrumented shader of a stage.
fn traced(gpu: &Gpu, stage: Stage, shader: &'static shaders::Shader) -> Result<TracedStage, EngineError> {
    let (text, sites) = text(stage, shader, Vec::new()).map_err(EngineError::Bug)?;
    Ok((CompileStage { stage, kernel: Kernel::of_text(gpu, shader, text)?, expand: None }, sites))
}

/// Returns the instrumented text of a stage's shader, and the sentences by their numbers. Those of another shader,
/// `sites`, come first.
///
/// # Errors
/// As [`wgsl::assemble_tracing`].
pub fn text(
    stage: Stage,
    shader: &shaders::Shader,
    sites: Vec<RoundSite>,
) -> Result<(String, Vec<RoundSite>), String> {
    wgsl::assemble_tracing(shader.file, &ColumnLayout::reader(stage), sites)
}

/// Records the rounds of one stage. `compiled` holds the output of the earlier stages, and of this stage
/// afterwards.
fn record_stage(
    gpu: &Gpu,
    stage: &CompileStage,
    sites: &[RoundSite],
    program: &Compiled,
    compiled: &mut Compiled,
    most: usize,
) -> Result<StageRounds, EngineError> {
    let room = Room::new(program.tokens.kind.len() as u32, codes(program)).at(program.level);
    let mut shape = Shape::default();
    shape.params.level = program.level.number();
    let base = shape.push_text(&program.text);
    shape.push(room, base, program.text.len() as u32);
    let pieces = ColumnLayout::new(stage.stage, program, &shape.params);
    let mut rounds = StageRounds::new(stage.stage, sites.to_vec(), pieces.columns());
    let kept = (ITERATIONS / pieces.iterations().max(1)).max(1);
    let words = (stage.dispatches() * kept * (pieces.words() + 1))
        .clamp(pieces.words() + 1, ROOM.max(pieces.words() + 1));
    shape.behind = u64::from(round_trace::WORDS) + words as u64;
    let head = u64::from(TOKEN_SCRATCH * shape.params.token_capacity + IR_SCRATCH * shape.params.ir_capacity);
    let before = compiled.clone();
    let mut first = 0;
    loop {
        let mut arena = Arena::new(gpu, &stage.kernel, shape.clone())?;
        arena.upload(gpu, 0, &before);
        let scratch = &arena.buffers[binding::SCRATCH];
        gpu.write(scratch, head * 4, bytemuck::cast_slice(&pieces.head(first, kept as u32, words as u32)));
        let mut encoder = gpu.encoder();
        stage.encode(&mut encoder.begin_compute_pass(&Default::default()), &arena);
        let mut parts = arena.readable();
        parts.push((scratch, head, u64::from(round_trace::WORDS)));
        let mut read = gpu.read(encoder, &parts)?;
        let counts = read.pop().ok_or_else(incomplete)?;
        let count = |place: u32| counts.get(place as usize).copied().unwrap_or(0);
        let used = count(round_trace::USED).min(words as u32);
        let text =
            gpu.read(gpu.encoder(), &[(scratch, head + u64::from(round_trace::WORDS), u64::from(used))])?;
        push(&mut rounds, text.first().ok_or_else(incomplete)?)?;
        first += count(round_trace::KEPT);
        if rounds.bytes() > most {
            let most = grouped((MOST >> 20) as u64);
            return Err(EngineError::TooLarge(format!("its rounds take more than {most} MiB of memory")));
        }
        if first >= count(round_trace::ROUNDS) || count(round_trace::KEPT) == 0 {
            arena.unpack(&read, 0, stage.stage, compiled)?;
            return Ok(rounds);
        }
    }
}

/// Whether a program is small enough to record its rounds.
pub fn fits(program: &Compiled) -> bool {
    size(program) <= LARGEST
}

/// Returns the number of tokens or of instructions, whichever is larger.
fn size(program: &Compiled) -> usize {
    program.tokens.kind.len().max(program.lowered.op.len())
}

/// Returns the number of character codes in strings, each of which becomes an instruction.
fn codes(program: &Compiled) -> u32 {
    let tokens = program.tokens.kind.iter().zip(&program.tokens.value);
    tokens.filter(|(kind, _)| **kind == TokenKind::Str as u32).map(|(_, codes)| codes).sum()
}

/// Decodes the rounds from the recorded words.
fn push(rounds: &mut StageRounds, mut words: &[u32]) -> Result<(), EngineError> {
    while let [site, rest @ ..] = words {
        let known = rounds.sites.get(*site as usize).ok_or_else(incomplete)?;
        let columns = matches!(known.kind, SiteKind::Columns(_));
        let size = if columns { rounds.words() } else { 2 * WORKGROUP as usize };
        let (round, behind) = rest.split_at_checked(size).ok_or_else(incomplete)?;
        match columns {
            true => rounds.push_state(*site as usize, round),
            false => rounds.push_lanes(*site as usize, round),
        }
        words = behind;
    }
    Ok(())
}

/// Records a program's rounds and compiles it with the instrumented stages, for tests.
///
/// # Errors
/// As [`RoundTracer::record`].
pub fn record(gpu: &Gpu, program: &Arc<Compiled>) -> Result<(Recording, Compiled), EngineError> {
    RoundTracer::new(gpu)?.record(gpu, program, &|| false)
}
