//! A program as the panels show it.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::compiler::program::Compiled;
use crate::compiler::variants::Variants;
use crate::engine::{BaseResult, EntryResult, Timings, explain};
use crate::lang::verdict::Outcome;
use crate::report::apart::Apart;
use crate::report::listing;
use crate::workbench::facts::{self, Mutant, Pass};
use crate::workbench::listing::Listing;

/// A program as the panels show it.
#[derive(Debug)]
pub struct Shown {
    pub revision: u64,
    pub compiled: Arc<Compiled>,
    pub entries: Vec<EntryResult>,
    pub timings: Timings,
    /// The tree's nodes in the order of the text: head token and depth.
    pub nodes: Vec<(u32, u16)>,
    /// Bytes at which lines begin.
    pub line_starts: Vec<u32>,
    /// What each test or property is called: its name, or its expression.
    pub labels: Vec<String>,
    // Worked out when first looked at.
    code_rows: OnceLock<Listing>,
    lowered_rows: OnceLock<Listing>,
    ir_rows: OnceLock<Listing>,
    passes: OnceLock<Vec<Pass>>,
    kind_width: OnceLock<usize>,
    variants: OnceLock<Variants<Arc<Compiled>>>,
}

impl Shown {
    pub fn new(revision: u64, result: BaseResult) -> Shown {
        let compiled = result.compiled;
        let line_starts =
            std::iter::once(0).chain(compiled.text.match_indices('\n').map(|(at, _)| at as u32 + 1)).collect();
        Shown {
            revision,
            nodes: nodes(&compiled),
            code_rows: OnceLock::new(),
            lowered_rows: OnceLock::new(),
            ir_rows: OnceLock::new(),
            line_starts,
            labels: facts::labels(&compiled),
            passes: OnceLock::new(),
            kind_width: OnceLock::new(),
            variants: OnceLock::new(),
            entries: result.entries,
            timings: result.timings,
            compiled,
        }
    }

    pub fn has_errors(&self) -> bool {
        !self.compiled.facts.compiles()
    }
    /// Whether a test or property passes: only those judge mutants.
    pub fn has_passing(&self) -> bool {
        self.entries.iter().any(|entry| entry.outcome == Outcome::Pass)
    }
    /// Whether it went through all stages.
    pub fn is_good(&self) -> bool {
        !self.has_errors()
    }

    /// Rows of the bytecode.
    pub fn code_rows(&self) -> &Listing {
        self.code_rows.get_or_init(|| Listing::new(listing::bytecode(&self.compiled)))
    }
    /// Rows of the IR as lowered.
    pub fn lowered_rows(&self) -> &Listing {
        self.lowered_rows.get_or_init(|| Listing::new(listing::ir(&self.compiled, &self.compiled.lowered)))
    }
    /// Rows of the IR as optimized.
    pub fn ir_rows(&self) -> &Listing {
        self.ir_rows.get_or_init(|| Listing::new(listing::ir(&self.compiled, &self.compiled.ir)))
    }
    /// The IR after each pass that changed it.
    pub fn passes(&self) -> &[Pass] {
        self.passes.get_or_init(|| facts::passes(&self.compiled))
    }

    /// Cells that the longest name of its tokens' kinds takes; as many as most programs need, at least.
    pub fn kind_width(&self) -> usize {
        const LEAST: usize = 13;
        *self.kind_width.get_or_init(|| {
            let view = self.compiled.view();
            (0..view.len()).map(|token| view.kind(token).ident().len()).fold(LEAST, usize::max)
        })
    }

    /// The mutant with this id, if there are so many.
    pub fn mutant(&self, id: u32) -> Option<Mutant> {
        let variants = self.variants.get_or_init(|| Variants::new(self.compiled.clone()));
        facts::mutant(variants, &self.compiled.text, id)
    }

    /// How the code of a mutant differs from the program's; `None` where there is none that compiles.
    pub fn apart(&self, id: u32) -> Option<Apart> {
        Apart::of(self.variants.get_or_init(|| Variants::new(self.compiled.clone())), id)
    }

    /// The values of a property's input: `a = 3, xs = [1]`; nothing for a test.
    pub fn input(&self, entry: u32, input: u32) -> String {
        let named = explain::input(&self.compiled, entry as usize, input);
        let named: Vec<String> = named.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        named.join(", ")
    }

    /// Line and column, from 1, of a byte of the text; columns count characters.
    pub fn place(&self, byte: u32) -> (usize, usize) {
        let line = self.line_starts.partition_point(|start| *start <= byte).max(1) - 1;
        let text = &self.compiled.text;
        let start = self.line_starts.get(line).copied().unwrap_or(0) as usize;
        let end = (byte as usize).min(text.len());
        let column = text.get(start..end).map_or(0, |part| part.chars().count());
        (line + 1, column + 1)
    }

    /// The bytes of a token.
    pub fn span(&self, token: u32) -> Option<Range<usize>> {
        self.compiled.view().span(token..token.checked_add(1)?)
    }
    /// The bytes of a node's extent, or of the token alone where it heads no node.
    pub fn extent(&self, token: u32) -> Option<Range<usize>> {
        self.compiled.view().extent_span(token)
    }
    /// The tokens of a node's extent.
    pub fn extent_tokens(&self, token: u32) -> Range<u32> {
        self.compiled.view().extent(token)
    }

    /// The token at a byte, or the one that ends there.
    pub fn token_at(&self, byte: usize) -> Option<u32> {
        self.compiled.view().token_at(byte)
    }

    /// The node that a token heads, or the smallest one around it.
    pub fn node_of(&self, token: u32) -> u32 {
        let view = self.compiled.view();
        if view.is_node(token) {
            return token;
        }
        let around = view.nodes().filter(|node| view.extent(*node).contains(&token));
        around.min_by_key(|node| view.extent(*node).len()).unwrap_or(token)
    }
}

/// The tree's nodes, each before its children, with their depths.
fn nodes(compiled: &Compiled) -> Vec<(u32, u16)> {
    let (view, children) = (compiled.view(), compiled.view().children());
    let in_order = |mut nodes: Vec<u32>| {
        nodes.sort_by_key(|t| (view.extent(*t).start, *t));
        nodes.into_iter().rev()
    };
    let is_root = |t: &u32| view.parent(*t).is_none_or(|parent| parent >= view.len() || parent == *t);
    let mut rows = Vec::new();
    let mut stack: Vec<(u32, u16)> = in_order(view.nodes().filter(is_root).collect()).map(|t| (t, 0)).collect();
    while let Some((t, depth)) = stack.pop() {
        // A parent chain that is no tree cannot make this run on.
        if rows.len() >= view.len() as usize {
            break;
        }
        rows.push((t, depth));
        let below = children.of(t).filter(|child| *child != t).collect();
        stack.extend(in_order(below).map(|child| (child, depth.saturating_add(1))));
    }
    rows
}
