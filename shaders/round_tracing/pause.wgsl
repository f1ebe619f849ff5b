// Replaces flow/pause in the shader that records rounds. The importer of round_tracing/rounds completes this part. No
// workgroup memory, no barriers: all threads count the same rounds.

// The most rounds that an entry point makes after it has asked whether it must stop: those of one iteration, and
// those that complete the analysis.
const ROUNDS_AFTER_PAUSE: u32 = 8u;

// Returns whether the rounds up to the next call may not fit into the recording of this dispatch.
fn pauses() -> bool { return trace_left < ROUNDS_AFTER_PAUSE; }
