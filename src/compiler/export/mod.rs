//! Export of programs to other languages, for other compilers.
//!
//! Exported code runs the program's tests and properties on the same inputs. It is generated from the checked
//! tree and shares nothing with lowering, optimizer, bytecode and machine, so it is an independent check of
//! these.

pub mod c;
pub mod compiler;
