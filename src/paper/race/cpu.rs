//! The CPU engine on all cores: variants are edits of the checked tokens, compiled in chunks, with duplicates
//! recognised.

use std::time::Instant;

use super::{Fate, Field, Flag, NoScore, Ready, Resource, Track};
use crate::engine::cpu::CpuEngine;
use crate::engine::{Engine, EngineError, EngineSettings};
use crate::lang::index::Indices;

struct Cpu(CpuEngine);

pub fn prepare(exact: bool) -> Result<Box<dyn Ready>, NoScore> {
    let mut engine = CpuEngine::new();
    engine.configure(EngineSettings { exact, ..engine.settings() });
    Ok(Box::new(Cpu(engine)))
}

impl Ready for Cpu {
    fn go(&mut self, field: &Field, track: &mut Track) -> Result<String, NoScore> {
        let flag = track.start(Resource::AllCores);
        judge_all(&mut self.0, field, flag, track)?;
        Ok(self.0.describe())
    }
}

/// Judges the whole field with an engine.
pub fn judge_all(engine: &mut dyn Engine, field: &Field, flag: Flag, track: &mut Track) -> Result<(), NoScore> {
    let from = Instant::now();
    let base = engine.base(&field.program.text, &|| flag.is_up());
    track.spent("the program itself", from.elapsed());
    let from = Instant::now();
    let judged = base.and_then(|_| {
        engine.mutants(Indices::first(field.k), &|| flag.is_up(), &mut |part| {
            for (id, verdict) in part.ids().iter().zip(&part.verdicts) {
                // The original of a duplicate has a lower id, so its fate is known.
                let fate = Fate::of(*verdict, |original| track.fate(original));
                track.report(id, fate);
            }
        })
    });
    track.spent("variants", from.elapsed());
    match judged {
        Ok(()) | Err(EngineError::Cancelled) => Ok(()),
        Err(error) => Err(NoScore::Failed(error.to_string())),
    }
}
