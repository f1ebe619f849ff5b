// Slots: assigns jobs to threads, limits their time, and saves their state between slices.
//
// Each thread works on one slot at a time. Slots communicate through atomics in `best` and `control`. No
// workgroup memory, no barriers.
//
// Another file defines the jobs: tests.wgsl, repetitions.wgsl or ../neural/comparisons.wgsl. It has
//
//   take_slot(slot)          the program that a slot runs, or NONE; sets first_job, job_stride and job_end
//   next_job(job, program)   the job after this one in the slot (see `strided`); NONE denotes the place before the first
//   load_job(job, program)    makes a job current, to begin or resume it: sets routine and fuel
//   seek(job, program)       the job, or a later one of the slot if those in between are known to end as on the base
//   outlook(job, program)    whether to begin the job: WANTED, PASSED_OVER, or POINTLESS like all later jobs of the slot
//   write_input(job)         writes the input of the job to its frame
//   overtaken(job, program)  whether an active job has become pointless: the slot continues with its next one
//   waits(job, program)      whether an active job pauses in this slice, because another job may still overtake it
//   finish(job, program)     records how the job ended; returns the next phase of the slot
//   activate_slots(slot, before, job, phase, program)
//                            activates further slots after this slot has gone from one job to another; returns its
//                            next phase

#import execute/tables
#import execute/machine
#import execute/quick_in_lanes
#import execute/uncounted

const WANTED = 0u;
const PASSED_OVER = 1u;
const POINTLESS = 2u;

var<private> first_job: u32;
var<private> job_stride: u32;
var<private> job_end: u32;
var<private> routine: u32;

// Returns the next job of a slot that runs every n-th job.
fn strided(job: u32) -> u32 { return select(job + job_stride, first_job, job == NONE); }

var<private> slot_index: u32;
fn state_at(field: u32) -> u32 { return state[field * exec_params.slots + slot_index]; }
fn set_state(field: u32, v: u32) { state[field * exec_params.slots + slot_index] = v; }

// The state of the loop in `work`: bits of one word, because threads hold each condition of its own in a scalar register.
const MOVES = 1u; const LOADED = 2u; const PAUSES = 4u; const LEAVES = 8u;

// Returned by `work` in place of a phase: the slot overflowed, or its run must pause.
const OVERFLOW = NONE;
const PAUSE = NONE - 1u;

// Works on one slot until the budget is spent, or the slot is done, pauses or overflows. With full memory,
// stops when a job ends. Returns the phase of the slot, OVERFLOW or PAUSE.
fn work(slot: u32) -> u32 {
    slot_index = slot;
    let program = take_slot(slot);
    token_base = programs[program].token_base;
    code_base = programs[program].code_base;
    code_last = max(programs[program].code, 1u) - 1u;
    functions = programs[program].functions;
    let changed = firstTrailingBit(programs[program].changed | 0x80000000u);
    edited = select(NONE, routine_at(ROUTINES_ADDRESS, changed), exec_params.base_last != 0u);

    var phase = state_at(STATE_PHASE);
    let former = state_at(STATE_JOB);
    var job = select(former, NONE, phase == PHASE_NEW);
    pc = state_at(STATE_PC);
    fp = state_at(STATE_FP);
    sp = state_at(STATE_SP);
    depth = state_at(STATE_DEPTH);
    steps = state_at(STATE_STEPS);
    entered_functions = state_at(STATE_ENTERED);
    run = RUNNING;

    let before = cost;
    var flags = select(0u, MOVES, phase == PHASE_NEW && program != NONE) | select(0u, LEAVES, program == NONE);
    if program == NONE { phase = PHASE_DONE; }
    loop {
        if (flags & MOVES) != 0u {
            job = next_job(job, program);
            phase = PHASE_NEXT;
            flags &= ~(MOVES | LOADED);
        }
        if (flags & LEAVES) != 0u || cost >= budget || run == OVERFLOWED { break; }
        cost++;
        if (flags & LOADED) == 0u {
            if phase == PHASE_NEXT {
                job = skip_unaffected(job, program);
                if job >= job_end { phase = PHASE_DONE; break; }
            }
            load_job(job, program);
            flags |= LOADED;
            if phase == PHASE_NEXT {
                let chance = job_disposition(job, program);
                if chance == POINTLESS { phase = PHASE_DONE; break; }
                if chance == PASSED_OVER { flags |= MOVES; continue; }
                let frame = routine_at(ROUTINES_FRAME, routine);
                pc = routine_at(ROUTINES_ADDRESS, routine);
                fp = 0u;
                sp = frame;
                depth = exec_params.initial_depth;
                steps = 0u;
                entered_functions = 0u;
                phase = PHASE_RUN;
                if room(frame) {
                    if NOISY { clear_frame(0u, frame); }
                    write_input(job);
                }
            } else if !is_obsolete(job, program) && must_pause(job, program) {
                flags |= PAUSES;
                break;
            }
        }
        if run == RUNNING && is_obsolete(job, program) { flags |= MOVES; continue; }
        // Between two checks whether the job still matters.
        run_stretch();
        if run == ENDED || run == TRAPPED {
            phase = record_outcome(job, program);
            if phase == PHASE_DONE { break; }
            run = RUNNING;
            flags |= MOVES;
            // Another overflowed slot of the thread may have a lesser job.
            flags |= select(0u, LEAVES, exec_params.tier == TIER_LARGE);
        }
    }
    phase = activate_slots(slot, former, job, phase, program);
    atomicAdd(&control[CONTROL_ITERATIONS], cost - before);
    if run == OVERFLOWED { phase = PHASE_NEXT; }
    set_state(STATE_PHASE, phase);
    set_state(STATE_JOB, job);
    set_state(STATE_PC, pc);
    set_state(STATE_FP, fp);
    set_state(STATE_SP, sp);
    set_state(STATE_DEPTH, depth);
    set_state(STATE_STEPS, steps);
    set_state(STATE_ENTERED, entered_functions);
    return select(select(phase, OVERFLOW, run == OVERFLOWED), PAUSE, (flags & PAUSES) != 0u);
}

// Chooses the overflowed slot that the thread runs next, moves it to `front` of the thread's list, and returns it.
// It is the slot that the thread is running, or else the slot with the least job; NONE if that one is paused. A
// paused run releases its memory to a lesser job and restarts later, so the least job of all never waits long.
fn choose(front: u32, end: u32, paused: bool) -> u32 {
    let held_slot = state[front];
    if !paused && state[STATE_PHASE * exec_params.slots + held_slot] == PHASE_RUN { return held_slot; }
    var chosen = front;
    var least = state[STATE_JOB * exec_params.slots + held_slot];
    for (var i = front + exec_params.threads; i < end; i += exec_params.threads) {
        let job = state[STATE_JOB * exec_params.slots + state[i]];
        if job < least { least = job; chosen = i; }
        cost++;
    }
    if chosen == front { return select(held_slot, NONE, paused); }
    state[STATE_PHASE * exec_params.slots + held_slot] = PHASE_NEXT;
    state[front] = state[chosen];
    state[chosen] = held_slot;
    return state[front];
}

// Returns the place of entry i in one of the two alternating lists of active units.
fn active_list_place(which: u32, i: u32) -> u32 {
    return (STATE_SPILLED + 1u + (which & 1u)) * exec_params.slots + LARGE_THREADS + i;
}

// Adds the unit of a slot to the list that the next slice reads, unless it is there.
fn enqueue(slot: u32) {
    let unit = slot / UNIT;
    let stamp = atomicLoad(&control[CONTROL_STAMP]);
    if UNIT > 1u && atomicExchange(&control[CONTROL_WORDS + unit], stamp) == stamp { return; }
    let slices = atomicLoad(&control[CONTROL_SLICES]);
    state[active_list_place(slices + 1u, atomicAdd(&control[CONTROL_ACTIVE], 1u))] = unit;
}

// Runs one slice of every active slot (tier 0), or of the overflowed slots (tier 1).
//
// A thread adds its slot's unit to a list if the slot is still active, and the next slice takes it from there. UNIT
// slots stay together, so their memory stays adjacent, and they run jobs of one program or of similar ones.
@compute @workgroup_size(SLICE)
fn slice(@builtin(global_invocation_id) id: vec3<u32>) {
    thread = id.x;
    let large = exec_params.tier == TIER_LARGE;
    let spilled = atomicLoad(&control[CONTROL_SPILLED]);
    let active_threads = select(atomicLoad(&control[CONTROL_THREADS]), min(spilled, exec_params.threads), large);
    if thread >= min(active_threads, exec_params.threads) { return; }
    budget = exec_params.budget * max(exec_params.budget_threads / max(active_threads, 1u), 1u);
    begin_count(thread, active_threads);
    // With full memory, each thread handles every n-th overflowed slot. The number of those that are done is stored
    // after the list.
    let list = STATE_SPILLED * exec_params.slots;
    let cursor = list + exec_params.slots + thread;
    var place = 0u;
    if large {
        place = state[cursor];
    } else {
        let slices = atomicLoad(&control[CONTROL_SLICES]);
        if slices > 1u { thread = UNIT * state[active_list_place(slices, thread / UNIT)] + thread % UNIT; }
        if thread >= exec_params.threads { return; }
        slot_index = thread;
        if state_at(STATE_PHASE) == PHASE_DONE || state_at(STATE_TIER) != TIER_SMALL { return; }
    }
    var slot = thread;
    var paused = false;
    while cost < budget {
        if large {
            let front = list + thread + place * exec_params.threads;
            if front >= list + spilled { break; }
            cost++;
            slot = choose(front, list + spilled, paused);
            if slot == NONE { break; }
        }
        let phase = work(slot);
        if !large {
            if phase == OVERFLOW {
                set_state(STATE_TIER, TIER_LARGE);
                state[list + atomicAdd(&control[CONTROL_SPILLED], 1u)] = slot;
            } else if phase != PHASE_DONE {
                enqueue(slot);
            }
            break;
        }
        paused = phase == PAUSE;
        if phase == PHASE_DONE {
            atomicAdd(&control[CONTROL_RESUMED], 1u);
            place++;
        } else if phase == PHASE_RUN {
            break;
        }
    }
    if large { state[cursor] = place; }
    end_count();
}
