//! Another program writes the file during a save: no text is lost silently, and typed keys do not answer a
//! question that appears meanwhile.

use std::time::{Duration, Instant};

use super::outside::{Edit, How};
use super::scene::{ASK, SAVE, Scene, dirty, ms, side_by_side};
use super::shim::Faults;
use crate::extent::scale;
use crate::rng::Rng;
use crate::terminal::{PATIENCE, Session};

/// Letters that are typed at most once in a race, and are nowhere else on screen.
const LETTERS: &str = "абвгдежзиклмнопрстуфхцчшщэюяБГДЖЗИЛПФЦЧШЩЭЮЯ";

/// Letters that would answer questions.
const BAIT: &[u8] = b"mtkbudsoenyr";

/// Number of races in one run of the workbench.
const RUN: usize = 12;

/// The state is calm when nothing has changed for this long.
const CALM: Duration = Duration::from_millis(350);

/// Delays that widen the window in which the other program can interfere.
const SLOW: [&str; 4] = [
    "",
    "fsync:*:delay=4ms@/work",
    "rename:*:delay=3ms@/work",
    "open:*:delay=1ms@/work;rename:*:delay=2ms@/work;unlink:*:delay=2ms@/work",
];

#[test]
fn concurrent_writes_lose_no_text_and_keys_answer_no_question() {
    let races = 10 * scale();
    let found = side_by_side(races, |rounds, rng| {
        let mut worker = Worker { scene: Scene::new(Some("")), rng, mark: 0, found: Found::default() };
        let mut left = rounds;
        while left > 0 {
            let now = left.min(RUN);
            worker.run(now);
            left -= now;
        }
        worker.found
    });
    let sum = |of: fn(&Found) -> usize| found.iter().map(of).sum::<usize>();
    println!(
        "{races} races, {} texts from outside, {} letters typed ({} not judged); {} questions, {} texts rescued",
        sum(|f| f.edits),
        sum(|f| f.letters),
        sum(|f| f.not_judged),
        sum(|f| f.questions),
        sum(|f| f.rescued),
    );
}

#[derive(Default)]
struct Found {
    edits: usize,
    letters: usize,
    not_judged: usize,
    questions: usize,
    rescued: usize,
}

struct Worker {
    scene: Scene,
    rng: Rng,
    mark: usize,
    found: Found,
}

/// The events of a race with their times.
struct Plan {
    keys: Vec<(Duration, String)>,
    edits: Vec<(Duration, How)>,
    letters: Vec<char>,
}

impl Worker {
    /// Some races in one run of the workbench.
    fn run(&mut self, races: usize) {
        std::fs::write(&self.scene.file, super::outside::text("#begin")).expect("written");
        let slow = SLOW[self.rng.below(SLOW.len())];
        let faults = Faults::new(&self.scene, slow);
        let mut session = self.scene.open(&faults.environment());
        faults.arm();
        for _ in 0..races {
            self.race(&mut session);
        }
        self.scene.quit(session);
        faults.disarm();
    }

    fn next_mark(&mut self) -> String {
        self.mark += 1;
        format!("#{:06}", self.mark)
    }

    fn race(&mut self, session: &mut Session) {
        self.begin(session);
        let plan = self.plan();
        let marks: Vec<String> = plan.edits.iter().map(|_| self.next_mark()).collect();
        let (file, beside) = (&self.scene.file, self.scene.place.beside());
        let start = Instant::now() + ms(2);
        let edits: Vec<Edit> = std::thread::scope(|scope| {
            let outside = scope.spawn(|| {
                let each = plan.edits.iter().zip(&marks);
                each.map(|((at, how), mark)| {
                    wait_for(start + *at);
                    Edit::make(file, &beside, mark.clone(), *how)
                })
                .collect()
            });
            for (at, keys) in &plan.keys {
                wait_for(start + *at);
                session.send(keys);
            }
            outside.join().expect("the other program works")
        });
        self.found.edits += edits.len();
        self.found.letters += plan.letters.len();
        self.found.not_judged += if edits.iter().all(|edit| edit.certain) { 0 } else { plan.letters.len() };
        self.calm(session);
        self.check("after the race", session, &plan.letters, &edits);
        self.no_aside_unasked(session, &edits);
        self.settle(session);
        self.check("once all is answered and saved", session, &plan.letters, &edits);
    }

    /// Starts with a text that the workbench has read, nothing unsaved, and no text put aside.
    fn begin(&mut self, session: &Session) {
        for word in ["mine", "theirs"] {
            for (name, _) in self.scene.place.asides(&self.scene.file, word) {
                std::fs::remove_file(self.scene.place.path().join(name)).expect("removed");
            }
        }
        let mark = self.next_mark();
        Edit::make(&self.scene.file, &self.scene.place.beside(), mark.clone(), How::Renamed);
        let read =
            session.shows_within(PATIENCE, |screen| without_letters(screen).contains(&mark) && !dirty(screen));
        self.scene.require(read, Some(session), || format!("{mark} is not read although nothing is unsaved"));
    }

    /// Plans letters, a save in the middle of them, an outside text within 3 ms of it, and some more of both.
    fn plan(&mut self) -> Plan {
        let rng = &mut self.rng;
        let micros = |count: usize| Duration::from_micros(count as u64);
        let save = micros(5_000 + rng.below(20_000));
        let mut keys = vec![(save, SAVE.to_string())];
        let mut letters: Vec<char> = LETTERS.chars().collect();
        for i in (1..letters.len()).rev() {
            letters.swap(i, rng.below(i + 1));
        }
        letters.truncate(3 + rng.below(14));
        for letter in &letters {
            let bait = *rng.pick(BAIT) as char;
            keys.push((micros(rng.below(60_000)), format!("{letter}{bait}")));
        }
        if rng.one_in(3) {
            keys.push((micros(rng.below(70_000)), SAVE.to_string()));
        }
        keys.sort();
        let how = |rng: &mut Rng| *rng.pick(&[How::InPlace, How::Slowly, How::Renamed, How::Renamed]);
        let near = (save + micros(rng.below(6_000))).saturating_sub(micros(3_000));
        let mut edits = vec![(near, how(rng))];
        if rng.one_in(3) {
            edits.push((micros(rng.below(150_000)), how(rng)));
        }
        edits.sort_by_key(|(at, _)| *at);
        Plan { keys, edits, letters }
    }

    /// Waits until nothing changes any more.
    fn calm(&self, session: &Session) {
        let seen = || {
            let screen = session.screen();
            let shown: String = screen.chars().filter(|c| LETTERS.contains(*c) || "#●".contains(*c)).collect();
            (shown, screen.contains("alt-a"), self.texts())
        };
        let end = Instant::now() + PATIENCE;
        let mut last = (seen(), Instant::now());
        while last.1.elapsed() < CALM && Instant::now() < end {
            std::thread::sleep(ms(15));
            let now = seen();
            if now != last.0 {
                last = (now, Instant::now());
            }
        }
    }

    /// Returns every text that exists: in the file, put aside, kept unsaved.
    fn texts(&self) -> Vec<String> {
        let asides = ["mine", "theirs"].map(|word| self.scene.place.asides(&self.scene.file, word));
        let kept = self.scene.place.journal().into_iter().map(|entry| entry.text);
        self.scene
            .text()
            .into_iter()
            .chain(asides.into_iter().flatten().map(|(_, text)| text))
            .chain(kept)
            .collect()
    }

    /// Checks that every letter and every outside text exists somewhere.
    fn check(&self, when: &str, session: &Session, letters: &[char], edits: &[Edit]) {
        let missing = || {
            let mut places = self.texts();
            places.push(session.screen());
            let bare: Vec<String> = places.iter().map(|text| without_letters(text)).collect();
            let mut missing = Vec::new();
            for (i, edit) in edits.iter().enumerate() {
                let replaced = |later: &Edit| {
                    !later.certain || without_letters(&later.replaced).contains(edit.mark.as_str())
                };
                if !edits[i + 1..].iter().any(replaced) && !bare.iter().any(|text| text.contains(&edit.mark)) {
                    missing.push(format!("{} ({:?})", edit.mark, edit.how));
                }
            }
            if edits.iter().all(|edit| edit.certain) {
                places.extend(edits.iter().map(|edit| edit.replaced.clone()));
                let lost = letters.iter().filter(|letter| !places.iter().any(|text| text.contains(**letter)));
                missing.extend(lost.map(|letter| format!("the letter {letter}")));
            }
            missing
        };
        // Text typed at the last moment may not have been kept yet.
        let none = crate::terminal::within(Duration::from_secs(3), || missing().is_empty());
        self.scene.require(none, Some(session), || {
            format!(
                "{when}, nowhere to be found: {:?}\ntyped: {letters:?}\nfrom outside: {edits:#?}",
                missing()
            )
        });
    }

    /// Before any question is answered, no text of the user is put aside, and an outside text only if a save
    /// replaced it.
    fn no_aside_unasked(&mut self, session: &Session, edits: &[Edit]) {
        let scene = &self.scene;
        let mine = scene.place.asides(&scene.file, "mine");
        scene.require(mine.is_empty(), Some(session), || format!("put aside although nobody asked: {mine:?}"));
        for (name, text) in scene.place.asides(&scene.file, "theirs") {
            let bare = without_letters(&text);
            let known = edits.iter().any(|edit| bare.contains(&edit.mark));
            scene.require(known, Some(session), || format!("{name} is no text from outside: {text:?}"));
            self.found.rescued += 1;
        }
    }

    /// Answers questions and saves until nothing is unsaved.
    fn settle(&mut self, session: &mut Session) {
        for _ in 0..20 {
            let screen = session.screen();
            if screen.contains("alt-a") {
                self.answer(session);
            } else if dirty(&screen) {
                session.send(SAVE);
                session.shows_within(ms(3000), |screen| !dirty(screen) || screen.contains("alt-a"));
            } else {
                return;
            }
        }
        self.scene.fail(Some(session), "answers and saves do not come to an end");
    }

    /// Opens the question, and keeps the user's text or takes the other, sometimes after postponing.
    fn answer(&mut self, session: &mut Session) {
        self.found.questions += 1;
        let answers: &[&str] = match self.rng.below(5) {
            0 => &["\x1b", "m"],
            1 | 2 => &["m"],
            _ => &["t"],
        };
        for answer in answers {
            let shown = session.screen();
            session.send(ASK);
            session.wait_until("the question", |screen| screen != shown);
            let asked = session.screen();
            session.send(answer);
            session.wait_until("what comes of the answer", |screen| screen != asked);
            self.calm(session);
        }
    }
}

/// Returns a text without its letters, since typed ones may be inside a mark.
fn without_letters(text: &str) -> String {
    text.chars().filter(|c| !c.is_alphabetic()).collect()
}

/// Sleeps until a moment, precisely.
fn wait_for(moment: Instant) {
    let left = moment.saturating_duration_since(Instant::now());
    std::thread::sleep(left.saturating_sub(ms(1)));
    while Instant::now() < moment {
        std::thread::yield_now();
    }
}
