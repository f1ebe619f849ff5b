// The edits of the repair group that undo common mistakes: sides or variables exchanged, an operand, element, slice or
// statement missing, a wrong target, a statement on the wrong side of a loop's border. Each function works for one
// thread. No workgroup memory, no barriers.
//
// The specification is docs/stages/mutate.md; the CPU twin is
// src/compiler/stage/mutate/repair/mistakes.rs.

// Offers to exchange the sides of an operator.
fn visit_sides(t: u32, ty: u32, lo: u32, hi: u32) {
    let kind = token_at(TOKENS_KIND, t);
    let ordered = kind == TOKEN_MINUS || kind == TOKEN_SLASH || kind == TOKEN_PERCENT
        || kind == TOKEN_SHIFT_LEFT || kind == TOKEN_SHIFT_RIGHT || (kind == TOKEN_PLUS && ty >= TYPE_INT_LIST);
    if ordered && offer(lo, hi) {
        copied(t + 1u, hi);
        copied(t, t + 1u);
        bracketed(lo, t, role_at(site_at(SITES_CHILD, t)) == ROLE_BINARY);
    }
}

fn statement_at(t: u32) -> u32 { return tree_at(TREE_STMT, t) & STMT_INDEX; }

// Offers to exchange a variable with later ones of its statement.
fn visit_exchange(t: u32, ty: u32) {
    let end = min(function_end, t + 1u + CAP_WINDOW);
    var found = 0u;
    for (var u = t + 1u; u < end && found < CAP_EXCHANGES; u++) {
        if statement_at(u) != statement_at(t) { break; }
        if role_at(u) != ROLE_VAR || kind_of_type(u) != ty || value_at(u) == value_at(t) { continue; }
        found++;
        if offer(t, u + 1u) {
            copied(u, u + 1u);
            copied(t + 1u, u);
            copied(t, t + 1u);
        }
    }
}

// Offers to put an element into `[]`.
fn visit_fill(t: u32, ty: u32, lo: u32, hi: u32) {
    if hi - lo != 2u || ty < TYPE_INT_LIST { return; }
    let element = ty - 2u;
    var found = 0u;
    for (var name = last_name(lo); name != NONE && found < CAP_VARIABLES; name = last_name(name - 1u)) {
        if kind_of_type(name) != element || !is_visible(name, lo) { continue; }
        found++;
        if offer(lo, hi) {
            plain(TOKEN_LEFT_BRACKET);
            copied(name, name + 1u);
            plain(TOKEN_RIGHT_BRACKET);
        }
    }
    for (var value = 0u; value < 2u; value++) {
        if !offer(lo, hi) { continue; }
        plain(TOKEN_LEFT_BRACKET);
        if element == TYPE_INT { put(TOKEN_INT, value); } else { plain(select(TOKEN_TRUE, TOKEN_FALSE, value == 1u)); }
        plain(TOKEN_RIGHT_BRACKET);
    }
    found = 0u;
    for (var n = 0u; n < 2u * CAP_WINDOW && found < CAP_FILLS; n++) {
        let other = place_near(t, n);
        if other == NONE { continue; }
        if kind_of_type(other) != element || !may_be_copied(other, lo) || !is_other(other, lo, hi) { continue; }
        found++;
        if offer(lo, hi) {
            plain(TOKEN_LEFT_BRACKET);
            copied(tree_at(TREE_LO, other), tree_at(TREE_HI, other));
            plain(TOKEN_RIGHT_BRACKET);
        }
    }
}

// Offers to add an operand: a name, the length of a list, or a copied number.
fn offer_addends(t: u32, operand: bool, lo: u32, hi: u32, term: u32) {
    for (var i = 0u; i < 5u; i++) {
        if !offer(lo, hi) { continue; }
        let sign = family_member(8u * int_family(TOKEN_PLUS) + i);
        if operand { plain(TOKEN_LEFT_PAREN); }
        bracketed(lo, hi, binds_looser(t, sign));
        plain(sign);
        if role_at(term) == ROLE_INT || kind_of_type(term) == TYPE_INT {
            copied(term, term + 1u);
        } else {
            put_side(vec2<u32>(TOKEN_NAME, term));
        }
        if operand { plain(TOKEN_RIGHT_PAREN); }
    }
}

fn visit_addends(t: u32, above: u32, lo: u32, hi: u32) {
    let operand = above == ROLE_BINARY || above == ROLE_UNARY
        || ((above == ROLE_INDEX || above == ROLE_SLICE) && tree_at(TREE_SLOT, t) == 0u);
    var found = 0u;
    for (var name = last_name(lo); name != NONE && found < CAP_TERMS; name = last_name(name - 1u)) {
        if kind_of_type(name) == TYPE_BOOL || !is_visible(name, lo) { continue; }
        found++;
        offer_addends(t, operand, lo, hi, name);
    }
    found = 0u;
    for (var n = 0u; n < 2u * CAP_WINDOW && found < CAP_NUMBERS; n++) {
        let other = place_near(t, n);
        if other == NONE { continue; }
        if role_at(other) != ROLE_INT || !may_be_copied(other, lo) || !is_other(other, lo, hi) { continue; }
        found++;
        offer_addends(t, operand, lo, hi, other);
    }
}

// Adds the length of a list, by its name.
fn put_length(list: u32) {
    put(TOKEN_NAME, NAME_LEN);
    plain(TOKEN_LEFT_PAREN);
    copied(list, list + 1u);
    plain(TOKEN_RIGHT_PAREN);
}

// Offers a part of a list that begins at a name, or at 1 if `name` is NONE.
fn offer_from(t: u32, name: u32) {
    if !offer(t, t + 1u) { return; }
    copied(t, t + 1u);
    plain(TOKEN_LEFT_BRACKET);
    if name == NONE { put(TOKEN_INT, 1u); } else { copied(name, name + 1u); }
    plain(TOKEN_DOT_DOT);
    put_length(t);
    plain(TOKEN_RIGHT_BRACKET);
}

// Offers a part of a list that ends at a name, or before the last element if `name` is NONE.
fn offer_to(t: u32, name: u32) {
    if !offer(t, t + 1u) { return; }
    copied(t, t + 1u);
    plain(TOKEN_LEFT_BRACKET);
    put(TOKEN_INT, 0u);
    plain(TOKEN_DOT_DOT);
    if name == NONE {
        put_length(t);
        plain(TOKEN_MINUS);
        put(TOKEN_INT, 1u);
    } else {
        copied(name, name + 1u);
    }
    plain(TOKEN_RIGHT_BRACKET);
}

fn visit_parts(t: u32) {
    var found = 0u;
    for (var name = last_name(t); name != NONE && found < CAP_TERMS; name = last_name(name - 1u)) {
        if kind_of_type(name) != TYPE_INT || !is_visible(name, t) { continue; }
        found++;
        offer_from(t, name);
        offer_to(t, name);
    }
    offer_from(t, NONE);
    offer_to(t, NONE);
}

// Offers to assign an element of a list to each visible list and index.
fn offer_elements(lo: u32, t: u32, ty: u32) {
    var lists = 0u;
    for (var list = last_name(lo); list != NONE && lists < CAP_PLACES; list = last_name(list - 1u)) {
        if kind_of_type(list) != ty + 2u || !is_visible(list, lo) { continue; }
        lists++;
        var found = 0u;
        for (var name = last_name(lo); name != NONE && found < CAP_PLACES; name = last_name(name - 1u)) {
            if kind_of_type(name) != TYPE_INT || !is_visible(name, lo) { continue; }
            found++;
            if offer(lo, t) {
                copied(list, list + 1u);
                plain(TOKEN_LEFT_BRACKET);
                copied(name, name + 1u);
                plain(TOKEN_RIGHT_BRACKET);
            }
        }
    }
}

// Offers to assign an element instead of a variable or the reverse, and to exchange the sides of an assignment.
fn visit_place(t: u32, lo: u32, hi: u32) {
    let head = site_at(SITES_CHILD, t);
    if head == NONE { return; }
    let ty = kind_of_type(head);
    let variable = role_at(head) == ROLE_VAR;
    if variable {
        if ty < TYPE_INT_LIST { offer_elements(lo, t, ty); }
    } else {
        var found = 0u;
        for (var name = last_name(lo); name != NONE && found < 2u * CAP_PLACES; name = last_name(name - 1u)) {
            if kind_of_type(name) != ty || !is_visible(name, lo) { continue; }
            found++;
            offer_copy(lo, t, name, name + 1u);
        }
    }
    // The head of `xs[i]` is its bracket.
    var swap = hi - t > 4u && is_role(t + 2u, ROLE_INDEX);
    if swap { swap = tree_at(TREE_PARENT, t + 2u) == t; }
    if hi - t == 2u && !variable { swap = swap || is_role(t + 1u, ROLE_VAR); }
    if swap && offer(lo, hi) {
        copied(t + 1u, hi);
        copied(t, t + 1u);
        copied(lo, t);
    }
}

// Returns whether two tokens are the same, or are variables of the same name.
fn is_same_name(a: u32, b: u32) -> bool {
    return a == b || (role_at(a) == ROLE_VAR && role_at(b) == ROLE_VAR && value_at(a) == value_at(b));
}

// Returns the end of an assignment with its semicolon.
fn assignment_end(head: u32) -> u32 {
    let hi = tree_at(TREE_HI, head);
    return select(hi, hi + 1u, is_kind(hi, TOKEN_SEMICOLON));
}

// Returns whether `head` is the head of an assignment that may be copied to token `at`.
fn may_be_inserted(head: u32, at: u32) -> bool {
    if role_at(head) != ROLE_ASSIGN { return false; }
    let lo = tree_at(TREE_LO, head);
    let hi = assignment_end(head);
    return hi - lo <= CAP_STATEMENT && are_visible(lo, hi, at);
}

// Offers to insert an assignment with all occurrences of token u's name replaced by other names.
fn offer_renamed(at: u32, lo: u32, hi: u32, u: u32) {
    var occurrences = 0u;
    for (var other = lo; other < hi; other++) {
        if is_same_name(u, other) { occurrences++; }
    }
    if occurrences > CAP_OCCURRENCES { return; }
    var found = 0u;
    for (var name = last_name(at); name != NONE && found < CAP_OTHERS; name = last_name(name - 1u)) {
        if kind_of_type(name) != kind_of_type(u) || !is_visible(name, at) { continue; }
        if role_at(u) == ROLE_VAR && value_at(name) == value_at(u) { continue; }
        found++;
        if !offer(at, at) { continue; }
        var first = lo;
        for (var other = lo; other < hi; other++) {
            if !is_same_name(u, other) { continue; }
            if other > first { copied(first, other); }
            copied(name, name + 1u);
            first = other + 1u;
        }
        if hi > first { copied(first, hi); }
    }
}

// Offers to insert an assignment before a token, as it is and with a name or number replaced.
fn offer_inserted(at: u32, lo: u32, hi: u32) {
    if at != lo && at != hi { offer_copy(at, at, lo, hi); }
    var names = 0u;
    for (var u = lo; u < hi && names < CAP_NAMES; u++) {
        let role = role_at(u);
        if role != ROLE_VAR && role != ROLE_INT { continue; }
        var first = u;
        for (var other = lo; other < u; other++) {
            if is_same_name(u, other) { first = other; break; }
        }
        if first != u { continue; }
        names++;
        offer_renamed(at, lo, hi, u);
    }
}

// Offers to insert the assignments that are nearest to token t before token `at`.
fn visit_insert(t: u32, at: u32) {
    var found = 0u;
    for (var n = 0u; n < 2u * CAP_WINDOW && found < CAP_SOURCES; n++) {
        let other = place_near(t, n);
        if other == NONE { continue; }
        if !may_be_inserted(other, at) { continue; }
        found++;
        offer_inserted(at, tree_at(TREE_LO, other), assignment_end(other));
    }
}

// Offers to insert assignments before the end of a block, unless control does not reach it.
fn visit_insert_last(t: u32, hi: u32) {
    let end = hi - 1u;
    if end > 0u && is_kind(end - 1u, TOKEN_SEMICOLON) {
        let first = statement_at(end - 1u);
        if is_kind(first, TOKEN_BREAK) || is_kind(first, TOKEN_CONTINUE) || is_kind(first, TOKEN_RETURN) { return; }
    }
    visit_insert(t, end);
}

fn heads_loop(t: u32) -> bool { return role_at(t) == ROLE_WHILE || role_at(t) == ROLE_FOR; }

// Offers to move a statement before or after the loop around it. A `return` takes the place of one after the loop.
fn visit_out_of_loop(role: u32, block: u32, lo: u32, end: u32) {
    if role == ROLE_BREAK || role == ROLE_CONTINUE { return; }
    let around = tree_at(TREE_PARENT, block);
    if around == NONE { return; }
    if !heads_loop(around) { return; }
    let first = tree_at(TREE_LO, around);
    let behind = tree_at(TREE_HI, around);
    if role != ROLE_RETURN && offer(first, end) {
        copied(lo, end);
        copied(first, lo);
    }
    if role == ROLE_LET || (role != ROLE_RETURN && is_kind(end, TOKEN_RIGHT_BRACE)) { return; }
    var last = behind;
    let next = site_at(SITES_ARGUMENT, behind);
    if role == ROLE_RETURN && next != NONE {
        if role_at(next) == ROLE_RETURN {
            last = tree_at(TREE_HI, next);
            if is_kind(last, TOKEN_SEMICOLON) { last++; }
        }
    }
    if offer(lo, last) {
        copied(end, behind);
        copied(lo, end);
    }
}

// Offers to move a statement to the beginning of the loop after it.
fn visit_into_loop(role: u32, block: u32, lo: u32, end: u32) {
    if role == ROLE_RETURN || role == ROLE_BREAK || role == ROLE_CONTINUE { return; }
    let next = site_at(SITES_ARGUMENT, end);
    if next == NONE { return; }
    if !heads_loop(next) || tree_at(TREE_PARENT, next) != block { return; }
    let behind = tree_at(TREE_HI, next);
    for (var brace = tree_at(TREE_LO, next); brace < behind; brace++) {
        if token_at(TOKENS_KIND, brace) != TOKEN_LEFT_BRACE { continue; }
        if offer(lo, brace + 1u) {
            copied(end, brace + 1u);
            copied(lo, end);
        }
        return;
    }
}

// Offers the edits of token t that undo mistakes. `visit_repair` has set the function.
fn visit_mistakes(t: u32, role: u32, above: u32) {
    let lo = tree_at(TREE_LO, t);
    let hi = tree_at(TREE_HI, t);
    if role == ROLE_BLOCK {
        visit_insert_last(t, hi);
        return;
    }
    if !is_expression(role) {
        let stays = role == ROLE_LET || role == ROLE_ASSIGN || role == ROLE_IF || role == ROLE_WHILE || role == ROLE_FOR;
        let leaves = role == ROLE_RETURN || role == ROLE_BREAK || role == ROLE_CONTINUE;
        if !(stays || leaves) || above != ROLE_BLOCK { return; }
        if role == ROLE_ASSIGN { visit_place(t, lo, hi); }
        visit_insert(t, lo);
        let block = tree_at(TREE_PARENT, t);
        let end = select(hi, hi + 1u, is_kind(hi, TOKEN_SEMICOLON));
        visit_out_of_loop(role, block, lo, end);
        visit_into_loop(role, block, lo, end);
        return;
    }
    let ty = kind_of_type(t);
    let slot = tree_at(TREE_SLOT, t);
    var assigned = slot == 0u && above == ROLE_ASSIGN;
    if slot == 0u && above == ROLE_INDEX {
        let index = tree_at(TREE_PARENT, t);
        assigned = tree_at(TREE_SLOT, index) == 0u && parent_role(index) == ROLE_ASSIGN;
    }
    if role == ROLE_BINARY { visit_sides(t, ty, lo, hi); }
    if role == ROLE_VAR { visit_exchange(t, ty); }
    if role == ROLE_LIST { visit_fill(t, ty, lo, hi); }
    if ty == TYPE_INT && role != ROLE_INT && role != ROLE_GROUP && !assigned { visit_addends(t, above, lo, hi); }
    if role == ROLE_SLICE {
        let list = site_at(SITES_CHILD, t);
        if list != NONE { offer_copy(lo, hi, tree_at(TREE_LO, list), tree_at(TREE_HI, list)); }
    }
    let indexed = slot == 0u && (above == ROLE_INDEX || above == ROLE_SLICE);
    if role == ROLE_VAR && ty >= TYPE_INT_LIST && !indexed && !assigned { visit_parts(t); }
}
