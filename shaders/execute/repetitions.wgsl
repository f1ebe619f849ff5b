// Jobs that are repetitions of the base's tests under noise. A job belongs to entry job / repetitions and
// writes a record (NOISY_*).
//
// This file defines the functions that slots.wgsl calls. Each works for one thread. No workgroup memory, no
// barriers.

#import shared/hash
#import execute/entries
#import execute/inputs
#import execute/noise
#import execute/slots

var<private> faults_key: u32;
var<private> record: u32;     // the start of the job's record
var<private> entry: u32;

fn take_slot(slot: u32) -> u32 {
    first_job = exec_params.first + slot % exec_params.lanes;
    job_stride = exec_params.lanes;
    job_end = exec_params.first + exec_params.jobs;
    return 0u;
}

fn activate_slots(slot: u32, before: u32, job: u32, phase: u32, program: u32) -> u32 { return phase; }

fn next_job(job: u32, program: u32) -> u32 { return strided(job); }

fn load_job(job: u32, program: u32) {
    entry = job / exec_params.repetitions;
    routine = functions + entry;
    fuel = entry_at(entry, ENTRY_FUEL);
    faults_key = mix(mix(mix(0x6e6f6973u + exec_params.seed) + entry) + job % exec_params.repetitions);
    record = (job - exec_params.first) * NOISY_WORDS;
}

fn skip_unaffected(job: u32, program: u32) -> u32 { return job; }

// Starts the record of a job. The job is passed over if the test does not pass without noise, or has no
// input.
fn job_disposition(job: u32, program: u32) -> u32 {
    results[record + NOISY_OUTCOME] = NONE;
    results[record + NOISY_STEPS] = 0u;
    results[record + NOISY_ADDRESS] = NONE;
    results[record + NOISY_FAULTS] = 0u;
    results[record + NOISY_EPOCH] = exec_params.epoch;
    for (var i = NOISY_STRUCK; i < NOISY_WORDS; i++) { results[record + i] = NONE; cost++; }
    let runs = entry < entries[HEAD_COUNT] && entry_at(entry, ENTRY_FUEL) != 0u && entry_at(entry, ENTRY_INPUTS) != 0u;
    return select(PASSED_OVER, WANTED, runs);
}

fn write_input(job: u32) { write_nth(entry, (job % exec_params.repetitions) % max(entry_at(entry, ENTRY_INPUTS), 1u)); }

fn is_obsolete(job: u32, program: u32) -> bool { return false; }
fn must_pause(job: u32, program: u32) -> bool { return false; }

fn record_outcome(job: u32, program: u32) -> u32 {
    var outcome = select(OUTCOME_FAIL, OUTCOME_PASS, value == 1u || value == DISCARDED);
    if run == TRAPPED { outcome = OUTCOME_TRAP + value; }
    results[record + NOISY_OUTCOME] = outcome;
    results[record + NOISY_STEPS] = steps;
    results[record + NOISY_ADDRESS] = select(NONE, pc, run == TRAPPED);
    return PHASE_NEXT;
}
