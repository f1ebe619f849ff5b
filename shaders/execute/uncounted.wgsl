// Records nothing; counted.wgsl replaces this file to record instructions. No workgroup memory, no barriers.

fn begin_count(position: u32, threads: u32) {}
fn count_step() {}
fn end_count() {}
