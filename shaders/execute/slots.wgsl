// Slots: which thread works on which job, for how long, and where its state rests.

const STATE_PHASE = 0u;
const STATE_JOB = 1u;
const STATE_PC = 2u;
const STATE_FP = 3u;
const STATE_SP = 4u;
const STATE_DEPTH = 5u;
const STATE_STEPS = 6u;
const STATE_TIER = 7u;      // 1 once it has overflowed small memory
const STATE_SPILLED = 8u;   // not a slot's: the slots that overflowed, in any order

const PHASE_NEW = 0u;
const PHASE_NEXT = 1u;      // the job is to be begun
const PHASE_RUN = 2u;
const PHASE_DONE = 3u;

var<private> slot_index: u32;
fn state_at(field: u32) -> u32 { return state[field * ex.slots + slot_index]; }
fn set_state(field: u32, v: u32) { state[field * ex.slots + slot_index] = v; }

// Steps between two looks at whether the job still matters.
const STRIDE = 256u;

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

// Works on one slot until the budget is spent or the slot is done or overflows; gives the phase it is left in, or
// NONE for an overflow.
fn work(slot: u32) -> u32 {
    slot_index = slot;
    let mutants = ex.mode == MODE_MUTANTS;
    var program = 0u;
    if mutants {
        let place = slot / ex.lanes;
        if place >= atomicLoad(&control[CONTROL_PROGRAMS]) { return PHASE_DONE; }
        program = atomicLoad(&best[ex.programs + place]);
    }
    token_base = programs[program].token_base;
    code_base = programs[program].code_base;
    code_last = max(programs[program].code, 1u) - 1u;
    let functions = programs[program].functions;

    var phase = state_at(STATE_PHASE);
    var job = state_at(STATE_JOB);
    pc = state_at(STATE_PC);
    fp = state_at(STATE_FP);
    sp = state_at(STATE_SP);
    depth = state_at(STATE_DEPTH);
    steps = state_at(STATE_STEPS);
    run = RUNNING;
    let column = select(ENTRY_JOB, ENTRY_MUTANT_JOB, mutants);
    var jobs = 1u;
    if ex.mode == MODE_BASE { jobs = entries[HEAD_JOBS]; }
    if mutants { jobs = entries[HEAD_MUTANT_JOBS]; }
    if NOISY { jobs = ex.first + ex.jobs; }
    let fueled = mutants || NOISY;
    var entry = 0u;
    fuel = LIMIT_STEPS;
    if phase == PHASE_NEW {
        job = slot % ex.lanes;
        if NOISY { job += ex.first; }
        phase = PHASE_NEXT;
    } else if phase == PHASE_RUN && ex.mode != MODE_RUN {
        entry = entry_of_job(job, column);
        if fueled { fuel = entry_at(entry, ENTRY_FUEL); }
        if NOISY { take_up(entry, job); }
    }

    while cost < ex.budget && phase != PHASE_DONE && run != OVERFLOWED {
        cost++;
        if phase == PHASE_NEXT {
            if job >= jobs { phase = PHASE_DONE; continue; }
            entry = entry_of_job(job, column);
            if NOISY && !begin_noisy(entry, job) { job += ex.lanes; continue; }
            let watched = select(entry, program, mutants);
            if !NOISY && (atomicLoad(&best[watched]) >> MARK_BITS) < job {
                if mutants { phase = PHASE_DONE; } else { job += ex.lanes; }
                continue;
            }
            if fueled { fuel = entry_at(entry, ENTRY_FUEL); }
            let routine = functions + entry;
            let frame = routine_at(ROUTINES_FRAME, routine);
            pc = routine_at(ROUTINES_ADDRESS, routine);
            fp = 0u;
            sp = frame;
            depth = ex.bottom;
            steps = 0u;
            phase = PHASE_RUN;
            if room(frame) {
                if NOISY { clear_frame(0u, frame); }
                write_input(entry, input_of(entry, job, column));
            }
        }
        for (var i = 0u; i < STRIDE; i++) {
            if run != RUNNING || cost >= ex.budget { break; }
            step();
        }
        if run == ENDED || run == TRAPPED {
            phase = finish(entry, job, program);
            job += ex.lanes;
            run = RUNNING;
        } else if mutants && run == RUNNING && (atomicLoad(&best[program]) >> MARK_BITS) < job {
            phase = PHASE_DONE;
        }
    }
    if run == OVERFLOWED { phase = PHASE_NEXT; }
    set_state(STATE_PHASE, phase);
    set_state(STATE_JOB, job);
    set_state(STATE_PC, pc);
    set_state(STATE_FP, fp);
    set_state(STATE_SP, sp);
    set_state(STATE_DEPTH, depth);
    set_state(STATE_STEPS, steps);
    return select(phase, NONE, run == OVERFLOWED);
}

// Records how a job ended.
fn finish(entry: u32, job: u32, program: u32) -> u32 {
    var outcome = select(OUTCOME_FAIL, OUTCOME_PASS, value == 1u);
    if run == TRAPPED { outcome = OUTCOME_TRAP + trap; }
    let address = select(NONE, pc, run == TRAPPED);
    if NOISY { finish_noisy(job, outcome, address); return PHASE_NEXT; }
    let failed = outcome != OUTCOME_PASS;
    let mark = (job << MARK_BITS) | outcome;
    if ex.mode == MODE_RUN {
        results[0] = select(TRAP_NONE, trap, run == TRAPPED);
        results[1] = select(value, 0u, run == TRAPPED);
        results[2] = steps;
        results[3] = address;
        results[4] = ex.epoch;
        return PHASE_DONE;
    }
    if ex.mode == MODE_BASE {
        results[3u * job] = outcome;
        results[3u * job + 1u] = steps;
        results[3u * job + 2u] = address;
    }
    if ex.counted != 0u { results[4u * ex.programs + program * entries[HEAD_MUTANT_JOBS] + job] = steps; }
    if failed { atomicMin(&best[select(entry, program, ex.mode == MODE_MUTANTS)], mark); }
    return PHASE_NEXT;
}

// One slice of every slot (tier 0), or of those that overflowed (tier 1).
@compute @workgroup_size(64)
fn slice(@builtin(global_invocation_id) id: vec3<u32>) {
    thread = id.x;
    if thread >= ex.threads { return; }
    if ex.tier == 0u {
        if thread >= atomicLoad(&control[CONTROL_SLOTS]) { return; }
        slot_index = thread;
        if state_at(STATE_PHASE) == PHASE_DONE || state_at(STATE_TIER) != 0u { return; }
        let phase = work(thread);
        if phase == NONE {
            set_state(STATE_TIER, 1u);
            let place = atomicAdd(&control[CONTROL_SPILLED], 1u);
            state[STATE_SPILLED * ex.slots + place] = thread;
        } else if phase != PHASE_DONE {
            atomicAdd(&control[CONTROL_ACTIVE], 1u);
        }
        return;
    }
    // A thread takes overflowed slots one after the other; its place among them rests behind the list.
    let cursor = (STATE_SPILLED + 1u) * ex.slots + thread;
    var place = state[cursor];
    while cost < ex.budget {
        let k = thread + place * ex.threads;
        if k >= atomicLoad(&control[CONTROL_SPILLED]) { break; }
        cost++;
        if work(state[STATE_SPILLED * ex.slots + k]) != PHASE_DONE { break; }
        atomicAdd(&control[CONTROL_RESUMED], 1u);
        place++;
    }
    state[cursor] = place;
}
