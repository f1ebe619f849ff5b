// inputs: writes random inputs of a function, each computed from a seed and its index.
//
// One workgroup handles one input, and each thread one element of a list. Workgroup memory: the elements of a
// list. Workgroup barriers separate writing the elements, sorting them, and the next parameter.
//
// The specification is section "Random inputs" of docs/neural.md; the CPU twin is src/network/inputs.rs.

#import layout/neural
#import shared/hash

@group(0) @binding(0) var<uniform> input_params: InputParams;
// A row per parameter; after the rows, the constants near which ints are drawn.
@group(0) @binding(1) var<storage, read> arguments: array<u32>;
// Stored by columns: the first word of the frames of all inputs, then the second word of all.
@group(0) @binding(2) var<storage, read_write> inputs: array<u32>;

const AS_IT_COMES = 0u;
// Masks for sorting: XOR with one maps ints to unsigned numbers whose order is rising or falling.
const RISING = 0x80000000u;
const FALLING = 0x7fffffffu;

var<private> input: u32;
var<private> narrow: bool;
var<workgroup> elements: array<u32, LIMIT_CAPACITY>;

fn about(parameter: u32, column: u32) -> u32 { return arguments[parameter * ARGUMENT_WORDS + column]; }

fn draw(parameter: u32, element: u32) -> u32 {
    return mix(mix(mix(mix(input_params.seed) + input) + parameter) + element);
}
fn second(h: u32) -> u32 { return mix(h + 0x9e3779b9u); }

// Returns an int: usually small, sometimes a value at which programs tend to fail.
fn int(h: u32) -> u32 {
    let v = second(h);
    let kind = h & 15u;
    if kind >= 7u && kind <= 10u { return v % 101u; }
    if (kind == 11u || kind == 12u) && input_params.constants != 0u {
        let constant = arguments[input_params.parameters * ARGUMENT_WORDS + (v >> 2u) % input_params.constants];
        return constant + select(0u, 1u, (v & 3u) == 3u) - select(0u, 1u, (v & 3u) == 0u);
    }
    if kind == 13u || kind == 14u {
        let beside = (1u << ((v >> 3u) & 31u)) + (v & 3u) % 3u - 1u;
        return select(0u - beside, beside, (v & 4u) == 0u);
    }
    if kind == 15u { return v; }
    return v % 33u - 16u;
}

// Returns a value, or an element of a list.
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
    input = input_params.first + job;
    narrow = (draw(WHOLE, 0u) & 3u) == 0u;
    for (var p = 0u; p < input_params.parameters; p++) {
        let slot = about(p, ARGUMENT_SLOT);
        let capacity = about(p, ARGUMENT_CAPACITY);
        let bools = about(p, ARGUMENT_BOOLS) != 0u;
        // The value, or the length of a list; then this thread's element of a list.
        var head = 0u;
        var own = 0u;
        var order = AS_IT_COMES;
        if input_params.exhaustive != 0u {
            let index = input / about(p, ARGUMENT_WEIGHT) % about(p, ARGUMENT_SIZE);
            head = index;
            if capacity != 0u {
                // The leading digit of index + 1 in binary determines the length; the other digits are the
                // elements.
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
        // An element's place is the number of elements that come before it.
        var place = lane;
        if order != AS_IT_COMES && lane < head {
            place = 0u;
            for (var k = 0u; k < head; k++) {
                let other = elements[k];
                place += select(0u, 1u, (other ^ order) < (own ^ order) || (other == own && k < lane));
            }
        }
        if capacity != 0u && lane < head { inputs[(slot + 1u + place) * input_params.jobs + job] = own; }
        if lane == 0u { inputs[slot * input_params.jobs + job] = head; }
        workgroupBarrier();
    }
}
