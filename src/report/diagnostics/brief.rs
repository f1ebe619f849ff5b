//! A short form of each diagnostic, and whether more typing can mend it.

use crate::lang::diagnostic::Code;

/// Where typing can mend an error, so that an editor does not call it wrong while somebody writes there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mend {
    /// Only a change of what is written mends it.
    Never,
    /// At the cursor or after it.
    AtCursor,
    /// Directly before the cursor: what is written there may be the beginning of something else.
    BeforeCursor,
    /// Anywhere on its line.
    OnLine,
    /// Anywhere in its function, test or property.
    InItem,
    /// By a function that is not written yet.
    ByFunction,
}

/// Returns a few words for a diagnostic, and where typing can mend it.
pub fn brief(code: Code) -> (&'static str, Mend) {
    use Mend::*;
    match code {
        Code::None => ("", Never),
        Code::UnexpectedCharacter => ("unexpected character", BeforeCursor),
        Code::Unterminated => ("no end on this line", AtCursor),
        Code::MalformedNumber => ("not a number", AtCursor),
        Code::LiteralOutOfRange => ("does not fit an int", Never),
        Code::BadLiteral => ("bad escape or character", AtCursor),
        Code::UnexpectedToken => ("unexpected here", AtCursor),
        Code::NeverClosed => ("never closed", InItem),
        Code::NeverOpened => ("closes nothing", Never),
        Code::ChainedComparison => ("comparisons do not chain", Never),
        Code::MissingSemicolon => ("`;` is missing", OnLine),
        Code::ExpressionStatement => ("no statement", OnLine),
        Code::UnknownVariable => ("unknown name", AtCursor),
        Code::UnknownFunction => ("unknown function", ByFunction),
        Code::AlreadyDeclared => ("declared twice", AtCursor),
        Code::AssignToConstant => ("a constant", Never),
        Code::TypeMismatch => ("wrong type", BeforeCursor),
        Code::OperatorUndefined => ("wrong operator", BeforeCursor),
        Code::ArgumentCount => ("wrong arguments", OnLine),
        Code::EmptyListType => ("type unknown", Never),
        Code::NotAList => ("not a list", Never),
        Code::NotConstant => ("not constant", Never),
        Code::MissingReturn => ("no `return`", InItem),
        Code::Unreachable => ("never runs", Never),
        Code::OutsideLoop => ("outside of a loop", Never),
        Code::SourceTooLong => ("text too long", Never),
        Code::TooManyTokens => ("too many tokens", Never),
        Code::NestingTooDeep => ("nested too deep", Never),
        Code::TooManyLocals => ("too many variables", Never),
        Code::TooManyFunctions => ("too many functions", Never),
        Code::TooManyTests => ("too many tests", Never),
        Code::CapacityOutOfRange => ("bad capacity", Never),
        Code::UnusedName => ("unused", InItem),
        Code::OneOutcome => ("one outcome", Never),
        Code::TestCallsNothing => ("calls nothing", InItem),
        Code::EmptyDomain => ("no values", Never),
        Code::IgnoresNothing | Code::IgnoresNoChange => ("ignores nothing", Never),
        Code::AlwaysOutside => ("out of bounds", Never),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_short_form_is_shorter_than_a_message() {
        for code in Code::ALL.iter().filter(|code| **code != Code::None) {
            let (words, _) = brief(*code);
            assert!((4..=24).contains(&words.len()), "{code:?}: {words}");
        }
    }
}
