//! Engines that misbehave in a known way: they are lost, or block until a test lets them continue.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use myriad::engine::cpu::CpuEngine;
use myriad::engine::multi::MultiEngine;
use myriad::engine::{DeviceFailure, Engine, EngineError, Kind};

use super::{cpu, shared};
pub use crate::common::hooked::Call;
use crate::common::hooked::Hooked;

/// Returns an engine that judges a number of parts and is then lost.
pub fn mortal(parts: u32) -> Box<dyn Engine> {
    Box::new(mortal_of(cpu(), parts, None))
}

/// Returns an engine that is lost after `parts` calls. Before its first chunk it waits for the others at
/// `meeting`.
fn mortal_of(engine: Box<dyn Engine>, mut parts: u32, mut meeting: Option<Arc<Meeting>>) -> Hooked {
    let kind = engine.kind();
    let hook = move |call| {
        if ![Call::Chunk, Call::Test].contains(&call) {
            return Ok(());
        }
        let unplugged = || EngineError::Device(DeviceFailure::Lost, "unplugged".into());
        parts = parts.checked_sub(1).ok_or_else(unplugged)?;
        match meeting.take_if(|_| call == Call::Chunk) {
            Some(meeting) => meeting.attend(),
            // Slow, so that the others have something to do.
            None if call == Call::Chunk => std::thread::sleep(Duration::from_millis(1)),
            None => {}
        }
        Ok(())
    };
    Hooked { engine, kind, name: "mortal engine", chunk: u32::MAX, deaf: false, hook: Box::new(hook) }
}

/// The number of engines that have not arrived yet.
pub struct Meeting {
    missing: Mutex<usize>,
    all: Condvar,
}

impl Meeting {
    pub fn all_came(&self) -> bool {
        *self.missing.lock().expect("nobody panics here") == 0
    }

    /// Returns once all have arrived, or after an ample time.
    pub fn attend(&self) {
        let mut missing = self.missing.lock().expect("nobody panics here");
        *missing = missing.saturating_sub(1);
        self.all.notify_all();
        let waited = self.all.wait_timeout_while(missing, Duration::from_secs(200), |missing| *missing > 0);
        drop(waited.expect("nobody panics here"));
    }
}

/// Wraps engines so that none judges anything before each has received work. Otherwise one engine might do all
/// work before another's thread has started.
pub fn meeting(engines: Vec<Box<dyn Engine>>) -> (Vec<Box<dyn Engine>>, Arc<Meeting>) {
    let meeting = Arc::new(Meeting { missing: Mutex::new(engines.len()), all: Condvar::new() });
    let mortal = |engine| Box::new(mortal_of(engine, u32::MAX, Some(meeting.clone()))) as _;
    (engines.into_iter().map(mortal).collect(), meeting.clone())
}

/// Blocks calls until it is opened. Counts the calls that have blocked, and those that have continued.
#[derive(Default)]
pub struct Gate {
    state: Mutex<(usize, bool, usize)>,
    changed: Condvar,
}

impl Gate {
    /// Counts the call, and lets it continue once the processor has come to the meeting and the gate is open.
    fn pass(&self, meeting: &Meeting) {
        self.state.lock().expect("nobody panics here").0 += 1;
        meeting.attend();
        let state = self.state.lock().expect("nobody panics here");
        let mut state = self.changed.wait_while(state, |state| !state.1).expect("nobody panics here");
        state.2 += 1;
        self.changed.notify_all();
    }

    pub fn stopped(&self) -> usize {
        self.state.lock().expect("nobody panics here").0
    }

    /// Lets all calls continue, and waits until they have.
    pub fn open(&self) {
        let mut state = self.state.lock().expect("nobody panics here");
        state.1 = true;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| state.2 < state.0).expect("nobody panics here"));
    }
}

/// Returns a device that blocks in one kind of call until the test opens its gate, with a processor that begins
/// its first stretch after the device has taken one; and the gate.
pub fn with_straggler(at: Call) -> (MultiEngine, Arc<Gate>) {
    let meeting = Arc::new(Meeting { missing: Mutex::new(2), all: Condvar::new() });
    let gate = Arc::new(Gate::default());
    let (blocking, meets) = (gate.clone(), meeting.clone());
    let hook = move |call| {
        if call == at {
            blocking.pass(&meets);
        }
        Ok(())
    };
    let straggler = Hooked::new(CpuEngine::with_threads(1), "straggler", Box::new(hook));
    // It ignores cancellation, so that it answers late.
    let straggler = Hooked { kind: Kind::Gpu, deaf: true, ..straggler };
    let mut meeting = Some(meeting);
    let hook = move |call| {
        let begins = [Call::Chunk, Call::Test, Call::Repeat].contains(&call);
        meeting.take_if(|_| begins).iter().for_each(|meeting| meeting.attend());
        Ok(())
    };
    let patient = Hooked::new(CpuEngine::with_threads(1), "processor", Box::new(hook));
    (shared(vec![Box::new(straggler), Box::new(patient)]), gate)
}
