//! judge: hashes bytecode, to find mutants that need not run.
//!
//! A mutant whose optimized bytecode equals that of the base or of an earlier mutant need not run (trivial
//! compiler equivalence). Equal bytecode is found by a hash and then compared in full. The hash consists of
//! sums, whose terms may be added in any order.
//!
//! Comparing bytecode is *trivial compiler equivalence* (Papadakis and others, "Trivial compiler equivalence",
//! 2015).

use super::execute::mix;
use crate::compiler::program::Executable;

/// Writes an executable as one sequence of words: the code, then the words of each routine that affect calls
/// and runs.
pub fn sequence(executable: &Executable, out: &mut Vec<u32>) {
    let r = &executable.routines;
    out.clear();
    out.extend_from_slice(&executable.code.word);
    for i in 0..r.token.len() {
        let caps = [r.caps0[i], r.caps1[i], r.caps2[i], r.caps3[i]];
        out.extend([r.address[i], r.frame[i], r.params[i]]);
        out.extend(caps);
        out.push(r.result[i]);
    }
}

/// Returns the hash of a sequence of words, as two 32-bit words.
pub fn hash(words: &[u32]) -> [u32; 2] {
    let (mut a, mut b) = (0u32, 0u32);
    let (mut add, mut xor) = (0u32, 0u32);
    for &word in words {
        a = a.wrapping_add(mix(word.wrapping_add(add)));
        b = b.wrapping_add(mix((word ^ 0x85eb_ca6b).wrapping_add(xor)));
        add = add.wrapping_add(0x9e37_79b9);
        xor = xor.wrapping_add(0xc2b2_ae35);
    }
    let n = words.len() as u32;
    [mix(n.wrapping_add(a)), mix(n ^ b)]
}
