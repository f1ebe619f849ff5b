//! Words of columns as text.

use crate::lang::NONE;
use crate::lang::diagnostic::Code;
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;

/// Formats a word of a column: kinds, roles, operations, types and diagnostics by name, anything else as a
/// number.
pub fn read(column: &str, word: u32) -> String {
    let named = match column {
        _ if word == NONE => Some("-".to_string()),
        "tokens.kind" => TokenKind::from_u32(word).map(|kind| kind.ident().to_string()),
        "tree.role" => Role::from_u32(word).map(|role| role.ident().to_string()),
        "lowered.op" | "ir.op" => Op::from_u32(word).map(|op| op.name().to_string()),
        "checked.ty" | "routines.result" => (word != 0).then(|| Type(word).to_string()),
        "tree.error" | "checked.error" => {
            Code::from_u32(word & 0xffff).filter(|_| word != 0).map(|code| code.code().to_string())
        }
        "code.word" => Op::from_u32(word & 0xff).map(|op| format!("{} {}", op.name(), word >> 8)),
        _ => None,
    };
    named.unwrap_or_else(|| if word >> 24 == 0 { word.to_string() } else { format!("{word:#x}") })
}

/// The most frequent lexer states with their names. Only their targets under a function are shown. The
/// numbers are those of `shaders/lex.wgsl`.
const STATES: [(u32, &str); 6] =
    [(0, "blank"), (1, "word"), (2, "junk"), (8, "string"), (10, "character"), (12, "comment")];

/// Formats a function from lexer states to lexer states, packed in four bits each, as a list of arrows. A
/// function that is constant on these states is shown as `all → …`.
pub fn format_state_function(function: [u32; 2]) -> String {
    let target = |state: u32| function[(state / 8) as usize] >> ((state % 8) * 4) & 15;
    let first = target(0);
    if STATES.iter().all(|(state, _)| target(*state) == first) {
        return format!("all → {}", state_name(first));
    }
    let sent = STATES.map(|(state, name)| format!("{name} → {}", state_name(target(state))));
    sent.join(", ")
}

fn state_name(state: u32) -> &'static str {
    match state {
        9 => "escape in a string",
        11 => "escape in a character",
        _ => STATES.iter().find(|(number, _)| *number == state).map_or("punctuation", |(_, name)| name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_functions_are_formatted_as_transitions() {
        assert_eq!(format_state_function([0x1111_1111, 0x1111_1111]), "all → word");
        let identity = [0x7654_3210, 0xfedc_ba98];
        assert!(format_state_function(identity).starts_with("blank → blank, word → word"));
    }

    #[test]
    fn words_are_formatted_by_their_column() {
        assert_eq!(read("tokens.kind", TokenKind::Plus as u32), "Plus");
        assert_eq!(read("tree.parent", NONE), "-");
        assert_eq!(read("START", 12), "12");
        assert_eq!(read("HASH", 0xdead_beef), "0xdeadbeef");
    }
}
