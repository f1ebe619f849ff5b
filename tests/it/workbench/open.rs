//! Opening another file: the prompt, the question about unsaved text, and the state that is kept.

use std::sync::Arc;

use super::engine::{answer, answered};
use super::harness::{marked, picture, picture_at, state, type_keys, words};
use myriad::workbench::event::{Effect, Event, FileContents, Opened};
use myriad::workbench::open::{Choice, OpenEntry, OpenPlace, OpenView, Target};
use myriad::workbench::panels::Panel;
use myriad::workbench::state::{FileInfo, Overlay, State};

const OTHER: &str = "fn other() -> int {\n    return 7;\n}\ntest other() == 7;\n";

fn listed(state: &mut State, folder: &str, names: &[&str]) {
    let entry = |name: &&str| match name.strip_suffix('/') {
        Some(name) => OpenEntry { name: name.to_string(), folder: true },
        None => OpenEntry { name: name.to_string(), folder: false },
    };
    let entries = Ok(names.iter().map(entry).collect());
    state.apply(Event::Listed { folder: folder.to_string(), entries });
}

/// Returns the event for a file that was read, as the answer to the last request.
fn opened(state: &State, name: &str, text: &str) -> Event {
    let text: Arc<str> = Arc::from(text);
    let file = FileInfo { path: Some(name.into()), on_disk: Some(text.clone()), ..FileInfo::default() };
    let number = state.prompts.requests();
    Event::Opened(Box::new(Opened { number, file, text, place: None, note: None }))
}

fn asked(number: u64, path: &str) -> Effect {
    let open = vec![(1, "sample.myr".into())];
    Effect::Open { number, target: Target::Path(path.to_string()), open }
}

#[test]
fn lessons_are_listed_in_order() {
    let numbers = |typed: &str| -> Vec<u32> {
        let choices = OpenView::new(typed).choices();
        let number = |choice: &Choice| match choice {
            Choice::Lesson(lesson) => Some(lesson.number),
            _ => None,
        };
        choices.iter().filter_map(number).collect()
    };
    assert!(numbers("lesson").len() > 10 && numbers("lesson").is_sorted(), "{:?}", numbers("lesson"));
    assert_eq!(numbers("lesson"), numbers(""));
}

#[test]
fn a_path_is_completed_as_it_is_typed() {
    let mut s = state("a‸");
    assert_eq!(type_keys(&mut s, "<ctrl-o>"), [Effect::List(String::new())]);
    assert!(picture(&s).contains("sample gcd.myr"), "{}", picture(&s));
    listed(&mut s, "", &["one.myr", "notes.txt", "samples/"]);
    let screen = picture(&s);
    assert!(screen.contains("▶       one.myr") && screen.contains("samples/"), "{screen}");
    assert!(!screen.contains("notes.txt"), "{screen}");
    // The folder's name is completed, and its contents are requested.
    assert_eq!(type_keys(&mut s, "sam<tab>"), [Effect::List("samples/".to_string())]);
    listed(&mut s, "samples/", &["gcd.myr", "game.myr", "sub/"]);
    assert_eq!(type_keys(&mut s, "g"), []);
    let screen = picture(&s);
    assert!(screen.contains("open: samples/g") && screen.contains("game.myr") && !screen.contains("sub/"));
    assert_eq!(type_keys(&mut s, "<down><enter>"), [asked(1, "samples/game.myr")]);
    // Choosing a folder in the list opens it.
    assert_eq!(type_keys(&mut s, "<backspace>s<enter>"), [Effect::List("samples/sub/".to_string())]);
    assert_eq!(
        s.prompts.overlay.as_mut().and_then(Overlay::field).map(|field| field.text.as_str()),
        Some("samples/sub/")
    );
    assert_eq!(marked(&s), "a‸", "and nothing is typed into the text");
    type_keys(&mut s, "<esc>b");
    assert_eq!(marked(&s), "ab‸");
}

#[test]
fn unlisted_name_is_opened_as_typed() {
    let mut s = state("a‸");
    type_keys(&mut s, "<ctrl-o>x/");
    listed(&mut s, "x/", &["a.myr"]);
    assert_eq!(type_keys(&mut s, "new.myr:3<enter>"), [asked(1, "x/new.myr:3")]);
    // A failure is shown where the name was typed.
    s.apply(Event::OpenFailed { number: 1, why: "cannot open it: it is not UTF-8".to_string() });
    assert!(picture(&s).contains("it is not UTF-8"), "{}", picture(&s));
    assert!(picture(&s).contains("open: x/new.myr:3"));
    // A folder that was typed without its slash.
    assert_eq!(type_keys(&mut s, "<enter>"), [asked(2, "x/new.myr:3")]);
    let effects = s.apply(Event::OpenedFolder { number: 2, folder: "x/sub/".to_string() });
    assert_eq!(effects, [Effect::List("x/sub/".to_string())]);
}

#[test]
fn opened_file_starts_without_the_state_of_the_old_one() {
    let mut s = answered("fn f() -> int {\n    return 1 + ‸1;\n}\ntest f() == 2;\n");
    type_keys(&mut s, "<ctrl-f>return<enter><alt-7><alt-1>");
    let revision = s.document.revision;
    type_keys(&mut s, "<ctrl-o>other.myr<enter>");
    let event = opened(&s, "other.myr", OTHER);
    let effects = s.apply(event);
    assert!(effects.contains(&Effect::Compile) && effects.contains(&Effect::Opened), "{effects:?}");
    assert_eq!(marked(&s), OTHER.replace("return 7", "return ‸7"));
    assert!(s.document.revision > revision && !s.dirty() && s.pending());
    assert!(s.shown().is_none(), "no result is the old file's");
    let screen = picture(&s);
    assert!(screen.contains("other.myr") && !screen.contains("sample.myr"), "{screen}");
    assert_eq!(type_keys(&mut s, "<ctrl-u>"), []);
    assert!(picture(&s).contains("nothing to undo"));
    assert_eq!(s.screen.focus, Panel::EDITOR);
    answer(&mut s);
    assert!(picture(&s).contains("1 test passes"), "{}", picture(&s));
}

#[test]
fn events_of_the_old_file_do_not_change_the_new_one() {
    let mut s = state("a‸");
    let of_old = |event| Event::FileEvent { document: 1, event: Box::new(event) };
    let theirs = || Event::FileContents(FileContents::Text { text: Arc::from("z"), bom: false });
    let old = s.document.revision;
    type_keys(&mut s, "<ctrl-o>other.myr<enter>");
    let event = opened(&s, "other.myr", OTHER);
    s.apply(event);
    s.apply(of_old(theirs()));
    s.apply(of_old(Event::Saved { path: "sample.myr".into(), text: Arc::from("a"), note: None }));
    assert_eq!(&**s.document.buffer.text(), OTHER);
    assert_eq!(s.document.file.path.as_deref(), Some(std::path::Path::new("other.myr")));
    // An engine's answer to the old text.
    let mut engine = myriad::engine::cpu::CpuEngine::with_threads(1);
    let result =
        myriad::engine::Engine::base(&mut engine, &Arc::from("const A = 1;\n"), &|| false).expect("an answer");
    let update = myriad::session::Update::Base { revision: old, at: std::time::Instant::now(), result };
    s.apply(Event::Engine { update: update.into(), since: std::time::Duration::ZERO });
    assert!(s.shown().is_none() && s.results.latest.is_none());
    // Events for the file on screen are applied.
    s.apply(Event::FileEvent { document: s.document.id, event: Box::new(theirs()) });
    assert_eq!(&**s.document.buffer.text(), "z");
}

/// Opens another file; the first stays open.
fn with_other(marked: &str, keys: &str) -> State {
    let mut s = state(marked);
    type_keys(&mut s, keys);
    type_keys(&mut s, "<ctrl-o>other.myr<enter>");
    let event = opened(&s, "other.myr", OTHER);
    s.apply(event);
    s
}

#[test]
fn each_open_file_keeps_its_text_cursor_and_undo() {
    let mut s = with_other("a‸", "b");
    assert_eq!(marked(&s), OTHER.replace("return 7", "return ‸7"));
    assert!(words(&picture(&s)).contains("other.myr +1●"), "{}", picture(&s));
    type_keys(&mut s, "x");
    let effects = type_keys(&mut s, "<alt-left>");
    assert!(effects.contains(&Effect::Shown), "{effects:?}");
    assert_eq!(marked(&s), "ab‸");
    type_keys(&mut s, "<ctrl-u>");
    assert_eq!(marked(&s), "a‸");
    type_keys(&mut s, "<alt-right>");
    assert_eq!(marked(&s), OTHER.replace("return 7", "return x‸7"));
    type_keys(&mut s, "<ctrl-u>");
    assert_eq!(marked(&s), OTHER.replace("return 7", "return ‸7"));
    // The list begins with the other open files, so enter switches.
    type_keys(&mut s, "<ctrl-o><enter>");
    assert_eq!(marked(&s), "a‸");
    // Without alt.
    type_keys(&mut s, "<ctrl-t><left>");
    assert_eq!(marked(&s), OTHER.replace("return 7", "return ‸7"));
}

#[test]
fn verdicts_of_a_file_return_with_it() {
    let mut s = answered("fn f() -> int {\n    return 1 + ‸1;\n}\ntest f() == 2;\n");
    let revision = s.document.revision;
    type_keys(&mut s, "<ctrl-o>other.myr<enter>");
    let event = opened(&s, "other.myr", OTHER);
    s.apply(event);
    assert!(s.shown().is_none());
    let effects = s.apply(Event::Key(myriad::workbench::key::Key::parse("alt-left").expect("a key")));
    assert!(effects.contains(&Effect::Compile), "the engine judges it again");
    assert!(s.document.revision > revision + 1 && s.pending());
    assert!(s.shown().is_some() && picture(&s).contains("1 test passes"), "{}", picture(&s));
}

#[test]
fn file_in_the_background_follows_its_disk() {
    let theirs = |text: &str| {
        let event = Event::FileContents(FileContents::Text { text: Arc::from(text), bom: false });
        Event::FileEvent { document: 1, event: Box::new(event) }
    };
    let mut s = with_other("a‸", "");
    let effects = s.apply(theirs("z"));
    assert!(!effects.contains(&Effect::Compile), "{effects:?}");
    assert_eq!(&**s.document.buffer.text(), OTHER);
    type_keys(&mut s, "<alt-left>");
    assert_eq!(&**s.document.buffer.text(), "z");
    // A conflict waits until the file is on screen.
    let mut s = with_other("a‸", "b");
    s.apply(theirs("z"));
    type_keys(&mut s, "<left>");
    assert!(picture(&s).contains("sample.myr has a question"), "{}", picture(&s));
    type_keys(&mut s, "<alt-left><right>");
    assert!(picture(&s).contains("was also changed by another program: alt-a decides"));
    assert_eq!(&**s.document.buffer.text(), "ab");
}

#[test]
fn quit_asks_about_each_unsaved_file() {
    let dirty = || {
        let mut s = with_other("a‸", "b");
        type_keys(&mut s, "x");
        assert_eq!(type_keys(&mut s, "<ctrl-q>"), []);
        assert!(picture(&s).contains("other.myr is not saved, and 1 file after it"), "{}", picture(&s));
        s
    };
    let mut s = dirty();
    assert_eq!(type_keys(&mut s, "d"), [Effect::Shown]);
    assert!(picture(&s).contains("sample.myr is not saved."), "{}", picture(&s));
    assert_eq!(type_keys(&mut s, "d"), [Effect::Quit]);
    // Whoever stays loses nothing.
    let mut s = dirty();
    type_keys(&mut s, "d<esc>");
    assert_eq!(marked(&s), "ab‸");
    type_keys(&mut s, "<alt-left>");
    assert_eq!(marked(&s), OTHER.replace("return 7", "return x‸7"));
    type_keys(&mut s, "<ctrl-q>");
    assert!(picture(&s).contains("and 1 file after it"), "the first answer is forgotten");
}

#[test]
fn closing_asks_about_unsaved_text() {
    let mut s = with_other("a‸", "");
    type_keys(&mut s, "x<alt-W>");
    assert!(picture(&s).contains("other.myr is not saved."), "{}", picture(&s));
    type_keys(&mut s, "d");
    assert_eq!(marked(&s), "a‸");
    type_keys(&mut s, "<alt-left>");
    assert_eq!(marked(&s), "a‸", "a closed file does not come back");
    type_keys(&mut s, "<alt-W>");
    assert!(picture(&s).contains("Welcome to Myriad"), "{}", picture(&s));
}

#[test]
fn selected_file_is_previewed() {
    let mut s = state("a‸");
    type_keys(&mut s, "<ctrl-o>");
    listed(&mut s, "", &["one.myr", "two.myr"]);
    let effects = s.apply(Event::Key(myriad::workbench::key::Key::parse("down").expect("a key")));
    assert_eq!(effects, [Effect::Preview("two.myr".to_string())]);
    // A late answer about another file is dropped.
    for (path, text) in [("one.myr", "the first"), ("two.myr", "the second")] {
        s.apply(Event::Previewed { path: path.to_string(), text: Ok(Arc::from(text)) });
    }
    let screen = picture(&s);
    assert!(screen.contains("the second") && !screen.contains("the first"), "{screen}");
    // Samples are at hand.
    type_keys(&mut s, "gcd");
    assert!(picture(&s).contains("The greatest common divisor"), "{}", picture(&s));
}

#[test]
fn file_that_is_open_is_shown_instead_of_read_again() {
    let mut s = with_other("a‸", "b");
    type_keys(&mut s, "<ctrl-o>sample.myr:1<enter>");
    let number = s.prompts.requests();
    s.apply(Event::AlreadyOpen { number, document: 1, place: Some(OpenPlace { line: 1, column: 1 }) });
    assert_eq!(marked(&s), "‸ab");
    // Its name is not given to another text.
    type_keys(&mut s, "<alt-left><alt-s><ctrl-u>sample.myr<enter>");
    assert!(picture(&s).contains("sample.myr is open, too"), "{}", picture(&s));
}

#[test]
fn cancelled_open_request_changes_nothing() {
    let mut s = state("a‸");
    type_keys(&mut s, "<ctrl-o>other.myr<enter><esc>");
    let event = opened(&s, "other.myr", OTHER);
    s.apply(event);
    assert_eq!(marked(&s), "a‸");
}

#[test]
fn a_sample_is_a_new_text_whose_name_is_suggested() {
    let mut s = state("a‸");
    type_keys(&mut s, "<ctrl-o>gcd");
    let target = Target::Sample("gcd.myr".to_string());
    assert_eq!(
        type_keys(&mut s, "<enter>"),
        [Effect::Open { number: 1, target, open: vec![(1, "sample.myr".into())] }]
    );
    let sample = myriad::lang::samples::named("gcd.myr").expect("a sample");
    let file = FileInfo { sample: Some(sample), ..FileInfo::default() };
    let text = Arc::from(sample.text);
    s.apply(Event::Opened(Box::new(Opened { number: 1, file, text, place: None, note: None })));
    assert!(picture(&s).contains("sample: gcd.myr"), "{}", picture(&s));
    assert!(s.document.file.path.is_none() && !s.dirty(), "as it was, it cannot be lost");
    type_keys(&mut s, "x");
    assert!(s.dirty());
    type_keys(&mut s, "<ctrl-s>");
    assert_eq!(
        s.prompts.overlay.as_mut().and_then(Overlay::field).map(|field| field.text.as_str()),
        Some("gcd.myr")
    );
    let effects = type_keys(&mut s, "<enter>");
    assert_eq!(effects, [Effect::Save { path: "gcd.myr".into(), expect: None, overwrite: false }]);
    s.apply(Event::Saved { path: "gcd.myr".into(), text: s.document.buffer.text().clone(), note: None });
    assert!(!s.dirty() && !picture(&s).contains("sample:"));
}

#[test]
fn the_cursor_goes_to_the_place_that_was_named() {
    for (line, column, after) in [
        (2, 5, "fn other() -> int {\n    ‸return 7;"),
        (2, 99, "return 7;‸\n"),
        (99, 1, "== 7;\n‸"),
        (0, 0, "‸fn other"),
    ] {
        let mut s = state("a‸");
        type_keys(&mut s, "<ctrl-o>other.myr<enter>");
        let Event::Opened(mut event) = opened(&s, "other.myr", OTHER) else { panic!("opened") };
        event.place = Some(OpenPlace { line, column });
        s.apply(Event::Opened(event));
        assert!(marked(&s).contains(after), "{line}:{column} {}", marked(&s));
    }
}

#[test]
fn selected_file_stays_visible() {
    let mut s = state("a‸");
    type_keys(&mut s, "<ctrl-o>");
    let names: Vec<String> = (0..50).map(|n| format!("file{n:02}.myr")).collect();
    listed(&mut s, "", &names.iter().map(String::as_str).collect::<Vec<_>>());
    for (width, height) in [(20, 5), (40, 12), (80, 24)] {
        picture_at(&mut s, width, height);
        for _ in 0..70 {
            type_keys(&mut s, "<down>");
            assert!(picture(&s).contains('▶'), "{}", picture(&s));
        }
        type_keys(&mut s, &"<pageup>".repeat(10));
        assert!(picture(&s).contains("▶       file00.myr"));
    }
    insta::assert_snapshot!("open_80x24", picture(&s));
}

#[test]
fn position_suffix_is_read_after_the_file_name() {
    let place = |line, column| OpenPlace { line, column };
    for (name, readings) in [
        ("a.myr:3", &[("a.myr", place(3, 1))][..]),
        ("a.myr:3:5", &[("a.myr:3", place(5, 1)), ("a.myr", place(3, 5))]),
        ("a.myr:3:5:", &[("a.myr:3", place(5, 1)), ("a.myr", place(3, 5))]),
        ("c:/a.myr:7", &[("c:/a.myr", place(7, 1))]),
        ("a.myr", &[]),
        ("a.myr:", &[]),
        ("a.myr:x", &[]),
        ("a.myr:+3", &[]),
        (":3", &[]),
        ("a.myr:99999999999999999999999", &[]),
    ] {
        assert_eq!(OpenPlace::readings(name), readings, "{name}");
    }
}

fn view(typed: &str, entries: &[&str]) -> OpenView {
    let mut view = OpenView::new(typed);
    let folder = view.parts().0.to_string();
    view.asked = Some(folder.clone());
    let entry = |name: &&str| match name.strip_suffix('/') {
        Some(name) => OpenEntry { name: name.to_string(), folder: true },
        None => OpenEntry { name: name.to_string(), folder: false },
    };
    view.tell(folder, Ok(entries.iter().map(entry).collect()));
    view
}
fn names(view: &OpenView) -> Vec<String> {
    view.choices().iter().map(Choice::name).collect()
}

#[test]
fn entries_with_the_typed_prefix_are_listed() {
    let entries = ["Make.myr", "map.myr", "notes.txt", "maps/", ".git/", ".hidden.myr"];
    assert_eq!(names(&view("x/", &entries)), ["Make.myr", "map.myr", "maps/"]);
    assert_eq!(names(&view("x/ma", &entries)), ["maps/", "map.myr", "Make.myr"], "shorter names first");
    assert_eq!(names(&view("x/map", &entries)), ["maps/", "map.myr"]);
    assert_eq!(names(&view("x/mmr", &entries)), ["map.myr", "Make.myr"], "the letters of a name, in order");
    assert_eq!(names(&view("x/.", &entries))[..2], [".git/", ".hidden.myr"]);
    assert_eq!(names(&view("x/notes.txt", &entries)), ["notes.txt"], "what has no other name is typed whole");
    assert_eq!(names(&view("gc", &["gc/"]))[..2], ["gc/", "gcd.myr"], "samples where no folder is typed");
    assert_eq!(names(&view("x/map.my", &entries)), ["map.myr", "map.my"], "and a new program");
}

#[test]
fn tab_completes_the_common_prefix() {
    for (typed, entries, after) in [
        ("x/m", &["maple.myr", "mapper/", "other.myr"][..], "x/map"),
        ("x/map", &["maple.myr", "mapper/"], "x/map"),
        ("x/mapp", &["maple.myr", "mapper/"], "x/mapper/"),
        ("x/é", &["éa.myr", "éb.myr"], "x/é"),
        ("x/Z", &["maple.myr"], "x/Z"),
        ("mid", &[], "midpoint.myr"),
    ] {
        let mut view = view(typed, entries);
        view.complete();
        assert_eq!(view.field.text, after, "{typed}");
        assert_eq!(view.field.cursor, after.chars().count());
    }
}
