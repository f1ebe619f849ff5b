// execute: runs many programs at once, one run per thread, in slices.
//
// A *job* is one run; another file defines the jobs (see slots.wgsl). A *slot* runs jobs of one program, one
// after another: every n-th job, or always the next one that no other slot of the program has taken. Early
// jobs therefore come first in all slots. A job that decides the result of its program (of its entry, for the
// base) lowers the program's `best` to its number. Later jobs no longer matter and are skipped. All earlier
// jobs are run, in any order, so `best` ends as the first such job.
//
// A dispatch is a *slice*: each thread works until its budget of loop iterations is spent; its state is then
// saved in buffers. Memory is interleaved by thread. Most runs need little memory, so slots start with a
// small one. A slot that overflows restarts the job in one of the few threads with all 4,096 words. Each of
// these threads has its own overflowed slots, and runs the one with the least job first.
//
// Each thread reads the tables of its own program. No workgroup memory, no barriers. The specification is
// docs/stages/execute.md; the CPU twin is src/compiler/stage/execute.

@group(0) @binding(0) var<uniform> exec_params: ExecuteParams;
@group(0) @binding(1) var<storage, read> programs: array<Program>;
@group(0) @binding(2) var<storage, read> code: array<u32>;
// Binding 3 holds the definitions of jobs; the file that defines the jobs declares it. Binding 4, for each
// program, or each entry of the base: the least job so far after which no job matters. The list of programs
// to run follows.
@group(0) @binding(4) var<storage, read_write> best: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> state: array<u32>;
@group(0) @binding(6) var<storage, read_write> memory: array<u32>;
@group(0) @binding(7) var<storage, read_write> control: array<atomic<u32>>;
// The results of jobs and programs, in the layout of their mode.
@group(0) @binding(8) var<storage, read_write> results: array<u32>;

// Loop iterations of this thread in this dispatch, and their limit.
var<private> cost: u32;
var<private> budget: u32;
// The program that the thread runs.
var<private> token_base: u32;
var<private> code_base: u32;
var<private> code_last: u32;
var<private> functions: u32;
// The address of its first changed function. From there on, its addresses differ from the base's by the difference of
// the lengths of their codes.
var<private> edited: u32;

// Returns the fuel of a mutant's run if the base's run takes `taken` steps: 16 times as many, within bounds.
// `taken` is at most LIMIT_STEPS, so the product does not overflow.
fn mutant_fuel(taken: u32) -> u32 { return clamp(taken * 16u, 1000u, LIMIT_STEPS); }

fn routine_at(column: u32, i: u32) -> u32 {
    return code[CODE_COLUMNS * exec_params.code_capacity + column * exec_params.token_capacity + token_base + i];
}
fn cap_at(f: u32, j: u32) -> u32 {
    return extractBits(routine_at(ROUTINES_CAPS0 + (j >> 2u), f), (j & 3u) * 8u, 8u);
}
fn binder_at(column: u32, i: u32) -> u32 {
    return code[CODE_COLUMNS * exec_params.code_capacity + (ROUTINES_COLUMNS + column) * exec_params.token_capacity + token_base + i];
}
