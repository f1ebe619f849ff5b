// Slots: which thread works on which job, for how long, and where its state rests.
//
// What jobs there are, what each begins with and what comes of it is said by another file: tests.wgsl, repetitions.wgsl
// or ../neural/comparisons.wgsl. It has
//
//   take_slot(slot)          the program that a slot runs, NONE if there is none; sets first_job, job_stride and job_end
//   take_up(job, program)    makes a job the thread's, to be begun or to go on: sets routine and fuel
//   outlook(job, program)    whether it is to be begun: WANTED, PASSED_OVER, or POINTLESS like all behind it in the slot
//   write_input(job)         writes what it begins with to its frame
//   overtaken(job, program)  whether a job at work has become pointless
//   finish(job, program)     records how it ended; gives the phase in which the slot goes on

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

const WANTED = 0u;
const PASSED_OVER = 1u;
const POINTLESS = 2u;

var<private> first_job: u32;
var<private> job_stride: u32;
var<private> job_end: u32;
var<private> routine: u32;

var<private> slot_index: u32;
fn state_at(field: u32) -> u32 { return state[field * ex.slots + slot_index]; }
fn set_state(field: u32, v: u32) { state[field * ex.slots + slot_index] = v; }

// Steps between two looks at whether the job still matters.
const STRIDE = 256u;

// Works on one slot until the budget is spent or the slot is done or overflows; gives the phase it is left in, or
// NONE for an overflow.
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
    run = RUNNING;
    if phase == PHASE_NEW {
        job = first_job;
        phase = PHASE_NEXT;
    } else if phase == PHASE_RUN {
        take_up(job, program);
    }

    while cost < ex.budget && phase != PHASE_DONE && run != OVERFLOWED {
        cost++;
        if phase == PHASE_NEXT {
            if job >= job_end { phase = PHASE_DONE; continue; }
            take_up(job, program);
            let chance = outlook(job, program);
            if chance == POINTLESS { phase = PHASE_DONE; continue; }
            if chance == PASSED_OVER { job += job_stride; continue; }
            let frame = routine_at(ROUTINES_FRAME, routine);
            pc = routine_at(ROUTINES_ADDRESS, routine);
            fp = 0u;
            sp = frame;
            depth = ex.bottom;
            steps = 0u;
            phase = PHASE_RUN;
            if room(frame) {
                if NOISY { clear_frame(0u, frame); }
                write_input(job);
            }
        }
        for (var i = 0u; i < STRIDE; i++) {
            if run != RUNNING || cost >= ex.budget { break; }
            step();
        }
        if run == ENDED || run == TRAPPED {
            phase = finish(job, program);
            job += job_stride;
            run = RUNNING;
        } else if run == RUNNING && overtaken(job, program) {
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
