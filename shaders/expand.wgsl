// expand: the expansions of level 2, which insert code. The passes of `optimize` run before and after each.
//
// Each entry point works on one program per workgroup: see the parts. The workgroup memory is that of the parts.
//
// The specification is docs/stages/expand.md; the CPU twin is src/compiler/stage/optimize/expand/.

#import shared/arena
#import shared/scan
#import expand/inline
#import expand/unroll
#import expand/hoist
#import expand/share
#import expand/rotate
#import expand/lists

// Whether the program is not expanded. Uniform in the workgroup.
fn refuses() -> bool {
    let size = uniform_from(P.lowered);
    return size == 0u || size > LARGEST;
}

@compute @workgroup_size(64)
fn expand_begin(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    if refuses() { return; }
    n = P.lowered;
    find_owners();
    bound_operands();
    #round r: The owner of every instruction is known, and what a routine needs at most.
}

@compute @workgroup_size(64)
fn expand_inline(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    if refuses() { return; }
    n = P.ir;
    inline_calls();
    #round n: Calls are replaced by the code of small functions.
}

@compute @workgroup_size(64)
fn expand_unroll(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    if refuses() { return; }
    n = P.ir;
    unroll_loops();
    #round n: Loops over a few known numbers are replaced by copies.
}

@compute @workgroup_size(64)
fn expand_calls(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    if refuses() { return; }
    n = P.ir;
    share_values(true);
    #round n: Equal calls of a block are made once.
}

@compute @workgroup_size(64)
fn expand_hoist(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    if refuses() { return; }
    n = P.ir;
    hoist_values();
    #round n: What does not change in a loop is computed before it.
}

@compute @workgroup_size(64)
fn expand_share(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    if refuses() { return; }
    n = P.ir;
    share_values(false);
    #round n: Equal values of a block are computed once.
}

@compute @workgroup_size(64)
fn expand_rotate(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    if refuses() { return; }
    n = P.ir;
    rotate_loops();
    #round n: Loops with a short test have it at their end.
}

@compute @workgroup_size(64)
fn expand_lists(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    if refuses() { return; }
    n = P.ir;
    load_lists();
    #round n: Lists of constants are in the code.
}
