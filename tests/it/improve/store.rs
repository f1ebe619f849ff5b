//! The store under kills, damage and several processes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::compile::compile_at;
use crate::common::extent::scaled;
use crate::common::rng::Rng;
use myriad::compiler::stage::optimize::learned::key::LearnedKey;
use myriad::compiler::stage::optimize::learned::rule::Rule;
use myriad::lang::index::{Index, RoutineId};
use myriad::lang::level::OptLevel;
use myriad::learned::improve::store::{Entry, MOST, Store};
use myriad::learned::improve::{LearnOutcome, learn};

/// The environment variable with the folder of a child that writes until it is killed.
const WRITER: &str = "MYRIAD_TEST_STORE";
const TEXT: &str = "fn f(a: int, b: int) -> int { let d = a - b; let s = a + b; return d * s; }
    prop a in 0..9, b in 0..9 => f(a, b) == a * a - b * b;";
/// The property, which level 2 puts the function into.
fn property() -> RoutineId {
    RoutineId::new(1)
}

/// Proved code of the property.
fn entry() -> Entry {
    let program = compile_at(OptLevel::Whole, TEXT);
    match learn(&program, property(), &Default::default(), None, &|| false) {
        Some(LearnOutcome::Better(entry, _)) => entry,
        other => panic!("{other:?}"),
    }
}

/// The entry of one of several functions that a child writes.
fn nth(entry: &Entry, number: u64) -> Entry {
    let mut own = entry.clone();
    own.key = LearnedKey(entry.key.0 ^ u128::from(number % 8));
    own.moves = vec!["carry".into(); 1 + number as usize % 40];
    own
}

/// Not a test of its own: the child of the tests below, which writes until it is killed.
#[test]
fn child_that_writes_until_it_is_killed() {
    let Some(folder) = std::env::var_os(WRITER) else { return };
    let store = Store::new(folder.into());
    // The parent has written it, as a search would take most of the child's life.
    let text = fs::read_to_string(store.folder().with_extension("txt")).expect("an entry");
    let entry = Entry::read(&text).expect("an entry");
    let rule = Rule::read("own: UNARY_NOT; UNARY_NOT; UNARY_NOT => UNARY_NOT").expect("a rule");
    for number in 0.. {
        store.keep(&nth(&entry, number)).expect("kept");
        store.keep_rules(std::slice::from_ref(&rule)).expect("kept");
    }
}

fn child(folder: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().expect("the test binary"))
        .args(["improve::store::child_that_writes_until_it_is_killed", "--exact"])
        .env(WRITER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a child")
}

/// Checks that the store has only whole entries that were written.
fn check(store: &Store, entry: &Entry) -> usize {
    let loaded = store.load(&|| false);
    assert_eq!(loaded.ignored, [""; 0]);
    for kept in &loaded.entries {
        assert!((0..40).any(|number| nth(entry, number) == *kept), "{kept:?}");
    }
    assert!(loaded.own_rules <= 1);
    loaded.entries.len()
}

/// Two processes write at once, and each is killed again and again.
#[test]
fn killed_writers_leave_whole_entries() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, entry) = (Store::new(folder.path().join("learned")), entry());
    fs::write(store.folder().with_extension("txt"), entry.text()).expect("written");
    let (mut rng, mut most) = (Rng::new(38), 0);
    let mut other = child(store.folder());
    for _ in 0..scaled(100) {
        let mut own = child(store.folder());
        std::thread::sleep(Duration::from_millis(rng.below(200) as u64));
        own.kill().expect("killed");
        own.wait().expect("ended");
        if rng.below(4) == 0 {
            other.kill().expect("killed");
            other.wait().expect("ended");
            other = child(store.folder());
        }
        most = most.max(check(&store, &entry));
    }
    other.kill().expect("killed");
    other.wait().expect("ended");
    assert!(most > 1, "nothing was written");
}

fn only_file(store: &Store) -> PathBuf {
    let files = fs::read_dir(store.folder()).expect("a folder").map(|file| file.expect("a file").path());
    { files }.find(|path| path.extension().is_some_and(|ending| ending == "code")).expect("an entry")
}

#[test]
fn damaged_foreign_and_other_versions_are_ignored_with_a_word() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, entry) = (Store::new(folder.path().join("a")), entry());
    store.keep(&entry).expect("kept");
    let path = only_file(&store);
    let good = fs::read(&path).expect("an entry");
    assert_eq!(store.load(&|| false).entries, std::slice::from_ref(&entry));
    let ignored = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("written");
        let loaded = store.load(&|| false);
        assert!(loaded.entries.is_empty() && loaded.learned.functions.is_empty());
        assert_eq!(loaded.ignored.len(), 1, "{:?}", loaded.ignored);
        loaded.ignored[0].clone()
    };
    let mut rng = Rng::new(7);
    for _ in 0..scaled(200) {
        let mut bytes = good.clone();
        match rng.below(3) {
            0 => bytes.truncate(rng.below(good.len())),
            1 => bytes[rng.below(good.len() - 1)] ^= 1 << rng.below(7),
            _ => bytes.extend_from_slice(&good),
        }
        if bytes != good {
            assert!(ignored(&bytes).contains("ignored"), "{bytes:?}");
        }
    }
    // Of another store: it is proved again before it is used.
    let other = Store::new(folder.path().join("b"));
    other.keep(&nth(&entry, 1)).expect("kept");
    fs::copy(&path, other.folder().join(path.file_name().expect("a name"))).expect("copied");
    fs::write(&path, &good).expect("written");
    fs::copy(&path, other.folder().join(path.file_name().expect("a name"))).expect("copied");
    assert_eq!(other.load(&|| false).ignored.len(), 1);
    let program = compile_at(OptLevel::Whole, TEXT);
    let outcome = learn(&program, property(), &Default::default(), Some(&other), &|| false);
    let Some(LearnOutcome::ProvedAgain(again)) = outcome else { panic!("{outcome:?}") };
    other.keep(&again).expect("kept");
    assert_eq!(other.load(&|| false).ignored, [""; 0]);
    // Wrong code of another store is not used.
    let mut wrong = entry.clone();
    wrong.code.code.iter_mut().for_each(|own| {
        if own.op == myriad::lang::opcode::Op::Mul {
            own.op = myriad::lang::opcode::Op::Add;
        }
    });
    fs::write(other.folder().join(path.file_name().expect("a name")), wrong.text()).expect("written");
    assert!(other.load(&|| false).learned.functions.values().all(|code| **code != wrong.code));
    let outcome = learn(&program, property(), &Default::default(), Some(&other), &|| false);
    assert!(
        matches!(&outcome, Some(LearnOutcome::Better(better, _)) if better.code == entry.code),
        "{outcome:?}"
    );
}

#[test]
fn rules_of_a_foreign_store_are_proved_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::new(folder.path().to_path_buf());
    store.keep_rules(&[]).expect("kept");
    let rules = "good: UNARY_INVERT; UNARY_INVERT => nothing\nbad: UNARY_NOT; UNARY_NOT => nothing\nnonsense\n";
    fs::write(folder.path().join("rules.txt"), rules).expect("written");
    let loaded = store.load(&|| false);
    assert_eq!(loaded.own_rules, 1);
    assert_eq!(loaded.learned.rules.last().map(|rule| rule.name.as_str()), Some("good"));
    assert_eq!(loaded.ignored.len(), 2, "{:?}", loaded.ignored);
}

#[test]
fn store_is_bounded() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, entry) = (Store::new(folder.path().to_path_buf()), entry());
    store.keep(&entry).expect("kept");
    let path = only_file(&store);
    for number in 0..MOST + 20 {
        fs::copy(&path, folder.path().join(format!("{number:032x}.code"))).expect("copied");
    }
    store.keep(&nth(&entry, 3)).expect("kept");
    let files = fs::read_dir(folder.path()).expect("a folder").count();
    assert!(files <= MOST + 3, "{files} files");
}
