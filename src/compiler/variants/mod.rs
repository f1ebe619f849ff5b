//! Variants as shown to users: the operator and the change of the source text.
//!
//! For the stages a variant is edits of tokens (`crate::compiler::stage::mutate`). This module converts these
//! to edits of the source. A source edited by hand in this way yields the same tokens.

pub mod folding;
mod ignored;
pub mod written;

use std::ops::{Deref, Range};

pub use crate::lang::mutation::Operator;
pub use folding::Folding;
pub use ignored::{IGNORE, IgnoreError, Ignored, Rule, Wanted};

use crate::compiler::program::Compiled;
use crate::compiler::stage::mutate::{Edit, Edits, Plan};
use crate::lang::index::{Index, Indices, MutantId, TokenId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantChange {
    pub operator: Operator,
    /// The token that the change belongs to.
    pub site: TokenId,
    /// The bytes `lo .. hi` of the source …
    pub lo: usize,
    pub hi: usize,
    /// … are replaced by this text.
    pub replacement: String,
}

/// A variant: one change, or two in source order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    pub changes: Vec<VariantChange>,
    /// The range from the first change to the last.
    pub lo: usize,
    pub hi: usize,
    pub original: String,
    pub replacement: String,
}

impl Description {
    /// The operators' names, joined by `+`.
    pub fn operator(&self) -> String {
        let names: Vec<&str> = self.changes.iter().map(|change| change.operator.name()).collect();
        names.join("+")
    }

    /// Returns whether its changes overlap, so that no text can have both.
    pub fn overlaps(&self) -> bool {
        self.changes.windows(2).any(|pair| pair[1].lo < pair[0].hi)
    }
}

/// The variants of a compiled program. Descriptions are computed on demand.
#[derive(Debug)]
pub struct Variants<P> {
    program: P,
    plan: Plan,
}

impl<P: Deref<Target = Compiled>> Variants<P> {
    /// Plans the variants of `program`. A program with errors has none, unless these are holes.
    pub fn new(program: P) -> Self {
        let mut plan = Plan::default();
        plan.build_for(&program);
        Variants { program, plan }
    }

    pub fn program(&self) -> &Compiled {
        &self.program
    }

    /// The source of the unchanged program.
    pub fn text(&self) -> &str {
        &self.program.text
    }

    pub fn first_order(&self) -> u32 {
        self.plan.first_order()
    }

    /// Number of variants of both orders together.
    pub fn all(&self) -> u32 {
        self.plan.all()
    }

    /// Returns the token edits of a variant; `None` if the id is out of range.
    pub fn edits(&self, id: MutantId) -> Option<Edits> {
        self.plan.variant(self.program.view(), id)
    }

    /// Returns the first-order variants whose site is this token.
    pub fn at(&self, site: TokenId) -> impl Iterator<Item = MutantId> + use<P> {
        self.plan.of(Indices::one(site)).iter().map(|edit| MutantId::new(edit.number()))
    }

    /// Describes a variant; `None` if the id is out of range. If two changes overlap, the replacement text is
    /// that of the first followed by that of the second.
    pub fn describe(&self, id: MutantId) -> Option<Description> {
        let mut changes: Vec<VariantChange> = self.edits(id)?.iter().map(|edit| self.change(edit)).collect();
        changes.sort_by_key(|change| change.lo);
        let text = &*self.program.text;
        let (lo, hi) = (changes[0].lo, changes.iter().map(|change| change.hi).max()?);
        let (mut at, mut replacement) = (lo, String::new());
        for change in &changes {
            replacement.push_str(text.get(at..change.lo).unwrap_or(""));
            replacement.push_str(&change.replacement);
            at = at.max(change.hi);
        }
        replacement.push_str(text.get(at..hi).unwrap_or(""));
        let original = text.get(lo..hi).unwrap_or("").into();
        Some(Description { changes, lo, hi, original, replacement })
    }

    pub fn source(&self, id: MutantId) -> Option<String> {
        let change = self.describe(id)?;
        let text = &*self.program.text;
        Some([text.get(..change.lo)?, &change.replacement, text.get(change.hi..)?].concat())
    }

    fn change(&self, edit: Edit) -> VariantChange {
        let (view, text) = (self.program.view(), &*self.program.text);
        let Range { start: lo, end: hi } = view.span(edit.lo..edit.end()).unwrap_or_default();
        let operator = edit.operator;
        let lines = matches!(operator, Operator::Copy | Operator::Order | Operator::Move | Operator::Loop);
        let mut replacement = written::pieces(view, edit.lo, edit.pieces(), lines);
        if edit.lo == edit.hi {
            let breaks = lines || operator == Operator::Insert;
            replacement.push_str(&written::before(view, edit.lo, edit.pieces(), breaks));
            replacement.push_str(&text[lo..hi]);
        }
        // Adjacent words stay separated.
        let before = text[..lo].chars().next_back().filter(|c| is_word(*c)).is_some();
        let after = text[hi..].chars().next().filter(|c| is_word(*c)).is_some();
        if before && replacement.chars().next().map_or(after, is_word) {
            replacement.insert(0, ' ');
        }
        if after && replacement.chars().next_back().is_some_and(is_word) {
            replacement.push(' ');
        }
        VariantChange { operator: edit.operator, site: edit.site, lo, hi, replacement }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
