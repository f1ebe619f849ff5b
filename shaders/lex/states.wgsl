// The lexer's transition functions: functions from 16 states to 16 states, and the scan of their composition.
//
// Each thread holds one function. Workgroup memory: one function per thread in each of three buffers. A
// workgroup barrier separates the write of each step from the reads of the next one.

#import shared/scan

// The function that maps each of the 16 states to itself. A function has four bits per state: bits 4s hold
// the image of state s.
const IDENTITY_FUNCTION = vec2<u32>(0x76543210u, 0xfedcba98u);

// Returns the image of state s under f.
fn apply(f: vec2<u32>, s: u32) -> u32 {
    return (select(f.x, f.y, s >= 8u) >> ((s & 7u) * 4u)) & 15u;
}

// Returns the composition: first f, then g.
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
// The composition of all earlier threads' functions in the last scan, and that of all 64.
var<private> compose_before: vec2<u32>;
var<private> compose_total: vec2<u32>;

// Returns the inclusive scan of composition: the functions of threads 0 to this one, applied in order. The
// distance doubles in each step, because a composition costs more than a barrier.
fn scan_compose(f: vec2<u32>) -> vec2<u32> {
    var x = f;
    compose_a[lane] = x;
    #functions x: Each thread has the effect of its own 16 bytes on every state of the lexer.
    workgroupBarrier();
    if lane >= 1u { x = compose(compose_a[lane - 1u], x); }
    compose_b[lane] = x;
    #functions x: Each thread has the combined effect of its own bytes and those of the 1 thread before it.
    workgroupBarrier();
    if lane >= 2u { x = compose(compose_b[lane - 2u], x); }
    compose_a[lane] = x;
    #functions x: Each thread has the combined effect of its own bytes and those of the 3 threads before it.
    workgroupBarrier();
    if lane >= 4u { x = compose(compose_a[lane - 4u], x); }
    compose_b[lane] = x;
    #functions x: Each thread has the combined effect of its own bytes and those of the 7 threads before it.
    workgroupBarrier();
    if lane >= 8u { x = compose(compose_b[lane - 8u], x); }
    compose_a[lane] = x;
    #functions x: Each thread has the combined effect of its own bytes and those of the 15 threads before
    #: it.
    workgroupBarrier();
    if lane >= 16u { x = compose(compose_a[lane - 16u], x); }
    compose_b[lane] = x;
    #functions x: Each thread has the combined effect of its own bytes and those of the 31 threads before
    #: it.
    workgroupBarrier();
    if lane >= 32u { x = compose(compose_b[lane - 32u], x); }
    compose_last[lane] = x;
    #functions x: Each thread has the combined effect of all bytes up to the end of its own.
    workgroupBarrier();
    compose_before = IDENTITY_FUNCTION;
    if lane >= 1u { compose_before = compose_last[lane - 1u]; }
    compose_total = compose_last[63];
    return x;
}
