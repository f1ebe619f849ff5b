//! Carries out effects. The terminal, tapes and tests share this interpreter; each supplies the [`World`] that it acts
//! on.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::lang::index::RoutineId;
use crate::session::{Edit, Request};
pub use crate::workbench::edge::keeper::FileTask;
use crate::workbench::edge::open;
pub use crate::workbench::edge::save::SaveJob;
use crate::workbench::event::{Effect, Event, Fading};
use crate::workbench::example::{self, NoTest};
use crate::workbench::open::Target;
use crate::workbench::race::RaceMessage;
use crate::workbench::results::Shown;
use crate::workbench::state::{Arrangements, State, Tone, WorkbenchDocument};

/// A question whose answer may take a while.
pub enum LookUp {
    /// A test for a function of the shown program.
    Test {
        revision: u64,
        function: RoutineId,
        shown: Option<Arc<Shown>>,
    },
    Folder(String),
    File {
        number: u64,
        target: Target,
        /// The numbers and paths of the open files.
        open: Vec<(u64, PathBuf)>,
    },
    Preview(String),
}

impl LookUp {
    pub fn answer(self) -> Event {
        match self {
            LookUp::Test { revision, function, shown } => {
                let none = Err(NoTest::NoValue);
                let test = shown.map_or(none, |shown| example::generate_test(&shown.compiled, function));
                Event::Test { revision, test }
            }
            LookUp::Folder(folder) => open::list(folder),
            LookUp::File { number, target, open } => open::open(number, target, &open),
            LookUp::Preview(path) => open::preview(path),
        }
    }
}

/// The engines, races and background work. Results arrive later, as events.
pub trait EngineSession {
    fn request(&mut self, request: Request);
    /// Starts new engine threads; the previous ones have ended.
    fn restart(&mut self) -> io::Result<()>;
    fn race(&mut self, number: u64, text: Arc<str>) -> io::Result<()>;
    fn stop_race(&mut self);
    fn look_up(&mut self, what: LookUp);
}

/// The outside of a workbench. A method returns an event if its result is known at once; other results arrive later.
pub trait World {
    fn session(&mut self) -> &mut dyn EngineSession;
    /// Queues an operation on a file of the document with this number.
    fn file(&mut self, document: u64, path: &Path, task: FileTask) -> Option<Event>;
    /// The open files or their names have changed. If `opened`, the one on screen was just opened.
    fn watch(&mut self, _state: &State, _opened: bool) -> Option<Event> {
        None
    }
    fn find_unsaved(&mut self, document: &WorkbenchDocument) -> Option<Event>;
    fn drop_unsaved(&mut self, _entry: PathBuf) {}
    fn decline_unsaved(&mut self, _entry: PathBuf) {}
    fn lesson_done(&mut self, _key: String) {}
    fn copy(&mut self, _text: String) {}
    /// Pastes the clipboard's text, or `own` if there is no other clipboard.
    fn paste(&mut self, own: String) -> Option<Event> {
        Some(Event::Paste(own))
    }
    /// Sends [`Event::Fade`] after a delay.
    fn fade(&mut self, what: Fading, after: Duration);
    /// Stops the program until the shell continues it. Returns false if that is impossible here.
    fn suspend(&mut self) -> bool {
        false
    }
    fn redraw(&mut self, _state: &State) {}
    fn keep_arrangements(&mut self, _kept: Arrangements) {}
    /// Sends [`Event::Scan`] after the events that have arrived.
    fn scan(&mut self) -> Option<Event> {
        Some(Event::Scan)
    }
    fn quit(&mut self);
}

/// Applies an event and carries out its effects. Returns whether the text must be compiled.
pub fn handle(state: &mut State, world: &mut impl World, event: Event) -> bool {
    let mut changed = false;
    let mut effects = VecDeque::from(state.apply(event));
    while let Some(effect) = effects.pop_front() {
        if effect == Effect::Compile {
            changed = true;
        } else if let Some(event) = carry_out(state, world, effect) {
            effects.extend(state.apply(event));
        }
    }
    changed
}

/// Sends the text to the engines, as an edit made at a given time.
pub fn compile(document: &WorkbenchDocument, world: &mut impl World, at: Instant) {
    let (revision, text, fires_in) = (document.revision, document.program(), document.file.fires_in());
    world.session().request(Request::Edit(Edit { revision, text, at, fires_in }));
}

fn carry_out(state: &mut State, world: &mut impl World, effect: Effect) -> Option<Event> {
    let document = &state.document;
    let text = document.buffer.text();
    let job = |path: &Path, expect, overwrite| SaveJob {
        path: path.to_path_buf(),
        text: text.clone(),
        bom: document.file.bom,
        expect,
        overwrite,
    };
    match effect {
        Effect::Compile => compile(document, world, Instant::now()),
        Effect::Use(choice) => world.session().request(Request::Use(choice)),
        Effect::Optimize(level) => world.session().request(Request::Optimize(level)),
        Effect::JudgeAll(all) => world.session().request(Request::JudgeAll(all)),
        Effect::Look(looked) => world.session().request(Request::Look(looked)),
        Effect::Run(wish) => world.session().request(Request::Run(wish)),
        Effect::RestartEngine => match world.session().restart() {
            Ok(()) => compile(document, world, Instant::now()),
            Err(error) => return Some(Event::Notice(format!("the engine does not start: {error}"))),
        },
        Effect::Race(number) => {
            let error = world.session().race(number, text.clone()).err()?;
            let news = RaceMessage::Refused(format!("The race does not start: {error}."));
            return Some(Event::Race { number, news });
        }
        Effect::StopRace => world.session().stop_race(),
        Effect::WriteTest { revision, function } => {
            world.session().look_up(LookUp::Test { revision, function, shown: state.shown().cloned() });
        }
        Effect::List(folder) => world.session().look_up(LookUp::Folder(folder)),
        Effect::Open { number, target, open } => {
            world.session().look_up(LookUp::File { number, target, open });
        }
        Effect::Preview(path) => world.session().look_up(LookUp::Preview(path)),
        Effect::Save { path, expect, overwrite } => {
            return world.file(document.id, &path, FileTask::Save(job(&path, expect, overwrite)));
        }
        Effect::SaveKeepingTheirs { path, theirs, bom } => {
            let job = job(&path, Some(theirs.clone()), false);
            return world.file(document.id, &path, FileTask::SaveKeepingTheirs { job, theirs, bom });
        }
        Effect::SaveCopy => {
            let (text, bom) = (text.clone(), document.file.bom);
            return world.file(document.id, document.file.path.as_ref()?, FileTask::SaveCopy { text, bom });
        }
        Effect::Saved | Effect::Shown => return world.watch(state, false),
        Effect::Opened => return world.watch(state, true),
        Effect::FindUnsaved => return world.find_unsaved(document),
        Effect::DropUnsaved(entry) => world.drop_unsaved(entry),
        Effect::DeclineUnsaved(entry) => world.decline_unsaved(entry),
        Effect::LessonDone(key) => world.lesson_done(key),
        Effect::Copy(text) => world.copy(text),
        Effect::Paste => return world.paste(document.clipboard.clone()),
        Effect::Fade { what, after } => world.fade(what, after),
        Effect::Suspend if !world.suspend() => state.say(Tone::Plain, "a demo cannot suspend to the shell"),
        Effect::Suspend => {}
        Effect::Redraw => world.redraw(state),
        Effect::KeepArrangements(kept) => world.keep_arrangements(kept),
        Effect::Scan => return world.scan(),
        Effect::Quit => world.quit(),
    }
    None
}
