//! The session with engines that say little: what matters here is order, staleness and loss.

use super::*;
use crate::energy::Watts;
use crate::engine::memory::{Memory, NeuralMemory};
use crate::engine::{EntryResult, MutantStatus, Outcome, RunResult, Timings, Variants, Verdict};
use crate::lang::NONE;
use std::sync::mpsc::channel;

/// Finds every mutant killed by test 0; may break, be slow, or judge one mutant otherwise.
#[derive(Default)]
struct Fake {
    gpu: bool,
    breaks: bool,
    slow: bool,
    odd: Option<u32>,
}

impl Engine for Fake {
    fn memory(&self) -> (Memory, Option<NeuralMemory>) {
        (Memory::default(), None)
    }

    fn kind(&self) -> Kind {
        if self.gpu { Kind::Gpu } else { Kind::Cpu }
    }
    fn describe(&self) -> String {
        format!("fake {:?}", self.kind())
    }
    fn base(&mut self, text: &Arc<str>) -> Result<BaseResult, EngineError> {
        if self.breaks {
            return Err(EngineError::Lost("unplugged".into()));
        }
        let compiled = crate::engine::Compiled { text: text.clone(), ..Default::default() };
        let entry = EntryResult {
            outcome: Outcome::Pass,
            steps: 1,
            costliest: 1,
            inputs: 1,
            failing_input: NONE,
            trap_address: NONE,
        };
        Ok(BaseResult { compiled: Arc::new(compiled), entries: vec![entry], timings: Timings::default() })
    }
    fn variants(&self) -> Variants {
        Variants { first_order: 100, all: 5050 }
    }
    fn mutants(
        &mut self,
        first: u32,
        count: u32,
        cancelled: &dyn Fn() -> bool,
        sink: &mut dyn FnMut(MutantResult),
    ) -> Result<(), EngineError> {
        for id in first..first + count {
            if cancelled() {
                return Err(EngineError::Cancelled);
            }
            if self.slow {
                std::thread::sleep(Duration::from_millis(2));
            }
            let killer = u32::from(self.odd == Some(id));
            let verdict = Verdict { status: MutantStatus::Killed, killer, twin: NONE };
            sink(MutantResult { first: id, verdicts: vec![verdict], timings: Timings::default() });
        }
        Ok(())
    }
    fn run(&mut self, _: u32, _: &[u32]) -> Result<RunResult, EngineError> {
        Err(EngineError::Fault("not asked for here".into()))
    }
}

fn start(cpu: Fake, gpu: Option<fn() -> Fake>, wanted: Option<Kind>) -> (Session, mpsc::Receiver<Update>) {
    let (tell, updates) = channel();
    let build_gpu: Option<BuildGpu> = gpu.map(|make| {
        Arc::new(move || {
            let engine = Box::new(Fake { gpu: true, ..make() });
            Ok(Built { engine, preferred: false, reason: "only software adapters found".into() })
        }) as BuildGpu
    });
    let options = Options {
        cpu: Box::new(cpu),
        build_gpu,
        wanted,
        budget: 150,
        idle: Duration::from_millis(5),
        weights: Arc::new(|| Err("none here".into())),
        meter: Meter::stated(Watts::default()),
        history: None,
    };
    let session = Session::start(options, move |update| {
        let _ = tell.send(update);
    });
    (session.expect("a thread"), updates)
}

fn edit(session: &Session, revision: u64) {
    session.send(Request::Edit { revision, text: "test true;".into() });
}

/// Updates up to and including the first that fits.
fn until(updates: &mpsc::Receiver<Update>, fits: impl Fn(&Update) -> bool) -> Vec<Update> {
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

#[test]
fn the_base_comes_first_then_all_mutants_up_to_the_budget() {
    let (session, updates) = start(Fake::default(), None, None);
    edit(&session, 7);
    let seen = until(&updates, |u| matches!(u, Update::Done { .. }));
    let order: Vec<&str> = seen
        .iter()
        .map(|u| match u {
            Update::Base { revision: 7, .. } => "base",
            Update::Mutants { revision: 7, total: 150, first_order: 100, .. } => "mutant",
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
fn a_newer_edit_drops_the_older_work() {
    let (session, updates) = start(Fake { slow: true, ..Fake::default() }, None, None);
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
    let (session, updates) =
        start(Fake::default(), Some(|| Fake { breaks: true, ..Fake::default() }), Some(Kind::Gpu));
    until(&updates, |u| matches!(u, Update::Engine { kind: Kind::Gpu, .. }));
    edit(&session, 1);
    let seen = until(&updates, |u| matches!(u, Update::Done { .. }));
    assert!(seen.iter().any(|u| matches!(u, Update::Notice(text) if text.contains("unplugged"))));
    assert!(seen.iter().any(|u| matches!(u, Update::Base { revision: 1, .. })));
}

#[test]
fn the_other_engine_agrees_with_the_count() {
    let (session, updates) = start(Fake::default(), Some(Fake::default), None);
    edit(&session, 1);
    let seen = until(&updates, |u| matches!(u, Update::CrossCheck { checked: 150, .. }));
    assert!(seen.iter().all(|u| !matches!(u, Update::CrossCheck { difference: Some(_), .. })));
}

#[test]
fn a_difference_is_told() {
    let (session, updates) = start(Fake::default(), Some(|| Fake { odd: Some(70), ..Fake::default() }), None);
    edit(&session, 1);
    let seen = until(&updates, |u| matches!(u, Update::CrossCheck { difference: Some(_), .. }));
    let Some(Update::CrossCheck { difference: Some(text), .. }) = seen.last() else { panic!("a difference") };
    assert!(text.contains("mutant 70"), "{text}");
}
