// Bytes of the text: their classes, and access to four bytes at once. Each function works for one thread. No
// workgroup memory, no barriers.

#import shared/arena

fn in_range(c: u32, first: u32, last: u32) -> bool { return c - first <= last - first; }
fn is_digit(c: u32) -> bool { return in_range(c, 48u, 57u); }
fn is_letter(c: u32) -> bool { return in_range(c | 32u, 97u, 122u) || c == 95u; }
fn is_word(c: u32) -> bool { return is_digit(c) || is_letter(c); }
fn is_white(c: u32) -> bool { return c == 32u || c == 9u || c == 10u || c == 13u; }
fn is_junk(c: u32) -> bool {
    return (c < 32u && !is_white(c)) || c >= 127u
        || c == 35u || c == 36u || c == 64u || c == 92u || c == 96u;
}
// Returns whether the line ends at byte c, which is followed by n. A `\r` ends a line only before a `\n`.
fn ends_line(c: u32, n: u32) -> bool { return c == 10u || (c == 13u && n == 10u); }

// Returns the four bytes from byte i on, the first in the lowest bits.
fn four(i: u32) -> u32 {
    let at = P.text_base + i;
    let shift = (at & 3u) * 8u;
    let low = text[at >> 2u] >> shift;
    if shift == 0u { return low; }
    return low | (text[(at >> 2u) + 1u] << (32u - shift));
}
// Returns the four bytes from byte i on, with zeros in place of bytes from hi on.
fn four_below(i: u32, hi: u32) -> u32 {
    let word = four(i);
    let left = hi - i;
    return select(word, extractBits(word, 0u, (left & 3u) * 8u), left < 4u);
}
fn packed_word(lo: u32, hi: u32) -> vec2<u32> {
    if hi - lo > 8u { return vec2<u32>(NONE, NONE); }
    return vec2<u32>(four_below(lo, hi), select(0u, four_below(min(lo + 4u, hi), hi), hi > lo + 4u));
}
