// The memory of recorded rounds in shaders of compile stages: the words of the scratch buffer after the scratch.

#import shared/arena

fn trace_base() -> u32 { return TOKEN_SCRATCH * params.token_capacity + IR_SCRATCH * params.ir_capacity; }
