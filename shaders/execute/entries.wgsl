// What jobs on tests and properties are made of: the base's entries, and the domains of its properties.

#import execute/tables

// A head (HEAD_*), a row of each entry (ENTRY_*), then the binders' rows (BINDER_*).
@group(0) @binding(3) var<storage, read_write> entries: array<u32>;

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
const ENTRY_LEAST = 14u;       // its first job that has not ended and matters, or NONE
const BINDER_LO = 0u;
const BINDER_RANGE = 1u;
const BINDER_MAX_LEN = 2u;
const BINDER_SIZE = 3u;
const BINDER_SLOT = 4u;
const BINDER_CAPACITY = 5u;    // of a list; 0 for an int

// In `best`: the job above, its outcome below. In a record of the base: the batch above, the outcome below.
const MARK_BITS = 8u;
const MARK_OUTCOME = 255u;

const SIZE_CAP = 65535u;

fn entry_at(e: u32, column: u32) -> u32 { return entries[(1u + e) * ENTRY_WORDS + column]; }
fn set_entry(e: u32, column: u32, v: u32) { entries[(1u + e) * ENTRY_WORDS + column] = v; }
fn domain_place(row: u32, column: u32) -> u32 {
    return ENTRY_TABLE + row * BINDER_WORDS + column;
}
fn domain_at(row: u32, column: u32) -> u32 { return entries[domain_place(row, column)]; }

// The entry whose jobs, numbered by that column, a job is among.
fn entry_of(job: u32, column: u32) -> u32 {
    var low = 0u;
    var high = entries[HEAD_COUNT];
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if entry_at(middle, column) <= job { low = middle; } else { high = middle; }
        cost++;
    }
    return low;
}
