//! Renaming: a name gets another spelling wherever it is declared and used, and nothing else changes its meaning.

use std::ops::Range;

use super::{declaration, uses};
use crate::compiler::program::{Compiled, View};
use crate::compiler::stage::Compiler;
use crate::lang::index::TokenId;
use crate::lang::level::OptLevel;
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
/// Says why if the token is no name of the program, the spelling is not a name, or some name would then refer to another
/// declaration than before, or if an error hides the meaning of a token with the old spelling.
pub fn rename(program: &Compiled, t: TokenId, spelling: &str) -> Result<Renamed, String> {
    let view = program.view();
    let declared = declaration(view, t).ok_or("there is no name of this program here")?;
    let old = view.text(declared);
    let is_unresolved = |t: &TokenId| {
        view.kind(*t) == TokenKind::Name && view.text(*t) == old && declaration(view, *t).is_none()
    };
    if let Some(unresolved) = view.all().iter().find(is_unresolved) {
        let line = Lines::new(view.source).line(view.span(unresolved).unwrap_or_default().start);
        return Err(format!(
            "line {line} has an error, so it is not known what `{old}` means there: mend it first"
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
    let mut compiler = Compiler::at(OptLevel::default());
    compiler.compile(&text);
    let renamed = compiler.compiled(&text.as_str().into());
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

/// Returns whether every name refers to the same declaration in two programs with the same tokens but for spellings.
fn refers_alike(one: View, other: View) -> bool {
    one.len() == other.len() && one.all().iter().all(|t| declaration(one, t) == declaration(other, t))
}
