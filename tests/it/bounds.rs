//! Reads are bounded, whatever a name leads to. Writes never overwrite a program and never go to a device.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Instant;

use crate::common::extent::HANG;
use crate::hostile::calls::{Call, Left};
use crate::hostile::scan;
use rustix::fs::{CWD, Mode, mkfifoat};

const PROGRAM: &str = "fn f(a: int) -> int { return a + 1; }\ntest f(1) == 2;\n";

/// A folder with a program and several non-files: a pipe, a socket, links to devices and a circular link.
fn place() -> (tempfile::TempDir, UnixListener) {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.myr"), PROGRAM).expect("written");
    mkfifoat(CWD, at("pipe"), Mode::RWXU).expect("made");
    symlink("/dev/zero", at("zero")).expect("linked");
    symlink("pipe", at("to-pipe")).expect("linked");
    symlink("round", at("round")).expect("linked");
    fs::create_dir(at("folder")).expect("made");
    let socket = UnixListener::bind(at("socket")).expect("bound");
    (folder, socket)
}

/// Names that are not regular files, with the expected messages.
const OTHERS: [(&str, &str); 7] = [
    ("pipe", "it is a pipe"),
    ("to-pipe", "it is a pipe"),
    ("zero", "it is a device"),
    ("/dev/zero", "it is a device"),
    ("socket", "it is a socket"),
    ("folder", "it is a directory"),
    ("round", "symbolic links"),
];

/// Creates a sparse file of this many bytes.
fn long(path: &Path, bytes: u64) {
    File::create(path).and_then(|file| file.set_len(bytes)).expect("made");
}

/// Runs a call, given as words separated by blanks, which must end soon.
#[track_caller]
fn quick(words: &str, folder: &Path, environment: &[(&'static str, &str)]) -> Left {
    let mut call = Call::new(&words.split(' ').collect::<Vec<_>>(), folder);
    for (name, value) in environment {
        call = call.with(name, OsStr::new(value));
    }
    let started = Instant::now();
    let left = call.run();
    assert!(left.in_time && started.elapsed() < HANG, "{words}: {:?}", started.elapsed());
    assert!(!left.text().contains("panicked"), "{words}: {}", left.text());
    left
}

/// Runs a call that must end with a code and print a message.
#[track_caller]
fn refused(words: &str, folder: &Path, environment: &[(&'static str, &str)], code: i32, said: &[&str]) {
    let left = quick(words, folder, environment);
    let text = left.text();
    assert_eq!(left.code, Some(code), "{words} {environment:?}: {text}");
    for said in said {
        assert!(text.contains(said), "{words} {environment:?}: `{said}` is not said: {text}");
    }
}

#[test]
fn special_files_and_overlong_programs_are_refused() {
    let (folder, _socket) = place();
    let folder = folder.path();
    for (name, said) in OTHERS {
        for command in ["check", "test", "stages", "mutate", "noise", "bench keystrokes", "neural"] {
            refused(&format!("{command} {name} --engine cpu"), folder, &[], 2, &[name, said]);
        }
        refused(&format!("export {name} --to c"), folder, &[], 2, &[name, said]);
        refused(&format!("run {name} f 1 --engine cpu"), folder, &[], 2, &[name, said]);
        refused(&format!("race {name}"), folder, &[], 2, &[name, said]);
        refused(&format!("model {name} --engine cpu"), folder, &[], 2, &[name, said]);
    }
    long(&folder.join("long.myr"), (64 << 20) + 1);
    refused("check long.myr", folder, &[], 2, &["long.myr is longer than 64 MiB"]);
    // The longest file that is read is not a program, and is refused quickly.
    fs::write(folder.join("line.myr"), vec![b'a'; 64 << 20]).expect("written");
    refused("check line.myr --engine cpu", folder, &[], 1, &["the limit is 65536", "line.myr:1:1"]);
    // A link to a program is accepted.
    symlink("a.myr", folder.join("link.myr")).expect("linked");
    assert_eq!(quick("check link.myr --engine cpu", folder, &[]).code, Some(0));
    // The workbench has the same bounds; the missing terminal is reported only for files that could be opened.
    for (name, _) in OTHERS {
        assert_eq!(quick(name, folder, &[]).code, Some(2));
    }
}

#[test]
fn pipes_opened_by_the_shell_are_read_up_to_the_limit() {
    let (folder, _socket) = place();
    let said = |script: String| {
        let mut command = std::process::Command::new("bash");
        command
            .arg("-c")
            .arg(script)
            .current_dir(folder.path())
            .env("MYRIAD_CONFIG", "")
            .env("MYRIAD_HISTORY", "");
        command.env("HOME", folder.path());
        let output = command.output().expect("a shell");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let myriad = env!("CARGO_BIN_EXE_myriad");
    let (code, text) = said(format!("'{myriad}' test <(cat a.myr) --engine cpu"));
    assert!(code == Some(0) && text.contains("1 of 1 pass"), "{text}");
    let (code, text) = said(format!("'{myriad}' test /dev/stdin --engine cpu < a.myr"));
    assert!(code == Some(0) && text.contains("1 of 1 pass"), "{text}");
    for script in ["check - < /dev/zero", "check /dev/stdin < /dev/zero", "check <(cat /dev/zero)"] {
        let (code, text) = said(format!("'{myriad}' {script}"));
        assert!(code == Some(2) && text.contains("is longer than 64 MiB"), "{script}: {text}");
    }
}

#[test]
fn special_and_overlong_configurations_are_refused() {
    let (folder, _socket) = place();
    let folder = folder.path();
    long(&folder.join("long"), (1 << 20) + 1);
    fs::write(folder.join("bytes"), [0xff, 0xfe]).expect("written");
    let others = OTHERS.into_iter().chain([("long", "it is longer than 1 MiB"), ("bytes", "it is not UTF-8")]);
    for (name, said) in others {
        for words in ["check a.myr --engine cpu", "config"] {
            refused(words, folder, &[("MYRIAD_CONFIG", name)], 2, &[name, said]);
        }
    }
}

#[test]
fn special_and_corrupt_weight_files_are_refused() {
    let (folder, _socket) = place();
    let folder = folder.path();
    long(&folder.join("long"), (1 << 30) + 1);
    long(&folder.join("empty"), 0);
    // A header that states a length greater than the file's.
    fs::write(folder.join("header"), [u64::MAX.to_le_bytes().as_slice(), b"{}"].concat()).expect("written");
    let others = OTHERS.into_iter().chain([
        ("long", "it is longer than 1 GiB"),
        ("empty", "corrupt"),
        ("header", "corrupt"),
    ]);
    for (name, said) in others {
        let missing = if said == "corrupt" { "" } else { name };
        refused(&format!("neural a.myr --engine cpu --weights {name}"), folder, &[], 2, &[missing, said]);
        refused("neural a.myr --engine cpu", folder, &[("MYRIAD_WEIGHTS", name)], 3, &[missing, said]);
    }
}

#[test]
fn history_stays_bounded_and_overwrites_no_other_file() {
    let (folder, _socket) = place();
    let folder = folder.path();
    let learn = "run a.myr f 1 --engine cpu --compiler hybrid -k 2 --theta inf";
    let theirs = "not a row\n".repeat(2_000);
    fs::write(folder.join("theirs"), &theirs).expect("written");
    symlink("theirs", folder.join("link")).expect("linked");
    let others = OTHERS.into_iter().filter(|(name, _)| !["zero", "to-pipe", "round"].contains(name));
    let links = ["zero", "to-pipe", "round", "link"].map(|name| (name, "it is a link"));
    for (name, said) in others
        .chain(links)
        .chain([("theirs", "it is not a history file"), ("a.myr", "it is not a history file")])
    {
        // A history that cannot be written does not fail the command.
        let left = quick(learn, folder, &[("MYRIAD_HISTORY", name)]);
        let text = left.text();
        assert!(left.code == Some(0) && text.starts_with("2\n"), "{name}: {text}");
        assert!(text.contains("not kept") && text.contains(name) && text.contains(said), "{name}: {text}");
        refused("router --reset", folder, &[("MYRIAD_HISTORY", name)], 2, &[name, said]);
    }
    assert_eq!(fs::read_to_string(folder.join("theirs")).expect("there"), theirs);
    assert_eq!(fs::read_to_string(folder.join("a.myr")).expect("there"), PROGRAM);
    assert!(fs::symlink_metadata(folder.join("pipe")).expect("there").file_type().is_fifo());
    // The user's own history grows, is cut, and is deleted.
    let own = folder.join("own");
    let environment = [("MYRIAD_HISTORY", "own")];
    assert_eq!(quick(learn, folder, &environment).code, Some(0));
    let row = fs::read_to_string(&own).expect("made");
    assert!(row.starts_with("2 ") && row.ends_with('\n'), "{row}");
    fs::write(&own, row.repeat(5_000)).expect("written");
    assert_eq!(quick(learn, folder, &environment).code, Some(0));
    assert!(fs::read_to_string(&own).expect("there").lines().count() < 4_097);
    refused("router --reset", folder, &environment, 0, &["deleted"]);
    assert!(!own.exists());
}

#[test]
fn race_output_never_overwrites_programs_or_devices() {
    let (folder, _socket) = place();
    let folder = folder.path();
    let at = |name: &str| folder.join(name);
    let race = "race a.myr -k 2 --contestants cpu --repetitions 1 --engine cpu";
    fs::write(at("other.myr"), "// mine\n").expect("written");
    fs::hard_link(at("a.myr"), at("hard.csv")).expect("linked");
    symlink("a.myr", at("link.csv")).expect("linked");
    symlink("other.myr", at("other.csv")).expect("linked");
    symlink("new.myr", at("ahead.csv")).expect("linked");
    for option in ["--csv", "--svg"] {
        for (name, said) in [
            ("a.myr", "it is the program that races"),
            ("./folder/../a.myr", "it is the program that races"),
            ("hard.csv", "it is the program that races"),
            ("link.csv", "it is the program that races"),
            ("other.myr", "its name is that of a program"),
            ("other.csv", "its name is that of a program"),
            ("new.myr", "its name is that of a program"),
            ("ahead.csv", "its name is that of a program"),
            ("NEW.MYR", "its name is that of a program"),
            ("pipe", "it is a pipe"),
            ("to-pipe", "it is a pipe"),
            ("zero", "it is a device"),
            ("/dev/full", "it is a device"),
            ("socket", "it is a socket"),
            ("folder", "it is a directory"),
            ("round", "too many links"),
            ("none/there.csv", "cannot write none/there.csv"),
        ] {
            refused(&format!("{race} {option} {name}"), folder, &[], 2, &[name, said]);
        }
    }
    // The program is also spared under another name.
    refused(
        "race hard.csv -k 2 --contestants cpu --csv a.myr",
        folder,
        &[],
        2,
        &["it is the program that races"],
    );
    let stdin = Call::new(&["race", "-", "-k", "2", "--csv", "plain"], folder);
    fs::write(at("plain"), PROGRAM).expect("written");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_myriad"));
    command
        .args(&stdin.arguments)
        .current_dir(folder)
        .env("MYRIAD_CONFIG", "")
        .stdin(File::open(at("plain")).expect("there"));
    let output = command.output().expect("it runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("it is the program that races"), "{output:?}");
    refused(&format!("{race} --csv one --svg ./one"), folder, &[], 2, &["name the same file"]);
    assert_eq!(fs::read_to_string(at("a.myr")).expect("there"), PROGRAM);
    assert_eq!(fs::read_to_string(at("other.myr")).expect("there"), "// mine\n");
    assert_eq!(fs::read_to_string(at("plain")).expect("there"), PROGRAM);
    assert!(!at("new.myr").exists() && !at("NEW.MYR").exists() && !at("one").exists());

    // Permitted files are written whole, through a link, and keep their mode.
    fs::write(at("race.csv"), "old\n".repeat(10_000)).expect("written");
    fs::set_permissions(at("race.csv"), fs::Permissions::from_mode(0o640)).expect("set");
    symlink("race.csv", at("to.csv")).expect("linked");
    assert_eq!(quick(&format!("{race} --csv to.csv --svg race.svg"), folder, &[]).code, Some(0));
    let table = fs::read_to_string(at("race.csv")).expect("there");
    assert!(table.starts_with("contestant,") && !table.contains("old"), "{table}");
    assert!(fs::symlink_metadata(at("to.csv")).expect("there").is_symlink());
    assert_eq!(fs::metadata(at("race.csv")).expect("there").permissions().mode() & 0o777, 0o640);
    assert!(fs::read_to_string(at("race.svg")).expect("there").ends_with("</svg>\n"));
    let left: Vec<_> =
        fs::read_dir(folder).expect("listed").map(|entry| entry.expect("an entry").file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("tmp")), "{left:?}");
}

/// Names are escaped in pictures and tables.
#[test]
fn file_names_are_escaped_in_race_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = format!("<script>&\"'\u{9b}2J{}.myr", scan::ALL.replace('/', ""));
    fs::write(folder.path().join(&name), PROGRAM).expect("written");
    let words = [
        "race",
        &name,
        "-k",
        "2",
        "--contestants",
        "cpu",
        "--repetitions",
        "1",
        "--csv",
        "t.csv",
        "--svg",
        "t.svg",
    ];
    assert_eq!(Call::new(&words, folder.path()).judge(), None);
    let picture = fs::read(folder.path().join("t.svg")).expect("written");
    let text = String::from_utf8_lossy(&picture);
    assert!(text.contains("&lt;script&gt;&amp;") && text.contains("‹9b›2J"), "{text}");
    assert_eq!(scan::offence(&picture, false), None);
    assert_eq!(scan::offence(&fs::read(folder.path().join("t.csv")).expect("written"), false), None);
}
