//! Finds where a rule matches a program, and whether it may fire there.

use super::pattern::{Builtin, Operation, Pattern};
use super::read::ExpressionRule;
use super::trace::Way;
use crate::compiler::program::{Children, View};
use crate::lang::arithmetic;
use crate::lang::index::TokenId;
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::token::{BUILTINS, NAME_LEN, TokenKind};
use crate::lang::ty::Type;

/// How deep constants are looked into.
const DEPTH: u32 = 8;
/// The maximum number of tokens of an expression that is looked into.
const LONGEST: u32 = 1 << 10;

/// A program's tree, ready to match.
pub struct Subject<'a> {
    pub view: View<'a>,
    pub children: Children,
}

/// The parts of a program that the letters of a rule mean.
#[derive(Clone, Debug, Default)]
pub struct Bound {
    pub letters: Vec<Option<TokenId>>,
    pub constants: Vec<Option<u32>>,
    pub blocks: Vec<Option<TokenId>>,
}

/// Facts about an expression that a letter means.
struct Facts {
    /// Whether it cannot trap and ends.
    safe: bool,
    /// Whether it may call functions, or takes an unknown number of operands.
    is_deep: bool,
    /// The instructions that it takes at level 0, if every run takes the same number.
    steps: Option<u32>,
    /// The maximum number of its operands on the stack.
    peak: u32,
}

impl<'a> Subject<'a> {
    pub fn new(view: View<'a>) -> Subject<'a> {
        Subject { view, children: view.children() }
    }

    /// Returns the node without parentheses around it.
    pub fn inner(&self, mut node: TokenId) -> TokenId {
        while let Some(inside) = self.children.at(node, 0).filter(|_| self.view.is(node, Role::Group)) {
            node = inside;
        }
        node
    }

    /// Returns the parts that the letters mean if the rule matches a node.
    pub fn matches(&self, rule: &ExpressionRule, node: TokenId) -> Option<Bound> {
        let mut bound = Bound {
            letters: vec![None; rule.letters.len()],
            constants: vec![None; rule.letters.len()],
            blocks: vec![None; rule.blocks.len()],
        };
        self.fits(rule, &rule.sides[0], Some(node), &mut bound)?;
        rule.allows(&|letter| bound.constants[letter as usize]).then_some(bound)
    }

    fn fits(
        &self,
        rule: &ExpressionRule,
        pattern: &Pattern,
        node: Option<TokenId>,
        bound: &mut Bound,
    ) -> Option<()> {
        let view = self.view;
        let same = |own: TokenId, other: Option<TokenId>| other.is_none_or(|other| self.is_same(own, other));
        if let Pattern::Nothing = pattern {
            return node.is_none_or(|node| self.is_empty_block(node)).then_some(());
        }
        let node = node?;
        if let Pattern::Block(number) = pattern {
            let place = bound.blocks.get_mut(*number as usize)?;
            let fits = same(node, *place);
            *place = Some(node);
            return fits.then_some(());
        }
        let node = self.inner(node);
        match pattern {
            Pattern::Letter(number) => {
                let (letter, number) = (rule.letters.get(*number as usize)?, *number as usize);
                if view.ty(node) != letter.ty || !view.role(node).is_expression() {
                    return None;
                }
                let fits = match letter.is_constant {
                    true => {
                        let value = self.constant(node, DEPTH)?;
                        *bound.constants[number].get_or_insert(value) == value
                    }
                    false => same(node, bound.letters[number]),
                };
                bound.letters[number] = Some(node);
                fits.then_some(())
            }
            Pattern::Int(value) => {
                (view.ty(node) == Type::INT && self.constant(node, DEPTH)? == *value).then_some(())
            }
            Pattern::Bool(value) => {
                (view.ty(node) == Type::BOOL && self.constant(node, DEPTH)? == u32::from(*value)).then_some(())
            }
            Pattern::Apply(operation, parts) => {
                let fits = match operation {
                    Operation::Unary(kind) => view.is(node, Role::Unary) && view.kind(node) == *kind,
                    Operation::Binary(kind) => view.is(node, Role::Binary) && view.kind(node) == *kind,
                    Operation::Call(Builtin::Int) => {
                        view.is(node, Role::Call) && view.kind(node) == TokenKind::IntType
                    }
                    Operation::Call(builtin) => view.is(node, Role::Call) && self.builtin(node) == builtin.id(),
                };
                fits.then_some(())?;
                let children: Vec<TokenId> = self.children.of(node).collect();
                (children.len() == parts.len()).then_some(())?;
                let mut both = parts.iter().zip(children);
                both.try_for_each(|(part, child)| self.fits(rule, part, Some(child), bound))
            }
            Pattern::If(parts) => {
                view.is(node, Role::If).then_some(())?;
                let slots = parts.iter().zip(0..);
                { slots }
                    .try_for_each(|(part, slot)| self.fits(rule, part, self.children.at(node, slot), bound))
            }
            Pattern::Nothing | Pattern::Block(_) => None,
        }
    }

    /// The id of the built-in function that a call calls, if its name is not a keyword.
    fn builtin(&self, call: TokenId) -> Option<u32> {
        let id = self.view.value(call);
        (self.view.kind(call) == TokenKind::Name && (id as usize) < BUILTINS.len()).then_some(id)
    }

    fn is_empty_block(&self, node: TokenId) -> bool {
        self.view.is(node, Role::Block) && self.children.of(node).next().is_none()
    }

    /// Returns whether two parts have equal tokens, whose names mean the same.
    fn is_same(&self, a: TokenId, b: TokenId) -> bool {
        let view = self.view;
        let [own, other] = [a, b].map(|node| view.extent(self.inner(node)));
        own.len() == other.len()
            && own.iter().zip(other.iter()).all(|(own, other)| {
                view.kind(own) == view.kind(other)
                    && view.value(own) == view.value(other)
                    && view.declaration(own) == view.declaration(other)
                    && view.kind(own) != TokenKind::Str
            })
    }

    /// Returns the value of a constant: a literal, the name of a constant, or one of these after prefix operators.
    fn constant(&self, node: TokenId, depth: u32) -> Option<u32> {
        let (view, node) = (self.view, self.inner(node));
        match view.role(node) {
            Role::Int => Some(view.value(node)),
            Role::Bool => Some(u32::from(view.kind(node) == TokenKind::True)),
            Role::Var => {
                let name = view.declaration(node).filter(|name| view.is(*name, Role::ConstName))?;
                Some(view.constant(name))
            }
            Role::Unary if depth > 0 => {
                let operand = self.constant(self.children.at(node, 0)?, depth - 1)?;
                Some(arithmetic::unary(Op::from_prefix(view.kind(node))? as u32, operand))
            }
            _ => None,
        }
    }

    /// Returns facts about an expression. Whatever is not understood may trap.
    fn facts(&self, node: TokenId) -> Facts {
        let view = self.view;
        let extent = view.extent(node);
        if extent.len() > LONGEST {
            return Facts { safe: false, is_deep: true, steps: None, peak: 0 };
        }
        let mut facts = Facts { safe: true, is_deep: false, steps: Some(0), peak: 0 };
        // The operands that end at each token, less one for each operation.
        let mut ends = vec![0u32; extent.len() as usize];
        let mut pushes = ends.clone();
        for token in extent.iter().filter(|token| view.is_node(*token)) {
            let place = (token - extent.start()) as usize;
            let last = (view.extent(token).end() - extent.start()) as usize - 1;
            let mut steps = 1;
            match view.role(token) {
                Role::Int | Role::Bool => pushes[place] += 1,
                Role::Var if !view.ty(token).is_list() => pushes[place] += 1,
                Role::Var if self.is_measured(token) => steps = 0,
                Role::Group => steps = 0,
                Role::Unary => {}
                Role::Binary => {
                    ends[last] += 1;
                    if view.kind(token).is_logical() {
                        facts.steps = None;
                    }
                    let divides = matches!(view.kind(token), TokenKind::Slash | TokenKind::Percent);
                    let divisor = self.children.at(token, 1).and_then(|divisor| self.constant(divisor, DEPTH));
                    facts.safe &= !divides || divisor.is_some_and(|divisor| divisor != 0);
                }
                Role::Call if view.kind(token) == TokenKind::IntType => steps = 0,
                Role::Call => match self.builtin(token) {
                    Some(NAME_LEN) => pushes[last] += 1,
                    Some(_) => ends[last] += self.children.of(token).count() as u32 - 1,
                    None => (facts.safe, facts.is_deep, facts.steps) = (false, true, None),
                },
                _ => (facts.safe, facts.is_deep, facts.steps) = (false, true, None),
            }
            facts.steps = facts.steps.map(|all| all + steps);
        }
        let mut height = 0u32;
        for (pushed, ended) in pushes.into_iter().zip(ends) {
            height += pushed;
            facts.peak = facts.peak.max(height);
            height = height.saturating_sub(ended);
        }
        facts
    }

    /// Returns whether a list is the argument of `len`.
    fn is_measured(&self, list: TokenId) -> bool {
        let parent = self.view.parent(list);
        parent.is_some_and(|call| self.view.is(call, Role::Call) && self.builtin(call) == Some(NAME_LEN))
    }

    /// Returns whether a rule that matches may fire: the letters of one set of `safe` cannot trap and end, and no way
    /// through the right side takes more steps, or more memory for operands, than the left one.
    pub fn may_fire(&self, bound: &Bound, safe: &[u32], ways: &[[Way; 2]]) -> bool {
        let all: Vec<Option<Facts>> =
            bound.letters.iter().map(|node| node.map(|node| self.facts(node))).collect();
        let is_constant = |letter: usize| bound.constants[letter].is_some();
        let is_safe =
            |letter: usize| is_constant(letter) || all[letter].as_ref().is_some_and(|facts| facts.safe);
        let now = (0..all.len()).filter(|letter| is_safe(*letter)).fold(0u32, |set, letter| set | 1 << letter);
        if !safe.iter().any(|set| now & set == *set) {
            return false;
        }
        ways.iter().all(|[own, new]| {
            let mut growth = i64::from(new.steps) - i64::from(own.steps);
            for (letter, facts) in all.iter().enumerate() {
                let [before, after] = [own, new].map(|way| i64::from(way.count(letter as u8)));
                // A constant takes one instruction on the right.
                let steps =
                    if is_constant(letter) { Some(1) } else { facts.as_ref().and_then(|facts| facts.steps) };
                growth += match steps {
                    _ if before == after => 0,
                    Some(steps) => (after - before) * i64::from(steps),
                    None if after < before => after - before,
                    None => return false,
                };
            }
            growth <= 0 && self.fits_memory(&all, [own, new])
        })
    }

    fn fits_memory(&self, all: &[Option<Facts>], ways: [&Way; 2]) -> bool {
        let facts = |letter: u8| all.get(letter as usize).and_then(Option::as_ref);
        let peak = |way: &Way| {
            let letters = way.letters.iter().map(|(letter, height)| {
                facts(*letter).filter(|facts| !facts.is_deep).map_or(0, |facts| height + facts.peak)
            });
            letters.chain([way.peak]).max().unwrap_or(0)
        };
        let height = |way: &Way, letter: u8| {
            way.letters.iter().filter(|(own, _)| *own == letter).map(|(_, height)| *height).max()
        };
        let [own, new] = ways;
        let deep = new.letters.iter().filter(|(letter, _)| facts(*letter).is_some_and(|facts| facts.is_deep));
        peak(new) <= peak(own) && { deep }
            .all(|(letter, after)| height(own, *letter).is_some_and(|before| *after <= before))
    }
}
