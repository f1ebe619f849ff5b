//! State shared by the threads of a session: what is wanted, which engines exist, what has been judged.
//!
//! No request waits in a queue. A request changes the shared state at once; a thread that is at work sees on its next
//! poll that its work is stale, and its remaining results are dropped. A slow device therefore delays nothing.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::allowance::Allowance;
use super::job::{CompareExtent, Job, SHADERS, SessionSubject};
use super::judged::Judged;
use super::messages::{Request, Update};
use super::roster::{Device, EngineInfo, EngineRegistry};
use super::speeds::Speeds;
use super::wanted::Wanted;
use crate::engine::choose::Preference;
use crate::engine::{Engine, EngineError, Kind};
use crate::host::measure::energy::{Energy, Meter};

pub struct SharedState {
    state: Mutex<SessionState>,
    changed: Condvar,
    /// Copies of the numbers in `Wanted`, polled by working threads without the lock.
    epoch: AtomicU64,
    version: AtomicU64,
    pub meter: Meter,
    /// Whether every text is also compiled and run by the shaders at once.
    pub shaders: bool,
    /// How much is compared while the user is idle, and how long the user must have been idle.
    pub extent: CompareExtent,
    pub idle: Duration,
}

/// The part of the shared state that the lock protects.
pub struct SessionState {
    pub wanted: Wanted,
    pub roster: EngineRegistry,
    /// The latest result.
    pub judged: Option<Arc<Judged>>,
    /// The epoch that no engine can judge.
    pub failed_epoch: Option<u64>,
    /// The version at which the serving engine had no work left.
    pub settled: Option<u64>,
    /// The last subject that each job finished.
    done: HashMap<&'static str, SessionSubject>,
    /// Energy used by all comparisons of the session, and the processor budget for them.
    pub comparing: Option<Energy>,
    pub allowance: Allowance,
    /// Energy used by all texts that were sent through the shaders at once.
    shading: Option<Energy>,
    /// The engine state that the interface was last sent.
    announced: Option<(Kind, EngineInfo, String, Device, String)>,
    /// Number of updates sent so far, and where they go.
    pub sent: u64,
    updates: Sender<Update>,
}

impl SessionState {
    pub fn serving(&self) -> Option<Kind> {
        self.roster.serving(self.wanted.choice)
    }

    /// Returns whether the CPU shares the work of the GPU engine.
    pub fn together(&self) -> bool {
        self.wanted.choice == Preference::All && self.serving() == Some(Kind::Gpu)
    }

    /// Returns the latest result if it is of the current epoch.
    pub fn current(&self) -> Option<&Arc<Judged>> {
        self.judged.as_ref().filter(|judged| judged.epoch == self.wanted.epoch)
    }

    /// Returns whether `job` has finished `subject`.
    pub fn is_done(&self, job: &Job, subject: SessionSubject) -> bool {
        self.done.get(job.name) == Some(&subject)
    }

    /// Records that `job` has finished `subject`.
    pub fn finish(&mut self, job: &Job, subject: SessionSubject) {
        self.done.insert(job.name, subject);
    }

    /// Returns where the times of an engine alone on the text of `epoch` are recorded, if they decide which engine serves.
    pub fn speeds(&mut self, epoch: u64, by: Kind) -> Option<&mut Speeds> {
        let counts = self.wanted.epoch == epoch && !self.wanted.choice.is_named();
        if counts { self.roster.speeds(by) } else { None }
    }

    /// Adds one piece of a comparison; returns the energy of all comparisons.
    pub fn compared(&mut self, energy: Energy, spent: Duration) -> Energy {
        self.allowance.spend(spent, Instant::now());
        *self.comparing.insert(self.comparing.map_or(energy, |sum| sum.plus(energy)))
    }

    /// Adds one text that was sent through the shaders at once; returns the energy of all of them.
    pub fn shaded(&mut self, energy: Energy) -> Energy {
        *self.shading.insert(self.shading.map_or(energy, |sum| sum.plus(energy)))
    }

    /// Sends an update to the thread that passes it to the interface.
    pub fn tell(&mut self, update: Update) {
        self.sent += 1;
        // If the interface is gone, nobody needs it.
        let _ = self.updates.send(update);
    }

    pub fn notice(&mut self, notice: Option<String>) {
        if let Some(notice) = notice {
            self.tell(Update::Notice(notice));
        }
    }
}

impl SharedState {
    pub fn new(
        wanted: Wanted,
        roster: EngineRegistry,
        (meter, shaders, extent, idle): (Meter, bool, CompareExtent, Duration),
        updates: Sender<Update>,
    ) -> SharedState {
        let state = SessionState {
            wanted,
            roster,
            judged: None,
            failed_epoch: None,
            settled: None,
            done: HashMap::new(),
            comparing: None,
            allowance: Allowance::new(Instant::now()),
            shading: None,
            announced: None,
            sent: 0,
            updates,
        };
        let (epoch, version) = (AtomicU64::new(0), AtomicU64::new(0));
        SharedState {
            state: Mutex::new(state),
            changed: Condvar::new(),
            epoch,
            version,
            meter,
            shaders,
            extent,
            idle,
        }
    }

    /// Locks the shared state. A poisoned lock is still valid: the state is consistent at every point where a panic
    /// can occur.
    pub fn lock(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change, for at most `time`.
    pub fn wait<'a>(
        &self,
        state: MutexGuard<'a, SessionState>,
        time: Option<Duration>,
    ) -> MutexGuard<'a, SessionState> {
        match time {
            Some(time) => self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0,
            None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Applies a change to the shared state. If another engine serves afterwards, everything is judged again. If the
    /// engine state differs from the one last sent to the interface, it is sent again.
    pub fn change<R>(&self, change: impl FnOnce(&mut SessionState) -> R) -> R {
        let mut state = self.lock();
        let before = (state.serving(), state.together());
        let result = change(&mut state);
        if (state.serving(), state.together()) != before {
            state.wanted.renew();
        }
        self.epoch.store(state.wanted.epoch, Ordering::Release);
        self.version.store(state.wanted.version, Ordering::Release);
        self.announce(&mut state);
        drop(state);
        self.changed.notify_all();
        result
    }

    fn announce(&self, state: &mut SessionState) {
        let (kind, seat, reason) = state.roster.served_by(state.wanted.choice);
        let now = (kind, seat, reason, state.roster.device.clone(), state.roster.preparing.clone());
        if state.announced.as_ref() == Some(&now) {
            return;
        }
        state.announced = Some(now.clone());
        let (kind, EngineInfo { description, power_source }, reason, device, preparing) = now;
        let source = || self.meter.source(power_source).to_string();
        let meter = self.meter.missing(power_source).map_or_else(source, String::from);
        state.tell(Update::Engine { kind, description, reason, meter, device, preparing });
    }

    /// Applies a request of the interface.
    pub fn ask(&self, request: Request) {
        let choice = match &request {
            Request::Use(choice) => Some(*choice),
            _ => None,
        };
        self.change(|state| {
            let before = state.wanted.text.as_ref().map(|edit| edit.revision);
            state.wanted.take(request);
            let newest = state.wanted.text.as_ref().filter(|edit| Some(edit.revision) != before);
            newest.into_iter().for_each(|edit| state.roster.choose(&edit.text));
            let notice = choice.and_then(|choice| state.roster.want(choice));
            state.notice(notice);
        });
    }

    /// Returns whether verdicts for `epoch` are no longer wanted.
    pub fn is_stale(&self, epoch: u64) -> bool {
        self.epoch.load(Ordering::Acquire) != epoch
    }

    /// Returns whether a request has arrived since `version`.
    pub fn is_overtaken(&self, version: u64) -> bool {
        self.version.load(Ordering::Acquire) != version
    }

    /// Sends an update of `epoch` to the interface, unless the epoch is stale.
    pub fn tell(&self, epoch: u64, update: Update) {
        let mut state = self.lock();
        if state.wanted.epoch == epoch {
            state.tell(update);
        }
    }

    /// Updates the GPU engine's description: one of the devices that share its work may have been added or
    /// lost.
    pub fn describe(&self, engine: &dyn Engine) {
        let seat = EngineInfo::of(engine);
        let changed = matches!(&self.lock().roster.device, Device::Ready(_, known) if *known != seat);
        if changed {
            self.change(|state| {
                if let Device::Ready(_, known) = &mut state.roster.device {
                    *known = seat;
                }
            });
        }
    }

    /// Wakes all waiting threads.
    pub fn wake(&self) {
        self.changed.notify_all();
    }

    /// Closes the GPU engine after a failure.
    pub fn lose(&self, error: &EngineError) {
        self.change(|state| {
            // The rebuilt engine holds no program yet.
            state.done.remove(SHADERS.name);
            let notice = state.roster.lose(error);
            state.notice(notice);
        });
    }
}
