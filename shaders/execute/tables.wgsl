// execute: one thread per run, many at once, in slices.
//
// A *job* is one input of one test or property; jobs are numbered through all entries in order. A *slot* runs the
// jobs q, q + lanes, q + 2 lanes … of one program, one after the other, so that early jobs come first in all
// slots. A job that does not end in 1 lowers the program's (for the base the entry's) `best` to its number; jobs behind that can
// no longer matter and are left out. All jobs before it are run, whatever the order, so `best` ends as the first
// failing job.
//
// A dispatch is a *slice*: each thread works until its budget of loop iterations is spent, its state then rests in
// buffers. Memory is interleaved by thread. Most runs need little of it: slots start in small memory, and those that
// overflow it are begun again, from the job where they did, by the few threads that have all 4,096 words.
//
// The contract is the section "execute" of docs/stages.md; the twin is src/stage/execute.

@group(0) @binding(0) var<uniform> ex: ExecuteParams;
@group(0) @binding(1) var<storage, read> programs: array<Program>;
@group(0) @binding(2) var<storage, read> code: array<u32>;
@group(0) @binding(3) var<storage, read_write> entries: array<u32>;
// Per program, or per entry of the base: the first failing job yet, and its outcome. Behind those the programs to be run.
@group(0) @binding(4) var<storage, read_write> best: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> state: array<u32>;
@group(0) @binding(6) var<storage, read_write> memory: array<u32>;
@group(0) @binding(7) var<storage, read_write> control: array<atomic<u32>>;
// Records of the base's jobs (three words each), verdicts of mutants (four words each) with the steps of each one's
// jobs behind them if they are counted, or one run's record.
@group(0) @binding(8) var<storage, read_write> results: array<u32>;

const MODE_BASE = 0u;
const MODE_MUTANTS = 1u;
const MODE_RUN = 2u;
const MODE_NOISE = 3u;

// The entries' table: a head of ENTRY_WORDS words, a row of as many per entry, then the binders' rows.
const HEAD_COUNT = 0u;         // entries
const HEAD_JOBS = 1u;          // jobs of the base
const HEAD_MUTANT_JOBS = 2u;   // jobs of a mutant
const HEAD_EPOCH = 3u;
const ENTRY_ROUTINE = 0u;
const ENTRY_BINDER = 1u;       // its first binder's row
const ENTRY_BINDERS = 2u;
const ENTRY_INPUTS = 3u;
const ENTRY_EXHAUSTIVE = 4u;
const ENTRY_JOB = 5u;          // its first job on the base
const ENTRY_MUTANT_JOB = 6u;   // and on mutants, where only entries run that pass on the base
const ENTRY_FUEL = 7u;         // of a run of a mutant; 0 if the base does not pass
const ENTRY_OUTCOME = 8u;      // as in OUTCOME_*
const ENTRY_STEPS = 9u;
const ENTRY_COSTLIEST = 10u;
const ENTRY_RUNS = 11u;
const ENTRY_FAILING = 12u;
const ENTRY_ADDRESS = 13u;
const BINDER_LO = 0u;
const BINDER_RANGE = 1u;
const BINDER_MAX_LEN = 2u;
const BINDER_SIZE = 3u;
const BINDER_SLOT = 4u;
const BINDER_CAPACITY = 5u;    // of a list; 0 for an int

// Outcome of a job: passed, failed, or OUTCOME_TRAP + the trap.
const OUTCOME_PASS = 0u;
const OUTCOME_FAIL = 1u;
const OUTCOME_TRAP = 2u;

// In `best`: the job above, its outcome below.
const MARK_BITS = 8u;
const MARK_OUTCOME = 255u;

const SIZE_CAP = 65535u;

fn entry_at(e: u32, column: u32) -> u32 { return entries[(1u + e) * ENTRY_WORDS + column]; }
fn set_entry(e: u32, column: u32, v: u32) { entries[(1u + e) * ENTRY_WORDS + column] = v; }
fn domain_place(row: u32, column: u32) -> u32 {
    return (1u + LIMIT_TESTS) * ENTRY_WORDS + row * BINDER_WORDS + column;
}
fn domain_at(row: u32, column: u32) -> u32 { return entries[domain_place(row, column)]; }

// The program that this thread runs.
var<private> token_base: u32;
var<private> code_base: u32;
var<private> code_last: u32;

fn routine_at(column: u32, i: u32) -> u32 {
    return code[CODE_COLUMNS * ex.code_capacity + column * ex.token_capacity + token_base + i];
}
fn binder_at(column: u32, i: u32) -> u32 {
    return code[CODE_COLUMNS * ex.code_capacity + (ROUTINES_COLUMNS + column) * ex.token_capacity + token_base + i];
}
