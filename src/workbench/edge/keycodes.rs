//! Keys for the letters and numbers in a terminal's sequences.

use crossterm::event::{KeyCode, KeyModifiers};

/// The code of the keypad's first key in kitty's protocol, and its keys in order.
const KEYPAD_START: u32 = 57_399;
const KEYPAD: &[KeyCode] = &[
    KeyCode::Char('0'),
    KeyCode::Char('1'),
    KeyCode::Char('2'),
    KeyCode::Char('3'),
    KeyCode::Char('4'),
    KeyCode::Char('5'),
    KeyCode::Char('6'),
    KeyCode::Char('7'),
    KeyCode::Char('8'),
    KeyCode::Char('9'),
    KeyCode::Char('.'),
    KeyCode::Char('/'),
    KeyCode::Char('*'),
    KeyCode::Char('-'),
    KeyCode::Char('+'),
    KeyCode::Enter,
    KeyCode::Char('='),
    KeyCode::Char(','),
    KeyCode::Left,
    KeyCode::Right,
    KeyCode::Up,
    KeyCode::Down,
    KeyCode::PageUp,
    KeyCode::PageDown,
    KeyCode::Home,
    KeyCode::End,
    KeyCode::Insert,
    KeyCode::Delete,
];

/// Returns the key for a letter at the end of a sequence.
pub fn letter(byte: u8) -> Option<KeyCode> {
    Some(match byte {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::F(1 + byte - b'P'),
        _ => return None,
    })
}

/// Returns the key for the number in a sequence with `~`.
pub fn numbered(number: u32) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F(number as u8 - 10),
        17..=21 => KeyCode::F(number as u8 - 11),
        23..=26 => KeyCode::F(number as u8 - 12),
        28 | 29 => KeyCode::F(number as u8 - 13),
        31..=34 => KeyCode::F(number as u8 - 14),
        _ => return None,
    })
}

/// Returns the key for a code point, as terminals with extended keys send it. `shifted` is the character with shift, or 0
/// if the terminal does not send it.
pub fn pointed(code: u32, shifted: u32, held: KeyModifiers) -> Option<KeyCode> {
    Some(match code {
        9 => KeyCode::Tab,
        13 => KeyCode::Enter,
        27 => KeyCode::Esc,
        127 => KeyCode::Backspace,
        // Private code points are keys without a character.
        57_344..=63_743 => *KEYPAD.get(code.checked_sub(KEYPAD_START)? as usize)?,
        _ => {
            let is_shifted = held.contains(KeyModifiers::SHIFT) && !held.contains(KeyModifiers::CONTROL);
            let code = if is_shifted && shifted != 0 { shifted } else { code };
            let c = char::from_u32(code).filter(|c| !c.is_control())?;
            let mut upper = c.to_uppercase();
            KeyCode::Char(if is_shifted && upper.len() == 1 { upper.next()? } else { c })
        }
    })
}

pub fn modifiers(number: u32) -> KeyModifiers {
    let bits = number.saturating_sub(1);
    let all = [(1, KeyModifiers::SHIFT), (2, KeyModifiers::ALT), (4, KeyModifiers::CONTROL)];
    all.into_iter().filter(|(bit, _)| bits & bit != 0).fold(KeyModifiers::empty(), |sum, (_, one)| sum | one)
}

/// Returns whether a modifier is held with which keys neither type nor mean anything here: super, hyper or meta.
pub fn has_foreign(number: u32) -> bool {
    number.saturating_sub(1) & 0b11_1000 != 0
}
