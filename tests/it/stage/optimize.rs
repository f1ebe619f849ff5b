//! The tables of passes and expansions.

use crate::common::page;
use myriad::compiler::stage::optimize::PASSES;
use myriad::compiler::stage::optimize::expand::{self, EXPANSIONS, ON_PROCESSOR};
use myriad::lang::level::OptLevel;

#[test]
fn optimizer_page_lists_every_pass() {
    let rows = PASSES.iter().map(|pass| format!("| {} | {} |\n", pass.name, pass.summary));
    let table = String::from("| pass | what it does |\n|---|---|\n") + &rows.collect::<String>();
    page::has_table("docs/stages/optimize.md", &table);
}

#[test]
fn the_page_has_every_expansion() {
    for (head, all) in [("expansion", &EXPANSIONS[..]), ("on the processor", &ON_PROCESSOR)] {
        let rows = all.iter().map(|expansion| format!("| {} | {} |\n", expansion.name, expansion.summary));
        let table = format!("| {head} | what it does |\n|---|---|\n") + &rows.collect::<String>();
        page::has_table("docs/stages/expand.md", &table);
    }
}

#[test]
fn summary_of_level_2_names_every_expansion() {
    let names = expand::all().map(|expansion| expansion.name).collect::<Vec<_>>().join(", ");
    assert!(OptLevel::Whole.summary().starts_with(&names), "{names}");
}
