//! What of the journal is offered when a file is opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::super::unsaved::{Difference, Unsaved, age};
use super::folder::{self, Found};
use super::{since, whole};

/// The texts that ended runs left of a file, the newest first, and whether a run that goes on has one; of no file: of all files.
/// Texts that the file holds as they are were saved after all: they go.
pub fn offered(places: &[PathBuf], of: Option<&Path>, saved: &str, own: Option<&str>) -> (Vec<Unsaved>, bool) {
    let Found { left, held } = folder::find(places, own);
    let name = of.map(whole);
    let ours = |path: &Option<PathBuf>| name.is_none() || *path == name;
    let mut texts: Vec<Unsaved> = Vec::new();
    for (entry, found) in left.into_iter().filter(|(_, found)| ours(&found.path)) {
        if name.is_some() && found.text == saved {
            let _ = folder::gone(&entry);
            continue;
        }
        // A text that has not been typed yet is nothing to offer.
        if found.path.is_none() && found.text.is_empty() {
            continue;
        }
        texts.push(Unsaved {
            entry,
            of: found.path,
            difference: Difference::between(if name.is_some() { saved } else { "" }, &found.text),
            text: Arc::from(found.text),
            age: age(since(found.written)),
        });
    }
    (texts, name.is_some() && held.iter().any(|entry| entry.path == name))
}

#[cfg(test)]
mod tests {
    use super::super::folder::Folder;
    use super::*;

    #[test]
    fn texts_of_the_file_are_offered_but_for_those_that_it_holds() {
        let folder = tempfile::tempdir().expect("a folder");
        let places = [folder.path().join("unsaved")];
        let (file, other) = (folder.path().join("a.myr"), folder.path().join("b.myr"));
        std::fs::write(&file, "saved").expect("written");
        let leave = |path: Option<&Path>, text: &str| {
            let run = Folder::open(&places[0]).expect("opened");
            run.write(1, path.map(whole).as_deref(), text).expect("written");
            run.entry(1)
        };
        let same = leave(Some(&file), "saved");
        leave(Some(&file), "unsaved");
        leave(Some(&other), "of another");
        leave(None, "of none");
        let said = |of| -> Vec<String> {
            let mut texts: Vec<String> =
                offered(&places, of, "saved", None).0.iter().map(|u| u.text.to_string()).collect();
            texts.sort();
            texts
        };
        // By any name that the file has.
        let around = folder.path().join("../").join(folder.path().file_name().expect("a name")).join("a.myr");
        assert_eq!(said(Some(&around)), ["unsaved"]);
        assert!(!same.exists(), "the file holds it");
        assert_eq!(said(None), ["of another", "of none", "unsaved"]);
        let run = Folder::open(&places[0]).expect("opened");
        run.write(1, Some(&whole(&file)), "being typed").expect("written");
        assert!(offered(&places, Some(&file), "saved", None).1, "another run has a text of it");
        assert!(!offered(&places, Some(&file), "saved", Some(run.run())).1, "this run is no other");
    }
}
