// The base's tests and properties (entries), and the domains of the properties. Each function works for one
// thread. No workgroup memory, no barriers.

#import execute/tables

// A head (HEAD_*), a row per entry (ENTRY_*), then the rows of binders (BINDER_*).
@group(0) @binding(3) var<storage, read_write> entries: array<u32>;

// Returns the product of two numbers, at most `most`.
fn times(a: u32, b: u32, most: u32) -> u32 {
    if b > 1u && a > most / b { return most; }
    return min(a * b, most);
}

// The offsets of the head and of the first binder's row. There is one table, that of the base; in a batch of
// texts, each text has its own.
var<private> head: u32 = 0u;
var<private> domains: u32 = ENTRY_TABLE;

fn head_at(column: u32) -> u32 { return entries[head + column]; }
fn set_head(column: u32, v: u32) { entries[head + column] = v; }
fn entry_at(e: u32, column: u32) -> u32 { return entries[head + (1u + e) * ENTRY_WORDS + column]; }
fn set_entry(e: u32, column: u32, v: u32) { entries[head + (1u + e) * ENTRY_WORDS + column] = v; }
fn domain_place(row: u32, column: u32) -> u32 { return domains + row * BINDER_WORDS + column; }
fn domain_at(row: u32, column: u32) -> u32 { return entries[domain_place(row, column)]; }

// Returns the entry to which a job belongs. `column` holds the number of each entry's first job.
fn entry_rank_of(job: u32, column: u32) -> u32 {
    var low = 0u;
    var high = head_at(HEAD_COUNT);
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if entry_at(middle, column) <= job { low = middle; } else { high = middle; }
        cost++;
    }
    return low;
}

// Returns the place of the job that comes n-th among those of a mutant; the second half of the words after
// ENTRY_ENTERED.
fn arranged_place(n: u32) -> u32 { return (arrayLength(&entries) + ENTRY_ENTERED) / 2u + n; }
