// The entries of the base and the domains of its properties, and the numbers of all jobs.
//
// One workgroup handles the base or one text, and each thread every WORKGROUP-th binder or entry. Workgroup
// memory holds the number of inputs of each entry. The storage barrier separates writing the binders from
// reading them; workgroup barriers separate the steps of the prefix sum.

#import execute/tables
#import execute/entries

// The offset of the jobs' records, and that of the entries' words in `best`.
var<private> records: u32 = 0u;
var<private> marks: u32 = 0u;

// Selects the table of a text. In other modes there is only one table, which is selected from the start.
fn open(program: u32) {
    if exec_params.mode != MODE_TEXTS { return; }
    marks = programs[program].entry_base;
    head = marks * ENTRY_WORDS;
    domains = programs[program].domains;
    records = programs[program].records;
}
fn record_place(job: u32) -> u32 { return records + job * JOB_WORDS; }

const SIZE_CAP = LIMIT_INPUTS + 1u;
// Upper bounds on the tuples of codes of a sampled domain, and on those of special codes alone.
const TUPLES = 0x80000000u;
const SMALL = 256u;

var<workgroup> sums: array<u32, 256>;

// Surveys the entries of the base or of each text, and their domains. One workgroup for each.
@compute @workgroup_size(64)
fn survey(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let lane = local.x;
    let p = programs[group.x];
    open(group.x);
    token_base = p.token_base;
    let valid = p.fatal == 0u && (p.errors == 0u || p.holes != 0u);
    let binders = select(0u, p.binders, valid);
    let count = select(0u, min(p.routines - p.functions, LIMIT_TESTS), valid);

    for (var b = lane; b < binders; b += WORKGROUP) {
        let lo = binder_at(BINDERS_LO, b);
        let hi = binder_at(BINDERS_HI, b);
        let list = binder_at(BINDERS_MAX_LEN, b) != NONE;
        let longest = select(0u, min(binder_at(BINDERS_MAX_LEN, b), LIMIT_CAPACITY), list);
        let range = select(0u, hi - lo, bitcast<i32>(hi) > bitcast<i32>(lo));
        let step = min(range, SIZE_CAP);
        var size = step;
        if list {
            var power = 1u;
            size = 1u;
            for (var i = 0u; i < longest; i++) {
                power = times(power, step, SIZE_CAP);
                size = min(size + power, SIZE_CAP);
            }
        }
        entries[domain_place(b, BINDER_LO)] = lo;
        entries[domain_place(b, BINDER_RANGE)] = range;
        entries[domain_place(b, BINDER_MAX_LEN)] = longest;
        entries[domain_place(b, BINDER_SIZE)] = size;
        // A list of at most 0 elements has the room of a list without a capacity.
        let room = select(longest, DEFAULT_CAPACITY, longest == 0u);
        entries[domain_place(b, BINDER_CAPACITY)] = select(0u, room, list);
    }
    storageBarrier();

    for (var e = lane; e < LIMIT_TESTS; e += WORKGROUP) {
        var inputs = 0u;
        if e < count {
            let routine = p.functions + e;
            let first = routine_at(ROUTINES_BINDERS, routine);
            let own = routine_at(ROUTINES_PARAMS, routine);
            var size = 1u;
            var slot = 0u;
            for (var i = 0u; i < own; i++) {
                let b = first + i;
                entries[domain_place(b, BINDER_SLOT)] = slot;
                slot += 1u + domain_at(b, BINDER_CAPACITY);
                size = times(size, domain_at(b, BINDER_SIZE), SIZE_CAP);
            }
            let exhaustive = size <= min(exec_params.samples + exec_params.samples / 8u, LIMIT_INPUTS);
            if !exhaustive { survey_sample(e, first, own); }
            let kept = exec_params.mode == MODE_BASE && entry_at(e, ENTRY_KEPT) != 0u;
            inputs = select(select(exec_params.samples, size, exhaustive), 0u, kept);
            set_entry(e, ENTRY_ROUTINE, routine);
            set_entry(e, ENTRY_BINDER, first);
            set_entry(e, ENTRY_BINDERS, own);
            set_entry(e, ENTRY_INPUTS, inputs);
            set_entry(e, ENTRY_EXHAUSTIVE, select(0u, 1u, exhaustive));
            atomicStore(&best[marks + e], NONE);
        }
        sums[e] = inputs;
    }
    workgroupBarrier();
    number_jobs(lane, count, ENTRY_JOB, HEAD_JOBS);
    for (var e = lane; e < count; e += WORKGROUP) {
        set_entry(e, ENTRY_FIRST_OPEN, entry_at(e, ENTRY_JOB));
        set_entry(e, ENTRY_STEPS, 0u);
    }
    if lane == 0u {
        set_head(HEAD_COUNT, count);
        set_head(HEAD_EPOCH, exec_params.epoch);
    }
    // All slots of texts are active from the start.
    if lane == 0u && exec_params.mode != MODE_TEXTS {
        // There is one program to run, or none.
        let jobs = head_at(HEAD_JOBS);
        atomicStore(&control[CONTROL_PROGRAMS], select(0u, 1u, jobs > 0u));
        atomicStore(&control[CONTROL_SLOTS], min(exec_params.lanes, jobs));
        atomicStore(&control[CONTROL_ACTIVE], jobs);
        atomicStore(&control[CONTROL_SLICES], 0u);
        atomicStore(&control[CONTROL_SPILLED], 0u);
        atomicStore(&control[CONTROL_RESUMED], 0u);
        atomicStore(&control[CONTROL_ITERATIONS], 0u);
    }
}

// Returns the product of the binders' sizes, each limited to `most`. The product is limited to TUPLES + 1.
fn all_codes(first: u32, own: u32, most: u32) -> u32 {
    var all = 1u;
    for (var i = 0u; i < own; i++) { all = times(all, min(domain_at(first + i, BINDER_SIZE), most), TUPLES + 1u); }
    return all;
}

// Writes the numbers of codes of an entry's binders, and the numbers of tuples.
fn survey_sample(e: u32, first: u32, own: u32) {
    var most = LIMIT_INPUTS;
    while most > 2u && all_codes(first, own, most) > TUPLES { most /= 2u; }
    // Find the largest number of special codes whose power is at most `SMALL`.
    var most_special = 1u;
    while most_special < SMALL {
        var power = 1u;
        for (var i = 0u; i < own && power <= SMALL; i++) { power = times(power, most_special + 1u, SMALL + 1u); }
        if power > SMALL { break; }
        most_special++;
    }
    var tuples = 1u;
    var plain = 1u;
    var small = 1u;
    for (var i = 0u; i < own; i++) {
        var codes = min(domain_at(first + i, BINDER_SIZE), most);
        if times(tuples, codes, TUPLES + 1u) > TUPLES { codes = 1u; }
        let special = min(most_special, codes);
        entries[domain_place(first + i, BINDER_CODES)] = codes;
        entries[domain_place(first + i, BINDER_SPECIAL)] = special;
        tuples *= codes;
        plain *= codes - special;
        small *= special;
    }
    set_entry(e, ENTRY_TUPLES, tuples);
    set_entry(e, ENTRY_SPECIAL, tuples - plain);
    set_entry(e, ENTRY_SMALL, small);
}

// Numbers the jobs of all entries by a prefix sum over `sums`, four entries per thread.
fn number_jobs(lane: u32, count: u32, column: u32, all: u32) {
    for (var d = 1u; d < LIMIT_TESTS; d *= 2u) {
        var a = 0u; var b = 0u; var c = 0u; var f = 0u;
        if lane >= d { a = sums[lane - d]; }
        if lane + 64u >= d { b = sums[lane + 64u - d]; }
        if lane + 128u >= d { c = sums[lane + 128u - d]; }
        if lane + 192u >= d { f = sums[lane + 192u - d]; }
        workgroupBarrier();
        sums[lane] += a;
        sums[lane + 64u] += b;
        sums[lane + 128u] += c;
        sums[lane + 192u] += f;
        workgroupBarrier();
    }
    for (var e = lane; e < count; e += WORKGROUP) {
        var first = 0u;
        if e > 0u { first = sums[e - 1u]; }
        set_entry(e, column, first);
    }
    if lane == 0u { set_head(all, sums[LIMIT_TESTS - 1u]); }
}
