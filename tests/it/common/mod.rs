//! Program generators and helpers that several tests share.
#![allow(dead_code, reason = "each test uses a part")]

pub mod attack;
pub mod broken;
pub mod called;
pub mod cases;
pub mod command;
pub mod compile;
pub mod confused;
pub mod drawn;
pub mod extent;
pub mod extremes;
pub mod gpu;
pub mod holed;
pub mod hooked;
pub mod looped;
pub mod page;

pub mod programs;
pub mod reference;
pub mod repeated;
pub mod repository;
pub mod rng;
pub mod round_tracer;
pub mod twins;
pub mod typed;
