// Jobs: the inputs of tests and properties, numbered through all of them, on the base or on its mutants; or on texts, each with entries of
// its own. Or the one job of a call, which is under way from the start.
//
// A job that ends neither in 1 nor discarded settles its mutant, or its entry of the base or text. Jobs of the base leave which functions they enter; a
// mutant passes over those that enter none of its own.
//
// On the base and on texts all inputs of a property are begun side by side, and the first of them that fails makes what was done on later
// ones vain. That is kept within bounds: once a run has become long, it goes on only as far as earlier inputs have
// proved to be as long and to pass.

#import execute/survey
#import execute/inputs
#import execute/noiseless
#import execute/slots
#import execute/outcomes
#import execute/sums

// What makes a run long: so many steps for each job that is abreast of another.
const PATIENCE = 256u;

var<private> entry: u32;
// The entry's place among those that run.
var<private> turn: u32;

// How jobs are numbered: the base's, or a mutant's.
fn numbering() -> u32 { return select(ENTRY_JOB, ENTRY_MUTANT_JOB, ex.mode == MODE_MUTANTS); }
fn watched(program: u32) -> u32 {
    if ex.mode != MODE_MUTANTS { return marks + entry; }
    return select(program, asked_place(program), ex.each != 0u);
}
// The word of an entry that is asked by itself; as far behind it as there are such words stands whether an input of the entry ended in 1.
fn asked_place(program: u32) -> u32 { return 2u * ex.programs + program * ex.asked + turn; }

fn take_slot(slot: u32) -> u32 {
    first_job = slot % ex.lanes;
    job_stride = ex.lanes;
    job_end = 1u;
    let place = slot / ex.lanes;
    if ex.mode == MODE_TEXTS {
        if place >= ex.programs { return NONE; }
        open(place);
        job_end = head_at(HEAD_JOBS);
        return place;
    }
    if ex.mode == MODE_BASE { job_end = head_at(HEAD_JOBS); }
    if ex.mode != MODE_MUTANTS { return 0u; }
    job_end = head_at(HEAD_MUTANT_JOBS);
    let mutants = atomicLoad(&control[CONTROL_PROGRAMS]);
    // Those that are at work from the start stand beside each other, mutant by mutant; then come the second, third … of all that are woken.
    let begin = mutants * ex.awake;
    var mutant = slot / ex.awake;
    first_job = slot % ex.awake;
    if slot >= begin {
        mutant = (slot - begin) % max(mutants, 1u);
        first_job = ex.awake + (slot - begin) / max(mutants, 1u);
    }
    if mutant >= mutants || first_job >= ex.lanes { return NONE; }
    return atomicLoad(&best[ex.programs + mutant]);
}

// A mutant's slots take its jobs in order: most mutants fail on early ones, and then all others are in vain.
fn next_job(job: u32, program: u32) -> u32 {
    if ex.mode != MODE_MUTANTS { return strided(job); }
    return atomicAdd(&best[ex.next + program], 1u);
}

// For the same reason some slots of a mutant may begin alone: with each slice in which the first of them has ended a job twice as many are at work.
fn wake(slot: u32, before: u32, job: u32, phase: u32, program: u32) {
    if ex.mode != MODE_MUTANTS || first_job != 0u || job == before || phase == PHASE_DONE { return; }
    let mutants = atomicLoad(&control[CONTROL_PROGRAMS]);
    let awake = max(state_at(STATE_AWAKE), ex.awake);
    let wanted = min(2u * awake, ex.lanes);
    for (var lane = awake; lane < wanted; lane++) {
        put_to_work(mutants * lane + slot / ex.awake);
        cost++;
    }
    set_state(STATE_AWAKE, wanted);
}

fn take_up(job: u32, program: u32) {
    fuel = LIMIT_STEPS;
    if ex.mode == MODE_CALL { return; }
    turn = turn_of(job, numbering());
    entry = select(turn, entry_at(turn, ENTRY_ORDER), ex.mode == MODE_MUTANTS);
    routine = functions + entry;
    if ex.mode == MODE_MUTANTS { fuel = entry_at(entry, ENTRY_FUEL); }
}

// Functions are pure: a mutant ends as the base does on an input that enters none of the functions in which they differ.
fn seek(job: u32, program: u32) -> u32 {
    if ex.mode != MODE_MUTANTS || ex.exact != 0u { return job; }
    let changed = programs[program].changed;
    var sought = job;
    // Where the jobs of the entry end, and how far the base's numbers of them are from the mutants'.
    var behind = 0u;
    var shift = 0u;
    while sought < job_end && cost < budget {
        if sought >= behind {
            let place = turn_of(sought, ENTRY_MUTANT_JOB);
            let e = entry_at(place, ENTRY_ORDER);
            let first = entry_at(place, ENTRY_MUTANT_JOB);
            behind = first + entry_at(e, ENTRY_INPUTS);
            shift = entry_at(e, ENTRY_JOB) - first;
        }
        if (entries[ENTRY_VISITS + sought + shift] & changed) != 0u { break; }
        sought = next_job(sought, program);
        cost++;
    }
    return sought;
}

fn outlook(job: u32, program: u32) -> u32 {
    if (atomicLoad(&best[watched(program)]) >> MARK_BITS) >= job { return WANTED; }
    // Behind a failing input of the base or a text, or of what is asked by itself, there are other entries.
    return select(PASSED_OVER, POINTLESS, ex.mode == MODE_MUTANTS && ex.each == 0u);
}

fn write_input(job: u32) {
    var input = job - entry_at(turn, numbering());
    if ex.mode == MODE_MUTANTS { input += entry_at(turn, ENTRY_FROM); }
    write_nth(entry, input);
}

fn overtaken(job: u32, program: u32) -> bool {
    return ex.mode != MODE_CALL && (atomicLoad(&best[watched(program)]) >> MARK_BITS) < job;
}

// Inputs beside the entry's least that has not ended never wait; one that is n behind that one may take so many steps and,
// of all that ended ones took, two n-ths. So later inputs together cost no more than these steps each and some fifteen times what
// had to be run, yet inputs that take equally long are at work in numbers that multiply each time.
fn waits(job: u32, program: u32) -> bool {
    if ex.mode != MODE_BASE && ex.mode != MODE_TEXTS { return false; }
    let least = entry_at(entry, ENTRY_LEAST);
    // Jobs side by side are lanes of one vector, where full memory does not scatter them.
    let abreast = select(ex.abreast, 1u, ex.tier == TIER_LARGE);
    if job / abreast <= least / abreast { return false; }
    return steps > PATIENCE * ex.abreast + 2u * (entry_at(entry, ENTRY_STEPS) / (job - least));
}

// Results are records of the jobs of the base and of texts (JOB_*), verdicts of mutants (VERDICT_*) with the steps of each one's jobs behind
// them if they are counted, or a call's record (CALL_*).
fn finish(job: u32, program: u32) -> u32 {
    var outcome = select(OUTCOME_FAIL, OUTCOME_PASS, value == 1u);
    if value == DISCARDED { outcome = OUTCOME_DISCARDED; }
    if run == TRAPPED { outcome = OUTCOME_TRAP + trap; }
    let address = select(NONE, pc, run == TRAPPED);
    if ex.mode == MODE_CALL {
        results[CALL_TRAP] = select(TRAP_NONE, trap, run == TRAPPED);
        results[CALL_VALUE] = select(value, 0u, run == TRAPPED);
        results[CALL_STEPS] = steps;
        results[CALL_ADDRESS] = address;
        results[CALL_EPOCH] = ex.epoch;
        return PHASE_DONE;
    }
    if ex.mode != MODE_MUTANTS {
        let record = record_place(job);
        results[record + JOB_MARK] = outcome | (ex.epoch << MARK_BITS);
        results[record + JOB_STEPS] = steps;
        results[record + JOB_ADDRESS] = address;
    }
    if ex.mode == MODE_BASE { entries[ENTRY_VISITS + job] = entered; }
    if ex.counted != 0u { results[ex.programs * VERDICT_WORDS + program * head_at(HEAD_MUTANT_JOBS) + job] = steps; }
    if ex.asked != 0u && outcome == OUTCOME_PASS { atomicMax(&best[asked_place(program) + ex.programs * ex.asked], 1u); }
    let holds = outcome == OUTCOME_PASS || outcome == OUTCOME_DISCARDED;
    if !holds { atomicMin(&best[watched(program)], (job << MARK_BITS) | outcome); }
    return PHASE_NEXT;
}
