//! The paper's model on made-up machines.

mod advice;
mod curves;
mod figures;
mod formula;
pub mod machine;
mod measure;
mod measured;
mod rows;
mod table;
