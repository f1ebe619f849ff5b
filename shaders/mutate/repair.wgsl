// The edits of the repair group. What they are found from, and how they are offered, is mutate.wgsl's.
//
// What an edit puts in stands elsewhere in the function: its names are a chain from the last to the first, its expressions are looked
// for around the token. Comparisons are counted and found by arithmetic.
//
// The contract is the section "mutate" of docs/stages.md; the twins are src/compiler/stage/mutate/repair.rs and scope.rs.

// The function that is mutated: its `fn`, and one past its last token.
var<private> home: u32;
var<private> home_end: u32;

fn role_at(t: u32) -> u32 { return tree_at(TREE_ROLE, t); }
fn value_at(t: u32) -> u32 { return token_at(TOKENS_VALUE, t); }
fn decl_at(t: u32) -> u32 { return checked[CHECKED_DECL * mp.base_capacity + t]; }

// The last name of the function that is declared at a token or before, or NONE.
fn last_name(t: u32) -> u32 {
    let name = site_at(SITES_NAME, t);
    if name == 0u { return NONE; }
    return select(name - 1u, NONE, role_at(name - 1u) == ROLE_FN_NAME);
}

// Whether a name of the function holds at a token.
fn holds(name: u32, at: u32) -> bool {
    let role = role_at(name);
    if role == ROLE_PARAM { return true; }
    let statement = tree_at(TREE_PARENT, name);
    if role == ROLE_LET_NAME {
        return at >= tree_at(TREE_HI, statement) && at < tree_at(TREE_HI, tree_at(TREE_PARENT, statement));
    }
    // A loop's name holds in its body, whose statements are others than the loop's own.
    return at > name && at < tree_at(TREE_HI, statement) && (tree_at(TREE_STMT, at) & STMT_INDEX) != statement;
}

// The place with this number around token t: before and behind, always further away; NONE where that is out of the function.
fn place_near(t: u32, number: u32) -> u32 {
    let far = number / 2u + 1u;
    if (number & 1u) == 0u { return select(t - far, NONE, t < home + far); }
    return select(t + far, NONE, t + far >= home_end);
}

// Whether an expression begins at this head that may stand elsewhere, at that token.
fn may_stand(head: u32, at: u32) -> bool {
    let role = role_at(head);
    if !is_expression(role) || role == ROLE_VAR || role == ROLE_BOOL || role == ROLE_GROUP { return false; }
    let lo = tree_at(TREE_LO, head);
    let hi = tree_at(TREE_HI, head);
    if hi - lo > CAP_LONGEST { return false; }
    for (var t = lo; t < hi; t++) {
        if token_at(TOKENS_KIND, t) == TOKEN_STR { return false; }
        if role_at(t) != ROLE_VAR { continue; }
        let name = decl_at(t);
        // Constants hold everywhere.
        if role_at(name) != ROLE_CONST_NAME && !holds(name, at) { return false; }
    }
    return true;
}

// Whether an expression has no token of a stretch, and is not the same as what stands there.
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

// Whether an operator is the head of an expression that binds looser than another one.
fn binds_looser(t: u32, than: u32) -> bool {
    return role_at(t) == ROLE_BINARY && infix_strength(token_at(TOKENS_KIND, t)) < infix_strength(than);
}

// A token becomes the other variables of a kind of type; they have another name than this token's, if that is one.
fn offer_variables(place: u32, ty: u32, itself: u32) {
    var found = 0u;
    for (var name = last_name(place); name != NONE && found < CAP_VARIABLES; name = last_name(name - 1u)) {
        if kind_of_type(name) != ty || !holds(name, place) { continue; }
        if itself != NONE && value_at(name) == value_at(place) { continue; }
        offer_copy(place, place + 1u, name, name + 1u);
        found++;
    }
}

// Whether two functions take and give the same.
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

// Another function is called.
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

// An expression becomes another one.
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
        if kind_of_type(other) != ty || !may_stand(other, lo) || !is_other(other, lo, hi) { continue; }
        found++;
        let operation = role_at(other) == ROLE_BINARY || role_at(other) == ROLE_UNARY;
        if offer(lo, hi) { bracketed(tree_at(TREE_LO, other), tree_at(TREE_HI, other), operand && operation); }
    }
}

// A condition: tokens lo .. hi, a comparison of two sides, or a name, perhaps with `!` before it.
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

// A side of a comparison: a token's kind and value, or the name of a list.
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

// What is under a condition: a statement, tokens lo .. hi, or the condition with that head.
struct Under {
    lo: u32,
    hi: u32,
    head: u32,
}

// The edits by one condition. What cannot trap comes first.
fn offer_conditioned(under: Under, condition: Condition) {
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

// The edits by all comparisons of the nearest terms with each other, and with 0 and 1.
fn visit_comparisons(under: Under) {
    var terms: array<u32, CAP_TERMS>;
    var count = 0u;
    for (var name = last_name(under.lo); name != NONE && count < CAP_TERMS; name = last_name(name - 1u)) {
        if kind_of_type(name) == TYPE_BOOL || !holds(name, under.lo) { continue; }
        terms[count] = name;
        count++;
    }
    let each = select(2u, 1u, under.head == NONE);
    let first = offered;
    // Six with each later term and with 0, three with 1.
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

// The edits by all conditions: those of the function around token t, comparisons, and variables.
fn visit_conditions(t: u32, under: Under) {
    var condition = Condition(COPIED, 0u, 0u, 0u, array(vec2<u32>(0u, 0u), vec2<u32>(0u, 0u)));
    var found = 0u;
    for (var n = 0u; n < 2u * CAP_WINDOW && found < CAP_CONDITIONS; n++) {
        let other = place_near(t, n);
        if other == NONE { continue; }
        let role = role_at(other);
        let asks = role == ROLE_CALL || (role == ROLE_BINARY && is_comparison(token_at(TOKENS_KIND, other)));
        if !asks || kind_of_type(other) != TYPE_BOOL || !may_stand(other, under.lo) { continue; }
        if !is_other(other, under.lo, under.hi) { continue; }
        condition.lo = tree_at(TREE_LO, other);
        condition.hi = tree_at(TREE_HI, other);
        offer_conditioned(under, condition);
        found++;
    }
    visit_comparisons(under);
    found = 0u;
    for (var name = last_name(under.lo); name != NONE && found < CAP_TRUTHS; name = last_name(name - 1u)) {
        if kind_of_type(name) != TYPE_BOOL || !holds(name, under.lo) { continue; }
        condition.lo = name;
        condition.hi = name + 1u;
        condition.form = NAMED;
        offer_conditioned(under, condition);
        condition.form = DENIED;
        offer_conditioned(under, condition);
        found++;
    }
}

fn has_string(lo: u32, hi: u32) -> bool {
    for (var t = lo; t < hi; t++) {
        if token_at(TOKENS_KIND, t) == TOKEN_STR { return true; }
    }
    return false;
}

// A statement of a block: under a condition, done twice, exchanged with the next one, moved.
fn visit_statement(t: u32, role: u32, lo: u32, hi: u32) {
    var end = hi;
    if is_kind(hi, TOKEN_SEMICOLON) { end++; }
    let declares = role == ROLE_LET;
    let leaves = role == ROLE_RETURN || role == ROLE_BREAK || role == ROLE_CONTINUE;
    // Without the last one control would reach the end.
    let last = end + 1u == home_end;
    if !declares && !last { visit_conditions(t, Under(lo, end, NONE)); }
    if !declares && !leaves && end - lo <= CAP_STATEMENT {
        if !has_string(lo, end) { offer_copy(lo, lo, lo, end); }
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

// The edits of token t by the operators of the repair group.
fn visit_repair(t: u32, role: u32, above: u32) {
    let function = site_at(SITES_FUNCTION, t);
    if function == 0u { return; }
    home = function - 1u;
    home_end = tree_at(TREE_HI, home);
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
        if slot == 0u && (above == ROLE_IF || above == ROLE_WHILE) { visit_conditions(t, Under(lo, hi, t)); }
        return;
    }
    let stays = role == ROLE_LET || role == ROLE_ASSIGN || role == ROLE_IF || role == ROLE_WHILE || role == ROLE_FOR;
    let leaves = role == ROLE_RETURN || role == ROLE_BREAK || role == ROLE_CONTINUE;
    if (stays || leaves) && above == ROLE_BLOCK { visit_statement(t, role, lo, hi); }
    if role == ROLE_ASSIGN { offer_variables(lo, kind_of_type(lo), lo); }
}
