//! The first minute: from the welcome to a killed survivor, by keys, without having read a page.

use portable_pty::CommandBuilder;

use crate::place::Place;
use crate::terminal::Session;

/// The most keys from the welcome to the first killed survivor.
const MOST: usize = 25;

/// A session that counts the keys pressed.
struct Newcomer {
    session: Session,
    keys: usize,
}

impl Newcomer {
    /// Starts the program without an argument.
    fn new(folder: &Place, size: (u16, u16)) -> Newcomer {
        let command = CommandBuilder::new(env!("CARGO_BIN_EXE_myriad"));
        let session = Session::start(command, &folder.path().join("nothing.myr"), size, &[]);
        session.wait_for("Welcome to Myriad");
        Newcomer { session, keys: 0 }
    }

    /// Presses keys, then waits until a text is on screen.
    #[track_caller]
    fn press(&mut self, keys: &[&str], shown: &str) {
        self.keys += keys.len();
        keys.iter().for_each(|key| self.session.send(key));
        self.session.wait_for(shown);
    }

    fn quit(mut self) {
        self.session.send("\x11");
        if self
            .session
            .shows_within(std::time::Duration::from_millis(500), |screen| screen.contains("is not saved"))
        {
            self.session.send("d");
        }
        assert!(self.session.wait_for_end().success());
        self.session.assert_restored();
    }
}

const PREFIX: &str = "\x14";
const UNDO: &str = "\x15";
const DELETE: &str = "\x1b[3~";

/// Plays the tour's first three steps; `go` returns the keys that lead to a panel.
fn tour(size: (u16, u16), go: impl Fn(&'static str) -> Vec<&'static str>) {
    let folder = Place::new();
    let mut user = Newcomer::new(&folder, size);
    user.press(&["\r"], "○ delete, then /");
    user.press(&[DELETE, "/"], "✓ delete, then /");
    user.press(&[UNDO, UNDO], "Type: done");
    for panel in ["3", "5"] {
        user.press(&go(panel), "tour");
        // In a small terminal, only the next goal is on screen.
        let (done, open) = (format!("✓ ctrl-t {panel}"), format!("ctrl-t {panel}:"));
        let is_done = |screen: &str| screen.contains(&done) || !screen.contains(&open);
        user.session.wait_until("the goal", is_done);
    }
    user.press(&["\r"], "Look inside: done");
    user.press(&go("l"), "opens weak.myr");
    user.press(&["n"], "sample: weak.myr");
    user.press(&go("7"), "Mut");
    // The goal is reached once all mutants are judged.
    let is_judged = |screen: &str| screen.contains("tour: t:") || screen.contains("✓ ctrl-t 7");
    user.session.wait_until("the verdicts", is_judged);
    user.press(&["t"], "Test your tests: done");
    assert!(user.keys <= MOST, "{} keys", user.keys);
    user.quit();
}

#[test]
fn tour_leads_to_a_killed_survivor_within_25_keys() {
    let alt = |key: &'static str| match key {
        "3" => vec!["\x1b3"],
        "5" => vec!["\x1b5"],
        "7" => vec!["\x1b7"],
        _ => vec!["\x1bl"],
    };
    tour((120, 40), alt);
}

#[test]
fn tour_leads_to_a_killed_survivor_without_an_alt_key() {
    tour((80, 24), |key| vec![PREFIX, key]);
}

/// The same without the tour: a sample by its name, its mutants, the offered test.
#[test]
fn sample_by_name_leads_to_a_killed_survivor() {
    let folder = Place::new();
    let mut user = Newcomer::new(&folder, (80, 24));
    user.press(&["w", "e", "a", "k"], "▶sample weak.myr");
    user.press(&["\r"], "yours to change");
    user.press(&[PREFIX], "ctrl-t, then one of these keys");
    user.press(&["7"], "✗ survived 12:8");
    user.session.wait_for("✗ 72 survived");
    user.press(&["t"], "is what it returns now");
    // The next key removes the message from the gauge.
    user.press(&["j"], "✓ 9 ");
    let has_fewer = |screen: &str| screen.contains(" 210 mutants") && !screen.contains("✗ 72 ");
    user.session.wait_until("a killed survivor", has_fewer);
    assert!(user.keys <= MOST, "{} keys", user.keys);
    user.quit();
}

#[test]
fn welcome_is_left_by_each_key_that_people_try() {
    for key in ["\x11", "\x03", "\x1b"] {
        let folder = Place::new();
        let mut user = Newcomer::new(&folder, (80, 24));
        user.session.send(key);
        assert!(user.session.wait_for_end().success(), "{key:?}");
        user.session.assert_restored();
    }
}
