// route: computes the features of each function of the base and the hybrid router's score.
//
// One workgroup handles one function; each thread handles one token per tile. Counts are sums over the
// tokens, two counts in a word if both stay below 65,536. Nesting is the greatest prefix sum of 1 for an
// opening bracket and -1 for a closing one. Workgroup memory and barriers are those of the scans.
//
// The specification is section "Features" of docs/hybrid.md; the CPU twin is
// src/compiler/stage/route/features.rs.

#import shared/scan

@group(0) @binding(0) var<uniform> router_params: RouterParams;
@group(0) @binding(1) var<storage, read> base: array<Program>;
@group(0) @binding(2) var<storage, read> tokens: array<u32>;
@group(0) @binding(3) var<storage, read> tree: array<u32>;
@group(0) @binding(4) var<storage, read> checked: array<u32>;
@group(0) @binding(5) var<storage, read> code: array<u32>;
// The constant coefficient, a coefficient per feature, and the surprise of each construct.
@group(0) @binding(6) var<storage, read> tables: array<u32>;
// For each function its features, its score, and the epoch.
@group(0) @binding(7) var<storage, read_write> scored: array<u32>;

fn kind_at(t: u32) -> u32 { return tokens[TOKENS_KIND * router_params.token_capacity + t]; }
fn role_at(t: u32) -> u32 { return tree[TREE_ROLE * router_params.token_capacity + t]; }

// Returns the surprise of a node's construct.
fn surprise(role: u32, kind: u32) -> u32 {
    var construct = role;
    construct = select(construct, CONSTRUCT_BINARY + kind, role == ROLE_BINARY);
    construct = select(construct, CONSTRUCT_UNARY + kind, role == ROLE_UNARY);
    construct = select(construct, CONSTRUCT_ASSIGN + kind, role == ROLE_ASSIGN);
    return tables[1u + FEATURES + construct];
}

fn one_if(condition: bool) -> u32 { return select(0u, 1u, condition); }

var<private> score: u32;

// Writes a feature and adds its term to the score.
fn put(place: u32, feature: u32, value: u32) {
    let counted = min(value, FEATURE_MOST);
    scored[place + feature] = counted;
    score += tables[1u + feature] * counted;
}

@compute @workgroup_size(64)
fn route(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let function = router_params.first + group.x;
    var lo = 0u;
    var hi = 0u;
    if base[0].fatal == 0u && base[0].errors == 0u && function < base[0].functions {
        lo = code[CODE_COLUMNS * router_params.code_capacity + ROUTINES_TOKEN * router_params.token_capacity + function];
        hi = tree[TREE_HI * router_params.token_capacity + lo];
    }
    let begin = uniform_from(lo);
    let end = uniform_from(hi);

    var open = 0u;
    var nesting = 0u;
    var rarest = 0u;
    var rarity = 0u;
    var loops_branches = 0u;
    var functions_calls = 0u;
    var lists_variables = 0u;
    var constants = 0u;
    for (var tile = begin; tile < end; tile += WORKGROUP) {
        let t = tile + lane;
        var change = 0u;
        if t < end {
            let kind = kind_at(t);
            let role = role_at(t);
            let opens = kind == TOKEN_LEFT_PAREN || kind == TOKEN_LEFT_BRACKET || kind == TOKEN_LEFT_BRACE;
            let closes = kind == TOKEN_RIGHT_PAREN || kind == TOKEN_RIGHT_BRACKET || kind == TOKEN_RIGHT_BRACE;
            change = one_if(opens) - one_if(closes);
            if role != ROLE_NONE {
                let own = surprise(role, kind);
                rarity += own;
                rarest = max(rarest, own);
                let logical = is_logical(kind);
                loops_branches += one_if(role == ROLE_WHILE || role == ROLE_FOR)
                    + (one_if(role == ROLE_IF || (role == ROLE_BINARY && logical)) << 16u);
                let own_function = checked[CHECKED_DECL * router_params.token_capacity + t] != NONE;
                functions_calls += select(0u, select(0x10000u, 1u, own_function), role == ROLE_CALL);
                let list = role == ROLE_TYPE_LIST || role == ROLE_STR || role == ROLE_INDEX || role == ROLE_SLICE
                    || role == ROLE_LIST || role == ROLE_REPEAT;
                let variable = role == ROLE_PARAM || role == ROLE_LET_NAME || role == ROLE_LOOP_VAR;
                lists_variables += one_if(list) + (one_if(variable) << 16u);
                constants += one_if(role == ROLE_INT || role == ROLE_BOOL);
                if role == ROLE_STR { constants += tokens[TOKENS_VALUE * router_params.token_capacity + t]; }
            }
        }
        let depth = open + scan_sum(change);
        open += scan_total;
        // Use only sums at opening brackets: after the last closing bracket, tokens of the tile may lie
        // outside the function.
        nesting = max(nesting, select(0u, depth, change == 1u));
    }
    let all_nesting = reduce_max(nesting);
    let all_rarest = reduce_max(rarest);
    let all_rarity = reduce_sum(rarity);
    let all_loops_branches = reduce_sum(loops_branches);
    let all_functions_calls = reduce_sum(functions_calls);
    let all_lists_variables = reduce_sum(lists_variables);
    let all_constants = reduce_sum(constants);
    if lane == 0u {
        let place = group.x * SCORED_WORDS;
        score = tables[0];
        put(place, FEATURE_LENGTH, end - begin);
        put(place, FEATURE_NESTING, all_nesting);
        put(place, FEATURE_LOOPS, all_loops_branches & 0xffffu);
        put(place, FEATURE_BRANCHES, all_loops_branches >> 16u);
        put(place, FEATURE_FUNCTIONS, all_functions_calls & 0xffffu);
        put(place, FEATURE_CALLS, all_functions_calls >> 16u);
        put(place, FEATURE_LISTS, all_lists_variables & 0xffffu);
        put(place, FEATURE_CONSTANTS, all_constants);
        put(place, FEATURE_VARIABLES, all_lists_variables >> 16u);
        put(place, FEATURE_RARITY, all_rarity / 16u);
        put(place, FEATURE_RAREST, all_rarest);
        scored[place + SCORED_SCORE] = score;
        scored[place + SCORED_EPOCH] = router_params.epoch;
    }
}
