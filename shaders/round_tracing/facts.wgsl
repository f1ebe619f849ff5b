// The memory of recorded rounds in the shader of flow: the words after its tables. All columns are in one buffer, so
// there is one arena.

#import flow/facts

fn trace_base() -> u32 { return flow_params.table_words; }
fn scratch_word(place: u32) -> u32 { return atomicLoad(&facts[place]); }
fn set_scratch_word(place: u32, v: u32) { atomicStore(&facts[place], v); }
fn traced_column_word(arena: u32, at: u32) -> u32 { return scratch_word(at); }
