//! The engine thread, and a thread that explains failing tests with values.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use crate::engine::cpu::CpuEngine;
use crate::engine::{BaseResult, Engine as _, EngineSettings};
use crate::host::measure::energy::Meter;
use crate::network::weights;
use crate::session::{self, Machine, Request, Session, Update};
use crate::workbench::config::Engines;
use crate::workbench::edge::Options;
use crate::workbench::edge::events::Events;
use crate::workbench::event::Event;
use crate::workbench::facts;

/// Returns the options of a session: the CPU engine at once, the GPU engine when it is ready.
fn session_options(options: &Options) -> session::Options {
    let Engines { choice, exact, group, opt, budget, shaders, idle, inputs, .. } = options.config.engine;
    let settings =
        EngineSettings { exact, group, level: opt.level().of_variants(), reusing: true, holes: true };
    let mut cpu = CpuEngine::new();
    cpu.configure(settings);
    session::Options {
        cpu: Box::new(cpu),
        devices: Some(Arc::new(Machine { settings, budget })),
        wanted: choice,
        level: opt,
        budget,
        shaders,
        meter: Meter::open(options.config.energy),
        idle: IDLE,
        extent: idle,
        inputs,
        // While nobody types, the search may take as long as it needs.
        filling: Duration::MAX,
        weights: Arc::new(|| weights::open(None).map_err(|why| why.to_string())),
        history: options.history.clone(),
        learned: options.learned.clone(),
    }
}

/// The idle time after which the other engine checks results.
const IDLE: Duration = Duration::from_millis(700);

/// How long a driver's pending work may delay the end of the program.
const PATIENCE: Duration = Duration::from_secs(3);

pub struct Engine {
    session: Session,
}

impl Engine {
    /// Starts the thread. Its messages arrive as [`Event::Engine`], without a time.
    pub fn start(options: &Options, events: Events) -> std::io::Result<Engine> {
        let explain = explainer(events.clone())?;
        let session = Session::start(session_options(options), move |update| {
            let base = match &update {
                Update::Base { revision, result, .. } => Some((*revision, result.clone())),
                _ => None,
            };
            let _ = events.send(Event::Engine { update: update.into(), since: Duration::ZERO });
            // Send the base first: an explanation that arrived before it would match no shown program.
            if let Some(base) = base {
                let _ = explain.send(base);
            }
        })?;
        Ok(Engine { session })
    }

    pub fn send(&self, request: Request) {
        self.session.send(request);
    }

    /// Returns whether all requests are done and all their results have been reported.
    pub fn rests(&self) -> bool {
        self.session.is_idle()
    }

    /// Ends the threads; drivers get some time to finish.
    pub fn finish(&self) {
        self.session.finish(PATIENCE);
    }
}

/// Sets the time since the edit in an engine's message. The state decides whether the message answers a typed
/// text: a text that is judged again on another engine has the time of its edit.
pub fn timed(event: Event) -> Event {
    let Event::Engine { update, .. } = event else { return event };
    let since = update.at().map_or(Duration::ZERO, |at| at.elapsed());
    Event::Engine { update, since }
}

/// Starts the thread that explains the newest base; shrinking a counterexample may take a while.
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

/// Returns the newest pending base that has results to explain. The panels keep a program while a newer text is too
/// large to be compiled.
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
    fn newest_compiling_base_is_explained() {
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
