// The rules for errors. Each rule judges one token by its neighbours, its enclosing bracket and the nearest
// separator to its left. A rule assumes that everything left of the token is right, because only the leftmost
// error counts.
//
// Each function works for one thread. No workgroup memory, no barriers.

#import parse/kinds

const WRONG = CODE_UNEXPECTED_TOKEN;

fn expect(right: bool) -> u32 { return select(WRONG, 0u, right); }

// Returns the error of a bracket that does not match, or 0.
fn bracket_error(t: u32, k: u32) -> u32 {
    if is_opener(k) { return select(0u, CODE_NEVER_CLOSED, temp(PARTNER, t) == NONE); }
    if is_closer(k) {
        let opener = temp(PARTNER, t);
        if opener == NONE { return CODE_NEVER_OPENED; }
        let fits = (k == TOKEN_RIGHT_PAREN) == (kind_at(opener) == TOKEN_LEFT_PAREN);
        return select(CODE_NEVER_OPENED, 0u, fits);
    }
    return 0u;
}

// Returns the error of s, the first token of a statement and not `else`, or 0.
fn first_error(s: u32, k: u32) -> u32 {
    if cuts(k) { return 0u; }
    if !begins_operand(k) { return WRONG; }
    let assigned = temp(LAST_ASSIGN, end_of(s) - 1u) > s;
    if !assigned { return CODE_EXPRESSION_STATEMENT; }
    return expect(k != TOKEN_INT_TYPE || kind_at(s + 1u) == TOKEN_LEFT_PAREN);
}

// Returns the error of token t in the statement at s, or 0. t is not the first token and may be one past the
// last; then no bracket is open.
fn later_error(t: u32, s: u32) -> u32 {
    var bracket = NONE;
    if t < end_of(s) { bracket = temp(GROUP, t); }
    let k = kind_at(t);
    let behind = kind_at(t - 1u);
    var purpose = CLASS_GROUP;
    var found = NONE;
    if bracket != NONE {
        purpose = class_of(bracket, s);
        found = group_error(t, bracket, purpose, k, behind);
    } else {
        found = header_error(t, s, k, behind);
    }
    if found != NONE { return found; }
    return expression_error(t, s, bracket, purpose, k, behind);
}

// Applies the rules of the statement's header to token t outside of brackets. Returns NONE where an
// expression is expected.
fn header_error(t: u32, s: u32, k: u32, behind: u32) -> u32 {
    let head = kind_at(s);
    let place = t - s;
    if head == TOKEN_LET || head == TOKEN_CONST || head == TOKEN_FOR || head == TOKEN_FN {
        if place == 1u { return expect(k == TOKEN_NAME); }
        if head == TOKEN_FN { return function_error(t, s, k); }
        if place == 2u {
            if head == TOKEN_FOR { return expect(k == TOKEN_IN); }
            return expect(k == TOKEN_EQUAL || (head == TOKEN_LET && k == TOKEN_COLON));
        }
        if head == TOKEN_LET && kind_at(s + 2u) == TOKEN_COLON {
            if place == 3u { return expect(begins_type(k)); }
            if t == type_end(s + 3u) { return expect(k == TOKEN_EQUAL); }
        }
    } else if head == TOKEN_TEST {
        if place <= 2u && has_label(s) { return 0u; }
    } else if head == TOKEN_PROP {
        let labelled = kind_at(s + 1u) == TOKEN_STR;
        if labelled && place == 1u { return 0u; }
        if labelled && place == 2u { return expect(k == TOKEN_COLON); }
        if names_binder(t, s) { return expect(k == TOKEN_NAME); }
        if behind == TOKEN_NAME && names_binder(t - 1u, s) { return expect(k == TOKEN_IN); }
        if behind == TOKEN_IN && k == TOKEN_LEFT_BRACKET { return 0u; }
        if behind == TOKEN_RIGHT_BRACKET {
            let opener = temp(PARTNER, t - 1u);
            if opener != NONE && opener > s && kind_at(opener - 1u) == TOKEN_IN {
                return expect(ends_binder(k));
            }
        }
    } else if head == TOKEN_BREAK || head == TOKEN_CONTINUE {
        if place > 1u || k == TOKEN_SEMICOLON { return 0u; }
        return missing_end(t, k, true);
    } else if head == TOKEN_ELSE {
        if place == 1u { return expect(k == TOKEN_LEFT_BRACE || k == TOKEN_IF); }
        if kind_at(s + 1u) != TOKEN_IF { return 0u; }
    }
    return NONE;
}

// Returns whether the `test` at s has a label.
fn has_label(s: u32) -> bool { return kind_at(s + 1u) == TOKEN_STR && kind_at(s + 2u) == TOKEN_COLON; }

// Returns whether the `prop` at s expects the name of a binder at t.
fn names_binder(t: u32, s: u32) -> bool {
    if t == s + 1u { return kind_at(t) != TOKEN_STR; }
    if t == s + 3u && kind_at(s + 1u) == TOKEN_STR { return true; }
    return kind_at(t - 1u) == TOKEN_COMMA;
}

// Returns whether the token may follow a binder.
fn ends_binder(k: u32) -> bool { return k == TOKEN_COMMA || k == CONDITION_IF || k == TOKEN_FAT_ARROW; }

// Applies the rules of the header of the `fn` at s, outside of brackets.
fn function_error(t: u32, s: u32, k: u32) -> u32 {
    if t == s + 2u { return expect(k == TOKEN_LEFT_PAREN); }
    if !is_opener(kind_at(s + 2u)) { return 0u; }
    let closer = temp(PARTNER, s + 2u);
    if closer == NONE { return 0u; }
    if t == closer + 1u { return expect(k == TOKEN_ARROW); }
    if t == closer + 2u { return expect(begins_type(k)); }
    if t == type_end(closer + 2u) { return expect(k == TOKEN_LEFT_BRACE); }
    return 0u;
}

// Applies the rules of the enclosing round or square bracket to token t. Returns NONE where an expression is
// expected.
fn group_error(t: u32, opener: u32, purpose: u32, k: u32, behind: u32) -> u32 {
    if purpose == CLASS_PARAMS {
        if t == opener + 1u || behind == TOKEN_COMMA { return expect(k == TOKEN_NAME || k == TOKEN_RIGHT_PAREN); }
        if behind == TOKEN_NAME { return expect(k == TOKEN_COLON); }
        if behind == TOKEN_COLON { return expect(begins_type(k)); }
        return expect(k == TOKEN_COMMA || k == TOKEN_RIGHT_PAREN);
    }
    if purpose == CLASS_TYPE {
        if t == opener + 1u { return expect(k == TOKEN_INT_TYPE || k == TOKEN_BOOL_TYPE); }
        if t == opener + 2u { return expect(k == TOKEN_SEMICOLON || k == TOKEN_RIGHT_BRACKET); }
    }
    return NONE;
}

// Applies the rules of expressions to token t.
fn expression_error(t: u32, s: u32, opener: u32, purpose: u32, k: u32, behind: u32) -> u32 {
    let calls = k == TOKEN_LEFT_PAREN && (behind == TOKEN_NAME || behind == TOKEN_INT_TYPE);
    if calls { return 0u; }
    if !ends_operand(behind) {
        if k == TOKEN_INT_TYPE { return expect(kind_at(t + 1u) == TOKEN_LEFT_PAREN); }
        if begins_operand(k) { return 0u; }
        let early = is_closer(k) && opener != NONE && (purpose == CLASS_CALL || purpose == CLASS_LIST);
        return expect(early && (t == opener + 1u || behind == TOKEN_COMMA));
    }
    // Search to the left for another comparison of this level, or for the nearest separator. One search
    // serves both, because it takes as long as all other work here.
    let compares = infix_strength(k) == COMPARISON_STRENGTH;
    if !compares && (infix_strength(k) > 0u || k == TOKEN_LEFT_BRACKET) { return 0u; }
    var level = level_at(select(s, opener, opener != NONE));
    if opener != NONE { level += 1u; }
    let chain = level_at(t) * 16u + COMPARISON_STRENGTH;
    let left = previous_below(t, select(level * 16u + 1u, chain + 1u, compares));
    if compares {
        return select(0u, CODE_CHAINED_COMPARISON, left != NONE && temp(TREE_LEAVES, min(left, t)) == chain);
    }
    return end_error(t, s, opener, purpose, k, left);
}

// Returns the error of token t after a complete expression, if t does not end it. `left` is the nearest
// separator, or the bound of the group.
fn end_error(t: u32, s: u32, opener: u32, purpose: u32, k: u32, left: u32) -> u32 {
    let head = kind_at(s);
    // The kind of the nearest separator, or TOKEN_ERROR if the group has none so far.
    var last = TOKEN_ERROR;
    if opener != NONE {
        if left != NONE && left > opener { last = kind_at(left); }
        return expect(ends_group(purpose, last, k));
    }
    if left != NONE && left >= s && is_separator(kind_at(left)) { last = kind_at(left); }
    if head == TOKEN_PROP {
        if last == TOKEN_IN { return expect(k == TOKEN_DOT_DOT); }
        if last == TOKEN_DOT_DOT { return expect(ends_binder(k)); }
        if last == CONDITION_IF { return expect(k == TOKEN_FAT_ARROW); }
    } else if head == TOKEN_IF || head == TOKEN_WHILE || head == TOKEN_ELSE {
        return expect(k == TOKEN_LEFT_BRACE);
    } else if head == TOKEN_FOR {
        let first = last == TOKEN_IN && (k == TOKEN_DOT_DOT || k == TOKEN_DOT_DOT_EQUAL);
        return expect(first || k == TOKEN_LEFT_BRACE);
    } else if !is_keyword(head) && !assigns(last) {
        return expect(assigns(k) && is_target(s, t));
    }
    return missing_end(t, k, k != TOKEN_SEMICOLON);
}

fn ends_group(purpose: u32, last: u32, k: u32) -> bool {
    let first = last == TOKEN_ERROR;
    switch purpose {
        case CLASS_GROUP: { return k == TOKEN_RIGHT_PAREN; }
        case CLASS_CALL: { return k == TOKEN_COMMA || k == TOKEN_RIGHT_PAREN; }
        case CLASS_LIST: {
            return k == TOKEN_RIGHT_BRACKET || (k == TOKEN_COMMA && last != TOKEN_SEMICOLON)
                || (k == TOKEN_SEMICOLON && first);
        }
        case CLASS_INDEX: { return k == TOKEN_RIGHT_BRACKET || (k == TOKEN_DOT_DOT && first); }
        case CLASS_DOMAIN: {
            if first { return k == TOKEN_DOT_DOT; }
            return k == select(TOKEN_RIGHT_BRACKET, TOKEN_SEMICOLON, last == TOKEN_DOT_DOT);
        }
        default: { return k == TOKEN_RIGHT_BRACKET; }
    }
}

// Returns the error at t if the expected `;` is missing there.
fn missing_end(t: u32, k: u32, missing: bool) -> u32 {
    if !missing { return 0u; }
    if t >= leaves || k == TOKEN_RIGHT_BRACE || is_keyword(k) { return CODE_MISSING_SEMICOLON; }
    let apart = token_at(TOKENS_LINE, t) > token_at(TOKENS_LINE, t - 1u);
    return select(WRONG, CODE_MISSING_SEMICOLON, apart);
}

// Returns whether [s, t) can be assigned to: a name, or a name with one index.
fn is_target(s: u32, t: u32) -> bool {
    if kind_at(s) != TOKEN_NAME { return false; }
    if t == s + 1u { return true; }
    if kind_at(s + 1u) != TOKEN_LEFT_BRACKET || temp(PARTNER, s + 1u) != t - 1u { return false; }
    return separator_before(t - 1u, level_at(s + 1u) + 1u) == s + 1u;
}
