// lex: text to tokens, without reading byte after byte.
//
// What a byte does to the lexer is a function from states to states, and functions compose associatively: a scan of
// composition over the bytes gives every byte the state before it, and with that the places where tokens begin and
// end are local facts. A prefix sum over the beginnings numbers the tokens. (`split`)
//
// Then each token is on its own: its kind and value from its bytes, four at a time, and the id of its name from a
// hash table whose entries sink to the first token of that name. (`classify`)
//
// The contract is the section "lex" of docs/stages.md; the twin is src/compiler/stage/lex.

#import shared/arena
#import shared/scan
#import lex/bytes
#import lex/states
#import lex/literal
#import lex/names

// States: what the lexer has just read. Those of 8 to 12 swallow all but a few bytes; all others are punctuation that may go
// on, as the prelude's functions say.
const BLANK = 0u;      // nothing that could go on
const WORD = 1u;       // in a name, keyword or number
const JUNK = 2u;       // in a run of bytes that begin no token
const STRING = 8u;
const STRING_ESCAPE = 9u;
const CHARACTER = 10u;
const CHARACTER_ESCAPE = 11u;
const COMMENT = 12u;

// Bytes of a thread in one round.
const RUN = 16u;

// The state behind a byte c that goes on with nothing; n is the byte behind it.
fn fresh(c: u32, n: u32) -> u32 {
    var s = punctuation_state(c);
    s = select(s, WORD, is_word(c));
    s = select(s, JUNK, is_junk(c));
    s = select(s, STRING, c == 34u);
    s = select(s, CHARACTER, c == 39u);
    return select(s, COMMENT, c == 47u && n == 47u);
}

// f, the upper half of a function, with state s sent to t.
fn send(f: u32, s: u32, t: u32) -> u32 { return insertBits(f, t, (s & 7u) * 4u, 4u); }

// What byte c, with n behind it, does to every state.
fn effect(c: u32, n: u32) -> vec2<u32> {
    let to = fresh(c, n) * 0x11111111u;
    var high = insertBits(to, 0xcaa88u, 0u, 20u);
    if c == 10u { high = insertBits(high, 0u, 0u, 20u); }
    if c == 13u && n == 10u { high = insertBits(high, 0u, 0u, 16u); }
    if c == 34u { high = send(high, STRING, BLANK); }
    if c == 39u { high = send(high, CHARACTER, BLANK); }
    if c == 92u { high = send(send(high, STRING, STRING_ESCAPE), CHARACTER, CHARACTER_ESCAPE); }
    return punctuation_effect(c, vec2<u32>(to, high));
}

// Whether byte c, with n after it, goes on with the token that state s is in.
fn goes_on(s: u32, c: u32, n: u32) -> bool {
    if s == BLANK || s == COMMENT { return false; }
    if s == WORD { return is_word(c); }
    if s == JUNK { return is_junk(c); }
    if in_range(s, STRING, CHARACTER_ESCAPE) { return !ends_line(c, n); }
    return punctuation_goes_on(s, c);
}

// Byte i of the text; a line end behind it, a blank in place of a byte order mark.
fn text_byte(i: u32, mark: u32) -> u32 {
    if i < mark { return 32u; }
    if i >= P.text_len { return 10u; }
    return byte(i);
}

fn fail(code: u32, token: u32, count: u32, rows: u32) {
    programs[program_index].fatal = code;
    programs[program_index].fatal_token = token;
    programs[program_index].fatal_count = count;
    programs[program_index].errors = 1u;
    programs[program_index].tokens = rows;
    programs[program_index].names = FIRST_NAME + rows;
}

// Finds the tokens: lo, hi and line of each.
@compute @workgroup_size(64)
fn split(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    let length = uniform_from(select(P.text_len, 0u, P.text_len > LIMIT_SOURCE_BYTES));
    var mark = 0u;
    if P.text_len >= 3u && byte(0u) == 0xefu && byte(1u) == 0xbbu && byte(2u) == 0xbfu { mark = 3u; }

    var state = BLANK;   // before the round's first byte
    var count = 0u;      // tokens begun before it
    var line = 0u;       // line ends before it
    for (var at = 0u; at < length; at += RUN * WORKGROUP) {
        let first = at + lane * RUN;
        // The functions of this thread's bytes, composed; then those of all threads before.
        var f = IDENTITY_FUNCTION;
        var c = text_byte(first, mark);
        for (var i = first; i < first + RUN; i++) {
            let n = text_byte(i + 1u, mark);
            f = compose(f, effect(c, n));
            c = n;
        }
        _ = scan_compose(f);
        var s = apply(compose_before, state);
        state = apply(compose_total, state);

        // With the state known: where tokens begin and end, a bit per byte.
        var begins = 0u;
        var ends = 0u;
        var lines = 0u;
        c = text_byte(first, mark);
        var n = text_byte(first + 1u, mark);
        for (var i = first; i < first + RUN; i++) {
            let after = text_byte(i + 2u, mark);
            let bit = 1u << (i - first);
            let on = goes_on(s, c, n);
            let begin = !on && s != COMMENT && !is_white(c) && !(c == 47u && n == 47u);
            s = apply(effect(c, n), s);
            if begin { begins |= bit; }
            if (on || begin) && !(i + 1u < length && goes_on(s, n, after)) { ends |= bit; }
            if c == 10u { lines |= bit; }
            c = n;
            n = after;
        }
        let mine = countOneBits(begins) | (countOneBits(lines) << 16u);
        let before = scan_sum(mine) - mine;
        var token = count + (before & 0xffffu);
        let line_before = line + (before >> 16u);
        let edges = begins | ends;
        for (var i = 0u; i < RUN; i++) {
            let bit = 1u << i;
            if (begins & bit) != 0u {
                if token < P.token_room {
                    set_token(TOKENS_LO, token, first + i);
                    set_token(TOKENS_LINE, token, line_before + countOneBits(lines & (bit - 1u)));
                }
                token++;
            }
            if (ends & bit) != 0u && token - 1u < P.token_room {
                set_token(TOKENS_HI, token - 1u, first + i + 1u);
            }
        }
        count += scan_total & 0xffffu;
        line += scan_total >> 16u;
    }
    // round n: Tokens have their places: each byte knows the state of the lexer before it, and a running sum numbers the
    // beginnings.
    storageBarrier();
    if lane == 0u {
        if P.text_len > LIMIT_SOURCE_BYTES {
            fail(CODE_SOURCE_TOO_LONG, 0u, P.text_len, 0u);
        } else if count > LIMIT_TOKENS {
            fail(CODE_TOO_MANY_TOKENS, LIMIT_TOKENS, count, LIMIT_TOKENS + 1u);
        } else {
            programs[program_index].tokens = count;
            programs[program_index].names = FIRST_NAME + count;
        }
    }
    // round 1: The number of tokens is written.
}

// Whether the number that begins at byte lo, two bytes long at least, is a decimal one.
fn is_decimal(lo: u32) -> bool {
    let second = byte(lo + 1u);
    return second != 120u && second != 98u;
}

// Whether a token of this kind may stand before a `-` that subtracts.
fn stops_prefix(kind: u32) -> bool {
    return kind == TOKEN_INT || kind == TOKEN_CHAR || kind == TOKEN_STR || kind == TOKEN_NAME || kind == TOKEN_TRUE
        || kind == TOKEN_FALSE || kind == TOKEN_RIGHT_PAREN || kind == TOKEN_RIGHT_BRACKET || kind == TOKEN_ERROR;
}

// Kind and value of each token. It also runs where there are too many tokens, on those that are kept.
@compute @workgroup_size(64)
fn classify(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    _ = enter(group, local);
    let count = P.tokens;
    // Slots: a power of two above twice the tokens, at most four times.
    let mask = (0x80000000u >> countLeadingZeros(max(count, 1u) * 4u)) - 1u;
    for (var slot = lane; slot <= mask; slot += WORKGROUP) {
        atomicStore(&scratch_atomic[slot_place(slot)], 0u);
    }

    for (var t = lane; t < count; t += WORKGROUP) {
        let lo = token_at(TOKENS_LO, t);
        let hi = token_at(TOKENS_HI, t);
        let c = byte(lo);
        var found = vec2<u32>(NONE, 0u);
        if is_digit(c) {
            found = classify_number(lo, hi);
        } else if is_letter(c) {
            let word = packed_word(lo, hi);
            found.x = keyword_kind(word);
            if found.x == NONE {
                found = vec2<u32>(TOKEN_NAME, builtin_name(word));
                if found.y == NONE { atomicStore(&scratch_atomic[token_scratch_place(HASH, t)], hash_text(lo, hi)); }
            }
        } else if c == 34u || c == 39u {
            found = classify_quoted(lo, hi);
        } else {
            found.x = punctuation_kind(packed_word(lo, hi));
            if found.x == NONE { found = vec2<u32>(TOKEN_ERROR, CODE_UNEXPECTED_CHARACTER); }
        }
        set_token(TOKENS_KIND, t, found.x);
        set_token(TOKENS_VALUE, t, found.y);
    }
    // round n: Every token has its kind and its value; a name has the hash of its letters.
    storageBarrier();

    for (var t = lane; t < count; t += WORKGROUP) {
        if token_at(TOKENS_KIND, t) == TOKEN_NAME && token_at(TOKENS_VALUE, t) == NONE {
            atomicStore(&scratch_atomic[token_scratch_place(SLOT, t)], intern(t, mask));
        }
    }
    // round n: Every name has found its slot in the hash table. A slot holds the first token of its name.
    storageBarrier();

    // Every name is in its slot with its first token. And 2147483648 is fit behind a prefix `-` alone; of the kinds
    // looked at for that, none is one that changes here, Int and Error counting alike.
    var errors = 0u;
    for (var t = lane; t < count; t += WORKGROUP) {
        let kind = token_at(TOKENS_KIND, t);
        let value = token_at(TOKENS_VALUE, t);
        var bad = kind == TOKEN_ERROR;
        if kind == TOKEN_NAME && value == NONE {
            let slot = atomicLoad(&scratch_atomic[token_scratch_place(SLOT, t)]);
            set_token(TOKENS_VALUE, t, FIRST_NAME + atomicLoad(&scratch_atomic[slot_place(slot)]) - 1u);
        }
        if kind == TOKEN_INT && value == 0x80000000u && is_decimal(token_at(TOKENS_LO, t)) {
            var prefix = t >= 1u && token_at(TOKENS_KIND, t - 1u) == TOKEN_MINUS;
            if prefix && t >= 2u { prefix = !stops_prefix(token_at(TOKENS_KIND, t - 2u)); }
            if !prefix {
                set_token(TOKENS_KIND, t, TOKEN_ERROR);
                set_token(TOKENS_VALUE, t, CODE_LITERAL_OUT_OF_RANGE);
                bad = true;
            }
        }
        errors += select(0u, 1u, bad);
    }
    let total = reduce_sum(errors);
    if lane == 0u && P.fatal == 0u { programs[program_index].errors = total; }
    // round n: Every name has the number of its first token.
}
