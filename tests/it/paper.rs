//! The paper beside made-up machines.

mod advice;
mod curves;
mod figures;
mod formula;
mod machine;
mod measure;
mod measured;
mod rows;
mod table;
