// mutate with the operators of the default group only. Each group has its own shader, so the operators of
// larger groups do not lengthen its compilation. See mutate.wgsl for threads, workgroup memory and barriers.

#import mutate

const MUTATES_HOLES = true;

fn visit_group(t: u32, role: u32, above: u32) {}
