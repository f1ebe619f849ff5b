// mutate with the operators of all groups. See mutate.wgsl for threads, workgroup memory and barriers.

#import mutate
#import mutate/strong
#import mutate/repair
#import mutate/mistakes

const MUTATES_HOLES = false;

fn visit_group(t: u32, role: u32, above: u32) {
    visit_strong(t, role, above);
    visit_repair(t, role, above);
}
