//! Repeats a measurement of one program.

use std::sync::Arc;
use std::time::Instant;

use crate::engine::{Engine, EngineError};
use crate::host::measure::stat::Stat;

/// The number of measurements of a single program.
pub const REPEATS: u32 = 9;

/// Returns the milliseconds since a moment.
pub fn since(from: Instant) -> f64 {
    from.elapsed().as_secs_f64() * 1e3
}

/// Repeats a measurement [`REPEATS`] times.
pub fn repeat(mut once: impl FnMut() -> Result<f64, EngineError>) -> Result<Stat, EngineError> {
    let times = (0..REPEATS).map(|_| once()).collect::<Result<Vec<f64>, _>>()?;
    Ok(Stat::of(times).unwrap_or(Stat { median: f64::NAN, spread: 0.0, of: 0 }))
}

/// Compiles one program from text to bytecode. Returns the times of its stages, the total, and how often the bytecode
/// equals the first one.
pub fn one(engine: &mut dyn Engine, text: &Arc<str>) -> Result<([Stat; 9], Stat, u32), EngineError> {
    let mut times: [Vec<f64>; 9] = Default::default();
    let (mut first, mut same) = (None, 0);
    let whole = repeat(|| {
        let from = Instant::now();
        let (compiled, timings) = engine.compile(text, &|| false)?;
        let whole = since(from);
        same += u32::from(compiled.executable == first.get_or_insert_with(|| compiled.clone()).executable);
        for (list, time) in times.iter_mut().zip(timings.parts) {
            list.push(time.as_secs_f64() * 1e3);
        }
        Ok(whole)
    })?;
    let none = Stat { median: 0.0, spread: 0.0, of: 0 };
    Ok((times.map(|list| Stat::of(list).unwrap_or(none)), whole, same))
}
