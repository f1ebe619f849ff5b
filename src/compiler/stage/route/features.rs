//! The features of a function for the router: integers, computed from the columns of parse and check.
//!
//! The GPU twin is `shaders/route.wgsl`. This one walks once over the function's tokens.

use crate::compiler::program::{Compiled, View};
use crate::lang::index::{RoutineId, TokenId};
use crate::lang::numbered;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;

use crate::compiler::stage::route::constructs::{SURPRISE, construct};

numbered! {
    /// The features, in order.
    pub enum Feature {
        /// Number of tokens.
        Length,
        /// Greatest number of brackets open at once.
        Nesting,
        /// `while` and `for`.
        Loops,
        /// `if`, `&&` and `||`.
        Branches,
        /// Calls of the program's own functions.
        Functions,
        /// Calls of built-in functions.
        Calls,
        /// List types and list expressions, including strings.
        Lists,
        /// Literals; each code of a string counts.
        Constants,
        /// Variables, including parameters.
        Variables,
        /// Sum of the surprise of all constructs, in bits.
        Rarity,
        /// The greatest surprise of a construct, in sixteenths of a bit.
        Rarest,
    }
}

/// Number of features.
pub const FEATURES: usize = Feature::ALL.len();
/// The greatest value of a feature; greater values count as this one.
pub const MOST: u32 = 1_023;

/// A function's features, by [`Feature`].
pub type Features = [u32; FEATURES];

impl Feature {
    /// The name on screen and in documents.
    pub fn name(self) -> String {
        self.ident().to_lowercase()
    }
}

/// Computes the features of a function of a program without errors; `None` if there is no such function.
pub fn of(program: &Compiled, function: RoutineId) -> Option<Features> {
    let view = program.view();
    let tokens = view.extent(program.program().function(function)?.head());
    let mut features = Features::default();
    features[Feature::Length as usize] = tokens.len();
    let (mut open, mut surprise) = (0u32, 0u32);
    for token in tokens {
        let kind = view.kind(token);
        match kind {
            TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => {
                open += 1;
                let nesting = &mut features[Feature::Nesting as usize];
                *nesting = open.max(*nesting);
            }
            TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                open = open.saturating_sub(1);
            }
            _ => {}
        }
        let role = view.role(token);
        if role == Role::None {
            continue;
        }
        let own = u32::from(SURPRISE[construct(role, kind)]);
        surprise += own;
        let rarest = &mut features[Feature::Rarest as usize];
        *rarest = own.max(*rarest);
        for (feature, count) in counts(view, token) {
            features[feature as usize] += count;
        }
    }
    features[Feature::Rarity as usize] = surprise / 16;
    Some(features.map(|feature| feature.min(MOST)))
}

/// The features that a node adds to, and the amounts.
fn counts(view: View, node: TokenId) -> impl Iterator<Item = (Feature, u32)> {
    use Feature::*;
    let (one, other) = match view.role(node) {
        Role::While | Role::For => (Some((Loops, 1)), None),
        Role::If => (Some((Branches, 1)), None),
        Role::Binary if view.kind(node).is_logical() => (Some((Branches, 1)), None),
        Role::Call if view.declaration(node).is_some() => (Some((Functions, 1)), None),
        Role::Call => (Some((Calls, 1)), None),
        Role::Str => (Some((Lists, 1)), Some((Constants, view.value(node)))),
        Role::TypeList | Role::Index | Role::Slice | Role::List | Role::Repeat => (Some((Lists, 1)), None),
        Role::Int | Role::Bool => (Some((Constants, 1)), None),
        Role::Param | Role::LetName | Role::LoopVar => (Some((Variables, 1)), None),
        _ => (None, None),
    };
    one.into_iter().chain(other)
}
