//! The file: saving, changes from outside, quitting.

use std::sync::Arc;

use super::harness::{marked, picture, state, type_keys};
use myriad::workbench::event::{Disk, Effect, Event};

fn theirs(text: &str) -> Event {
    Event::Disk(Disk::Text { text: Arc::from(text), bom: false })
}

fn save() -> Effect {
    Effect::Save { path: "sample.myr".into(), expect: Some(Arc::from("a")), overwrite: false }
}

#[test]
fn a_clean_text_follows_the_file() {
    let mut s = state("a\nb‸\nc");
    s.apply(theirs("a\nb2\nc"));
    assert_eq!(marked(&s), "a\nb‸2\nc");
    assert!(!s.dirty());
    type_keys(&mut s, "<ctrl-u>");
    assert_eq!(&**s.buffer.text(), "a\nb\nc", "a reload can be undone");
}

#[test]
fn when_both_changed_there_is_a_question() {
    let both = || {
        let mut s = state("a‸");
        type_keys(&mut s, "b");
        s.apply(theirs("z"));
        assert!(picture(&s).contains("changed outside too"));
        s
    };
    let mut s = both();
    type_keys(&mut s, "x");
    assert_eq!(marked(&s), "ab‸", "a question is not typed over");
    type_keys(&mut s, "k");
    assert_eq!(marked(&s), "ab‸");
    let expect = Some(Arc::from("z"));
    assert_eq!(
        type_keys(&mut s, "<ctrl-s>"),
        [Effect::Save { path: "sample.myr".into(), expect, overwrite: false }],
        "keeping mine means knowing of theirs"
    );

    let mut s = both();
    type_keys(&mut s, "t");
    assert_eq!(&**s.buffer.text(), "z");
    assert!(!s.dirty());
    type_keys(&mut s, "<ctrl-u>");
    assert_eq!(&**s.buffer.text(), "ab", "mine is an undo away");

    let mut s = both();
    assert_eq!(type_keys(&mut s, "b"), [Effect::PutAside]);
    assert_eq!(&**s.buffer.text(), "ab", "theirs comes only once mine is safe");
    s.apply(Event::PutAside("sample.mine.myr".into()));
    assert_eq!(&**s.buffer.text(), "z");

    let mut s = both();
    type_keys(&mut s, "<esc>");
    assert_eq!(marked(&s), "ab‸");
    assert_eq!(type_keys(&mut s, "<ctrl-s>"), [save()], "undecided, saving asks again");
}

#[test]
fn a_removed_file_is_said_and_can_be_written_again() {
    let mut s = state("a‸");
    s.apply(Event::Disk(Disk::Gone));
    assert!(s.dirty());
    assert!(picture(&s).contains("removed outside"));
    let expected = Effect::Save { path: "sample.myr".into(), expect: None, overwrite: false };
    assert_eq!(type_keys(&mut s, "<ctrl-s>"), [expected]);
}

#[test]
fn quitting_asks_when_something_is_not_saved() {
    let mut s = state("a‸");
    assert_eq!(type_keys(&mut s, "<ctrl-q>"), [Effect::Quit]);
    let mut s = state("a‸");
    assert_eq!(type_keys(&mut s, "b<ctrl-q>"), []);
    assert!(picture(&s).contains("not saved"));
    assert_eq!(type_keys(&mut s, "<esc>"), []);
    assert_eq!(type_keys(&mut s, "<ctrl-q>d"), [Effect::Quit]);
}

#[test]
fn save_and_quit_waits_for_the_file() {
    let mut s = state("a‸");
    type_keys(&mut s, "b<ctrl-q>");
    assert_eq!(type_keys(&mut s, "s"), [save()]);
    let done = s.apply(Event::Saved { path: "sample.myr".into(), text: s.buffer.text().clone() });
    assert_eq!(done, [Effect::Saved, Effect::Quit]);

    let mut s = state("a‸");
    type_keys(&mut s, "b<ctrl-q>s");
    s.apply(Event::SaveFailed("the disk is full".to_string()));
    let done = s.apply(Event::Saved { path: "sample.myr".into(), text: s.buffer.text().clone() });
    assert_eq!(done, [Effect::Saved], "after a failure, quitting is asked for anew");
}

#[test]
fn who_takes_theirs_instead_of_saving_stays() {
    for (answer, aside) in [("t", false), ("b", true)] {
        let mut s = state("a‸");
        type_keys(&mut s, "b<ctrl-q>s");
        s.apply(Event::SaveConflict { theirs: Arc::from("z"), bom: false });
        type_keys(&mut s, answer);
        if aside {
            s.apply(Event::PutAside("sample.mine.myr".into()));
        }
        let done = s.apply(Event::Saved { path: "sample.myr".into(), text: s.buffer.text().clone() });
        assert_eq!(done, [Effect::Saved], "a later save quits nothing");
    }
}

#[test]
fn what_was_typed_while_saving_is_still_unsaved() {
    let mut s = state("a‸");
    type_keys(&mut s, "b<ctrl-s>");
    let text = s.buffer.text().clone();
    type_keys(&mut s, "c");
    s.apply(Event::Saved { path: "sample.myr".into(), text });
    assert!(s.dirty());
}

#[test]
fn a_name_that_is_taken_is_asked_about() {
    let mut s = state("a‸");
    let effects = type_keys(&mut s, "<alt-s><ctrl-u>other.myr<enter>");
    assert_eq!(effects, [Effect::Save { path: "other.myr".into(), expect: None, overwrite: false }]);
    s.apply(Event::SaveExists("other.myr".into()));
    assert_eq!(type_keys(&mut s, "x"), []);
    assert_eq!(
        type_keys(&mut s, "o"),
        [Effect::Save { path: "other.myr".into(), expect: None, overwrite: true }]
    );
}

#[test]
fn recovered_text_is_offered() {
    let mut s = state("a‸");
    s.apply(Event::Recovered(Arc::from("abc")));
    assert!(picture(&s).contains("ended abruptly"));
    assert_eq!(type_keys(&mut s, "u"), [Effect::AdoptRecovery]);
    assert_eq!(&**s.buffer.text(), "abc");
    assert!(s.dirty());
}
