//! The keys of both key sets: one row for each, absent commands included.

use super::absent::Rest;
use super::command::context::{HELIX as H, IDLE, NORMAL as N, PENDING as P, RECORDING, VISUAL as V};
use super::command::{Action, Case, Find, Motion, Operand, Operator, Place, Words};

/// The meaning of a row's keys, and the characters that follow them.
#[derive(Clone, Copy)]
pub enum Verb {
    Move(Motion),
    /// Followed by the character.
    Find(Find),
    /// Followed by the mark's name.
    Mark {
        is_line: bool,
    },
    /// Followed by the object's character.
    Object {
        is_around: bool,
    },
    /// In normal mode of vi, followed by its operand.
    Operator(Operator),
    /// An operator with its operand.
    Shortcut(Operator, Operand),
    Act(Action),
    /// Followed by a character.
    ActWith(fn(char) -> Action),
    /// Followed by the mark's name.
    SetMark,
    /// Followed by the old bracket or quote and the new one.
    ReplaceSurround,
    Absent(Rest),
}

/// The contexts in which keys have a meaning, the keys, the meaning. No row's keys begin with those of another row of the same
/// context.
pub type Row = (u8, &'static str, Verb);

/// The contexts of vi, and all.
const VI: u8 = N | V | P;
const ALL: u8 = VI | H;

const fn find(is_forward: bool, is_until: bool) -> Verb {
    Verb::Find(Find { forward: is_forward, until: is_until })
}

const fn put(is_after: bool) -> Verb {
    Verb::Act(Action::Put { is_after })
}

pub const ROWS: &[Row] = {
    use super::command::Operator::{
        Absent as NoOperator, Case as Recase, Change, Copy, Delete, Indent, Unindent,
    };
    use Action::*;
    use Motion::*;
    use Rest::{Keys, Line};
    use Verb::{Absent, Act, ActWith, Mark, Move, Object, Operator, ReplaceSurround, SetMark, Shortcut};
    &[
        (ALL, "h", Move(Left)),
        (ALL, "l", Move(Right)),
        (VI, " ", Move(Right)),
        (ALL, "j", Move(Down)),
        (ALL, "k", Move(Up)),
        (ALL, "0", Move(LineStart)),
        (ALL, "^", Move(Ink)),
        (ALL, "$", Move(LineEnd)),
        (ALL, "gg", Move(FirstLine)),
        (ALL, "G", Move(LastLine)),
        (ALL, "w", Move(WordStart(Words::Small))),
        (ALL, "b", Move(WordBefore(Words::Small))),
        (ALL, "e", Move(WordEnd(Words::Small))),
        (ALL, "W", Move(WordStart(Words::Big))),
        (ALL, "B", Move(WordBefore(Words::Big))),
        (ALL, "E", Move(WordEnd(Words::Big))),
        (ALL, "f", find(true, false)),
        (ALL, "t", find(true, true)),
        (ALL, "F", find(false, false)),
        (ALL, "T", find(false, true)),
        (VI, ";", Move(FindAgain { is_reversed: false })),
        (VI, ",", Move(FindAgain { is_reversed: true })),
        (VI, "%", Move(Bracket)),
        (VI, "'", Mark { is_line: true }),
        (VI, "`", Mark { is_line: false }),
        (H, "mm", Move(Bracket)),
        (H, "gh", Move(LineStart)),
        (H, "gl", Move(LineEnd)),
        (H, "gs", Move(Ink)),
        (H, "ge", Move(LastLine)),
        (V | P, "i", Object { is_around: false }),
        (V | P, "a", Object { is_around: true }),
        (H, "mi", Object { is_around: false }),
        (H, "ma", Object { is_around: true }),
        (N | V | H, "d", Operator(Delete)),
        (N | V | H, "c", Operator(Change)),
        (N | V | H, "y", Operator(Copy)),
        (N | V | H, ">", Operator(Indent)),
        (N | V | H, "<", Operator(Unindent)),
        (V, "x", Operator(Delete)),
        (V, "s", Operator(Change)),
        (N | V, "g~", Operator(Recase(Case::Other))),
        (N | V, "gu", Operator(Recase(Case::Lower))),
        (N | V, "gU", Operator(Recase(Case::Upper))),
        (V | H, "~", Operator(Recase(Case::Other))),
        (V, "u", Operator(Recase(Case::Lower))),
        (V, "U", Operator(Recase(Case::Upper))),
        (H, "`", Operator(Recase(Case::Lower))),
        (N, "x", Shortcut(Delete, Operand::Motion(Right))),
        (N, "X", Shortcut(Delete, Operand::Motion(Left))),
        (N, "D", Shortcut(Delete, Operand::Motion(LineEnd))),
        (N, "s", Shortcut(Change, Operand::Motion(Right))),
        (N, "S", Shortcut(Change, Operand::Lines)),
        (N, "C", Shortcut(Change, Operand::Motion(LineEnd))),
        (N, "Y", Shortcut(Copy, Operand::Motion(LineEnd))),
        (N | H, "i", Act(Insert(Place::Before))),
        (N | H, "a", Act(Insert(Place::After))),
        (N | H, "I", Act(Insert(Place::Ink))),
        (N | H, "A", Act(Insert(Place::End))),
        (N | H, "o", Act(Open { is_below: true })),
        (N | H, "O", Act(Open { is_below: false })),
        (N | V | H, "r", ActWith(Replace)),
        (N | V | H, "p", put(true)),
        (N | V | H, "P", put(false)),
        (H, "R", Act(ReplaceByRegister)),
        (N | V | H, "J", Act(Join)),
        (N, "~", Act(ToggleCase)),
        (N | H, "u", Act(Undo)),
        (H, "U", Act(Redo)),
        (N | H, ".", Act(Repeat)),
        (N | V | H, "v", Act(Select)),
        (N | V, "V", Act(SelectLines)),
        (V, "o", Act(SwapEnds)),
        (H, "x", Act(SelectLines)),
        (H, "%", Act(SelectAll)),
        (H, ";", Act(Collapse)),
        (N | V, "m", SetMark),
        (IDLE, "q", ActWith(Record)),
        (RECORDING, "q", Act(EndRecord)),
        (N | V, "@", ActWith(Play)),
        (H, "Q", Act(RecordOrEnd)),
        (H, "q", Act(PlayRecorded)),
        (N | H, "/", Act(Search)),
        (N | H, "n", Act(NextMatch)),
        (N | H, "N", Act(PreviousMatch)),
        (N, "*", Act(SearchWord { is_forward: true })),
        (N, "#", Act(SearchWord { is_forward: false })),
        (ALL & !P, ":", Act(CommandLine)),
        (N | V | H, "gd", Act(Definition)),
        (H, "s", Act(SelectMatches { is_split: false })),
        (H, "S", Act(SelectMatches { is_split: true })),
        (H, "C", Act(AddCursorBelow)),
        (H, ",", Act(KeepCursor)),
        (H, "ms", ActWith(Surround)),
        (H, "md", ActWith(DropSurround)),
        (H, "mr", ReplaceSurround),
        (H, "gr", Act(SearchWord { is_forward: true })),
        (H, " f", Act(Menu('f'))),
        (H, " b", Act(Menu('b'))),
        (H, " d", Act(Menu('d'))),
        (H, " r", Act(Menu('r'))),
        (H, " a", Act(Menu('a'))),
        (H, " s", Act(Menu('s'))),
        (H, " y", Operator(Copy)),
        (H, " p", Act(Menu('p'))),
        (H, " /", Act(Search)),
        // Absent.
        (N | V, "=", Operator(NoOperator(None))),
        (N | V, "!", Operator(NoOperator(Some(Line)))),
        (N | V, "gq", Operator(NoOperator(None))),
        (N | V, "gw", Operator(NoOperator(None))),
        (N | V, "g?", Operator(NoOperator(None))),
        (N | V, "g@", Operator(NoOperator(None))),
        (P, "\"", Absent(Keys(1))),
        (N | V, "Z", Absent(Keys(1))),
        (VI, "z", Absent(Keys(1))),
        (VI, "[", Absent(Keys(1))),
        (VI, "]", Absent(Keys(1))),
        (N, "gr", Absent(Keys(1))),
        (VI, "g'", Absent(Keys(1))),
        (VI, "g`", Absent(Keys(1))),
        (VI, "?", Absent(Line)),
        (V | P, "/", Absent(Line)),
        (H, "K", Absent(Line)),
        (H, "|", Absent(Line)),
        (H, "!", Absent(Line)),
        (H, "?", Absent(Line)),
        (H, "[", Absent(Keys(1))),
        (H, "]", Absent(Keys(1))),
        (H, "z", Absent(Keys(1))),
        (H, "Z", Absent(Keys(1))),
        (H, " w", Absent(Keys(1))),
        // Lists with a text.
        (H, " F", Absent(Line)),
        (H, " j", Absent(Line)),
        (H, " g", Absent(Line)),
        (H, " S", Absent(Line)),
        (H, " D", Absent(Line)),
        (H, " '", Absent(Line)),
        (H, " ?", Absent(Line)),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_no_row_begin_with_those_of_another() {
        for (i, (contexts, keys, _)) in ROWS.iter().enumerate() {
            for (j, (others, longer, _)) in ROWS.iter().enumerate() {
                let meets = i != j && contexts & others != 0 && longer.starts_with(keys);
                assert!(!meets, "{keys} and {longer}");
            }
        }
    }
}
