//! Runs a race on a separate thread, which reports to the interface by events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::host::measure::energy::{Meter, Watts};
use crate::paper::race::{self, Field, RaceSettings};
use crate::workbench::edge::events::Events;
use crate::workbench::event::Event;
use crate::workbench::race::RaceMessage;

/// How long the exit waits for a race to clean up.
const PATIENCE: Duration = Duration::from_millis(500);

/// The running race, if any. Dropping the runner stops it.
#[derive(Default)]
pub struct Runner {
    running: Option<(Arc<AtomicBool>, JoinHandle<()>)>,
}

impl Runner {
    /// Starts a race; a running one is stopped.
    pub fn start(
        &mut self,
        number: u64,
        text: Arc<str>,
        settings: RaceSettings,
        watts: Watts,
        events: Events,
    ) -> std::io::Result<()> {
        self.stop();
        let before = self.running.take().map(|(_, thread)| thread);
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let work = move || {
            // Two races at the same time would distort each other's measurements.
            if let Some(thread) = before {
                let _ = thread.join();
            }
            let tell = |news| drop(events.send(Event::Race { number, news }));
            match Field::new(&text, settings.k) {
                Err(why) => tell(RaceMessage::Refused(format!("There is no race: {why}."))),
                Ok(field) => {
                    tell(RaceMessage::Begun { k: field.k, repetitions: settings.repetitions });
                    let race = race::run(&field, &settings, &Meter::open(watts), &flag, &mut |event| {
                        tell(RaceMessage::Happened(event))
                    });
                    tell(RaceMessage::Done(race));
                }
            }
        };
        let thread = std::thread::Builder::new().name("race".into()).spawn(work)?;
        self.running = Some((stop, thread));
        Ok(())
    }

    pub fn stop(&self) {
        if let Some((stop, _)) = &self.running {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.stop();
        let Some((_, thread)) = self.running.take() else { return };
        let started = Instant::now();
        while !thread.is_finished() && started.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
