//! Which tests and properties can come to a function at all.

use crate::lang::opcode::Op;
use crate::program::Compiled;

/// Of each routine of a program whether it is `function` or can call it, by way of others too.
pub fn reaching(compiled: &Compiled, function: u32) -> Vec<bool> {
    let address = &compiled.executable.routines.address;
    let mut order: Vec<usize> = (0..address.len()).collect();
    order.sort_by_key(|&routine| address[routine]);
    let mut calls = Vec::new();
    for (place, &routine) in order.iter().enumerate() {
        let end =
            order.get(place + 1).map_or(compiled.executable.code.word.len(), |&next| address[next] as usize);
        let mut at = address[routine] as usize;
        while at < end {
            let word = compiled.executable.code.word[at];
            let op = Op::from_u32(word & 0xff).unwrap_or(Op::Nop);
            if op == Op::Call {
                calls.push((routine, (word >> 8) as usize));
            }
            at += op.shape().words() as usize;
        }
    }
    let mut reaches = vec![false; address.len()];
    reaches[function as usize] = true;
    loop {
        let before = reaches.iter().filter(|&&reaches| reaches).count();
        for &(caller, callee) in &calls {
            reaches[caller] |= reaches.get(callee).copied().unwrap_or(false);
        }
        if reaches.iter().filter(|&&reaches| reaches).count() == before {
            return reaches;
        }
    }
}
