//! A file with its folders, and failure messages about them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::extent;
use crate::place::{Place, home_of};
use crate::rng::Rng;
use crate::terminal::Session;

/// The initial text of a file: one passing test, so that the screen shows when it is drawn.
pub const PROGRAM: &str = "test 1 == 1;\n";

/// Text on screen for [`PROGRAM`], with any comments around it.
pub const DRAWN: &str = "1 test passes";

/// Maximum time that text may exist only on screen.
pub const SECOND: Duration = Duration::from_secs(1);

/// The time a test waits for something that is promised within `time`: eight times as long, because the machine may be busy.
pub fn promised(time: Duration) -> Duration {
    8 * time
}

/// Keys, as terminals send them.
pub const SAVE: &str = "\x13";
pub const QUIT: &str = "\x11";
pub const ASK: &str = "\x1ba";
pub const UNDO: &str = "\x15";

/// One engine, one mutant, no idle work: many of these run in parallel.
const CONFIGURATION: &str = "[engine]\nchoice = \"cpu\"\nbudget = 1\nidle = \"off\"\n";

/// A file to work on.
pub struct Scene {
    pub place: Place,
    pub file: PathBuf,
}

impl Scene {
    /// Creates a file with a text, or none if the file is still to be created.
    pub fn new(text: Option<&str>) -> Scene {
        let place = Place::new();
        fs::write(home_of(&place.path()).join("config.toml"), CONFIGURATION).expect("configured");
        let file = place.path().join("text.myr");
        if let Some(text) = text {
            fs::write(&file, text).expect("written");
        }
        Scene { place, file }
    }

    /// Opens the workbench on the file, and waits until it is drawn.
    pub fn open(&self, environment: &[(&str, &str)]) -> Session {
        let session = Session::open(&self.file, (80, 24), environment);
        // A truncated program has errors.
        let drawn = [DRAWN, "no tests", " error", "is back"];
        session.wait_until("the first answer", |screen| drawn.iter().any(|part| screen.contains(part)));
        session
    }

    /// Returns the text of the file, if it exists.
    pub fn text(&self) -> Option<String> {
        crate::place::read_lossy(&self.file)
    }

    /// Returns whether a text is kept as unsaved.
    pub fn keeps(&self, text: &str) -> bool {
        self.place.journal().iter().any(|entry| entry.text == text)
    }

    /// Fails with all helpful information.
    #[track_caller]
    pub fn fail(&self, session: Option<&Session>, why: &str) -> ! {
        let screen = session.map_or(String::new(), |s| format!("on screen:\n{}\n", s.screen()));
        panic!("{why}\n{screen}{}", self.place.describe())
    }

    /// Fails unless something holds.
    #[track_caller]
    pub fn require(&self, holds: bool, session: Option<&Session>, why: impl Fn() -> String) {
        if !holds {
            self.fail(session, &why());
        }
    }

    /// Quits the workbench, which has nothing unsaved.
    #[track_caller]
    pub fn quit(&self, mut session: Session) {
        session.send(QUIT);
        let status = crate::terminal::within(Duration::from_secs(5), || session.ended().is_some());
        self.require(status, Some(&session), || "it does not quit: something is not saved".to_string());
        let code = session.wait_for_end().exit_code();
        self.require(code == 0, Some(&session), || format!("it ended with {code}"));
    }
}

/// Returns whether the screen marks the text as not saved.
pub fn dirty(screen: &str) -> bool {
    screen.lines().next().is_some_and(|line| line.contains('●'))
}

/// Returns the words on screen, without line breaks.
pub fn said(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the permissions of a file.
pub fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).map_or(0, |meta| meta.permissions().mode() & 0o7777)
}

/// The seed of everything random, printed so that a failure can be reproduced.
pub fn seed() -> u64 {
    let seed = extent::seed();
    println!("MYRIAD_SEED={seed}");
    seed
}

/// Returns the number of parallel workers.
pub fn workers(rounds: usize) -> usize {
    rounds.clamp(1, 2)
}

/// Divides rounds among workers, each with its own generator; returns their findings.
pub fn side_by_side<T: Send>(rounds: usize, work: impl Fn(usize, Rng) -> T + Sync) -> Vec<T> {
    let (seed, workers) = (seed(), workers(rounds));
    let share = |worker: usize| rounds / workers + usize::from(worker < rounds % workers);
    std::thread::scope(|scope| {
        let run = |worker: usize| {
            let work = &work;
            scope.spawn(move || work(share(worker), Rng::new(seed.wrapping_mul(1009) + worker as u64)))
        };
        let all: Vec<_> = (0..workers).map(run).collect();
        all.into_iter().map(|one| one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

/// Returns a duration in milliseconds.
pub fn ms(count: usize) -> Duration {
    Duration::from_millis(count as u64)
}
