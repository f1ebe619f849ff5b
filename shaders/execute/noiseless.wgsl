// A machine that does as it is told. Where it does not, noise.wgsl takes the place of this file.

const NOISY = false;
const LEFT_OUT = 0x80000000u;
fn strike(op: u32, arg: u32) -> u32 { return 0u; }
fn clear_frame(begin: u32, end: u32) {}
