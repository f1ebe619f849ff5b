//! Tapes: scripted input with pauses. A tape has one command per line, in a syntax close to that of vhs.
//!
//! [`Tape::parse`] returns the commands of a tape, or all faults. [`session`] writes the input of a live session as a
//! tape.

mod arguments;
pub mod commands;
pub mod config;
pub mod line;
mod mouse;
mod names;
pub mod session;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::workbench::event::UserInput;
use crate::workbench::key::Key;
use crate::workbench::open::OpenPlace;
use crate::workbench::panels::layout::{LEAST, MOST};
use crate::workbench::race::stored::StoredRace;
use arguments::{Arguments, caption_of, count, file_name, place, time, typing, with_time};
use commands::{SETTINGS, Setting, TABLE, Verb};
use line::{Fault, LINE_MARK, TapeWord, marked, words};
use names::{key, nearest_word};

/// Limit of the key presses of a tape, other input included. Each is answered and drawn, and adds a frame to a
/// recording.
pub const PRESSES: usize = 100_000;
/// Limit of the number of faults reported.
const MAX_FAULTS: usize = 50;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapeSettings {
    pub width: u16,
    pub height: u16,
    pub typing: Duration,
    pub wait_limit: Duration,
    /// Whether recordings contain measured figures.
    pub measured: bool,
    pub title: Option<String>,
    /// Whether the tape has the texts that keys paste.
    pub taped_clipboard: bool,
    /// Whether the workbench starts in presenter's mode.
    pub presenter: bool,
    /// Lines of the configuration.
    pub config: Vec<String>,
}

impl Default for TapeSettings {
    fn default() -> TapeSettings {
        TapeSettings {
            width: 120,
            height: 36,
            typing: Duration::from_millis(50),
            wait_limit: Duration::from_secs(15),
            measured: false,
            title: None,
            taped_clipboard: false,
            presenter: false,
            config: Vec::new(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Opens a program. `text` is filled in when the program is found, unless the tape contains it.
    Open {
        name: String,
        text: Option<Arc<str>>,
        place: Option<OpenPlace>,
    },
    /// Presses keys, each followed by a pause. `speed` overrides the tape's pause.
    Press {
        keys: Vec<Key>,
        speed: Option<Duration>,
    },
    /// Input other than keys.
    Input(UserInput),
    Sleep(Duration),
    Wait {
        text: String,
        limit: Option<Duration>,
    },
    Hide,
    Show,
    /// Draws the screen. Without a caption, its slide shows the name.
    Still {
        name: String,
        caption: Option<String>,
    },
}

/// A command with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapeStep {
    /// Line number, from 1.
    pub line: usize,
    pub span: Range<usize>,
    pub act: Act,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tape {
    pub settings: TapeSettings,
    pub steps: Vec<TapeStep>,
    /// Number of keys that its steps press, other input included.
    presses: usize,
    /// Where its lines of the configuration are.
    config: Vec<Range<usize>>,
    stills: BTreeSet<String>,
    race: Option<TapeRace>,
}

/// The file of a stored race.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TapeRace {
    name: String,
    span: Range<usize>,
    /// Filled in when the file is found.
    text: Option<String>,
}

impl Tape {
    /// Parses a tape.
    ///
    /// # Errors
    /// Returns the faults, in the order of lines.
    pub fn parse(text: &str) -> Result<Tape, Vec<Fault>> {
        let (mut tape, mut faults) = (Tape::default(), Vec::new());
        let mut start = 0;
        let mut lines = text.split('\n').enumerate().peekable();
        while let Some((number, line)) = lines.next() {
            let bare = line.strip_suffix('\r').unwrap_or(line);
            let bom = if number == 0 { bare.len() - bare.trim_start_matches('\u{feff}').len() } else { 0 };
            let words = words(&bare[bom..], start + bom);
            start += line.len() + 1;
            let verb = words.as_ref().ok().and_then(|words| verb(words.first()?).ok()?.0);
            let mut block: Option<String> = None;
            while verb.is_some_and(Verb::takes_lines)
                && let Some((_, line)) = lines.next_if(|(_, line)| line.starts_with(LINE_MARK))
            {
                start += line.len() + 1;
                match &mut block {
                    Some(text) => *text = format!("{text}\n{}", marked(line)),
                    None => block = Some(marked(line).to_string()),
                }
            }
            match words.and_then(|words| tape.take(number + 1, &words, block)) {
                Ok(()) => {}
                Err(fault) => faults.push(fault),
            }
            if faults.len() == MAX_FAULTS {
                break;
            }
        }
        if faults.is_empty() {
            faults = config::faults(&tape.settings.config, &tape.config);
        }
        if faults.is_empty() { Ok(tape) } else { Err(faults) }
    }

    /// Finds the texts of the programs that the tape opens, and its stored race.
    ///
    /// # Errors
    /// Returns a fault for each file that is not found.
    pub fn find(&mut self, find: impl Fn(&str) -> Result<String, String>) -> Result<(), Vec<Fault>> {
        let mut faults = Vec::new();
        for step in &mut self.steps {
            let Act::Open { name, text: text @ None, .. } = &mut step.act else { continue };
            match find(name) {
                Ok(found) => *text = Some(found.into()),
                Err(why) => faults.push(Fault::new(
                    step.span.clone(),
                    &format!("`{name}` cannot be opened: {why}"),
                    "name a file, relative to the tape or to the working directory, or a sample such as gcd.myr",
                )),
            }
        }
        if let Some(race) = &mut self.race {
            match find(&race.name).and_then(|text| StoredRace::read(&text).map(|_| text)) {
                Ok(text) => race.text = Some(text),
                Err(why) => faults.push(Fault::new(
                    race.span.clone(),
                    &format!("`{}` is not a stored race: {why}", race.name),
                    "`myriad race FILE --format json` prints one",
                )),
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// Returns the stored race, once it is found.
    pub fn stored_race(&self) -> Option<Arc<StoredRace>> {
        let text = self.race.as_ref()?.text.as_ref()?;
        StoredRace::read(text).ok().map(Arc::new)
    }

    /// Parses the words of a line, and the lines after it that are its text.
    fn take(&mut self, line: usize, words: &[TapeWord], block: Option<String>) -> Result<(), Fault> {
        let Some((first, rest)) = words.split_first() else { return Ok(()) };
        let (verb, name, speed) = verb(first)?;
        let row = TABLE.iter().find(|row| Some(row.verb) == verb);
        let whole = first.span.start..rest.last().unwrap_or(first).span.end;
        let arguments = Arguments { command: first, rest, form: row.map_or("KEY [TIMES]", |row| row.form) };
        let verb = verb.unwrap_or(Verb::Press);
        if speed.is_some() && !matches!(verb, Verb::Type | Verb::Wait | Verb::Press | Verb::Burst) {
            return Err(arguments.wrong(first, "this command takes no time after `@`"));
        }
        let act = match verb {
            Verb::Set => return self.set(&arguments),
            Verb::Open => {
                let (name, place) = match rest {
                    [name, at] => (name, Some(place(at)?)),
                    [_, _, more, ..] => return Err(arguments.too_many(more)),
                    _ => (arguments.only()?, None),
                };
                Act::Open { name: file_name(name)?, text: block.map(Arc::from), place }
            }
            Verb::Type => {
                let word = arguments.only()?;
                if !word.quoted {
                    return Err(arguments.wrong(word, "the text must be in quotes"));
                }
                Act::Press { keys: word.text.chars().map(typing).collect(), speed }
            }
            Verb::Paste | Verb::Burst => {
                let text = match (rest, block) {
                    ([], Some(text)) => text,
                    ([word], None) if word.quoted => word.text.clone(),
                    ([word], None) => return Err(arguments.wrong(word, "the text must be in quotes")),
                    ([word, ..], Some(_)) => return Err(arguments.wrong(word, "this command has two texts")),
                    _ => return arguments.only().map(drop),
                };
                Act::Input(match verb {
                    Verb::Burst => UserInput::Burst { text, is_continuation: speed.is_some() },
                    _ => UserInput::Paste(text),
                })
            }
            Verb::Mouse => Act::Input(mouse::parse(first, rest, arguments.form)?),
            Verb::Resize => {
                let [columns, rows] = arguments.two()?;
                let cells = |word: &TapeWord, least: u16, most: u16| {
                    let wrong = || arguments.wrong(word, &format!("this is not a size from {least} to {most}"));
                    word.text.parse().ok().filter(|n| (least..=most).contains(n)).ok_or_else(wrong)
                };
                let size = (cells(columns, LEAST.0, MOST.0)?, cells(rows, LEAST.1, MOST.1)?);
                Act::Input(UserInput::Resize(size.0, size.1))
            }
            Verb::Sleep => Act::Sleep(time(arguments.only()?)?),
            Verb::Wait => {
                let word = arguments.only()?;
                if !word.quoted || word.text.trim().is_empty() {
                    return Err(arguments.wrong(word, "`Wait` needs a text in quotes"));
                }
                Act::Wait { text: word.text.clone(), limit: speed }
            }
            Verb::Hide | Verb::Show => {
                arguments.none()?;
                if verb == Verb::Hide { Act::Hide } else { Act::Show }
            }
            Verb::Still => {
                let (name, caption) = match rest {
                    [name, caption] if caption.quoted => (name, Some(caption_of(caption)?)),
                    [_, caption] => return Err(arguments.wrong(caption, "the caption must be in quotes")),
                    [_, _, more, ..] => return Err(arguments.too_many(more)),
                    _ => (arguments.only()?, None),
                };
                Act::Still { name: self.still_name(name)?, caption }
            }
            Verb::Press => {
                let key = key(first, name)?;
                let times = match rest {
                    [] => 1,
                    [times] => count(times)?,
                    [_, more, ..] => return Err(arguments.too_many(more)),
                };
                Act::Press { keys: vec![key; times as usize], speed }
            }
        };
        let count = match &act {
            Act::Press { keys, .. } => keys.len(),
            Act::Input(_) => 1,
            _ => 0,
        };
        if count > 0 {
            let pressed = self.presses + count;
            if pressed > PRESSES {
                let message = format!("with this the tape presses {pressed} keys, but the limit is {PRESSES}");
                return Err(Fault::new(whole, &message, "`Open` opens a finished program"));
            }
            self.presses = pressed;
        }
        self.steps.push(TapeStep { line, span: whole, act });
        Ok(())
    }

    fn still_name(&mut self, word: &TapeWord) -> Result<String, Fault> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if word.text.is_empty() || word.text.len() > 64 || !word.text.chars().all(plain) {
            let help = "letters, digits, `-` and `_`, 64 at most: it becomes part of a file's name";
            return Err(Fault::new(word.span.clone(), "this is not a valid name for a still", help));
        }
        if !self.stills.insert(word.text.clone()) {
            let message = format!("there is a still `{}` above", word.text);
            return Err(Fault::new(word.span.clone(), &message, "give it another name"));
        }
        Ok(word.text.clone())
    }

    fn set(&mut self, arguments: &Arguments) -> Result<(), Fault> {
        let [name, value] = arguments.two()?;
        let Some(row) = SETTINGS.iter().find(|row| row.word == name.text) else {
            let all: Vec<&str> = SETTINGS.iter().map(|row| row.word).collect();
            let help = match nearest_word(&name.text, &all) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("there are {}", all.join(", ")),
            };
            return Err(Fault::new(name.span.clone(), &format!("there is no setting `{}`", name.text), &help));
        };
        if !self.steps.is_empty() {
            let help = "settings apply to the whole tape: put them before the first command";
            return Err(Fault::new(arguments.command.span.clone(), "this setting comes after a command", help));
        }
        let wrong =
            |help: &str| Fault::new(value.span.clone(), &format!("this is not a value of {}", row.word), help);
        let cells = |least: u16, most: u16| {
            let number = value.text.parse().ok().filter(|n| (least..=most).contains(n));
            number.ok_or_else(|| wrong(&format!("cells, from {least} to {most}")))
        };
        let settings = &mut self.settings;
        match row.setting {
            Setting::Width => settings.width = cells(LEAST.0, MOST.0)?,
            Setting::Height => settings.height = cells(LEAST.1, MOST.1)?,
            Setting::TypingSpeed => settings.typing = time(value)?,
            Setting::WaitTimeout => settings.wait_limit = time(value)?,
            Setting::Figures => {
                settings.measured = match value.text.to_ascii_lowercase().as_str() {
                    "held" => false,
                    "measured" => true,
                    _ => return Err(wrong("`held` or `measured`")),
                }
            }
            Setting::Clipboard => {
                settings.taped_clipboard = match value.text.to_ascii_lowercase().as_str() {
                    "own" => false,
                    "taped" => true,
                    _ => return Err(wrong("`own` or `taped`")),
                }
            }
            Setting::Presenter => {
                settings.presenter = match value.text.to_ascii_lowercase().as_str() {
                    "off" => false,
                    "on" => true,
                    _ => return Err(wrong("`on` or `off`")),
                }
            }
            Setting::Config => {
                if !config::applies(&value.text) {
                    return Err(wrong(&format!("one of {}", config::applicable().join(", "))));
                }
                settings.config.push(value.text.clone());
                self.config.push(value.span.clone());
            }
            Setting::Race => {
                let (name, span) = (value.text.clone(), value.span.clone());
                self.race = Some(TapeRace { name, span, text: None });
            }
            Setting::Title => settings.title = Some(value.text.clone()),
        }
        Ok(())
    }
}

/// Returns the command that a word names, the name, and the time after it. A word that names none is a key.
fn verb(word: &TapeWord) -> Result<(Option<Verb>, &str, Option<Duration>), Fault> {
    let (name, speed) = with_time(word)?;
    let row = TABLE.iter().find(|row| !row.word.is_empty() && row.word == name && !word.quoted);
    Ok((row.map(|row| row.verb), name, speed))
}
