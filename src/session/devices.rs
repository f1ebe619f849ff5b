//! The thread of the GPU engine: finds devices, builds the engine when it is needed, and works with it until it
//! fails.

use std::sync::Arc;
use std::time::Instant;

use super::board::{SessionState, SharedState};
use super::comparison::{self, Compared, MeteredWork, Progress};
use super::idle::{next_idle_job, next_visible_job};
use super::job::{CompareExtent, Finding};
use super::messages::Update;
use super::roster::{Device, EngineInfo, Found};
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

fn turn(board: &SharedState, desk: &SessionState, now: Instant) -> Action {
    let choice = desk.wanted.choice;
    match &desk.roster.device {
        _ if desk.wanted.quit => Action::Quit,
        // An engine requested by name is the only one used.
        Device::Unknown if choice != Preference::Cpu => Action::Find,
        Device::Found(_) if desk.roster.needed(choice) => Action::Build(Purpose::Serve),
        Device::Found(_) => match building(board, desk) {
            Some(due) if due <= now => Action::Build(Purpose::Compare),
            due => Action::Wait(due),
        },
        _ => Action::Wait(None),
    }
}

/// Returns when to build an engine that does not serve, or `None` if it is not needed: soon if the user looks
/// at a panel that only this engine fills, else when the processor budget allows.
fn building(board: &SharedState, desk: &SessionState) -> Option<Instant> {
    let at_leisure = next_idle_job(board, desk, Kind::Gpu).map(|_| comparison::leisure(board, desk));
    next_visible_job(board, desk, Kind::Gpu).into_iter().chain(at_leisure).min()
}

/// Marks the device as failed if its thread panics; the session continues without it.
struct Guard(Arc<SharedState>);

impl Drop for Guard {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let error = EngineError::Bug("it stopped".into());
            self.0.change(|desk| {
                let notice = desk.roster.fail(&error, desk.wanted.choice);
                desk.notice(notice);
            });
        }
    }
}

/// Runs until the session ends.
pub fn run(board: &Arc<SharedState>, devices: &dyn Devices, budget: u32, setup: &Arc<Setup>) {
    let _guard = Guard(board.clone());
    loop {
        let mut desk = board.lock();
        let now = Instant::now();
        match turn(board, &desk, now) {
            Action::Quit => return,
            Action::Wait(until) => {
                desk = board.wait(desk, until.map(|until| until.saturating_duration_since(now)));
                drop(desk);
            }
            Action::Find => {
                drop(desk);
                let found = devices.find();
                board.change(|desk| {
                    let notice = desk.roster.found(found, desk.wanted.choice);
                    desk.notice(notice);
                });
            }
            Action::Build(purpose) => {
                drop(desk);
                let engines = match build(board, devices, purpose) {
                    Ok(engines) => engines,
                    Err(EngineError::Cancelled) => continue,
                    Err(error) => {
                        board.change(|desk| {
                            let notice = desk.roster.fail(&error, desk.wanted.choice);
                            desk.notice(notice);
                        });
                        continue;
                    }
                };
                // Building for comparison may have measured the device, so it may be preferred from now on.
                if let Some(found) = (purpose == Purpose::Compare).then(|| devices.find().ok()).flatten() {
                    board.change(|desk| desk.roster.found(Ok(found), desk.wanted.choice));
                }
                if let Err(error) = work(board, devices, engines, budget, setup) {
                    board.lose(&error);
                }
            }
        }
    }
}

/// Works with the devices until the session ends, alone or together with the CPU as requested.
fn work(
    board: &Arc<SharedState>,
    devices: &dyn Devices,
    mut engines: Vec<Box<dyn Engine>>,
    budget: u32,
    setup: &Arc<Setup>,
) -> Result<(), EngineError> {
    loop {
        let (quit, together) = {
            let desk = board.lock();
            (desk.wanted.quit, desk.together())
        };
        if quit {
            return Ok(());
        }
        if together {
            engines.push(devices.processor());
        }
        let mut engine_set = EngineSet::new(engines, &news(board))?;
        let seat = EngineInfo::of(engine_set.engine());
        board.change(|desk| desk.roster.built(seat));
        Worker::new(board.clone(), engine_set.engine(), together, budget, setup).run()?;
        engines = engine_set.into_members();
        engines.retain(|engine| engine.kind() == Kind::Gpu);
    }
}

/// Shows the reports of engines in the session.
fn news(board: &Arc<SharedState>) -> Reporter {
    let shown = board.clone();
    Reporter::new(move |report| match report {
        Report::Notice(text) => shown.change(|desk| desk.notice(Some(text.into()))),
        Report::Progress(text) => shown.change(|desk| desk.roster.preparing = text.into()),
    })
}

/// Builds the engine: at once if it will serve, in steps if it will only compare.
fn build(
    board: &Arc<SharedState>,
    devices: &dyn Devices,
    purpose: Purpose,
) -> Result<Vec<Box<dyn Engine>>, EngineError> {
    let news = news(board);
    if purpose == Purpose::Serve {
        return devices.build(purpose, &mut |_| !board.lock().wanted.quit, &news);
    }
    let mut told = None;
    announce(board, &mut board.lock(), Progress::Preparing, BuildProgress::default(), &mut told);
    // Preparing is CPU work; it runs between two calls of `pace`.
    let mut piece = Some(MeteredWork::begin(board, Kind::Cpu));
    let built = devices.build(
        purpose,
        &mut |pieces| {
            account(board, piece.take());
            let going_on = pause(board, pieces, &mut told);
            piece = Some(MeteredWork::begin(board, Kind::Cpu));
            going_on
        },
        &news,
    );
    account(board, piece);
    built
}

/// Counts a piece of building the engine as comparing, since it is built for that.
fn account(board: &SharedState, piece: Option<MeteredWork>) {
    if let Some((energy, spent)) = piece.map(MeteredWork::end) {
        board.lock().compared(energy, spent);
    }
}

/// The last announcement: the text's epoch, the state, and the number of steps.
type Announced = Option<(u64, Progress, BuildProgress)>;

/// Waits until the processor budget allows more work or the engine is needed. Returns whether to continue.
fn pause(board: &SharedState, pieces: BuildProgress, told: &mut Announced) -> bool {
    let mut desk = board.lock();
    loop {
        let now = Instant::now();
        if desk.wanted.quit {
            return false;
        }
        let needed = desk.roster.needed(desk.wanted.choice) || board.extent == CompareExtent::All;
        let due = building(board, &desk);
        if needed || due.is_some_and(|due| due <= now) {
            announce(board, &mut desk, Progress::Preparing, pieces, told);
            return true;
        }
        announce(board, &mut desk, Progress::Waiting, pieces, told);
        desk = board.wait(desk, due.map(|due| due.saturating_duration_since(now)));
    }
}

/// Reports the progress of building an engine that does not serve.
fn announce(
    board: &SharedState,
    desk: &mut SessionState,
    progress: Progress,
    pieces: BuildProgress,
    told: &mut Announced,
) {
    if board.extent == CompareExtent::Off && next_visible_job(board, desk, Kind::Gpu).is_none() {
        return;
    }
    let Some(judged) = desk.current().cloned() else { return };
    if told.replace((judged.epoch, progress, pieces)) == Some((judged.epoch, progress, pieces)) {
        return;
    }
    let Device::Found(found) = &desk.roster.device else { return };
    let (energy, begun) = (desk.comparing, Compared::begun(found.name.clone(), progress, &judged));
    let compared = Compared { energy, checked: pieces.done, of: pieces.of, ..begun };
    desk.tell(Update::Found(Finding::new(judged.revision, None, compared)));
}
