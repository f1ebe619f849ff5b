// The edits of the strong group. mutate.wgsl finds and applies them. Each function works for one thread. No
// workgroup memory, no barriers.
//
// The specification is docs/stages/mutate.md; the CPU twin is
// src/compiler/stage/mutate/strong.rs.

fn is_kind(t: u32, kind: u32) -> bool {
    if t >= base[0].tokens { return false; }
    return token_at(TOKENS_KIND, t) == kind;
}

// Returns whether token t exists and has this role.
fn is_role(t: u32, role: u32) -> bool {
    if t >= base[0].tokens { return false; }
    return tree_at(TREE_ROLE, t) == role;
}

// Offers to replace the value of a `return` by another value of its type, or by a parameter.
fn visit_result(t: u32, role: u32, lo: u32, hi: u32) {
    let literal = role == ROLE_INT || role == ROLE_BOOL || role == ROLE_STR;
    let bare = role == ROLE_LIST && hi - lo == 2u;
    if !literal && !bare {
        let ty = kind_of_type(t);
        if ty == TYPE_INT {
            offer_token(lo, hi, TOKEN_INT, 0u);
            offer_token(lo, hi, TOKEN_INT, 1u);
            offer_token(lo, hi, TOKEN_INT, NONE);
        } else if ty == TYPE_BOOL {
            offer_token(lo, hi, TOKEN_TRUE, 0u);
            offer_token(lo, hi, TOKEN_FALSE, 0u);
        } else if ty == TYPE_INT_LIST || ty == TYPE_BOOL_LIST {
            if offer(lo, hi) {
                plain(TOKEN_LEFT_BRACKET);
                plain(TOKEN_RIGHT_BRACKET);
            }
        }
    }
    let function = checked[CHECKED_DECL * mutate_params.base_capacity + tree_at(TREE_PARENT, t)];
    if function == NONE { return; }
    let result = kind_of_type(function);
    // The parameters begin after `fn`, the name and `(`, and one token separates two of them.
    for (var param = function + 3u; is_role(param, ROLE_PARAM); param = tree_at(TREE_HI, param) + 1u) {
        let itself = role == ROLE_VAR && token_at(TOKENS_VALUE, t) == token_at(TOKENS_VALUE, param);
        if kind_of_type(param) != result || itself { continue; }
        offer_copy(lo, hi, param, param + 1u);
    }
}

// Offers to remove an element with a comma: the comma after it, or else the one before.
fn visit_element(lo: u32, hi: u32) {
    if is_kind(hi, TOKEN_COMMA) {
        _ = offer(lo, hi + 1u);
    } else if lo > 0u && is_kind(max(lo, 1u) - 1u, TOKEN_COMMA) {
        _ = offer(lo - 1u, hi);
    } else {
        _ = offer(lo, hi);
    }
}

// Offers to replace a call by this argument, and to swap this argument with the next one.
fn visit_argument(t: u32, role: u32, lo: u32, hi: u32) {
    let call = tree_at(TREE_PARENT, t);
    let ty = kind_of_type(t);
    if ty == kind_of_type(call) {
        let first = tree_at(TREE_LO, call);
        let behind = tree_at(TREE_HI, call);
        if offer(first, behind) { bracketed(lo, hi, role == ROLE_BINARY); }
    }
    // The results of built-in functions do not depend on the order of arguments.
    if checked[CHECKED_DECL * mutate_params.base_capacity + call] == NONE || hi + 1u >= base[0].tokens { return; }
    let next = site_at(SITES_ARGUMENT, hi + 1u);
    if next == NONE { return; }
    if tree_at(TREE_PARENT, next) != call || kind_of_type(next) != ty { return; }
    let begin = tree_at(TREE_LO, next);
    let end = tree_at(TREE_HI, next);
    if offer(lo, end) {
        copied(begin, end);
        copied(hi, begin);
        copied(lo, hi);
    }
}

// Offers to replace a bound of a slice by the bound plus 1 and minus 1.
fn visit_bound(t: u32, role: u32, lo: u32, hi: u32) {
    let looser = role == ROLE_BINARY && infix_strength(token_at(TOKENS_KIND, t)) < infix_strength(TOKEN_PLUS);
    for (var i = 0u; i < 2u; i++) {
        if offer(lo, hi) {
            bracketed(lo, hi, looser);
            plain(select(TOKEN_PLUS, TOKEN_MINUS, i == 1u));
            put(TOKEN_INT, 1u);
        }
    }
}

// Offers to leave a loop at the end of its body, unless the body already ends in a jump.
fn visit_body(t: u32, hi: u32) {
    if (tree_at(TREE_STMT, t) & STMT_UNCLOSED) != 0u { return; }
    let end = hi - 1u;
    if is_kind(end - 1u, TOKEN_SEMICOLON) {
        let statement = tree_at(TREE_STMT, end - 1u) & STMT_INDEX;
        let leaves = is_kind(statement, TOKEN_BREAK) || is_kind(statement, TOKEN_CONTINUE)
            || is_kind(statement, TOKEN_RETURN);
        if leaves { return; }
    }
    if offer(end, end) {
        plain(TOKEN_BREAK);
        plain(TOKEN_SEMICOLON);
    }
}

// Offers the edits of token t that the operators of the strong group make.
fn visit_strong(t: u32, role: u32, above: u32) {
    let lo = tree_at(TREE_LO, t);
    let hi = tree_at(TREE_HI, t);
    let slot = tree_at(TREE_SLOT, t);
    if role == ROLE_BREAK { offer_token(t, t + 1u, TOKEN_CONTINUE, 0u); }
    if role == ROLE_CONTINUE { offer_token(t, t + 1u, TOKEN_BREAK, 0u); }
    // Remove the `else` before it, too.
    if above == ROLE_IF && slot == 2u && lo > 0u && (role == ROLE_BLOCK || role == ROLE_IF) { _ = offer(lo - 1u, hi); }
    if role == ROLE_BLOCK && ((above == ROLE_WHILE && slot == 1u) || (above == ROLE_FOR && slot == 3u)) { visit_body(t, hi); }
    if !is_expression(role) { return; }
    if above == ROLE_RETURN && slot == 0u { visit_result(t, role, lo, hi); }
    if above == ROLE_LIST { visit_element(lo, hi); }
    if above == ROLE_CALL { visit_argument(t, role, lo, hi); }
    if above == ROLE_SLICE && slot > 0u && role != ROLE_INT { visit_bound(t, role, lo, hi); }
    if role == ROLE_STR {
        let codes = token_at(TOKENS_VALUE, t);
        if codes > 0u { offer_token(lo, hi, TOKEN_STR, 0u); }
        if codes > 1u { offer_token(lo, hi, TOKEN_STR, codes - 1u); }
        if codes > 0u { offer_token(lo, hi, TOKEN_STR, codes | STR_REPLACED); }
    }
}
