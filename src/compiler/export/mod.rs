//! Programs in other languages, for other compilers.
//!
//! What is exported runs the program's tests and properties on the same inputs, and so is a witness: it is made of the checked tree
//! and shares nothing with lowering, optimizer, bytecode and machine.

pub mod c;
pub mod compiler;
