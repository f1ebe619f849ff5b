// Chains of commas and `if`s, and the ends of statements with blocks. Each comma has the number of commas before it in
// its bracket, and each `if` the end of its last `else`.
//
// Each thread numbers the names of one contiguous share of the tokens, and then handles every WORKGROUP-th token.
// Workgroup memory is used only by the scans. Storage barriers separate the rounds of pointer doubling.

#import shared/scan
#import parse/kinds
#import parse/errors

// Counts the numbered names before each token, and links commas and `if`s into chains.
@compute @workgroup_size(WORKGROUP)
fn parse_links(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    begin();
    var names = 0u;
    var links = 0u;
    for (var t = walk_lo; t < walk_hi; t++) {
        if is_numbered(t) { names += 1u; }
        if link(t) { links += 1u; }
    }
    names = scan_sum(names) - names;
    for (var t = walk_lo; t < walk_hi; t++) {
        set_temp(FOUND, t, names);
        if is_numbered(t) { names += 1u; }
    }
    #round n: Parameters and binders are numbered, and commas and `if`s have links to the next of their
    #: chain.
    storageBarrier();

    // Pointer doubling: after k rounds, a link spans 2^k steps. Each iteration makes two rounds, which
    // alternate between two pairs of columns.
    links = uniform_from(reduce_sum(links));
    for (var span = 1u; span <= links; span *= 4u) {
        for (var t = lane; t < leaves; t += WORKGROUP) { double_link(t, LINK, REACH, LINK_B, REACH_B); }
        #round n: Every link is twice as long: a comma sums its number, and an `if` approaches the end of
        #: its chain.
        storageBarrier();
        for (var t = lane; t < leaves; t += WORKGROUP) { double_link(t, LINK_B, REACH_B, LINK, REACH); }
        #round n: Every link is twice as long again.
        storageBarrier();
    }
    #round n: All chains are complete.
}

fn double_link(t: u32, link: u32, reach: u32, new_link: u32, new_reach: u32) {
    let next = temp(link, t);
    if next == NONE {
        set_temp(new_link, t, NONE);
        set_temp(new_reach, t, temp(reach, t));
        return;
    }
    let sum = select(0u, temp(reach, t), kind_at(t) == TOKEN_COMMA);
    set_temp(new_link, t, temp(link, next));
    set_temp(new_reach, t, sum + temp(reach, next));
}

// Writes the link of t and returns whether t has one.
fn link(t: u32) -> bool {
    let k = kind_at(t);
    var next = NONE;
    var reach = 0u;
    if k == TOKEN_COMMA {
        reach = 1u;
        let bracket = temp(GROUP, t);
        if bracket != NONE {
            let before = separator_before(t, level_at(t));
            if before != NONE && before > bracket && kind_at(before) == TOKEN_COMMA { next = before; }
        }
    } else if k == TOKEN_IF {
        let e = end_of(temp(START, t));
        reach = ending(t, e);
        if kind_at(e - 1u) == TOKEN_LEFT_BRACE && kind_at(reach) == TOKEN_ELSE {
            if kind_at(reach + 1u) == TOKEN_IF {
                next = reach + 1u;
            } else if kind_at(end_of(reach) - 1u) == TOKEN_LEFT_BRACE {
                reach = block_end(end_of(reach) - 1u);
            }
        }
    }
    set_temp(LINK, t, next);
    set_temp(REACH, t, reach);
    return next != NONE;
}

// Returns one past the block that begins at t. A block that is never closed extends to the end of its region.
fn block_end(t: u32) -> u32 {
    let closer = temp(PARTNER, t);
    return select(closer + 1u, temp(REGION_END, temp(REGION, t)), closer == NONE);
}

// Returns the end of the node at `head` in a statement that ends at e, if the node is an If, While, For or
// Fn, or is broken.
fn ending(head: u32, e: u32) -> u32 {
    let last = kind_at(e - 1u);
    let k = kind_at(head);
    if last == TOKEN_LEFT_BRACE && takes_block(k) { return block_end(e - 1u); }
    return max(select(e, e - 1u, last == TOKEN_SEMICOLON || last == TOKEN_LEFT_BRACE), head + 1u);
}

fn takes_block(k: u32) -> bool {
    return k == TOKEN_IF || k == TOKEN_WHILE || k == TOKEN_FOR || k == TOKEN_FN;
}

fn is_broken(s: u32) -> bool { return temp(BROKEN, s) == STMT_SYNTAX || is_lexical(s); }

// Returns whether t is the name of a parameter or binder. In a broken statement, only its neighbours decide.
fn is_numbered(t: u32) -> bool {
    if kind_at(t) != TOKEN_NAME { return false; }
    let s = temp(START, t);
    let head = kind_at(s);
    if head == TOKEN_PROP { return kind_at(t + 1u) == TOKEN_IN; }
    if head != TOKEN_FN || t < s + 2u { return false; }
    if is_broken(s) {
        let behind = kind_at(t - 1u);
        return behind == TOKEN_LEFT_PAREN || behind == TOKEN_COMMA || kind_at(t + 1u) == TOKEN_COLON;
    }
    return temp(GROUP, t) == s + 2u;
}
