//! The engine threads, races and background work of a workbench.

use std::io;
use std::sync::Arc;

use crate::engine::choose::Preference;
use crate::paper::race::RaceSettings;
use crate::session::Request;
use crate::workbench::edge::background::spawn_detached;
use crate::workbench::edge::engine::Engine;
use crate::workbench::edge::events::Events;
use crate::workbench::edge::options::Options;
use crate::workbench::edge::race;
use crate::workbench::edge::world::{EngineSession, LookUp};
use crate::workbench::event::Event;
use crate::workbench::race::RaceMessage;

pub struct Services {
    pub engine: Engine,
    pub events: Events,
    races: race::Runner,
    options: Options,
    /// The number of questions without an answer, where answers are counted.
    pub awaited: usize,
}

impl Services {
    /// # Errors
    /// If no threads can be started.
    pub fn start(options: Options, events: Events) -> io::Result<Services> {
        let engine = Engine::start(&options, events.clone())?;
        Ok(Services { engine, events, races: race::Runner::default(), options, awaited: 0 })
    }
}

impl EngineSession for Services {
    fn request(&mut self, request: Request) {
        self.engine.send(request);
    }

    fn restart(&mut self) -> io::Result<()> {
        self.engine = Engine::start(&self.options, self.events.clone())?;
        Ok(())
    }

    fn race(&mut self, number: u64, text: Arc<str>) -> io::Result<()> {
        if let Some(stored) = &self.options.race {
            let news = match stored.of(&text) {
                Ok(race) => RaceMessage::Done(race),
                Err(why) => RaceMessage::Refused(format!("There is no race: {why}.")),
            };
            drop(self.events.send(Event::Race { number, news }));
            return Ok(());
        }
        let config = &self.options.config;
        let software = config.engine.choice == Preference::Gpu;
        let settings = RaceSettings { software, exact: config.engine.exact, ..Default::default() };
        self.races.start(number, text, settings, config.energy, self.events.clone())
    }

    fn stop_race(&mut self) {
        self.races.stop();
    }

    fn look_up(&mut self, what: LookUp) {
        self.awaited += 1;
        let events = self.events.clone();
        spawn_detached("find", move || drop(events.send(what.answer())));
    }
}
