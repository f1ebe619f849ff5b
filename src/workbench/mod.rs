//! The workbench: the terminal interface.
//!
//! The [`state`] is plain data. [`event`]s change it (`update`) and yield effects, which the edge carries out: it alone
//! knows of the terminal, files, clipboards and the clock. [`paint`] turns the state into cells. So a test is (text, keys,
//! text), or a state and a picture. The engines are threads of their own ([`crate::session`]); each edit raises the revision,
//! and an answer to an older one is dropped.
//!
//! Each of these rooms imports only those before it: learn, text, key, theme, echo, field, marks, listing, facts, highlight, example,
//! open, unsaved, lesson, paper, predict, race; rounds, run, results, ladder, state, event, burst; panels, keys; paint, update, edge, config, demo.

// Lessons, what is typed, how it looks, and plain tables.
pub mod echo;
pub mod example;
pub mod facts;
pub mod field;
pub mod highlight;
pub mod key;
pub mod learn;
pub mod lesson;
pub mod listing;
pub mod marks;
pub mod open;
pub mod paper;
pub mod predict;
pub mod race;
pub mod text;
pub mod theme;
pub mod unsaved;

// What is known, and what happens.
pub mod burst;
pub mod event;
pub mod ladder;
pub mod results;
pub mod rounds;
pub mod run;
pub mod state;

// What shows, and what keys do.
pub mod keys;
pub mod panels;

mod edge;
pub mod paint;
mod update;

// Settings, and tapes that play all of it.
pub mod config;
pub mod demo;

pub use edge::{Options, Start, live, offscreen, run};
