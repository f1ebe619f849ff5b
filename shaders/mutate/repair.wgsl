// The edits of the repair group. mutate.wgsl finds and applies them.
//
// An edit of this group inserts copies of code from elsewhere in the function. The names of a function form a
// chain from last to first, and its expressions are searched around the token. Comparisons are counted and
// found by arithmetic. Each function works for one thread. No workgroup memory, no barriers.
//
// The specification is docs/stages/mutate.md; the CPU twins are
// src/compiler/stage/mutate/repair.rs and scope.rs.

// The function that contains the token: its `fn`, and one past its last token.
var<private> function_token: u32;
var<private> function_end: u32;

fn role_at(t: u32) -> u32 { return tree_at(TREE_ROLE, t); }
fn value_at(t: u32) -> u32 { return token_at(TOKENS_VALUE, t); }
fn decl_at(t: u32) -> u32 { return checked[CHECKED_DECL * mutate_params.base_capacity + t]; }

// Returns the last of the names that the function declares at or before token t, or NONE.
fn last_name(t: u32) -> u32 {
    let name = site_at(SITES_NAME, t);
    if name == 0u { return NONE; }
    return select(name - 1u, NONE, role_at(name - 1u) == ROLE_FN_NAME);
}

// Returns whether a name of the function is visible at a token.
fn is_visible(name: u32, at: u32) -> bool {
    let role = role_at(name);
    if role == ROLE_PARAM { return true; }
    let statement = tree_at(TREE_PARENT, name);
    if role == ROLE_LET_NAME {
        return at >= tree_at(TREE_HI, statement) && at < tree_at(TREE_HI, tree_at(TREE_PARENT, statement));
    }
    // A loop variable is visible in the loop's body only. Tokens of the body belong to other statements; those
    // of the header belong to the loop statement.
    return at > name && at < tree_at(TREE_HI, statement) && (tree_at(TREE_STMT, at) & STMT_INDEX) != statement;
}

// Returns the token at position `number` around t: alternately before and after t, at growing distances.
// Returns NONE outside of the function.
fn place_near(t: u32, number: u32) -> u32 {
    let far = number / 2u + 1u;
    if (number & 1u) == 0u { return select(t - far, NONE, t < function_token + far); }
    return select(t + far, NONE, t + far >= function_end);
}

// Returns whether `head` is the head of an expression that may be copied to token `at`.
fn may_be_copied(head: u32, at: u32) -> bool {
    let role = role_at(head);
    if !is_expression(role) || role == ROLE_VAR || role == ROLE_BOOL || role == ROLE_GROUP { return false; }
    let lo = tree_at(TREE_LO, head);
    let hi = tree_at(TREE_HI, head);
    return hi - lo <= CAP_LONGEST && are_visible(lo, hi, at);
}

// Returns whether edits may not copy token t: it is a string or a `?`.
fn stays(t: u32) -> bool {
    let kind = token_at(TOKENS_KIND, t);
    return kind == TOKEN_STR || kind == TOKEN_QUESTION;
}

// Returns whether tokens lo .. hi have no string, no `?` and only names that are visible at token `at`.
fn are_visible(lo: u32, hi: u32, at: u32) -> bool {
    for (var t = lo; t < hi; t++) {
        if stays(t) { return false; }
        if role_at(t) != ROLE_VAR { continue; }
        let name = decl_at(t);
        // Constants are visible everywhere.
        if role_at(name) != ROLE_CONST_NAME && !is_visible(name, at) { return false; }
    }
    return true;
}

// Returns whether an expression does not overlap tokens lo .. hi and differs from them.
fn is_other(head: u32, lo: u32, hi: u32) -> bool {
    let first = tree_at(TREE_LO, head);
    let behind = tree_at(TREE_HI, head);
    if first < hi && lo < behind { return false; }
    if behind - first != hi - lo { return true; }
    for (var i = 0u; i < hi - lo; i++) {
        if token_at(TOKENS_KIND, first + i) != token_at(TOKENS_KIND, lo + i) || value_at(first + i) != value_at(lo + i) { return true; }
    }
    return false;
}

// Returns whether t is the head of an expression that binds looser than another operator.
fn binds_looser(t: u32, than: u32) -> bool {
    return role_at(t) == ROLE_BINARY && infix_strength(token_at(TOKENS_KIND, t)) < infix_strength(than);
}

// Offers to replace a token by each other visible variable of type kind `ty`. If the token is a name itself,
// skips variables of that name.
fn offer_variables(place: u32, ty: u32, itself: u32) {
    var found = 0u;
    for (var name = last_name(place); name != NONE && found < CAP_VARIABLES; name = last_name(name - 1u)) {
        if kind_of_type(name) != ty || !is_visible(name, place) { continue; }
        if itself != NONE && value_at(name) == value_at(place) { continue; }
        offer_copy(place, place + 1u, name, name + 1u);
        found++;
    }
}

// Returns whether two functions have the same parameter types and result type.
fn same_signature(a: u32, b: u32) -> bool {
    if kind_of_type(a) != kind_of_type(b) { return false; }
    var p = a + 3u;
    var q = b + 3u;
    while is_role(p, ROLE_PARAM) && is_role(q, ROLE_PARAM) {
        if kind_of_type(p) != kind_of_type(q) { return false; }
        p = tree_at(TREE_HI, p) + 1u;
        q = tree_at(TREE_HI, q) + 1u;
    }
    return !is_role(p, ROLE_PARAM) && !is_role(q, ROLE_PARAM);
}

// Offers to call each other function with the same signature.
fn visit_callees(t: u32) {
    let name = decl_at(t);
    if name == NONE {
        let own = value_at(t);
        if own == NAME_MIN || own == NAME_MAX { offer_token(t, t + 1u, TOKEN_NAME, NAME_MIN + NAME_MAX - own); }
        return;
    }
    let own = name - 1u;
    var found = 0u;
    var next = site_at(SITES_FUNCTION, base[0].tokens - 1u);
    while next != 0u && found < CAP_CALLEES {
        let other = next - 1u;
        if other != own && same_signature(other, own) {
            offer_token(t, t + 1u, TOKEN_NAME, value_at(other + 1u));
            found++;
        }
        next = 0u;
        if other > 0u { next = site_at(SITES_FUNCTION, other - 1u); }
    }
}

// Offers to replace an expression by others.
fn visit_value(t: u32, role: u32, above: u32, lo: u32, hi: u32) {
    let ty = kind_of_type(t);
    let kind = token_at(TOKENS_KIND, t);
    let operand = above == ROLE_BINARY || above == ROLE_UNARY
        || ((above == ROLE_INDEX || above == ROLE_SLICE) && tree_at(TREE_SLOT, t) == 0u);
    if role == ROLE_VAR { offer_variables(t, ty, t); }
    if role == ROLE_INT { offer_variables(t, ty, NONE); }
    if ty == TYPE_INT && role != ROLE_INT {
        for (var i = 0u; i < 2u; i++) {
            if !offer(lo, hi) { continue; }
            if operand { plain(TOKEN_LEFT_PAREN); }
            bracketed(lo, hi, binds_looser(t, TOKEN_PLUS));
            plain(select(TOKEN_PLUS, TOKEN_MINUS, i == 1u));
            put(TOKEN_INT, 1u);
            if operand { plain(TOKEN_RIGHT_PAREN); }
        }
    }
    let number = ty == TYPE_INT && (role == ROLE_CALL || role == ROLE_INDEX || role == ROLE_BINARY);
    let truth = ty == TYPE_BOOL && (role == ROLE_INDEX || (role == ROLE_BINARY && is_logical(kind)));
    if (number || truth) && offer(lo, hi) {
        plain(select(TOKEN_MINUS, TOKEN_BANG, truth));
        bracketed(lo, hi, role == ROLE_BINARY);
    }
    if role == ROLE_BINARY && kind_of_type(site_at(SITES_CHILD, t)) == ty {
        offer_copy(lo, hi, lo, t);
        offer_copy(lo, hi, t + 1u, hi);
    }
    if role == ROLE_CALL { visit_callees(t); }
    var found = 0u;
    for (var n = 0u; n < 2u * CAP_WINDOW && found < CAP_EXPRESSIONS; n++) {
        let other = place_near(t, n);
        if other == NONE { continue; }
        if kind_of_type(other) != ty || !may_be_copied(other, lo) || !is_other(other, lo, hi) { continue; }
        found++;
        let operation = role_at(other) == ROLE_BINARY || role_at(other) == ROLE_UNARY;
        if offer(lo, hi) { bracketed(tree_at(TREE_LO, other), tree_at(TREE_HI, other), operand && operation); }
    }
}

// The forms of a condition: tokens lo .. hi, a comparison of two sides, a name, or a name with `!` before it.
const COPIED = 0u;
const COMPARED = 1u;
const NAMED = 2u;
const DENIED = 3u;
struct Condition {
    form: u32,
    lo: u32,
    hi: u32,
    operation: u32,
    sides: array<vec2<u32>, 2>,
}

// Adds a side of a comparison: a literal, an int variable, or the length of a list variable.
fn put_side(side: vec2<u32>) {
    if side.x == TOKEN_INT {
        put(TOKEN_INT, side.y);
    } else if kind_of_type(side.y) == TYPE_INT {
        copied(side.y, side.y + 1u);
    } else {
        put(TOKEN_NAME, NAME_LEN);
        plain(TOKEN_LEFT_PAREN);
        copied(side.y, side.y + 1u);
        plain(TOKEN_RIGHT_PAREN);
    }
}

fn put_condition(condition: Condition) {
    if condition.form == DENIED { plain(TOKEN_BANG); }
    if condition.form == COMPARED {
        put_side(condition.sides[0]);
        plain(condition.operation);
        put_side(condition.sides[1]);
    } else {
        copied(condition.lo, condition.hi);
    }
}

// What a new condition applies to: the tokens lo .. hi. They are a statement if head is NONE, else an existing
// condition whose root is token head.
struct ConditionTarget {
    lo: u32,
    hi: u32,
    head: u32,
}

// Offers the edits with one condition. The operand that cannot trap comes first.
fn offer_conditioned(under: ConditionTarget, condition: Condition) {
    if under.head == NONE {
        if offer(under.lo, under.hi) {
            plain(TOKEN_IF);
            put_condition(condition);
            plain(TOKEN_LEFT_BRACE);
            copied(under.lo, under.hi);
            plain(TOKEN_RIGHT_BRACE);
        }
        return;
    }
    for (var i = 0u; i < 2u; i++) {
        let joint = select(TOKEN_AMPERSAND_AMPERSAND, TOKEN_BAR_BAR, i == 1u);
        let looser = binds_looser(under.head, joint);
        if offer(under.lo, under.hi) {
            put_condition(condition);
            plain(joint);
            bracketed(under.lo, under.hi, looser);
        }
        if condition.form == COPIED && offer(under.lo, under.hi) {
            bracketed(under.lo, under.hi, looser);
            plain(joint);
            put_condition(condition);
        }
    }
}

// Offers the edits with all comparisons of the nearest terms with each other, and with 0 and 1.
fn visit_comparisons(under: ConditionTarget) {
    if is_spared(under.lo, under.hi) { return; }
    var terms: array<u32, CAP_TERMS>;
    var count = 0u;
    for (var name = last_name(under.lo); name != NONE && count < CAP_TERMS; name = last_name(name - 1u)) {
        if kind_of_type(name) == TYPE_BOOL || !is_visible(name, under.lo) { continue; }
        terms[count] = name;
        count++;
    }
    let each = select(2u, 1u, under.head == NONE);
    let first = offered;
    // Each term has six comparisons with each later term and with 0, and three with 1.
    let behind = first + each * (6u * (count * (count + 1u) / 2u) + 3u * count);
    if wanted >= first && wanted < behind {
        var number = (wanted - first) / each;
        var i = 0u;
        while number >= 6u * (count - i) + 3u {
            number -= 6u * (count - i) + 3u;
            i++;
        }
        offered = wanted - (wanted - first) % each;
        let other = i + 1u + number / 6u;
        var condition = Condition(COMPARED, 0u, 0u, family_member(8u * int_family(TOKEN_LESS) + number % 6u), array(vec2<u32>(TOKEN_NAME, terms[i]), vec2<u32>(TOKEN_INT, 0u)));
        if other < count { condition.sides[1] = vec2<u32>(TOKEN_NAME, terms[other]); }
        if other > count {
            condition.sides[1] = vec2<u32>(TOKEN_INT, 1u);
            if number % 6u == 2u { condition.operation = TOKEN_GREATER; }
        }
        offer_conditioned(under, condition);
    }
    offered = behind;
}

// Offers the edits with all conditions: conditions of the function near token t, comparisons, and bool
// variables.
fn visit_conditions(t: u32, under: ConditionTarget) {
    var condition = Condition(COPIED, 0u, 0u, 0u, array(vec2<u32>(0u, 0u), vec2<u32>(0u, 0u)));
    var found = 0u;
    for (var n = 0u; n < 2u * CAP_WINDOW && found < CAP_CONDITIONS; n++) {
        let other = place_near(t, n);
        if other == NONE { continue; }
        let role = role_at(other);
        let asks = role == ROLE_CALL || (role == ROLE_BINARY && is_comparison(token_at(TOKENS_KIND, other)));
        if !asks || kind_of_type(other) != TYPE_BOOL || !may_be_copied(other, under.lo) { continue; }
        if !is_other(other, under.lo, under.hi) { continue; }
        condition.lo = tree_at(TREE_LO, other);
        condition.hi = tree_at(TREE_HI, other);
        offer_conditioned(under, condition);
        found++;
    }
    visit_comparisons(under);
    found = 0u;
    for (var name = last_name(under.lo); name != NONE && found < CAP_TRUTHS; name = last_name(name - 1u)) {
        if kind_of_type(name) != TYPE_BOOL || !is_visible(name, under.lo) { continue; }
        condition.lo = name;
        condition.hi = name + 1u;
        condition.form = NAMED;
        offer_conditioned(under, condition);
        condition.form = DENIED;
        offer_conditioned(under, condition);
        found++;
    }
}

fn has_fixed(lo: u32, hi: u32) -> bool {
    for (var t = lo; t < hi; t++) {
        if stays(t) { return true; }
    }
    return false;
}

// Offers the edits of a statement of a block: guard it, duplicate it, swap it with the next one, or move it.
fn visit_statement(t: u32, role: u32, lo: u32, hi: u32) {
    var end = hi;
    if is_kind(hi, TOKEN_SEMICOLON) { end++; }
    let declares = role == ROLE_LET;
    let leaves = role == ROLE_RETURN || role == ROLE_BREAK || role == ROLE_CONTINUE;
    // Without the last statement, control would reach the end of the function.
    let last = end + 1u == function_end;
    if !declares && !last { visit_conditions(t, ConditionTarget(lo, end, NONE)); }
    if !declares && !leaves && end - lo <= CAP_STATEMENT {
        if !has_fixed(lo, end) { offer_copy(lo, lo, lo, end); }
    }
    let block = tree_at(TREE_PARENT, t);
    if !leaves {
        let next = site_at(SITES_ARGUMENT, end);
        if next != NONE {
            let other = role_at(next);
            let stays = other == ROLE_LET || other == ROLE_ASSIGN || other == ROLE_IF || other == ROLE_WHILE || other == ROLE_FOR;
            if stays && tree_at(TREE_PARENT, next) == block {
                let first = tree_at(TREE_LO, next);
                var behind = tree_at(TREE_HI, next);
                if is_kind(behind, TOKEN_SEMICOLON) { behind++; }
                if offer(lo, behind) {
                    copied(first, behind);
                    copied(lo, end);
                }
            }
        }
    }
    if declares { return; }
    let above = parent_role(block);
    let inner = above == ROLE_IF || above == ROLE_WHILE || above == ROLE_FOR;
    if !leaves && inner && is_kind(end, TOKEN_RIGHT_BRACE) && !is_kind(end + 1u, TOKEN_ELSE) {
        if offer(lo, end + 1u) {
            copied(end, end + 1u);
            copied(lo, end);
        }
    }
    if !last && lo > 0u && is_kind(max(lo, 1u) - 1u, TOKEN_RIGHT_BRACE) {
        if offer(lo - 1u, end) {
            copied(lo, end);
            copied(lo - 1u, lo);
        }
    }
}

// Offers the edits of token t that the operators of the repair group make.
fn visit_repair(t: u32, role: u32, above: u32) {
    let function = site_at(SITES_FUNCTION, t);
    if function == 0u { return; }
    function_token = function - 1u;
    function_end = tree_at(TREE_HI, function_token);
    let lo = tree_at(TREE_LO, t);
    let hi = tree_at(TREE_HI, t);
    let slot = tree_at(TREE_SLOT, t);
    if is_expression(role) {
        var assigned = slot == 0u && above == ROLE_ASSIGN;
        if slot == 0u && above == ROLE_INDEX {
            let index = tree_at(TREE_PARENT, t);
            assigned = tree_at(TREE_SLOT, index) == 0u && parent_role(index) == ROLE_ASSIGN;
        }
        if role != ROLE_GROUP && !assigned { visit_value(t, role, above, lo, hi); }
        if slot == 0u && (above == ROLE_IF || above == ROLE_WHILE) { visit_conditions(t, ConditionTarget(lo, hi, t)); }
        visit_mistakes(t, role, above);
        return;
    }
    let stays = role == ROLE_LET || role == ROLE_ASSIGN || role == ROLE_IF || role == ROLE_WHILE || role == ROLE_FOR;
    let leaves = role == ROLE_RETURN || role == ROLE_BREAK || role == ROLE_CONTINUE;
    if (stays || leaves) && above == ROLE_BLOCK { visit_statement(t, role, lo, hi); }
    if role == ROLE_ASSIGN { offer_variables(lo, kind_of_type(lo), lo); }
    visit_mistakes(t, role, above);
}
