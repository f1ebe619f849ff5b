//! All tests from outside but those of the program in a terminal. They are one binary, for each would link the whole library.

mod common;

mod arrows;
mod bounds;
mod check;
mod cli;
mod code;
mod conformance;
mod docs;
mod engine;
mod execute;
mod export;
mod front;
mod generator;
mod gpu;
mod hostile;
mod hybrid;
mod messages;
mod model;
mod neural;
mod neural_cli;
mod neural_gpu;
mod neural_risk;
mod noise;
mod optimizer;
mod package;
mod race;
mod router_cli;
mod samples;
mod shaders;
mod shared;
mod shrinking;
mod splice;
mod train;
mod twins;
mod workbench;
