//! The thread of the GPU engine: finds devices, builds the engine when it is needed, and works with it until it
//! fails.

use std::sync::Arc;
use std::time::Instant;

use super::comparison::{self, Compared, MeteredWork, Progress};
use super::idle::{next_idle_job, next_visible_job};
use super::job::{CompareExtent, Finding};
use super::messages::Update;
use super::roster::{Device, EngineInfo, Found};
use super::shared_state::{SessionState, SharedState};
use super::task::Setup;
use super::worker::Worker;
use crate::engine::choose::Preference;
use crate::engine::multi::EngineSet;
use crate::engine::news::{Report, Reporter};
use crate::engine::{Engine, EngineError, Kind};

/// The purpose of building an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Everything that a session can request.
    Serve,
    /// Comparing base programs and mutants.
    Compare,
}

/// Progress of building an engine: steps done, and steps in total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildProgress {
    pub done: u32,
    pub of: u32,
}

/// The source of a session's GPU engine. Both calls are slow; they run on a thread of their own.
pub trait Devices: Send + Sync {
    /// Finds the available devices.
    ///
    /// # Errors
    /// If there is no device.
    fn find(&self) -> Result<Found, EngineError>;

    /// Builds an engine for each device and makes it ready; together they form the GPU engine. Between two
    /// steps, calls `pace` with the steps done; it may block and returns whether to continue. `news` receives
    /// progress messages.
    ///
    /// # Errors
    /// If the device fails, or `pace` cancels.
    fn build(
        &self,
        purpose: Purpose,
        pace: &mut dyn FnMut(BuildProgress) -> bool,
        news: &Reporter,
    ) -> Result<Vec<Box<dyn Engine>>, EngineError>;

    /// Builds a CPU engine that shares the work with the devices.
    fn processor(&self) -> Box<dyn Engine>;
}

/// The thread's next action.
enum Action {
    Quit,
    Find,
    Build(Purpose),
    Wait(Option<Instant>),
}

fn turn(shared: &SharedState, state: &SessionState, now: Instant) -> Action {
    let choice = state.wanted.choice;
    match &state.roster.device {
        _ if state.wanted.quit => Action::Quit,
        // An engine requested by name is the only one used.
        Device::Unknown if choice != Preference::Cpu => Action::Find,
        Device::Found(_) if state.roster.needed(choice) => Action::Build(Purpose::Serve),
        Device::Found(_) => match building(shared, state) {
            Some(due) if due <= now => Action::Build(Purpose::Compare),
            due => Action::Wait(due),
        },
        _ => Action::Wait(None),
    }
}

/// Returns when to build an engine that does not serve, or `None` if it is not needed: soon if the user looks
/// at a panel that only this engine fills, else when the processor budget allows.
fn building(shared: &SharedState, state: &SessionState) -> Option<Instant> {
    let at_leisure = next_idle_job(shared, state, Kind::Gpu).map(|_| comparison::leisure(shared, state));
    next_visible_job(shared, state, Kind::Gpu).into_iter().chain(at_leisure).min()
}

/// Marks the device as failed if its thread panics; the session continues without it.
struct Guard(Arc<SharedState>);

impl Drop for Guard {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let error = EngineError::Bug("it stopped".into());
            self.0.change(|state| {
                let notice = state.roster.fail(&error, state.wanted.choice);
                state.notice(notice);
            });
        }
    }
}

/// Runs until the session ends.
pub fn run(shared: &Arc<SharedState>, devices: &dyn Devices, budget: u32, setup: &Arc<Setup>) {
    let _guard = Guard(shared.clone());
    loop {
        let mut state = shared.lock();
        let now = Instant::now();
        match turn(shared, &state, now) {
            Action::Quit => return,
            Action::Wait(until) => {
                state = shared.wait(state, until.map(|until| until.saturating_duration_since(now)));
                drop(state);
            }
            Action::Find => {
                drop(state);
                let found = devices.find();
                shared.change(|state| {
                    let notice = state.roster.found(found, state.wanted.choice);
                    state.notice(notice);
                });
            }
            Action::Build(purpose) => {
                drop(state);
                let engines = match build(shared, devices, purpose) {
                    Ok(engines) => engines,
                    Err(EngineError::Cancelled) => continue,
                    Err(error) => {
                        shared.change(|state| {
                            let notice = state.roster.fail(&error, state.wanted.choice);
                            state.notice(notice);
                        });
                        continue;
                    }
                };
                // Building for comparison may have measured the device, so it may be preferred from now on.
                if let Some(found) = (purpose == Purpose::Compare).then(|| devices.find().ok()).flatten() {
                    shared.change(|state| state.roster.found(Ok(found), state.wanted.choice));
                }
                if let Err(error) = work(shared, devices, engines, budget, setup) {
                    shared.lose(&error);
                }
            }
        }
    }
}

/// Works with the devices until the session ends, alone or together with the CPU as requested.
fn work(
    shared: &Arc<SharedState>,
    devices: &dyn Devices,
    mut engines: Vec<Box<dyn Engine>>,
    budget: u32,
    setup: &Arc<Setup>,
) -> Result<(), EngineError> {
    loop {
        let (quit, together) = {
            let state = shared.lock();
            (state.wanted.quit, state.together())
        };
        if quit {
            return Ok(());
        }
        if together {
            engines.push(devices.processor());
        }
        let mut engine_set = EngineSet::new(engines, &news(shared))?;
        let seat = EngineInfo::of(engine_set.engine());
        shared.change(|state| state.roster.built(seat));
        Worker::new(shared.clone(), engine_set.engine(), together, budget, setup).run()?;
        engines = engine_set.into_members();
        engines.retain(|engine| engine.kind() == Kind::Gpu);
    }
}

/// Shows the reports of engines in the session.
fn news(shared: &Arc<SharedState>) -> Reporter {
    let shown = shared.clone();
    Reporter::new(move |report| match report {
        Report::Notice(text) => shown.change(|state| state.notice(Some(text.into()))),
        Report::Progress(text) => shown.change(|state| state.roster.progress(text, Instant::now())),
    })
}

/// Builds the engine: at once if it will serve, in steps if it will only compare.
fn build(
    shared: &Arc<SharedState>,
    devices: &dyn Devices,
    purpose: Purpose,
) -> Result<Vec<Box<dyn Engine>>, EngineError> {
    let news = news(shared);
    if purpose == Purpose::Serve {
        return devices.build(purpose, &mut |_| !shared.lock().wanted.quit, &news);
    }
    let mut announced = None;
    announce(shared, &mut shared.lock(), Progress::Preparing, BuildProgress::default(), &mut announced);
    // Preparing is CPU work; it runs between two calls of `pace`.
    let mut piece = Some(MeteredWork::begin(shared, Kind::Cpu));
    let built = devices.build(
        purpose,
        &mut |pieces| {
            account(shared, piece.take());
            let going_on = pause(shared, pieces, &mut announced);
            piece = Some(MeteredWork::begin(shared, Kind::Cpu));
            going_on
        },
        &news,
    );
    account(shared, piece);
    built
}

/// Counts a piece of building the engine as comparing, since it is built for that.
fn account(shared: &SharedState, piece: Option<MeteredWork>) {
    if let Some((energy, spent)) = piece.map(MeteredWork::end) {
        shared.lock().compared(energy, spent);
    }
}

/// The last announcement: the text's epoch, the state, and the number of steps.
type Announced = Option<(u64, Progress, BuildProgress)>;

/// Waits until the processor budget allows more work or the engine is needed. Returns whether to continue.
fn pause(shared: &SharedState, pieces: BuildProgress, announced: &mut Announced) -> bool {
    let mut state = shared.lock();
    loop {
        let now = Instant::now();
        if state.wanted.quit {
            return false;
        }
        let needed = state.roster.needed(state.wanted.choice) || shared.extent == CompareExtent::All;
        let due = building(shared, &state);
        if needed || due.is_some_and(|due| due <= now) {
            announce(shared, &mut state, Progress::Preparing, pieces, announced);
            return true;
        }
        announce(shared, &mut state, Progress::Waiting, pieces, announced);
        state = shared.wait(state, due.map(|due| due.saturating_duration_since(now)));
    }
}

/// Reports the progress of building an engine that does not serve.
fn announce(
    shared: &SharedState,
    state: &mut SessionState,
    progress: Progress,
    pieces: BuildProgress,
    announced: &mut Announced,
) {
    if shared.extent == CompareExtent::Off && next_visible_job(shared, state, Kind::Gpu).is_none() {
        return;
    }
    let Some(judged) = state.current().cloned() else { return };
    if announced.replace((judged.epoch, progress, pieces)) == Some((judged.epoch, progress, pieces)) {
        return;
    }
    let Device::Found(found) = &state.roster.device else { return };
    let (energy, begun) = (state.comparing, Compared::begun(found.name.clone(), progress, &judged));
    let compared = Compared { energy, checked: pieces.done, of: pieces.of, ..begun };
    state.tell(Update::Found(Finding::new(judged.revision, None, compared)));
}
