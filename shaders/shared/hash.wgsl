// A 32-bit finalizer (Chris Wellons, "lowbias32") that draws inputs and hashes bytecode. Each thread mixes
// its own word. No workgroup memory, no barriers.
fn mix(n: u32) -> u32 {
    var x = n;
    x ^= x >> 16u;
    x *= 0x7feb352du;
    x ^= x >> 15u;
    x *= 0x846ca68bu;
    return x ^ (x >> 16u);
}
