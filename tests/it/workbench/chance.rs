//! Random events: everything that can happen to the workbench, from a seed. Answers of engines and files are
//! computed like at the edge, and arrive late or never.

mod known;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crossterm::event::KeyCode;
use myriad::engine::Kind;
use myriad::paper::race::{Contestant, RaceEvent as Happened};
use myriad::session::{Device, Edit, EngineInfo, Found, Request, Update};
use myriad::workbench::event::{Event, Fading, FileContents, Mouse, Opened};
use myriad::workbench::example::NoTest;
use myriad::workbench::key::Key;
use myriad::workbench::keys;
use myriad::workbench::open::{OpenEntry, OpenPlace};
use myriad::workbench::race::RaceMessage;
use myriad::workbench::state::{FileInfo, State, WorkbenchDocument};
use myriad::workbench::unsaved::{Base, Difference, Unsaved};
use myriad::workbench::world::{EngineSession, FileTask, LookUp, World};

use super::engine::engine;
use super::race;
use crate::common::rng::Rng;
use known::{Known, know, known, of_revision};

/// Maximum number of pending answers; the oldest are then lost.
const WAITING: usize = 200;
/// A text that is longer than this is replaced.
const LONGEST: usize = 20_000;

/// Text that terminals, clipboards, files and drivers may send: wide, combining, joined, invisible and
/// reordering characters, and control sequences.
/// would be obeyed by a terminal.
const PIECES: &[&str] = &[
    "漢字",
    "👩‍🚀",
    "🏳️‍🌈",
    "e\u{301}",
    "\u{301}",
    "\u{200b}",
    "\u{202e}",
    "\u{2066}x\u{2069}",
    "\u{feff}",
    "\u{e0041}",
    "\x1b[31m",
    "\x1b]0;x\x07",
    "\x1b",
    "\0",
    "\x7f",
    "\u{85}",
    "\u{2028}",
    "\t",
    "\r\n",
    "\r",
    "\n",
    "ｆｕｌｌ",
    "مرحبا",
    "שלום",
    "กำ",
    "각",
    "\u{1100}\u{1161}\u{11a8}",
    "ﷺ",
    "🇩🇪🇫",
    "a\u{300}\u{301}\u{302}\u{303}",
    "\u{fffd}",
    "\u{10ffff}",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "//",
    " ",
    "    ",
    "fn ",
    "test 1 == 1;",
    "0x",
    "2147483648",
    "日",
];

/// Keys that leave prompts, questions and the race screen.
const ANSWERS: [&str; 12] = ["esc", "esc", "esc", "enter", "k", "t", "b", "u", "d", "s", "o", "q"];

/// The source of events.
pub struct Chance {
    rng: Rng,
    /// Pending answers, in the order of the requests.
    waiting: VecDeque<Event>,
}

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance { rng: Rng::new(seed), waiting: VecDeque::new() }
    }

    /// Returns the next event for a state.
    pub fn event(&mut self, state: &State) -> Event {
        if state.document.buffer.text().len() > LONGEST && self.rng.one_in(3) {
            let text = self.some_known().text.clone();
            return Event::FileContents(FileContents::Text { text, bom: self.rng.one_in(9) });
        }
        // Overlays are left sooner or later.
        if (state.prompts.overlay.is_some() || state.race.shown().is_some()) && self.rng.one_in(5) {
            return Event::Key(Key::parse(self.rng.pick::<&str>(&ANSWERS)).expect("a key"));
        }
        if state.layout().slots.is_empty() && self.rng.one_in(4) {
            return Event::Resize(80, 24);
        }
        match self.rng.below(100) {
            0..28 => Event::Key(self.key()),
            28..40 => Event::Key(Key::typing(self.character())),
            40..50 => self.mouse(state),
            50..53 => Event::Paste(self.text()),
            53..56 => Event::Burst { text: self.text(), is_continuation: self.rng.one_in(2) },
            56..66 => self.resize(),
            66..86 => self.answer(state),
            86..90 => self.of_file(),
            90..93 => self.of_files(state),
            93..96 => self.of_race(state),
            _ => self.of_engine(state),
        }
    }

    fn wait(&mut self, events: impl Iterator<Item = Event>) {
        self.waiting.extend(events);
        while self.waiting.len() > WAITING {
            self.waiting.pop_front();
        }
    }

    /// Returns a pending answer, mostly the oldest, or an unexpected one.
    fn answer(&mut self, state: &State) -> Event {
        if self.rng.one_in(8) && !self.waiting.is_empty() {
            let at = self.rng.below(self.waiting.len());
            if let Some(event) = self.waiting.remove(at) {
                return event;
            }
        }
        if !self.rng.one_in(10)
            && let Some(event) = self.waiting.pop_front()
        {
            return event;
        }
        // For an existing revision, with any text.
        let revision = state.document.revision.saturating_sub(self.rng.below(4) as u64);
        let known = self.some_known();
        match known.answers.is_empty() {
            true => Event::Notice(self.text()),
            false => of_revision(self.rng.pick(&known.answers).clone(), revision),
        }
    }

    fn some_known(&mut self) -> &'static Known {
        self.rng.pick(known())
    }

    fn key(&mut self) -> Key {
        if self.rng.one_in(6) {
            let codes =
                [KeyCode::Esc, KeyCode::Enter, KeyCode::Up, KeyCode::Down, KeyCode::Null, KeyCode::F(99)];
            let code = *self.rng.pick(&codes);
            let mut flag = || self.rng.one_in(4);
            return Key { code, ctrl: flag(), alt: flag(), shift: flag() };
        }
        let names = self.rng.pick(&keys::TABLE).keys;
        let key = Key::parse(self.rng.pick::<&str>(names)).expect("a key of the table");
        if self.rng.one_in(5) { key.with_shift(true) } else { key }
    }

    fn character(&mut self) -> char {
        match self.rng.below(3) {
            0 => self.rng.pick(PIECES).chars().next().unwrap_or(' '),
            1 => *self.rng.pick(&['y', 's', 'd', 'k', 't', 'b', 'u', 'o', '/', ':', '1', '0', '.']),
            _ => char::from(b' ' + self.rng.below(95) as u8),
        }
    }

    fn word(&mut self) -> String {
        let count = 1 + self.rng.below(3);
        (0..count)
            .map(|_| *self.rng.pick(&["a", "/", "b.myr", "漢", "\u{202e}", "\x1b[2J", "..", ":3", " "]))
            .collect()
    }

    /// Returns a random text: empty, pieces, a long line, many lines.
    fn text(&mut self) -> String {
        let count = match self.rng.below(12) {
            0 => 0,
            1 => 300,
            n => n,
        };
        let mut text: String = (0..count).map(|_| *self.rng.pick(PIECES)).collect();
        if self.rng.one_in(6) {
            text.push_str(&self.some_known().text);
        }
        text
    }

    fn place(&mut self) -> OpenPlace {
        let numbers = [0, 1, 2, 77, usize::MAX];
        OpenPlace { line: *self.rng.pick(&numbers), column: *self.rng.pick(&numbers) }
    }

    fn mouse(&mut self, state: &State) -> Event {
        let what = match self.rng.below(8) {
            0..3 => Mouse::Click(self.rng.below(5) as u8),
            3..5 => Mouse::Drag,
            5 => Mouse::Scroll(*self.rng.pick(&[-1, 1, 1_000, i32::MIN, i32::MAX])),
            6 => Mouse::Scroll(*self.rng.pick(&[-1, 1])),
            _ => Mouse::ScrollAcross(*self.rng.pick(&[-1, 1, i32::MAX, i32::MIN])),
        };
        let (width, height) = state.screen.size;
        let mut within = |most: u16| match self.rng.one_in(8) {
            true => *self.rng.pick(&[0, u16::MAX, u16::MAX - 1, most, most.saturating_sub(1)]),
            false => self.rng.below(usize::from(most) + 2) as u16,
        };
        let (column, row) = (within(width), within(height));
        Event::Mouse { what, column, row, shift: self.rng.one_in(4) }
    }

    fn resize(&mut self) -> Event {
        let rng = &mut self.rng;
        let (width, height) = match rng.below(20) {
            0 => (rng.below(3) as u16, rng.below(3) as u16),
            1 => *rng.pick(&[
                (0, 24),
                (80, 0),
                (u16::MAX, 1),
                (1, u16::MAX),
                (u16::MAX, u16::MAX),
                (u16::MAX, 24),
            ]),
            2 => *rng.pick(&[(500, 200), (1_000, 6), (20, 500)]),
            3..9 => {
                *rng.pick(&[(19, 5), (20, 4), (20, 5), (59, 11), (60, 12), (110, 30), (150, 44), (200, 60)])
            }
            _ => (rng.below(221) as u16, rng.below(61) as u16),
        };
        Event::Resize(width, height)
    }

    /// Returns an event about the file on screen.
    fn of_file(&mut self) -> Event {
        let text = self.some_known().text.clone();
        match self.rng.below(9) {
            0..4 => Event::FileContents(FileContents::Text { text, bom: self.rng.one_in(4) }),
            4 => Event::FileContents(FileContents::Gone),
            5 => Event::FileContents(FileContents::ReadError(self.text())),
            6 => Event::Saved { path: self.word().into(), text, note: None },
            7 => self.unsaved(),
            _ => Event::SaveConflict { theirs: text, bom: true },
        }
    }

    /// Returns an event about other files, possibly without a request.
    fn of_files(&mut self, state: &State) -> Event {
        let number = state.prompts.requests().saturating_sub(self.rng.below(2) as u64);
        match self.rng.below(7) {
            5 => Event::AlreadyOpen { number, document: self.rng.below(9) as u64, place: None },
            6 => Event::FileEvent { document: self.rng.below(9) as u64, event: Box::new(self.of_file()) },
            0 => Event::Listed { folder: self.word(), entries: self.entries() },
            1 => Event::OpenFailed { number, why: self.text() },
            2 => Event::OpenedFolder { number, folder: self.word() },
            3 => Event::SaveFailed(self.text()),
            _ => Event::CopySaved { path: self.word().into(), text: self.text().into() },
        }
    }

    /// Returns texts left by earlier runs.
    fn unsaved(&mut self) -> Event {
        let texts = (0..self.rng.below(9)).map(|_| {
            let text = self.text();
            Unsaved {
                entry: self.word().into(),
                of: self.rng.one_in(2).then(|| self.word().into()),
                difference: Difference::between(&self.some_known().text, &text),
                text: text.into(),
                base: self.rng.one_in(2).then(|| Base::of(Some(&self.some_known().text))),
                age: self.word(),
                damaged: self.rng.one_in(4),
            }
        });
        let texts = texts.collect();
        Event::Unsaved { texts, more: 0, held: self.rng.one_in(4), asked: self.rng.one_in(2) }
    }

    fn entries(&mut self) -> Result<Vec<OpenEntry>, String> {
        if self.rng.one_in(5) {
            return Err(self.text());
        }
        let count = *self.rng.pick(&[0, 1, 30, 300]);
        Ok((0..count).map(|_| OpenEntry { name: self.word(), folder: self.rng.one_in(3) }).collect())
    }

    fn of_race(&mut self, state: &State) -> Event {
        let news = race_news();
        let number = state.race.shown().map_or(0, |race| race.number).saturating_sub(self.rng.below(2) as u64);
        Event::Race { number, news: self.rng.pick(&news).clone() }
    }

    fn of_engine(&mut self, state: &State) -> Event {
        match self.rng.below(6) {
            0 => Event::EngineStopped(self.text()),
            1 => Event::Notice(self.text()),
            2 => Event::Test { revision: state.document.revision, test: Ok("test 1 == 1;".to_string()) },
            3 => Event::Notice("word ".repeat(self.rng.below(2_000))),
            _ => {
                let kind = *self.rng.pick(&[Kind::Cpu, Kind::Gpu]);
                let [description, reason, meter, preparing] = [(); 4].map(|()| self.text());
                let found = Found { name: self.text(), preferred: false, reason: self.text() };
                let device = match self.rng.below(4) {
                    0 => Device::Failed(self.text()),
                    1 => Device::Found(found),
                    2 => Device::Ready(found, EngineInfo { description: self.text(), power_source: kind }),
                    _ => Device::Unknown,
                };
                let update = Update::Engine { kind, description, reason, meter, device, preparing };
                Event::Engine { update: Box::new(update), since: Duration::ZERO }
            }
        }
    }
}

impl EngineSession for Chance {
    fn request(&mut self, request: Request) {
        let Request::Edit(Edit { revision, text, .. }) = request else { return };
        if let Some(known) = known().iter().find(|known| known.text == text) {
            self.wait(known.answers.iter().map(|answer| of_revision(answer.clone(), revision)));
        } else if self.rng.one_in(100) && text.len() < 2_000 {
            let own = know(&mut engine(), text);
            self.wait(own.answers.into_iter().map(|answer| of_revision(answer, revision)));
        }
    }

    fn restart(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    fn race(&mut self, number: u64, _: Arc<str>) -> std::io::Result<()> {
        self.wait(race_news().into_iter().map(|news| Event::Race { number, news }));
        Ok(())
    }

    fn stop_race(&mut self) {}

    fn look_up(&mut self, what: LookUp) {
        let rng = &mut self.rng;
        let answer = match what {
            LookUp::Folder(folder) => Event::Listed { folder, entries: self.entries() },
            LookUp::File { number, .. } => match rng.below(4) {
                0 => Event::OpenFailed { number, why: self.text() },
                1 => Event::OpenedFolder { number, folder: self.word() },
                _ => {
                    let known = self.some_known();
                    Event::Opened(Box::new(Opened {
                        number,
                        file: FileInfo {
                            path: Some(self.word().into()),
                            on_disk: Some(known.text.clone()),
                            ..FileInfo::default()
                        },
                        text: known.text.clone(),
                        place: self.rng.one_in(2).then(|| self.place()),
                        note: self.rng.one_in(3).then(|| self.text()),
                    }))
                }
            },
            LookUp::Preview(path) => Event::Previewed { path, text: Ok(self.some_known().text.clone()) },
            LookUp::Test { revision, .. } => Event::Test {
                revision,
                test: rng.one_in(2).then(|| "test 1 == 1;".to_string()).ok_or(NoTest::Written),
            },
        };
        self.wait(std::iter::once(answer));
    }
}

impl World for Chance {
    fn session(&mut self) -> &mut dyn EngineSession {
        self
    }

    fn file(&mut self, document: u64, path: &Path, task: FileTask) -> Option<Event> {
        let event = match task {
            FileTask::Save(job) => {
                let event = match self.rng.below(5) {
                    0 => Event::SaveFailed(self.text()),
                    1 => Event::SaveConflict { theirs: self.some_known().text.clone(), bom: false },
                    2 => Event::SaveExists(path.into()),
                    _ => {
                        let note = self.rng.one_in(3).then(|| self.text());
                        Event::Saved { path: path.into(), text: job.text, note }
                    }
                };
                Event::FileEvent { document, event: Box::new(event) }
            }
            FileTask::SaveKeepingTheirs { job, .. } => {
                Event::Saved { path: job.path, text: job.text, note: Some(self.text()) }
            }
            FileTask::SaveCopy { text, .. } => Event::CopySaved { path: self.word().into(), text },
            _ => return None,
        };
        self.wait(std::iter::once(event));
        None
    }

    fn find_unsaved(&mut self, _: &WorkbenchDocument) -> Option<Event> {
        let texts = self.unsaved();
        self.wait(std::iter::once(texts));
        None
    }

    fn paste(&mut self, _: String) -> Option<Event> {
        let text = self.text();
        self.wait(std::iter::once(Event::Paste(text)));
        None
    }

    fn fade(&mut self, _: Fading, _: Duration) {}

    fn quit(&mut self) {}
}

/// Events of a race from beginning to end, and of an invalid one.
fn race_news() -> Vec<RaceMessage> {
    static NEWS: OnceLock<Vec<RaceMessage>> = OnceLock::new();
    let make = || {
        let result = race::result();
        let time = Duration::from_millis(500);
        let contestant = Contestant::External;
        let mut news = vec![
            RaceMessage::Begun { k: 1_000, repetitions: 5 },
            RaceMessage::Happened(Happened::Prepares(contestant)),
            RaceMessage::Happened(Happened::Progress { contestant, repetition: 2, done: 2_500, time }),
        ];
        news.extend(result.scores.iter().map(|score| RaceMessage::Happened(Happened::Between(score.clone()))));
        news.extend(result.scores.iter().map(|score| RaceMessage::Happened(Happened::Ended(score.clone()))));
        news.extend([RaceMessage::Done(result), RaceMessage::Refused("no \x1b[31m\u{202e}race".to_string())]);
        news
    };
    NEWS.get_or_init(make).clone()
}
