//! The file: saving, changes from outside, quitting.

use std::sync::Arc;

use super::harness::{marked, picture, state, type_keys};
use myriad::workbench::event::{Effect, Event, FileContents};
use myriad::workbench::state::State;
use myriad::workbench::unsaved::{Difference, Unsaved};

fn theirs(text: &str) -> Event {
    Event::FileContents(FileContents::Text { text: Arc::from(text), bom: false })
}

fn saved(s: &State, text: Arc<str>) -> Event {
    Event::Saved { path: s.document.file.path.clone().expect("a path"), text, note: None }
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
    assert_eq!(&**s.document.buffer.text(), "a\nb\nc", "a reload can be undone");
}

#[test]
fn conflicting_changes_raise_a_question() {
    let both = || {
        let mut s = state("a‸");
        type_keys(&mut s, "b");
        s.apply(theirs("z"));
        assert!(picture(&s).contains("was also changed by another program: alt-a decides"));
        s
    };
    let mut s = both();
    type_keys(&mut s, "mt<enter>");
    assert_eq!(marked(&s), "abmt\n‸", "what is typed answers nothing");
    assert!(picture(&s).contains("alt-a decides"), "the question waits");

    let mut s = both();
    type_keys(&mut s, "<alt-a>");
    assert!(picture(&s).contains("put theirs aside"), "{}", picture(&s));
    let beside = Effect::SaveKeepingTheirs { path: "sample.myr".into(), theirs: Arc::from("z"), bom: false };
    assert_eq!(type_keys(&mut s, "m"), [beside]);
    assert_eq!(marked(&s), "ab‸");
    s.apply(saved(&s, s.document.buffer.text().clone()));
    assert!(!picture(&s).contains("alt-a") && !s.dirty());

    let mut s = both();
    assert_eq!(type_keys(&mut s, "<f10>t"), [Effect::SaveCopy]);
    assert_eq!(&**s.document.buffer.text(), "ab", "theirs comes only once mine is safe");
    s.apply(Event::CopySaved { path: "sample.mine.myr".into(), text: s.document.buffer.text().clone() });
    assert_eq!(&**s.document.buffer.text(), "z");
    assert!(!s.dirty());
    type_keys(&mut s, "<ctrl-u>");
    assert_eq!(&**s.document.buffer.text(), "ab", "mine is an undo away, too");

    let mut s = both();
    type_keys(&mut s, "<alt-a>t");
    let text = s.document.buffer.text().clone();
    type_keys(&mut s, "c");
    s.apply(Event::CopySaved { path: "sample.mine.myr".into(), text });
    assert_eq!(marked(&s), "abc‸", "what was typed meanwhile is not put aside, so it stays");
    type_keys(&mut s, "d");
    assert!(picture(&s).contains("alt-a decides"), "and the question waits on");

    let mut s = both();
    type_keys(&mut s, "<alt-a><esc>");
    assert_eq!(marked(&s), "ab‸");
    assert_eq!(type_keys(&mut s, "<ctrl-s>"), [save()], "undecided, saving asks again");

    let mut s = both();
    s.apply(theirs("a"));
    assert!(!picture(&s).contains("alt-a"), "the file is again as it was");
}

#[test]
fn removed_file_is_reported_and_can_be_saved_again() {
    let mut s = state("a‸");
    s.apply(Event::FileContents(FileContents::Gone));
    assert!(s.dirty());
    assert!(picture(&s).contains("removed by another program"));
    let expected = Effect::Save { path: "sample.myr".into(), expect: None, overwrite: false };
    assert_eq!(type_keys(&mut s, "<ctrl-s>"), [expected]);
}

#[test]
fn quit_with_unsaved_text_asks() {
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
    let done = s.apply(saved(&s, s.document.buffer.text().clone()));
    assert_eq!(done, [Effect::Saved, Effect::Quit]);

    let mut s = state("a‸");
    type_keys(&mut s, "b<ctrl-q>s");
    s.apply(Event::SaveFailed("the disk is full".to_string()));
    let done = s.apply(saved(&s, s.document.buffer.text().clone()));
    assert_eq!(done, [Effect::Saved], "after a failure, quitting is asked for anew");
}

#[test]
fn save_conflict_cancels_quitting() {
    let mut s = state("a‸");
    type_keys(&mut s, "b<ctrl-q>s");
    s.apply(Event::SaveConflict { theirs: Arc::from("z"), bom: false });
    assert!(picture(&s).contains("not saved: sample.myr was also changed by another program"));
    type_keys(&mut s, "md");
    assert_eq!(marked(&s), "abmd‸", "what is typed answers nothing");
    let done = s.apply(saved(&s, s.document.buffer.text().clone()));
    assert_eq!(done, [Effect::Saved], "a later save quits nothing");
}

#[test]
fn text_typed_during_a_save_stays_unsaved() {
    let mut s = state("a‸");
    type_keys(&mut s, "b<ctrl-s>");
    let text = s.document.buffer.text().clone();
    type_keys(&mut s, "c");
    s.apply(saved(&s, text));
    assert!(s.dirty());
}

#[test]
fn save_as_an_existing_name_asks() {
    let mut s = state("a‸");
    let effects = type_keys(&mut s, "<alt-s><ctrl-u>other.myr<enter>");
    assert_eq!(effects, [Effect::Save { path: "other.myr".into(), expect: None, overwrite: false }]);
    s.apply(Event::SaveExists("other.myr".into()));
    let typed = type_keys(&mut s, "o");
    assert!(!typed.iter().any(|effect| matches!(effect, Effect::Save { .. })), "what is typed answers nothing");
    assert_eq!(
        type_keys(&mut s, "<alt-a>o"),
        [Effect::Save { path: "other.myr".into(), expect: None, overwrite: true }]
    );
}

fn left(name: &str, saved: &str, text: &str) -> Unsaved {
    Unsaved {
        entry: name.into(),
        of: Some("/folder/sample.myr".into()),
        text: Arc::from(text),
        base: None,
        age: "2 minutes ago".to_string(),
        damaged: false,
        difference: Difference::between(saved, text),
    }
}

#[test]
fn offered_unsaved_texts_are_not_changed_by_typing() {
    let offered = || {
        let mut s = state("a‸");
        let texts = vec![left("1", "a", "a\nb\nc"), left("2", "a", "other")];
        s.apply(Event::Unsaved { texts, more: 0, held: false, asked: false });
        assert!(picture(&s).contains("2 unsaved texts of sample.myr: alt-a lists them"));
        s
    };
    let mut s = offered();
    assert_eq!(type_keys(&mut s, "def<enter>u"), []);
    assert_eq!(marked(&s), "adef\nu‸");
    assert_eq!(s.prompts.waiting.unsaved.len(), 2);

    let mut s = offered();
    type_keys(&mut s, "<alt-a>");
    let shown = picture(&s);
    assert!(shown.contains("+2") && shown.contains("+ b") && shown.contains("2 minutes ago"), "{shown}");
    type_keys(&mut s, "<down>");
    assert!(picture(&s).contains("+ other"));
    type_keys(&mut s, "<up><enter>");
    assert_eq!(&**s.document.buffer.text(), "a\nb\nc");
    assert!(s.dirty());
    let done = s.apply(saved(&s, s.document.buffer.text().clone()));
    assert_eq!(done, [Effect::Saved, Effect::DropUnsaved("1".into())], "the file holds it now");

    let mut s = offered();
    type_keys(&mut s, "<alt-a><enter><ctrl-u>");
    assert!(!s.dirty());
    assert_eq!(type_keys(&mut s, "<ctrl-q>"), [Effect::Quit], "what was undone stays in the journal");

    let mut s = offered();
    assert_eq!(type_keys(&mut s, "<alt-a><delete><down><delete><esc>"), []);
    assert_eq!(s.prompts.waiting.unsaved.len(), 2, "once is not enough");
    assert_eq!(
        type_keys(&mut s, "<alt-a>"),
        [Effect::FindUnsaved],
        "they are not spoken of again by themselves"
    );
    let texts = vec![left("1", "a", "b")];
    s.apply(Event::Unsaved { texts, more: 0, held: false, asked: true });
    assert_eq!(type_keys(&mut s, "<delete><delete>"), [Effect::DropUnsaved("1".into())]);
    assert!(s.prompts.overlay.is_none());
}

#[test]
fn earlier_save_does_not_cover_a_restored_text() {
    let mut s = state("a‸");
    type_keys(&mut s, "b<ctrl-s>");
    let before = s.document.buffer.text().clone();
    s.apply(Event::Unsaved { texts: vec![left("1", "a", "other")], more: 0, held: false, asked: true });
    type_keys(&mut s, "<enter>");
    assert_eq!(s.apply(saved(&s, before)), [Effect::Saved], "it stays in the journal");
}

#[test]
fn journal_failure_is_shown_until_it_ends() {
    let mut s = state("a‸");
    s.apply(Event::JournalFailed(Some("the disk is full".to_string())));
    type_keys(&mut s, "b");
    assert!(picture(&s).contains("unsaved text is not kept: the disk is full"));
    s.apply(Event::JournalFailed(None));
    assert!(!picture(&s).contains("not kept"));
}
