//! The thread of the GPU engine: it looks for devices, builds the engine when it is needed, and works with it until it
//! breaks.

use std::sync::Arc;
use std::time::Instant;

use super::board::{Board, Desk};
use super::comparison::{self, Extent, Piece};
use super::idle::{Finding, Setup};
use super::roster::{Device, Seat};
use super::worker::Worker;
use super::{Compared, Progress, Update};
use crate::engine::{Engine, EngineError, Kind};

/// What the GPU engine could run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub name: String,
    /// Whether `auto` takes it before the CPU engine.
    pub preferred: bool,
    /// Why, or why not.
    pub reason: String,
}

/// What an engine is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Everything that a session may ask.
    Serve,
    /// Comparing bases and mutants, while nobody types.
    Compare,
}

/// Where the GPU engine of a session comes from. Both calls are slow and come from a thread of their own.
pub trait Devices: Send + Sync {
    /// Looks what there is.
    ///
    /// # Errors
    /// If there is nothing.
    fn find(&self) -> Result<Found, EngineError>;

    /// Builds the engine and makes it ready. Between two pieces of work it asks `pace`, which may take its time, whether
    /// to go on.
    ///
    /// # Errors
    /// If the device fails, or is no longer wanted.
    fn build(&self, purpose: Purpose, pace: &mut dyn FnMut() -> bool) -> Result<Box<dyn Engine>, EngineError>;
}

/// What is done about devices next.
enum Turn {
    Quit,
    Find,
    Build(Purpose),
    Wait(Option<Instant>),
}

fn turn(board: &Board, desk: &Desk, now: Instant) -> Turn {
    let choice = desk.wanted.choice;
    match &desk.roster.device {
        _ if desk.wanted.quit => Turn::Quit,
        // An engine asked for by name is the only one used.
        Device::Unknown if choice != Some(Kind::Cpu) => Turn::Find,
        Device::Found(_) if desk.roster.needed(choice) => Turn::Build(Purpose::Serve),
        Device::Found(_) => match comparison::due_for(board, desk, Kind::Gpu) {
            Some(due) if due <= now => Turn::Build(Purpose::Compare),
            due => Turn::Wait(due),
        },
        _ => Turn::Wait(None),
    }
}

/// Whatever ends this thread, the session goes on without it.
struct Guard(Arc<Board>);

impl Drop for Guard {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let error = EngineError::Fault("it stopped".into());
            self.0.change(|desk| {
                let notice = desk.roster.fail(&error, desk.wanted.choice);
                desk.notice(notice);
            });
        }
    }
}

/// Runs until the session ends.
pub fn run(board: &Arc<Board>, devices: &dyn Devices, budget: u32, setup: &Arc<Setup>) {
    let _guard = Guard(board.clone());
    loop {
        let mut desk = board.lock();
        let now = Instant::now();
        match turn(board, &desk, now) {
            Turn::Quit => return,
            Turn::Wait(until) => {
                desk = board.wait(desk, until.map(|until| until.saturating_duration_since(now)));
                drop(desk);
            }
            Turn::Find => {
                drop(desk);
                let found = devices.find();
                board.change(|desk| {
                    let notice = desk.roster.found(found, desk.wanted.choice);
                    desk.notice(notice);
                });
            }
            Turn::Build(purpose) => {
                drop(desk);
                let engine = match build(board, devices, purpose) {
                    Ok(engine) => engine,
                    Err(EngineError::Cancelled) => continue,
                    Err(error) => {
                        board.change(|desk| {
                            let notice = desk.roster.fail(&error, desk.wanted.choice);
                            desk.notice(notice);
                        });
                        continue;
                    }
                };
                board.change(|desk| desk.roster.built(Seat::of(&*engine)));
                match Worker::new(board.clone(), engine, budget, setup).run() {
                    Ok(()) => return,
                    Err(error) => board.lose(&error),
                }
            }
        }
    }
}

/// Builds the engine: at once if it is to serve, piece by piece if it is only to compare.
fn build(board: &Board, devices: &dyn Devices, purpose: Purpose) -> Result<Box<dyn Engine>, EngineError> {
    if purpose == Purpose::Serve {
        return devices.build(purpose, &mut || !board.lock().wanted.quit);
    }
    let mut told = None;
    tell_preparing(&mut board.lock(), &mut told);
    // Only software adapters are built for that: their work is the processor's. It goes on between two looks.
    let mut piece = Some(Piece::begin(board, Kind::Cpu));
    let built = devices.build(purpose, &mut || {
        piece.take().map(|piece| piece.end(board));
        let going_on = pause(board, &mut told);
        piece = Some(Piece::begin(board, Kind::Cpu));
        going_on
    });
    piece.map(|piece| piece.end(board));
    built
}

/// Waits until processors may be used again, or somebody needs the engine. Whether to go on. `told` is the text for which the
/// comparison was announced.
fn pause(board: &Board, told: &mut Option<u64>) -> bool {
    let mut desk = board.lock();
    loop {
        let now = Instant::now();
        if desk.wanted.quit {
            return false;
        }
        if desk.roster.needed(desk.wanted.choice) || board.extent == Extent::All {
            return true;
        }
        let due = comparison::due_for(board, &desk, Kind::Gpu);
        if due.is_some() {
            tell_preparing(&mut desk, told);
        }
        if due.is_some_and(|due| due <= now) {
            return true;
        }
        desk = board.wait(desk, due.map(|due| due.saturating_duration_since(now)));
    }
}

/// Announces the comparison that the engine is built for, once for each text.
fn tell_preparing(desk: &mut Desk, told: &mut Option<u64>) {
    let Some(judged) = desk.current().cloned().filter(|judged| *told != Some(judged.epoch)) else { return };
    *told = Some(judged.epoch);
    let Device::Found(found) = &desk.roster.device else { return };
    let compared = Compared {
        other: found.name.clone(),
        progress: Progress::Preparing,
        checked: 0,
        of: 0,
        total: judged.verdicts.len() as u32,
        difference: None,
        energy: desk.comparing,
    };
    desk.tell(Update::Found(Finding::new(judged.revision, None, compared)));
}
