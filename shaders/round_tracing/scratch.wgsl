// The scratch buffer in shaders that record rounds; replaces shared/scratch. All entry points access it with
// atomics, so the code that records rounds can do so, too. Each thread accesses single words. No workgroup
// memory, no barriers.

@group(0) @binding(8) var<storage, read_write> scratch: array<u32>;
@group(0) @binding(8) var<storage, read_write> scratch_atomic: array<atomic<u32>>;

fn scratch_word(place: u32) -> u32 { return atomicLoad(&scratch_atomic[place]); }
fn set_scratch_word(place: u32, v: u32) { atomicStore(&scratch_atomic[place], v); }
