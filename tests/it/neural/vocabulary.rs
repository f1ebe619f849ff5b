//! The words of the network.

use myriad::lang::opcode::Op;
use myriad::network::vocabulary::{Family, PLAIN, TARGETS, WORDS, plain, text};

#[test]
fn every_word_has_one_family_and_one_text() {
    let texts: std::collections::HashSet<String> = (0..WORDS as u16).map(text).collect();
    assert_eq!(texts.len(), WORDS, "two words are written alike");
    for word in 0..WORDS as u16 {
        let (family, index) = Family::of(word).unwrap();
        assert_eq!(family.word(index), word);
    }
    assert_eq!(Family::of(WORDS as u16), None);
}

/// The shipped weights depend on the numbers of words, which must not change with the opcodes.
#[test]
fn word_numbers_are_stable() {
    assert_eq!((TARGETS, WORDS), (408, 519));
    for (op, word) in [(Op::Dup, 3), (Op::Shr, 13), (Op::Ge, 19), (Op::Return, 32)] {
        assert_eq!(plain(op), Some(word), "{op:?}");
    }
    for op in PLAIN {
        assert_eq!(op.shape(), myriad::lang::opcode::Shape::Plain, "{op:?}");
    }
}
