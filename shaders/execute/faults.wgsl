// Noise: a machine whose steps go wrong now and then. A job is a repetition of a test: of entry job / repetitions.
//
// The contract is docs/noise.md; the twin is src/stage/execute/noise.rs.

const NOISY = true;
// No perturbation: the step is over.
const LEFT_OUT = 0x80000000u;

const FAULT_FLIPPED = 0u;
const FAULT_LOST = 1u;
const FAULT_PERTURBED = 2u;

// A job's record: outcome, steps, address of a trap, faults, the batch, and where the first faults struck.
const NOISY_OUTCOME = 0u;
const NOISY_STEPS = 1u;
const NOISY_ADDRESS = 2u;
const NOISY_FAULTS = 3u;
const NOISY_EPOCH = 4u;
const NOISY_STRUCK = 5u;

var<private> faults_key: u32;
var<private> record: u32;     // where the job's begins

fn entry_of_job(job: u32, column: u32) -> u32 { return job / ex.repetitions; }
fn input_of(entry: u32, job: u32, column: u32) -> u32 {
    return (job % ex.repetitions) % max(entry_at(entry, ENTRY_INPUTS), 1u);
}

// What the job's faults are drawn from, and where they are noted.
fn take_up(entry: u32, job: u32) {
    faults_key = mix(mix(mix(0x6e6f6973u + ex.seed) + entry) + job % ex.repetitions);
    record = (job - ex.first) * NOISE_WORDS;
}

// Begins a job's record. False where there is nothing to run: without noise the test does not pass, or has no input.
fn begin_noisy(entry: u32, job: u32) -> bool {
    take_up(entry, job);
    results[record + NOISY_OUTCOME] = NONE;
    results[record + NOISY_STEPS] = 0u;
    results[record + NOISY_ADDRESS] = NONE;
    results[record + NOISY_FAULTS] = 0u;
    results[record + NOISY_EPOCH] = ex.epoch;
    for (var i = NOISY_STRUCK; i < NOISE_WORDS; i++) { results[record + i] = NONE; cost++; }
    return entry < entries[HEAD_COUNT] && entry_at(entry, ENTRY_FUEL) != 0u && entry_at(entry, ENTRY_INPUTS) != 0u;
}

fn note(fault: u32) {
    let count = results[record + NOISY_FAULTS];
    let place = NOISY_STRUCK + count;
    if place < NOISE_WORDS { results[record + place] = pc | (fault << 24u); }
    results[record + NOISY_FAULTS] = count + 1u;
}

// Strikes this step, or not. Gives what is to be added to what the instruction leaves, or LEFT_OUT if the step is over.
fn strike(op: u32, arg: u32) -> u32 {
    let h = mix(faults_key + steps);
    if h >= ex.threshold { return 0u; }
    let g = mix(h + 0x9e3779b9u);
    let random = mix(g + 0x85ebca6bu);
    let fault = g % 3u;
    let exposed = op_exposure(op);
    let bit = 1u << (random & 31u);
    let which = random >> 5u;
    if fault == FAULT_FLIPPED {
        let operands = exposed & EXPOSED_OPERANDS;
        var place = NONE;
        if operands != 0u {
            place = sp - 1u - which % operands;
        } else if (exposed & EXPOSED_VARIABLE) != 0u {
            place = fp + arg;
        } else if (exposed & EXPOSED_ELEMENTS) != 0u {
            let length = at(sp - 1u);
            if length != 0u { place = sp - 2u - which % length; }
        }
        if place == NONE { return 0u; }
        note(fault);
        put(place, at(place) ^ bit);
    } else if fault == FAULT_LOST {
        if (exposed & EXPOSED_LOST) == 0u { return 0u; }
        note(fault);
        // Growth is stored from -2 on.
        let top = sp + (exposed >> EXPOSED_GROWTH) - 2u;
        if top > sp {
            if !room(top) { return LEFT_OUT; }
            put(sp, 0u);
        }
        sp = top;
        pc += op_words(op);
        return LEFT_OUT;
    } else if (exposed & EXPOSED_PERTURBED) != 0u {
        note(fault);
        let by = 1u + (random & 1u);
        return select(by, 0u - by, (random & 2u) != 0u);
    }
    return 0u;
}

// Words of a new frame that hold nothing yet hold 0: a lost step may leave them so.
fn clear_frame(begin: u32, end: u32) {
    for (var i = begin; i < min(end, ex.words); i++) { put(i, 0u); cost++; }
}

fn finish_noisy(job: u32, outcome: u32, address: u32) {
    results[record + NOISY_OUTCOME] = outcome;
    results[record + NOISY_STEPS] = steps;
    results[record + NOISY_ADDRESS] = address;
}
