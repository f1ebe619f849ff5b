//! The edge: terminal, files, clipboard, clock, engine thread. Everything that the pure parts may not do.
//!
//! Each source of events has a thread or task of its own and a sender; the loop ([`app`]) takes what has come, lets
//! the state change, carries out effects, and draws if something changed.

mod app;
mod aside;
mod backend;
mod clipboard;
#[cfg(unix)]
mod decode;
mod disk;
mod engine;
mod events;
mod held;
mod input;
mod journal;
mod keeper;
mod lesson;
pub mod live;
pub mod offscreen;
mod open;
mod options;
mod race;
mod save;
mod signals;
mod terminal;
mod watch;
mod writer;

pub use app::run;
pub use open::Start;
pub use options::Options;
