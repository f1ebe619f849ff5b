//! The workbench without a terminal: (text, keys, text), and what each panel shows at several sizes.

mod chance;
mod editing;
mod engine;
mod example;
mod figures;
mod files;
mod harness;
mod key;
mod latency;
mod marks;
mod matrix;
mod mutant;
mod mutants;
mod neural;
mod noise;
mod open;
mod panels;
mod prompts;
mod prose;
mod race;
mod repairs;
mod run;
mod shaders;
mod sizes;
mod theme;
mod unsaved;
