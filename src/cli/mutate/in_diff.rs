//! `myriad mutate --in-diff FILE`: selects the mutants of lines that a unified diff adds.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use crate::cli::exit::Failure;
use crate::cli::input::{self, InputSource};
use crate::cli::output;

const HELP: &str = "give it the output of `git diff -U0 main...` or `diff -u old.myr new.myr`";

/// Why a text is refused: the number of the first line that is wrong, and what it should be or is.
type Wrong = (usize, &'static str);

const NOT_UNIFIED: &str = "is not a unified diff";
/// The new lines of a merge, compared with each of its parents.
const COMBINED: &str = "is a combined diff";

/// The lines that a diff adds, by file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct InDiff {
    files: BTreeMap<PathBuf, BTreeSet<u32>>,
}

impl InDiff {
    pub fn read(path: &OsString) -> Result<InDiff, Failure> {
        let source = input::read(path)?;
        InDiff::parse(&source.text)
            .map_err(|(line, wrong)| Failure::call(format!("{} {wrong}: line {line}", source.shown()), HELP))
    }

    /// Reads a diff.
    ///
    /// # Errors
    /// The first line that is wrong.
    fn parse(text: &str) -> Result<InDiff, Wrong> {
        let mut files: BTreeMap<PathBuf, BTreeSet<u32>> = BTreeMap::new();
        let mut lines = (1..).zip(text.lines()).peekable();
        let mut own: Option<PathBuf> = None;
        let mut seen = text.trim().is_empty();
        while let Some((number, line)) = lines.next() {
            if line.starts_with("diff --git ") {
                (own, seen) = (None, true);
            } else if ["@@@", "diff --cc ", "diff --combined "].iter().any(|start| line.starts_with(start)) {
                return Err((number, COMBINED));
            } else if line.starts_with("--- ") && lines.peek().is_some_and(|(_, next)| next.starts_with("+++ "))
            {
                seen = true;
                let (number, line) = lines.next().unwrap_or((number, line));
                own = name(line.get(4..).unwrap_or_default()).ok_or((number, NOT_UNIFIED))?;
                if let Some(own) = &own {
                    files.entry(own.clone()).or_default();
                }
            } else if line.starts_with("@@ ") {
                let (mut old, mut at, mut new) = counts(line).ok_or((number, NOT_UNIFIED))?;
                let mut added = BTreeSet::new();
                while old > 0 || new > 0 {
                    let (number, line) = lines.next().ok_or((number, NOT_UNIFIED))?;
                    let wrong = (number, NOT_UNIFIED);
                    match line.as_bytes().first() {
                        Some(b'+') => {
                            added.insert(at);
                            (at, new) = (at + 1, new.checked_sub(1).ok_or(wrong)?);
                        }
                        Some(b'-') => old = old.checked_sub(1).ok_or(wrong)?,
                        // An empty line of context may have lost its blank.
                        Some(b' ') | None => {
                            old = old.checked_sub(1).ok_or(wrong)?;
                            (at, new) = (at + 1, new.checked_sub(1).ok_or(wrong)?);
                        }
                        Some(b'\\') => {}
                        Some(_) => return Err(wrong),
                    }
                }
                match own.as_ref().and_then(|own| files.get_mut(own)) {
                    Some(lines) => lines.append(&mut added),
                    None if added.is_empty() => {}
                    None => return Err((number, NOT_UNIFIED)),
                }
            }
        }
        if seen { Ok(InDiff { files }) } else { Err((1, NOT_UNIFIED)) }
    }

    /// Returns the lines that the diff adds to a file. Says so if the diff does not have the file.
    pub fn lines_or_note(&self, source: &InputSource) -> BTreeSet<u32> {
        self.lines(&source.name).unwrap_or_else(|| {
            let name = source.shown();
            output::print_error(&format!(
                "note: no entry of the diff names {name}, so it has no mutants to count\n"
            ));
            BTreeSet::new()
        })
    }

    /// Returns the lines that the diff adds to a file, or `None` if no entry names it. Names match if one ends with the
    /// other, since a diff states paths from the root of a repository.
    pub fn lines(&self, file: &str) -> Option<BTreeSet<u32>> {
        let file = plain(file);
        let same = |name: &Path| name.ends_with(&file) || file.ends_with(name);
        if let Some(exact) = self.files.get(&file) {
            return Some(exact.clone());
        }
        let near = self.files.iter().filter(|(name, _)| same(name)).map(|(_, lines)| lines.clone());
        near.reduce(|all, lines| &all | &lines)
    }
}

/// Reads the name of a new file, `Some(None)` if the file is deleted. Returns `None` if a quoted name is wrong.
fn name(text: &str) -> Option<Option<PathBuf>> {
    let text = text.split('\t').next().unwrap_or(text).trim_end_matches('\r');
    let text = if text.starts_with('"') { unquoted(text)? } else { text.to_string() };
    Some((text != "/dev/null").then(|| plain(text.strip_prefix("b/").unwrap_or(&text))))
}

/// Reads a name that git has quoted as in C: `"b/\303\251.myr"`. Git quotes quotation marks, backslashes, control
/// characters and, unless `core.quotePath` is false, all bytes above 127.
fn unquoted(text: &str) -> Option<String> {
    let mut bytes = text.strip_prefix('"')?.strip_suffix('"')?.bytes();
    let mut name = Vec::new();
    while let Some(byte) = bytes.next() {
        name.push(match byte {
            b'\\' => match bytes.next()? {
                high @ b'0'..=b'3' => {
                    let mut digit =
                        || bytes.next().filter(|byte| (b'0'..=b'7').contains(byte)).map(|byte| byte - b'0');
                    (high - b'0') << 6 | digit()? << 3 | digit()?
                }
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                own @ (b'"' | b'\\') => own,
                _ => return None,
            },
            b'"' => return None,
            byte => byte,
        });
    }
    Some(String::from_utf8_lossy(&name).into_owned())
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
        let lines = |name: &str| read.lines(name).into_iter().flatten().collect::<Vec<u32>>();
        assert_eq!(lines("src/a.myr"), [4, 5]);
        assert_eq!(lines("./src/a.myr"), [4, 5]);
        assert_eq!(lines("/home/me/project/src/a.myr"), [4, 5]);
        assert_eq!(lines("a.myr"), [4, 5]);
        assert!(lines("ba.myr").is_empty());
        assert_eq!((read.lines("b.myr"), read.lines("c.myr")), (None, None));
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
            ("--- a\n+++ \"b/\\9\"\n@@ -1,0 +2 @@\n+x\n", 2),
        ] {
            assert_eq!(InDiff::parse(text), Err((line, NOT_UNIFIED)), "{text}");
        }
    }

    #[test]
    fn names_that_git_quotes_are_read() {
        for (quoted, name) in [
            (r#""b/\303\251.myr""#, "é.myr"),
            (r#""b/a\tb\"c\\d.myr""#, "a\tb\"c\\d.myr"),
            ("b/with blanks.myr\t", "with blanks.myr"),
        ] {
            let text = format!("--- a/x\n+++ {quoted}\n@@ -1,0 +2 @@\n+x\n");
            let read = InDiff::parse(&text).expect(&text);
            assert_eq!(read.lines(name), Some(BTreeSet::from([2])), "{text}");
        }
    }

    #[test]
    fn combined_diffs_are_refused() {
        for text in
            ["diff --cc a.myr\n--- a/a.myr\n+++ b/a.myr\n", "--- a\n+++ b\n@@@ -1,5 -1,5 +1,5 @@@\n++x\n"]
        {
            let line = if text.starts_with("diff") { 1 } else { 3 };
            assert_eq!(InDiff::parse(text), Err((line, COMBINED)), "{text}");
        }
    }
}
