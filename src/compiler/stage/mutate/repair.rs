//! The edits of the repair group.

mod mistakes;

use super::edit::{Edit, PIECES, Piece};
use super::scope::{ScopeFunction, may_be_copied};
use super::site::Site;
use super::{Context, EditCollector};
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::mutation::{Operator, caps};
use crate::lang::role::Role;
use crate::lang::token::TokenKind::{self, *};
use crate::lang::token::{NAME_LEN, NAME_MAX, NAME_MIN};
use crate::lang::ty::{self, Type};

/// Offers the repair edits of token `t` to `found`, in order. Returns false once `found` does.
pub(super) fn each(context: Context, t: TokenId, role: Role, found: &mut EditCollector) -> bool {
    let Some(function) = context.scopes.function(t) else { return true };
    let site = RepairSite { site: Site::new(context, t, role), function };
    let Site { slot, above, .. } = site.site;
    if role.is_expression() {
        let condition = slot == 0 && matches!(above, Some(Role::If | Role::While));
        return (!site.has_value() || site.value(found))
            && (!condition || site.join(found))
            && site.undo_mistakes(found);
    }
    (!role.is_statement() || above != Some(Role::Block) || site.statement(found))
        && (role != Role::Assign || site.target(found))
        && site.undo_mistakes(found)
}

/// The pieces of an edit's insertion.
#[derive(Clone, Copy)]
struct Pieces {
    all: [Piece; PIECES],
    count: usize,
}

impl Pieces {
    fn new() -> Pieces {
        Pieces { all: [Piece::sign(TokenKind::Error); PIECES], count: 0 }
    }

    fn put(mut self, piece: Piece) -> Pieces {
        if let Some(place) = self.all.get_mut(self.count) {
            *place = piece;
            self.count += 1;
        }
        self
    }

    fn sign(self, kind: TokenKind) -> Pieces {
        self.put(Piece::sign(kind))
    }

    fn copy(self, tokens: Indices<TokenId>) -> Pieces {
        self.put(Piece::Copy(tokens))
    }

    /// Appends a copy of a range of tokens, in brackets if needed.
    fn bracketed(self, stretch: Indices<TokenId>, needed: bool) -> Pieces {
        match needed {
            true => self.sign(LeftParen).copy(stretch).sign(RightParen),
            false => self.copy(stretch),
        }
    }

    fn term(self, term: Term) -> Pieces {
        match term {
            Term::Name(name) => self.copy(Indices::one(name)),
            Term::Length(list) => self.put(Piece::New(Name, NAME_LEN)).bracketed(Indices::one(list), true),
            Term::Number(value) => self.put(Piece::New(Int, value)),
        }
    }

    fn condition(self, condition: Condition) -> Pieces {
        match condition {
            Condition::Copied(tokens) => self.copy(tokens),
            Condition::Compared(a, operator, b) => self.term(a).sign(operator).term(b),
            Condition::Named(name) => self.copy(Indices::one(name)),
            Condition::Negated(name) => self.sign(Bang).copy(Indices::one(name)),
        }
    }

    fn pieces(&self) -> &[Piece] {
        &self.all[..self.count]
    }
}

/// An operand of a comparison.
#[derive(Clone, Copy)]
enum Term {
    /// A variable, by its declaring token.
    Name(TokenId),
    /// The length of a list variable, by its declaring token.
    Length(TokenId),
    Number(u32),
}

/// A condition that is joined by `&&` or `||`, or that follows `if`.
#[derive(Clone, Copy)]
enum Condition {
    /// Tokens of the function.
    Copied(Indices<TokenId>),
    Compared(Term, TokenKind, Term),
    /// A bool variable, by its declaring token, and its negation.
    Named(TokenId),
    Negated(TokenId),
}

/// A token whose edits are computed, with its function.
struct RepairSite<'a> {
    site: Site<'a>,
    function: &'a ScopeFunction,
}

impl RepairSite<'_> {
    fn own(&self) -> Indices<TokenId> {
        self.site.tokens
    }

    fn edit(&self, operator: Operator, stretch: Indices<TokenId>, put: Pieces) -> Edit {
        self.site.edit(operator, stretch, put.pieces())
    }

    fn ty(&self, t: TokenId) -> Type {
        self.site.context.base.ty(t)
    }

    /// Returns whether the expression can be replaced by another value: it is neither a group nor an
    /// assignment's target.
    fn has_value(&self) -> bool {
        let base = self.site.context.base;
        let assigned = |t: TokenId| {
            base.slot(t) == 0 && base.parent(t).is_some_and(|parent| base.is(parent, Role::Assign))
        };
        let indexed = || {
            self.site.slot == 0
                && self.site.above == Some(Role::Index)
                && self.site.parent.is_some_and(assigned)
        };
        self.site.role != Role::Group && !assigned(self.site.t) && !indexed()
    }

    /// Returns whether a replacement needs brackets if its head is an operator.
    fn is_operand(&self) -> bool {
        match self.site.above {
            Some(Role::Binary | Role::Unary) => true,
            Some(Role::Index | Role::Slice) => self.site.slot == 0,
            _ => false,
        }
    }

    /// Replaces the expression by other expressions of its type.
    fn value(&self, found: &mut EditCollector) -> bool {
        let base = self.site.context.base;
        let (t, role, own) = (self.site.t, self.site.role, self.own());
        let kind = self.ty(t).kind();
        if matches!(role, Role::Var | Role::Int) {
            let itself = |name: &TokenId| role == Role::Var && base.value(*name) == base.value(t);
            let names = self.function.variables(own.start(), kind).filter(|name| !itself(name));
            for name in names.take(caps::VARIABLES as usize) {
                if !found.offer(|| self.edit(Operator::Variable, own, Pieces::new().copy(Indices::one(name)))) {
                    return false;
                }
            }
        }
        (kind != ty::KIND_INT || role == Role::Int || self.off_by_one(found))
            && self.sign(kind, found)
            && (role != Role::Binary || self.operands(found))
            && (role != Role::Call || self.callees(found))
            && self.expressions(found)
    }

    /// Adds 1 to the expression, or subtracts 1.
    fn off_by_one(&self, found: &mut EditCollector) -> bool {
        let looser = self.binds_looser(Plus);
        [Plus, Minus].into_iter().all(|sign| {
            let open = if self.is_operand() { Pieces::new().sign(LeftParen) } else { Pieces::new() };
            let sum = open.bracketed(self.own(), looser).sign(sign).put(Piece::New(Int, 1));
            let sum = if self.is_operand() { sum.sign(RightParen) } else { sum };
            found.offer(|| self.edit(Operator::OffByOne, self.own(), sum))
        })
    }

    /// Returns whether the expression's head is an infix operator that binds looser than `than`.
    fn binds_looser(&self, than: TokenKind) -> bool {
        let own = self.site.context.base.kind(self.site.t);
        self.site.role == Role::Binary && own.infix_strength() < than.infix_strength()
    }

    fn sign(&self, kind: u32, found: &mut EditCollector) -> bool {
        let own = self.site.context.base.kind(self.site.t);
        let sign = match (self.site.role, kind) {
            (Role::Call | Role::Index | Role::Binary, ty::KIND_INT) => Minus,
            (Role::Index, ty::KIND_BOOL) => Bang,
            (Role::Binary, ty::KIND_BOOL) if own.is_logical() => Bang,
            _ => return true,
        };
        let put = || Pieces::new().sign(sign).bracketed(self.own(), self.site.role == Role::Binary);
        found.offer(|| self.edit(Operator::Sign, self.own(), put()))
    }

    /// Replaces an operator by one of its operands, if both have its type.
    fn operands(&self, found: &mut EditCollector) -> bool {
        let Site { t, tokens, context, .. } = self.site;
        let left = context.child[t.position()];
        let same = left.is_some_and(|left| self.ty(left).kind() == self.ty(t).kind());
        let side = |lo, hi| self.edit(Operator::Operand, tokens, Pieces::new().copy(Indices::new(lo, hi)));
        !same || found.offer(|| side(tokens.start(), t)) && found.offer(|| side(t + 1, tokens.end()))
    }

    /// Replaces the called function.
    fn callees(&self, found: &mut EditCollector) -> bool {
        let Site { t, context, .. } = self.site;
        let base = context.base;
        let mut call = |name: u32| {
            let put = || Pieces::new().put(Piece::New(Name, name));
            found.offer(|| self.edit(Operator::Callee, Indices::one(t), put()))
        };
        match (base.declaration(t), base.value(t)) {
            // `fn` is the token before the name.
            (Some(name), _) => name.previous().is_none_or(|function| {
                { context.scopes.callees(base, function) }.all(|head| call(base.value(head + 1)))
            }),
            (None, name @ (NAME_MIN | NAME_MAX)) => call(NAME_MIN + NAME_MAX - name),
            _ => true,
        }
    }

    /// Replaces the expression by other expressions of the function.
    fn expressions(&self, found: &mut EditCollector) -> bool {
        let (base, own, operand) = (self.site.context.base, self.own(), self.is_operand());
        let others = self.function.near(self.site.t, self.ty(self.site.t));
        let others = others.filter(|other| other.replaces(base, own));
        { others }.take(caps::EXPRESSIONS as usize).all(|other| {
            let put = || Pieces::new().bracketed(other.tokens, operand && other.operator);
            found.offer(|| self.edit(Operator::Expression, own, put()))
        })
    }

    /// Passes the conditions for a range of tokens to `each`, in order. Returns false once `each` does.
    fn conditions(&self, stretch: Indices<TokenId>, each: &mut dyn FnMut(Condition) -> bool) -> bool {
        let (base, at) = (self.site.context.base, stretch.start());
        let own = self.function.near(self.site.t, Type::BOOL);
        let own = own.filter(|other| other.is_condition && other.replaces(base, stretch));
        let names = self.function.variables(at, ty::KIND_BOOL);
        { own.take(caps::CONDITIONS as usize) }.all(|own| each(Condition::Copied(own.tokens)))
            && self.comparisons(at, each)
            && { names.take(caps::TRUTHS as usize) }
                .all(|name| each(Condition::Named(name)) && each(Condition::Negated(name)))
    }

    /// Passes comparisons of terms with each other and with 0 and 1 to `each`, in order. Returns false once
    /// `each` does.
    fn comparisons(&self, at: TokenId, each: &mut dyn FnMut(Condition) -> bool) -> bool {
        const ALL: &[TokenKind] = &[EqualEqual, BangEqual, Less, LessEqual, Greater, GreaterEqual];
        let mut terms = [Term::Number(0); caps::TERMS as usize];
        let mut count = 0;
        let names = self.function.names(at).filter(|name| name.kind != ty::KIND_BOOL);
        for (term, name) in terms.iter_mut().zip(names) {
            *term = if name.kind == ty::KIND_INT { Term::Name(name.token) } else { Term::Length(name.token) };
            count += 1;
        }
        let mut compare = |a, b, operators: &[TokenKind]| {
            { operators.iter() }.all(|operator| each(Condition::Compared(a, *operator, b)))
        };
        (0..count).all(|i| {
            (i + 1..count).all(|j| compare(terms[i], terms[j], ALL))
                && compare(terms[i], Term::Number(0), ALL)
                && compare(terms[i], Term::Number(1), &[EqualEqual, BangEqual, Greater])
        })
    }

    /// Joins the condition with others. A generated condition, which cannot trap, is always put first.
    fn join(&self, found: &mut EditCollector) -> bool {
        let own = self.own();
        let looser = [AmpersandAmpersand, BarBar].map(|joint| (joint, self.binds_looser(joint)));
        self.conditions(own, &mut |condition| {
            let copied = matches!(condition, Condition::Copied(..));
            looser.into_iter().all(|(joint, looser)| {
                let put = |pieces| self.edit(Operator::Join, own, pieces);
                found.offer(|| put(Pieces::new().condition(condition).sign(joint).bracketed(own, looser)))
                    && (!copied
                        || found.offer(|| {
                            put(Pieces::new().bracketed(own, looser).sign(joint).condition(condition))
                        }))
            })
        })
    }

    /// Edits a statement of a block: guards it by a condition, duplicates it, exchanges it with the next one,
    /// or moves it.
    fn statement(&self, found: &mut EditCollector) -> bool {
        let Site { role, tokens, ref context, .. } = self.site;
        let base = context.base;
        let (lo, end) = (tokens.start(), self.end_with_semicolon(tokens));
        let declares = role == Role::Let;
        let leaves = matches!(role, Role::Return | Role::Break | Role::Continue);
        // Guarding or moving the last statement could let control reach the end of the function.
        let last = end + 1 == self.function.end;
        let own = Indices::new(lo, end);
        let guarded = |condition| {
            let put = Pieces::new().sign(If).condition(condition).sign(LeftBrace).copy(own).sign(RightBrace);
            self.edit(Operator::Guard, own, put)
        };
        let mut guard = |condition| found.offer(|| guarded(condition));
        if !declares && !last && !self.conditions(own, &mut guard) {
            return false;
        }
        let short = own.len() <= caps::STATEMENT && may_be_copied(base, own);
        if !declares
            && !leaves
            && short
            && !found.offer(|| self.edit(Operator::Copy, Indices::new(lo, lo), Pieces::new().copy(own)))
        {
            return false;
        }
        let next = context
            .argument
            .get(end.position())
            .copied()
            .flatten()
            .filter(|next| !leaves && self.is_movable_sibling(*next));
        if let Some(next) = next {
            let there = base.extent(next);
            let end_there = self.end_with_semicolon(there);
            let put = || Pieces::new().copy(Indices::new(there.start(), end_there)).copy(own);
            if !found.offer(|| self.edit(Operator::Order, Indices::new(lo, end_there), put())) {
                return false;
            }
        }
        self.moved(own, leaves || declares, declares || last, found)
    }

    fn end_with_semicolon(&self, statement: Indices<TokenId>) -> TokenId {
        statement.end() + u32::from(self.site.is(statement.end(), Semicolon))
    }

    /// Returns whether a node is a statement of the same block that other statements may follow.
    fn is_movable_sibling(&self, next: TokenId) -> bool {
        let base = self.site.context.base;
        let role = base.role(next);
        base.parent(next) == self.site.parent
            && matches!(role, Role::Let | Role::Assign | Role::If | Role::While | Role::For)
    }

    /// Moves the statement out of the block that it ends, or into the block before it, unless `stays_in` or
    /// `stays_out` forbids it.
    fn moved(&self, own: Indices<TokenId>, stays_in: bool, stays_out: bool, found: &mut EditCollector) -> bool {
        let Site { parent, ref context, .. } = self.site;
        let base = context.base;
        let above = parent.and_then(|parent| base.parent(parent)).map(|above| base.role(above));
        let inner = matches!(above, Some(Role::If | Role::While | Role::For));
        let (lo, end) = (own.start(), own.end());
        let put = |stretch, a, b| self.edit(Operator::Move, stretch, Pieces::new().copy(a).copy(b));
        let out = !stays_in && inner && self.site.is(end, RightBrace) && !self.site.is(end + 1, Else);
        let into = lo.previous().filter(|before| !stays_out && self.site.is(*before, RightBrace));
        (!out || found.offer(|| put(Indices::new(lo, end + 1), Indices::one(end), own)))
            && into
                .is_none_or(|before| found.offer(|| put(Indices::new(before, end), own, Indices::one(before))))
    }

    /// Replaces the assigned variable.
    fn target(&self, found: &mut EditCollector) -> bool {
        let base = self.site.context.base;
        let target = self.site.tokens.start();
        let names = self.function.variables(target, self.ty(target).kind());
        let mut names = names.filter(|name| base.value(*name) != base.value(target));
        names.by_ref().take(caps::VARIABLES as usize).all(|name| {
            let put = || Pieces::new().copy(Indices::one(name));
            found.offer(|| self.edit(Operator::Target, Indices::one(target), put()))
        })
    }
}
