//! Hybrid compilation: a router sends each function through the neural path or through the traditional compiler.
//!
//! Section 5 of Metinov, Kudakeeva and Kabaeva, "Theoretical Foundations of GPU-Native Compilation for Rapid Code Iteration".
//! `stage::route` measures a function and computes its score; `cost` computes the score from which on the neural path
//! does not pay; `objective` compares the costs of all ways; `router` decides; `compile` is algorithm 3. `docs/hybrid.md` is the contract.

pub mod compile;
pub mod cost;
pub mod decision;
pub mod fit;
pub mod history;
pub mod model;
pub mod objective;
pub mod paths;
pub mod router;
pub mod training;

pub use crate::compiler::stage::route::score::{Coefficients, Score, Scored};
pub use compile::{CompileEvent, CompileOutcome, HybridCode, Provisional, Times, compile};
pub use router::{Decision, DecisionWhy, Path, Route, Router, Settings};
