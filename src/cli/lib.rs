//! The command line. Its room is a module of this root, since it has modules `session` and `workbench` of its own.

#[path = "mod.rs"]
pub mod cli;

use {
    ::compiler, ::corpus, ::engine, ::host, ::lang, ::learned, ::network, ::paper, ::report, ::session,
    ::testing, ::workbench::workbench,
};
