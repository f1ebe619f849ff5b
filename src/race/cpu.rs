//! The CPU engine on all cores: variants as edits of the checked tokens, compiled in chunks, copies recognised.

use std::time::Instant;

use super::{Absent, Fate, Field, Flag, Track};
use crate::engine::cpu::CpuEngine;
use crate::engine::{Engine, EngineError, Kind};

pub fn run(field: &Field, track: &mut Track) -> Result<String, Absent> {
    let mut engine = CpuEngine::new();
    let flag = track.start(Kind::Cpu);
    judge_all(&mut engine, field, flag, track)?;
    Ok(engine.describe())
}

/// Lets an engine judge the whole field.
pub fn judge_all(engine: &mut dyn Engine, field: &Field, flag: Flag, track: &mut Track) -> Result<(), Absent> {
    let from = Instant::now();
    let failed = |error: EngineError| Absent::Failed(error.to_string());
    engine.base(&field.program.text).map_err(failed)?;
    track.spent("the program itself", from.elapsed());
    let from = Instant::now();
    let judged = engine.mutants(0, field.k, &|| flag.is_up(), &mut |part| {
        for (id, verdict) in (part.first..).zip(&part.verdicts) {
            // Twins have lower ids, so theirs is known.
            let fate = Fate::of(*verdict, |twin| track.fate(twin));
            track.report(id, fate);
        }
    });
    track.spent("variants", from.elapsed());
    match judged {
        Ok(()) | Err(EngineError::Cancelled) => Ok(()),
        Err(error) => Err(failed(error)),
    }
}
