//! The generators themselves: seeds determine programs, and programs differ.

#[test]
fn seed_determines_the_program() {
    for seed in 0..50 {
        assert_eq!(crate::common::typed::program(seed), crate::common::typed::program(seed));
        assert_eq!(crate::common::broken::program(seed), crate::common::broken::program(seed));
    }
    assert_ne!(crate::common::typed::program(1), crate::common::typed::program(2));
}
