//! Tables of facts in documentation pages, which tests write and compare.

use std::fs;
use std::path::Path;

/// The paths of all pages, relative to the project's root.
pub fn all() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut folders, mut pages) = (vec![root.join("docs"), root.join("assets/neural")], Vec::new());
    pages.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(String::from));
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            match entry.extension() {
                _ if entry.is_dir() => folders.push(entry),
                Some(extension) if extension == "md" => {
                    pages.push(entry.strip_prefix(root).expect("below the root").display().to_string());
                }
                _ => {}
            }
        }
    }
    pages
}

/// Checks that a page has this table, found by its first line. `MYRIAD_BLESS=1 cargo test` rewrites it.
pub fn has_table(page: &str, table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = std::fs::read_to_string(&path).expect("the page can be read");
    let head = table.lines().next().expect("a table has a head");
    let begin = text.find(&format!("{head}\n")).unwrap_or_else(|| panic!("{page} lacks the table {head}"));
    let rows = text[begin..].split_inclusive('\n').take_while(|line| line.starts_with('|'));
    let end = begin + rows.map(str::len).sum::<usize>();
    if std::env::var_os("MYRIAD_BLESS").is_some() {
        std::fs::write(&path, [&text[..begin], table, &text[end..]].concat()).expect("the page can be written");
        return;
    }
    assert_eq!(&text[begin..end], table, "run MYRIAD_BLESS=1 cargo test --test it on this test");
}
