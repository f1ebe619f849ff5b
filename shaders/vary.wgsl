// vary: the tokens of a batch's parts: of a changed function with what its code depends on, edited. A workgroup per part.
//
// The contract is the section "splice" of docs/stages.md; the twins are src/compiler/stage/splice/part.rs and src/compiler/stage/mutate/edit.rs.

@group(0) @binding(0) var<uniform> sp: SpliceParams;
// The base's.
@group(0) @binding(1) var<storage, read> tokens: array<u32>;
// A mark for each word of the base's bytecode (HOLDS_*), a row for each function (PART_*), then what those point to.
@group(0) @binding(2) var<storage, read> parts: array<u32>;
// Of each part of the batch: what it is (ORDER_*), and its edits (EDITS_*).
@group(0) @binding(3) var<storage, read> orders: array<u32>;
@group(0) @binding(4) var<storage, read> edits: array<u32>;
@group(0) @binding(5) var<storage, read_write> programs: array<Program>;
@group(0) @binding(6) var<storage, read_write> variants: array<u32>;

// An edit of the part: rows lo .. hi become what its pieces say, so many tokens.
struct Edit {
    lo: u32,
    hi: u32,
    added: u32,
    // Where its pieces are, and by how much later in the part the tokens stand that they copy.
    pieces: u32,
    by: u32,
}

var<private> part: u32;
fn part_at(field: u32) -> u32 { return parts[part + field]; }
fn row_at(i: u32) -> u32 { return parts[part_at(PART_ROWS) + i]; }

var<private> variant_base: u32;
fn token_at(column: u32, t: u32) -> u32 { return tokens[column * sp.base_token_capacity + t]; }
fn set_variant(column: u32, t: u32, v: u32) { variants[column * sp.part_token_capacity + variant_base + t] = v; }

fn write_row(to: u32, row: u32) {
    let source = row & PART_TOKEN;
    let kind = row >> PART_KIND_BITS;
    let own = kind == PART_OWN;
    set_variant(TOKENS_KIND, to, select(kind, token_at(TOKENS_KIND, source), own));
    set_variant(TOKENS_VALUE, to, select(0u, token_at(TOKENS_VALUE, source), own));
    set_variant(TOKENS_LO, to, token_at(TOKENS_LO, source));
    set_variant(TOKENS_HI, to, token_at(TOKENS_HI, source));
    set_variant(TOKENS_LINE, to, token_at(TOKENS_LINE, source));
}

// An edit where the part has what it changes; one of nothing behind its end.
fn taken(place: u32) -> Edit {
    let lo = edits[place + EDITS_LO];
    let pieces = place + EDITS_PUT;
    if lo >= part_at(PART_HI) { return Edit(part_at(PART_LENGTH), part_at(PART_LENGTH), 0u, pieces, 0u); }
    let by = part_at(PART_AT) - part_at(PART_LO);
    var added = 0u;
    for (var i = 0u; i < PUT_MOST; i++) { added += edits[pieces + PUT_WORDS * i] >> PUT_BITS; }
    return Edit(lo + by, edits[place + EDITS_HI] + by, added, pieces, by);
}

// A new token of an edit, with the span of what it replaces or stands before.
fn write_new(to: u32, edit: Edit, kind: u32, value: u32) {
    let first = row_at(edit.lo) & PART_TOKEN;
    let last = row_at(max(edit.hi, edit.lo + 1u) - 1u) & PART_TOKEN;
    set_variant(TOKENS_KIND, to, kind);
    set_variant(TOKENS_VALUE, to, value);
    set_variant(TOKENS_LO, to, token_at(TOKENS_LO, first));
    set_variant(TOKENS_HI, to, token_at(TOKENS_HI, last));
    set_variant(TOKENS_LINE, to, token_at(TOKENS_LINE, first));
}

// The token with this number among those that an edit puts in.
fn write_put(to: u32, edit: Edit, number: u32) {
    var left = number;
    for (var i = 0u; i < PUT_MOST; i++) {
        let piece = edits[edit.pieces + PUT_WORDS * i];
        let says = edits[edit.pieces + PUT_WORDS * i + 1u];
        let tokens = piece >> PUT_BITS;
        if left < tokens {
            let kind = piece & PUT_KIND;
            if kind == PUT_COPY { write_row(to, row_at(says + edit.by + left)); } else { write_new(to, edit, kind, says); }
            return;
        }
        left -= tokens;
    }
}

@compute @workgroup_size(64)
fn vary(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let p = group.x;
    let own = p * EDITS_WORDS;
    part = sp.base_code + orders[p * ORDER_WORDS + ORDER_FUNCTION] * PART_WORDS;
    variant_base = programs[p].token_base;
    let invalid = edits[own + EDITS_INVALID] != 0u;
    let first = taken(own);
    let then = taken(own + EDITS_SECOND);
    let total = part_at(PART_LENGTH) + edits[own + EDITS_GROWTH];
    if local.x == 0u {
        programs[p].tokens = select(total, 0u, invalid);
        programs[p].names = sp.base_names;
        programs[p].invalid = select(0u, 1u, invalid);
    }
    if invalid { return; }
    // What stands before the first edit, between the two, and behind both.
    let second = first.lo + first.added + (then.lo - first.hi);
    for (var to = local.x; to < total; to += WORKGROUP) {
        if to - first.lo < first.added { write_put(to, first, to - first.lo); continue; }
        if to - second < then.added { write_put(to, then, to - second); continue; }
        var source = to;
        if to >= first.lo + first.added { source = to - first.added - first.lo + first.hi; }
        if to >= second + then.added { source = to - second - then.added + then.hi; }
        write_row(to, row_at(source));
    }
}
