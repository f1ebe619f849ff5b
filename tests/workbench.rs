//! The workbench without a terminal: (text, keys, text), and what each panel shows at several sizes.

mod common;

#[path = "workbench/chance.rs"]
mod chance;
#[path = "workbench/editing.rs"]
mod editing;
#[path = "workbench/engine.rs"]
mod engine;
#[path = "workbench/files.rs"]
mod files;
#[path = "workbench/harness.rs"]
mod harness;
#[path = "workbench/latency.rs"]
mod latency;
#[path = "workbench/marks.rs"]
mod marks;
#[path = "workbench/mutants.rs"]
mod mutants;
#[path = "workbench/neural.rs"]
mod neural;
#[path = "workbench/noise.rs"]
mod noise;
#[path = "workbench/open.rs"]
mod open;
#[path = "workbench/panels.rs"]
mod panels;
#[path = "workbench/prompts.rs"]
mod prompts;
#[path = "workbench/prose.rs"]
mod prose;
#[path = "workbench/race.rs"]
mod race;
#[path = "workbench/sizes.rs"]
mod sizes;
