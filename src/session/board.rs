//! What the threads of a session share: what is wanted, which engines there are, what has been judged.
//!
//! Nobody waits behind anybody: a request changes the board at once, whoever is at work sees at the next look that it is
//! stale, and what it still says is dropped. So a slow device holds nothing up.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::allowance::Allowance;
use super::comparison::Extent;
use super::idle::{Job, SHADERS, Subject};
use super::roster::{Device, Roster, Seat};
use super::wanted::Wanted;
use super::{Judged, Request, Update};
use crate::engine::choose::Preference;
use crate::engine::{Engine, EngineError, Kind};
use crate::host::measure::energy::{Energy, Meter};

pub struct Board {
    desk: Mutex<Desk>,
    changed: Condvar,
    /// Copies of the numbers in `Wanted`, for those at work to look at.
    epoch: AtomicU64,
    version: AtomicU64,
    pub meter: Meter,
    /// Whether every text goes through the shaders at once.
    pub shaders: bool,
    /// How much is compared while nobody types, and how long nothing must have been asked before.
    pub extent: Extent,
    pub idle: Duration,
}

/// What stands on the board.
pub struct Desk {
    pub wanted: Wanted,
    pub roster: Roster,
    /// What was judged last.
    pub judged: Option<Arc<Judged>>,
    /// The epoch that no engine can judge.
    pub given_up: Option<u64>,
    /// The version at which the engine that serves had nothing left to do.
    pub settled: Option<u64>,
    /// What each job was done for last.
    done: HashMap<&'static str, Subject>,
    /// What all comparisons of the session have taken, and may take of processors.
    pub comparing: Option<Energy>,
    pub allowance: Allowance,
    /// What all texts that went through the shaders at once have taken.
    shading: Option<Energy>,
    /// What the interface knows of the engines.
    announced: Option<(Kind, Seat, String, Device)>,
    updates: Box<dyn FnMut(Update) + Send>,
}

impl Desk {
    /// The engine that serves, if there is one.
    pub fn serving(&self) -> Option<Kind> {
        self.roster.serving(self.wanted.choice)
    }

    /// Whether the processor is to share the work of the GPU engine.
    pub fn together(&self) -> bool {
        self.wanted.choice == Preference::All && self.serving() == Some(Kind::Gpu)
    }

    /// What has been judged of what is wanted now.
    pub fn current(&self) -> Option<&Arc<Judged>> {
        self.judged.as_ref().filter(|judged| judged.epoch == self.wanted.epoch)
    }

    /// Whether a job is done with something.
    pub fn is_done(&self, job: &Job, subject: Subject) -> bool {
        self.done.get(job.name) == Some(&subject)
    }

    /// A job is done with something.
    pub fn finish(&mut self, job: &Job, subject: Subject) {
        self.done.insert(job.name, subject);
    }

    /// A piece of a comparison is done; gives what all have taken.
    pub fn compared(&mut self, energy: Energy, spent: Duration) -> Energy {
        self.allowance.spend(spent, Instant::now());
        *self.comparing.insert(self.comparing.map_or(energy, |sum| sum.plus(energy)))
    }

    /// A text has been through the shaders at once; gives what all have taken.
    pub fn shaded(&mut self, energy: Energy) -> Energy {
        *self.shading.insert(self.shading.map_or(energy, |sum| sum.plus(energy)))
    }

    /// Tells the interface something. That must not take long.
    pub fn tell(&mut self, update: Update) {
        (self.updates)(update);
    }

    pub fn notice(&mut self, notice: Option<String>) {
        if let Some(notice) = notice {
            self.tell(Update::Notice(notice));
        }
    }
}

impl Board {
    pub fn new(
        wanted: Wanted,
        roster: Roster,
        (meter, shaders, extent, idle): (Meter, bool, Extent, Duration),
        updates: Box<dyn FnMut(Update) + Send>,
    ) -> Board {
        let desk = Desk {
            wanted,
            roster,
            judged: None,
            given_up: None,
            settled: None,
            done: HashMap::new(),
            comparing: None,
            allowance: Allowance::new(Instant::now()),
            shading: None,
            announced: None,
            updates,
        };
        let (epoch, version) = (AtomicU64::new(0), AtomicU64::new(0));
        Board { desk: Mutex::new(desk), changed: Condvar::new(), epoch, version, meter, shaders, extent, idle }
    }

    /// What is locked is whole at every moment, whoever panicked.
    pub fn lock(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change, or so long.
    pub fn wait<'a>(&self, desk: MutexGuard<'a, Desk>, time: Option<Duration>) -> MutexGuard<'a, Desk> {
        match time {
            Some(time) => self.changed.wait_timeout(desk, time).unwrap_or_else(PoisonError::into_inner).0,
            None => self.changed.wait(desk).unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Changes what stands on the board. Where another engine serves afterwards, all is judged anew; who serves, and what other there
    /// is, is told wherever it is not what the interface knows.
    pub fn change<R>(&self, change: impl FnOnce(&mut Desk) -> R) -> R {
        let mut desk = self.lock();
        let before = (desk.serving(), desk.together());
        let result = change(&mut desk);
        if (desk.serving(), desk.together()) != before {
            desk.wanted.renew();
        }
        self.epoch.store(desk.wanted.epoch, Ordering::Release);
        self.version.store(desk.wanted.version, Ordering::Release);
        self.announce(&mut desk);
        drop(desk);
        self.changed.notify_all();
        result
    }

    fn announce(&self, desk: &mut Desk) {
        let (kind, seat, reason) = desk.roster.served_by(desk.wanted.choice);
        let now = (kind, seat, reason, desk.roster.device.clone());
        if desk.announced.as_ref() == Some(&now) {
            return;
        }
        desk.announced = Some(now.clone());
        let (kind, Seat { description, powered_by }, reason, device) = now;
        let source = || self.meter.source(powered_by).to_string();
        let meter = self.meter.missing(powered_by).map_or_else(source, String::from);
        desk.tell(Update::Engine { kind, description, reason, meter, device });
    }

    /// Takes a request of the interface.
    pub fn ask(&self, request: Request) {
        let choice = match &request {
            Request::Use(choice) => Some(*choice),
            _ => None,
        };
        self.change(|desk| {
            desk.wanted.take(request);
            let notice = choice.and_then(|choice| desk.roster.want(choice));
            desk.notice(notice);
        });
    }

    /// Whether verdicts for that epoch are still wanted.
    pub fn is_stale(&self, epoch: u64) -> bool {
        self.epoch.load(Ordering::Acquire) != epoch
    }

    /// Whether something was asked since that version.
    pub fn is_overtaken(&self, version: u64) -> bool {
        self.version.load(Ordering::Acquire) != version
    }

    /// Tells the interface something of an epoch, unless that is stale.
    pub fn tell(&self, epoch: u64, update: Update) {
        let mut desk = self.lock();
        if desk.wanted.epoch == epoch {
            desk.tell(update);
        }
    }

    /// Says what the GPU engine calls itself now: of those that share the work one may come or be lost.
    pub fn describe(&self, engine: &dyn Engine) {
        let seat = Seat::of(engine);
        let changed = matches!(&self.lock().roster.device, Device::Ready(_, known) if *known != seat);
        if changed {
            self.change(|desk| {
                if let Device::Ready(_, known) = &mut desk.roster.device {
                    *known = seat;
                }
            });
        }
    }

    /// Has everybody look again.
    pub fn wake(&self) {
        self.changed.notify_all();
    }

    /// Gives up the GPU engine.
    pub fn lose(&self, error: &EngineError) {
        self.change(|desk| {
            // The next one holds no program.
            desk.done.remove(SHADERS.name);
            let notice = desk.roster.lose(error);
            desk.notice(notice);
        });
    }
}
