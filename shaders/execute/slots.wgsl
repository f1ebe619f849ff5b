// Slots: which thread works on which job, for how long, and where its state rests.
//
// What jobs there are, what each begins with and what comes of it is said by another file: tests.wgsl, repetitions.wgsl
// or ../neural/comparisons.wgsl. It has
//
//   take_slot(slot)          the program that a slot runs, NONE if there is none; sets first_job, job_stride and job_end
//   next_job(job, program)   the job that a slot takes behind this one (`strided`); NONE stands before the first
//   take_up(job, program)    makes a job the thread's, to be begun or to go on: sets routine and fuel
//   seek(job, program)       the job itself, or the next in the slot where it is known that those before it end as is wished
//   outlook(job, program)    whether it is to be begun: WANTED, PASSED_OVER, or POINTLESS like all behind it in the slot
//   write_input(job)         writes what it begins with to its frame
//   overtaken(job, program)  whether a job at work has become pointless: the slot goes on to its next one
//   waits(job, program)      whether a job at work is to rest in this slice, as another one may yet overtake it
//   finish(job, program)     records how it ended; gives the phase in which the slot goes on
//   wake(slot, before, job, phase, program)
//                            puts other slots to work that have done nothing yet, where this one goes on from one job to another

#import execute/tables
#import execute/machine

const WANTED = 0u;
const PASSED_OVER = 1u;
const POINTLESS = 2u;

var<private> first_job: u32;
var<private> job_stride: u32;
var<private> job_end: u32;
var<private> routine: u32;

// Where every n-th job is a slot's.
fn strided(job: u32) -> u32 { return select(job + job_stride, first_job, job == NONE); }

var<private> slot_index: u32;
fn state_at(field: u32) -> u32 { return state[field * ex.slots + slot_index]; }
fn set_state(field: u32, v: u32) { state[field * ex.slots + slot_index] = v; }

// Turns of the machine between two looks at whether the job still matters; a turn has up to QUICK + 1 steps.
const STRIDE = 32u;

// Works on one slot until the budget is spent or the slot is done, waits or overflows, in full memory until a job ends;
// gives the phase it is left in, or NONE for an overflow.
fn work(slot: u32) -> u32 {
    slot_index = slot;
    let program = take_slot(slot);
    if program == NONE { return PHASE_DONE; }
    token_base = programs[program].token_base;
    code_base = programs[program].code_base;
    code_last = max(programs[program].code, 1u) - 1u;
    functions = programs[program].functions;

    var phase = state_at(STATE_PHASE);
    var job = state_at(STATE_JOB);
    pc = state_at(STATE_PC);
    fp = state_at(STATE_FP);
    sp = state_at(STATE_SP);
    depth = state_at(STATE_DEPTH);
    steps = state_at(STATE_STEPS);
    entered = state_at(STATE_ENTERED);
    run = RUNNING;
    if phase == PHASE_NEW {
        job = next_job(NONE, program);
        phase = PHASE_NEXT;
    } else if phase == PHASE_RUN {
        take_up(job, program);
        if overtaken(job, program) {
            job = next_job(job, program);
            phase = PHASE_NEXT;
        } else if waits(job, program) {
            return PHASE_RUN;
        }
    }

    let before = cost;
    while cost < budget && phase != PHASE_DONE && run != OVERFLOWED {
        cost++;
        if phase == PHASE_NEXT {
            job = seek(job, program);
            if job >= job_end { phase = PHASE_DONE; continue; }
            take_up(job, program);
            let chance = outlook(job, program);
            if chance == POINTLESS { phase = PHASE_DONE; continue; }
            if chance == PASSED_OVER { job = next_job(job, program); continue; }
            let frame = routine_at(ROUTINES_FRAME, routine);
            pc = routine_at(ROUTINES_ADDRESS, routine);
            fp = 0u;
            sp = frame;
            depth = ex.bottom;
            steps = 0u;
            entered = 0u;
            phase = PHASE_RUN;
            if room(frame) {
                if NOISY { clear_frame(0u, frame); }
                write_input(job);
            }
        }
        for (var i = 0u; i < STRIDE; i++) {
            if run != RUNNING || cost >= budget { break; }
            hurry();
            step();
        }
        if run == ENDED || run == TRAPPED {
            phase = finish(job, program);
            job = next_job(job, program);
            run = RUNNING;
            // Another slot of the thread's may have a lesser one.
            if ex.tier == TIER_LARGE { break; }
        } else if run == RUNNING && overtaken(job, program) {
            job = next_job(job, program);
            phase = PHASE_NEXT;
        }
    }
    wake(slot, state_at(STATE_JOB), job, phase, program);
    atomicAdd(&control[CONTROL_SPENT], cost - before);
    if run == OVERFLOWED { phase = PHASE_NEXT; }
    set_state(STATE_PHASE, phase);
    set_state(STATE_JOB, job);
    set_state(STATE_PC, pc);
    set_state(STATE_FP, fp);
    set_state(STATE_SP, sp);
    set_state(STATE_DEPTH, depth);
    set_state(STATE_STEPS, steps);
    set_state(STATE_ENTERED, entered);
    return select(phase, NONE, run == OVERFLOWED);
}

// Whether a slot has no run that is to go on.
fn idles(slot: u32) -> bool {
    slot_index = slot;
    if state_at(STATE_PHASE) != PHASE_RUN { return true; }
    let program = take_slot(slot);
    let job = state_at(STATE_JOB);
    steps = state_at(STATE_STEPS);
    take_up(job, program);
    return waits(job, program);
}

// Brings to `front`, in the list of overflowed slots, the one that the thread goes on with: the one that it is at work on,
// or that of the least job. A run that waits gives its memory up for a lesser job and is begun again later; so the least
// job of all never waits for another one's end for long.
fn choose(front: u32, end: u32) -> u32 {
    let held = state[front];
    if !idles(held) { return held; }
    var chosen = front;
    var least = state[STATE_JOB * ex.slots + held];
    for (var i = front + ex.threads; i < end; i += ex.threads) {
        let job = state[STATE_JOB * ex.slots + state[i]];
        if job < least { least = job; chosen = i; }
        cost++;
    }
    if chosen == front { return held; }
    state[STATE_PHASE * ex.slots + held] = PHASE_NEXT;
    state[front] = state[chosen];
    state[chosen] = held;
    return state[front];
}

// The place in a list of slots at work: one of two, which take turns.
fn listed(which: u32, i: u32) -> u32 {
    return (STATE_SPILLED + 1u + (which & 1u)) * ex.slots + LARGE_THREADS + i;
}

// Puts a slot into the list that the next slice reads.
fn put_to_work(slot: u32) {
    let slices = atomicLoad(&control[CONTROL_SLICES]);
    state[listed(slices + 1u, atomicAdd(&control[CONTROL_ACTIVE], 1u))] = slot;
}

// What each of so many threads may spend.
fn share(threads: u32) { budget = ex.budget * max(ex.sharing / max(threads, 1u), 1u); }

// One slice of every slot at work (tier 0), or of those that overflowed (tier 1).
//
// Who is at work leaves its slot's number in a list, from which the next slice takes it: so threads beside each other stay at
// work when most slots are done.
@compute @workgroup_size(SLICE)
fn slice(@builtin(global_invocation_id) id: vec3<u32>) {
    thread = id.x;
    if thread >= ex.threads { return; }
    if ex.tier == TIER_SMALL {
        let threads = atomicLoad(&control[CONTROL_THREADS]);
        if thread >= threads { return; }
        share(threads);
        let slices = atomicLoad(&control[CONTROL_SLICES]);
        if slices > 1u { thread = state[listed(slices, thread)]; }
        slot_index = thread;
        if state_at(STATE_PHASE) == PHASE_DONE || state_at(STATE_TIER) != TIER_SMALL { return; }
        let phase = work(thread);
        if phase == NONE {
            set_state(STATE_TIER, TIER_LARGE);
            let place = atomicAdd(&control[CONTROL_SPILLED], 1u);
            state[STATE_SPILLED * ex.slots + place] = thread;
        } else if phase != PHASE_DONE {
            put_to_work(thread);
        }
        return;
    }
    // Every n-th of the overflowed slots is the thread's. How many of these are done rests behind the list.
    let list = STATE_SPILLED * ex.slots;
    let spilled = atomicLoad(&control[CONTROL_SPILLED]);
    share(min(spilled, ex.threads));
    let end = list + spilled;
    let cursor = list + ex.slots + thread;
    var place = state[cursor];
    while cost < budget {
        let front = list + thread + place * ex.threads;
        if front >= end { break; }
        cost++;
        let phase = work(choose(front, end));
        if phase == PHASE_DONE {
            atomicAdd(&control[CONTROL_RESUMED], 1u);
            place++;
        } else if phase != PHASE_NEXT {
            break;
        }
    }
    state[cursor] = place;
}
