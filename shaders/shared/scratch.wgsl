// The scratch: words for the time of a stage.

@group(0) @binding(8) var<storage, read_write> scratch: array<u32>;
// The scratch again, for entry points that need atomics in it. One entry point uses one of the two.
@group(0) @binding(8) var<storage, read_write> scratch_atomic: array<atomic<u32>>;

fn scratch_word(place: u32) -> u32 { return scratch[place]; }
fn set_scratch_word(place: u32, v: u32) { scratch[place] = v; }
