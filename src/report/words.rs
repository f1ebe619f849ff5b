//! Formats the words of neural compilation, with the names and values of their slots.

use super::align::Comparable;
use crate::compiler::program::Compiled;
use crate::lang::index::TokenId;
use crate::lang::role::Role;
use crate::network::source::Tables;
use crate::network::vocabulary::{self, Family};

/// The names of the slots of one function's words.
pub struct WordNames<'a> {
    tables: &'a Tables,
    variables: Vec<&'a str>,
    functions: Vec<&'a str>,
}

impl<'a> WordNames<'a> {
    /// Collects the names in the function that `tables` were read from.
    pub fn new(program: &'a Compiled, tables: &'a Tables) -> WordNames<'a> {
        let view = program.view();
        let own = tables.callees.first().and_then(|own| program.executable.routine(own.function));
        let extent = own.map(|function| view.extent(function.head()));
        let declares =
            |token: &TokenId| matches!(view.role(*token), Role::Param | Role::LetName | Role::LoopVar);
        WordNames {
            tables,
            variables: extent.into_iter().flatten().filter(declares).map(|token| view.text(token)).collect(),
            functions: tables.callees.iter().map(|callee| program.function_name(callee.function)).collect(),
        }
    }

    /// Formats a word: `store total`, `const 10`, `call gcd`; labels stay numbers.
    pub fn of(&self, word: u16) -> String {
        let Some((family, index)) = Family::of(word) else { return vocabulary::text(word) };
        let slot = index as usize;
        let name = match family {
            Family::Load
            | Family::Store
            | Family::Index
            | Family::StoreIndex
            | Family::SliceOf
            | Family::Len
            | Family::Range
            | Family::RangeInclusive
            | Family::Each
            | Family::Variable => self.variables.get(slot).map(|name| name.to_string()),
            Family::Copy | Family::Constant | Family::RepeatCopy => {
                self.tables.constants.get(slot).map(|value| value.to_string())
            }
            Family::Call | Family::Callee => self.functions.get(slot).map(|name| name.to_string()),
            _ => None,
        };
        match name {
            // A family's own text ends in the letter of its slots.
            Some(name) => format!("{}{name}", &family.text()[..family.text().len() - 1]),
            None => vocabulary::text(word),
        }
    }

    /// Returns the part of a word that an alignment compares: the numbers of labels do not count.
    pub fn comparable(&self, word: u16) -> Comparable {
        use Family::{For, IfFalse, IfFalseOrPop, IfTrue, IfTrueOrPop, Jump, Label};
        match Family::of(word) {
            Some((family @ Label, label)) => {
                Comparable { text: family.text().to_string(), at: Some(label), target: None }
            }
            Some((family @ (Jump | IfFalse | IfTrue | IfFalseOrPop | IfTrueOrPop | For), label)) => {
                Comparable { text: family.text().to_string(), at: None, target: Some(label) }
            }
            _ => Comparable::of(self.of(word)),
        }
    }
}
