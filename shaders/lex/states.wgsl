// What bytes do to the lexer: functions from 16 states to 16 states, and the scan of their composition.

#import shared/scan

// Functions from 16 states to 16 states, four bits each: state s goes to bits 4s of the pair of words.
const IDENTITY_FUNCTION = vec2<u32>(0x76543210u, 0xfedcba98u);

// Where f sends state s.
fn apply(f: vec2<u32>, s: u32) -> u32 {
    return (select(f.x, f.y, s >= 8u) >> ((s & 7u) * 4u)) & 15u;
}

// First f, then g.
fn compose_half(f: u32, g: vec2<u32>) -> u32 {
    return apply(g, f & 15u)
        | (apply(g, (f >> 4u) & 15u) << 4u)
        | (apply(g, (f >> 8u) & 15u) << 8u)
        | (apply(g, (f >> 12u) & 15u) << 12u)
        | (apply(g, (f >> 16u) & 15u) << 16u)
        | (apply(g, (f >> 20u) & 15u) << 20u)
        | (apply(g, (f >> 24u) & 15u) << 24u)
        | (apply(g, f >> 28u) << 28u);
}
fn compose(f: vec2<u32>, g: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(compose_half(f.x, g), compose_half(f.y, g));
}

var<workgroup> compose_a: array<vec2<u32>, 64>;
var<workgroup> compose_b: array<vec2<u32>, 64>;
var<workgroup> compose_last: array<vec2<u32>, 64>;
// Of the last scan: the composition of the functions of all threads before this one, and of all 64.
var<private> compose_before: vec2<u32>;
var<private> compose_total: vec2<u32>;

// Inclusive scan of composition: the functions of threads 0 to this one, one after the other. Distance doubles in
// every step, as a composition costs more than a barrier.
fn scan_compose(f: vec2<u32>) -> vec2<u32> {
    var x = f;
    compose_a[lane] = x;
    // functions x: Each thread knows what its 16 bytes do to the lexer, in whichever state it comes to them.
    workgroupBarrier();
    if lane >= 1u { x = compose(compose_a[lane - 1u], x); }
    compose_b[lane] = x;
    // functions x: Each thread knows what its own bytes and those of the 1 thread before it do, one after the other.
    workgroupBarrier();
    if lane >= 2u { x = compose(compose_b[lane - 2u], x); }
    compose_a[lane] = x;
    // functions x: Each thread knows what its own bytes and those of the 3 threads before it do, one after the other.
    workgroupBarrier();
    if lane >= 4u { x = compose(compose_a[lane - 4u], x); }
    compose_b[lane] = x;
    // functions x: Each thread knows what its own bytes and those of the 7 threads before it do, one after the other.
    workgroupBarrier();
    if lane >= 8u { x = compose(compose_b[lane - 8u], x); }
    compose_a[lane] = x;
    // functions x: Each thread knows what its own bytes and those of the 15 threads before it do, one after the other.
    workgroupBarrier();
    if lane >= 16u { x = compose(compose_a[lane - 16u], x); }
    compose_b[lane] = x;
    // functions x: Each thread knows what its own bytes and those of the 31 threads before it do, one after the other.
    workgroupBarrier();
    if lane >= 32u { x = compose(compose_b[lane - 32u], x); }
    compose_last[lane] = x;
    // functions x: Each thread knows what all bytes before its end do.
    workgroupBarrier();
    compose_before = IDENTITY_FUNCTION;
    if lane >= 1u { compose_before = compose_last[lane - 1u]; }
    compose_total = compose_last[63];
    return x;
}
