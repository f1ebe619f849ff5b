// Values of numbers, characters and strings, computed from their bytes. Each thread reads one literal at a
// time, in private variables. No workgroup memory, no barriers.

#import lex/bytes

// State of the number that is being read, updated byte by byte.
var<private> base: u32;         // the radix
var<private> digits: u32;
var<private> number: u32;
var<private> malformed: bool;
var<private> overflow: bool;

fn number_byte(c: u32) {
    if c == 95u { return; }
    var d = c - 48u;
    if in_range(c | 32u, 97u, 102u) { d = (c | 32u) - 87u; }
    if d >= base { malformed = true; return; }
    digits++;
    if base == 16u {
        overflow = overflow || number >= 0x10000000u;
    } else if base == 2u {
        overflow = overflow || number >= 0x80000000u;
    } else {
        // The limit is 2147483648, so after 214748364 the last digit may be at most 8.
        overflow = overflow || number > 214748364u || (number == 214748364u && d > 8u);
    }
    number = number * base + d;
}

// Returns kind and value of a number, without regard to the tokens before it.
fn classify_number(lo: u32, hi: u32) -> vec2<u32> {
    base = 10u; digits = 0u; number = 0u; malformed = false; overflow = false;
    var i = lo;
    if hi - lo >= 2u && byte(lo) == 48u {
        let x = byte(lo + 1u);
        if x == 120u { base = 16u; i = lo + 2u; }
        if x == 98u { base = 2u; i = lo + 2u; }
    }
    for (; i < hi; i += 4u) {
        let word = four(i);
        number_byte(word & 0xffu);
        if i + 1u < hi { number_byte((word >> 8u) & 0xffu); }
        if i + 2u < hi { number_byte((word >> 16u) & 0xffu); }
        if i + 3u < hi { number_byte(word >> 24u); }
    }
    if malformed || digits == 0u { return vec2<u32>(TOKEN_ERROR, CODE_MALFORMED_NUMBER); }
    if overflow { return vec2<u32>(TOKEN_ERROR, CODE_LITERAL_OUT_OF_RANGE); }
    return vec2<u32>(TOKEN_INT, number);
}

var<private> quote: u32;
var<private> escaped: bool;     // the byte before is a `\` that escapes this one
var<private> closed: bool;
var<private> brace: u32;
var<private> codes: u32;        // characters so far
var<private> last_code: u32;
var<private> offence: u32;      // offset << 16 | code of the leftmost error, or NONE

fn escape_code(c: u32) -> u32 {
    var v = NONE;
    v = select(v, 10u, c == 110u);
    v = select(v, 9u, c == 116u);
    v = select(v, 0u, c == 48u);
    v = select(v, c, c == 92u || c == 39u || c == 34u);
    return v;
}

fn quoted_byte(c: u32, offset: u32) {
    if c == 123u || c == 125u { brace = 1u; }
    if escaped {
        escaped = false;
        last_code = escape_code(c);
        if last_code == NONE { offence = min(offence, ((offset - 1u) << 16u) | CODE_BAD_LITERAL); }
        return;
    }
    if c == quote { closed = true; return; }
    // Continuation bytes of UTF-8 belong to the character of their first byte.
    if (c & 0xc0u) != 0x80u { codes++; }
    last_code = c;
    if c == 92u { escaped = true; }
    if (c < 32u && c != 9u) || c >= 127u { offence = min(offence, (offset << 16u) | CODE_UNEXPECTED_CHARACTER); }
}

fn classify_quoted(lo: u32, hi: u32) -> vec2<u32> {
    quote = byte(lo);
    escaped = false; closed = false; brace = 0u; codes = 0u; last_code = 0u; offence = NONE;
    for (var i = lo + 1u; i < hi; i += 4u) {
        let word = four(i);
        quoted_byte(word & 0xffu, i - lo);
        if i + 1u < hi { quoted_byte((word >> 8u) & 0xffu, i + 1u - lo); }
        if i + 2u < hi { quoted_byte((word >> 16u) & 0xffu, i + 2u - lo); }
        if i + 3u < hi { quoted_byte(word >> 24u, i + 3u - lo); }
    }
    if !closed { return vec2<u32>(TOKEN_ERROR, CODE_UNTERMINATED | (brace << 16u)); }
    if quote == 39u && codes != 1u { return vec2<u32>(TOKEN_ERROR, CODE_BAD_LITERAL); }
    if offence != NONE { return vec2<u32>(TOKEN_ERROR, (offence & 0xffffu) | (offence & 0xffff0000u)); }
    if quote == 39u { return vec2<u32>(TOKEN_CHAR, last_code); }
    return vec2<u32>(TOKEN_STR, codes);
}
