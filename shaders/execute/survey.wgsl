// What there is to run: the base's entries, the domains of its properties, and jobs numbered through all of them.

#import execute/tables
#import execute/entries

// The first word of the jobs' records, and of an entry's word in `best`.
var<private> records: u32 = 0u;
var<private> marks: u32 = 0u;

// Makes a text's table the one that is spoken of. Of others there is one, which it is from the start.
fn open(program: u32) {
    if ex.mode != MODE_TEXTS { return; }
    marks = programs[program].entry_base;
    head = marks * ENTRY_WORDS;
    domains = programs[program].domains;
    records = programs[program].records;
}
fn record_place(job: u32) -> u32 { return records + job * JOB_WORDS; }

fn capped(n: u32) -> u32 { return min(n, SIZE_CAP); }

var<workgroup> sums: array<u32, 256>;

// The entries of the base, or of each text, and their domains: a workgroup for each.
@compute @workgroup_size(64)
fn survey(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let lane = local.x;
    let p = programs[group.x];
    open(group.x);
    token_base = p.token_base;
    let valid = p.fatal == 0u && p.errors == 0u;
    let binders = select(0u, p.binders, valid);
    let count = select(0u, min(p.routines - p.functions, LIMIT_TESTS), valid);

    for (var b = lane; b < binders; b += WORKGROUP) {
        let lo = binder_at(BINDERS_LO, b);
        let hi = binder_at(BINDERS_HI, b);
        let longest = min(binder_at(BINDERS_MAX_LEN, b), LIMIT_CAPACITY);
        let range = select(0u, hi - lo, bitcast<i32>(hi) > bitcast<i32>(lo));
        var size = capped(range);
        if longest > 0u {
            var power = 1u;
            var sum = 1u;
            for (var i = 0u; i < longest; i++) {
                power = capped(power * capped(range));
                sum = capped(sum + power);
            }
            size = sum;
        }
        entries[domain_place(b, BINDER_LO)] = lo;
        entries[domain_place(b, BINDER_RANGE)] = range;
        entries[domain_place(b, BINDER_MAX_LEN)] = longest;
        entries[domain_place(b, BINDER_SIZE)] = size;
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
                // A routine's row has capacities of its first 16 binders.
                var capacity = domain_at(b, BINDER_MAX_LEN);
                if i < LIMIT_PARAMS { capacity = cap_at(routine, i); }
                // A list of at most no elements has one value.
                var own_size = domain_at(b, BINDER_SIZE);
                if capacity > 0u && domain_at(b, BINDER_MAX_LEN) == 0u { own_size = 1u; }
                entries[domain_place(b, BINDER_SIZE)] = own_size;
                entries[domain_place(b, BINDER_SLOT)] = slot;
                entries[domain_place(b, BINDER_CAPACITY)] = capacity;
                slot += 1u + capacity;
                size = capped(size * own_size);
            }
            let exhaustive = size <= ex.samples;
            let kept = ex.mode == MODE_BASE && entry_at(e, ENTRY_KEPT) != 0u;
            inputs = select(select(ex.samples, size, exhaustive), 0u, kept);
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
        set_entry(e, ENTRY_LEAST, entry_at(e, ENTRY_JOB));
        set_entry(e, ENTRY_STEPS, 0u);
    }
    if lane == 0u {
        set_head(HEAD_COUNT, count);
        set_head(HEAD_EPOCH, ex.epoch);
    }
    // All slots of texts are at work from the start.
    if lane == 0u && ex.mode != MODE_TEXTS {
        // One program to run, or none.
        let jobs = head_at(HEAD_JOBS);
        atomicStore(&control[CONTROL_PROGRAMS], select(0u, 1u, jobs > 0u));
        atomicStore(&control[CONTROL_SLOTS], min(ex.lanes, jobs));
        atomicStore(&control[CONTROL_ACTIVE], jobs);
        atomicStore(&control[CONTROL_SLICES], 0u);
        atomicStore(&control[CONTROL_SPILLED], 0u);
        atomicStore(&control[CONTROL_RESUMED], 0u);
        atomicStore(&control[CONTROL_SPENT], 0u);
    }
}

// Numbers jobs through all entries by a prefix sum over `sums`, four entries to a thread.
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
