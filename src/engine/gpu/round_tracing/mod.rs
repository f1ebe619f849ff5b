//! Records the rounds of stages with the stages' own shaders, instrumented with a call after each barrier.
//!
//! The instrumented text differs from the stage's own text in two ways: `shaders/round_tracing/scratch.wgsl` replaces
//! `shared/scratch`; and where a `#round` describes a barrier, a call of `shaders/round_tracing/rounds.wgsl` follows it.
//! The recorded words follow the scratch. If a stage has more rounds than fit, it runs again for the missing
//! ones.

mod pieces;

use std::sync::Arc;

use crate::compiler::layout::WORKGROUP;
use crate::compiler::layout::numbers::round_trace;
use crate::compiler::layout::scratch::{IR_SCRATCH, TOKEN_SCRATCH};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::rounds::{Recording, Site, SiteKind, StageRounds};
use crate::compiler::stage::Stage;
use crate::engine::EngineError;
use crate::host::measure::numbers::grouped;
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
/// Loop iterations per invocation for recording, in addition to those of the stage itself.
const ITERATIONS: usize = 12_000;
/// The maximum size of a recording in bytes.
const MOST: usize = 96 << 20;
/// The maximum size of a program in tokens. Each round records all columns, which must stay readable.
pub const LARGEST: usize = 2048;

/// The instrumented shaders of the stages.
pub struct RoundTracer {
    stages: Vec<(CompileStage, Vec<Site>)>,
}

impl RoundTracer {
    /// Compiles the shaders.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(gpu: &Gpu) -> Result<RoundTracer, EngineError> {
        let stage = |(stage, shader): &'static (Stage, shaders::Shader)| {
            let (text, sites) = text(*stage, shader).map_err(EngineError::Bug)?;
            let kernel = Kernel::of_text(gpu, shader, text)?;
            Ok((CompileStage { stage: *stage, kernel, expand: None }, sites))
        };
        let stages = shaders::COMPILE.iter().map(stage).collect::<Result<_, EngineError>>()?;
        Ok(RoundTracer { stages })
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
        // The rounds of expansions are not recorded.
        let (group, level) = (program.group, program.level.of_variants());
        let mut compiled = Compiled { text: program.text.clone(), group, level, ..Default::default() };
        let device = format!("{} ({})", gpu.adapter.name, gpu.adapter.backend);
        let mut recording = Recording { device, stages: Vec::new() };
        for (stage, sites) in &self.stages {
            if watch.cancelled() {
                return Err(EngineError::Cancelled);
            }
            let bytes: usize = recording.stages.iter().map(StageRounds::bytes).sum();
            let rounds = record_stage(gpu, stage, sites, program, &mut compiled, MOST - bytes.min(MOST))?;
            if !rounds.rounds.is_empty() {
                recording.stages.push(rounds);
            }
        }
        Ok((recording, compiled))
    }
}

/// Returns the instrumented text of a stage's shader, and the sentences by their numbers.
///
/// # Errors
/// As [`wgsl::assemble_tracing`].
pub fn text(stage: Stage, shader: &shaders::Shader) -> Result<(String, Vec<Site>), String> {
    wgsl::assemble_tracing(shader.file, &ColumnLayout::reader(stage))
}

/// Records the rounds of one stage. `compiled` holds the output of the earlier stages, and of this stage
/// afterwards.
fn record_stage(
    gpu: &Gpu,
    stage: &CompileStage,
    sites: &[Site],
    program: &Compiled,
    compiled: &mut Compiled,
    most: usize,
) -> Result<StageRounds, EngineError> {
    let room = Room::new(program.tokens.kind.len() as u32, codes(program));
    let mut shape = Shape::default();
    shape.params.level = program.level.of_variants().number();
    let base = shape.push_text(&program.text);
    shape.push(room, base, program.text.len() as u32);
    let pieces = ColumnLayout::new(stage.stage, program, &shape.params);
    let mut rounds = StageRounds::new(stage.stage, sites.to_vec(), pieces.columns());
    let kept = (ITERATIONS / pieces.iterations().max(1)).max(1) * (pieces.words() + 1);
    let words = kept.min(ROOM).max(pieces.words() + 1);
    shape.behind = u64::from(round_trace::WORDS) + words as u64;
    let head = u64::from(TOKEN_SCRATCH * shape.params.token_capacity + IR_SCRATCH * shape.params.ir_capacity);
    let before = compiled.clone();
    let mut first = 0;
    loop {
        let mut arena = Arena::new(gpu, &stage.kernel, shape.clone())?;
        arena.upload(gpu, 0, &before);
        let scratch = &arena.buffers[binding::SCRATCH];
        gpu.write(scratch, head * 4, bytemuck::cast_slice(&pieces.head(first, words as u32)));
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
