//! judge: a verdict for each mutant.
//!
//! Mutants whose optimized bytecode equals the base's, or that of a mutant before them, need not run (trivial
//! compiler equivalence). Bytecode is found again by a hash whose sums can be taken in any order, and compared in
//! full where it is found.

use super::execute::mix;
use crate::compiler::program::Executable;

/// All that bytecode is, as one sequence of words: the code, then what calls and runs need of each routine.
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

/// The hash of a sequence of words, in two lanes.
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
