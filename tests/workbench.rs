//! The workbench without a terminal: (text, keys, text), and what each panel shows at several sizes.

#[path = "workbench/editing.rs"]
mod editing;
#[path = "workbench/files.rs"]
mod files;
#[path = "workbench/harness.rs"]
mod harness;
#[path = "workbench/prompts.rs"]
mod prompts;
