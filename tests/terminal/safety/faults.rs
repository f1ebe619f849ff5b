//! Each call of a save fails once, in each way: the file has the old text or the new one, the message is
//! correct, no files are left over, and the next save succeeds.

use std::collections::BTreeSet;
use std::os::unix::fs::{chown, symlink};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::fs::{XattrFlags, setxattr};

use super::scene::{PROGRAM, QUIT, SAVE, SECOND, Scene, promised, said, side_by_side};
use super::shim::Faults;
use crate::extent::exhaustive;
use crate::place::{is_temporary, names};
use crate::terminal::{PATIENCE, Session, within};

/// The calls that fail, which occurrences, and the errors.
const TABLE: &[(&str, &[&str], &[&str])] = &[
    ("open", &["1", "2", "3", "4", "5"], &["EACCES", "EMFILE", "ENOSPC", "EIO", "EINTR", "ENOENT"]),
    ("open", &["*", "2+"], &["EACCES", "EMFILE"]),
    ("write", &["1", "2"], &["ENOSPC", "EIO", "EDQUOT", "EFBIG", "EINTR", "short"]),
    ("write", &["*"], &["ENOSPC", "short"]),
    ("fsync", &["1", "2"], &["EIO", "ENOSPC", "EINVAL", "EINTR"]),
    ("fsync", &["*"], &["EIO", "EINVAL"]),
    (
        "rename",
        &["1", "2"],
        &["EACCES", "EPERM", "EIO", "EXDEV", "ENOSPC", "EBUSY", "EINVAL", "ENOSYS", "EEXIST"],
    ),
    ("rename", &["*"], &["EACCES", "EINVAL"]),
    ("link", &["1", "*"], &["EPERM", "EMLINK", "EIO"]),
    ("unlink", &["1", "2"], &["EIO", "EACCES"]),
    ("chmod", &["1", "2", "*"], &["EPERM", "EIO"]),
    ("chown", &["1", "2", "*"], &["EPERM", "EIO"]),
    ("xattr", &["1", "*"], &["ENOTSUP", "EPERM", "ENOSPC"]),
    ("truncate", &["1", "2"], &["EIO", "ENOSPC"]),
    ("allocate", &["1"], &["ENOSPC", "ENOTSUP"]),
    ("close", &["1", "2", "3"], &["EIO"]),
    ("flock", &["1"], &["ENOLCK", "EINTR"]),
];

/// The kind of file that is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Existing,
    /// A file of another owner with an attribute; a new file has neither by default.
    Owned,
    New,
    /// A link to a file in another folder.
    Link,
    /// A file with a second name.
    TwoNames,
}

const KINDS: [Kind; 5] = [Kind::Existing, Kind::Owned, Kind::New, Kind::Link, Kind::TwoNames];

/// The default cases: calls that each save makes.
const DAILY: [(&str, Kind); 13] = [
    ("open:*:EACCES", Kind::New),
    ("open:1:EIO", Kind::Link),
    ("open:3:EMFILE", Kind::Existing),
    ("write:1:ENOSPC", Kind::Existing),
    ("write:1:short", Kind::New),
    ("write:1:EIO", Kind::TwoNames),
    ("fsync:1:EIO", Kind::Link),
    ("fsync:2:EIO", Kind::Existing),
    ("rename:1:EACCES", Kind::Existing),
    ("rename:1:EXDEV", Kind::New),
    ("chmod:1:EPERM", Kind::Existing),
    ("chown:1:EPERM", Kind::Owned),
    ("unlink:1:EIO", Kind::Existing),
];

/// The line that is typed before the save.
const LINE: &str = "// new";

fn table() -> Vec<(String, Kind)> {
    let mut cases = Vec::new();
    for (call, whiches, whats) in TABLE {
        for which in *whiches {
            for what in *whats {
                let rule = format!("{call}:{which}:{what}@/work");
                // A file with two names is written in place, where lasting faults leave no way to save.
                let lasting = matches!(*which, "*" | "2+");
                let fits = |kind: &&Kind| **kind != Kind::TwoNames || !lasting;
                cases.extend(KINDS.iter().filter(fits).map(|kind| (rule.clone(), *kind)));
            }
        }
    }
    cases
}

#[test]
fn failed_system_call_loses_no_text() {
    let all = table();
    assert!(all.len() >= 100, "{} cases", all.len());
    let daily = || DAILY.iter().map(|(rule, kind)| (format!("{rule}@/work"), *kind)).collect();
    let cases: Vec<_> = if exhaustive() { all } else { daily() };
    let next = AtomicUsize::new(0);
    let found = side_by_side(cases.len(), |rounds, _| {
        let mut struck = Vec::new();
        let mut failed = Vec::new();
        for _ in 0..rounds {
            let (rule, kind) = &cases[next.fetch_add(1, Ordering::SeqCst)];
            match std::panic::catch_unwind(|| case(rule, *kind)) {
                Ok(true) => struck.push(rule.split(':').next().unwrap_or_default()),
                Ok(false) => {}
                Err(_) => failed.push(format!("{rule} on {kind:?}")),
            }
        }
        (struck, failed)
    });
    let struck: Vec<&str> = found.iter().flat_map(|(struck, _)| struck.iter().copied()).collect();
    let mut failed: Vec<String> = found.iter().flat_map(|(_, failed)| failed.iter().cloned()).collect();
    failed.sort();
    let calls: BTreeSet<&str> = struck.iter().copied().collect();
    let counted = calls.iter().map(|call| format!("{call} {}", struck.iter().filter(|c| c == &call).count()));
    let counted = counted.collect::<Vec<_>>().join(", ");
    println!("{} cases; {} struck and did no harm: {counted}", cases.len(), struck.len());
    assert!(failed.is_empty(), "{} of {} cases fail:\n{}", failed.len(), cases.len(), failed.join("\n"));
    assert!(!struck.is_empty(), "no fault struck: is the library preloaded, does the program call it?");
}

/// Returns the scene of a case, and the file's previous text.
fn scene_of(kind: Kind) -> (Scene, Option<&'static str>) {
    let scene = Scene::new((kind != Kind::New).then_some(PROGRAM));
    match kind {
        Kind::Existing => {}
        Kind::Owned => {
            // If this system supports attributes and allows changing the owner.
            let _ = setxattr(&scene.file, "user.x", b"kept", XattrFlags::empty());
            let _ = chown(&scene.file, Some(1000), Some(1000));
        }
        Kind::New => return (scene, None),
        Kind::Link => {
            let folder = scene.place.path().join("sub");
            std::fs::create_dir(&folder).expect("made");
            std::fs::rename(&scene.file, folder.join("real.myr")).expect("moved");
            symlink("sub/real.myr", &scene.file).expect("linked");
        }
        Kind::TwoNames => std::fs::hard_link(&scene.file, second_name(&scene)).expect("linked"),
    }
    (scene, Some(PROGRAM))
}

fn second_name(scene: &Scene) -> std::path::PathBuf {
    scene.file.with_file_name("second.myr")
}

/// Returns all names in the folder and its subfolder.
fn all_names(scene: &Scene) -> Vec<String> {
    let mut all = scene.place.names();
    all.extend(names(&scene.place.path().join("sub")));
    all
}

/// Returns whether the last save is reported as successful or failed.
fn outcome(screen: &str) -> Option<bool> {
    let said = said(screen);
    let saved = said.contains("✓ saved").then_some(true);
    saved.or(said.contains("not saved").then_some(false))
}

/// Runs one save with one fault; returns whether the fault occurred.
fn case(rule: &str, kind: Kind) -> bool {
    let (scene, old) = scene_of(kind);
    let before = all_names(&scene);
    let new = format!("{LINE}\n{}", old.unwrap_or_default());
    let faults = Faults::new(&scene, rule);
    let mut session = scene.open(&faults.environment());
    session.send(&format!("{LINE}\r"));
    session.wait_for(LINE);
    faults.arm();
    session.send(SAVE);
    let told = session.shows_within(Duration::from_secs(10), |screen| outcome(screen).is_some());
    let screen = session.screen();
    faults.disarm();
    let here = format!("{rule} on {kind:?}, struck {:?}", faults.struck());
    let require = |holds: bool, session: &Session, why: &str| {
        scene.require(holds, Some(session), || format!("{here}: {why}"));
    };
    require(told, &session, "nothing is said of the save");
    let text = scene.text();
    require(text.as_deref() == old || text.as_deref() == Some(&new), &session, "the file is torn");
    let named = [".myriad-", ".tmp"].iter().any(|part| said(&screen).replace(' ', "").contains(part));
    require(!named, &session, "the message is about a file that nobody knows");
    if outcome(&screen) == Some(true) {
        require(text.as_deref() == Some(&new), &session, "said to be saved, and is not");
    } else {
        require(text.as_deref() == old, &session, "said not to be saved, and is");
        let kept = within(promised(SECOND + SECOND / 2), || scene.keeps(&new));
        require(kept, &session, "not saved, and not kept as unsaved");
        session.send(SAVE);
        let saved = session.shows_within(PATIENCE, |screen| screen.contains("✓ saved"));
        require(saved, &session, "the next save does not succeed");
        require(scene.text().as_deref() == Some(&new), &session, "the next save does not save");
    }
    match kind {
        Kind::Link => {
            let link = std::fs::symlink_metadata(&scene.file).is_ok_and(|meta| meta.is_symlink());
            require(link, &session, "the link is one no more");
        }
        Kind::TwoNames => {
            let second = std::fs::read_to_string(second_name(&scene)).unwrap_or_default();
            require(second == new, &session, "the other name has another text");
        }
        Kind::Existing | Kind::Owned | Kind::New => {}
    }
    session.send(QUIT);
    let code = session.wait_for_end().exit_code();
    require(code == 0, &session, "it does not quit in peace");
    require(scene.place.journal().is_empty(), &session, "saved text is kept as unsaved");
    if rule.starts_with("unlink") && all_names(&scene).iter().any(|name| is_temporary(name)) {
        // Files that could not be removed are removed at the next start.
        let session = scene.open(&[]);
        within(promised(2 * SECOND), || !all_names(&scene).iter().any(|name| is_temporary(name)));
        scene.quit(session);
    }
    let mut expected = before;
    if kind == Kind::New {
        expected.push("text.myr".to_string());
    }
    let after = all_names(&scene);
    require(after == expected, &session, &format!("left behind: {after:?}"));
    !faults.struck().is_empty()
}

#[test]
fn save_calls_go_through_the_fault_library() {
    let scene = Scene::new(Some(PROGRAM));
    let calls =
        ["open", "write", "fsync", "rename", "link", "unlink", "chmod", "chown", "xattr", "truncate", "flock"];
    let rules: Vec<String> = calls.iter().map(|call| format!("{call}:*:note@/work")).collect();
    let faults = Faults::new(&scene, &rules.join(";"));
    let mut session = scene.open(&faults.environment());
    session.send(&format!("{LINE}\r"));
    session.wait_for(LINE);
    faults.arm();
    session.send(SAVE);
    session.wait_for("✓ saved");
    faults.disarm();
    scene.quit(session);
    let seen = faults.struck();
    println!("{}", seen.join("\n"));
    for call in ["open", "write", "fsync", "rename", "chmod"] {
        let begin = format!("{call}:*:note@/work ");
        assert!(seen.iter().any(|line| line.starts_with(&begin)), "no {call} among {seen:#?}");
    }
}

/// The user can work even if unsaved text cannot be kept.
#[test]
fn save_succeeds_while_the_journal_fails() {
    for rule in
        ["open:*:EACCES@unsaved", "write:*:ENOSPC@unsaved", "mkdir:*:EROFS@state", "fsync:*:EIO@unsaved"]
    {
        let scene = Scene::new(Some(PROGRAM));
        let faults = Faults::new(&scene, rule);
        faults.arm();
        let mut session = scene.open(&faults.environment());
        session.send(&format!("{LINE}\r"));
        session.wait_for(LINE);
        session.shows_within(promised(SECOND), |_| !faults.struck().is_empty());
        session.send("// more\r");
        session.wait_for("// more");
        session.send(SAVE);
        session.wait_for("✓ saved");
        let text = format!("{LINE}\n// more\n{PROGRAM}");
        scene.require(scene.text() == Some(text), Some(&session), || format!("{rule}: it is not saved"));
        scene.quit(session);
    }
}
