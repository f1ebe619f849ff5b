//! Large letters made of block characters, legible from far away.

/// The height of a letter in dots.
const ROWS: usize = 5;

/// Letters, digits and other characters of key names, in dots.
#[rustfmt::skip]
const LETTERS: &[(char, [&str; ROWS])] = &[
    ('a', [".#.", "#.#", "###", "#.#", "#.#"]),
    ('b', ["##.", "#.#", "##.", "#.#", "##."]),
    ('c', [".##", "#..", "#..", "#..", ".##"]),
    ('d', ["##.", "#.#", "#.#", "#.#", "##."]),
    ('e', ["###", "#..", "##.", "#..", "###"]),
    ('f', ["###", "#..", "##.", "#..", "#.."]),
    ('g', [".##", "#..", "#.#", "#.#", ".##"]),
    ('h', ["#.#", "#.#", "###", "#.#", "#.#"]),
    ('i', ["###", ".#.", ".#.", ".#.", "###"]),
    ('j', ["..#", "..#", "..#", "#.#", ".#."]),
    ('k', ["#.#", "#.#", "##.", "#.#", "#.#"]),
    ('l', ["#..", "#..", "#..", "#..", "###"]),
    ('m', ["#...#", "##.##", "#.#.#", "#...#", "#...#"]),
    ('n', ["#..#", "##.#", "#.##", "#..#", "#..#"]),
    ('o', [".#.", "#.#", "#.#", "#.#", ".#."]),
    ('p', ["##.", "#.#", "##.", "#..", "#.."]),
    ('q', [".##.", "#..#", "#..#", "#.#.", ".#.#"]),
    ('r', ["##.", "#.#", "##.", "#.#", "#.#"]),
    ('s', [".##", "#..", ".#.", "..#", "##."]),
    ('t', ["###", ".#.", ".#.", ".#.", ".#."]),
    ('u', ["#.#", "#.#", "#.#", "#.#", "###"]),
    ('v', ["#.#", "#.#", "#.#", "#.#", ".#."]),
    ('w', ["#...#", "#...#", "#.#.#", "##.##", "#...#"]),
    ('x', ["#.#", "#.#", ".#.", "#.#", "#.#"]),
    ('y', ["#.#", "#.#", ".#.", ".#.", ".#."]),
    ('z', ["###", "..#", ".#.", "#..", "###"]),
    ('0', ["###", "#.#", "#.#", "#.#", "###"]),
    ('1', [".#.", "##.", ".#.", ".#.", "###"]),
    ('2', ["##.", "..#", ".#.", "#..", "###"]),
    ('3', ["##.", "..#", ".#.", "..#", "##."]),
    ('4', ["#.#", "#.#", "###", "..#", "..#"]),
    ('5', ["###", "#..", "##.", "..#", "##."]),
    ('6', [".##", "#..", "###", "#.#", "###"]),
    ('7', ["###", "..#", ".#.", ".#.", ".#."]),
    ('8', ["###", "#.#", "###", "#.#", "###"]),
    ('9', ["###", "#.#", "###", "..#", "##."]),
    ('-', ["...", "...", "###", "...", "..."]),
    ('+', ["...", ".#.", "###", ".#.", "..."]),
    ('/', ["..#", "..#", ".#.", "#..", "#.."]),
    ('?', ["##.", "..#", ".#.", "...", ".#."]),
    ('[', ["##", "#.", "#.", "#.", "##"]),
    (']', ["##", ".#", ".#", ".#", "##"]),
    ('.', [".", ".", ".", ".", "#"]),
    (',', ["..", "..", "..", ".#", "#."]),
    (':', [".", "#", ".", "#", "."]),
    (';', ["..", ".#", "..", ".#", "#."]),
    ('=', ["...", "###", "...", "###", "..."]),
    ('*', ["...", "#.#", ".#.", "#.#", "..."]),
    ('<', ["..#", ".#.", "#..", ".#.", "..#"]),
    ('>', ["#..", ".#.", "..#", ".#.", "#.."]),
    ('(', [".#", "#.", "#.", "#.", ".#"]),
    (')', ["#.", ".#", ".#", ".#", "#."]),
    ('{', [".##", ".#.", "##.", ".#.", ".##"]),
    ('}', ["##.", ".#.", ".##", ".#.", "##."]),
    ('!', ["#", "#", "#", ".", "#"]),
    ('|', ["#", "#", "#", "#", "#"]),
    ('%', ["#.#", "..#", ".#.", "#..", "#.#"]),
    ('$', [".##", "##.", ".#.", ".##", "##."]),
    ('#', [".#.#.", "#####", ".#.#.", "#####", ".#.#."]),
    ('&', [".#..", "#.#.", ".#..", "#.##", ".###"]),
    ('"', ["#.#", "#.#", "...", "...", "..."]),
    ('\'', ["#", "#", ".", ".", "."]),
    ('_', ["...", "...", "...", "...", "###"]),
    ('^', [".#.", "#.#", "...", "...", "..."]),
    ('~', ["....", ".#.#", "#.#.", "....", "...."]),
    ('@', ["####", "#..#", "#.##", "#...", "####"]),
    ('`', ["#.", ".#", "..", "..", ".."]),
    ('\\', ["#..", "#..", ".#.", "..#", "..#"]),
    ('×', ["...", "#.#", ".#.", "#.#", "..."]),
    (' ', ["..", "..", "..", "..", ".."]),
];

/// The size of a dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockSize {
    /// Half a cell: a word is three cells high.
    Half,
    /// Two cells wide: a word is five cells high.
    Double,
}

/// Renders a word as lines of equal width; `None` if a character has no letter.
pub fn word(text: &str, size: BlockSize) -> Option<Vec<String>> {
    let letter = |c: char| LETTERS.iter().find(|(known, _)| *known == c.to_ascii_lowercase());
    let letters: Vec<_> = text.chars().map(letter).collect::<Option<_>>()?;
    let dots: Vec<String> =
        (0..ROWS).map(|row| letters.iter().map(|(_, rows)| format!("{}.", rows[row])).collect()).collect();
    Some(match size {
        BlockSize::Double => dots
            .iter()
            .map(|row| row.chars().map(|dot| if dot == '#' { "██" } else { "  " }).collect())
            .collect(),
        BlockSize::Half => dots.chunks(2).map(halves).collect(),
    })
}

/// Renders one or two rows of dots as one line of cells.
fn halves(rows: &[String]) -> String {
    let below = rows.get(1).map_or("", String::as_str);
    let pairs = rows[0].chars().zip(below.chars().chain(std::iter::repeat('.')));
    let cell = |pair| match pair {
        ('#', '#') => '█',
        ('#', _) => '▀',
        (_, '#') => '▄',
        _ => ' ',
    };
    pairs.map(cell).collect()
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::workbench::key::Key;
    use crate::workbench::keys::TABLE;

    #[test]
    fn every_key_name_has_block_letters() {
        for name in TABLE.iter().flat_map(|binding| binding.keys) {
            let name = Key::parse(name).expect("a key").to_string();
            for (size, height) in [(BlockSize::Half, 3), (BlockSize::Double, 5)] {
                let lines = word(&name, size).unwrap_or_else(|| panic!("{name} has no letters"));
                assert_eq!(lines.len(), height);
                assert!(lines.iter().all(|line| line.width() == lines[0].width()), "{name}");
            }
        }
    }

    #[test]
    fn block_letters_are_distinct() {
        for (i, (one, dots)) in LETTERS.iter().enumerate() {
            let same = LETTERS[..i].iter().find(|(other, same)| same == dots && (*one, *other) != ('×', '*'));
            assert!(same.is_none(), "{one} looks like {same:?}");
            assert!(dots.iter().all(|row| row.len() == dots[0].len()), "{one}");
        }
        let f7 = word("f7", BlockSize::Half).expect("letters");
        assert_eq!(f7, ["█▀▀ ▀▀█ ", "█▀   █  ", "▀    ▀  "]);
        assert!(word("ä", BlockSize::Half).is_none());
    }
}
