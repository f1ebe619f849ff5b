// Noise: a machine whose steps go wrong now and then. What faults are drawn from and where they are noted is said by
// repetitions.wgsl.
//
// The contract is docs/noise.md; the twin is src/compiler/stage/execute/noise.rs.

#import shared/hash
#import execute/machine

const NOISY = true;
// No perturbation: the step is over.
const LEFT_OUT = 0x80000000u;

const FAULT_FLIPPED = 0u;
const FAULT_LOST = 1u;
const FAULT_PERTURBED = 2u;

fn note(fault: u32) {
    let count = results[record + NOISY_FAULTS];
    let place = NOISY_STRUCK + count;
    if place < NOISY_WORDS { results[record + place] = pc | (fault << 24u); }
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
