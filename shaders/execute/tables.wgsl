// execute: one thread per run, many at once, in slices.
//
// A *job* is one run to be made; what of, another file says (see slots.wgsl). A *slot* runs every n-th job of one program, or always the next that none of its
// slots has taken, one after the other, so that early jobs come first in all slots. A job that settles what is asked of its program (for the
// base of its entry) lowers that one's `best` to its number; jobs behind that can no longer matter and are left out. All
// jobs before it are run, whatever the order, so `best` ends as the first such job.
//
// A dispatch is a *slice*: each thread works until its budget of loop iterations is spent, its state then rests in
// buffers. Memory is interleaved by thread. Most runs need little of it: slots start in small memory, and those that
// overflow it are begun again, from the job where they did, by the few threads that have all 4,096 words. Each of these
// has overflowed slots of its own to choose from, the one with the least job first.
//
// The contract is the section "execute" of docs/stages.md; the twin is src/compiler/stage/execute.

@group(0) @binding(0) var<uniform> ex: ExecuteParams;
@group(0) @binding(1) var<storage, read> programs: array<Program>;
@group(0) @binding(2) var<storage, read> code: array<u32>;
// Binding 3 is what jobs are made of: it is declared where they are.
// Per program, or per entry of the base: the least job yet behind which nothing matters. Behind those the programs to be
// run.
@group(0) @binding(4) var<storage, read_write> best: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> state: array<u32>;
@group(0) @binding(6) var<storage, read_write> memory: array<u32>;
@group(0) @binding(7) var<storage, read_write> control: array<atomic<u32>>;
// What comes of jobs and programs, laid out as their kind wants it.
@group(0) @binding(8) var<storage, read_write> results: array<u32>;

// Loop iterations of this thread in this dispatch, and how many there may be.
var<private> cost: u32;
var<private> budget: u32;
// The program that it runs.
var<private> token_base: u32;
var<private> code_base: u32;
var<private> code_last: u32;
var<private> functions: u32;

// What a run may spend where the base's takes so many steps: 16 times as many, within bounds. As those are at most
// LIMIT_STEPS, nothing wraps.
fn mutant_fuel(taken: u32) -> u32 { return clamp(taken * 16u, 1000u, LIMIT_STEPS); }

fn routine_at(column: u32, i: u32) -> u32 {
    return code[CODE_COLUMNS * ex.code_capacity + column * ex.token_capacity + token_base + i];
}
fn cap_at(f: u32, j: u32) -> u32 {
    return extractBits(routine_at(ROUTINES_CAPS0 + (j >> 2u), f), (j & 3u) * 8u, 8u);
}
fn binder_at(column: u32, i: u32) -> u32 {
    return code[CODE_COLUMNS * ex.code_capacity + (ROUTINES_COLUMNS + column) * ex.token_capacity + token_base + i];
}
