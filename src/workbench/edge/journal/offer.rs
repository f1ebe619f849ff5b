//! Selects the journal's texts that are offered when a file is opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::host::files::whole;
use crate::workbench::edge::disk;
use crate::workbench::edge::journal::entry::JournalEntry;
use crate::workbench::edge::journal::folder::{self, FoundJournal};
use crate::workbench::edge::journal::since;
use crate::workbench::event::FileContents;
use crate::workbench::unsaved::{Difference, Unsaved, age};

/// The maximum number of texts offered at once. Nobody chooses among more, and computing the differences
/// takes time.
const MOST: usize = 50;

#[derive(Debug)]
pub struct Offer {
    /// The newest texts of ended runs, newest first.
    pub texts: Vec<Unsaved>,
    /// The number of older texts.
    pub more: usize,
    /// Whether a live run has a text of the file.
    pub held: bool,
}

/// Returns the texts of ended runs that belong to a file whose text is `saved`, or to all files if `of` is `None`. Texts that
/// equal their file are deleted.
pub fn offered(places: &[PathBuf], of: Option<&Path>, saved: &str, own: Option<&str>) -> Offer {
    let FoundJournal { left, held } = folder::find(places, own);
    let name = of.map(whole);
    let ours = |entry: &JournalEntry| name.as_deref().is_none_or(|name| entry.is_of(name));
    let mut texts: Vec<Unsaved> = Vec::new();
    let mut more = 0;
    for (entry, found) in left.into_iter().filter(|(_, found)| ours(found)) {
        let saved = match (&name, &found.path) {
            (Some(_), _) => saved.into(),
            (None, Some(path)) => text_of(path),
            (None, None) => Arc::default(),
        };
        if found.path.is_some() && found.text == *saved {
            let _ = folder::remove_entry(&entry);
            continue;
        }
        // An empty text without a name is not offered.
        if found.path.is_none() && found.text.is_empty() {
            continue;
        }
        if texts.len() == MOST {
            more += 1;
            continue;
        }
        texts.push(Unsaved {
            entry,
            of: found.path,
            difference: Difference::between(&saved, &found.text),
            text: Arc::from(found.text),
            base: found.base,
            age: age(since(found.written)),
            damaged: found.damaged,
        });
    }
    Offer { texts, more, held: name.is_some() && held.iter().any(ours) }
}

/// Returns the text of a file; an empty one if it cannot be read.
fn text_of(path: &Path) -> Arc<str> {
    match disk::read(path) {
        FileContents::Text { text, .. } => text,
        _ => Arc::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::folder::Folder;
    use super::*;

    #[test]
    fn unsaved_texts_that_differ_from_the_file_are_offered() {
        let folder = tempfile::tempdir().expect("a folder");
        let places = [folder.path().join("unsaved")];
        let (file, other) = (folder.path().join("a.myr"), folder.path().join("b.myr"));
        std::fs::write(&file, "saved").expect("written");
        let leave = |path: Option<&Path>, text: &str| {
            let run = Folder::open(&places[0]).expect("opened");
            run.write(1, path.map(whole).as_deref(), text, None).expect("written");
            run.entry(1)
        };
        let same = leave(Some(&file), "saved");
        leave(Some(&file), "unsaved");
        leave(Some(&other), "of another");
        leave(None, "of none");
        let said = |of| -> Vec<String> {
            let mut texts: Vec<String> =
                offered(&places, of, "saved", None).texts.iter().map(|u| u.text.to_string()).collect();
            texts.sort();
            texts
        };
        // By any name of the file.
        let around = folder.path().join("../").join(folder.path().file_name().expect("a name")).join("a.myr");
        assert_eq!(said(Some(&around)), ["unsaved"]);
        assert!(!same.exists(), "the file holds it");
        let same = leave(Some(&file), "saved");
        assert_eq!(said(None), ["of another", "of none", "unsaved"]);
        assert!(!same.exists(), "the file holds it");
        let all = offered(&places, None, "", None).texts;
        let own = all.iter().find(|unsaved| &*unsaved.text == "unsaved").expect("it is offered");
        assert_eq!(own.difference, Difference::between("saved", "unsaved"));
        for n in 0..MOST {
            leave(Some(&file), &format!("another {n}"));
        }
        let offer = offered(&places, Some(&file), "saved", None);
        assert_eq!((offer.texts.len(), offer.more), (MOST, 1));
        let run = Folder::open(&places[0]).expect("opened");
        run.write(1, Some(&whole(&file)), "being typed", None).expect("written");
        assert!(offered(&places, Some(&file), "saved", None).held, "another run has a text of it");
        assert!(!offered(&places, Some(&file), "saved", Some(run.run())).held, "not another run");
    }
}
