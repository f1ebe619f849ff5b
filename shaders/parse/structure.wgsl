// Nesting depths, statements and regions, found by scans; and the leaves of the min-tree.
//
// The bracket depth at a token is the sum of +1 and -1 over all tokens before it. It never falls below 0, and
// is reset to 0 at each token that bounds a piece. Each token thus maps d to max(d + add, least). Such
// functions compose, so a scan finds all depths.
//
// Each thread walks one contiguous share of the tokens. Workgroup memory: `effects`, the composed effect of
// each thread's share, and the operands of scans. A workgroup barrier separates writing `effects` from
// reading it. Storage barriers separate the passes over the tokens: guards, leaves, late statements,
// statements, min-tree.

#import shared/scan
#import shared/min_tree
#import parse/kinds

// The effect of a token on the depths of (braces, brackets): d -> max(d + f.xz, f.yw).
const NO_EFFECT = vec4<i32>(0, 0, 0, 0);
const FORGET = -32768;

fn effect_of(k: u32) -> vec4<i32> {
    if begins_item(k) { return vec4<i32>(FORGET, 0, FORGET, 0); }
    if k == TOKEN_LEFT_BRACE { return vec4<i32>(1, 0, FORGET, 0); }
    if k == TOKEN_RIGHT_BRACE { return vec4<i32>(-1, 0, FORGET, 0); }
    if cuts(k) { return vec4<i32>(0, 0, FORGET, 0); }
    if is_opener(k) { return vec4<i32>(0, 0, 1, 0); }
    if is_closer(k) { return vec4<i32>(0, 0, -1, 0); }
    return NO_EFFECT;
}

// Returns the composition: first f, then g.
fn effect_then(f: vec4<i32>, g: vec4<i32>) -> vec4<i32> {
    let add = max(f.xz + g.xz, vec2<i32>(FORGET));
    let least = max(f.yw + g.xz, g.yw);
    return vec4<i32>(add.x, least.x, add.y, least.y);
}

fn effect_on(f: vec4<i32>, depths: vec2<i32>) -> vec2<i32> { return max(depths + f.xz, f.yw); }

var<workgroup> effects: array<vec4<i32>, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn parse_structure(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    begin();

    // Find the last token that decides the meaning of an `if`, as 256 * (1 + index) + kind.
    var guard = 0u;
    for (var t = walk_lo; t < walk_hi; t++) { guard = guard_at(t, guard); }
    guard = max_before(guard);
    for (var t = walk_lo; t < walk_hi; t++) {
        set_temp(GUARD, t, guard & 0xffu);
        guard = guard_at(t, guard);
    }
    #round n: Every token has the last keyword or brace before it: an `if` after `prop` begins a condition,
    #: not a statement.
    storageBarrier();

    var sum = NO_EFFECT;
    for (var t = walk_lo; t < walk_hi; t++) { sum = effect_then(sum, effect_of(kind_at(t))); }
    effects[lane] = sum;
    workgroupBarrier();
    var depths = vec2<i32>(0, 0);
    for (var i = 0u; i < lane; i++) { depths = effect_on(effects[i], depths); }

    // Compute levels and keys, and the last tokens of some kinds, as 1 + index.
    let depths_before = depths;
    var too_deep = NONE;
    var deepest = 0u;
    var start = 0u;
    var region = 0u;
    var assign = 0u;
    var lexical = 0u;
    var swallow = 0u;
    var latest_fn = 0u;
    var outer = 0u;
    var behind = TOKEN_SEMICOLON;
    if walk_lo > 0u { behind = kind_at(walk_lo - 1u); }
    for (var t = walk_lo; t < walk_hi; t++) {
        let k = kind_at(t);
        let before = depths;
        depths = effect_on(effect_of(k), before);
        let inner = select(u32(before.y), 0u, cuts(k));
        var level = u32(depths.x + depths.y);
        if k == TOKEN_LEFT_BRACE { level = u32(before.x); }
        if is_opener(k) { level = u32(before.x + before.y); }
        set_temp(TREE_LEAVES, t, level * 16u + key_of(k, behind));
        let paired = (is_closer(k) && before.y > 0) || (k == TOKEN_RIGHT_BRACE && before.x > 0);
        set_temp(INFO, t, inner | select(0u, PAIRED, paired));
        set_temp(PARTNER, t, NONE);
        set_tree(TREE_ERROR, t, 0u);
        set_temp(PENDING, t, 0u);
        set_temp(LATE, t, 0u);
        if is_opener(k) && before.y == 0 { outer = t + 1u; }
        if k == TOKEN_LEFT_BRACE || is_opener(k) {
            let open = u32(depths.x + depths.y);
            deepest = max(deepest, open);
            if open > LIMIT_NESTING { too_deep = min(too_deep, t); }
        }
        if starts_statement(t, k, behind, before.y) { start = t + 1u; }
        if t == 0u || begins_item(k) { region = t + 1u; }
        if assigns(k) { assign = t + 1u; }
        if k == TOKEN_FN { latest_fn = t + 1u; }
        if k == TOKEN_ERROR {
            lexical = t + 1u;
            if token_at(TOKENS_VALUE, t) == (CODE_UNTERMINATED | 0x10000u) { swallow = t + 1u; }
        }
        behind = k;
    }
    #round n: Every token has its nesting level and its binding strength: the leaves of the min-tree. Each
    #: thread walks its own share, because the depth before its share is known.
    storageBarrier();

    // Beyond the limit, the nesting error is the program's only result.
    let fatal = uniform_from(reduce_min(too_deep));
    deepest = reduce_max(deepest);
    if fatal != NONE {
        for (var t = lane; t < leaves; t += WORKGROUP) { clear_row(t, 0u); }
        if lane == 0u {
            programs[program_index].fatal = CODE_NESTING_TOO_DEEP;
            programs[program_index].fatal_token = fatal;
            programs[program_index].fatal_count = deepest;
            programs[program_index].errors = 1u;
        }
        #round n: Brackets are nested too deep: every row is cleared.
        return;
    }

    // Find assignments that begin a statement although the statement before lacks its `;`.
    let own_start = start;
    start = max_before(start);
    outer = max_before(outer);
    depths = depths_before;
    behind = TOKEN_SEMICOLON;
    if walk_lo > 0u { behind = kind_at(walk_lo - 1u); }
    for (var t = walk_lo; t < walk_hi; t++) {
        let k = kind_at(t);
        let before = depths;
        depths = effect_on(effect_of(k), before);
        if starts_statement(t, k, behind, before.y) { start = t + 1u; }
        if is_opener(k) && before.y == 0 { outer = t + 1u; }
        if assigns(k) && before.x > 0 && before.y == 0 {
            let first = target_before(t, outer);
            if begins_late(first, start - 1u) { set_temp(LATE, first, 1u); }
        }
        behind = k;
    }
    #round n: Assignments that begin a statement although the one before lacks its semicolon are found.
    storageBarrier();

    start = own_start;
    for (var t = walk_lo; t < walk_hi; t++) {
        if temp(LATE, t) != 0u { start = max(start, t + 1u); }
    }
    start = max_before(start);
    region = max_before(region);
    assign = max_before(assign);
    lexical = max_before(lexical);
    swallow = max_before(swallow);
    latest_fn = max_before(latest_fn);
    depths = depths_before;
    behind = TOKEN_SEMICOLON;
    if walk_lo > 0u { behind = kind_at(walk_lo - 1u); }
    for (var t = walk_lo; t < walk_hi; t++) {
        let k = kind_at(t);
        let open = depths.y;
        depths = effect_on(effect_of(k), depths);
        if starts_statement(t, k, behind, open) || temp(LATE, t) != 0u {
            if t > 0u { set_temp(END, start - 1u, t); }
            start = t + 1u;
        }
        if t == 0u || begins_item(k) {
            if t > 0u { set_temp(REGION_END, region - 1u, t); }
            region = t + 1u;
        }
        if t + 1u == leaves {
            set_temp(END, start - 1u, leaves);
            set_temp(REGION_END, region - 1u, leaves);
        }
        if assigns(k) { assign = t + 1u; }
        if k == TOKEN_FN { latest_fn = t + 1u; }
        if k == TOKEN_ERROR {
            lexical = t + 1u;
            if token_at(TOKENS_VALUE, t) == (CODE_UNTERMINATED | 0x10000u) { swallow = t + 1u; }
        }
        set_temp(START, t, start - 1u);
        set_temp(REGION, t, region - 1u);
        set_temp(LAST_ASSIGN, t, assign);
        set_temp(LAST_LEXICAL, t, lexical);
        set_temp(LAST_SWALLOW, t, swallow);
        set_temp(LAST_FN, t, latest_fn);
        behind = k;
    }
    #round n: Every token has its statement, its region, and the last tokens of some kinds before it.
    build_tree();
    #round 1: The min-tree is built.
}

// Returns the last token up to t that decides the meaning of a later `if`; `before` is the one before t.
fn guard_at(t: u32, before: u32) -> u32 {
    let k = token_at(TOKENS_KIND, t);
    return select(before, (t + 1u) * 256u + k, (cuts(k) && k != TOKEN_IF) || k == TOKEN_FAT_ARROW);
}

// Returns the first token of the target of the assignment operator at t: a name, or a name with an index.
// Returns NONE if the target is neither. `outer` is 1 + the last opener before t that is in no bracket.
fn target_before(t: u32, outer: u32) -> u32 {
    if t == 0u { return NONE; }
    var first = t - 1u;
    if kind_at(first) == TOKEN_RIGHT_BRACKET && (temp(INFO, first) & PAIRED) != 0u {
        // No bracket is open at t, so this closer matches the last such opener.
        if outer < 2u || kind_at(outer - 1u) != TOKEN_LEFT_BRACKET { return NONE; }
        first = outer - 2u;
    }
    return select(NONE, first, kind_at(first) == TOKEN_NAME);
}

// Returns whether the assignment to the target at t begins a statement although nothing ends the statement at
// s.
fn begins_late(t: u32, s: u32) -> bool {
    if t == NONE || t <= s { return false; }
    let head = kind_at(s);
    if head == TOKEN_IF || head == TOKEN_WHILE || head == TOKEN_FOR || head == TOKEN_ELSE { return false; }
    let behind = kind_at(t - 1u);
    let whole = ends_operand(behind) || behind == TOKEN_BREAK || behind == TOKEN_CONTINUE;
    return whole && token_at(TOKENS_LINE, t) > token_at(TOKENS_LINE, t - 1u);
}

// Returns whether a statement starts at t, of kind k, after a token of kind `behind` with `open` brackets
// open. `begins_late` handles assignments after a missing `;`.
fn starts_statement(t: u32, k: u32, behind: u32, open: i32) -> bool {
    return t == 0u || is_brace(behind) || (behind == TOKEN_SEMICOLON && open == 0) || k == TOKEN_RIGHT_BRACE
        || (is_keyword(k) && !(k == TOKEN_IF && behind == TOKEN_ELSE));
}

// Writes the row of a token that has no node.
fn clear_row(t: u32, stmt: u32) {
    set_tree(TREE_ROLE, t, ROLE_NONE);
    set_tree(TREE_PARENT, t, NONE);
    set_tree(TREE_SLOT, t, 0u);
    set_tree(TREE_LO, t, 0u);
    set_tree(TREE_HI, t, 0u);
    set_tree(TREE_STMT, t, stmt);
}
