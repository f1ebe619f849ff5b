// The scratch where rounds are told, in the place of `shared/scratch`: all entry points use it by atomics, so that what tells rounds may, too.

@group(0) @binding(8) var<storage, read_write> scratch: array<u32>;
@group(0) @binding(8) var<storage, read_write> scratch_atomic: array<atomic<u32>>;

fn scratch_word(place: u32) -> u32 { return atomicLoad(&scratch_atomic[place]); }
fn set_scratch_word(place: u32, v: u32) { atomicStore(&scratch_atomic[place], v); }
