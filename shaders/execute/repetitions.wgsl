// Jobs: repetitions of the base's tests under noise. A job is of entry job / repetitions, and leaves a record (NOISY_*).

#import shared/hash
#import execute/entries
#import execute/inputs
#import execute/noise
#import execute/slots

var<private> faults_key: u32;
var<private> record: u32;     // where the job's begins
var<private> entry: u32;

fn take_slot(slot: u32) -> u32 {
    first_job = ex.first + slot % ex.lanes;
    job_stride = ex.lanes;
    job_end = ex.first + ex.jobs;
    return 0u;
}

fn wake(slot: u32, before: u32, job: u32, phase: u32, program: u32) {}

fn next_job(job: u32, program: u32) -> u32 { return strided(job); }

fn take_up(job: u32, program: u32) {
    entry = job / ex.repetitions;
    routine = functions + entry;
    fuel = entry_at(entry, ENTRY_FUEL);
    faults_key = mix(mix(mix(0x6e6f6973u + ex.seed) + entry) + job % ex.repetitions);
    record = (job - ex.first) * NOISY_WORDS;
}

fn seek(job: u32, program: u32) -> u32 { return job; }

// Begins a job's record. There may be nothing to run: without noise the test does not pass, or has no input.
fn outlook(job: u32, program: u32) -> u32 {
    results[record + NOISY_OUTCOME] = NONE;
    results[record + NOISY_STEPS] = 0u;
    results[record + NOISY_ADDRESS] = NONE;
    results[record + NOISY_FAULTS] = 0u;
    results[record + NOISY_EPOCH] = ex.epoch;
    for (var i = NOISY_STRUCK; i < NOISY_WORDS; i++) { results[record + i] = NONE; cost++; }
    let runs = entry < entries[HEAD_COUNT] && entry_at(entry, ENTRY_FUEL) != 0u && entry_at(entry, ENTRY_INPUTS) != 0u;
    return select(PASSED_OVER, WANTED, runs);
}

fn write_input(job: u32) { write_nth(entry, (job % ex.repetitions) % max(entry_at(entry, ENTRY_INPUTS), 1u)); }

fn overtaken(job: u32, program: u32) -> bool { return false; }
fn waits(job: u32, program: u32) -> bool { return false; }

fn finish(job: u32, program: u32) -> u32 {
    var outcome = select(OUTCOME_FAIL, OUTCOME_PASS, value == 1u || value == DISCARDED);
    if run == TRAPPED { outcome = OUTCOME_TRAP + trap; }
    results[record + NOISY_OUTCOME] = outcome;
    results[record + NOISY_STEPS] = steps;
    results[record + NOISY_ADDRESS] = select(NONE, pc, run == TRAPPED);
    return PHASE_NEXT;
}
