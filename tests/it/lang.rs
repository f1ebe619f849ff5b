//! The tables of the language.

mod arithmetic;
mod opcode;
