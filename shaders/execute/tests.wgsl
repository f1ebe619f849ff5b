// Jobs that are inputs of tests and properties: on the base, on its mutants, or on texts with entries of
// their own. In mode CALL, the only job is one call, which the host has begun.
//
// A job that ends neither in 1, nor discarded, nor at a hole decides its mutant, or its entry of the base or text. Jobs of
// the base record the functions that they enter; a mutant skips the jobs that enter none of its changed
// functions.
//
// On the base and on texts, all inputs of a property begin side by side, and the first failing input makes
// the work on later ones useless. To bound this waste, a run that has become long continues only if earlier
// inputs have proved to be as long and to pass.
//
// Each function works for one thread. No workgroup memory, no barriers.

#import execute/survey
#import execute/inputs
#import execute/noiseless
#import execute/slots
#import execute/outcomes
#import execute/sums

// A run is long after this number of steps, times the number of adjacent jobs that never wait for each other.
const LONG_RUN_STEPS = 256u;

var<private> entry: u32;
// The index of the entry among those that run.
var<private> entry_rank: u32;

// Returns the column that numbers the jobs: the base's, or a mutant's.
fn numbering() -> u32 { return select(ENTRY_JOB, ENTRY_MUTANT_JOB, exec_params.mode == MODE_MUTANTS); }
fn watched(program: u32) -> u32 {
    if exec_params.mode != MODE_MUTANTS { return marks + entry; }
    return select(program, asked_place(program), exec_params.each_entry != 0u);
}
// Returns the place of the result word of an entry that is decided separately. After these words follow as many
// others in the same order: they record whether an input of the entry ended in 1.
fn asked_place(program: u32) -> u32 { return 2u * exec_params.programs + program * exec_params.recorded_entries + entry_rank; }

fn take_slot(slot: u32) -> u32 {
    first_job = slot % exec_params.lanes;
    job_stride = exec_params.lanes;
    job_end = 1u;
    let place = slot / exec_params.lanes;
    if exec_params.mode == MODE_TEXTS {
        if place >= exec_params.programs { return NONE; }
        open(place);
        job_end = head_at(HEAD_JOBS);
        return place;
    }
    if exec_params.mode == MODE_BASE { job_end = head_at(HEAD_JOBS); }
    if exec_params.mode != MODE_MUTANTS { return 0u; }
    job_end = head_at(HEAD_MUTANT_JOBS);
    let mutants = atomicLoad(&control[CONTROL_PROGRAMS]);
    // First come the initially active slots, grouped by mutant. On threads, there follow blocks of further slots, each of
    // one mutant; in lanes there comes one further slot of each mutant, then another of each, and so on.
    let begin = further_slots(mutants);
    var mutant = slot / exec_params.initially_active;
    first_job = slot % exec_params.initially_active;
    if slot >= begin {
        first_job = exec_params.initially_active;
        if IN_THREADS {
            mutant = atomicLoad(&control[block_place(1u + (slot - begin) / further_lanes())]);
        } else {
            mutant = (slot - begin) % max(mutants, 1u);
            first_job += (slot - begin) / max(mutants, 1u);
        }
    } else if begins_alone() {
        if first_job != 0u { return NONE; }
        if state_at(STATE_ACTIVE_SLOTS) == 0u { job_end = min(job_end, exec_params.first); }
    }
    if mutant >= mutants || first_job >= exec_params.lanes { return NONE; }
    return atomicLoad(&best[exec_params.programs + mutant]);
}

// Returns the first slot that is not active initially.
fn further_slots(mutants: u32) -> u32 {
    return (mutants * exec_params.initially_active + UNIT - 1u) / UNIT * UNIT;
}

fn further_lanes() -> u32 { return max(exec_params.lanes - exec_params.initially_active, 1u); }

// Whether each mutant's first slot runs the first jobs, those of single inputs, and then activates a block of further
// slots. A unit of first slots executes one test for several mutants; a unit of others many inputs for one mutant.
fn begins_alone() -> bool { return IN_THREADS && exec_params.first != 0u; }

// Returns the place of the number of blocks in use, then those of their mutants, in the order of `begin`.
fn block_place(n: u32) -> u32 { return CONTROL_WORDS + (exec_params.slots + UNIT - 1u) / UNIT + n; }

// The slots of a mutant share its jobs in order: most mutants fail on early ones, after which all others are
// useless. `arrange` changes the order of an entry's inputs.
fn next_job(job: u32, program: u32) -> u32 {
    if exec_params.mode != MODE_MUTANTS { return strided(job); }
    let place = atomicAdd(&best[exec_params.next + program], 1u);
    if place >= job_end || head_at(HEAD_ARRANGED) == 0u { return place; }
    return entries[arranged_place(place)];
}

// For the same reason, a mutant may begin with few slots. In lanes, their number doubles with each slice in which the
// first slot ends a job.
fn activate_slots(slot: u32, before: u32, job: u32, phase: u32, program: u32) -> u32 {
    if exec_params.mode != MODE_MUTANTS || first_job != 0u || program == NONE { return phase; }
    let mutants = atomicLoad(&control[CONTROL_PROGRAMS]);
    if IN_THREADS {
        let passed = phase == PHASE_DONE && job >= job_end && (atomicLoad(&best[program]) >> MARK_BITS) >= job_end;
        if !begins_alone() || !passed || job_end >= head_at(HEAD_MUTANT_JOBS) { return phase; }
        atomicStore(&best[exec_params.next + program], job_end);
        let block = atomicAdd(&control[block_place(0u)], 1u);
        let begin = further_slots(mutants) + block * further_lanes();
        // If no block is left, the first slot runs all jobs.
        if begin + further_lanes() > exec_params.slots {
            set_state(STATE_ACTIVE_SLOTS, 1u);
            return PHASE_NEW;
        }
        atomicStore(&control[block_place(1u + block)], slot / exec_params.initially_active);
        for (var i = 0u; i < further_lanes(); i += UNIT) { enqueue(begin + i); }
        return phase;
    }
    if phase == PHASE_DONE || job == before { return phase; }
    let initially_active = max(state_at(STATE_ACTIVE_SLOTS), exec_params.initially_active);
    let wanted = min(2u * initially_active, exec_params.lanes);
    for (var lane = initially_active; lane < wanted; lane++) {
        enqueue(mutants * lane + slot / exec_params.initially_active);
        cost++;
    }
    set_state(STATE_ACTIVE_SLOTS, wanted);
    return phase;
}

fn load_job(job: u32, program: u32) {
    fuel = LIMIT_STEPS;
    if exec_params.mode == MODE_CALL { return; }
    entry_rank = entry_rank_of(job, numbering());
    entry = select(entry_rank, entry_at(entry_rank, ENTRY_ORDER), exec_params.mode == MODE_MUTANTS);
    routine = functions + entry;
    if exec_params.mode == MODE_MUTANTS { fuel = entry_at(entry, ENTRY_FUEL); }
}

// Functions are pure: a mutant ends like the base on an input that enters none of its changed functions.
fn skip_unaffected(job: u32, program: u32) -> u32 {
    if exec_params.mode != MODE_MUTANTS || exec_params.exact == EXACT_ALL { return job; }
    let changed = select(programs[program].changed, NONE, exec_params.exact == EXACT_ENTERING);
    var sought = job;
    // The end of the entry's jobs, and the distance from a mutant's job number to the base's.
    var behind = 0u;
    var shift = 0u;
    while sought < job_end && cost < budget {
        if sought >= behind {
            let place = entry_rank_of(sought, ENTRY_MUTANT_JOB);
            let e = entry_at(place, ENTRY_ORDER);
            let first = entry_at(place, ENTRY_MUTANT_JOB);
            behind = first + entry_at(e, ENTRY_INPUTS);
            shift = entry_at(e, ENTRY_JOB) - first;
        }
        if (entries[ENTRY_ENTERED + sought + shift] & changed) != 0u { break; }
        sought = next_job(sought, program);
        cost++;
    }
    return sought;
}

fn job_disposition(job: u32, program: u32) -> u32 {
    let decided = atomicLoad(&best[watched(program)]) >> MARK_BITS;
    if decided >= job { return WANTED; }
    // After a failing input of the base, a text or an independent entry, jobs of other entries remain; and of an entry
    // in another order earlier inputs.
    if exec_params.mode != MODE_MUTANTS || exec_params.each_entry != 0u { return PASSED_OVER; }
    let earlier = decided < entry_at(entry_rank, ENTRY_MUTANT_JOB);
    return select(PASSED_OVER, POINTLESS, earlier || head_at(HEAD_ARRANGED) == 0u);
}

fn write_input(job: u32) {
    var input = job - entry_at(entry_rank, numbering());
    if exec_params.mode == MODE_MUTANTS { input += entry_at(entry_rank, ENTRY_FROM); }
    write_nth(entry, input);
}

fn is_obsolete(job: u32, program: u32) -> bool {
    return exec_params.mode != MODE_CALL && (atomicLoad(&best[watched(program)]) >> MARK_BITS) < job;
}

// Inputs adjacent to the entry's least unfinished input never wait. An input n places after it may take
// LONG_RUN_STEPS * lanes_in_flight steps, plus 2/n of the steps of all ended inputs. The second part limits
// the cost of later inputs to some fifteen times the steps that had to be run. It still lets the number of
// active inputs grow geometrically if all inputs are equally long.
fn must_pause(job: u32, program: u32) -> bool {
    if exec_params.mode != MODE_BASE && exec_params.mode != MODE_TEXTS { return false; }
    let least = entry_at(entry, ENTRY_FIRST_OPEN);
    // Adjacent jobs are lanes of one vector, unless full memory scatters them.
    let lanes_in_flight = select(exec_params.lanes_in_flight, 1u, exec_params.tier == TIER_LARGE);
    if job / lanes_in_flight <= least / lanes_in_flight { return false; }
    return steps > LONG_RUN_STEPS * exec_params.lanes_in_flight + 2u * (entry_at(entry, ENTRY_STEPS) / (job - least));
}

// Records how a job ended. `results` holds records of the jobs of the base and of texts (JOB_*), or verdicts
// on mutants (VERDICT_*), followed by the steps of their jobs if these are counted, or the record of a call
// (CALL_*).
fn record_outcome(job: u32, program: u32) -> u32 {
    var outcome = select(OUTCOME_FAIL, OUTCOME_PASS, value == 1u);
    if value == DISCARDED { outcome = OUTCOME_DISCARDED; }
    if run == TRAPPED { outcome = OUTCOME_TRAP + value; }
    let address = select(NONE, pc, run == TRAPPED);
    if exec_params.mode == MODE_CALL {
        results[CALL_TRAP] = select(TRAP_NONE, value, run == TRAPPED);
        results[CALL_VALUE] = select(value, 0u, run == TRAPPED);
        results[CALL_STEPS] = steps;
        results[CALL_ADDRESS] = address;
        results[CALL_EPOCH] = exec_params.epoch;
        return PHASE_DONE;
    }
    if exec_params.mode != MODE_MUTANTS {
        let record = record_place(job);
        results[record + JOB_MARK] = outcome | (exec_params.epoch << MARK_BITS);
        results[record + JOB_STEPS] = steps;
        results[record + JOB_ADDRESS] = address;
    }
    // What reaches a hole decides nothing: no later job of the base, and no mutant, which skips such jobs of the base.
    let is_hole = outcome == OUTCOME_TRAP + TRAP_HOLE && exec_params.each_entry == 0u;
    if exec_params.mode == MODE_BASE { entries[ENTRY_ENTERED + job] = select(entered_functions, 0u, is_hole); }
    if exec_params.counted != 0u { results[exec_params.programs * VERDICT_WORDS + program * head_at(HEAD_MUTANT_JOBS) + job] = steps; }
    if exec_params.recorded_entries != 0u && outcome == OUTCOME_PASS { atomicMax(&best[asked_place(program) + exec_params.programs * exec_params.recorded_entries], 1u); }
    let holds = outcome == OUTCOME_PASS || outcome == OUTCOME_DISCARDED;
    if is_hole {
        if exec_params.mode == MODE_MUTANTS { atomicMin(&best[program], MARK_UNFINISHED); }
    } else if !holds {
        atomicMin(&best[watched(program)], (job << MARK_BITS) | outcome);
    }
    return PHASE_NEXT;
}
