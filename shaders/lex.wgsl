// lex: splits the text into tokens without a sequential pass over its bytes.
//
// `split`: a byte maps each lexer state to a next state, and such functions compose associatively (Hillis and
// Steele, "Data parallel algorithms", 1986). A scan of
// composition yields the state before every byte. The state and the next bytes then decide where tokens begin
// and end, and a prefix sum over the beginnings numbers the tokens.
//
// `classify`: computes each token's kind and value from its bytes, four at a time. A hash table, in which
// each slot converges to the first token of its name, yields the ids of names.
//
// In `split`, each thread handles 16 consecutive bytes per tile; in `classify`, every WORKGROUP-th token.
// Workgroup memory holds the operands of the scans only. Storage barriers separate writing the tokens from
// writing their number, and the three steps of `classify`: kinds and hashes, slots of names, ids of names.
//
// The specification is docs/stages/lex.md; the CPU twin is src/compiler/stage/lex.

#import shared/arena
#import shared/scan
#import lex/bytes
#import lex/states
#import lex/literal
#import lex/names

// Lexer states: the construct that ends at the last byte. States 8 to 12 consume all but a few bytes. The
// other states are punctuation that may continue, as the prelude's functions define.
const BLANK = 0u;      // nothing that could continue
const WORD = 1u;       // in a name, keyword or number
const JUNK = 2u;       // in a run of bytes that begin no token
const STRING = 8u;
const STRING_ESCAPE = 9u;
const CHARACTER = 10u;
const CHARACTER_ESCAPE = 11u;
const COMMENT = 12u;

// Bytes per thread and tile.
const RUN = 16u;

// Returns the state after byte c if c continues no token; n is the byte after c.
fn fresh(c: u32, n: u32) -> u32 {
    var s = punctuation_state(c);
    s = select(s, WORD, is_word(c));
    s = select(s, JUNK, is_junk(c));
    s = select(s, STRING, c == 34u);
    s = select(s, CHARACTER, c == 39u);
    return select(s, COMMENT, c == 47u && n == 47u);
}

// Returns f, the upper half of a state function, changed to map state s to t.
fn send(f: u32, s: u32, t: u32) -> u32 { return insertBits(f, t, (s & 7u) * 4u, 4u); }

// Returns the function from states to states of byte c, which is followed by byte n.
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

// Returns whether byte c, followed by n, continues the token of state s.
fn goes_on(s: u32, c: u32, n: u32) -> bool {
    if s == BLANK || s == COMMENT { return false; }
    if s == WORD { return is_word(c); }
    if s == JUNK { return is_junk(c); }
    if in_range(s, STRING, CHARACTER_ESCAPE) { return !ends_line(c, n); }
    return punctuation_goes_on(s, c);
}

// Returns byte i of the text, a line feed after its end, and a blank in place of a byte order mark.
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

// Finds the tokens: writes lo, hi and line of each.
@compute @workgroup_size(64)
fn split(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    let length = uniform_from(select(P.text_len, 0u, P.text_len > LIMIT_SOURCE_BYTES));
    var mark = 0u;
    if P.text_len >= 3u && byte(0u) == 0xefu && byte(1u) == 0xbbu && byte(2u) == 0xbfu { mark = 3u; }

    var state = BLANK;   // before the tile's first byte
    var count = 0u;      // tokens begun before it
    var line = 0u;       // line ends before it
    for (var at = 0u; at < length; at += RUN * WORKGROUP) {
        let first = at + lane * RUN;
        // Compose the functions of this thread's bytes, then those of all earlier threads.
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

        // The state is known here. Mark where tokens begin and end, one bit per byte.
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
    #round n: Tokens have their positions: the state of the lexer before each byte is known, and a running
    #: sum numbers the beginnings.
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
    #round 1: The number of tokens is written.
}

// Returns whether the number at byte lo, which has at least two bytes, is decimal.
fn is_decimal(lo: u32) -> bool {
    let second = byte(lo + 1u);
    return second != 120u && second != 98u;
}

// Returns whether an operand may end with a token of this kind: a `-` after it is a subtraction, and a `?` an error.
fn may_end_operand(kind: u32) -> bool {
    return kind == TOKEN_INT || kind == TOKEN_CHAR || kind == TOKEN_STR || kind == TOKEN_NAME || kind == TOKEN_TRUE
        || kind == TOKEN_FALSE || kind == TOKEN_RIGHT_PAREN || kind == TOKEN_RIGHT_BRACKET || kind == TOKEN_QUESTION
        || kind == TOKEN_ERROR;
}

// Writes the kind and value of each token. This entry point also runs if there are too many tokens, on those
// kept.
@compute @workgroup_size(64)
fn classify(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    _ = enter(group, local);
    let count = P.tokens;
    // The number of slots is a power of two, more than twice and at most four times the number of tokens.
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
    #round n: Every token has its kind and value; every name has a hash of its text.
    storageBarrier();

    for (var t = lane; t < count; t += WORKGROUP) {
        if token_at(TOKENS_KIND, t) == TOKEN_NAME && token_at(TOKENS_VALUE, t) == NONE {
            atomicStore(&scratch_atomic[token_scratch_place(SLOT, t)], intern(t, mask));
        }
    }
    #round n: Every name has found its slot in the hash table. A slot holds the first token of its name.
    storageBarrier();

    // Set the id of each name to the first token in its slot. Reject 2147483648 unless it follows a prefix
    // `-`, and a `?` after an operand. Other threads may turn an Int or a `?` into an Error here, which does not
    // matter: `may_end_operand` treats all three kinds alike.
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
            if prefix && t >= 2u { prefix = !may_end_operand(token_at(TOKENS_KIND, t - 2u)); }
            if !prefix {
                set_token(TOKENS_KIND, t, TOKEN_ERROR);
                set_token(TOKENS_VALUE, t, CODE_LITERAL_OUT_OF_RANGE);
                bad = true;
            }
        }
        if kind == TOKEN_QUESTION && t >= 1u && may_end_operand(token_at(TOKENS_KIND, max(t, 1u) - 1u)) {
            set_token(TOKENS_KIND, t, TOKEN_ERROR);
            set_token(TOKENS_VALUE, t, CODE_UNEXPECTED_CHARACTER);
            bad = true;
        }
        errors += select(0u, 1u, bad);
    }
    let total = reduce_sum(errors);
    if lane == 0u && P.fatal == 0u { programs[program_index].errors = total; }
    #round n: Every name has the number of its first token.
}
