//! The keys outside insert mode, as the help and `docs/keys-modal.md` list them, the most useful first.

use super::{KeySet, Modal};

/// Keys, as Markdown, and what they do.
pub type ModalRow = (&'static str, &'static str);

const BOTH: &[ModalRow] = &[
    ("`h` `j` `k` `l`, arrows", "a character or a line further"),
    ("`i` `a` `I` `A`", "insert before, after; at the start of the line's text, at its end"),
    ("`w` `b` `e`", "to the next word, the word before, the end of the word"),
    ("`0` `^` `$`", "to the start of the line, its first character that is not blank, its end"),
    ("`u`", "undo, in the same steps as `ctrl-u`"),
    ("`/` `n` `N`", "search; next match, match before"),
    ("`:w` `:w NAME` `:q` `:wq` `:LINE`", "save, save under a name, quit, both, go to a line"),
    ("`o` `O`", "insert on a new line below, above"),
    ("`g d`", "to the declaration of the name"),
    ("`g g` `G`", "to the first line, the last line; after a number, to that line"),
    (
        "`f` `F` `t` `T` and a character",
        "to that character in the line, to the right or left; `t` and `T` stop next to it",
    ),
    ("`r` and a character", "replace by that character, or by a line end: `r enter`"),
    ("`p` `P`", "put the text that was deleted or copied last after, before"),
    (
        "a number",
        "repeat the motion or command after it; of `i`, `a`, `I`, `A`, `o` and `O`, the text up to `esc`",
    ),
];

const VI: &[ModalRow] = &[
    ("`d` `c` `y` and a motion", "delete, change, copy up to there"),
    ("`dd` `cc` `yy`", "the same with whole lines"),
    ("`x` `X` `s`", "delete the character, the one before; change the character"),
    ("`v` `V`", "select characters, lines; then `d` `c` `y` `p` `x` `r` act on them"),
    ("`D` `C`", "delete, change the rest of the line"),
    ("`%`", "to the matching bracket"),
    ("`ctrl-r`", "redo"),
];

const HELIX: &[ModalRow] = &[
    ("`d` `c` `y`", "delete, change, copy the selection"),
    ("`x`", "select the line; again: the next line, too"),
    ("`v`", "select mode: all motions extend the selection"),
    ("`U`", "redo"),
    ("`%`", "select everything"),
    ("`;`", "keep only the cursor"),
    ("`m m`", "to the matching bracket"),
    ("`g h` `g l` `g s` `g e`", "to the start, the end, the first character of the line; to the last line"),
];

/// The number of keys of both sets, and of one set, among the dozen that the help shows first.
const FIRST: [usize; 2] = [8, 4];

impl KeySet {
    fn rows(self) -> [&'static [ModalRow]; 2] {
        match self {
            KeySet::Standard => [&[], &[]],
            KeySet::Vi => [BOTH, VI],
            KeySet::Helix => [BOTH, HELIX],
        }
    }
}

impl Modal {
    /// Returns all keys of the modes; none without modes.
    pub fn rows(&self) -> Vec<ModalRow> {
        self.set.rows().concat()
    }

    /// Returns the first dozen of them.
    pub fn first_rows(&self) -> Vec<ModalRow> {
        let parts = self.set.rows().into_iter().zip(FIRST);
        parts.flat_map(|(rows, count)| rows.iter().take(count).copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_of_modal_keys_has_the_lists() {
        let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/keys-modal.md"));
        let page = page.expect("the page");
        for rows in [BOTH, VI, HELIX] {
            let rows: String = rows.iter().map(|(keys, does)| format!("- {keys}: {does}\n")).collect();
            assert!(page.contains(&format!("\n\n{rows}\n")), "docs/keys-modal.md lacks\n{rows}");
        }
    }
}
