//! The generators themselves: seeds decide, and programs differ.

mod common;

#[test]
fn a_seed_decides_a_program() {
    for seed in 0..50 {
        assert_eq!(common::typed::program(seed), common::typed::program(seed));
        assert_eq!(common::broken::program(seed), common::broken::program(seed));
    }
    assert_ne!(common::typed::program(1), common::typed::program(2));
}
