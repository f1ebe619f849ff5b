//! The idle and the busy members of an engine set. Each busy member works on a separate thread. A device that is still busy when all results are
//! there is not waited for. Devices may be opened while other members work.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use super::member::{Info, Member};
use super::no_members;
use super::queue::Queue;
use crate::compiler::program::Watch;
use crate::engine::news::Reporter;
use crate::engine::time_limit::{self, detach, receive};
use crate::engine::{DeviceFailure, Engine, EngineError, EngineSettings, Kind};
use crate::host::measure::processor::IdleLimit;
use crate::lang::index::Index;

/// The interval at which the caller is polled for cancellation, and members for having become idle.
/// Short, because a newer edit waits for it.
const ASK: Duration = Duration::from_millis(2);

/// A message from the thread of a member, or from one that opens devices.
enum MemberEvent {
    /// A member has no work left.
    Idle(Member),
    /// The member with this place has failed.
    Lost(usize, EngineError),
    /// A device has been opened.
    Opened(Box<dyn Engine>),
    /// No more devices will be opened.
    Complete,
}

/// Adds devices to an engine set that already works. Dropping all copies reports that no more will come.
#[derive(Clone)]
pub struct Opening(Arc<Sending>);

struct Sending(Sender<MemberEvent>);

impl Opening {
    /// Adds a device to the set. Returns false if the set no longer exists.
    pub fn add(&self, device: Box<dyn Engine>) -> bool {
        self.0.0.send(MemberEvent::Opened(device)).is_ok()
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        // The set may no longer exist.
        let _ = self.0.send(MemberEvent::Complete);
    }
}

pub struct Members {
    /// In the order of places.
    idle: Vec<Member>,
    busy: Vec<Info>,
    /// Whether devices are being opened.
    opening: bool,
    next: usize,
    settings: EngineSettings,
    /// The number of members that failed, and the error of the last one.
    lost: usize,
    failed: Option<EngineError>,
    news: Reporter,
    events: Receiver<MemberEvent>,
    sender: Sender<MemberEvent>,
}

impl Members {
    pub fn new(engines: Vec<Box<dyn Engine>>, news: Reporter) -> Members {
        let (sender, events) = mpsc::channel();
        let idle: Vec<Member> =
            engines.into_iter().enumerate().map(|(place, engine)| Member::new(engine, place)).collect();
        let settings = idle.first().map_or(EngineSettings::default(), |member| member.engine.settings());
        Members {
            busy: Vec::new(),
            opening: false,
            next: idle.len(),
            idle,
            settings,
            lost: 0,
            failed: None,
            news,
            events,
            sender,
        }
    }

    /// Opens devices on a separate thread. They become members when they are ready.
    pub fn open(&mut self, open: impl FnOnce(Opening) + Send + 'static) {
        let opening = Opening(Arc::new(Sending(self.sender.clone())));
        // Without a thread there are no devices.
        self.opening = detach(move || open(opening)).is_ok();
    }

    /// Waits until all devices have been opened, at most for `limit`.
    pub fn complete(&mut self, limit: Duration) {
        let mut idle = IdleLimit::new(limit);
        while self.opening {
            match receive(&self.events, &mut idle) {
                // No member has worked yet, so none disagrees.
                Ok(event) => drop(self.handle(event)),
                Err(_) => {
                    let taken = limit.as_secs_f64();
                    self.news.notice(&format!("preparing devices has taken longer than {taken} s"));
                    return;
                }
            }
        }
    }

    pub fn lost(&self) -> usize {
        self.lost
    }

    /// Returns the descriptions of all members, in the order of places.
    pub fn infos(&self) -> Vec<Info> {
        let mut all: Vec<Info> = self.idle.iter().map(Member::info).chain(self.busy.iter().cloned()).collect();
        all.sort_by_key(|info| info.place);
        all
    }

    pub fn idle(&self) -> impl Iterator<Item = &dyn Engine> {
        self.idle.iter().map(|member| &*member.engine)
    }

    pub fn settings(&self) -> EngineSettings {
        self.settings
    }

    /// Configures all members. Busy ones receive the settings when they are idle again.
    pub fn configure(&mut self, settings: EngineSettings) {
        self.settings = settings;
        self.idle.iter_mut().for_each(|member| member.engine.configure(settings));
    }

    fn is_empty(&self) -> bool {
        self.idle.is_empty() && self.busy.is_empty() && !self.opening
    }

    fn add(&mut self, mut member: Member) {
        member.engine.configure(self.settings);
        self.idle.push(member);
        self.idle.sort_by_key(Member::place);
    }

    /// Records that a member has failed, with a notice. Without a notice if it was the last one: the work then fails with this error.
    fn lose(&mut self, name: &str, error: EngineError) -> Result<(), EngineError> {
        self.lost += 1;
        // A disagreement is a bug, so no result may be shown.
        if let EngineError::Differs(_) = error {
            return Err(error);
        }
        if !self.is_empty() {
            self.news.notice(&format!("{name} is left out: {error}"));
        }
        self.failed = Some(error);
        Ok(())
    }

    /// Removes an idle member that has failed.
    fn remove(&mut self, index: usize, error: EngineError) -> Result<(), EngineError> {
        let member = self.idle.remove(index);
        let name = member.engine.describe();
        // Closing a broken device may take long or never return.
        let _ = detach(move || drop(member));
        self.lose(&name, error)
    }

    /// # Errors
    /// If a member disagrees with the others.
    fn handle(&mut self, event: MemberEvent) -> Result<(), EngineError> {
        match event {
            MemberEvent::Idle(member) => {
                self.busy.retain(|info| info.place != member.place());
                self.add(member);
            }
            MemberEvent::Lost(place, error) => {
                let index = self.busy.iter().position(|info| info.place == place);
                let name = index.map(|index| self.busy.remove(index).name).unwrap_or_default();
                self.lose(&name, error)?;
            }
            MemberEvent::Opened(device) => {
                self.add(Member::new(device, self.next));
                self.next += 1;
            }
            MemberEvent::Complete => self.opening = false,
        }
        Ok(())
    }

    /// Handles all pending events.
    fn gather(&mut self) -> Result<(), EngineError> {
        while let Ok(event) = self.events.try_recv() {
            self.handle(event)?;
        }
        Ok(())
    }

    /// Waits for the next event.
    ///
    /// # Errors
    /// If no more events can occur.
    fn wait(&mut self) -> Result<(), EngineError> {
        if self.busy.is_empty() && !self.opening {
            return Err(self.failed.clone().unwrap_or_else(no_members));
        }
        let event = self.events.recv().map_err(|_| no_members())?;
        self.handle(event)
    }

    /// Does work on the idle member that is ready soonest, or on the next one if it fails.
    ///
    /// # Errors
    /// If none is left, or the work is cancelled or a wrong call.
    pub fn on_lead<T>(
        &mut self,
        work: impl Fn(&mut Member) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        loop {
            self.gather()?;
            // Never waits for the slowest member: the base must be there soon.
            let lead = self.idle.iter_mut().enumerate().min_by_key(|(_, member)| member.readiness());
            let Some((index, lead)) = lead else {
                self.wait()?;
                continue;
            };
            match work(lead) {
                done @ (Ok(_) | Err(EngineError::Cancelled | EngineError::Call(_))) => return done,
                Err(error) => self.remove(index, error)?,
            }
        }
    }

    /// Returns the first member in the given order after it has done work; the next one if it fails. Waits while that member is busy.
    ///
    /// # Errors
    /// As [`Members::on_lead`].
    pub fn first<K: Ord>(
        &mut self,
        order: impl Fn(&Info) -> K,
        work: impl Fn(&mut Member) -> Result<(), EngineError>,
    ) -> Result<&mut Member, EngineError> {
        loop {
            self.gather()?;
            let first = self.infos().into_iter().min_by_key(&order);
            let is_first = |member: &Member| first.as_ref().is_some_and(|first| first.place == member.place());
            let Some(index) = self.idle.iter().position(is_first) else {
                self.wait()?;
                continue;
            };
            match work(&mut self.idle[index]) {
                Ok(()) => return Ok(&mut self.idle[index]),
                Err(error @ (EngineError::Cancelled | EngineError::Call(_))) => return Err(error),
                Err(error) => self.remove(index, error)?,
            }
        }
    }

    /// Waits until no member is busy, and returns their engines.
    pub fn into_engines(mut self) -> Vec<Box<dyn Engine>> {
        // Errors of members no longer matter.
        while !self.busy.is_empty() || self.opening {
            let _ = self.wait();
        }
        self.idle.into_iter().map(|member| member.engine).collect()
    }

    /// Lets all members work on a queue, each on a separate thread. Passes their results to `settle` until it returns true. Does not wait for
    /// devices that are still busy then.
    ///
    /// # Errors
    /// If it is cancelled, members disagree, or none is left.
    pub fn share<I: Index, T: Send + 'static>(
        &mut self,
        queue: &Queue<I>,
        work: impl Fn(&mut Member, &AtomicBool, &Sender<T>) -> Result<(), EngineError> + Send + Sync + 'static,
        watch: &dyn Watch,
        mut settle: impl FnMut(T) -> bool,
    ) -> Result<(), EngineError> {
        let (work, stop) = (Arc::new(work), Arc::new(AtomicBool::new(false)));
        let (sender, results) = mpsc::channel();
        let mut turn = || {
            if watch.cancelled() {
                return Err(EngineError::Cancelled);
            }
            self.gather()?;
            if !queue.lock().is_done() {
                // Members that have become idle join again, because they can take over the rest of a slow one.
                for member in std::mem::take(&mut self.idle) {
                    let (work, stop, sender) = (work.clone(), stop.clone(), sender.clone());
                    self.send(member, move |member| work(member, &stop, &sender))?;
                }
            }
            match results.recv_timeout(ASK) {
                Ok(result) => {
                    if settle(result) {
                        return Ok(true);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                // This thread holds a sender, so the channel stays open.
                Err(RecvTimeoutError::Disconnected) => return Err(no_members()),
            }
            if self.is_empty() {
                return Err(self.failed.clone().unwrap_or_else(no_members));
            }
            Ok(false)
        };
        let ended = loop {
            match turn() {
                Ok(false) => {}
                ended => break ended,
            }
        };
        stop.store(true, Ordering::Relaxed);
        // A processor stops within milliseconds, and the caller may need it next.
        while self.busy.iter().any(|info| info.kind == Kind::Cpu) {
            self.wait()?;
        }
        ended.map(drop)
    }

    /// Lets a member work on a separate thread.
    fn send(
        &mut self,
        member: Member,
        work: impl FnOnce(&mut Member) -> Result<(), EngineError> + Send + 'static,
    ) -> Result<(), EngineError> {
        let info = member.info();
        let (place, name, is_software) = (info.place, info.name.clone(), info.is_software());
        self.busy.push(info);
        let sender = self.sender.clone();
        let run = move || {
            // It runs on the processor that another member uses better.
            if is_software {
                time_limit::lower_priority(time_limit::LATER);
            }
            let mut member = member;
            // A panic costs the member only, not the work.
            let event = match catch_unwind(AssertUnwindSafe(|| work(&mut member))) {
                Ok(Ok(()) | Err(EngineError::Cancelled)) => MemberEvent::Idle(member),
                Ok(Err(error)) => MemberEvent::Lost(place, error),
                Err(_) => MemberEvent::Lost(place, EngineError::Bug("it stopped".into())),
            };
            // The set may no longer exist.
            let _ = sender.send(event);
        };
        match detach(run) {
            Ok(()) => Ok(()),
            // The member was moved into the thread and is lost with it.
            Err(error) => {
                self.busy.retain(|info| info.place != place);
                self.lose(&name, DeviceFailure::Threads.because(format!("no thread could be started: {error}")))
            }
        }
    }
}
