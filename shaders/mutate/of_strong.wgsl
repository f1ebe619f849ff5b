// mutate by the operators of the strong group, too.

#import mutate
#import mutate/strong

fn visit_further(t: u32, role: u32, above: u32) { visit_strong(t, role, above); }
