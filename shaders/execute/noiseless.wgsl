// A machine without faults; noise.wgsl replaces this file in the noisy one. No workgroup memory, no barriers.

const NOISY = false;
const STEP_DONE = 0x80000000u;
fn inject_fault(op: u32, arg: u32) -> u32 { return 0u; }
fn clear_frame(begin: u32, end: u32) {}
