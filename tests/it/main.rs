//! All integration tests except those of the program in a terminal. They are one binary, since each binary
//! would link the whole library.

mod common;

use common::extent;

mod arithmetic;
mod arrows;
mod batch;
mod batch_groups;
mod bench;
mod bounds;
mod check;
mod class;
mod cli;
mod code;
mod comments;
mod conformance;
mod decide;
mod demo;
mod docs;
mod engine;
mod equivalence;
mod exact;
mod execute;
mod export;
mod facts;
mod faults;
mod fill;
mod filling;
mod followed;
mod format;
mod gpu;
mod grammar;
mod groups;
mod holes;
mod hostile;
mod hybrid;
mod improve;
mod inputs;
mod lang;
mod learn;
mod learn_cli;
mod levels;
mod levels_exact;
mod linear;
mod long_tests;
mod lsp;
mod measure;
mod merge;
mod messages;
mod missed;
mod model;
mod multi;
mod mutation;
mod neural;
mod neural_cli;
mod neural_gpu;
mod neural_risk;
mod noise;
mod package;
mod page;
mod paper;
mod probes;
mod properties;
mod prose;
mod prove;
mod race;
mod readme;
mod registers;
mod release;
mod repair;
mod report;
mod reports;
mod reports_ci;
mod reuse;
mod rounds;
mod router_cli;
mod rules;
mod samples;
mod shaders;
mod shrinking;
mod small_domains;
mod splice;
mod stage;
mod stopped;
mod suggested;
mod synthesis;
mod texts;
mod trace;
mod twins;
mod watch;

/// Screens and the program together. All other tests of the workbench belong to its crate: `workbench/main.rs`.
#[allow(dead_code, reason = "most of it serves those other tests")]
mod workbench {
    mod engine;
    mod harness;
    mod mutants;
}
