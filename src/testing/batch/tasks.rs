//! What candidates are judged against: a base and tests, for the call, for each group, or for a line.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::line::{BatchLine, Label};
use super::near::{Outline, joined};
use crate::compiler::program::{Facts, Tokens, Tree, Watch};
use crate::compiler::stage::{lex, parse};
use crate::engine::{BaseResult, Engine, EngineError, Tested};
use crate::host::files;
use crate::lang::limits;
use crate::report::diagnostics::diagnostics;

/// The number of tasks from which all are dropped before the next chunk, to bound memory.
const KEPT: usize = 4_096;

/// Folders with a file for each group.
#[derive(Clone, Debug, Default)]
pub struct GroupFiles {
    pub bases: Option<PathBuf>,
    pub tests: Option<PathBuf>,
}

/// The identity of a task. Lines with equal keys share it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct BatchKey {
    group: Option<Label>,
    base: Option<Arc<str>>,
    tests: Option<Arc<str>>,
}

#[derive(Default)]
pub struct BatchTask {
    /// The tests appended to every candidate.
    pub tests: Arc<str>,
    /// The base, with its own tests and those appended.
    pub given: Option<Arc<Outline>>,
    /// The reason why its candidates cannot be judged, if any.
    pub wrong: Option<String>,
    /// The engine's base for this task, if it has one, and its number on the engine's shelf.
    pub near: Option<Arc<Outline>>,
    pub number: Option<u64>,
    /// The number of candidates so far.
    pub seen: usize,
    /// The candidates compared with an implicit base, and those near to it.
    pub compared: (usize, usize),
    /// The number of chunks until another implicit base is tried, and the value that this countdown last started from.
    pub wait: (u32, u32),
    pub grouped: bool,
}

#[derive(Default)]
pub struct Tasks {
    files: GroupFiles,
    base: Option<Arc<str>>,
    tests: Arc<str>,
    places: HashMap<BatchKey, usize>,
    all: Vec<BatchTask>,
    /// The task whose base the engine holds.
    current: Option<usize>,
}

impl Tasks {
    pub fn new(tests: &str, files: GroupFiles) -> Tasks {
        Tasks { tests: tests.into(), files, ..Tasks::default() }
    }

    /// Sets the call's base. A program with errors does not become a base.
    pub fn set_base(
        &mut self,
        text: &str,
        engine: &mut dyn Engine,
        watch: &dyn Watch,
    ) -> Result<BaseResult, EngineError> {
        let (task, base) = self.build(text, &self.tests.clone(), engine, watch)?;
        if task.given.is_some() {
            self.base = Some(text.into());
            self.places.insert(BatchKey::default(), self.all.len());
            self.current = Some(self.all.len()).filter(|_| task.near.is_some());
            self.all.push(task);
        }
        Ok(base)
    }

    /// Drops all tasks if there are too many. Places become invalid.
    pub fn bound(&mut self) {
        if self.all.len() > KEPT {
            self.places.clear();
            self.all.clear();
            self.current = None;
        }
    }

    pub fn get(&self, place: usize) -> Option<&BatchTask> {
        self.all.get(place)
    }

    pub fn get_mut(&mut self, place: usize) -> Option<&mut BatchTask> {
        self.all.get_mut(place)
    }

    /// Returns the place of a line's task, which is created if it is new.
    ///
    /// # Errors
    /// If the work is cancelled, or the engine fails.
    pub fn of(
        &mut self,
        line: &BatchLine,
        engine: &mut dyn Engine,
        watch: &dyn Watch,
    ) -> Result<usize, EngineError> {
        let BatchLine { group, base, tests, .. } = line;
        let files = self.files.tests.is_some() || (self.files.bases.is_some() && base.is_none());
        let alone = base.is_none() && self.base.is_none();
        let group = group.clone().filter(|_| files || alone);
        let key = BatchKey { group, base: base.clone(), tests: tests.clone() };
        if let Some(place) = self.places.get(&key) {
            return Ok(*place);
        }
        let task = match self.texts(&key) {
            Ok((Some(base), tests)) => self.build(&base, &tests, engine, watch)?.0,
            Ok((None, tests)) => {
                let wrong =
                    (tests != self.tests && !parses(&tests)).then(|| "its tests do not parse".to_string());
                BatchTask { tests, wrong, ..BatchTask::default() }
            }
            Err(wrong) => BatchTask { wrong: Some(wrong), ..BatchTask::default() },
        };
        let place = self.all.len();
        self.current = Some(place).filter(|_| task.near.is_some()).or(self.current);
        self.all.push(BatchTask { grouped: key.group.is_some(), ..task });
        self.places.insert(key, place);
        Ok(place)
    }

    fn texts(&self, key: &BatchKey) -> Result<(Option<Arc<str>>, Arc<str>), String> {
        let file = |folder: &Option<PathBuf>, what| match (folder, &key.group) {
            (Some(folder), Some(group)) => read(folder, group, what).map(Some),
            _ => Ok(None),
        };
        let base = match &key.base {
            Some(base) => Some(base.clone()),
            None => file(&self.files.bases, "base")?.or_else(|| self.base.clone()),
        };
        let more = [file(&self.files.tests, "tests")?, key.tests.clone()];
        let tests = more.into_iter().flatten().fold(self.tests.clone(), |all, more| joined(&all, &more).into());
        Ok((base, tests))
    }

    /// Compiles a base together with its tests, runs it, and makes it the engine's base.
    fn build(
        &mut self,
        text: &str,
        tests: &Arc<str>,
        engine: &mut dyn Engine,
        watch: &dyn Watch,
    ) -> Result<(BatchTask, BaseResult), EngineError> {
        self.shelve(engine);
        let base = engine.base(&joined(text, tests).into(), watch)?;
        let mut task = BatchTask { tests: tests.clone(), ..BatchTask::default() };
        if Tested::from(&base) == Tested::Invalid {
            let found = diagnostics(&base.compiled);
            let first = found.iter().find(|found| found.code.is_error());
            let why = first.map_or(String::new(), |found| {
                format!(": line {}: {} ({})", found.start.line, found.message, found.code.code())
            });
            task.wrong = Some(format!("its base and tests do not compile{why}"));
        } else {
            let outline = Arc::new(Outline::new(&base.compiled));
            task.near = Some(outline.clone()).filter(|_| engine.tests_incrementally());
            task.given = Some(outline);
        }
        Ok((task, base))
    }

    /// Makes the base of a task the engine's base.
    ///
    /// # Errors
    /// If the work is cancelled, or the engine fails.
    pub fn engage(
        &mut self,
        place: usize,
        engine: &mut dyn Engine,
        watch: &dyn Watch,
    ) -> Result<(), EngineError> {
        if self.current == Some(place) {
            return Ok(());
        }
        self.shelve(engine);
        let Some(task) = self.all.get_mut(place) else { return Ok(()) };
        let Some(near) = &task.near else { return Ok(()) };
        if !task.number.take().is_some_and(|number| engine.recall(number)) {
            engine.base(&near.text().into(), watch)?;
        }
        self.current = Some(place);
        Ok(())
    }

    /// Records that the engine's base is that of a task.
    pub fn engaged(&mut self, place: usize) {
        self.current = Some(place);
    }

    /// Puts the engine's base on its shelf, so that the engine can test unrelated programs.
    pub fn shelve(&mut self, engine: &mut dyn Engine) {
        if let Some(task) = self.current.take().and_then(|place| self.all.get_mut(place)) {
            task.number = engine.shelve();
        }
    }
}

pub fn parses(text: &str) -> bool {
    let (mut tokens, mut tree, mut facts) = (Tokens::default(), Tree::default(), Facts::default());
    lex::run(text, &mut tokens, &mut facts, &mut lex::LexScratch::default());
    if !facts.stopped() {
        parse::run(&tokens, &mut tree, &mut facts, &mut parse::ParseScratch::default());
    }
    facts.compiles()
}

fn read(folder: &Path, group: &Label, what: &str) -> Result<Arc<str>, String> {
    let name = group.text();
    let plain = |part| matches!(part, Component::Normal(_));
    if name.is_empty() || !Path::new(name).components().all(plain) {
        return Err(format!("its `group` {} is not the name of a file with its {what}", group.json()));
    }
    let path = folder.join(format!("{name}.myr"));
    let text = files::read_text(&path, limits::SOURCE_BYTES as u64 + 1);
    text.map(Arc::from)
        .map_err(|why| format!("the {what} of its group, {}, cannot be read: {why}", path.display()))
}
