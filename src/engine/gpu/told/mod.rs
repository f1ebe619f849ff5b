//! Rounds told: the stages' own shaders, with a call behind each barrier that writes the columns down.
//!
//! What runs is the text that compiles programs, but for two things: `shaders/told/scratch.wgsl` stands in the place of
//! `shared/scratch`, and behind a barrier that has a sentence stands a call of `shaders/told/rounds.wgsl`. What that writes stands
//! behind the scratch. A stage that makes more rounds than there is room for runs again, for those that are missing.

mod pieces;

use std::sync::Arc;

use crate::compiler::layout::WORKGROUP;
use crate::compiler::layout::numbers::told;
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
use pieces::Pieces;

/// Words for rounds that a run of a stage has room for: 32 MiB.
const ROOM: usize = 8 << 20;
/// Loop iterations that an invocation may spend on telling, besides those of the stage itself.
const ITERATIONS: usize = 12_000;
/// Bytes that a recording may take.
const MOST: usize = 96 << 20;
/// Tokens of the largest program that is told of: each round writes down all columns, and a person is to look at them.
pub const LARGEST: usize = 2048;

/// The stages' shaders, telling.
pub struct Telling {
    stages: Vec<(CompileStage, Vec<Site>)>,
}

impl Telling {
    /// Compiles the shaders.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(gpu: &Gpu) -> Result<Telling, EngineError> {
        let stage = |(stage, shader): &'static (Stage, shaders::Shader)| {
            let (text, sites) = text(*stage, shader).map_err(EngineError::Fault)?;
            let kernel = Kernel::of_text(gpu, shader, text)?;
            Ok((CompileStage { stage: *stage, kernel }, sites))
        };
        let stages = shaders::COMPILE.iter().map(stage).collect::<Result<_, EngineError>>()?;
        Ok(Telling { stages })
    }

    /// The rounds of a program, and what the device has compiled it to.
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
            let why = format!("rounds are told of at most {most} tokens or instructions, and here are {own}");
            return Err(EngineError::TooLarge(why));
        }
        let mut compiled = Compiled { text: program.text.clone(), group: program.group, ..Default::default() };
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

/// The text of a stage's shader where it tells of its rounds, and the sentences by the numbers that are told.
///
/// # Errors
/// As [`wgsl::assemble_told`].
pub fn text(stage: Stage, shader: &shaders::Shader) -> Result<(String, Vec<Site>), String> {
    wgsl::assemble_told(shader.file, &Pieces::reader(stage))
}

/// The rounds of one stage; `compiled` is as the stages before have left it, and then as this one does.
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
    let base = shape.push_text(&program.text);
    shape.push(room, base, program.text.len() as u32);
    let pieces = Pieces::new(stage.stage, program, &shape.params);
    let mut rounds = StageRounds::new(stage.stage, sites.to_vec(), pieces.columns());
    let kept = (ITERATIONS / pieces.iterations().max(1)).max(1) * (pieces.words() + 1);
    let words = kept.min(ROOM).max(pieces.words() + 1);
    shape.behind = u64::from(told::WORDS) + words as u64;
    let head = u64::from(TOKEN_SCRATCH * shape.params.token_capacity + IR_SCRATCH * shape.params.ir_capacity);
    let before = compiled.clone();
    let mut first = 0;
    loop {
        let mut arena = Arena::new(gpu, stage, shape.clone())?;
        arena.upload(gpu, 0, &before);
        let scratch = &arena.buffers[binding::SCRATCH];
        gpu.write(scratch, head * 4, bytemuck::cast_slice(&pieces.head(first, words as u32)));
        let mut encoder = gpu.encoder();
        stage.encode(&mut encoder.begin_compute_pass(&Default::default()), &arena);
        let mut parts = arena.readable();
        parts.push((scratch, head, u64::from(told::WORDS)));
        let mut read = gpu.read(encoder, &parts)?;
        let counts = read.pop().ok_or_else(incomplete)?;
        let count = |place: u32| counts.get(place as usize).copied().unwrap_or(0);
        let used = count(told::USED).min(words as u32);
        let text = gpu.read(gpu.encoder(), &[(scratch, head + u64::from(told::WORDS), u64::from(used))])?;
        push(&mut rounds, text.first().ok_or_else(incomplete)?)?;
        first += count(told::KEPT);
        if rounds.bytes() > most {
            let most = grouped((MOST >> 20) as u64);
            return Err(EngineError::TooLarge(format!("its rounds take more than {most} MiB of memory")));
        }
        if first >= count(told::ROUNDS) || count(told::KEPT) == 0 {
            arena.unpack(&read, 0, stage.stage, compiled)?;
            return Ok(rounds);
        }
    }
}

/// Whether a program is small enough to be told of.
pub fn fits(program: &Compiled) -> bool {
    size(program) <= LARGEST
}

/// Its tokens or its instructions, whichever are more.
fn size(program: &Compiled) -> usize {
    program.tokens.kind.len().max(program.lowered.op.len())
}

/// Codes in strings: each is an instruction of its own.
fn codes(program: &Compiled) -> u32 {
    let tokens = program.tokens.kind.iter().zip(&program.tokens.value);
    tokens.filter(|(kind, _)| **kind == TokenKind::Str as u32).map(|(_, codes)| codes).sum()
}

/// Reads the rounds off what was told of them.
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

/// A program as the told stages compile it: what tests hold against the twins.
///
/// # Errors
/// As [`Telling::record`].
pub fn record(gpu: &Gpu, program: &Arc<Compiled>) -> Result<(Recording, Compiled), EngineError> {
    Telling::new(gpu)?.record(gpu, program, &|| false)
}
