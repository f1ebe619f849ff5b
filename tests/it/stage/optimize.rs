//! The table of passes.

use myriad::compiler::stage::optimize::PASSES;

#[test]
fn optimizer_page_lists_every_pass() {
    let rows = PASSES.iter().map(|pass| format!("| {} | {} |\n", pass.name, pass.summary));
    let table = String::from("| pass | what it does |\n|---|---|\n") + &rows.collect::<String>();
    crate::common::page::has_table("docs/stages/optimize.md", &table);
}
