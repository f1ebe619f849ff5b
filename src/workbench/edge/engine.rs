//! The engine thread, and a thread that works out what failing tests mean in values.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use crate::engine::cpu::CpuEngine;
use crate::engine::{BaseResult, Engine as _};
use crate::host::measure::energy::Meter;
use crate::network::weights;
use crate::session::Machine;
use crate::session::{self, Request, Session, Update};
use crate::workbench::edge::Options;
use crate::workbench::edge::events::Events;
use crate::workbench::event::Event;
use crate::workbench::facts;

/// The engines that a session may use: the CPU's at once, the GPU's when it is built.
fn session_options(options: &Options) -> session::Options {
    let mut cpu = CpuEngine::new();
    cpu.set_exact(options.exact);
    cpu.set_group(options.group);
    cpu.set_reusing(true);
    session::Options {
        cpu: Box::new(cpu),
        devices: Some(Arc::new(Machine { exact: options.exact, group: options.group, budget: options.budget })),
        wanted: options.engine,
        budget: options.budget,
        shaders: options.shaders,
        meter: Meter::open(options.watts),
        idle: IDLE,
        extent: options.idle,
        inputs: options.inputs,
        weights: Arc::new(|| weights::open(None).map_err(|why| why.to_string())),
        history: options.history.clone(),
    }
}

/// The other engine checks when nothing was typed for so long.
const IDLE: Duration = Duration::from_millis(700);

/// What a driver may take for the work that it is at when the program ends.
const PATIENCE: Duration = Duration::from_secs(3);

/// The engine thread.
pub struct Engine {
    session: Session,
}

impl Engine {
    /// Starts the thread; what it says comes as [`Event::Engine`], with no time yet.
    pub fn start(options: &Options, events: Events) -> std::io::Result<Engine> {
        let explain = explainer(events.clone())?;
        let session = Session::start(session_options(options), move |update| {
            let base = match &update {
                Update::Base { revision, result, .. } => Some((*revision, result.clone())),
                _ => None,
            };
            let _ = events.send(Event::Engine { update: update.into(), since: Duration::ZERO });
            // Only now: an explanation that came before its base would be of no program that is shown.
            if let Some(base) = base {
                let _ = explain.send(base);
            }
        })?;
        Ok(Engine { session })
    }

    pub fn send(&self, request: Request) {
        self.session.send(request);
    }

    /// Whether nothing is left to do of all that was asked, and all that came of it has been told.
    pub fn rests(&self) -> bool {
        self.session.rests()
    }

    /// Ends the threads; drivers at work get some time.
    pub fn finish(&self) {
        self.session.finish(PATIENCE);
    }
}

/// Fills in how long after its edit an answer comes. Whether it answers what a person typed, the state knows: a text that is
/// judged again, on another engine, is as old as its edit.
pub fn timed(event: Event) -> Event {
    let Event::Engine { update, .. } = event else { return event };
    let since = update.at().map_or(Duration::ZERO, |at| at.elapsed());
    Event::Engine { update, since }
}

/// Explains the newest base that it is given; shrinking a counterexample may take a while.
fn explainer(events: Events) -> std::io::Result<Sender<(u64, BaseResult)>> {
    let (send, receive): (_, Receiver<(u64, BaseResult)>) = channel();
    let work = move || {
        while let Ok(first) = receive.recv() {
            let (revision, result) = newest(first, receive.try_iter());
            if result.entries.is_empty() {
                continue;
            }
            let details = facts::details(&result.compiled, &result.entries);
            if events.send(Event::Details { revision, details }).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().name("explain".into()).spawn(work)?;
    Ok(send)
}

/// Of the bases that wait the newest that has results to explain: the panels go on showing the last good program while a
/// newer text does not compile.
fn newest(first: (u64, BaseResult), others: impl Iterator<Item = (u64, BaseResult)>) -> (u64, BaseResult) {
    others.fold(first, |known, newer| match newer.1.entries.is_empty() {
        true if !known.1.entries.is_empty() => known,
        _ => newer,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_does_not_compile_takes_no_explanation_away() {
        let mut engine = CpuEngine::with_threads(1);
        let mut base =
            |text: &str| engine.base(&Arc::from(text), &|| false).expect("the CPU engine does not fail");
        let good = base("test 1 == 2;");
        let broken = base("test 1 == ;");
        let all = [(1, good.clone()), (2, broken.clone()), (3, good), (4, broken.clone()), (5, broken)];
        for (waiting, newer) in [(1, 1), (2, 1), (3, 3), (5, 3)] {
            let mut bases = all[..waiting].iter().cloned();
            let first = bases.next().expect("one");
            assert_eq!(newest(first, bases).0, newer, "{waiting} wait");
        }
        assert_eq!(newest(all[3].clone(), all[4..].iter().cloned()).0, 5, "nothing to explain");
    }
}
