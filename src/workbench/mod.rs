//! The workbench: the terminal interface.
//!
//! The [`state`] is plain data. [`event`]s change it (`update`) and yield effects, which the `edge` carries
//! out. Only the edge uses the terminal, files, clipboards and the clock. [`paint`] turns the state into
//! cells. A test is therefore (text, keys, text), or a state and a picture. The engines run on their own
//! threads ([`crate::session`]); each edit raises the revision, and answers to older revisions are dropped.
//!
//! Each of these rooms imports only those before it: learn, block, text, key, keymap, theme, echo, field, complete, fuzzy, marks, explained, listing, facts, highlight, modal, example,
//! open, suggested, unsaved, welcome, lesson, tour, paper, predict, race; rounds, run, results, ladder, state, event, burst; panels, keys; paint, update, config, tape, edge, demo.

// Lessons, text editing, colours, and plain tables.
pub mod block;
pub mod complete;
pub mod echo;
pub mod example;
pub mod explained;
pub mod facts;
pub mod field;
pub mod fuzzy;
pub mod highlight;
pub mod key;
pub mod keymap;
pub mod learn;
pub mod lesson;
pub mod listing;
pub mod marks;
pub mod modal;
pub mod open;
pub mod paper;
pub mod predict;
pub mod race;
pub mod suggested;
pub mod text;
pub mod theme;
pub mod tour;
pub mod unsaved;
mod values;
pub mod welcome;

// Results and events.
pub mod burst;
pub mod event;
pub mod ladder;
mod outcomes;
pub mod results;
pub mod rounds;
pub mod run;
pub mod state;
mod unfinished;

// Panels and keys.
pub mod keys;
pub mod panels;

mod edge;
pub mod paint;
mod update;

// Settings, and tapes that drive the whole workbench.
pub mod config;
pub mod demo;
pub mod tape;

pub use edge::{NewTape, Options, Start, live, offscreen, run, watch, world};
