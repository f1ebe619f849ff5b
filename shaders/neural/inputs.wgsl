// inputs: random inputs of a function, each from a seed and its index alone. One workgroup an input, a thread for each
// element of a list.
//
// The contract is the section "Random inputs" of docs/neural.md; the twin is src/network/inputs.rs.

#import layout/neural
#import shared/hash

@group(0) @binding(0) var<uniform> ip: InputParams;
// A row of each parameter; behind the rows the constants that ints are drawn near.
@group(0) @binding(1) var<storage, read> arguments: array<u32>;
// Column by column: the first word of all inputs' frames, then the second one of all.
@group(0) @binding(2) var<storage, read_write> inputs: array<u32>;

const AS_IT_COMES = 0u;
// What makes of ints numbers that, compared without a sign, rise or fall as is wanted.
const RISING = 0x80000000u;
const FALLING = 0x7fffffffu;

var<private> input: u32;
var<private> narrow: bool;
var<workgroup> elements: array<u32, LIMIT_CAPACITY>;

fn about(parameter: u32, column: u32) -> u32 { return arguments[parameter * ARGUMENT_WORDS + column]; }

fn draw(parameter: u32, element: u32) -> u32 {
    return mix(mix(mix(mix(ip.seed) + input) + parameter) + element);
}
fn second(h: u32) -> u32 { return mix(h + 0x9e3779b9u); }

// An int: mostly small, now and then where programs tend to break.
fn int(h: u32) -> u32 {
    let v = second(h);
    let kind = h & 15u;
    if kind >= 7u && kind <= 10u { return v % 101u; }
    if (kind == 11u || kind == 12u) && ip.constants != 0u {
        let constant = arguments[ip.parameters * ARGUMENT_WORDS + (v >> 2u) % ip.constants];
        return constant + select(0u, 1u, (v & 3u) == 3u) - select(0u, 1u, (v & 3u) == 0u);
    }
    if kind == 13u || kind == 14u {
        let beside = (1u << ((v >> 3u) & 31u)) + (v & 3u) % 3u - 1u;
        return select(0u - beside, beside, (v & 4u) == 0u);
    }
    if kind == 15u { return v; }
    return v % 33u - 16u;
}

// A value, or an element of a list.
fn drawn(h: u32, bools: bool) -> u32 {
    if bools { return h & 1u; }
    if narrow { return second(h) % 8u - 2u; }
    return int(h);
}

fn drawn_length(h: u32, capacity: u32) -> u32 {
    let kind = h & 7u;
    if kind == 0u { return capacity; }
    let most = select(min(capacity, 6u), capacity, kind <= 2u);
    return second(h) % (most + 1u);
}

fn drawn_order(h: u32) -> u32 {
    let kind = (h >> 8u) & 7u;
    return select(select(AS_IT_COMES, FALLING, kind == 2u), RISING, kind < 2u);
}

@compute @workgroup_size(64)
fn write_inputs(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let lane = local.x;
    let job = group.x;
    input = ip.first + job;
    narrow = (draw(WHOLE, 0u) & 3u) == 0u;
    for (var p = 0u; p < ip.parameters; p++) {
        let slot = about(p, ARGUMENT_SLOT);
        let capacity = about(p, ARGUMENT_CAPACITY);
        let bools = about(p, ARGUMENT_BOOLS) != 0u;
        // The value or a list's length, and of a list this thread's element.
        var head = 0u;
        var own = 0u;
        var order = AS_IT_COMES;
        if ip.exhaustive != 0u {
            let index = input / about(p, ARGUMENT_WEIGHT) % about(p, ARGUMENT_SIZE);
            head = index;
            if capacity != 0u {
                // Of the index + 1 as a binary number the leading digit says the length, the others are the elements.
                head = firstLeadingBit(index + 1u);
                own = ((index + 1u) >> ((head - 1u - lane) & 31u)) & 1u;
            }
        } else {
            let h = draw(p, 0u);
            if capacity == 0u {
                head = drawn(h, bools);
            } else {
                head = drawn_length(h, capacity);
                own = drawn(draw(p, 1u + lane), bools);
                if !bools { order = drawn_order(h); }
            }
        }
        elements[lane] = own;
        workgroupBarrier();
        // Where it comes: so many are before it.
        var place = lane;
        if order != AS_IT_COMES && lane < head {
            place = 0u;
            for (var k = 0u; k < head; k++) {
                let other = elements[k];
                place += select(0u, 1u, (other ^ order) < (own ^ order) || (other == own && k < lane));
            }
        }
        if capacity != 0u && lane < head { inputs[(slot + 1u + place) * ip.jobs + job] = own; }
        if lane == 0u { inputs[slot * ip.jobs + job] = head; }
        workgroupBarrier();
    }
}
