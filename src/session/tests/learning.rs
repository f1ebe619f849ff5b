//! Searches for better code: what is not searched again, what is recorded, and which files are ignored.

use std::sync::mpsc::channel;
use std::time::Instant;

use super::*;
use crate::learned::improve::savings;

/// A program; learned code is shared by all sessions of a process, so each test has another `first`.
fn sum(first: u32) -> String {
    format!(
        "fn sum(n: int) -> int {{ let s = {first}; let i = 3; while i < n {{ s += i; i += 1; }} return s; }}
fn one() -> int {{ return {first} - {first} + 1; }}
test sum(40) == {};
",
        first + 777
    )
}

/// Starts a session at level 3 with a store in `folder`.
fn started(folder: &std::path::Path) -> (Session, std::sync::mpsc::Receiver<Update>) {
    let cpu = Box::new(CpuEngine::with_threads(1));
    let mut options = options(cpu, None, Preference::Cpu, 100, (false, CompareExtent::Sample));
    options.level = OptLevel::Learned.into();
    options.learned = Some(folder.to_path_buf());
    let (tell, updates) = channel();
    (Session::start(options, move |update| drop(tell.send(update))).expect("threads"), updates)
}

fn edit(session: &Session, revision: u64, text: String) {
    session.send(Request::Edit(Edit { revision, text: text.into(), at: Instant::now(), fires_in: None }));
}

/// Waits for the end of the search of a revision.
fn ended(updates: &std::sync::mpsc::Receiver<Update>, revision: u64) -> (Learning, Vec<Update>) {
    let of = |update: &Update| match update {
        Update::Found(finding) if finding.revision == revision => finding.what::<Learning>().cloned(),
        _ => None,
    };
    let is_end = |update: &Update| of(update).is_some_and(|learning| !learning.rules.is_empty());
    let seen = until(updates, is_end);
    (seen.iter().rev().find_map(of).expect("it has ended"), seen)
}

#[test]
fn unchanged_functions_are_not_searched_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (session, updates) = started(folder.path());
    edit(&session, 1, sum(100));
    let (first, _) = ended(&updates, 1);
    assert_eq!((first.done, first.all, first.skipped, first.better.len()), (3, 3, 0, 1), "{first:?}");
    assert!(first.tried.moves > 0 && first.energy.is_some(), "{first:?}");
    edit(&session, 2, format!("{}// A comment.", sum(100)));
    let (second, _) = ended(&updates, 2);
    assert_eq!((second.done, second.skipped), (3, 2), "two found nothing, one has better code: {second:?}");
    assert_eq!(second.tried, first.tried, "nothing was tried again");
    // Another test may change which code is better for the function that it calls.
    edit(&session, 3, format!("{}test one() == 1;", sum(100)));
    let (third, _) = ended(&updates, 3);
    assert_eq!((third.done, third.all), (4, 4));
    assert!(third.skipped <= 1, "`one` is searched again: {third:?}");
}

#[test]
fn savings_are_recorded_by_revision_and_by_day() {
    let folder = tempfile::tempdir().expect("a folder");
    let (session, updates) = started(folder.path());
    edit(&session, 1, sum(200));
    let (first, _) = ended(&updates, 1);
    let [before, after] = *first.revisions.last().expect("a revision");
    assert!(first.revisions.len() == 1 && after < before, "{first:?}");
    edit(&session, 2, format!("{}// A comment.", sum(200)));
    let (second, _) = ended(&updates, 2);
    assert_eq!(second.revisions, [[before, after]; 2]);
    let records = savings::load(folder.path());
    assert_eq!(records.iter().map(|record| record.steps).collect::<Vec<_>>(), [[before, after]], "one program");
    assert_eq!(second.days.last().map(|day| (day.programs, day.steps)), Some((1, [before, after])));
    assert!(second.rules.iter().all(|(_, _, on)| *on));
}

#[test]
fn ignored_files_of_the_store_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("secret"), format!("{:032x}\n", 7)).expect("written");
    for name in ["00.code", "11.code"] {
        std::fs::write(folder.path().join(name), "myriad 1 1\nnonsense\n").expect("written");
    }
    let (session, updates) = started(folder.path());
    edit(&session, 1, sum(300));
    let (learning, seen) = ended(&updates, 1);
    assert_eq!(learning.ignored.len(), 2, "{learning:?}");
    let notices: Vec<&String> = seen
        .iter()
        .filter_map(|update| match update {
            Update::Notice(text) => Some(text),
            _ => None,
        })
        .collect();
    let is_said = |text: &&&String| text.contains("00.code is ignored") && text.contains("(and 1 more)");
    assert_eq!(notices.iter().filter(is_said).count(), 1, "{notices:?}");
}
