//! Tests of saves: the files that they change, and those that they leave alone.

use std::fs;

use super::*;

struct Desk {
    folder: tempfile::TempDir,
    journal: Arc<Journal>,
    path: PathBuf,
}

fn desk() -> Desk {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = Journal::start(vec![folder.path().join("state/unsaved")], |_| {}).expect("started");
    fs::create_dir(folder.path().join("work")).expect("made");
    let path = folder.path().join("work/a.myr");
    Desk { folder, journal, path }
}

impl Desk {
    fn save_over(&self, text: &str, expect: Option<&str>, overwrite: bool, ours: &[Arc<str>]) -> Saved {
        let (path, expect) = (self.path.clone(), expect.map(Arc::from));
        let job = SaveJob { path, text: Arc::from(text), bom: false, expect, overwrite };
        save(&job, ours, &self.journal)
    }
    fn save(&self, text: &str, expect: Option<&str>) -> Event {
        self.save_over(text, expect, false, &[]).event
    }
    fn now(&self) -> String {
        fs::read_to_string(&self.path).expect("read")
    }
    fn names(&self) -> Vec<String> {
        let listed = fs::read_dir(self.path.parent().expect("a folder")).expect("listed");
        let mut names: Vec<String> =
            listed.map(|file| file.expect("there").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
    fn kept(&self) -> usize {
        let place = self.folder.path().join("state/unsaved");
        crate::workbench::edge::journal::folder::find(&[place], None).held.len()
    }
}

#[test]
fn external_change_is_not_overwritten_without_confirmation() {
    let desk = desk();
    assert!(matches!(desk.save("one", None), Event::Saved { note: None, .. }));
    fs::write(&desk.path, "theirs").expect("written");
    assert!(matches!(desk.save("two", Some("one")), Event::SaveConflict { .. }));
    assert!(matches!(desk.save("two", None), Event::SaveExists(_)));
    assert_eq!(desk.now(), "theirs");
    assert!(matches!(desk.save_over("two", None, true, &[]).event, Event::Saved { .. }));
    assert_eq!(desk.now(), "two");
    assert_eq!(desk.names(), ["a.myr"], "no temporary file is left");
}

#[test]
fn last_write_of_this_run_is_not_a_conflict() {
    let desk = desk();
    let ours: Vec<Arc<str>> = ["one", "two"].map(Arc::from).into();
    fs::write(&desk.path, "two").expect("written");
    // The save was requested before the previous one was done.
    assert!(matches!(desk.save_over("three", Some("one"), false, &ours).event, Event::Saved { .. }));
    fs::write(&desk.path, "two").expect("written");
    let strange = desk.save_over("three", Some("another"), false, &ours).event;
    assert!(matches!(strange, Event::SaveConflict { .. }), "{strange:?}");
}

#[test]
fn late_write_to_the_replaced_file_is_kept_as_a_copy() {
    use std::io::{Seek, SeekFrom};
    let desk = desk();
    fs::write(&desk.path, "one").expect("written");
    let mut open = fs::OpenOptions::new().write(true).open(&desk.path).expect("opened");
    let saved = desk.save_over("two", Some("one"), false, &[]);
    assert!(matches!(saved.event, Event::Saved { note: None, .. }), "{:?}", saved.event);
    open.seek(SeekFrom::Start(0)).expect("at the start");
    open.write_all(b"theirs").expect("written");
    let kept = saved.old.expect("replaced").look_again(&desk.journal).expect("looked").expect("changed");
    assert_eq!(kept.file_name().expect("a name"), "a.theirs.myr");
    assert_eq!(
        (fs::read_to_string(kept).expect("read"), desk.now()),
        ("theirs".to_string(), "two".to_string())
    );
    let muted_stderr = desk.save_over("three", Some("two"), false, &[]);
    assert_eq!(muted_stderr.old.expect("replaced").look_again(&desk.journal).expect("looked"), None);
}

#[test]
fn new_file_requires_a_writable_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(check_writable(&folder.path().join("new.myr")).is_ok());
    assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 0, "nothing is left there");
    let nowhere = check_writable(&folder.path().join("none/new.myr")).expect_err("no folder");
    assert_eq!(describe_error(&nowhere), "its folder does not exist");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("written");
    let within = check_writable(&file.join("new.myr")).expect_err("a file is not a folder");
    assert_eq!(describe_error(&within), "its parent is not a folder");
    assert!(check_writable(Path::new("new.myr/")).is_err() && check_writable(Path::new("..")).is_err());
}

#[test]
fn messages_name_no_temporary_file() {
    let mut desk = desk();
    desk.path = desk.folder.path().join("none/a.myr");
    let Event::SaveFailed(why) = desk.save("one", None) else { panic!("saved") };
    assert!(why.ends_with("not saved: its folder does not exist"), "{why}");
}

#[test]
fn leftover_temporary_files_are_removed_and_unique_text_kept() {
    let desk = desk();
    fs::write(&desk.path, "saved").expect("written");
    let leave = |run: &str, replaces: &[u8], bytes: &[u8]| {
        let (file, old) = (name::name_hash(&desk.path), name::content_hash(replaces));
        let name = format!(".myriad-{run}-{file:016x}-{old:016x}-abc{}.tmp", bytes.len());
        fs::write(desk.path.with_file_name(name), bytes).expect("written");
    };
    leave("1-1", b"old text", b"old text");
    leave("1-2", b"", b"sav");
    let own = desk.journal.name().expect("a name");
    write_of_this_run(&desk, &own);
    leftovers::clear_with(&desk.path, std::slice::from_ref(&desk.folder.path().join("state/unsaved")));
    assert_eq!(desk.names().len(), 2, "{:?}", desk.names());
    leave("1-3", b"x", b"nowhere else");
    leftovers::clear_with(&desk.path, std::slice::from_ref(&desk.folder.path().join("state/unsaved")));
    assert_eq!(desk.names().len(), 2, "{:?}", desk.names());
    let left =
        crate::workbench::edge::journal::folder::find(&[desk.folder.path().join("state/unsaved")], None).left;
    assert_eq!(left.iter().map(|(_, entry)| entry.text.as_str()).collect::<Vec<_>>(), ["nowhere else"]);
}

/// Writes the temporary file of a save in progress.
fn write_of_this_run(desk: &Desk, run: &str) {
    let name =
        format!(".myriad-{run}-{:016x}-{:016x}-xyz.tmp", name::name_hash(&desk.path), name::content_hash(b""));
    fs::write(desk.path.with_file_name(name), "being written").expect("written");
}

#[cfg(unix)]
mod unix {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    #[test]
    fn save_keeps_mode_and_symbolic_link() {
        let mut desk = desk();
        let link = desk.path.with_file_name("link.myr");
        fs::write(&desk.path, "one").expect("written");
        fs::set_permissions(&desk.path, Permissions::from_mode(0o640)).expect("mode set");
        symlink("a.myr", &link).expect("linked");
        let real = std::mem::replace(&mut desk.path, link);
        assert!(matches!(desk.save("two", Some("one")), Event::Saved { .. }));
        assert!(fs::symlink_metadata(&desk.path).expect("there").file_type().is_symlink());
        assert_eq!(fs::read(&real).expect("read"), b"two");
        assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn save_keeps_hard_links() {
        let desk = desk();
        fs::write(&desk.path, "one, and more").expect("written");
        let other = desk.path.with_file_name("other.myr");
        fs::hard_link(&desk.path, &other).expect("linked");
        assert!(matches!(desk.save("two", Some("one, and more")), Event::Saved { .. }));
        assert_eq!(fs::read_to_string(&other).expect("read"), "two");
        assert_eq!(fs::metadata(&other).expect("there").nlink(), 2);
        assert_eq!(desk.kept(), 0, "the net is gone");
    }

    #[test]
    fn save_keeps_extended_attributes() {
        let desk = desk();
        fs::write(&desk.path, "one").expect("written");
        let set = rustix::fs::setxattr(&desk.path, "user.note", b"mine", rustix::fs::XattrFlags::empty());
        if let Err(error) = set {
            return println!("no extended attributes here: {error}");
        }
        assert!(matches!(desk.save("two", Some("one")), Event::Saved { .. }));
        let mut value = [0; 8];
        let length = rustix::fs::getxattr(&desk.path, "user.note", &mut value[..]).expect("kept");
        assert_eq!(&value[..length], b"mine");
    }

    #[test]
    fn save_to_a_pipe_fails_without_blocking() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let desk = desk();
        mknodat(CWD, &desk.path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).expect("a FIFO");
        let Event::SaveFailed(why) = desk.save("one", None) else { panic!("saved") };
        assert!(why.contains("it is a pipe"), "{why}");
    }
}
