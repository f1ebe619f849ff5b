// mutate with the operators of the default and strong groups. See mutate.wgsl for threads, workgroup memory
// and barriers.

#import mutate
#import mutate/strong

const MUTATES_HOLES = true;

fn visit_group(t: u32, role: u32, above: u32) { visit_strong(t, role, above); }
