//! The keys outside insert mode, as the help and `docs/keys-modal.md` list them, the most useful first.

use super::{KeySet, Modal};

/// Keys, as Markdown, and what they do.
pub type ModalRow = (&'static str, &'static str);

const BOTH: &[ModalRow] = &[
    ("`h` `j` `k` `l`, arrows", "a character or a line further"),
    ("`i` `a` `I` `A`", "insert before, after; at the start of the line's text, at its end"),
    (
        "`w` `b` `e`",
        "to the next word, the word before, the end of the word; `W` `B` `E`: words between blanks",
    ),
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
    (
        "`\"` and `a` to `z`",
        "the register for the next command; a capital letter appends to it; `0` is the last copy, `_` keeps nothing",
    ),
    ("`J`", "join the line with the next"),
    ("`:e NAME` `:noh`", "open a file; hide the matches of the search"),
    (
        "`:s/PATTERN/TEXT/` `:%s` `:3,5s`",
        "replace the first match in the line, all lines, some; then `g` for all, `i` for any case",
    ),
];

const VI: &[ModalRow] = &[
    ("`d` `c` `y` and a motion", "delete, change, copy up to there"),
    ("`dd` `cc` `yy`", "the same with whole lines"),
    ("`x` `X` `s`", "delete the character, the one before; change the character"),
    (
        "`v` `V`",
        "select characters, lines; then `d` `c` `y` `p` `x` `r` `>` `<` `J` `~` `u` `U` act on them, `o` goes to the other end",
    ),
    ("`D` `C`", "delete, change the rest of the line"),
    ("`%`", "to the matching bracket"),
    ("`ctrl-r`", "redo"),
    (
        "`i` `a` and `w` `W` `p` `(` `[` `{` `\"`",
        "after an operator or in a selection: in or around the word, paragraph, brackets, quotes",
    ),
    ("`.`", "the last command that changed the text again"),
    ("`;` `,`", "the last `f`, `F`, `t` or `T` again, or to the other side"),
    ("`*` `#`", "the next place, the place before, of the word at the cursor"),
    ("`>` `<` and a motion, `>>` `<<`", "indent lines, or unindent"),
    ("`~`", "change the case; `g~` `gu` `gU` and a motion: change it, lower, upper"),
    ("`m` and `a` to `z`", "mark the place; `'` and the letter: to its line; `` ` ``: to the place"),
    (
        "`q` and `a` to `z`, `q`",
        "record keys into a register; `@` and the letter plays them, `@@` again, up to a command that fails",
    ),
    ("`S` `Y`", "change the line; copy the rest of it"),
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
    ("`.`", "the last insertion again, with its command"),
    (
        "`m i` `m a` and `w` `W` `p` `(` `[` `{` `\"`",
        "select in or around the word, paragraph, brackets, quotes",
    ),
    ("`m s` `m d` `m r`", "put brackets or quotes around the selection, drop them, replace them by others"),
    (
        "`s` `S` `alt-s`",
        "select the matches of a regular expression in the selections, or the text between them; each line of them",
    ),
    ("`C` `,`", "add a cursor on the line below; keep one cursor"),
    ("`>` `<`", "indent lines, or unindent"),
    ("`` ` `` `~`", "lower case; the other case"),
    ("`R`", "replace by the text that was deleted or copied last"),
    ("`g r`", "to the next use of the name"),
    ("`Q` `q`", "record keys, up to `Q` again; play them; after `\"` and a letter, those of that register"),
    (
        "`space` and `f` or `b`, `d`, `a`, `s`, `r`, `y`, `p`, `/`",
        "open a file; diagnostics; repairs; symbols; rename; copy; paste; search",
    ),
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
