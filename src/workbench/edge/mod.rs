//! The edge: terminal, files, clipboard, clock and engine thread. It does everything that the pure modules
//! may not.
//!
//! Each source of events has its own thread or task and a sender. The loop ([`app`]) collects the events,
//! lets the state change, carries out effects, and draws if something changed.

mod app;
mod arrangements;
mod backend;
mod background;
mod clipboard;
#[cfg(unix)]
mod decode;
mod disk;
mod engine;
mod events;
mod input;
mod journal;
mod keeper;
#[cfg(unix)]
mod keycodes;
mod lesson;
pub mod live;
mod measurements;
pub mod offscreen;
mod open;
mod options;
mod race;
mod received;
mod recent;
mod save;
mod services;
mod signals;
mod tape_writer;
mod terminal;
pub mod watch;
pub mod world;
mod writer;

pub use app::run;
pub use open::Start;
pub use options::Options;
pub use tape_writer::NewTape;
