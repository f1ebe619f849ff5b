// The rows that a kernel works on.
//
// In a decoding step row r is the candidate `live_at(r)`: what rests between steps (keys, values, states, words) is found by
// candidate, what lives within a step (activations, logits) by row. All live candidates are at one position. While
// the encoder runs, a row is a position of the function, and there are as many of them.

#import layout/neural

@group(0) @binding(1) var<storage, read> control: array<u32>;

fn live() -> u32 { return control[DECODE_LIVE]; }
fn live_at(r: u32) -> u32 { return control[DECODE_LIST + r]; }
fn position() -> u32 { return control[DECODE_POSITION]; }
// The function that the encoder reads, and that of a candidate.
fn function_read() -> u32 { return control[DECODE_FUNCTION]; }
fn function_of(candidate: u32) -> u32 { return candidate / max(control[DECODE_EACH], 1u); }
