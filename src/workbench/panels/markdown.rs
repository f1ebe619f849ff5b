//! The table of panels in docs/workbench.md.

use super::PANELS;

/// Renders the table as Markdown.
pub fn markdown() -> String {
    let mut table = String::from("| panel | key | shows |\n|---|---|---|\n");
    for row in PANELS {
        let keys: Vec<String> = row.keys.iter().map(|key| format!("`{key}`")).collect();
        table.push_str(&format!("| {} | {} | {} |\n", row.title, keys.join(" "), row.shows));
    }
    table
}

#[cfg(test)]
mod page_of_panels {
    use super::markdown;

    /// `MYRIAD_BLESS=1 cargo test` rewrites the page's table.
    #[test]
    fn panels_page_matches_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/workbench.md");
        let page = std::fs::read_to_string(path).unwrap_or_default();
        let begin = page.find("| panel |").unwrap_or(page.len());
        let end = page[begin..].find("\n\n").map_or(page.len(), |end| begin + end + 1);
        if std::env::var_os("MYRIAD_BLESS").is_some() {
            let page = format!("{}{}{}", &page[..begin], markdown(), &page[end..]);
            return std::fs::write(path, page).expect("docs/workbench.md can be written");
        }
        assert_eq!(page[begin..end], markdown(), "run MYRIAD_BLESS=1 cargo test --lib panels");
    }
}
