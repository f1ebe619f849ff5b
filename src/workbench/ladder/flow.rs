//! The blocks of a line with what data flow knows about them, as the last phase.

use super::LadderRow;
use crate::lang::index::{Index, TokenId};
use crate::report::cfg::BlockRow;
use crate::session::Graph;
use crate::workbench::results::Shown;
use crate::workbench::text::visible;
use crate::workbench::theme::Look;

pub struct LineFlow {
    pub blocks: usize,
    pub cells: Vec<LadderRow>,
}

/// Returns the blocks with instructions that were compiled from some tokens; inlined code belongs to its call.
pub fn of_line(shown: &Shown, own: &[TokenId], graph: &Graph) -> LineFlow {
    let ir = &shown.compiled.ir;
    let token = |block: &BlockRow| {
        let place = |i: usize| {
            let word = |column: &[u32]| column.get(i).copied().and_then(TokenId::from_word);
            word(&ir.site).or(word(&ir.token)).filter(|token| own.contains(token))
        };
        (block.first as usize..block.end as usize).find_map(place)
    };
    let all = graph.routines.iter().flat_map(|routine| &routine.blocks);
    let blocks: Vec<(&BlockRow, TokenId)> = all.filter_map(|block| Some((block, token(block)?))).collect();
    let cells = blocks.iter().flat_map(|(block, token)| rows(block, *token, graph)).collect();
    LineFlow { blocks: blocks.len(), cells }
}

fn row(token: Option<TokenId>, look: Look, head: &str, text: &str) -> LadderRow {
    let parts = [(look, head), (Look::Text, text)].map(|(look, text)| (look, visible(text)));
    LadderRow { token, parts: parts.to_vec() }
}

/// Describes a block: its loop, its live variables, and the facts about those that are live where it begins.
fn rows(block: &BlockRow, token: TokenId, graph: &Graph) -> Vec<LadderRow> {
    let names = |names: &[String]| if names.is_empty() { "–".to_string() } else { names.join(", ") };
    let around = match block.head {
        Some(head) if head == block.block => " head of a loop".to_string(),
        Some(head) => format!(" in loop b{head}"),
        None => String::new(),
    };
    let mut all = vec![
        row(Some(token), Look::Heading, &format!("b{}", block.block), &around),
        row(Some(token), Look::Dim, "begins with ", &names(&block.live_in)),
        row(Some(token), Look::Dim, "leaves ", &names(&block.live_out)),
    ];
    let known = graph.facts.get(block.block as usize).into_iter().flat_map(|row| &row.variables);
    let facts = known.filter(|variable| variable.live).flat_map(|variable| &variable.facts);
    all.extend(facts.map(|fact| row(Some(token), Look::Number, "", fact)));
    all
}
