// A machine that does as it is told. Where it does not, `faults.wgsl` takes the place of this file.

const NOISY = false;
const LEFT_OUT = 0x80000000u;
fn entry_of_job(job: u32, column: u32) -> u32 { return entry_of(job, column); }
fn input_of(entry: u32, job: u32, column: u32) -> u32 { return job - entry_at(entry, column); }
fn begin_noisy(entry: u32, job: u32) -> bool { return true; }
fn take_up(entry: u32, job: u32) {}
fn strike(op: u32, arg: u32) -> u32 { return 0u; }
fn clear_frame(begin: u32, end: u32) {}
fn finish_noisy(job: u32, outcome: u32, address: u32) {}
