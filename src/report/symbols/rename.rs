//! Renaming: a name gets another spelling wherever it is declared and used, and nothing else changes its meaning.

use std::ops::Range;

use super::{builtin, declaration, is_call, uses};
use crate::compiler::program::{Compiled, View};
use crate::compiler::stage::compile;
use crate::lang::index::TokenId;
use crate::lang::token::TokenKind;
use crate::report::places::Lines;

/// A program in which a name has another spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The places of the name in the old text, in order.
    pub places: Vec<Range<usize>>,
    pub text: String,
}

/// Changes the spelling of the name at a token.
///
/// # Errors
/// Says why if the token is no name of the program, the spelling is not a name, an error leaves a use of the old spelling
/// unresolved, or some name would then refer to another declaration than before.
pub fn rename(program: &Compiled, t: TokenId, spelling: &str) -> Result<Renamed, String> {
    let view = program.view();
    let declared = declaration(view, t).ok_or("there is no name of this program here")?;
    if let Some(unresolved) = unresolved(view, view.text(declared)).and_then(|t| view.span(t)) {
        let line = Lines::new(&program.text).line(unresolved.start);
        return Err(format!(
            "an error hides what `{}` on line {line} refers to: correct the program first",
            view.text(declared)
        ));
    }
    let places: Vec<Range<usize>> = uses(view, declared).into_iter().filter_map(|t| view.span(t)).collect();
    let mut text = String::with_capacity(program.text.len());
    let mut end = 0;
    for place in &places {
        text.push_str(&program.text[end..place.start]);
        text.push_str(spelling);
        end = place.end;
    }
    text.push_str(&program.text[end..]);
    let renamed = compile(&text);
    let after = renamed.view();
    if after.kind(declared) != TokenKind::Name || after.text(declared) != spelling {
        return Err(format!(
            "`{spelling}` is not a name: letters, digits and `_`, no digit first, and no keyword"
        ));
    }
    match renamed.facts.errors > program.facts.errors || !refers_alike(view, after) {
        true => {
            Err(format!("`{spelling}` is taken: some names would refer to another declaration than before"))
        }
        false => Ok(Renamed { places, text }),
    }
}

/// Returns the first token with a spelling whose declaration is unknown.
fn unresolved(view: View, spelling: &str) -> Option<TokenId> {
    let is_known = |t| declaration(view, t).is_some() || is_call(view, t) && builtin(view.text(t)).is_some();
    let mut names = view.all().iter().filter(|t| view.kind(*t) == TokenKind::Name && view.text(*t) == spelling);
    names.find(|t| !is_known(*t))
}

/// Returns whether every name refers to the same declaration in two programs with the same tokens but for spellings.
fn refers_alike(one: View, other: View) -> bool {
    one.len() == other.len() && one.all().iter().all(|t| declaration(one, t) == declaration(other, t))
}
