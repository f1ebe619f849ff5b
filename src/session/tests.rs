//! Tests of the session with fake engines: order of updates, stale work, lost devices.

mod comparison;
mod fakes;
mod filling;
mod learning;
mod probes;
mod proofs;
mod rules;
mod runs;
mod shaders;
mod speeds;

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use super::job::{NEURAL, NOISE, ROUNDS, RUN};
use super::*;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::variants::Variants;
use crate::engine::cpu::CpuEngine;
use crate::engine::news::Reporter;
use crate::engine::{
    Abilities, BaseResult, Chunk, ChunkJudge, ChunkMode, DeviceFailure, EngineError, EngineSettings,
    EntryResult, Kind, MutantCounts, MutantResult, RunResult, Seen, Tested, TestedCandidate, Timings,
};
use crate::host::measure::energy::Watts;
use crate::host::measure::processor::processor_time;
use crate::lang::index::{Index, RoutineId};
use crate::lang::level::{LevelChoice, OptLevel};
use crate::lang::limits::SAMPLES;
use crate::lang::random::Rng;
use crate::lang::trap::Trap;
use crate::lang::verdict::{MutantStatus, Outcome, Verdict};
use crate::testing::trace::Subject;
use fakes::{Fake, Fakes, Gate};

fn start(
    cpu: Fake,
    devices: Option<Fakes>,
    wanted: Preference,
    extent: CompareExtent,
) -> (Session, Receiver<Update>) {
    begin(cpu, devices, wanted, (false, extent))
}

/// Starts a session; `shaders` sends every text through the shaders at once.
fn begin(
    cpu: Fake,
    devices: Option<Fakes>,
    wanted: Preference,
    (shaders, extent): (bool, CompareExtent),
) -> (Session, Receiver<Update>) {
    let devices = devices.map(|devices| Arc::new(devices) as Arc<dyn Devices>);
    session(Box::new(cpu), devices, wanted, 150, (shaders, extent))
}

/// Starts a session with these engines; returns it with its updates.
fn session(
    cpu: Box<dyn Engine>,
    devices: Option<Arc<dyn Devices>>,
    wanted: Preference,
    budget: u32,
    (shaders, extent): (bool, CompareExtent),
) -> (Session, Receiver<Update>) {
    let (tell, updates) = channel();
    let options = options(cpu, devices, wanted, budget, (shaders, extent));
    let session = Session::start(options, move |update| {
        let _ = tell.send(update);
    });
    (session.expect("a thread"), updates)
}

fn options(
    cpu: Box<dyn Engine>,
    devices: Option<Arc<dyn Devices>>,
    wanted: Preference,
    budget: u32,
    (shaders, extent): (bool, CompareExtent),
) -> Options {
    Options {
        cpu,
        devices,
        wanted,
        level: LevelChoice::default(),
        budget,
        shaders,
        idle: Duration::from_millis(5),
        extent,
        inputs: SAMPLES,
        filling: Duration::MAX,
        weights: Arc::new(|| Err("none here".into())),
        meter: Meter::estimating(Watts::default()),
        history: None,
        learned: None,
    }
}

fn devices(make: impl Fn() -> Fake + Send + Sync + 'static) -> Option<Fakes> {
    Some(Fakes { make: Box::new(make), preferred: false, pieces: (1, Duration::ZERO) })
}

fn edit(session: &Session, revision: u64) {
    session.send(Request::Edit(Edit {
        revision,
        text: "test true;".into(),
        at: Instant::now(),
        fires_in: None,
    }));
}

/// Receives updates up to and including the first that fits.
fn until(updates: &Receiver<Update>, fits: impl Fn(&Update) -> bool) -> Vec<Update> {
    let mut seen = vec![];
    loop {
        let update = updates.recv_timeout(Duration::from_secs(20)).expect("an update");
        let found = fits(&update);
        seen.push(update);
        if found {
            return seen;
        }
    }
}

/// Waits until a session has nothing left to do; returns all updates.
fn rested(session: &Session, updates: &Receiver<Update>) -> Vec<Update> {
    let mut seen = until(updates, |u| matches!(u, Update::Done { .. }));
    // The session is idle when the serving engine has settled and the pause before comparisons has passed.
    loop {
        std::thread::sleep(Duration::from_millis(20));
        seen.extend(updates.try_iter());
        let since = session.shared.lock().wanted.since;
        if session.is_idle() && since.elapsed() > 20 * session.shared.idle {
            seen.extend(updates.try_iter());
            return seen;
        }
    }
}

#[test]
fn the_base_comes_first_then_all_mutants_up_to_the_budget() {
    let (session, updates) = start(Fake::default(), None, Preference::Auto, CompareExtent::All);
    edit(&session, 7);
    let seen = until(&updates, |u| matches!(u, Update::Done { .. }));
    let order: Vec<&str> =
        seen.iter()
            .map(|u| match u {
                Update::Base { revision: 7, .. } => "base",
                Update::Mutants { revision: 7, total: 150, first_order: 100, part } => {
                    if part.verdicts.is_empty() { "proofs" } else { "mutant" }
                }
                Update::Done { revision: 7, .. } => "done",
                Update::Engine { kind: Kind::Cpu, .. } => "engine",
                _ => "other",
            })
            .collect();
    assert_eq!(order[..2], ["engine", "base"]);
    assert_eq!(order.iter().filter(|o| **o == "mutant").count(), 150);
    assert_eq!(order.last(), Some(&"done"));
    assert!(!order.contains(&"other"));
}

#[test]
fn updates_carry_the_time_of_their_keystroke() {
    let (session, updates) = start(Fake::default(), None, Preference::Auto, CompareExtent::Off);
    let at = Instant::now() - Duration::from_secs(7);
    session.send(Request::Edit(Edit { revision: 1, text: "test true;".into(), at, fires_in: None }));
    let seen = until(&updates, |u| matches!(u, Update::Done { .. }));
    assert_eq!(seen.iter().filter_map(Update::at).collect::<Vec<_>>(), [at, at], "base and end");
}

#[test]
fn a_newer_edit_drops_the_older_work() {
    let (session, updates) =
        start(Fake { slow: true, ..Fake::default() }, None, Preference::Auto, CompareExtent::All);
    edit(&session, 1);
    until(&updates, |u| matches!(u, Update::Mutants { revision: 1, .. }));
    edit(&session, 2);
    let seen = until(&updates, |u| matches!(u, Update::Done { .. }));
    assert!(matches!(seen.last(), Some(Update::Done { revision: 2, .. })));
    let stale = seen.iter().filter(|u| matches!(u, Update::Mutants { revision: 1, .. })).count();
    assert!(stale < 100, "{stale} parts of the stale revision");
}

#[test]
fn a_lost_device_is_replaced_by_the_cpu_engine() {
    let broken = devices(|| Fake { breaks: true, ..Fake::default() });
    let (session, updates) = start(Fake::default(), broken, Preference::Gpu, CompareExtent::All);
    edit(&session, 1);
    let seen = until(&updates, |u| matches!(u, Update::Done { .. }));
    assert!(seen.iter().any(|u| matches!(u, Update::Notice(text) if text.contains("unplugged"))));
    assert!(seen.iter().any(|u| matches!(u, Update::Base { revision: 1, .. })));
}

#[test]
fn a_callback_that_calls_the_session_does_not_block_it() {
    let (tell, updates) = channel();
    let own: Arc<Mutex<Option<Session>>> = Arc::default();
    let called = own.clone();
    let options = options(Box::new(Fake::default()), None, Preference::Auto, 150, (false, CompareExtent::Off));
    let session = Session::start(options, move |update| {
        if let (Some(session), Update::Base { revision: 1, .. }) = (&*called.lock().unwrap(), &update) {
            edit(session, 2);
            assert!(!session.is_idle(), "this update is not yet delivered");
        }
        let _ = tell.send(update);
    });
    edit(own.lock().unwrap().insert(session.expect("a thread")), 1);
    let seen = until(&updates, |u| matches!(u, Update::Done { revision: 2, .. }));
    let bases = seen.iter().filter_map(|u| match u {
        Update::Base { revision, .. } => Some(*revision),
        _ => None,
    });
    assert_eq!(bases.collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn another_engine_answers_while_a_slow_device_is_stuck() {
    let gate = Arc::new(Gate::default());
    let stuck = gate.clone();
    let slow = devices(move || Fake { gate: Some(stuck.clone()), ..Fake::default() });
    let (session, updates) = start(Fake::default(), slow, Preference::Gpu, CompareExtent::All);
    edit(&session, 1);
    until(&updates, |u| matches!(u, Update::Base { .. }));
    session.send(Request::Use(Preference::Cpu));
    let seen = until(&updates, |u| matches!(u, Update::Done { revision: 1, .. }));
    assert!(seen.iter().any(|u| matches!(u, Update::Engine { kind: Kind::Cpu, .. })));
    let judged = |u: &&Update| matches!(u, Update::Mutants { part, .. } if !part.verdicts.is_empty());
    assert_eq!(seen.iter().filter(judged).count(), 150);
    gate.open();
    edit(&session, 2);
    let seen = until(&updates, |u| matches!(u, Update::Done { revision: 2, .. }));
    let late = seen.iter().filter(|u| matches!(u, Update::Mutants { revision: 1, .. })).count();
    assert_eq!(late, 0, "later results of the slow engine are dropped");
}

#[test]
fn finished_session_leaves_no_running_thread() {
    let gate = Arc::new(Gate::default());
    let stuck = gate.clone();
    let slow = devices(move || Fake { gate: Some(stuck.clone()), ..Fake::default() });
    let (session, updates) = start(Fake::default(), slow, Preference::Gpu, CompareExtent::All);
    edit(&session, 1);
    until(&updates, |u| matches!(u, Update::Base { .. }));
    session.finish(Duration::from_millis(1));
    assert!(updates.try_iter().count() == 0 && updates.recv_timeout(Duration::from_millis(20)).is_err());
    gate.open();
    session.finish(Duration::from_secs(60));
    assert_eq!(Arc::strong_count(&session.shared), 1, "no thread has the shared state any more");
}

#[test]
fn request_for_a_missing_function_is_dropped() {
    let (session, updates) = start(Fake::default(), None, Preference::Auto, CompareExtent::Off);
    edit(&session, 1);
    session.send(Request::Look(VisibleJobs {
        jobs: vec![&NEURAL],
        function: Some(RoutineId::new(7)),
        ..VisibleJobs::default()
    }));
    let seen = rested(&session, &updates);
    assert!(!seen.iter().any(|u| matches!(u, Update::Notice(_) | Update::Found(_))), "{seen:?}");
}

#[test]
fn every_edit_and_every_run_request_is_recorded() {
    let (session, updates) = start(Fake::default(), None, Preference::Auto, CompareExtent::Off);
    let recorded = |update: &Update| match update {
        Update::Found(finding) => {
            finding.what::<Recorded>().map(|recorded| (finding.revision, recorded.wish.number))
        }
        _ => None,
    };
    let wish = |number: u32| {
        let subject = Subject::Call { function: "nobody".into(), arguments: vec![] };
        Request::Run(Arc::new(RunRequest { number, subject, breakpoints: vec![], against: None }))
    };
    session.send(Request::Look(VisibleJobs { jobs: vec![&RUN], function: None, ..VisibleJobs::default() }));
    session.send(wish(1));
    for (revision, number) in [(1, 1), (2, 1), (2, 5)] {
        if number == 5 {
            session.send(wish(number));
        } else {
            edit(&session, revision);
        }
        let seen = until(&updates, |update| recorded(update).is_some());
        assert_eq!(seen.iter().rev().find_map(recorded), Some((revision, number)));
    }
    // Nothing is recorded while no panel shows a run.
    session.send(Request::Look(VisibleJobs::default()));
    edit(&session, 3);
    assert!(rested(&session, &updates).iter().all(|update| recorded(update).is_none()));
}

#[test]
fn last_edit_is_judged_after_any_sequence_of_requests() {
    let looked = |jobs, function| Request::Look(VisibleJobs { jobs, function, ..VisibleJobs::default() });
    let mut dice = Rng::new(1, 0);
    let (mut sequences, mut revision) = (0, 0);
    for round in 0..100 {
        let pieces = (1, Duration::ZERO);
        let fakes = Fakes { make: Box::new(Fake::default), preferred: round % 3 == 0, pieces };
        let choice = [Preference::Auto, Preference::Cpu, Preference::Gpu, Preference::All];
        let wanted = choice[dice.below(4)];
        let extent = (round % 2 == 0, CompareExtent::Sample);
        let (session, updates) = begin(Fake::default(), Some(fakes), wanted, extent);
        for _ in 0..100 {
            let length = 1 + dice.below(8);
            let last_edit = dice.below(length);
            for step in 0..length {
                let request = match dice.below(5) {
                    _ if step == last_edit => None,
                    0 if step < last_edit => None,
                    1 => Some(Request::Use(choice[dice.below(4)])),
                    2 => Some(looked(vec![&NEURAL], Some(RoutineId::new(dice.below(3) as u32)))),
                    3 => Some(looked(vec![], None)),
                    _ => Some(looked(vec![&NOISE], None)),
                };
                let request = request.unwrap_or_else(|| {
                    revision += 1;
                    let text = format!("test {revision} == 0;").into();
                    Request::Edit(Edit { revision, text, at: Instant::now(), fires_in: None })
                });
                session.send(request);
                if dice.below(16) == 0 {
                    std::thread::yield_now();
                }
            }
            let seen =
                until(&updates, |u| matches!(u, Update::Done { revision: done, .. } if *done == revision));
            let base = seen.iter().rev().find_map(|u| match u {
                Update::Base { revision, result, .. } => Some((*revision, result.compiled.text.clone())),
                _ => None,
            });
            assert_eq!(base, Some((revision, format!("test {revision} == 0;").into())));
            sequences += 1;
        }
    }
    assert_eq!(sequences, 10_000);
}

/// A session at level 2 shows the code of level 2, and judges mutants at level 1. Another level judges again.
#[test]
fn level_2_shows_its_own_code_and_judges_at_level_1() {
    let text: Arc<str> =
        "fn one(x: int) -> int { return x + 1; }\nfn two(x: int) -> int { return one(one(x)); }\n\
                          test two(1) == 3;"
            .into();
    let cpu = Box::new(CpuEngine::with_threads(1));
    let (session, updates) = session(cpu, None, Preference::Cpu, 100, (false, CompareExtent::Off));
    session.send(Request::Edit(Edit { revision: 1, text, at: Instant::now(), fires_in: None }));
    let judged = || {
        let seen = until(&updates, |update| matches!(update, Update::Done { .. }));
        let base = seen.iter().find_map(|update| match update {
            Update::Base { result, .. } => Some(result.clone()),
            _ => None,
        });
        let verdicts = seen.into_iter().filter_map(|update| match update {
            Update::Mutants { part, .. } => Some(part.verdicts),
            _ => None,
        });
        let verdicts: Vec<Verdict> = verdicts.flatten().collect();
        (base.expect("a base"), verdicts)
    };
    let (local, verdicts) = judged();
    session.send(Request::Optimize(OptLevel::Whole.into()));
    let (whole, again) = judged();
    assert_eq!([local.compiled.level, whole.compiled.level], [OptLevel::Local, OptLevel::Whole]);
    assert!(whole.entries[0].steps < local.entries[0].steps, "{whole:?}");
    assert_eq!(again, verdicts);
    // The level that is in use already changes nothing.
    session.send(Request::Optimize(OptLevel::Whole.into()));
    session.send(Request::Optimize(OptLevel::Lowered.into()));
    let (lowered, _) = judged();
    assert_eq!(lowered.compiled.level, OptLevel::Lowered);
}

/// At level 3 better code is found while the user is idle, kept in the store, and used for the next text.
#[test]
fn functions_are_improved_while_idle_at_level_3() {
    let folder = tempfile::tempdir().expect("a folder");
    let cpu = Box::new(CpuEngine::with_threads(1));
    let mut options = options(cpu, None, Preference::Cpu, 100, (false, CompareExtent::Sample));
    options.level = OptLevel::Learned.into();
    options.learned = Some(folder.path().join("learned"));
    let (tell, updates) = channel();
    let session = Session::start(options, move |update| drop(tell.send(update))).expect("threads");
    let text = |end: &str| -> Arc<str> {
        format!("fn sum(n: int) -> int {{ let s = 7; let i = 3; while i < n {{ s += i; i += 1; }} return s; }} test sum(40) == 784;{end}").into()
    };
    session.send(Request::Edit(Edit { revision: 1, text: text(""), at: Instant::now(), fires_in: None }));
    let is_learned = |update: &Update| match update {
        Update::Found(finding) => {
            finding.what::<Learning>().is_some_and(|learning| learning.done == 2 && learning.failed.is_none())
        }
        _ => false,
    };
    let seen = until(&updates, is_learned);
    let steps = |seen: &[Update]| {
        let base = |update: &Update| match update {
            Update::Base { result, .. } => Some((result.compiled.level, result.entries[0].steps)),
            _ => None,
        };
        seen.iter().find_map(base).expect("a base")
    };
    let before = steps(&seen);
    session.send(Request::Edit(Edit {
        revision: 2,
        text: text(" // again"),
        at: Instant::now(),
        fires_in: None,
    }));
    let after = steps(&until(&updates, |update| matches!(update, Update::Done { .. })));
    assert_eq!([before.0, after.0], [OptLevel::Learned; 2]);
    assert!(after.1 < before.1, "{after:?} {before:?}");
    let kept = std::fs::read_dir(folder.path().join("learned")).expect("a store").count();
    assert!(kept >= 2, "{kept} files");
}

/// With holes, the tests of a text with errors have results unless they reach an error, and judge mutants.
#[test]
fn tests_that_reach_no_error_have_results() {
    let text: Arc<str> = "fn half(n: int) -> int { return n / 2; }\nfn more(n: int) -> int { let m = half(n) + ; return m; }\n\
                          test half(6) == 3;\ntest half(6) == 4;\ntest more(6) == 4;\nprop n in 0..9 => half(2 * n) == n;\ntest half(;"
        .into();
    let mut cpu = Box::new(CpuEngine::with_threads(1));
    cpu.configure(EngineSettings { holes: true, ..cpu.settings() });
    let (session, updates) = session(cpu, None, Preference::Cpu, 100, (false, CompareExtent::Sample));
    session.send(Request::Edit(Edit { revision: 1, text, at: Instant::now(), fires_in: None }));
    let seen = rested(&session, &updates);
    let base = |update: &Update| match update {
        Update::Base { result, .. } => Some(result.clone()),
        _ => None,
    };
    let base = seen.iter().find_map(base).expect("a base");
    let hole = Outcome::Trap(Trap::Hole);
    let outcomes: Vec<Outcome> = base.entries.iter().map(|entry| entry.outcome).collect();
    assert_eq!(outcomes, [Outcome::Pass, Outcome::Fail, hole, Outcome::Pass, hole]);
    assert_eq!(base.compiled.facts.errors, 2);
    let judged = |update: &Update| match update {
        Update::Mutants { part, .. } => part.verdicts.len(),
        _ => 0,
    };
    // Those of `half`, and none of the line with an error.
    let variants = Variants::new(base.compiled.clone());
    assert_eq!(seen.iter().map(judged).sum::<usize>() as u32, variants.all().min(100));
    assert!(variants.first_order() > 5 && !seen.iter().any(|update| matches!(update, Update::Notice(_))));
}
