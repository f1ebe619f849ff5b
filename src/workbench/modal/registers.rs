//! Registers: the texts that were deleted or copied, by name.

use std::collections::BTreeMap;

/// The maximum number of characters that one command inserts.
pub const LONGEST: usize = 1 << 20;

/// A text that was deleted or copied.
#[derive(Clone, Debug, Default)]
pub struct Register {
    pub text: String,
    /// Whether it consists of whole lines.
    pub is_lines: bool,
}

/// Registers by name: `"` is the one that was written last, `0` the text copied last.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    by_name: BTreeMap<char, Register>,
    /// The name that the command in progress begins with.
    pub chosen: Option<char>,
}

/// Returns whether a register has this name. Capital letters append to a register; `_` keeps nothing.
pub fn is_name(name: char) -> bool {
    name.is_ascii_alphabetic() || matches!(name, '"' | '0' | '_')
}

impl Registers {
    /// Returns the chosen register, or the one that was written last.
    pub fn read(&self) -> Option<&Register> {
        self.named(self.chosen.unwrap_or('"'))
    }

    /// Returns the register with a name, unless it is empty.
    pub fn named(&self, name: char) -> Option<&Register> {
        self.by_name.get(&name.to_ascii_lowercase()).filter(|register| !register.text.is_empty())
    }

    /// Keeps a text in the chosen register, or in those without a choice.
    pub fn keep(&mut self, register: Register, is_copy: bool) {
        let name = self.chosen.unwrap_or('"');
        match name {
            '_' => return,
            '"' if is_copy => drop(self.by_name.insert('0', register.clone())),
            '"' => {}
            name => self.write(name, register.clone()),
        }
        let last = self.by_name.get(&name.to_ascii_lowercase()).filter(|_| name != '"').cloned();
        self.by_name.insert('"', last.unwrap_or(register));
    }

    /// Writes a register; a capital letter appends, up to the longest text that a command may insert.
    pub fn write(&mut self, name: char, Register { text, is_lines }: Register) {
        let own = self.by_name.entry(name.to_ascii_lowercase()).or_default();
        if !name.is_ascii_uppercase() || own.text.is_empty() {
            *own = Register { text, is_lines };
        } else if own.text.len() + text.len() < LONGEST {
            if (own.is_lines || is_lines) && !own.text.ends_with('\n') {
                own.text.push('\n');
            }
            own.text.push_str(&text);
            if own.is_lines && !text.ends_with('\n') {
                own.text.push('\n');
            }
            own.is_lines |= is_lines;
        }
    }
}
