//! The workbench. Its room is a module of this root, since it has a module `paper` of its own.

#[path = "mod.rs"]
pub mod workbench;

// Tests from outside begin their paths here, too.
pub use {::compiler, ::engine, ::host, ::lang, ::learned, ::network, ::paper, ::report, ::session, ::testing};
