//! Commands as data: count, register, operator, and a motion or an object.

use super::absent::Rest;

/// A search for a character in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Find {
    pub forward: bool,
    /// Stop before the character.
    pub until: bool,
}

/// The places that keys lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    Left,
    Right,
    Down,
    Up,
    LineStart,
    /// The first character of the line that is not blank.
    Ink,
    LineEnd,
    FirstLine,
    LastLine,
    WordStart(Words),
    WordBefore(Words),
    WordEnd(Words),
    Find(Find, char),
    /// The last search for a character again, or in the other direction.
    FindAgain {
        is_reversed: bool,
    },
    Bracket,
    Mark {
        name: char,
        /// The start of its line.
        is_line: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// Letters, digits and `_`; signs are words of their own.
    Small,
    /// Separated by blanks only.
    Big,
}

/// A part of the text around the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    Word(Words),
    /// The text between this bracket and its partner.
    Pair(char),
    /// The text between two quotes of the line.
    Quote(char),
    Paragraph,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Lower,
    Upper,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Delete,
    Change,
    Copy,
    Indent,
    Unindent,
    Case(Case),
    /// An operator that does not exist here. It takes an operand like others, then possibly a text.
    Absent(Option<Rest>),
}

/// The text that an operator acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    Motion(Motion),
    Object {
        object: Object,
        is_around: bool,
    },
    Lines,
    Selection,
    /// As many lines and characters as the selection had when the command was first given.
    Extent {
        lines: usize,
        characters: usize,
        is_lines: bool,
    },
}

/// The place where an insertion begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Before,
    After,
    /// At the first character of the line that is not blank.
    Ink,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Insert(Place),
    Open {
        is_below: bool,
    },
    Replace(char),
    Put {
        is_after: bool,
    },
    ReplaceByRegister,
    Join,
    ToggleCase,
    Undo,
    Redo,
    Repeat,
    Select,
    SelectLines,
    SelectAll,
    SwapEnds,
    Collapse,
    SetMark(char),
    Record(char),
    EndRecord,
    Play(char),
    /// helix: records into the chosen register, or ends the recording; plays it.
    RecordOrEnd,
    PlayRecorded,
    Search,
    NextMatch,
    PreviousMatch,
    SearchWord {
        is_forward: bool,
    },
    CommandLine,
    Definition,
    /// Keeps the matches in the selections, or the text between them.
    SelectMatches {
        is_split: bool,
    },
    AddCursorBelow,
    KeepCursor,
    Surround(char),
    DropSurround(char),
    ReplaceSurround(char, char),
    /// A row of helix' menu for the space key, or of `g`.
    Menu(char),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Move(Motion),
    Operate(Operator, Operand),
    /// Selects an object.
    Select {
        object: Object,
        is_around: bool,
    },
    Act(Action),
}

/// A command with all of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    pub register: Option<char>,
    pub count: Option<usize>,
    pub what: What,
}

/// The situations in which a key has a meaning, as bits.
pub mod context {
    pub const NORMAL: u8 = 1;
    pub const VISUAL: u8 = 2;
    /// After an operator.
    pub const PENDING: u8 = 4;
    pub const HELIX: u8 = 8;
    /// While keys are recorded, in addition to the others.
    pub const RECORDING: u8 = 16;
    pub const IDLE: u8 = 32;
}
