//! The effect of each optimizer pass on the program's own tests.

use crate::compiler::stage::execute::Tally;
use crate::compiler::stage::passes::{agree, forms, run};
use crate::engine::EngineError;

use super::task::{Step, Task};

/// Results of the tests on the code after each pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassProfile {
    pub rungs: Vec<PassPoint>,
}

/// The code after one pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassPoint {
    /// `lower`, or the number and name of the pass that produced this code.
    pub name: String,
    /// Number of instructions, without deleted ones.
    pub instructions: usize,
    /// Steps that each test or property takes over all its inputs.
    pub steps: Vec<u64>,
    /// Tests whose result differs from their result on the previous rung.
    pub different: Vec<usize>,
}

/// Runs the tests on each form of the code; reports a [`PassProfile`].
pub fn serve(task: &Task) -> Result<Step, EngineError> {
    let compiled = &task.judged.shown.compiled;
    let mut ladder = PassProfile::default();
    let mut before: Option<Vec<Tally>> = None;
    for form in forms(compiled) {
        let tallies = run(compiled, &form, task).ok_or(EngineError::Cancelled)?;
        let pairs = before.iter().flatten().zip(&tallies).enumerate();
        let different = pairs.filter(|(_, (before, after))| !agree(before, after)).map(|(index, _)| index);
        ladder.rungs.push(PassPoint {
            instructions: form.instructions(),
            steps: tallies.iter().map(|tally| tally.steps).collect(),
            different: different.collect(),
            name: form.name,
        });
        before = Some(tallies);
    }
    task.found(ladder);
    Ok(Step::Done)
}
