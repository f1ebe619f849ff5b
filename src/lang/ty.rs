//! Types, packed into a word: the kind in the low byte, a list's capacity in the next.

use std::fmt;

/// A type of the language. Shaders use the same word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Type(pub u32);

pub const KIND_UNKNOWN: u32 = 0;
pub const KIND_INT: u32 = 1;
pub const KIND_BOOL: u32 = 2;
pub const KIND_INT_LIST: u32 = 3;
pub const KIND_BOOL_LIST: u32 = 4;

impl Type {
    /// No type, or a type that is unknown because of an error.
    pub const UNKNOWN: Type = Type(KIND_UNKNOWN);
    pub const INT: Type = Type(KIND_INT);
    pub const BOOL: Type = Type(KIND_BOOL);

    /// Returns the type of a list of `element` (int or bool) with `capacity` 1 to 64.
    pub const fn list(element: Type, capacity: u32) -> Type {
        Type((element.0 + 2) | (capacity << 8))
    }
    pub const fn kind(self) -> u32 {
        self.0 & 0xff
    }
    /// The capacity of a list type; 0 for any other type.
    pub const fn capacity(self) -> u32 {
        self.0 >> 8
    }
    pub const fn is_list(self) -> bool {
        self.kind() >= KIND_INT_LIST
    }
    /// The element type of a list type.
    pub const fn element(self) -> Type {
        Type(self.kind() - 2)
    }
    /// Returns whether the types are equal but for list capacities.
    pub const fn compatible(self, other: Type) -> bool {
        self.kind() == other.kind()
    }
    /// Words that a variable of this type takes in a frame.
    pub const fn words(self) -> u32 {
        if self.is_list() { 1 + self.capacity() } else { 1 }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.kind() {
            KIND_INT => f.write_str("int"),
            KIND_BOOL => f.write_str("bool"),
            KIND_INT_LIST | KIND_BOOL_LIST => {
                let element = self.element();
                match self.capacity() {
                    super::limits::DEFAULT_CAPACITY => write!(f, "[{element}]"),
                    capacity => write!(f, "[{element}; {capacity}]"),
                }
            }
            _ => f.write_str("?"),
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
