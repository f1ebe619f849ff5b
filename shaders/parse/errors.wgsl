// Bracket partners, regions and errors. Of each statement the leftmost error stays.

#import shared/scan
#import parse/structure
#import parse/rules

// Bracket partners and groups, by nearest smaller levels.
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
    // round n log n: Brackets have their partners: the nearest token to the left that stands less deep, found in the tree of
    // minima.
    storageBarrier();

    // Headers without a block.
    var bare = 0u;
    for (var t = walk_lo; t < walk_hi; t++) {
        if lacks_block(t) { bare = t + 1u; }
    }
    bare = max_before(bare);
    for (var t = walk_lo; t < walk_hi; t++) {
        if lacks_block(t) { bare = t + 1u; }
        set_temp(LAST_BARE, t, bare);
    }
    // round n: Every token knows the last header before it that lacks its block.
    storageBarrier();

    for (var t = lane; t < leaves; t += WORKGROUP) {
        if temp(REGION, t) == t { mark_region(t); }
    }
    // round n: Every region says where its muted part begins, if it has one.
}

// Whether a statement begins at t that should end in `{` and does not.
fn lacks_block(t: u32) -> bool {
    let k = kind_at(t);
    let heads = k == TOKEN_IF || k == TOKEN_WHILE || k == TOKEN_FOR || k == TOKEN_ELSE || k == TOKEN_FN;
    if !heads || temp(START, t) != t { return false; }
    return kind_at(end_of(t) - 1u) != TOKEN_LEFT_BRACE;
}

// Where the muted part of the region at r begins, and why.
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

// The `if` that the `else` at s continues: the one whose block ends just before. NONE if there is none.
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

// Whether the `else` at s follows a block that its statement takes none of: that is the mistake then, not the `else`.
fn else_is_excused(s: u32) -> bool {
    if s == 0u || kind_at(s - 1u) != TOKEN_RIGHT_BRACE { return false; }
    let opener = temp(PARTNER, s - 1u);
    if opener == NONE { return false; }
    let header = temp(START, opener);
    let k = kind_at(header);
    if k == TOKEN_ELSE { return kind_at(header + 1u) != TOKEN_LEFT_BRACE; }
    return !(k == TOKEN_LEFT_BRACE || k == TOKEN_WHILE || k == TOKEN_FOR || k == TOKEN_FN);
}

// What the rules say of token t in a statement that is judged. t may be one past its last.
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

// Whether the statement [s, e) needs to be judged at e, too: nothing has ended it.
fn lacks_end(s: u32, e: u32) -> bool {
    let k = kind_at(e - 1u);
    return !(is_brace(k) || (k == TOKEN_SEMICOLON && depth_at(e - 1u) == 0u));
}

fn is_lexical(s: u32) -> bool { return temp(LAST_LEXICAL, end_of(s) - 1u) > s; }

// Each token by itself.
@compute @workgroup_size(WORKGROUP)
fn parse_judge(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    begin();
    for (var t = lane; t < leaves; t += WORKGROUP) {
        let s = temp(START, t);
        let region = temp(REGION, t);
        var found = 0u;
        if t < temp(STRAY, region) && !is_lexical(s) {
            let e = end_of(s);
            let last = t + 1u == e;
            let judged = select(1u, 2u, last && lacks_end(s, e));
            // The token, and where nothing has ended the statement what follows its last one.
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
    // round n log n: Every token is held against what its place expects.
}

// The first of a statement's errors, recorded where it belongs.
@compute @workgroup_size(WORKGROUP)
fn parse_errors(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    begin();
    var last = 0u;
    var lost_else = 0u;
    for (var t = walk_lo; t < walk_hi; t++) {
        if temp(FOUND, t) != 0u {
            last = t + 1u;
            if kind_at(t) == TOKEN_ELSE { lost_else = t + 1u; }
        }
    }
    last = max_before(last);
    lost_else = max_before(lost_else);
    for (var t = walk_lo; t < walk_hi; t++) {
        let s = temp(START, t);
        let found = temp(FOUND, t);
        if found != 0u {
            if last <= s { record(t, found); }
            last = t + 1u;
            if kind_at(t) == TOKEN_ELSE { lost_else = t + 1u; }
        }
        if t + 1u == end_of(s) {
            let behind = temp(FOUND_BEHIND, s);
            if last <= s && behind != 0u { record_behind(t, behind); }
            set_temp(BROKEN, s, select(0u, STMT_SYNTAX, last > s || behind != 0u));
        }
        let region = temp(REGION, t);
        if t == temp(STRAY, region) && lost_else <= region && stray_counts(t) {
            set_tree(TREE_ERROR, t, select(WRONG, CODE_NEVER_OPENED, kind_at(t) == TOKEN_RIGHT_BRACE));
        }
    }
    // round n: Of each statement the leftmost error stands.
    storageBarrier();

    var errors = 0u;
    for (var t = lane; t < leaves; t += WORKGROUP) {
        var wrong = tree_at(TREE_ERROR, t);
        if wrong == 0u && temp(PENDING, t) != 0u {
            wrong = temp(PENDING, t);
            set_tree(TREE_ERROR, t, wrong);
        }
        let region = temp(REGION, t);
        let muted = (temp(REGION_FLAGS, region) & REGION_OPEN) != 0u && t >= temp(STRAY, region);
        errors += select(0u, 1u, wrong != 0u) + select(0u, 1u, kind_at(t) == TOKEN_ERROR && !muted);
    }
    errors = reduce_sum(errors);
    if lane == 0u { programs[program_index].errors = errors; }
    // round n: Errors that belong to the next statement are recorded there, and counted.
}

// An error that the rules find at t.
fn record(t: u32, found: u32) {
    if found == CODE_MISSING_SEMICOLON {
        set_tree(TREE_ERROR, t - 1u, found | ERROR_BEHIND);
    } else {
        set_tree(TREE_ERROR, t, found);
    }
}

// An error that the rules find behind t, the last token of its statement.
fn record_behind(t: u32, found: u32) {
    if found == CODE_MISSING_SEMICOLON || t + 1u == leaves {
        set_tree(TREE_ERROR, t, found | ERROR_BEHIND);
    } else {
        set_temp(PENDING, t + 1u, found);
    }
}

// Whether a muted part that begins at t is an error by itself.
fn stray_counts(t: u32) -> bool {
    let region = temp(REGION, t);
    let flags = temp(REGION_FLAGS, region);
    if (flags & REGION_STRAY) == 0u || (flags & REGION_LOOSE) != 0u || is_lexical(temp(START, t)) { return false; }
    // The nearest function of an earlier region may have swallowed what belongs here.
    if region == 0u { return true; }
    let latest_fn = temp(LAST_FN, region - 1u);
    return latest_fn == 0u || (temp(REGION_FLAGS, latest_fn - 1u) & REGION_OPEN) == 0u;
}
