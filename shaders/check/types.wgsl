// Kinds of types, and the errors that they make.

#import shared/scan
#import check/kinds
#import check/operands

// Kinds of types, and the errors that they make.
@compute @workgroup_size(64)
fn types(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    let n = P.tokens;
    for (var t = lane; t < n; t += WORKGROUP) {
        if role(t) == ROLE_LIST && temp(COUNT, t) == 0u {
            var g = t;
            loop {
                set_temp(BARE, g, t);
                g = parent(g);
                if role_or_none(g) != ROLE_GROUP { break; }
            }
        }
    }
    storageBarrier();
    var now = CHAIN_A;
    var next = CHAIN_B;
    for (var t = lane; t < n; t += WORKGROUP) { set_temp(now, t, type_link(t)); }
    storageBarrier();
    loop {
        var changed = false;
        for (var t = lane; t < n; t += WORKGROUP) {
            var link = temp(now, t);
            let on = link & NO_NODE;
            if on != NO_NODE {
                let further = temp(now, on);
                link = (map_after(link >> 14u, further >> 14u) << 14u) | (further & NO_NODE);
                changed = true;
            }
            set_temp(next, t, link);
        }
        storageBarrier();
        let swap = now;
        now = next;
        next = swap;
        if !uniform_any(changed) { break; }
    }
    for (var t = lane; t < n; t += WORKGROUP) { set_checked(CHECKED_TY, t, (temp(now, t) >> 14u) & 7u); }
    storageBarrier();
    for (var t = lane; t < n; t += WORKGROUP) {
        let r = role(t);
        let p = parent(t);
        if !own_error(t, r) && is_expression(r) && p != NONE && role(p) != ROLE_GROUP { require_type(t, p, slot(t)); }
    }
    storageBarrier();
    sum_proposed(n);
}
