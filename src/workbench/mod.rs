//! The workbench: the terminal interface.
//!
//! Three parts, and arrows between them in one direction. The [`state`] is plain data. [`event`]s change it
//! ([`update`]) and yield effects, which the edge carries out: it alone knows of the terminal, files, clipboards and
//! the clock. [`draw`] turns the state into cells. So a test is (text, keys, text), or a state and a picture.
//!
//! The engine lives on its own thread ([`crate::session`]); each edit raises the revision, and an answer to
//! an older one is dropped.

pub mod burst;
pub mod draw;
mod edge;
pub mod event;
pub mod example;
pub mod facts;
pub mod field;
pub mod highlight;
pub mod key;
pub mod keys;
pub mod layout;
pub mod listing;
pub mod marks;
mod neural;
mod noise;
pub mod open;
pub mod panels;
pub mod race;
pub mod results;
mod router;
pub mod rows;
pub mod state;
pub mod text;
pub mod unsaved;
mod update;
pub mod waiting;

pub use edge::{Options, Start, run};
