//! A save keeps the owner of a file, and succeeds where files have no modes. What else it keeps is tested at `workbench/edge/save`.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

use super::scene::{PROGRAM, SAVE, Scene, mode, said};
use super::shim::Faults;
use crate::extent::skip;

/// The id of another user.
const OTHER: u32 = 1000;

/// The expected text of the file after [`save`].
fn new_text() -> String {
    format!("// new\n{PROGRAM}")
}

/// Types, saves and quits, with faults from the start of the save on.
fn save(scene: &Scene, rules: &str) {
    let faults = Faults::new(scene, rules);
    let mut session = scene.open(&faults.environment());
    session.send("// new\r");
    session.wait_for("// new");
    faults.arm();
    session.send(SAVE);
    let saved = session.shows_within(crate::terminal::PATIENCE, |screen| {
        said(screen).contains("✓ saved") || said(screen).contains("not saved")
    });
    let saved = saved && said(&session.screen()).contains("✓ saved");
    scene.require(saved, Some(&session), || format!("{rules:?}, struck {:?}: not saved", faults.struck()));
    scene.require(scene.text() == Some(new_text()), Some(&session), || "another text is saved".to_string());
    faults.disarm();
    let struck = rules.is_empty() || !faults.struck().is_empty();
    scene.require(struck, Some(&session), || format!("{rules:?} does not strike"));
    scene.quit(session);
    let left = scene.place.temporary();
    scene.require(left.is_empty(), None, || format!("{rules:?}: left behind: {left:?}"));
}

/// Returns whether a test must be skipped because it needs root.
fn needs_root(what: &str) -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        skip(&format!("{what} needs root"));
    }
    !root
}

#[test]
fn save_keeps_owner_and_group() {
    if needs_root("a file of somebody else") {
        return;
    }
    let scene = Scene::new(Some(PROGRAM));
    chown(&scene.file, Some(OTHER), Some(OTHER)).expect("given away");
    fs::set_permissions(&scene.file, fs::Permissions::from_mode(0o640)).expect("mode set");
    save(&scene, "");
    let meta = fs::metadata(&scene.file).expect("there");
    let found = (meta.uid(), meta.gid(), mode(&scene.file));
    scene.require(found == (OTHER, OTHER, 0o640), None, || format!("owner, group, mode: {found:?}"));
}

/// A setuid program must not become setuid for another owner by a save.
#[test]
fn setuid_is_not_carried_to_another_owner() {
    if needs_root("a file of somebody else") {
        return;
    }
    for rules in ["", "chown:*:EPERM@/work"] {
        let scene = Scene::new(Some(PROGRAM));
        chown(&scene.file, Some(OTHER), Some(OTHER)).expect("given away");
        fs::set_permissions(&scene.file, fs::Permissions::from_mode(0o6755)).expect("mode set");
        save(&scene, rules);
        let meta = fs::metadata(&scene.file).expect("there");
        let mode = mode(&scene.file);
        let as_owner = mode & 0o4000 != 0 && meta.uid() != OTHER;
        let as_group = mode & 0o2000 != 0 && meta.gid() != OTHER;
        scene.require(!as_owner && !as_group, None, || {
            format!("{rules:?}: {mode:o}, owner {}, group {}", meta.uid(), meta.gid())
        });
        scene.require(mode & 0o777 == 0o755, None, || format!("{rules:?}: the mode became {mode:o}"));
    }
}

#[test]
fn save_succeeds_without_a_temporary_file() {
    save(&Scene::new(Some(PROGRAM)), "open:*:EACCES@.tmp");
}

#[test]
fn save_succeeds_on_a_file_system_without_modes() {
    save(&Scene::new(Some(PROGRAM)), "chmod:*:EPERM@/work");
}
