// mutate by the operators of the default group, and no others: each group has a shader of its own, for what another one has makes it no
// longer to compile.

#import mutate

fn visit_further(t: u32, role: u32, above: u32) {}
