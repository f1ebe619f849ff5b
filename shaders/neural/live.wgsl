// The rows on which a kernel works.
//
// In a decoding step, row r is the candidate `live_at(r)`. Data that persists between steps (keys, values,
// states, words) is indexed by candidate; data of one step (activations, logits) by row. All live candidates
// are at the same position. In the encoder, a row is a position of the function, and `live` is their number.
//
// Each thread reads shared control words. No workgroup memory, no barriers.

#import layout/neural

@group(0) @binding(1) var<storage, read> control: array<u32>;

fn live() -> u32 { return control[DECODE_LIVE]; }
fn live_at(r: u32) -> u32 { return control[DECODE_LIST + r]; }
fn position() -> u32 { return control[DECODE_POSITION]; }
// Return the function that is being encoded, and that of a candidate.
fn function_read() -> u32 { return control[DECODE_FUNCTION]; }
fn function_of(candidate: u32) -> u32 { return candidate / max(control[DECODE_EACH], 1u); }
