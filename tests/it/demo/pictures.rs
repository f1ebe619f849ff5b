//! The README's pictures match what their tapes draw.

use crate::common::extent::HANG;
use std::path::{Path, PathBuf};

use myriad::workbench::demo::find;
use myriad::workbench::demo::record::record_with;
use myriad::workbench::demo::svg::{film::Film, picture};
use myriad::workbench::tape::Tape;

use super::options;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns all tapes, sorted by name.
fn tapes() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root().join("assets/tapes")).expect("tapes");
    let mut tapes: Vec<PathBuf> = folder.map(|entry| entry.expect("an entry").path()).collect();
    tapes.sort();
    tapes
}

/// Draws a tape, as a film or as its last screen.
fn drawn(name: &str, path: &Path, is_film: bool) -> String {
    let text = std::fs::read_to_string(path).expect("a tape");
    let mut tape = Tape::parse(&text).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
    tape.find(|file| find(file, root())).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
    // A loaded machine may need longer than a tape's own limit; the time in the recording is the tape's.
    tape.settings.wait_limit = HANG;
    let folder = tempfile::tempdir().expect("a folder");
    let mut film = Film::default();
    let recording = record_with(&tape, options(), folder.path(), &mut |at, picture| film.add(at, picture))
        .unwrap_or_else(|stop| panic!("{name}: {stop:?}"));
    let title = tape.settings.title.clone().unwrap_or_else(|| name.to_string());
    if is_film { film.svg(recording.length, &title) } else { picture(&recording.last, &title) }
}

/// The recordings of a film, one of which must be equal: where the machine is busy, a search shows more of its progress.
const RECORDINGS: usize = 4;

#[test]
fn pictures_match_their_tapes() {
    let tapes = tapes();
    assert!(tapes.len() >= 4, "{tapes:?}");
    for path in tapes {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let kept = root().join(format!("assets/pictures/{name}.svg"));
        let kept = std::fs::read_to_string(&kept).expect("a picture");
        let is_film = kept.contains("@keyframes");
        let mut now = drawn(&name, &path, is_film);
        for _ in 1..if is_film { RECORDINGS } else { 1 } {
            if kept != now {
                now = drawn(&name, &path, is_film);
            }
        }
        assert!(!is_film || now.len() < 400_000 && !now.contains("<script"), "{} bytes", now.len());
        let differs = kept.lines().zip(now.lines()).find(|(kept, now)| kept != now);
        assert!(
            kept == now,
            "{name}.svg is older than its tape or the program: call tests/pictures; {differs:?}"
        );
    }
}

/// Each tape has its picture or cast, each of these has its tape, and the README's pictures are among them.
#[test]
fn each_picture_has_a_tape_and_each_tape_a_picture() {
    let names: Vec<String> =
        tapes().iter().map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect();
    let mut made = Vec::new();
    for entry in std::fs::read_dir(root().join("assets/pictures")).expect("pictures") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(names.contains(&name), "{} has no tape", path.display());
        made.push(name);
    }
    assert!(names.iter().all(|name| made.contains(name)), "{names:?} make {made:?}");
    let page = std::fs::read_to_string(root().join("README.md")).expect("the page");
    for (at, _) in page.match_indices("](assets/") {
        let link = page[at + 2..].split([')', '#']).next().unwrap_or_default();
        assert!(root().join(link).exists(), "the README shows {link}, which is not there");
    }
}
