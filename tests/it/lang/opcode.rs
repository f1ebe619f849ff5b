//! The table of operations.

use myriad::lang::opcode::{Op, Shape, StackEffect};
use myriad::lang::token::{FIRST_NAME, NAME_MIN, TokenKind};

#[test]
fn stack_effects_match_the_instruction_descriptions() {
    let effect = |takes, taken_lists, leaves, left_lists, varies| StackEffect {
        takes,
        taken_lists,
        leaves,
        left_lists,
        varies,
    };
    for (op, expected) in [
        (Op::Nop, effect(0, 0, 0, 0, false)),
        (Op::Dup, effect(1, 0, 2, 0, false)),
        (Op::Max, effect(2, 0, 1, 0, false)),
        (Op::Slice, effect(3, 0b001, 1, 1, false)),
        (Op::JoinList, effect(2, 0b11, 1, 1, false)),
        (Op::ListEq, effect(2, 0b11, 1, 0, false)),
        (Op::JumpIfTrueOrPop, effect(1, 0, 0, 0, false)),
        (Op::BuildList, effect(0, 0, 1, 1, true)),
        (Op::Call, effect(0, 0, 1, 0, true)),
        (Op::ReturnList, effect(1, 1, 0, 0, false)),
    ] {
        assert_eq!(op.effect(), expected, "{}", op.name());
    }
}

#[test]
fn opposite_instructions_are_symmetric() {
    for &op in Op::ALL {
        if let Some(opposite) = op.opposite() {
            assert_eq!(opposite.opposite(), Some(op), "{}", op.name());
            assert_eq!(opposite.effect(), op.effect(), "{}", op.name());
        }
    }
}

#[test]
fn every_operator_token_maps_to_an_instruction() {
    for &kind in TokenKind::ALL {
        let evaluates_both = kind.infix_strength() > 0 && !kind.is_logical();
        assert_eq!(Op::from_infix(kind).is_some(), evaluates_both, "{kind:?}");
        assert_eq!(Op::from_prefix(kind).is_some(), kind.is_prefix(), "{kind:?}");
    }
    assert_eq!(Op::from_builtin(NAME_MIN), Some(Op::Min));
    assert_eq!(Op::from_builtin(FIRST_NAME), None);
}

/// Returns the table of docs/bytecode.md.
fn markdown() -> String {
    let mut table = String::from("| number | name | operands | effect | notes |\n|---|---|---|---|---|\n");
    for &op in Op::ALL {
        let operands = match op.shape() {
            Shape::Plain => "",
            Shape::Value => "value",
            Shape::Wide => "value (2 words)",
            Shape::Slot => "slot",
            Shape::SlotCapacity => "slot, capacity (2 words)",
            Shape::SlotTarget => "slot, address (2 words)",
            Shape::Target => "address",
            Shape::Function => "function",
            Shape::Count => "count",
        };
        let [effect, note] = [op.effect_text(), op.note()].map(|text| text.replace('|', "\\|"));
        table += &format!("| {} | `{}` | {operands} | `{effect}` | {note} |\n", op as u32, op.name());
    }
    table
}

#[test]
fn bytecode_page_matches_the_opcode_table() {
    crate::common::page::has_table("docs/bytecode.md", &markdown());
}
