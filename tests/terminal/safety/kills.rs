//! Killed while the user types and saves: the file is one of the texts that existed, and at most the last
//! second of typing is lost.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::scene::{ASK, SAVE, SECOND, Scene, UNDO, mode, ms, promised, side_by_side};
use super::shim::Faults;
use crate::extent::scale;
use crate::place::{Entry, journal_of};
use crate::rng::Rng;
use crate::terminal::{PATIENCE, Session, within};

/// The initial text of the file. A line that a kill truncates is before the first line, not before the test.
const BASE: &str = "\ntest 1 == 1;\n";

/// A file that has grown to this size is replaced, as another program may do.
const LARGE: usize = 6_000;

/// Calls of a save that are delayed, so that kills occur between them.
const SLOW: &str =
    "fsync:*:delay=12ms@/work;rename:*:delay=12ms@/work;unlink:*:delay=12ms@/work;open:*:delay=3ms@.myriad-";

/// A file with two names is overwritten in place: each write does half of the work and is delayed, so that
/// kills occur in the middle.
const HALVES: &str = "write:*:short@text.myr;write:*:delay=5ms@text.myr;truncate:*:delay=5ms@text.myr";

#[test]
fn kill_at_any_moment_loses_at_most_one_second() {
    kill(8 * scale(), false);
}

#[test]
fn kill_while_overwriting_a_file_loses_at_most_one_second() {
    kill(4 * scale(), true);
}

/// Kills the program this many times, and checks the counts of findings.
fn kill(kills: usize, two_names: bool) {
    let found = side_by_side(kills, |rounds, rng| {
        let mut worker = Worker::new(rng, two_names);
        for _ in 0..rounds {
            worker.round();
        }
        let left = worker.scene.place.temporary();
        worker.scene.require(left.is_empty(), None, || format!("left behind: {left:?}"));
        worker.found
    });
    let sum = |of: fn(&Found) -> usize| found.iter().map(of).sum::<usize>();
    let worst = found.iter().map(|f| f.lost).max().unwrap_or_default();
    println!(
        "{kills} kills, {} within a save, {} with a torn file of two names, {} with text kept, {} recovered; \
         at most {worst:?} of typing lost",
        sum(|f| f.within_a_save),
        sum(|f| f.torn),
        sum(|f| f.kept),
        sum(|f| f.recovered),
    );
}

#[derive(Default)]
struct Found {
    within_a_save: usize,
    torn: usize,
    kept: usize,
    recovered: usize,
    lost: Duration,
}

/// A folder in which the program is started and killed repeatedly.
struct Worker {
    scene: Scene,
    /// Whether the file has a second name, so that it cannot be replaced by a new file.
    two_names: bool,
    rng: Rng,
    /// Number of lines typed so far.
    lines: usize,
    /// Every text that was seen in the file.
    saved: HashSet<String>,
    found: Found,
}

/// The typed text, and its length at each time.
struct Typed {
    text: String,
    times: Vec<(Instant, usize)>,
}

impl Typed {
    /// Returns how much of it precedes `base` in a text, if nothing else does.
    fn part_in(&self, text: &str, base: &str) -> Option<usize> {
        let part = text.strip_suffix(base)?;
        self.text.starts_with(part).then_some(part.len())
    }

    /// Returns how much had been typed by a time.
    fn by(&self, time: Option<Instant>) -> usize {
        let before = |(at, _): &&(Instant, usize)| time.is_some_and(|time| *at <= time);
        self.times.iter().take_while(before).last().map_or(0, |(_, length)| *length)
    }
}

/// Returns whether the screen tells of unsaved text: it is back, or it is offered.
fn is_told(screen: &str) -> bool {
    screen.contains("is back") || screen.contains("alt-a") || super::scene::dirty(screen)
}

/// Returns whether a text of a file is among entries. A declined text has another name.
fn holds(entries: &[Entry], wanted: &Entry) -> bool {
    entries.iter().any(|entry| (&entry.text, &entry.path) == (&wanted.text, &wanted.path))
}

impl Worker {
    fn new(rng: Rng, two_names: bool) -> Worker {
        let scene = Scene::new(Some(BASE));
        if two_names {
            std::fs::hard_link(&scene.file, scene.place.beside().join("second")).expect("linked");
        }
        Worker { scene, two_names, rng, lines: 0, saved: HashSet::new(), found: Found::default() }
    }

    fn round(&mut self) {
        if self.scene.text().is_some_and(|text| text.len() > LARGE) {
            std::fs::write(&self.scene.file, BASE).expect("written");
        }
        let base = self.scene.text().expect("the file is there");
        self.saved.insert(base.clone());
        let before = self.scene.place.journal();
        let faults = Faults::new(&self.scene, if self.two_names { HALVES } else { SLOW });
        let mut session = self.scene.open(&faults.environment());
        self.take_back(&mut session);
        if self.two_names || self.rng.one_in(2) {
            faults.arm();
        }
        let typed = self.type_and_save(&mut session);
        let signal = self.signal();
        let killed = Instant::now();
        session.signal(signal);
        session.wait_for_end();
        faults.disarm();
        let asked = self.check(&before, &base, &typed, killed, signal, &session);
        self.start_again(asked);
    }

    /// Types numbered lines, at the speed of a fast typist, with some saves.
    fn type_and_save(&mut self, session: &mut Session) -> Typed {
        let mut typed = Typed { text: String::new(), times: Vec::new() };
        let end = Instant::now() + ms(100 + self.rng.below(2400));
        while Instant::now() < end {
            self.lines += 1;
            let line = format!("// {:06}\r", self.lines);
            let mut rest = line.as_str();
            while !rest.is_empty() && Instant::now() < end {
                let (piece, more) = rest.split_at((1 + self.rng.below(3)).min(rest.len()));
                rest = more;
                session.send(piece);
                typed.text.push_str(&piece.replace('\r', "\n"));
                typed.times.push((Instant::now(), typed.text.len()));
                std::thread::sleep(ms(1 + self.rng.below(40)));
            }
            if self.rng.one_in(6) {
                session.send(SAVE);
            }
        }
        // Half of the kills come during a save.
        if self.rng.one_in(2) {
            session.send(SAVE);
            std::thread::sleep(Duration::from_micros(self.rng.below(60_000) as u64));
        }
        typed
    }

    fn signal(&mut self) -> Signal {
        match self.rng.below(8) {
            0 => Signal::QUIT,
            1 => Signal::ABORT,
            2 => Signal::TERM,
            _ => Signal::KILL,
        }
    }

    /// Checks the files after a kill; returns whether text was kept that the file does not have.
    fn check(
        &mut self,
        before: &[Entry],
        base: &str,
        typed: &Typed,
        killed: Instant,
        signal: Signal,
        session: &Session,
    ) -> bool {
        let (scene, shown) = (&self.scene, Some(session));
        let after = scene.place.journal();
        let file = scene.text().unwrap_or_default();
        let in_file = typed.part_in(&file, base);
        if in_file.is_none() {
            // Overwriting is not atomic, so only the kept text counts.
            scene.require(self.two_names, shown, || {
                format!("{signal:?}: the file is torn; typed were {:?}", typed.text)
            });
            self.found.torn += 1;
        }
        self.found.within_a_save += usize::from(!scene.place.temporary().is_empty());
        self.saved.insert(file.clone());
        self.nothing_vanished(before, &after, session);
        let fresh: Vec<&Entry> = after.iter().filter(|entry| !holds(before, entry)).collect();
        let mut best = in_file.unwrap_or(0);
        for entry in &fresh {
            let Some(part) = typed.part_in(&entry.text, base) else {
                scene.fail(shown, &format!("{signal:?}: {} is no text that there was", entry.name));
            };
            best = best.max(part);
            scene.require(entry.path.as_ref() == Some(&scene.file), shown, || {
                format!("{} is of {:?}", entry.name, entry.path)
            });
            scene.require(entry.mode == 0o600, shown, || format!("{}: {:o}", entry.name, entry.mode));
        }
        if !fresh.is_empty() {
            let of_folder = mode(&journal_of(&scene.place.path()));
            scene.require(of_folder == 0o700, shown, || format!("the folder's mode is {of_folder:o}"));
        }
        let missing = typed.times.iter().find(|(_, length)| *length > best);
        let lost = missing.map_or(Duration::ZERO, |(at, _)| killed.saturating_duration_since(*at));
        let wanted = typed.by(killed.checked_sub(SECOND));
        let whole = in_file.is_some() || !fresh.is_empty();
        scene.require(whole, shown, || format!("{signal:?}: the file is torn, and nothing is kept"));
        scene.require(best >= wanted, shown, || {
            format!("{signal:?}: {lost:?} of typing is lost: {:?}", &typed.text[best..])
        });
        self.found.lost = self.found.lost.max(lost);
        let kept = fresh.iter().any(|entry| entry.text != file);
        self.found.kept += usize::from(kept);
        kept
    }

    /// Checks that each text kept before is still kept, or was in the file.
    fn nothing_vanished(&self, before: &[Entry], after: &[Entry], session: &Session) {
        for entry in before {
            let there = holds(after, entry) || self.saved.contains(&entry.text);
            self.scene.require(there, Some(session), || format!("{} with unsaved text is gone", entry.name));
        }
    }

    /// Checks that the next start removes leftover files, keeps unsaved text, and offers it.
    fn start_again(&mut self, asked: bool) {
        let scene = &self.scene;
        let before = scene.place.journal();
        let mut session = scene.open(&[]);
        let clean = within(promised(2 * SECOND), || scene.place.temporary().is_empty());
        scene.require(clean, Some(&session), || format!("left behind: {:?}", scene.place.temporary()));
        if asked {
            let said = session.shows_within(promised(2 * SECOND), is_told);
            scene.require(said, Some(&session), || "it does not say that there is unsaved text".to_string());
        }
        self.nothing_vanished(&before, &scene.place.journal(), &session);
        if asked && self.rng.one_in(3) {
            // By now, text that only the killed save has left is kept as well.
            let kept = scene.place.journal();
            self.recover(&mut session, &kept);
        }
        self.take_back(&mut session);
        let before = self.scene.place.journal();
        self.scene.quit(session);
        let file = self.scene.text().unwrap_or_default();
        self.saved.insert(file);
        let after = self.scene.place.journal();
        let gone = before.iter().find(|entry| !holds(&after, entry) && !self.saved.contains(&entry.text));
        self.scene.require(gone.is_none(), None, || format!("quitting took {:?} away", gone.map(|e| &e.name)));
    }

    /// Undoes the text of an earlier run if it came back; it stays in the journal.
    fn take_back(&self, session: &mut Session) {
        if super::scene::dirty(&session.screen()) {
            session.send(UNDO);
            let clean = session.shows_within(PATIENCE, |screen| !super::scene::dirty(screen));
            self.scene.require(clean, Some(session), || "the text that came back is not one step".to_string());
        }
    }

    /// Recovers one of the kept texts, and saves it.
    fn recover(&mut self, session: &mut Session, kept: &[Entry]) {
        let scene = &self.scene;
        // It may be back already, if the file is what it was based on.
        if !super::scene::dirty(&session.screen()) {
            let shown = session.screen();
            session.send(ASK);
            session.wait_until("the question", |screen| screen != shown);
            session.send("\r");
        }
        let taken = session.shows_within(PATIENCE, super::scene::dirty);
        scene.require(taken, Some(session), || "the recovered text is not taken".to_string());
        session.send(SAVE);
        let saved = session.shows_within(PATIENCE, |screen| screen.contains("✓ saved"));
        scene.require(saved, Some(session), || "the recovered text is not saved".to_string());
        let file = scene.text().unwrap_or_default();
        let known = kept.iter().any(|entry| entry.text == file);
        scene.require(known, Some(session), || "what was recovered is none of the texts kept".to_string());
        self.saved.insert(file);
        self.found.recovered += 1;
        self.nothing_vanished(kept, &self.scene.place.journal(), session);
    }
}
