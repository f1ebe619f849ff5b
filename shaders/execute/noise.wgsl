// A noisy machine, whose steps fail at random. repetitions.wgsl defines the seed of the faults and the record
// for them.
//
// Each thread executes one run. No workgroup memory, no barriers. The specification is docs/noise.md; the CPU
// twin is src/compiler/stage/execute/noise.rs.

#import shared/hash
#import execute/machine

const NOISY = true;
// Returned by `inject_fault` instead of a perturbation if the step is complete.
const STEP_DONE = 0x80000000u;

const FAULT_FLIPPED = 0u;
const FAULT_LOST = 1u;
const FAULT_PERTURBED = 2u;

fn record_fault(fault: u32) {
    let count = results[record + NOISY_FAULTS];
    let place = NOISY_STRUCK + count;
    if place < NOISY_WORDS { results[record + place] = pc | (fault << 24u); }
    results[record + NOISY_FAULTS] = count + 1u;
}

// Injects a fault into this step, or none. Returns the number to add to the instruction's result, or STEP_DONE
// if the step is complete.
fn inject_fault(op: u32, arg: u32) -> u32 {
    let h = mix(faults_key + steps);
    if h >= exec_params.threshold { return 0u; }
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
        record_fault(fault);
        put(place, at(place) ^ bit);
    } else if fault == FAULT_LOST {
        if (exposed & EXPOSED_LOST) == 0u { return 0u; }
        record_fault(fault);
        // EXPOSED_GROWTH holds the change of stack height plus 2.
        let top = sp + (exposed >> EXPOSED_GROWTH) - 2u;
        if top > sp {
            if !room(top) { return STEP_DONE; }
            put(sp, 0u);
        }
        sp = top;
        pc += op_words(op);
        return STEP_DONE;
    } else if (exposed & EXPOSED_PERTURBED) != 0u {
        record_fault(fault);
        let by = 1u + (random & 1u);
        return select(by, 0u - by, (random & 2u) != 0u);
    }
    return 0u;
}

// Clears words begin .. end of a new frame. A lost step may leave a variable unwritten, which then reads as
// 0.
fn clear_frame(begin: u32, end: u32) {
    for (var i = begin; i < min(end, exec_params.words); i++) { put(i, 0u); cost++; }
}
