// The kinds of types, and the errors of operands. Each thread handles every WORKGROUP-th token. Workgroup
// memory is used only by the scans. A storage barrier ends each round of pointer doubling, which alternates
// between two columns; others separate types from proposing errors and from summing these.

#import shared/scan
#import check/kinds
#import check/operands

// Computes the kinds of types and proposes errors.
@compute @workgroup_size(WORKGROUP)
fn types(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    let n = uniform_from(P.tokens);
    for (var t = lane; t < n; t += WORKGROUP) {
        if (role(t) == ROLE_LIST && temp(COUNT, t) == 0u) || role(t) == ROLE_HOLE {
            var g = t;
            loop {
                set_temp(BARE, g, t);
                g = parent(g);
                if role_or_none(g) != ROLE_GROUP { break; }
            }
        }
    }
    #round n: Every empty list and every `?` has marked the parentheses around it.
    storageBarrier();
    var now = CHAIN_A;
    var next = CHAIN_B;
    for (var t = lane; t < n; t += WORKGROUP) { set_temp(now, t, type_link(t)); }
    #round n: Every node has a link to the node on whose type its own depends.
    storageBarrier();
    loop {
        var changed = false;
        for (var t = lane; t < n; t += WORKGROUP) {
            var link = temp(now, t);
            let on = link & NO_LINK;
            if on != NO_LINK {
                let further = temp(now, on);
                link = (map_after(link >> 14u, further >> 14u) << 14u) | (further & NO_LINK);
                changed = true;
            }
            set_temp(next, t, link);
        }
        #round n: The links are twice as long: two steps from type to type are now one.
        storageBarrier();
        let swap = now;
        now = next;
        next = swap;
        if !uniform_any(changed) { break; }
    }
    for (var t = lane; t < n; t += WORKGROUP) { set_checked(CHECKED_TY, t, (temp(now, t) >> 14u) & 7u); }
    #round n: All links end at known types, so every expression has the kind of its type.
    storageBarrier();
    for (var t = lane; t < n; t += WORKGROUP) {
        let r = role(t);
        let p = parent(t);
        if !own_error(t, r) && is_expression(r) && p != NONE && role(p) != ROLE_GROUP { require_type(t, p, slot(t)); }
    }
    #round n: Every operand is compared with the type that its place requires; mismatches are proposed as
    #: errors.
    storageBarrier();
    sum_proposed(n);
    #round n: The errors of types are summed.
}
