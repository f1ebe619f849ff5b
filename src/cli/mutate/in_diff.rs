//! `myriad mutate --in-diff FILE`: selects the mutants of lines that a unified diff adds.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use crate::cli::exit::Failure;
use crate::cli::input;

const HELP: &str = "it is the output of `git diff -U0 main...` or `diff -u old.myr new.myr`";

/// The lines that a diff adds, by file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct InDiff {
    files: BTreeMap<PathBuf, BTreeSet<u32>>,
}

impl InDiff {
    pub fn read(path: &OsString) -> Result<InDiff, Failure> {
        let source = input::read(path)?;
        InDiff::parse(&source.text).map_err(|line| {
            Failure::call(format!("{} is not a unified diff: line {line}", source.shown()), HELP)
        })
    }

    /// Reads a diff.
    ///
    /// # Errors
    /// The number of the first line that is wrong.
    fn parse(text: &str) -> Result<InDiff, usize> {
        let mut files: BTreeMap<PathBuf, BTreeSet<u32>> = BTreeMap::new();
        let mut lines = (1..).zip(text.lines()).peekable();
        let mut own: Option<PathBuf> = None;
        let mut seen = text.trim().is_empty();
        while let Some((number, line)) = lines.next() {
            if line.starts_with("diff --git ") {
                (own, seen) = (None, true);
            } else if line.starts_with("--- ") && lines.peek().is_some_and(|(_, next)| next.starts_with("+++ "))
            {
                seen = true;
                own = lines.next().and_then(|(_, line)| name(line.get(4..)?));
                if let Some(own) = &own {
                    files.entry(own.clone()).or_default();
                }
            } else if line.starts_with("@@ ") {
                let (mut old, mut at, mut new) = counts(line).ok_or(number)?;
                let mut added = BTreeSet::new();
                while old > 0 || new > 0 {
                    let (number, line) = lines.next().ok_or(number)?;
                    match line.as_bytes().first() {
                        Some(b'+') => {
                            added.insert(at);
                            (at, new) = (at + 1, new.checked_sub(1).ok_or(number)?);
                        }
                        Some(b'-') => old = old.checked_sub(1).ok_or(number)?,
                        // An empty line of context may have lost its blank.
                        Some(b' ') | None => {
                            old = old.checked_sub(1).ok_or(number)?;
                            (at, new) = (at + 1, new.checked_sub(1).ok_or(number)?);
                        }
                        Some(b'\\') => {}
                        Some(_) => return Err(number),
                    }
                }
                match own.as_ref().and_then(|own| files.get_mut(own)) {
                    Some(lines) => lines.append(&mut added),
                    None if added.is_empty() => {}
                    None => return Err(number),
                }
            }
        }
        if seen { Ok(InDiff { files }) } else { Err(1) }
    }

    /// Returns the lines that the diff adds to a file. Names match if one ends with the other, since a diff states paths
    /// from the root of a repository.
    pub fn lines(&self, file: &str) -> BTreeSet<u32> {
        let file = plain(file);
        let same = |name: &Path| name.ends_with(&file) || file.ends_with(name);
        let exact = self.files.get(&file).cloned();
        let near =
            || self.files.iter().filter(|(name, _)| same(name)).flat_map(|(_, lines)| lines.clone()).collect();
        exact.unwrap_or_else(near)
    }
}

/// Reads the name of a new file. Returns `None` if the file is deleted.
fn name(text: &str) -> Option<PathBuf> {
    let text = text.split('\t').next().unwrap_or(text).trim_end_matches('\r');
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    (text != "/dev/null").then(|| plain(text.strip_prefix("b/").unwrap_or(text)))
}

/// Returns a path without `.` and without its root.
fn plain(path: &str) -> PathBuf {
    Path::new(path)
        .components()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .collect()
}

/// Reads `@@ -A,B +C,D @@`: B, C and D.
fn counts(line: &str) -> Option<(u32, u32, u32)> {
    let mut words = line.split(' ').skip(1);
    let range = |word: Option<&str>, sign| -> Option<(u32, u32)> {
        let word = word?.strip_prefix(sign)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((_, old), (start, new)) = (range(words.next(), '-')?, range(words.next(), '+')?);
    Some((old, start, new))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "\
diff --git a/src/a.myr b/src/a.myr
index 1..2 100644
--- a/src/a.myr
+++ b/src/a.myr
@@ -3,2 +3,3 @@ fn f
 one
--- a removed line that looks like a header
+++ an added one
+two
@@ -10 +11,0 @@
-gone
diff --git a/b.myr b/b.myr
--- a/b.myr
+++ /dev/null
@@ -1 +0,0 @@
-x
--- old.myr\t2026-01-01
+++ new.myr\t2026-01-02
@@ -0,0 +1,2 @@
+x
+y
\\ No newline at end of file
";

    #[test]
    fn diffs_yield_the_added_lines_of_each_file() {
        let read = InDiff::parse(DIFF).expect("a diff");
        let lines = |name: &str| read.lines(name).into_iter().collect::<Vec<u32>>();
        assert_eq!(lines("src/a.myr"), [4, 5]);
        assert_eq!(lines("./src/a.myr"), [4, 5]);
        assert_eq!(lines("/home/me/project/src/a.myr"), [4, 5]);
        assert_eq!(lines("a.myr"), [4, 5]);
        assert!(lines("ba.myr").is_empty());
        assert!(lines("b.myr").is_empty());
        assert_eq!(lines("new.myr"), [1, 2]);
        assert_eq!(InDiff::parse(""), Ok(InDiff::default()));
        assert_eq!(InDiff::parse("diff --git a/x b/y\nsimilarity index 100%\n"), Ok(InDiff::default()));
    }

    #[test]
    fn broken_diffs_name_the_line() {
        for (text, line) in [
            ("no diff\n", 1),
            ("--- a\n+++ b\n@@ -1 +x @@\n", 3),
            ("--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n", 3),
            ("--- a\n+++ b\n@@ -1 +1 @@\n-x\n-y\n+z\n", 5),
            ("--- a\n+++ b\n@@ -1 +1 @@\n?x\n", 4),
            ("diff --git a/a b/a\n@@ -1,0 +2 @@\n+x\n", 2),
        ] {
            assert_eq!(InDiff::parse(text), Err(line), "{text}");
        }
    }
}
