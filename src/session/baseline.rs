//! The paper's conventional loop, measured on some of the mutants.

use std::time::Duration;

use super::task::{Step, Task};
use crate::engine::conventional::Conventional;
use crate::engine::{Engine, EngineError};
use crate::lang::index::Indices;
use crate::paper::conventional;
use crate::paper::measured::Loop;

/// Number of mutants measured, spread evenly over all judged ones, and the time limit for all of them.
const SAMPLE: u32 = 64;
const TIME: Duration = Duration::from_millis(120);

/// Time and energy of the conventional loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline(pub Loop);

/// Measures the loop on a sample of the judged mutants, with copies to the device of `engine` and back. Reports
/// a [`Baseline`], or nothing if no mutant was measured.
pub fn measure(task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
    let (base, count) = (&task.judged.base, task.judged.verdicts.len() as u32);
    let mut conventional = Conventional::new(base.compiled.clone(), &base.entries);
    let ids = Indices::first(count).iter().step_by(count.div_ceil(SAMPLE).max(1) as usize);
    let meter = &task.shared.meter;
    if let Some(found) = conventional::measure(&mut conventional, ids, engine, meter, TIME, task)? {
        task.found(Baseline(found));
    }
    Ok(Step::Done)
}
