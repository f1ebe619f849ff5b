// Whether an entry point must stop before its next round, and go on in the next dispatch, although the loop budget is
// not spent. Never: only shaders that record rounds replace this part, by round_tracing/pause.

fn pauses() -> bool { return false; }
