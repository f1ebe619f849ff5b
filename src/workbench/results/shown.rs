//! A program as the panels show it.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::compiler::program::Compiled;
use crate::compiler::stage::optimize::Snapshot;
use crate::compiler::variants::Variants;
use crate::engine::{BaseResult, EntryResult, Timings, explain};
use crate::lang::index::{EntryId, Index, Indices, InputId, MutantId, TokenId};
use crate::lang::set::FunctionSet;
use crate::lang::verdict::Outcome;
use crate::report::code_diff::{self, CodeDiff};
use crate::report::listing;
use crate::report::steps::{self, Remark, ReportStep};
use crate::report::symbols::{self, SymbolRow};
use crate::testing::equivalence::{changes_one_of, doubtful, reached_by};
use crate::testing::rules::ProgramRules;
use crate::workbench::facts::{self, FactMutant, Pass};
use crate::workbench::listing::Listing;
use crate::workbench::results::RuledCode;

/// A program with data that the panels need.
#[derive(Debug)]
pub struct Shown {
    pub revision: u64,
    pub compiled: Arc<Compiled>,
    pub entries: Vec<EntryResult>,
    pub timings: Timings,
    /// The tree's nodes in text order: head token and depth.
    pub nodes: Vec<(TokenId, u16)>,
    /// The byte offsets at which lines begin.
    pub line_starts: Vec<u32>,
    /// The label of each test or property: its name, or its expression.
    pub labels: Vec<String>,
    /// The code that rules leave, if that is shown in the place of the program's own.
    pub ruled: Option<RuledCode>,
    // Computed on first use.
    code_rows: OnceLock<Listing>,
    lowered_rows: OnceLock<Listing>,
    ir_rows: OnceLock<Listing>,
    snapshots: OnceLock<Vec<Snapshot>>,
    passes: OnceLock<Vec<Pass>>,
    /// By routine.
    steps: OnceLock<Vec<OnceLock<Vec<ReportStep>>>>,
    remarks: OnceLock<Vec<Remark>>,
    kind_width: OnceLock<usize>,
    symbols: OnceLock<Vec<SymbolRow>>,
    variants: OnceLock<Variants<Arc<Compiled>>>,
    /// The functions that unfinished tests may reach.
    awaited: OnceLock<FunctionSet>,
    /// Those that a failing test may reach.
    failed: OnceLock<FunctionSet>,
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
            ruled: None,
            snapshots: OnceLock::new(),
            passes: OnceLock::new(),
            steps: OnceLock::new(),
            remarks: OnceLock::new(),
            kind_width: OnceLock::new(),
            symbols: OnceLock::new(),
            variants: OnceLock::new(),
            awaited: OnceLock::new(),
            failed: OnceLock::new(),
            entries: result.entries,
            timings: result.timings,
            compiled,
        }
    }

    /// Returns this program with the code that its rules leave.
    pub fn with_rules(&self, rules: Arc<ProgramRules>) -> Shown {
        let compiled = self.compiled.clone();
        let ruled = Some(RuledCode::new(compiled.clone(), rules));
        let result = BaseResult { compiled, entries: Vec::new(), timings: self.timings };
        Shown { ruled, ..Shown::new(self.revision, result) }
    }

    pub fn has_errors(&self) -> bool {
        !self.compiled.facts.compiles()
    }
    /// Returns whether a test or property passes; only those judge mutants.
    pub fn has_passing(&self) -> bool {
        self.entries.iter().any(|entry| entry.outcome == Outcome::Pass)
    }
    /// Returns whether the program has code, up to its errors.
    pub fn is_lowered(&self) -> bool {
        self.compiled.facts.lowers()
    }

    /// Returns the rows of the bytecode.
    pub fn code_rows(&self) -> &Listing {
        let own = || Listing::new(listing::bytecode(&self.compiled));
        self.code_rows.get_or_init(|| self.ruled.as_ref().map_or_else(own, RuledCode::bytecode))
    }
    /// Returns the rows of the IR as lowered.
    pub fn lowered_rows(&self) -> &Listing {
        self.lowered_rows.get_or_init(|| Listing::new(listing::ir(&self.compiled, &self.compiled.lowered)))
    }
    /// Returns the rows of the optimized IR.
    pub fn ir_rows(&self) -> &Listing {
        let own = || Listing::new(listing::ir(&self.compiled, &self.compiled.ir));
        self.ir_rows.get_or_init(|| self.ruled.as_ref().map_or_else(own, RuledCode::ir))
    }
    /// Returns the IR after each pass that changed it.
    pub fn passes(&self) -> &[Pass] {
        let own = || facts::passes(&self.compiled, self.snapshots());
        self.passes.get_or_init(|| self.ruled.as_ref().map_or_else(own, RuledCode::passes))
    }
    fn snapshots(&self) -> &[Snapshot] {
        self.snapshots.get_or_init(|| steps::snapshots(&self.compiled))
    }
    /// Returns the passes that changed a routine's code.
    pub fn steps(&self, routine: usize) -> &[ReportStep] {
        let count = self.compiled.executable.routines.ir.len();
        let all = self.steps.get_or_init(|| vec![OnceLock::new(); count]);
        let of = || match &self.ruled {
            Some(ruled) => ruled.steps(routine),
            None => steps::of(&self.compiled, self.snapshots(), routine),
        };
        all.get(routine).map_or(&[], |own| own.get_or_init(of))
    }
    /// Returns what level 2 does not expand.
    pub fn remarks(&self) -> &[Remark] {
        let own = || steps::remarks(&self.compiled);
        self.remarks.get_or_init(|| self.ruled.as_ref().map_or_else(own, RuledCode::remarks))
    }

    /// Returns the width of the longest token kind, in cells, but at least a width that suits most programs.
    pub fn kind_width(&self) -> usize {
        const LEAST: usize = 13;
        *self.kind_width.get_or_init(|| {
            let view = self.compiled.view();
            view.all().iter().map(|token| view.kind(token).ident().len()).fold(LEAST, usize::max)
        })
    }

    /// Returns the names of the program.
    pub fn symbols(&self) -> &[SymbolRow] {
        self.symbols.get_or_init(|| symbols::rows(&self.compiled))
    }

    pub fn label(&self, entry: EntryId) -> &str {
        self.labels.get(entry.position()).map_or("", String::as_str)
    }

    /// Returns whether a test is unfinished, so that it judges nothing.
    pub fn awaits_tests(&self) -> bool {
        self.entries.iter().any(is_unfinished)
    }

    /// Returns whether an unfinished test may reach the function that a mutant changes.
    pub fn awaits_tests_of(&self, id: MutantId) -> bool {
        let awaited = || reached_by(&self.compiled, &self.entries, is_unfinished);
        changes_one_of(self.as_variants(), id, self.awaited.get_or_init(awaited))
    }

    /// Returns whether a failing test may reach the function that a mutant changes: what it returns may be wrong.
    pub fn fails_in(&self, id: MutantId) -> bool {
        changes_one_of(
            self.as_variants(),
            id,
            self.failed.get_or_init(|| doubtful(&self.compiled, &self.entries)),
        )
    }

    pub fn as_variants(&self) -> &Variants<Arc<Compiled>> {
        self.variants.get_or_init(|| Variants::new(self.compiled.clone()))
    }

    pub fn variants(&self) -> u32 {
        self.as_variants().all()
    }

    pub fn mutant(&self, id: MutantId) -> Option<FactMutant> {
        facts::mutant(self.as_variants(), &self.compiled.text, id)
    }

    /// Returns the difference between a mutant's code and the program's; `None` if the mutant does not
    /// compile.
    pub fn apart(&self, id: MutantId) -> Option<CodeDiff> {
        CodeDiff::of(self.as_variants(), id)
    }

    /// Compiles a mutant's own program, with or without errors; `None` if its edits overlap.
    pub fn own_program(&self, id: MutantId) -> Option<Shown> {
        let variants = self.as_variants();
        let compiled = Arc::new(code_diff::own_program(variants, id)?);
        let result = BaseResult { compiled, entries: Vec::new(), timings: Timings::default() };
        Some(Shown::new(self.revision, result))
    }

    /// Returns the values of a property's input: `a = 3, xs = [1]`; empty for a test.
    pub fn input(&self, entry: EntryId, input: InputId) -> String {
        let named = explain::input(&self.compiled, entry, input);
        let named: Vec<String> = named.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        named.join(", ")
    }

    /// Returns the line and column of a byte offset, from 1; columns count characters.
    pub fn place(&self, byte: u32) -> (usize, usize) {
        let line = self.line_starts.partition_point(|start| *start <= byte).max(1) - 1;
        let text = &self.compiled.text;
        let start = self.line_starts.get(line).copied().unwrap_or(0) as usize;
        let end = (byte as usize).min(text.len());
        let column = text.get(start..end).map_or(0, |part| part.chars().count());
        (line + 1, column + 1)
    }

    pub fn span(&self, token: TokenId) -> Option<Range<usize>> {
        self.compiled.view().span(token)
    }
    /// Returns the bytes of a node's extent, or of the token if it heads no node.
    pub fn extent(&self, token: TokenId) -> Option<Range<usize>> {
        self.compiled.view().extent_span(token)
    }
    pub fn extent_tokens(&self, token: TokenId) -> Indices<TokenId> {
        self.compiled.view().extent(token)
    }

    /// Returns the token at a byte, or the one that ends there.
    pub fn token_at(&self, byte: usize) -> Option<TokenId> {
        self.compiled.view().token_at(byte)
    }

    /// Returns the node that a token heads, or the smallest node around it.
    pub fn node_of(&self, token: TokenId) -> TokenId {
        let view = self.compiled.view();
        if view.is_node(token) {
            return token;
        }
        let around = view.nodes().filter(|node| view.extent(*node).contains(token));
        around.min_by_key(|node| view.extent(*node).len()).unwrap_or(token)
    }
}

/// Returns the tree's nodes in preorder, with their depths.
fn nodes(compiled: &Compiled) -> Vec<(TokenId, u16)> {
    let (view, children) = (compiled.view(), compiled.view().children());
    let in_order = |mut nodes: Vec<TokenId>| {
        nodes.sort_by_key(|t| (view.extent(*t).start(), *t));
        nodes.into_iter().rev()
    };
    let is_root = |t: &TokenId| view.parent(*t).is_none_or(|parent| !view.has(parent) || parent == *t);
    let mut rows = Vec::new();
    let mut stack: Vec<(TokenId, u16)> =
        in_order(view.nodes().filter(is_root).collect()).map(|t| (t, 0)).collect();
    while let Some((t, depth)) = stack.pop() {
        // Terminates even if the parent links do not form a tree.
        if rows.len() >= view.len() as usize {
            break;
        }
        rows.push((t, depth));
        let below = children.of(t).filter(|child| *child != t).collect();
        stack.extend(in_order(below).map(|child| (child, depth.saturating_add(1))));
    }
    rows
}

fn is_unfinished(entry: &EntryResult) -> bool {
    entry.outcome.is_unfinished()
}
