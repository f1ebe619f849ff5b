//! The workbench without a terminal: (text, keys, text), and the content of each panel at several sizes. These tests
//! belong to its crate (`src/workbench/Cargo.toml`), so after a change of the workbench nothing else is compiled for them.

// As in the other tests, paths begin with `myriad`.
extern crate workbench as myriad;

#[allow(dead_code, reason = "a part is for other tests")]
#[path = "../common"]
mod common {
    pub mod broken;
    pub mod extent;
    pub mod repository;
    pub mod rng;
    pub mod round_tracer;
    pub mod twins;
    pub mod typed;
}
#[path = "../paper/machine.rs"]
mod machine;

mod agreement;
mod blocks;
mod chance;
mod colours;
mod editing;
mod engine;
mod example;
mod explained;
mod figures;
mod files;
mod first_screen;
mod frames;
mod harness;
mod key;
mod laboratory;
mod ladder;
mod latency;
mod learned;
mod lesson;
mod lists;
mod marks;
mod matrix;
mod modal;
mod mutant;
mod narrow;
mod neural;
mod noise;
mod open;
mod own_code;
mod own_keys;
mod panels;
mod paper;
mod predict;
mod present;
mod probes;
mod prompts;
mod prose;
mod race;
mod repairs;
mod rounds;
mod rules;
pub mod run;
mod shaders;
mod sizes;
mod states;
mod theme;
mod typing;
mod unsaved;
mod values;
