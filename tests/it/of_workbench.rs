//! Tests of the workbench that need no program: a target of its crate (`src/workbench/Cargo.toml`), so that a change of
//! the workbench compiles nothing else before they run.

// As in the other tests, paths begin with `myriad`.
extern crate workbench as myriad;

#[allow(dead_code, reason = "a part is for other tests")]
mod common {
    pub mod broken;
    pub mod extent;
    pub mod repository;
    pub mod rng;
    pub mod round_tracer;
    pub mod twins;
    pub mod typed;
}
mod paper {
    pub mod machine;
}
mod workbench;
