//! Bases at a level above that of their variants.
//!
//! Verdicts compare a variant's code with the base's, so both must be of one level ([`OptLevel::of_variants`]).
//! A base above it is compiled and tested twice: at its own level, which is shown and run, and at the variants'.

use std::sync::Arc;

use super::{BaseResult, Engine, EngineError, EngineSettings};
use crate::compiler::program::Watch;
use crate::lang::level::{LevelChoice, OptLevel};

/// A base at two levels. They are the same result if its level is one of variants.
#[derive(Clone, Debug)]
pub struct LeveledBase {
    pub shown: BaseResult,
    /// At the level of its variants. The engine holds this one.
    pub judged: BaseResult,
}

impl LeveledBase {
    /// A base whose level is one of variants.
    pub fn level(judged: BaseResult) -> LeveledBase {
        LeveledBase { shown: judged.clone(), judged }
    }
}

/// Compiles and tests a base at a level and at that of its variants. Later bases are compiled at the latter.
/// `show` receives the results that the user reads, as soon as they are known; the last one counts.
///
/// # Errors
/// As [`Engine::base`].
pub fn base(
    engine: &mut dyn Engine,
    choice: LevelChoice,
    text: &Arc<str>,
    watch: &dyn Watch,
    show: &mut dyn FnMut(&BaseResult),
) -> Result<LeveledBase, EngineError> {
    let level = choice.level();
    set_level(engine, level);
    if choice == LevelChoice::Automatic {
        return engine.leveled(text, watch, show);
    }
    let shown = engine.base(text, watch);
    // Whatever happened, the engine is left at the level of variants.
    set_level(engine, level.of_variants());
    let shown = shown?;
    show(&shown);
    if level == level.of_variants() {
        return Ok(LeveledBase::level(shown));
    }
    Ok(LeveledBase { shown, judged: engine.base(text, watch)? })
}

/// Sets the level of later bases.
fn set_level(engine: &mut dyn Engine, level: OptLevel) {
    let settings = engine.settings();
    if settings.level != level {
        engine.configure(EngineSettings { level, ..settings });
    }
}
