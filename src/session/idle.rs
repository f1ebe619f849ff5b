//! The work of each idle job and when it is due: one row of [`WORK`] each.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::job::{self, CompareExtent, Job, JobScope, PROOFS, REPAIRS};
use super::judged::Judged;
use super::shared_state::{SessionState, SharedState};
use super::task::{Serve, Setup, Step};
use super::{
    baseline, blocks, changes, comparison, growth, hybrid, inputs, ladder, learning, matrix, neural, noise,
    probes, proofs, repairs, rounds, rules, runs, shaders, survivors, values,
};
use crate::engine::Kind;
use crate::lang::level::OptLevel;
use crate::testing::rules::IN_PROGRAMS;
use crate::testing::trace;

pub struct IdleWork {
    pub job: &'static Job,
    /// Returns when the job is due unless a request comes first, or `None` if it has nothing to do.
    pub due: fn(&SharedState, &SessionState, &Judged) -> Option<Instant>,
    /// Builds the function that does the job on one engine.
    pub make: fn(&Arc<Setup>) -> Serve,
}

/// All jobs, in the order in which an engine does them.
/// Answers that the user waits for come first; comparisons and searches that nobody requested come last.
pub static WORK: [IdleWork; 23] = [
    IdleWork {
        job: &job::RUN,
        // The user waits for this run, so it is due at once.
        due: |_, state, _| Some(state.wanted.since),
        make: |setup| {
            let (setup, mut prepared) = (setup.clone(), false);
            Box::new(move |task, engine| {
                let step = runs::serve(&setup, task, engine)?;
                // Memory for the second recording is allocated while the user looks at the first. Later recordings
                // reuse the memory of the last but one.
                if !std::mem::replace(&mut prepared, true) {
                    trace::preallocate_buffers_in_background();
                }
                Ok(step)
            })
        },
    },
    IdleWork {
        job: &job::VALUES,
        due: |_, state, _| Some(state.wanted.since),
        make: |_| Box::new(|task, _| values::serve(task)),
    },
    IdleWork {
        job: &job::PROBES,
        due: |_, state, _| Some(state.wanted.since),
        make: |_| Box::new(|task, _| probes::serve(task)),
    },
    IdleWork {
        job: &job::RULES,
        due: |_, state, judged| {
            judged.shown.compiled.text.contains(IN_PROGRAMS).then_some(state.wanted.since + PAUSE)
        },
        make: |setup| {
            let setup = setup.clone();
            Box::new(move |task, _| rules::serve(&setup, task))
        },
    },
    IdleWork {
        job: &job::APPLIED_RULES,
        due: |shared, state, judged| {
            let has_rules = judged.shown.compiled.text.contains(IN_PROGRAMS);
            soon(shared, state, judged).filter(|_| has_rules)
        },
        make: |setup| {
            let setup = setup.clone();
            Box::new(move |task, _| rules::apply(&setup, task))
        },
    },
    IdleWork {
        job: &job::CHANGES,
        due: |_, state, _| Some(state.wanted.since),
        make: |_| {
            let mut before = None;
            Box::new(move |task, _| changes::serve(&mut before, task))
        },
    },
    IdleWork {
        // Large pages take 50 ms where memory is in pieces, so memory is prepared before a run is requested.
        job: &job::ROOM,
        due: unasked,
        make: |_| {
            Box::new(|_, _| {
                trace::preallocate_buffers_in_background();
                Ok(Step::Done)
            })
        },
    },
    IdleWork {
        job: &REPAIRS,
        // Shown next to the failing test, so it is sought for every text. If idle work is off, only while the
        // repairs are open.
        due: |shared, state, _| {
            let wanted = shared.extent != CompareExtent::Off || state.wanted.looked.jobs.contains(&&REPAIRS);
            wanted.then_some(state.wanted.since)
        },
        make: |setup| {
            let (limit, mut begun) = (setup.filling, None);
            Box::new(move |task, engine| repairs::serve(limit, &mut begun, task, engine))
        },
    },
    IdleWork {
        job: &job::INPUTS,
        due: |shared, state, judged| match state.wanted.looked.jobs.contains(&&job::INPUTS) {
            true => soon(shared, state, judged),
            false => unasked(shared, state, judged),
        },
        make: |setup| {
            let (setup, mut begun) = (setup.clone(), None);
            Box::new(move |task, _| inputs::serve(&setup, &mut begun, task))
        },
    },
    IdleWork {
        job: &job::NEURAL,
        due: soon,
        make: |setup| {
            let setup = setup.clone();
            Box::new(move |task, engine| neural::compile(&setup, task, engine))
        },
    },
    IdleWork {
        job: &job::GROWTH,
        due: soon,
        make: |setup| {
            let setup = setup.clone();
            Box::new(move |task, engine| growth::measure(&setup, task, engine))
        },
    },
    IdleWork {
        job: &job::ROUTER,
        due: soon,
        make: |setup| {
            let mut hybrid = hybrid::SessionHybrid::new(setup.clone());
            Box::new(move |task, engine| hybrid.serve(task, engine))
        },
    },
    IdleWork { job: &job::NOISE, due: soon, make: |_| Box::new(noise::simulate) },
    IdleWork {
        job: &job::SURVIVORS,
        due: soon,
        make: |_| {
            let mut begun = None;
            Box::new(move |task, _| survivors::serve(&mut begun, task))
        },
    },
    IdleWork {
        job: &job::MATRIX,
        due: soon,
        make: |_| {
            let mut begun = None;
            Box::new(move |task, _| matrix::serve(&mut begun, task))
        },
    },
    IdleWork { job: &job::BLOCKS, due: soon, make: |_| Box::new(|task, _| blocks::serve(task)) },
    IdleWork { job: &job::LADDER, due: soon, make: |_| Box::new(|task, _| ladder::serve(task)) },
    IdleWork {
        job: &job::BASELINE,
        due: |shared, state, judged| {
            let wanted = shared.extent != CompareExtent::Off && !judged.verdicts.is_empty();
            wanted.then_some(state.wanted.since + shared.idle)
        },
        make: |_| Box::new(baseline::measure),
    },
    IdleWork { job: &job::ROUNDS, due: soon, make: |_| Box::new(rounds::serve) },
    IdleWork { job: &job::SHADERS, due: shaders::due, make: |_| Box::new(shaders::serve) },
    IdleWork {
        // After SHADERS, which leaves the program in the other engine.
        job: &job::COMPARISON,
        due: comparison::due,
        make: |_| {
            let mut begun = None;
            Box::new(move |task, engine| comparison::serve(&mut begun, task, engine))
        },
    },
    IdleWork {
        job: &PROOFS,
        // If idle work is off, survivors are proved only while their panel is open.
        due: |shared, state, judged| match state.wanted.looked.jobs.contains(&&PROOFS) {
            true => soon(shared, state, judged),
            false => {
                let wanted = shared.extent != CompareExtent::Off && !judged.verdicts.is_empty();
                wanted.then_some(state.wanted.since + shared.idle)
            }
        },
        make: |setup| {
            let (setup, mut begun) = (setup.clone(), None);
            Box::new(move |task, _| proofs::serve(&setup, &mut begun, task))
        },
    },
    IdleWork {
        job: &job::LEARNING,
        // Only a user of level 3 wants better code.
        due: |shared, state, judged| {
            let learns = judged.shown.compiled.level == OptLevel::Learned;
            let wanted = learns && shared.extent != CompareExtent::Off && judged.base.compiled.facts.compiles();
            wanted.then_some(state.wanted.since + shared.idle)
        },
        make: |setup| {
            let (setup, mut searches) = (setup.clone(), learning::Searches::default());
            Box::new(move |task, engine| searches.serve(&setup, task, engine))
        },
    },
];

/// A job whose panel is open becomes due this long after the last request.
/// While the user types on, the work would be thrown away.
const PAUSE: Duration = Duration::from_millis(60);

/// Due after a pause, if idle work that nobody requested is allowed.
fn unasked(shared: &SharedState, state: &SessionState, _: &Judged) -> Option<Instant> {
    (shared.extent != CompareExtent::Off).then_some(state.wanted.since + PAUSE)
}

fn soon(_: &SharedState, state: &SessionState, _: &Judged) -> Option<Instant> {
    Some(state.wanted.since + PAUSE)
}

/// Returns when an engine of this kind has its next job on a text that the other engine has judged.
pub fn next_idle_job(shared: &SharedState, state: &SessionState, by: Kind) -> Option<Instant> {
    next_job(shared, state, by, |_| true)
}

/// Like [`next_idle_job`], for jobs that run only while their panel is open.
pub fn next_visible_job(shared: &SharedState, state: &SessionState, by: Kind) -> Option<Instant> {
    next_job(shared, state, by, |job| job.occasion != JobScope::Text)
}

fn next_job(
    shared: &SharedState,
    state: &SessionState,
    by: Kind,
    counts: impl Fn(&Job) -> bool,
) -> Option<Instant> {
    let judged = state.current().filter(|judged| judged.kind != by)?;
    let open = WORK.iter().filter(|IdleWork { job, .. }| {
        let subject = state.wanted.subject(job, judged);
        counts(job) && job.by.is(by, false) && subject.is_some_and(|subject| !state.is_done(job, subject))
    });
    open.filter_map(|work| (work.due)(shared, state, judged)).min()
}
