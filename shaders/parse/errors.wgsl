// Bracket partners, stray and muted parts of regions, and errors. Each statement keeps its leftmost error.
//
// Each thread handles every WORKGROUP-th token; for running maxima, it walks its own share of the tokens.
// Workgroup memory is used only by the scans. Storage barriers separate partners, last headers without a
// block and regions in `parse_brackets`, and recording from counting errors in `parse_errors`.

#import shared/scan
#import parse/structure
#import parse/rules

// Finds bracket partners and groups as nearest smaller levels.
@compute @workgroup_size(WORKGROUP)
fn parse_brackets(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    begin();
    for (var t = lane; t < leaves; t += WORKGROUP) {
        let k = kind_at(t);
        var bracket = NONE;
        if is_closer(k) || k == TOKEN_RIGHT_BRACE {
            if (temp(INFO, t) & PAIRED) != 0u {
                let opener = previous_below(t, (level_at(t) + 1u) * 16u);
                set_temp(PARTNER, t, opener);
                set_temp(PARTNER, opener, t);
                if is_closer(k) { bracket = opener; }
            }
        } else if depth_at(t) > 0u {
            bracket = previous_below(t, level_at(t) * 16u);
        }
        set_temp(GROUP, t, bracket);
    }
    #round n log n: Brackets have their partners: the nearest token to the left at a lower level, found in
    #: the min-tree.
    storageBarrier();

    // Find the headers that lack a block.
    var bare = 0u;
    for (var t = walk_lo; t < walk_hi; t++) {
        if lacks_block(t) { bare = t + 1u; }
    }
    bare = max_before(bare);
    for (var t = walk_lo; t < walk_hi; t++) {
        if lacks_block(t) { bare = t + 1u; }
        set_temp(LAST_BARE, t, bare);
    }
    #round n: Every token has the last header before it that lacks its block.
    storageBarrier();

    for (var t = lane; t < leaves; t += WORKGROUP) {
        if temp(REGION, t) == t { mark_region(t); }
    }
    #round n: Every region has the start of its stray or muted part, if it has one.
}

// Returns whether a statement begins at t that should end in `{` but does not.
fn lacks_block(t: u32) -> bool {
    let k = kind_at(t);
    let heads = k == TOKEN_IF || k == TOKEN_WHILE || k == TOKEN_FOR || k == TOKEN_ELSE || k == TOKEN_FN;
    if !heads || temp(START, t) != t { return false; }
    return kind_at(end_of(t) - 1u) != TOKEN_LEFT_BRACE;
}

// Records where the stray or muted part of the region at r begins, and why.
fn mark_region(r: u32) {
    let end = temp(REGION_END, r);
    let k = kind_at(r);
    let item_end = end_of(r);
    let has_block = kind_at(item_end - 1u) == TOKEN_LEFT_BRACE;
    let swallowed = temp(LAST_SWALLOW, end - 1u) > r;
    var stray = item_end;
    var flags = REGION_STRAY;
    if !begins_item(k) {
        stray = r;
    } else if k == TOKEN_FN && has_block {
        let closer = temp(PARTNER, item_end - 1u);
        if closer != NONE {
            stray = closer + 1u;
        } else {
            flags = select(REGION_OPEN, 0u, swallowed);
            if swallowed { stray = end; }
        }
    } else if k != TOKEN_FN && has_block {
        flags = 0u;
    }
    let bare = stray > r && temp(LAST_BARE, stray - 1u) > r;
    if swallowed || bare { flags |= REGION_LOOSE; }
    set_temp(STRAY, r, stray);
    set_temp(REGION_FLAGS, r, flags);
}

// Returns the `if` that the `else` at s continues: the one whose block ends just before s, or NONE.
fn if_before(s: u32) -> u32 {
    if s == 0u || kind_at(s - 1u) != TOKEN_RIGHT_BRACE { return NONE; }
    let opener = temp(PARTNER, s - 1u);
    if opener == NONE { return NONE; }
    let header = temp(START, opener);
    let k = kind_at(header);
    if k == TOKEN_IF { return header; }
    if k == TOKEN_ELSE && kind_at(header + 1u) == TOKEN_IF { return header + 1u; }
    return NONE;
}

// Returns whether the `else` at s follows a block that its own statement does not allow. The block is the
// error then, not the `else`.
fn else_is_excused(s: u32) -> bool {
    if s == 0u || kind_at(s - 1u) != TOKEN_RIGHT_BRACE { return false; }
    let opener = temp(PARTNER, s - 1u);
    if opener == NONE { return false; }
    let header = temp(START, opener);
    let k = kind_at(header);
    if k == TOKEN_ELSE { return kind_at(header + 1u) != TOKEN_LEFT_BRACE; }
    return !(k == TOKEN_LEFT_BRACE || k == TOKEN_WHILE || k == TOKEN_FOR || k == TOKEN_FN);
}

// Returns the error of token t in the statement at s, or 0. t may be one past the statement's last token.
fn error_at(t: u32, s: u32, region: u32) -> u32 {
    let k = kind_at(t);
    let e = end_of(s);
    if t < e {
        let wrong = bracket_error(t, k);
        if wrong != 0u { return wrong; }
    }
    let flags = temp(REGION_FLAGS, region);
    if t == s {
        if k != TOKEN_ELSE { return first_error(s, k); }
        return expect((flags & REGION_LOOSE) != 0u || if_before(s) != NONE || else_is_excused(s));
    }
    let found = later_error(t, s);
    let opens = found == 0u && s == region && (flags & REGION_OPEN) != 0u && t + 1u == e;
    return select(found, CODE_NEVER_CLOSED, opens);
}

// Returns whether the statement [s, e) must also be judged at e, because no token ends it.
fn lacks_end(s: u32, e: u32) -> bool {
    let k = kind_at(e - 1u);
    return !(is_brace(k) || (k == TOKEN_SEMICOLON && depth_at(e - 1u) == 0u));
}

fn is_lexical(s: u32) -> bool { return temp(LAST_LEXICAL, end_of(s) - 1u) > s; }

// Returns whether the region of t is open.
fn in_open(t: u32) -> bool { return (temp(REGION_FLAGS, temp(REGION, t)) & REGION_OPEN) != 0u; }
fn is_after(t: u32) -> bool { return t >= temp(STRAY, temp(REGION, t)); }
// Returns whether t belongs to no item.
fn is_stray(t: u32) -> bool { return is_after(t) && !in_open(t); }
// Returns whether t is in a body that is never closed, so its errors are not reported.
fn is_muted(t: u32) -> bool { return is_after(t) && in_open(t); }

// Returns whether the error found at t makes its statement broken. A `{` that is never closed does not.
fn breaks(t: u32, found: u32) -> bool {
    return found != CODE_NEVER_CLOSED || kind_at(t) != TOKEN_LEFT_BRACE;
}

// Judges each token independently.
@compute @workgroup_size(WORKGROUP)
fn parse_judge(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    begin();
    for (var t = lane; t < leaves; t += WORKGROUP) {
        let s = temp(START, t);
        let region = temp(REGION, t);
        var found = 0u;
        if !is_stray(t) && !is_lexical(s) {
            let e = end_of(s);
            let last = t + 1u == e;
            let judged = select(1u, 2u, last && lacks_end(s, e));
            // Judge the token and, after the last token of a statement that nothing ends, the token after it.
            var behind = 0u;
            for (var i = 0u; i < judged; i++) {
                let wrong = error_at(t + i, s, region);
                if i == 0u { found = wrong; } else { behind = wrong; }
            }
            if last { set_temp(FOUND_BEHIND, s, behind); }
        } else if t + 1u == end_of(s) {
            set_temp(FOUND_BEHIND, s, 0u);
        }
        set_temp(FOUND, t, found);
    }
    #round n log n: Every token is compared with what its place allows.
}

// Records the first error of each statement at the token to which it belongs.
@compute @workgroup_size(WORKGROUP)
fn parse_errors(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    begin();
    var last = 0u;
    var lost_else = 0u;
    for (var t = walk_lo; t < walk_hi; t++) {
        let found = temp(FOUND, t);
        if found != 0u {
            if breaks(t, found) { last = t + 1u; }
            if kind_at(t) == TOKEN_ELSE { lost_else = t + 1u; }
        }
    }
    last = max_before(last);
    lost_else = max_before(lost_else);
    for (var t = walk_lo; t < walk_hi; t++) {
        let s = temp(START, t);
        let found = temp(FOUND, t);
        let reported = !is_muted(t);
        if found != 0u {
            if last <= s && reported { record(t, found); }
            if breaks(t, found) { last = t + 1u; }
            if kind_at(t) == TOKEN_ELSE { lost_else = t + 1u; }
        }
        if t + 1u == end_of(s) {
            let behind = temp(FOUND_BEHIND, s);
            if last <= s && behind != 0u && reported { record_behind(t, behind); }
            // A statement that lacks only its `;` keeps its rows.
            let lacks_end = behind == CODE_MISSING_SEMICOLON && kind_at(s) != TOKEN_TEST && kind_at(s) != TOKEN_PROP;
            let whole = select(select(STMT_SYNTAX, STMT_MUTED, lacks_end), 0u, behind == 0u);
            set_temp(BROKEN, s, select(whole, STMT_SYNTAX, last > s));
        }
        let region = temp(REGION, t);
        if t == temp(STRAY, region) && lost_else <= region && stray_counts(t) {
            set_tree(TREE_ERROR, t, select(WRONG, CODE_NEVER_OPENED, kind_at(t) == TOKEN_RIGHT_BRACE));
        }
    }
    #round n: Each statement keeps its leftmost error.
    storageBarrier();

    var errors = 0u;
    for (var t = lane; t < leaves; t += WORKGROUP) {
        var wrong = tree_at(TREE_ERROR, t);
        if wrong == 0u && temp(PENDING, t) != 0u {
            wrong = temp(PENDING, t);
            set_tree(TREE_ERROR, t, wrong);
        }
        errors += select(0u, 1u, wrong != 0u) + select(0u, 1u, kind_at(t) == TOKEN_ERROR && !is_muted(t));
    }
    errors = reduce_sum(errors);
    if lane == 0u { programs[program_index].errors = errors; }
    #round n: Errors that belong to the next statement are recorded there, and all errors are counted.
}

// Records an error that the rules find at t.
fn record(t: u32, found: u32) {
    if found == CODE_MISSING_SEMICOLON {
        set_tree(TREE_ERROR, t - 1u, found | ERROR_BEHIND);
    } else {
        set_tree(TREE_ERROR, t, found);
    }
}

// Records an error that the rules find after t, the last token of its statement.
fn record_behind(t: u32, found: u32) {
    if found == CODE_MISSING_SEMICOLON || t + 1u == leaves {
        set_tree(TREE_ERROR, t, found | ERROR_BEHIND);
    } else {
        set_temp(PENDING, t + 1u, found);
    }
}

// Returns whether the start of a stray part, at t, is an error of its own.
fn stray_counts(t: u32) -> bool {
    let region = temp(REGION, t);
    let flags = temp(REGION_FLAGS, region);
    if (flags & REGION_STRAY) == 0u || (flags & REGION_LOOSE) != 0u || is_lexical(temp(START, t)) { return false; }
    // An unclosed function in the nearest earlier region may have swallowed the tokens that belong here.
    if region == 0u { return true; }
    let latest_fn = temp(LAST_FN, region - 1u);
    return latest_fn == 0u || (temp(REGION_FLAGS, latest_fn - 1u) & REGION_OPEN) == 0u;
}
