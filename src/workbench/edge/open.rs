//! Lists folders and opens files. All but the first file are read on a separate thread.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::host::files;
use crate::lang::samples;
use crate::workbench::edge::{disk, save};
use crate::workbench::event::{Event, FileContents, Opened};
use crate::workbench::learn::progress::LearnProgress;
use crate::workbench::learn::{Course, Shipped, StartedCourse, workspace};
use crate::workbench::open::{OpenEntry, OpenPlace, OpenView, Target, is_source, names_a_file};
use crate::workbench::panels::Panel;
use crate::workbench::state::{FileInfo, Overlay, State, Tone};
use crate::workbench::welcome::WelcomeView;

/// The initial content of the workbench.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// No name was given: an empty text, and the welcome.
    Nothing,
    /// An empty text, and a list of this folder.
    Folder(PathBuf),
    File {
        path: PathBuf,
        place: Option<OpenPlace>,
    },
    /// A text without a file.
    Text(Arc<str>),
    /// The work on a lesson.
    Lesson(StartedCourse),
}

impl Start {
    /// Interprets a name on the command line as a folder, a file, or a file with a place. An existing file
    /// takes precedence over a place.
    pub fn named(name: &Path) -> Start {
        if name.is_dir() {
            return Start::Folder(name.to_path_buf());
        }
        let readings = name.to_str().filter(|_| !name.exists()).map_or(Vec::new(), OpenPlace::readings);
        // Prefer the reading whose file exists; for a new file, all numbers are a place.
        let there = readings.iter().find(|(file, _)| Path::new(file).exists());
        match there.or(readings.last()) {
            Some((folder, _)) if Path::new(folder).is_dir() => Start::Folder(folder.into()),
            Some((file, place)) => Start::File { path: file.into(), place: Some(*place) },
            None => Start::File { path: name.to_path_buf(), place: None },
        }
    }

    /// Returns the initial state.
    ///
    /// # Errors
    /// If the file cannot be read or created.
    pub(super) fn state(&self) -> anyhow::Result<State> {
        let empty = |overlay: Overlay| {
            let mut state = State::new("", FileInfo::default());
            state.prompts.overlay = Some(overlay);
            state
        };
        let (path, place) = match self {
            Start::Lesson(begun) => return lesson_state(begun),
            Start::Text(text) => {
                let mut state = State::new(text, FileInfo::default());
                state.begin_at(None);
                return Ok(state);
            }
            Start::Nothing => return Ok(empty(Overlay::Welcome(WelcomeView::default()))),
            Start::Folder(path) => {
                return Ok(empty(Overlay::Open(OpenView::new(&with_separator(&path.display().to_string())))));
            }
            Start::File { path, place } => (path, place),
        };
        let (file, text, note) = match file(path) {
            Ok(found) => found,
            Err(why) => bail!("{why}"),
        };
        let mut state = State::new(&text, file);
        if let Some(note) = note {
            state.say(Tone::Plain, note);
        }
        state.begin_at(*place);
        Ok(state)
    }
}

fn lesson_state(begun: &StartedCourse) -> anyhow::Result<State> {
    let (file, text, note) = match lesson(begun) {
        Ok(found) => found,
        Err(why) => bail!("{why}"),
    };
    let mut state = State::new(&text, file);
    state.begin_at(None);
    state.focus_on(Panel::LESSON);
    state.say(Tone::Plain, note);
    Ok(state)
}

/// Opens the file of work on a lesson, with a note for the status bar.
fn lesson(begun: &StartedCourse) -> Result<(FileInfo, Arc<str>, String), String> {
    let (info, text, _) = file(&begun.path)?;
    let note = match &begun.aside {
        Some(aside) => format!("started again; your earlier text is in {}", aside.display()),
        None => "↓ reads on, h: a hint · esc goes to the editor, alt-l returns".to_string(),
    };
    Ok((FileInfo { lesson: Some(begun.course.clone()), ..info }, text, note))
}

fn with_separator(folder: &str) -> String {
    match folder.ends_with(std::path::is_separator) {
        true => folder.to_string(),
        false => format!("{folder}{MAIN_SEPARATOR}"),
    }
}

/// Opens an existing or a new file, with an optional note for the status bar.
fn file(path: &Path) -> Result<(FileInfo, Arc<str>, Option<String>), String> {
    let name = path.display();
    let info = |on_disk, bom| FileInfo { path: Some(path.to_path_buf()), bom, on_disk, ..FileInfo::default() };
    match disk::read(path) {
        FileContents::Text { text, bom } => Ok((info(Some(text.clone()), bom), text, None)),
        FileContents::ReadError(why) => Err(format!("cannot open {name}: {why}")),
        FileContents::Gone => match save::check_writable(path) {
            Err(error) => Err(format!("cannot create {name}: {}", save::describe_error(&error))),
            Ok(()) => {
                let note = format!("{name} is new; ctrl-s creates it");
                Ok((info(None, false), Arc::from(""), Some(note)))
            }
        },
    }
}

/// Converts a typed path; `~` is the home folder, as in a shell.
fn typed(name: &str) -> PathBuf {
    let home = || std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    match (name.strip_prefix("~/"), name) {
        (Some(rest), _) => home().map_or_else(|| name.into(), |home| home.join(rest)),
        (None, "~") => home().unwrap_or_else(|| name.into()),
        _ => name.into(),
    }
}

/// The maximum number of entries visited for a list.
const MOST: usize = 20_000;
/// The maximum depth of folders below the listed one in which programs are found.
const DEPTH: usize = 5;
/// How long a list may take. A slow disk yields fewer programs from folders below.
const PATIENCE: Duration = Duration::from_millis(400);
/// Folders in which nobody keeps programs.
const SKIPPED: [&str; 2] = ["target", "node_modules"];

/// Lists a folder by name, and the programs in the folders below it, nearer ones first.
pub fn list(folder: String) -> Event {
    let path = if folder.is_empty() { PathBuf::from(".") } else { typed(&folder) };
    let entries = entries(&path, Instant::now() + PATIENCE).map_err(|error| save::describe_error(&error));
    Event::Listed { folder, entries }
}

fn entries(path: &Path, end: Instant) -> std::io::Result<Vec<OpenEntry>> {
    let mut entries = Vec::new();
    let mut visited = 0;
    // The folders of one depth, with their names relative to the listed one.
    let mut folders = vec![(path.to_path_buf(), String::new())];
    for depth in 0..=DEPTH {
        let mut below = Vec::new();
        let mut found = Vec::new();
        for (path, name) in std::mem::take(&mut folders) {
            if depth > 0 && (visited >= MOST || Instant::now() >= end) {
                break;
            }
            let listed = match std::fs::read_dir(&path) {
                Err(error) if depth == 0 => return Err(error),
                listed => listed.into_iter().flatten(),
            };
            // Skip unreadable entries. Nobody chooses among more than `MOST`.
            for entry in listed.flatten().take(MOST.saturating_sub(visited)) {
                visited += 1;
                // A link counts as its target; a broken link cannot be opened. Linked folders are not searched, as they
                // may contain this one.
                let Ok(meta) = std::fs::metadata(entry.path()) else { continue };
                let Ok(own) = entry.file_name().into_string() else { continue };
                let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
                let skipped = own.starts_with('.') || SKIPPED.contains(&own.as_str());
                let whole = format!("{name}{own}");
                if meta.is_dir() && !is_link && !skipped {
                    below.push((entry.path(), format!("{whole}/")));
                }
                if depth == 0 || (!meta.is_dir() && is_source(&own)) {
                    found.push(OpenEntry { name: whole, folder: meta.is_dir() });
                }
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        entries.extend(found);
        below.sort();
        folders = below;
    }
    Ok(entries)
}

/// Reads the beginning of a file for the preview.
pub fn preview(path: String) -> Event {
    let text = match disk::read(&typed(&path)) {
        FileContents::Text { text, .. } => Ok(text),
        FileContents::Gone => Err("it does not exist".to_string()),
        FileContents::ReadError(why) => Err(why),
    };
    Event::Previewed { path, text }
}

/// Reads a target to show on screen, unless it is one of the open files.
pub fn open(number: u64, target: Target, open: &[(u64, PathBuf)]) -> Event {
    let known = |path: &Path, place| {
        let (document, _) = open.iter().find(|(_, other)| files::is_same(path, other))?;
        Some(Event::AlreadyOpen { number, document: *document, place })
    };
    let failed = |why: String| Event::OpenFailed { number, why };
    let opened =
        |file: FileInfo, text, place, note| Event::Opened(Box::new(Opened { number, file, text, place, note }));
    let name = match target {
        Target::Lesson(name) => {
            let shipped = if name == Shipped::UNDONE {
                let progress = workspace::progress_file().map(|file| LearnProgress::load(&file).0);
                Shipped::undone(&progress.unwrap_or_default()).ok_or("every lesson is done".to_string())
            } else {
                Shipped::of(&name).ok_or_else(|| format!("there is no lesson {name}"))
            };
            let begun = shipped.and_then(|shipped| {
                let begun = Course::shipped(shipped).and_then(|course| course.begin(false));
                begun.map_err(|trouble| trouble.to_string())
            });
            if let Ok(begun) = &begun
                && let Some(event) = known(&begun.path, None)
            {
                return event;
            }
            return match begun.and_then(|begun| lesson(&begun)) {
                Ok((file, text, note)) => opened(file, text, None, Some(note)),
                Err(why) => failed(why),
            };
        }
        Target::Path(name) => name,
        Target::Sample(name) => {
            let Some(sample) = samples::named(&name) else {
                return failed(format!("there is no sample {name}"));
            };
            let file = FileInfo { sample: Some(sample), ..FileInfo::default() };
            let note = "a sample: yours to change; ctrl-s asks where to save it".to_string();
            return opened(file, Arc::from(sample.text), None, Some(note));
        }
    };
    match Start::named(&typed(&name)) {
        Start::Nothing | Start::Folder(_) | Start::Text(_) | Start::Lesson(_) => {
            Event::OpenedFolder { number, folder: with_separator(&name) }
        }
        Start::File { path, .. } if !path.exists() && !names_a_file(&path) => {
            failed(format!("there is no file {name}; {name}.myr starts a new program"))
        }
        Start::File { path, place } => known(&path, place).unwrap_or_else(|| match file(&path) {
            Ok((file, text, note)) => opened(file, text, place, note),
            Err(why) => failed(why),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn argument_names_a_folder_a_file_or_a_position_in_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["a.myr", "odd:7"] {
            std::fs::write(at(name), "").expect("written");
        }
        let place = |line, column| Some(OpenPlace { line, column });
        for (name, file, expected) in [
            ("a.myr", "a.myr", None),
            ("a.myr:3", "a.myr", place(3, 1)),
            ("a.myr:3:5", "a.myr", place(3, 5)),
            ("odd:7", "odd:7", None),
            ("odd:7:2", "odd:7", place(2, 1)),
            ("new.myr:3", "new.myr", place(3, 1)),
            ("new.myr:3:5", "new.myr", place(3, 5)),
        ] {
            let expected = Start::File { path: at(file), place: expected };
            assert_eq!(Start::named(&at(name)), expected, "{name}");
        }
        for name in ["", "."] {
            assert_eq!(Start::named(&at(name)), Start::Folder(at(name)));
        }
    }

    #[test]
    fn a_folder_is_listed_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["b.myr", "a.txt"] {
            std::fs::write(folder.path().join(name), "").expect("written");
        }
        std::fs::create_dir(folder.path().join("within")).expect("made");
        let typed = format!("{}/", folder.path().display());
        let Event::Listed { folder: said, entries: Ok(entries) } = list(typed.clone()) else {
            panic!("listed")
        };
        let names: Vec<(&str, bool)> = entries.iter().map(|e| (e.name.as_str(), e.folder)).collect();
        assert_eq!((said, names), (typed, vec![("a.txt", false), ("b.myr", false), ("within", true)]));
        let nowhere = list(format!("{}/none/", folder.path().display()));
        assert!(matches!(nowhere, Event::Listed { entries: Err(_), .. }));
    }

    #[test]
    fn failed_open_reports_the_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| Target::Path(folder.path().join(name).display().to_string());
        let why = |target| match open(7, target, &[]) {
            Event::OpenFailed { number: 7, why } => why,
            other => panic!("{other:?}"),
        };
        std::fs::write(folder.path().join("a.bin"), [0xff]).expect("written");
        assert!(why(at("a.bin")).contains("it is not UTF-8"));
        assert!(why(at("none/a.myr")).contains("its folder does not exist"));
        assert!(why(Target::Path("no-such-thing".into())).contains("no-such-thing.myr starts a new program"));
        assert!(matches!(open(7, at(""), &[]), Event::OpenedFolder { number: 7, .. }));
        assert!(matches!(open(7, at("new.myr"), &[]), Event::Opened(_)));
        assert!(!folder.path().join("new.myr").exists(), "nothing is written before it is saved");
        // An open file is not read again, whatever its name.
        std::fs::write(folder.path().join("b.myr"), "test 1 == 1;").expect("written");
        let open_files = [(3, folder.path().join("b.myr"))];
        assert!(matches!(
            open(7, at("./b.myr:1"), &open_files),
            Event::AlreadyOpen { number: 7, document: 3, place: Some(_) }
        ));
    }
}
