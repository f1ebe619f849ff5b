// A thread whose group has no subgroup operations never waits; together.wgsl replaces this file. No workgroup memory,
// no barriers.

fn turn_of_group(own: u32) -> u32 { return own; }
