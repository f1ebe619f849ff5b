//! The appearance of text on screen.
//!
//! A glyph is one grapheme cluster and its width in cells. Characters that could change the terminal's state
//! or the order of text (control characters, escape sequences, bidi controls, invisible characters) are
//! replaced by a placeholder and never sent.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::report::visible::{is_hidden, placeholder};

/// The number of cells between tab stops.
const TAB: usize = 4;

/// The maximum number of characters of a cluster that is sent to a terminal unchanged. Unicode's stream-safe
/// text has at most 30 marks per character.
const LONGEST: usize = 31;

/// One cursor step on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glyph<'a> {
    /// The text to draw.
    pub shown: Cow<'a, str>,
    /// The number of characters in the cluster.
    pub chars: usize,
    /// The number of bytes in the cluster.
    pub bytes: usize,
    /// The width in cells.
    pub width: usize,
    /// Whether a placeholder is drawn.
    pub placeholder: bool,
}

/// Returns the glyphs of a line, given without its line end, from left to right in text order.
pub fn glyphs(line: &str) -> impl Iterator<Item = Glyph<'_>> {
    let mut column = 0;
    line.graphemes(true).map(move |cluster| {
        let glyph = glyph(cluster, column);
        column += glyph.width;
        glyph
    })
}

fn glyph(cluster: &str, column: usize) -> Glyph<'_> {
    let bytes = cluster.len();
    let chars = if bytes == 1 { 1 } else { cluster.chars().count() };
    let plain = |shown: Cow<'static, str>, placeholder| {
        let width = shown.width();
        Glyph { shown, chars, bytes, width, placeholder }
    };
    if cluster == "\t" {
        return plain(Cow::Owned(" ".repeat(TAB - column % TAB)), false);
    }
    if bytes == 1 && (' '..='~').contains(&char::from(cluster.as_bytes()[0])) {
        return Glyph { shown: Cow::Borrowed(cluster), chars, bytes, width: 1, placeholder: false };
    }
    if chars > LONGEST {
        let first: String = cluster.chars().take(1).map(placeholder).collect();
        let shown = format!("{}+{}›", first.trim_end_matches('›'), chars - 1);
        return plain(Cow::Owned(shown), true);
    }
    let width = cluster.width();
    if width == 0 {
        return plain(Cow::Owned(cluster.chars().map(placeholder).collect()), true);
    }
    if cluster.chars().any(is_hidden) {
        // Keep the visible characters readable: of a combined emoji, its parts.
        let shown =
            cluster.chars().map(|c| if is_hidden(c) { placeholder(c) } else { c.to_string() }).collect();
        return plain(Cow::Owned(shown), true);
    }
    Glyph { shown: Cow::Borrowed(cluster), chars, bytes, width, placeholder: false }
}

/// Returns a text for one line of the screen, with placeholders for characters that must not reach the
/// terminal.
pub fn visible(text: &str) -> String {
    glyphs(text).map(|g| g.shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_as_placeholders() {
        assert_eq!(visible("a\x1b[31mb\u{202e}c\u{85}"), "a␛[31mb‹202e›c‹85›");
        assert_eq!(visible("\u{301}x\u{7f}"), "‹301›x␡");
    }

    #[test]
    fn overlong_grapheme_cluster_is_a_placeholder() {
        let marks = |count| format!("e{}", "\u{301}".repeat(count));
        assert_eq!(visible(&marks(30)), marks(30));
        assert_eq!(visible(&format!("a{}b", marks(300_000))), "a‹65+300000›b");
        let all: Vec<_> = glyphs(&marks(300_000)).map(|g| (g.chars, g.bytes, g.width, g.placeholder)).collect();
        assert_eq!(all, [(300_001, 600_001, 11, true)]);
        assert_eq!(visible("a\u{2800}b"), "a‹2800›b");
    }

    #[test]
    fn tabs_reach_the_next_stop() {
        assert_eq!(visible("\ta\tb"), "    a   b");
    }

    #[test]
    fn a_cluster_is_one_glyph() {
        let all: Vec<_> = glyphs("e\u{301}漢👩\u{200d}🚀").map(|g| (g.chars, g.width, g.placeholder)).collect();
        assert_eq!(all, [(2, 1, false), (1, 2, false), (3, 10, true)]);
        assert_eq!(visible("👩\u{200d}🚀 ❤\u{fe0f}"), "👩‹200d›🚀 ❤‹fe0f›");
    }
}
