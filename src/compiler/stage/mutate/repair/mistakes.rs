//! The edits of the repair group that undo common mistakes: sides or variables exchanged, an operand, element, slice or
//! statement missing, a wrong target, a statement on the wrong side of a loop's border.

use super::{Pieces, RepairSite, Term};
use crate::compiler::program::STMT_INDEX;
use crate::compiler::stage::mutate::EditCollector;
use crate::compiler::stage::mutate::edit::Edit;
use crate::compiler::stage::mutate::scope::Expression;
use crate::compiler::stage::mutate::site::Site;
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::mutation::{Operator, caps};
use crate::lang::role::Role;
use crate::lang::token::NAME_LEN;
use crate::lang::token::TokenKind::{self, *};
use crate::lang::ty::{KIND_BOOL, KIND_INT, KIND_INT_LIST, Type};

impl RepairSite<'_> {
    /// Offers these edits in order. Returns false once `found` does.
    pub(super) fn undo_mistakes(&self, found: &mut EditCollector) -> bool {
        match self.site.role {
            Role::Block => self.insert_last(found),
            role if role.is_statement() && self.site.above == Some(Role::Block) => {
                (self.site.role != Role::Assign || self.place(found))
                    && self.insert(self.own().start(), found)
                    && self.out_of_loop(found)
                    && self.move_into_loop(found)
            }
            role if role.is_expression() => self.reshape(found),
            _ => true,
        }
    }

    fn reshape(&self, found: &mut EditCollector) -> bool {
        let role = self.site.role;
        let kind = self.ty(self.site.t).kind();
        let number = kind == KIND_INT && role != Role::Int && self.has_value();
        (role != Role::Binary || self.sides(kind, found))
            && (role != Role::Var || self.exchange(kind, found))
            && (role != Role::List || self.fill(kind, found))
            && (!number || self.addend(found))
            && self.slice(kind, found)
    }

    /// Exchanges the sides of an operator.
    fn sides(&self, kind: u32, found: &mut EditCollector) -> bool {
        let Site { t, tokens, context, .. } = self.site;
        let ordered = match context.base.kind(t) {
            Minus | Slash | Percent | ShiftLeft | ShiftRight => true,
            Plus => kind >= KIND_INT_LIST,
            _ => false,
        };
        let nested = context.child[t.position()].is_some_and(|left| context.base.is(left, Role::Binary));
        let right = Pieces::new().copy(Indices::new(t + 1, tokens.end())).copy(Indices::one(t));
        let put = || right.bracketed(Indices::new(tokens.start(), t), nested);
        !ordered || found.offer(|| self.edit(Operator::Sides, tokens, put()))
    }

    /// Exchanges the variable with a later one of the same statement.
    fn exchange(&self, kind: u32, found: &mut EditCollector) -> bool {
        let (t, base) = (self.site.t, self.site.context.base);
        let statement = |u: TokenId| base.tree.stmt.get(u.position()).map(|word| word & STMT_INDEX);
        let end = self.function.end.number().min(t.number() + 1 + caps::WINDOW);
        let later = Indices::<TokenId>::numbered(t.number() + 1..end);
        let other = |u: &TokenId| {
            base.is(*u, Role::Var) && self.ty(*u).kind() == kind && base.value(*u) != base.value(t)
        };
        let mut others = later.iter().take_while(|u| statement(*u) == statement(t)).filter(other);
        others.by_ref().take(caps::EXCHANGES as usize).all(|u| {
            let put = || {
                let between = Indices::new(t + 1, u);
                Pieces::new().copy(Indices::one(u)).copy(between).copy(Indices::one(t))
            };
            found.offer(|| self.edit(Operator::Exchange, Indices::new(t, u + 1), put()))
        })
    }

    /// Puts an element into `[]`.
    fn fill(&self, kind: u32, found: &mut EditCollector) -> bool {
        let (base, own) = (self.site.context.base, self.own());
        if own.len() != 2 || kind < KIND_INT_LIST {
            return true;
        }
        let element = Type(kind - 2);
        let list = |element: Pieces| self.edit(Operator::Fill, own, element.sign(RightBracket));
        let open = Pieces::new().sign(LeftBracket);
        let literals = match element.kind() {
            KIND_BOOL => [open.sign(True), open.sign(False)],
            _ => [0, 1].map(|value| open.term(Term::Number(value))),
        };
        let names = self.function.variables(own.start(), element.kind());
        let near = self.function.near(self.site.t, element).filter(|other| other.replaces(base, own));
        { names.take(caps::VARIABLES as usize) }.all(|name| found.offer(|| list(open.copy(Indices::one(name)))))
            && literals.into_iter().all(|literal| found.offer(|| list(literal)))
            && { near.take(caps::FILLS as usize) }.all(|other| found.offer(|| list(open.copy(other.tokens))))
    }

    /// Adds an operand to a number.
    fn addend(&self, found: &mut EditCollector) -> bool {
        let (base, own) = (self.site.context.base, self.own());
        let mut with = |operand: &dyn std::ops::Fn(Pieces) -> Pieces| {
            [Plus, Minus, Star, Slash, Percent].into_iter().all(|sign| {
                let put = || {
                    let open = Pieces::new();
                    let open = if self.is_operand() { open.sign(LeftParen) } else { open };
                    let all = operand(open.bracketed(own, self.binds_looser(sign)).sign(sign));
                    if self.is_operand() { all.sign(RightParen) } else { all }
                };
                found.offer(|| self.edit(Operator::Addend, own, put()))
            })
        };
        let names = self.function.names(own.start()).filter(|name| name.kind != KIND_BOOL);
        let numbers = self.function.near(self.site.t, Type::INT);
        let numbers = numbers.filter(|other| base.is(other.head, Role::Int) && other.replaces(base, own));
        { names.take(caps::TERMS as usize) }.all(|name| {
            let term = if name.kind == KIND_INT { Term::Name(name.token) } else { Term::Length(name.token) };
            with(&|pieces| pieces.term(term))
        }) && { numbers.take(caps::NUMBERS as usize) }.all(|other| with(&|pieces| pieces.copy(other.tokens)))
    }

    /// Takes a part of a list, or the whole list instead of a slice.
    fn slice(&self, kind: u32, found: &mut EditCollector) -> bool {
        let Site { t, role, slot, above, context, .. } = self.site;
        let own = self.own();
        if role == Role::Slice {
            let list = context.child[t.position()].map(|list| context.base.extent(list));
            return list
                .is_none_or(|list| found.offer(|| self.edit(Operator::Slice, own, Pieces::new().copy(list))));
        }
        let indexed = slot == 0 && matches!(above, Some(Role::Index | Role::Slice));
        if role != Role::Var || kind < KIND_INT_LIST || indexed || !self.has_value() {
            return true;
        }
        let length = |pieces: Pieces| {
            pieces.put(super::Piece::New(Name, NAME_LEN)).sign(LeftParen).copy(own).sign(RightParen)
        };
        let open = Pieces::new().copy(own).sign(LeftBracket);
        let part = |pieces: Pieces| self.edit(Operator::Slice, own, pieces.sign(RightBracket));
        let from = |term: Term| part(length(open.term(term).sign(DotDot)));
        let zero = open.term(Term::Number(0)).sign(DotDot);
        let names = self.function.variables(own.start(), KIND_INT).take(caps::TERMS as usize);
        { names }.all(|name| {
            found.offer(|| from(Term::Name(name))) && found.offer(|| part(zero.term(Term::Name(name))))
        }) && found.offer(|| from(Term::Number(1)))
            && found.offer(|| part(length(zero).sign(Minus).term(Term::Number(1))))
    }

    /// Assigns an element instead of a variable or the reverse, or exchanges the sides.
    fn place(&self, found: &mut EditCollector) -> bool {
        let Site { t, tokens, context, .. } = self.site;
        let base = context.base;
        let Some(head) = context.child[t.position()] else { return true };
        let (at, kind, plain) = (tokens.start(), self.ty(head).kind(), base.is(head, Role::Var));
        let target = Indices::new(at, t);
        let put = |stretch, pieces| self.edit(Operator::Place, stretch, pieces);
        let most = caps::PLACES as usize;
        let element = |list, index| {
            let pieces = Pieces::new().copy(Indices::one(list)).sign(LeftBracket);
            put(target, pieces.copy(Indices::one(index)).sign(RightBracket))
        };
        let moved = match plain {
            true if kind < KIND_INT_LIST => { self.function.variables(at, kind + 2).take(most) }.all(|list| {
                { self.function.variables(at, KIND_INT).take(most) }
                    .all(|index| found.offer(|| element(list, index)))
            }),
            true => true,
            false => { self.function.variables(at, kind).take(2 * most) }
                .all(|name| found.offer(|| put(target, Pieces::new().copy(Indices::one(name))))),
        };
        let value = Indices::new(t + 1, tokens.end());
        let variable = value.len() == 1 && base.is(t + 1, Role::Var);
        // The head of `xs[i]` is its bracket.
        let indexed = value.len() > 3 && base.is(t + 2, Role::Index) && base.parent(t + 2) == Some(t);
        let swap = indexed || variable && !plain;
        let swapped = || Pieces::new().copy(value).copy(Indices::one(t)).copy(target);
        moved && (!swap || found.offer(|| put(tokens, swapped())))
    }

    /// Inserts assignments before the end of a block, unless control does not reach it.
    fn insert_last(&self, found: &mut EditCollector) -> bool {
        let base = self.site.context.base;
        let Some(end) = self.own().end().previous() else { return true };
        let last = end.previous().filter(|last| self.site.is(*last, Semicolon));
        let first = last.and_then(|last| base.statement(last)).map(|statement| base.kind(statement.first));
        matches!(first, Some(TokenKind::Break | TokenKind::Continue | TokenKind::Return))
            || self.insert(end, found)
    }

    /// Inserts other assignments of the function before a token.
    fn insert(&self, at: TokenId, found: &mut EditCollector) -> bool {
        let near = self.function.assignments_near(self.site.t).filter(|other| other.is_visible_at(at));
        { near.take(caps::SOURCES as usize) }.all(|other| self.inserted(at, other, found))
    }

    /// Inserts an assignment, as it is and with a name or number replaced.
    fn inserted(&self, at: TokenId, source: &Expression, found: &mut EditCollector) -> bool {
        let (base, own) = (self.site.context.base, source.tokens);
        let put = |pieces| self.edit(Operator::Insert, Indices::new(at, at), pieces);
        let apart = at != own.start() && at != own.end();
        if apart && !found.offer(|| put(Pieces::new().copy(own))) {
            return false;
        }
        let same = |u: TokenId, other: TokenId| {
            u == other
                || base.is(u, Role::Var) && base.is(other, Role::Var) && base.value(u) == base.value(other)
        };
        let operands = own.iter().filter(|u| base.is(*u, Role::Var) || base.is(*u, Role::Int));
        let first = operands.filter(|u| own.iter().find(|other| same(*u, *other)) == Some(*u));
        { first.take(caps::NAMES as usize) }.all(|u| {
            let occurrences = own.iter().filter(|other| same(u, *other)).count();
            if occurrences > caps::OCCURRENCES as usize {
                return true;
            }
            let others = self.function.variables(at, self.ty(u).kind());
            let others = others.filter(|name| !base.is(u, Role::Var) || base.value(*name) != base.value(u));
            { others.take(caps::OTHERS as usize) }.all(|name| {
                let pieces = || {
                    let (mut pieces, mut from) = (Pieces::new(), own.start());
                    for occurrence in own.iter().filter(|other| same(u, *other)) {
                        if occurrence > from {
                            pieces = pieces.copy(Indices::new(from, occurrence));
                        }
                        pieces = pieces.copy(Indices::one(name));
                        from = occurrence + 1;
                    }
                    if own.end() > from { pieces.copy(Indices::new(from, own.end())) } else { pieces }
                };
                found.offer(|| put(pieces()))
            })
        })
    }

    fn is_loop(&self, t: TokenId) -> bool {
        let base = self.site.context.base;
        base.is(t, Role::While) || base.is(t, Role::For)
    }

    fn across_border(&self, stretch: Indices<TokenId>, parts: [Indices<TokenId>; 2]) -> Edit {
        self.edit(Operator::Loop, stretch, Pieces::new().copy(parts[0]).copy(parts[1]))
    }

    /// Moves a statement before or after the loop around it. A `return` takes the place of one after the loop.
    fn out_of_loop(&self, found: &mut EditCollector) -> bool {
        let Site { role, tokens, parent, ref context, .. } = self.site;
        let base = context.base;
        let around = parent.and_then(|block| base.parent(block)).filter(|around| self.is_loop(*around));
        let Some(around) = around.filter(|_| !matches!(role, Role::Break | Role::Continue)) else {
            return true;
        };
        let (lo, end) = (tokens.start(), self.end_with_semicolon(tokens));
        let (own, whole) = (Indices::new(lo, end), base.extent(around));
        let before = || {
            let stretch = Indices::new(whole.start(), end);
            self.across_border(stretch, [own, Indices::new(whole.start(), lo)])
        };
        if role != Role::Return && !found.offer(before) {
            return false;
        }
        // Row 28 moves the last statement.
        if role == Role::Let || role != Role::Return && self.site.is(end, RightBrace) {
            return true;
        }
        let next = context.argument.get(whole.end().position()).copied().flatten();
        let next = next.filter(|next| role == Role::Return && base.is(*next, Role::Return));
        let behind = next.map_or(whole.end(), |next| self.end_with_semicolon(base.extent(next)));
        found.offer(|| self.across_border(Indices::new(lo, behind), [Indices::new(end, whole.end()), own]))
    }

    /// Moves a statement to the beginning of the loop after it.
    fn move_into_loop(&self, found: &mut EditCollector) -> bool {
        let Site { role, tokens, parent, ref context, .. } = self.site;
        let base = context.base;
        let (lo, end) = (tokens.start(), self.end_with_semicolon(tokens));
        let next = context.argument.get(end.position()).copied().flatten();
        let next = next.filter(|next| self.is_loop(*next) && base.parent(*next) == parent);
        let Some(next) = next.filter(|_| !matches!(role, Role::Return | Role::Break | Role::Continue)) else {
            return true;
        };
        let header = base.extent(next).iter().find(|t| self.site.is(*t, LeftBrace));
        header.is_none_or(|brace| {
            let parts = [Indices::new(end, brace + 1), Indices::new(lo, end)];
            found.offer(|| self.across_border(Indices::new(lo, brace + 1), parts))
        })
    }
}
