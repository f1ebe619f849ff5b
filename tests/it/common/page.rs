//! Tables of facts in documentation pages, which tests write and compare.

use std::path::Path;

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
