//! The engine thread, and a thread that works out what failing tests mean in values.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;

use super::super::event::Event;
use super::super::facts;
use super::Options;
use crate::energy::Meter;
use crate::engine::choose::Preference;
use crate::engine::cpu::CpuEngine;
use crate::engine::open::Machine;
use crate::engine::session::{self, Request, Session, Update};
use crate::engine::{BaseResult, Kind};
use crate::hybrid::history;
use crate::neural::weights;

/// The engines that a session may use: the CPU's at once, the GPU's when it is built.
fn session_options(options: &Options) -> session::Options {
    session::Options {
        cpu: Box::new(CpuEngine::new()),
        devices: Some(Arc::new(Machine(options.engine))),
        wanted: match options.engine {
            Preference::Auto => None,
            Preference::Cpu => Some(Kind::Cpu),
            Preference::Gpu | Preference::All => Some(Kind::Gpu),
        },
        budget: options.budget,
        meter: Meter::open(options.watts),
        idle: IDLE,
        extent: options.idle,
        weights: Arc::new(|| weights::open(None).map_err(|why| why.to_string())),
        history: history::place(),
    }
}

/// The other engine checks when nothing was typed for so long.
const IDLE: Duration = Duration::from_millis(700);

/// What a driver may take for the work that it is at when the program ends.
const PATIENCE: Duration = Duration::from_secs(3);

/// Edits whose answers may still come.
const REMEMBERED: usize = 64;

/// The engine thread, and when each edit was made.
pub struct Engine {
    session: Session,
    edits: Vec<(u64, Instant)>,
}

impl Engine {
    /// Starts the thread; what it says comes as [`Event::Engine`], with no time yet.
    pub fn start(options: &Options, events: UnboundedSender<Event>) -> std::io::Result<Engine> {
        let explain = explainer(events.clone())?;
        let session = Session::start(session_options(options), move |update| {
            if let Update::Base { revision, result } = &update {
                let _ = explain.send((*revision, result.clone()));
            }
            let _ = events.send(Event::Engine { update: update.into(), since: Duration::ZERO });
        })?;
        Ok(Engine { session, edits: Vec::new() })
    }

    /// Sends a request; the answers to an edit count from `since`.
    pub fn send(&mut self, request: Request, since: Instant) {
        if let Request::Edit { revision, .. } = &request {
            if self.edits.len() >= REMEMBERED {
                self.edits.remove(0);
            }
            self.edits.push((*revision, since));
        }
        self.session.send(request);
    }

    /// Ends the threads; drivers at work get some time.
    pub fn finish(&self) {
        self.session.finish(PATIENCE);
    }

    /// Fills in how long after its edit an answer comes. Whether it answers what a person typed, the state knows: a text
    /// that is judged again, on another engine, is as old as its edit.
    pub fn timed(&self, event: Event) -> Event {
        let Event::Engine { update, .. } = event else { return event };
        let revision = match &*update {
            Update::Base { revision, .. }
            | Update::Mutants { revision, .. }
            | Update::Done { revision, .. } => *revision,
            _ => 0,
        };
        let made = self.edits.iter().rev().find(|(r, _)| *r == revision);
        let since = made.map_or(Duration::ZERO, |(_, at)| at.elapsed());
        Event::Engine { update, since }
    }
}

/// Explains the newest base that it is given; shrinking a counterexample may take a while.
fn explainer(events: UnboundedSender<Event>) -> std::io::Result<Sender<(u64, BaseResult)>> {
    let (send, receive): (_, Receiver<(u64, BaseResult)>) = channel();
    let work = move || {
        while let Ok(mut newest) = receive.recv() {
            // The panels go on showing the last good program while a newer text does not compile.
            while let Ok(newer) = receive.try_recv() {
                if !newer.1.entries.is_empty() || newest.1.entries.is_empty() {
                    newest = newer;
                }
            }
            let (revision, result) = newest;
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
