// The inputs of a property: all of a small domain, a fixed draw from a larger one, each from its index alone.

#import shared/hash
#import execute/machine
#import execute/entries

fn draw(input: u32, binder: u32, element: u32) -> u32 {
    return mix(mix(mix(0x6d797269u + input) + binder) + element);
}
fn number(lo: u32, range: u32, input: u32, binder: u32, element: u32) -> u32 {
    let h = draw(input, binder, element);
    if (h & 7u) == 0u {
        let which = (h >> 3u) % 5u;
        var corner = lo;
        corner = select(corner, lo + range - 1u, which == 1u);
        corner = select(corner, 0u, which == 2u);
        corner = select(corner, 1u, which == 3u);
        corner = select(corner, NONE, which == 4u);
        if corner - lo < range { return corner; }
    }
    return lo + mix(h + 0x9e3779b9u) % range;
}

// Writes the values of one input to the start of memory.
fn write_nth(e: u32, input: u32) {
    let first = entry_at(e, ENTRY_BINDER);
    let count = entry_at(e, ENTRY_BINDERS);
    let exhaustive = entry_at(e, ENTRY_EXHAUSTIVE) != 0u;
    var rest = input;
    for (var i = 0u; i < count; i++) {
        // Of an exhaustive domain the last binder changes fastest.
        let b = select(i, count - 1u - i, exhaustive);
        let lo = domain_at(first + b, BINDER_LO);
        let range = domain_at(first + b, BINDER_RANGE);
        let longest = domain_at(first + b, BINDER_MAX_LEN);
        let list = domain_at(first + b, BINDER_CAPACITY) != 0u;
        let slot = domain_at(first + b, BINDER_SLOT);
        var digit = 0u;
        if exhaustive {
            let size = domain_at(first + b, BINDER_SIZE);
            digit = rest % size;
            rest = rest / size;
        }
        cost++;
        if !list {
            var value = lo + digit;
            if !exhaustive { value = number(lo, range, input, b, 0u); }
            put(slot, value);
            continue;
        }
        var length = 0u;
        if exhaustive {
            var values = 1u;
            while digit >= values {
                digit -= values;
                length++;
                values *= range;
                cost++;
            }
        } else if range > 0u {
            length = draw(input, b, 0u) % (longest + 1u);
        }
        put(slot, length);
        for (var k = 0u; k < length; k++) {
            // Of a list in an exhaustive domain the last element changes fastest.
            let element = select(k, length - 1u - k, exhaustive);
            var value = 0u;
            if exhaustive {
                value = lo + digit % range;
                digit = digit / range;
            } else {
                value = number(lo, range, input, b, 1u + element);
            }
            put(slot + 1u + element, value);
            cost++;
        }
    }
}
