// Constants of one or two words. The function works for one thread. No workgroup memory, no barriers.

// Returns whether a value does not fit the operand of LOAD_CONST.
fn is_wide(value: u32) -> bool {
    let v = bitcast<i32>(value);
    return v < -8388608 || v > 8388607;
}
