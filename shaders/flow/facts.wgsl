// The bindings of flow, and what its entry points share: states, parts of lists, the columns of the program, and
// the costs of rounds. Every thread of the workgroup must call each function with a barrier.

#import shared/scan
#import layout/flow

@group(0) @binding(0) var<uniform> flow_params: FlowParams;
@group(0) @binding(1) var<storage, read> ir: array<u32>;
@group(0) @binding(2) var<storage, read> routines: array<u32>;
// A count for each space, a state for each entry point, and the tables.
@group(0) @binding(3) var<storage, read_write> facts: array<atomic<u32>>;

// The states of an entry point.
const FRESH: u32 = 0u;
const STARTED: u32 = 1u;
const FINISHED: u32 = 2u;
// Loop iterations after which no round begins.
const BUDGET: u32 = 8000u;

// Returns the state of an entry point; FINISHED as well before its predecessor has finished. Uniform.
fn state_of(entry: u32) -> u32 {
    var state = atomicLoad(&facts[entry]);
    if entry != ENTRY_GRAPH && atomicLoad(&facts[entry - 1u]) != FINISHED { state = FINISHED; }
    return uniform_from(state);
}

// Ends a dispatch of an entry point.
fn set_state(entry: u32, more: bool) {
    if lane == 0u { atomicStore(&facts[entry], select(FINISHED, STARTED, more)); }
}

fn set_count(space: u32, count: u32) {
    if lane == 0u { atomicStore(&facts[space], count); }
}

fn instructions() -> u32 { return flow_params.instruction_room; }
fn block_count() -> u32 { return flow_params.block_room; }
fn routine_count() -> u32 { return flow_params.routine_room; }

// Returns this thread's part of a list, as a range. The parts are in the order of the threads.
fn part_of(count: u32) -> vec2<u32> {
    let size = (count + WORKGROUP - 1u) / WORKGROUP;
    let lo = min(lane * size, count);
    return vec2<u32>(lo, min(lo + size, count));
}

// The code and the routines of the program.
fn ir_at(column: u32, i: u32) -> u32 { return ir[column * flow_params.instruction_room + i]; }
fn op_at(i: u32) -> u32 { return ir_at(IR_OP, i); }
fn block_at(i: u32) -> u32 { return ir_at(IR_BLOCK, i); }
fn routine_at(column: u32, r: u32) -> u32 { return routines[column * flow_params.routine_room + r]; }

// Returns the capacity of parameter j of a routine; 0 for an int or bool, and for binders behind the first 16.
fn capacity_of(routine: u32, j: u32) -> u32 {
    if j >= LIMIT_PARAMS { return 0u; }
    return (routine_at(ROUTINES_CAPS0 + j / 4u, routine) >> (8u * (j & 3u))) & 0xffu;
}

fn is_reached(block: u32) -> bool { return blocks_at(BLOCKS_REACHED, block) != 0u; }

// The words of a set of a routine's variables, blocks; and of all routines.
fn variable_words(routine: u32) -> u32 { return (spans_at(SPANS_VARIABLES, routine) + 31u) / 32u; }
fn block_words(routine: u32) -> u32 { return (spans_at(SPANS_BLOCKS, routine) + 31u) / 32u; }
fn routine_words() -> u32 { return (routine_count() + 31u) / 32u; }

// Returns the successor of a block: 0 is the next block, 1 the target of its last instruction.
fn successor(block: u32, which: u32) -> u32 {
    return blocks_at(select(BLOCKS_NEXT, BLOCKS_TARGET, which == 1u), block);
}

// One past the last edge to a block.
fn edges_end(block: u32) -> u32 {
    if block + 1u == block_count() { return atomicLoad(&facts[COUNT_EDGE]); }
    return blocks_at(BLOCKS_EDGES, block + 1u);
}

// Upper bounds on the loop iterations of a round over the sets of blocks, of variables, and over the calls.
fn relation_cost() -> u32 {
    let mine = part_of(block_count());
    var cost = 1u;
    for (var b = mine.x; b < mine.y; b++) { cost += 3u + 2u * block_words(blocks_at(BLOCKS_ROUTINE, b)); }
    return uniform_from(reduce_max(cost));
}
fn fact_cost() -> u32 {
    let mine = part_of(block_count());
    var cost = 1u;
    for (var b = mine.x; b < mine.y; b++) { cost += 1u + 3u * variable_words(blocks_at(BLOCKS_ROUTINE, b)); }
    return uniform_from(reduce_max(cost));
}
fn calls_cost(words: u32) -> u32 {
    let count = atomicLoad(&facts[COUNT_CALL]);
    return (1u + words) * ((count + WORKGROUP - 1u) / WORKGROUP) + 1u;
}
