//! Lessons, completed by keys in the real program, from the command to the last goal. Each lesson has a solution in
//! `tests/learn`, judged by `tests/it/learn/shipped.rs`; here are those that keys of panels solve.

use std::path::Path;

use portable_pty::CommandBuilder;

use crate::place::{Place, home_of};
use crate::terminal::Session;

const TO_EDITOR: &str = "\x1b1";
const TO_THE_END: &str = "\x1b[1;5F";

/// The line above the last one counts the goals.
const GOALS: &str = " goals ";

/// Returns whether all goals are reached.
fn is_done(screen: &str) -> bool {
    // A tab with enough room also names its goals, without the numbers after them.
    let counted =
        |rest: &str| rest.split(' ').next().and_then(|word| word.split_once('/')).map(|(one, all)| one == all);
    screen.split(GOALS).skip(1).find_map(counted).unwrap_or(false)
}

/// Opens the workbench on a lesson in a folder.
fn learn(name: &str, folder: &Path) -> Session {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_myriad"));
    command.args(["learn", name]);
    let session = Session::start(command, &folder.join("any"), (160, 50), &[]);
    session.wait_for(GOALS);
    session
}

/// Replaces a text by another, by searching it.
fn change(session: &mut Session, from: &str, to: &str) {
    session.send(&format!("\x1b[1;5H\x06\x15{from}\r"));
    session.wait_for("match 1 of");
    session.send(&format!("\x7f{to}"));
}

/// Completes a lesson from the editor, with changes of the text and additions to it.
fn done(name: &str, changes: &[(&str, &str)], added: &str) {
    let place = Place::new();
    let mut session = learn(name, &place.path());
    assert!(!is_done(&session.screen()), "{}", session.screen());
    session.send(TO_EDITOR);
    for (from, to) in changes {
        change(&mut session, from, to);
    }
    if !added.is_empty() {
        session.send(&format!("{TO_THE_END}{added}"));
    }
    finish(&mut session, name, &place.path());
}

/// Waits until all goals are reached; checks that this and the text are saved.
fn finish(session: &mut Session, name: &str, folder: &Path) {
    session.wait_until("every goal", is_done);
    session.send("\x13");
    session.wait_for("✓ saved");
    session.send("\x11");
    assert_eq!(session.wait_for_end().exit_code(), 0);
    let kept = std::fs::read_to_string(home_of(folder).join("state/myriad/lessons.json")).expect("progress");
    assert!(kept.contains(&format!("\"{name}\"")), "{kept}");
    let work = home_of(folder).join(format!("data/myriad/learn/{name}.myr"));
    assert!(work.exists(), "the work is kept");
}

#[test]
fn tokens_lesson_can_be_completed() {
    done("tokens", &[("= = b", "== b"), ("> > 1", ">> 1"), ("< = 9", "<= 9")], "");
}

#[test]
fn tree_lesson_can_be_completed_and_leads_to_the_next() {
    let place = Place::new();
    let mut session = learn("2", &place.path());
    session.wait_for("What binds first");
    // A hint, by its key.
    session.send("h");
    session.wait_for("Hint 1:");
    session.send(TO_EDITOR);
    change(
        &mut session,
        "fn each(tickets: int, price: int, fee: int) -> int { return tickets * price + fee; }",
        "fn each(tickets: int, price: int, fee: int) -> int { return tickets * (price + fee); }",
    );
    change(&mut session, "((n & 1) == 0)", "n & 1 == 0");
    session.wait_until("every goal", is_done);
    session.send("\x1bl");
    session.wait_for("Done.");
    session.send("n");
    session.wait_for("types.myr");
    session.send("\x11");
    assert_eq!(session.wait_for_end().exit_code(), 0);
    let work = home_of(&place.path()).join("data/myriad/learn");
    let solved = std::fs::read_to_string(work.join("tree.myr")).expect("saved on the way");
    assert!(solved.contains("tickets * (price + fee)"), "{solved}");
    assert!(work.join("types.myr").exists());
}

/// By `t` only, in the panel that the lesson names.
#[test]
fn survivors_lesson_can_be_completed() {
    let place = Place::new();
    let mut session = learn("survivors", &place.path());
    session.send("\x1b7");
    let said = [
        "make sure that it is right",
        "no input was found",
        "still searching",
        "not judged yet",
        "does not survive",
        "no mutant is chosen",
    ];
    for _ in 0..40 {
        // The best question is at the top; a key clears the message on the previous one.
        session.send("\x1b[H");
        session.wait_until("nothing said", |screen| !said.iter().any(|said| screen.contains(said)));
        if is_done(&session.screen()) {
            break;
        }
        session.send("t");
        session
            .wait_until("an answer", |screen| is_done(screen) || said.iter().any(|said| screen.contains(said)));
    }
    finish(&mut session, "survivors", &place.path());
}

/// The repair by its panel, the property by typing.
#[test]
fn properties_lesson_can_be_completed() {
    let place = Place::new();
    let mut session = learn("properties", &place.path());
    session.send("\x1bm");
    session.wait_for("▶ 1. ");
    session.send("\r");
    session.wait_for("ctrl-u takes it back");
    session.send(&format!(
        "{TO_EDITOR}{TO_THE_END}prop \"an hour on\": a in 0..12, b in 0..12 => apart(a, b) == apart((a + 1) % 12, (b + 1) % 12);\r"
    ));
    finish(&mut session, "properties", &place.path());
}

/// The proof by its key, the tests by the list of suggestions.
#[test]
fn proof_lesson_can_be_completed() {
    let place = Place::new();
    let mut session = learn("proof", &place.path());
    session.send("\x1b7ffff");
    session.wait_for("= equivalent");
    session.send("p");
    session.wait_for("Verdict: no test can notice it");
    session.send("q");
    session.wait_until("the panels", |screen| !screen.contains("Verdict:"));
    let none = "no test is found yet";
    for _ in 0..40 {
        session.send("\x1b[H");
        session.wait_until("nothing said", |screen| !screen.contains(none));
        if is_done(&session.screen()) {
            break;
        }
        session.send("T");
        let answers = |screen: &str| ["Suggested tests", none].iter().any(|said| screen.contains(said));
        session.wait_until("an answer", |screen| answers(screen) || is_done(screen));
        if session.screen().contains("Suggested tests") {
            session.send("a");
            session.wait_until("the panels", |screen| !screen.contains("Suggested tests"));
        }
    }
    finish(&mut session, "proof", &place.path());
}
