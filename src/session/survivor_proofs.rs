//! Looks for proofs that survivors equal the program, while a panel that lists them is open.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::judged::Judged;
use super::messages::Update;
use super::proofs::Proved;
use super::task::{Step, Task};
use crate::compiler::program::Compiled;
use crate::compiler::variants::Variants;
use crate::engine::EngineError;
use crate::lang::index::{Index, MutantId};
use crate::lang::verdict::MutantStatus;
use crate::testing::equivalence::Equality;
use crate::testing::prove::{Finding, survivor};

/// Time between two polls of the shared state.
const STRETCH: Duration = Duration::from_millis(30);

/// Proofs in progress.
pub struct Begun {
    judged: Arc<Judged>,
    variants: Variants<Arc<Compiled>>,
    /// Survivors that are not examined yet, the next one last.
    left: Vec<MutantId>,
    proved: Proved,
}

impl Begun {
    fn new(judged: Arc<Judged>) -> Begun {
        let variants = Variants::new(judged.base.compiled.clone());
        let survives = |id: &MutantId| {
            judged.counted.get(id.position()).is_some_and(|verdict| verdict.status == MutantStatus::Survived)
        };
        let first_order = MutantId::all().take(variants.first_order() as usize);
        let mut left: Vec<MutantId> = first_order.filter(survives).collect();
        left.reverse();
        let proved = Proved::clone(&judged.proved);
        Begun { judged, variants, left, proved }
    }
}

/// Continues the proofs; reuses `begun` if it is of this text. Reports [`Update::Proved`].
pub fn serve(begun: &mut Option<Begun>, task: &Task) -> Result<Step, EngineError> {
    let now = match begun.take() {
        Some(begun) if begun.judged.epoch == task.judged.epoch => begun,
        _ => Begun::new(task.judged.clone()),
    };
    let now = begun.insert(now);
    let (started, mut found) = (Instant::now(), false);
    while started.elapsed() < STRETCH
        && let Some(id) = now.left.last().copied()
    {
        if let Finding::Equal(reason) = survivor(&now.variants, id, task).ok_or(EngineError::Cancelled)? {
            now.proved.equal.insert(id, Equality::Base(reason));
            found = true;
        }
        now.left.pop();
    }
    if found {
        now.proved.update(&now.variants, &now.judged.verdicts, &now.judged.counted);
        let proved = Arc::new(now.proved.clone());
        task.shared.tell(now.judged.epoch, Update::Proved { revision: now.judged.revision, proved });
    }
    Ok(if now.left.is_empty() { Step::Done } else { Step::Begun })
}
