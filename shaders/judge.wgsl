// judge: finds the mutants with new bytecode, and the verdicts of the others.
//
// All distinct bytecode of a base and its mutants is kept: a directory row for each program (row 0 is the
// base), the words in an archive, and a hash table over both. A slot of the table represents one sequence of
// words permanently, and holds the least row with that sequence. The result is therefore independent of the
// order in which programs of a batch reach the slot.
//
// Entry points, in order: measure, allocate, keep, enroll, resolve. In `measure`, `keep` and `enroll` one
// workgroup handles one program; in `allocate` and `resolve` one workgroup handles all programs, one per
// thread and tile. Workgroup memory holds scan operands and `owner_shared`, which thread 0 writes and
// `workgroupUniformLoad` reads. The storage barrier in `allocate` separates reading the top of the archive
// from writing it.
//
// The specification is docs/stages/judge.md; the CPU twin is src/compiler/stage/judge.rs.

#import shared/scan
#import shared/hash

@group(0) @binding(0) var<uniform> judge_params: JudgeParams;
@group(0) @binding(1) var<storage, read> programs: array<Program>;
@group(0) @binding(2) var<storage, read> code: array<u32>;
@group(0) @binding(3) var<storage, read_write> directory: array<u32>;
@group(0) @binding(4) var<storage, read_write> archive: array<u32>;
@group(0) @binding(5) var<storage, read_write> table: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> control: array<u32>;
// As in execute: one word per program, then the list of programs to run.
@group(0) @binding(7) var<storage, read_write> best: array<u32>;
@group(0) @binding(8) var<storage, read_write> verdicts: array<u32>;

fn row_at(row: u32, column: u32) -> u32 { return directory[row * ROW_WORDS + column]; }
fn set_row(row: u32, column: u32, v: u32) { directory[row * ROW_WORDS + column] = v; }

// Returns column n of the columns of a routine that are part of the sequence.
fn sequence_column(n: u32) -> u32 {
    var c = ROUTINES_ADDRESS;
    c = select(c, ROUTINES_FRAME, n == 1u);
    c = select(c, ROUTINES_PARAMS, n == 2u);
    c = select(c, ROUTINES_CAPS0 + n - 3u, n >= 3u);
    c = select(c, ROUTINES_RESULT, n == 7u);
    return c;
}

// Returns word k of the sequence of program p: its bytecode, then columns of its routines.
fn sequence_at(p: u32, k: u32) -> u32 {
    let words = programs[p].code;
    if k < words { return code[programs[p].code_base + k]; }
    let n = k - words;
    let column = sequence_column(n % SEQUENCE_ROUTINE);
    return code[CODE_COLUMNS * judge_params.code_capacity + column * judge_params.token_capacity + programs[p].token_base + n / SEQUENCE_ROUTINE];
}

// Computes hash and length of each program; the length is 0 if it does not compile. One workgroup per
// program.
@compute @workgroup_size(64)
fn measure(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let p = group.x;
    let valid = programs[p].fatal == 0u && (programs[p].errors == 0u || programs[p].holes != 0u) && programs[p].invalid == 0u;
    let length = select(0u, programs[p].code + SEQUENCE_ROUTINE * programs[p].routines, valid);
    var low = 0u;
    var high = 0u;
    for (var k = lane; k < length; k += WORKGROUP) {
        let word = sequence_at(p, k);
        low += mix(word + k * 0x9e3779b9u);
        high += mix((word ^ 0x85ebca6bu) + k * 0xc2b2ae35u);
    }
    low = reduce_sum(low);
    high = reduce_sum(high);
    if lane == 0u {
        let row = judge_params.first + p;
        set_row(row, ROW_LENGTH, length);
        set_row(row, ROW_HASH_LOW, mix(length + low));
        set_row(row, ROW_HASH_HIGH, mix(length ^ high));
    }
}

// Allocates the places in the archive. One workgroup.
@compute @workgroup_size(64)
fn allocate(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    var top = control[CONTROL_ARCHIVE];
    for (var tile = 0u; tile < judge_params.programs; tile += WORKGROUP) {
        let p = tile + lane;
        var length = 0u;
        if p < judge_params.programs { length = row_at(judge_params.first + p, ROW_LENGTH); }
        let end = top + scan_sum(length);
        if p < judge_params.programs { set_row(judge_params.first + p, ROW_OFFSET, select(NONE, end - length, end <= judge_params.archive_room)); }
        top = min(top + scan_total, judge_params.archive_room);
    }
    storageBarrier();
    if lane == 0u { control[CONTROL_ARCHIVE] = top; }
}

// Copies the words of every program to its place in the archive. One workgroup per program.
@compute @workgroup_size(64)
fn keep(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let row = judge_params.first + group.x;
    let offset = row_at(row, ROW_OFFSET);
    if offset == NONE { return; }
    let length = row_at(row, ROW_LENGTH);
    for (var k = local.x; k < length; k += WORKGROUP) {
        archive[offset + k] = sequence_at(group.x, k);
    }
}

var<workgroup> owner_shared: u32;

// Finds or claims the program's slot in the table. One workgroup per program.
@compute @workgroup_size(64)
fn enroll(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let row = judge_params.first + group.x;
    let length = row_at(row, ROW_LENGTH);
    let mine = row_at(row, ROW_OFFSET);
    let low = row_at(row, ROW_HASH_LOW);
    let high = row_at(row, ROW_HASH_HIGH);
    var slot = (low ^ (high * 0x9e3779b9u)) & judge_params.mask;
    loop {
        if lane == 0u {
            var owner = 0u;
            // A weak exchange may fail spuriously; retry it then.
            loop {
                if length == 0u { break; }
                let claim = atomicCompareExchangeWeak(&table[slot], 0u, row + 1u);
                owner = claim.old_value;
                if claim.exchanged || owner != 0u { break; }
            }
            owner_shared = owner;
        }
        // 0: this program has claimed the slot, or needs no slot.
        let owner = workgroupUniformLoad(&owner_shared);
        if owner == 0u { break; }
        let alike = row_at(owner - 1u, ROW_LENGTH) == length && row_at(owner - 1u, ROW_HASH_LOW) == low
            && row_at(owner - 1u, ROW_HASH_HIGH) == high;
        let other = row_at(owner - 1u, ROW_OFFSET);
        // If one of the two did not fit in the archive, compare only the length and the 64 bits of hash.
        let words = select(0u, length, alike && mine != NONE && other != NONE);
        var differs = !alike;
        for (var k = lane; k < words; k += WORKGROUP) {
            differs = differs || archive[mine + k] != archive[other + k];
        }
        if !uniform_any(differs) {
            if lane == 0u { atomicMin(&table[slot], row + 1u); }
            break;
        }
        slot = (slot + 1u) & judge_params.mask;
    }
    if lane == 0u { set_row(row, ROW_SLOT, slot); }
}

// Writes the verdicts that need no run, and lists the programs to run, in order. One workgroup.
@compute @workgroup_size(64)
fn resolve(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    var listed = 0u;
    for (var tile = 0u; tile < judge_params.programs; tile += WORKGROUP) {
        let p = tile + lane;
        var status = STATUS_INVALID;
        var twin = NONE;
        if p < judge_params.programs {
            let row = judge_params.first + p;
            if row_at(row, ROW_LENGTH) != 0u {
                let least = atomicLoad(&table[row_at(row, ROW_SLOT)]) - 1u;
                status = STATUS_DUPLICATE;
                if least == 0u {
                    status = STATUS_EQUIVALENT;
                } else if least == row {
                    status = STATUS_PENDING;
                } else {
                    twin = least - 1u;
                }
            }
            let record = p * VERDICT_WORDS;
            verdicts[record + VERDICT_STATUS] = status;
            verdicts[record + VERDICT_KILLER] = NONE;
            verdicts[record + VERDICT_ORIGINAL] = twin;
            verdicts[record + VERDICT_EPOCH] = judge_params.epoch;
            best[p] = NONE;
        }
        let runs = select(0u, 1u, p < judge_params.programs && status == STATUS_PENDING && judge_params.lanes != 0u && programs[p].known == 0u);
        let place = listed + scan_sum(runs) - runs;
        if runs != 0u { best[judge_params.programs + place] = p; }
        listed += scan_total;
    }
    if lane == 0u {
        control[CONTROL_PROGRAMS] = listed;
        control[CONTROL_SLOTS] = listed * judge_params.lanes;
        control[CONTROL_ACTIVE] = listed;
        control[CONTROL_SLICES] = 0u;
        control[CONTROL_SPILLED] = 0u;
        control[CONTROL_RESUMED] = 0u;
    }
}
