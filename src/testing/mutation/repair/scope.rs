//! Finds the names that are in scope in a function, and builds terms and conditions from them.

use crate::compiler::program::{Children, View};
use crate::compiler::stage::mutate::Piece;
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::role::Role;
use crate::lang::token::NAME_LEN;
use crate::lang::token::TokenKind::{self, *};
use crate::lang::ty::{KIND_BOOL, KIND_INT, Type};

/// The maximum number of terms that conditions are built from.
const TERMS: usize = 6;
/// The maximum number of list elements among them, and their maximum length in tokens.
const ELEMENTS: usize = 3;
const LONGEST: u32 = 6;

/// An operand of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// A variable or constant, identified by its declaring token.
    Name(TokenId),
    /// The length of a list.
    Length(TokenId),
    /// A list element that the function reads: its tokens.
    Element(Indices<TokenId>),
    Number(i32),
}

/// The names in a function, each with the range of tokens where it is in scope.
pub struct Scope<'a> {
    view: View<'a>,
    names: Vec<(TokenId, Indices<TokenId>)>,
    /// The extents of the function's conditions.
    conditions: Vec<Indices<TokenId>>,
    /// The extents of the distinct list elements that the function reads.
    elements: Vec<Indices<TokenId>>,
}

impl<'a> Scope<'a> {
    pub fn new(view: View<'a>, children: &Children, head: TokenId) -> Scope<'a> {
        let whole = view.extent(head);
        let mut names = Vec::new();
        let mut conditions = Vec::new();
        let mut elements: Vec<Indices<TokenId>> = Vec::new();
        let written = |extent: Indices<TokenId>| view.span(extent).and_then(|span| view.source.get(span));
        for t in view.nodes() {
            let inside = whole.contains(t);
            let parent = view.parent(t);
            let up = |levels: usize| (0..levels).try_fold(t, |t, _| view.parent(t));
            match view.role(t) {
                Role::Param if parent == Some(head) => names.push((t, whole)),
                // The name is in scope from after its statement to the end of the block.
                Role::LetName if inside => {
                    let end = up(2).map_or(whole.end(), |block| view.extent(block).end());
                    let start = up(1).map_or(t, |statement| view.extent(statement).end());
                    names.push((t, start.up_to(end)));
                }
                Role::LoopVar if inside => {
                    let body = parent.and_then(|parent| children.at(parent, 3));
                    names.extend(body.map(|body| (t, view.extent(body))));
                }
                Role::ConstName => names.push((t, whole)),
                Role::Index if inside && is_int(view.ty(t)) => {
                    let extent = view.extent(t);
                    let new = elements.iter().all(|known| written(*known) != written(extent));
                    if new && extent.len() <= LONGEST && elements.len() < ELEMENTS {
                        elements.push(extent);
                    }
                }
                role if role.is_expression() && inside && is_bool(view.ty(t)) => {
                    let comparison = view.is(t, Role::Binary) && view.kind(t).is_comparison();
                    let extent = view.extent(t);
                    if comparison || view.is(t, Role::Call) {
                        conditions.push(extent);
                    }
                }
                _ => {}
            }
        }
        Scope { view, names, conditions, elements }
    }

    /// Returns the names in scope at a token, as declaring tokens.
    pub fn variables(&self, at: TokenId) -> impl Iterator<Item = TokenId> {
        self.names.iter().filter(move |(_, holds)| holds.contains(at)).map(|(name, _)| *name)
    }

    /// Returns the program's constants, as declaring tokens.
    pub fn constants(&self) -> impl Iterator<Item = TokenId> {
        self.names.iter().map(|(name, _)| *name).filter(|name| self.view.is(*name, Role::ConstName))
    }

    /// Returns the terms in scope at a token, last declared first.
    fn terms(&self, at: TokenId) -> Vec<Term> {
        let mut names: Vec<TokenId> = self.variables(at).collect();
        names.reverse();
        let term = |name: TokenId| match self.view.ty(name) {
            ty if is_int(ty) => Some(Term::Name(name)),
            ty if ty.is_list() => Some(Term::Length(name)),
            _ => None,
        };
        names.into_iter().filter_map(term).take(TERMS).collect()
    }

    /// Returns the values that can bound a number.
    pub fn bounds(&self, at: TokenId) -> Vec<Vec<Piece>> {
        let numbers = [Term::Number(0), Term::Number(1)];
        numbers.iter().chain(&self.terms(at)).map(pieces).collect()
    }

    /// Returns conditions for a token: those of the function, comparisons of terms with each other and with 0 and 1,
    /// and bool variables.
    pub fn conditions(&self, at: TokenId) -> Vec<Vec<Piece>> {
        let own = self.conditions.iter().map(|own| vec![Piece::Copy(*own)]);
        let mut found: Vec<Vec<Piece>> = own.collect();
        let terms = self.terms(at);
        for (i, a) in terms.iter().enumerate() {
            compare(a, &terms[i + 1..], &mut found);
        }
        for name in self.variables(at).filter(|name| is_bool(self.view.ty(*name))) {
            found.push(vec![Piece::Copy(name.into())]);
            found.push(vec![Piece::sign(Bang), Piece::Copy(name.into())]);
        }
        found
    }

    /// Returns comparisons of list elements with each other, with the terms in scope at a token, and with 0 and 1.
    pub fn of_elements(&self, at: TokenId) -> Vec<Vec<Piece>> {
        let own = self.elements.iter().map(|extent| Term::Element(*extent));
        let all: Vec<Term> = own.chain(self.terms(at)).collect();
        let mut found = Vec::new();
        for (i, a) in all.iter().enumerate().take(self.elements.len()) {
            compare(a, &all[i + 1..], &mut found);
        }
        found
    }

    /// Returns assignments for a token: of a variable to another one of its type, and of a variable to the end of a list.
    pub fn assignments(&self, at: TokenId) -> Vec<Vec<Piece>> {
        let mut names: Vec<TokenId> =
            self.variables(at).filter(|name| !self.view.is(*name, Role::ConstName)).collect();
        names.reverse();
        names.truncate(TERMS);
        let assigned = |to: TokenId, from: TokenId| {
            let [to, own] = [to, from].map(|name| (Piece::Copy(name.into()), self.view.ty(name)));
            if to.1.kind() == own.1.kind() {
                return Some(vec![to.0, Piece::sign(Equal), own.0, Piece::sign(Semicolon)]);
            }
            let is_element = to.1.is_list() && to.1.element().kind() == own.1.kind();
            let [open, close, end] = [LeftBracket, RightBracket, Semicolon].map(Piece::sign);
            is_element.then(|| vec![to.0, Piece::sign(PlusEqual), open, own.0, close, end])
        };
        let pairs = names.iter().flat_map(|to| names.iter().map(move |from| (*to, *from)));
        pairs.filter(|(to, from)| to != from).filter_map(|(to, from)| assigned(to, from)).collect()
    }

    /// Returns values of a type for an early return.
    pub fn results(&self, ty: Type) -> Vec<Vec<Piece>> {
        let mut found = match ty {
            ty if is_int(ty) => [0, 1, -1].map(|n| pieces(&Term::Number(n))).to_vec(),
            ty if is_bool(ty) => vec![vec![Piece::sign(True)], vec![Piece::sign(False)]],
            ty if ty.is_list() => vec![vec![Piece::sign(LeftBracket), Piece::sign(RightBracket)]],
            _ => Vec::new(),
        };
        let parameters =
            self.names.iter().map(|(name, _)| *name).filter(|name| self.view.is(*name, Role::Param));
        let same = parameters.filter(|name| self.view.ty(*name).kind() == ty.kind());
        found.extend(same.map(|name| vec![Piece::Copy(name.into())]));
        found
    }
}

/// Adds comparisons of a term with others and with 0 and 1.
fn compare(a: &Term, others: &[Term], found: &mut Vec<Vec<Piece>>) {
    const ALL: &[TokenKind] = &[Less, LessEqual, Greater, GreaterEqual, EqualEqual, BangEqual];
    let numbers = [(Term::Number(0), ALL), (Term::Number(1), &[EqualEqual, BangEqual, Greater])];
    let others = others.iter().map(|b| (*b, ALL)).chain(numbers);
    for (b, operators) in others {
        for operator in operators {
            found.push([pieces(a), vec![Piece::sign(*operator)], pieces(&b)].concat());
        }
    }
}

pub fn is_int(ty: Type) -> bool {
    ty.kind() == KIND_INT
}

fn pieces(term: &Term) -> Vec<Piece> {
    match *term {
        Term::Name(name) => vec![Piece::Copy(name.into())],
        Term::Length(name) => vec![
            Piece::New(Name, NAME_LEN),
            Piece::sign(LeftParen),
            Piece::Copy(name.into()),
            Piece::sign(RightParen),
        ],
        Term::Element(tokens) => vec![Piece::Copy(tokens)],
        Term::Number(-1) => vec![Piece::sign(Minus), Piece::New(Int, 1)],
        Term::Number(n) => vec![Piece::New(Int, n as u32)],
    }
}

pub fn is_bool(ty: Type) -> bool {
    ty.kind() == KIND_BOOL
}
