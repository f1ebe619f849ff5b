// The inputs of a property, each computed from its index: all values of a small domain, or a sample of a
// larger one. No two inputs are equal. Each thread writes the input of its own job. No workgroup memory, no
// barriers.

#import execute/machine
#import execute/entries
#import execute/sample

// Writes the values of one input to the start of memory.
fn write_nth(e: u32, input: u32) {
    if entry_at(e, ENTRY_EXHAUSTIVE) == 0u {
        write_sampled(e, input);
        return;
    }
    let first = entry_at(e, ENTRY_BINDER);
    var rest = input;
    // The last binder changes fastest.
    for (var b = entry_at(e, ENTRY_BINDERS); b > 0u; b--) {
        let row = first + b - 1u;
        let lo = domain_at(row, BINDER_LO);
        let range = domain_at(row, BINDER_RANGE);
        let slot = domain_at(row, BINDER_SLOT);
        let size = domain_at(row, BINDER_SIZE);
        var digit = rest % size;
        rest = rest / size;
        cost++;
        if domain_at(row, BINDER_CAPACITY) == 0u {
            put(slot, lo + digit);
            continue;
        }
        var length = 0u;
        var values = 1u;
        while digit >= values {
            digit -= values;
            length++;
            values *= range;
            cost++;
        }
        put(slot, length);
        // The last element of a list changes fastest.
        for (var k = length; k > 0u; k--) {
            put(slot + k, lo + digit % range);
            digit = digit / range;
            cost++;
        }
    }
}
