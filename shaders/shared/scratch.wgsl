// The scratch buffer: working memory of one stage. Each thread accesses single words. No workgroup memory;
// the callers place the barriers.

@group(0) @binding(8) var<storage, read_write> scratch: array<u32>;
// The same buffer for entry points that need atomics. An entry point uses only one of the two bindings.
@group(0) @binding(8) var<storage, read_write> scratch_atomic: array<atomic<u32>>;

fn scratch_word(place: u32) -> u32 { return scratch[place]; }
fn set_scratch_word(place: u32, v: u32) { scratch[place] = v; }
