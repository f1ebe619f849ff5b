//! The mutation operators, in one table.
//!
//! The mutate stage uses an operator's number; `--operators` and documents use its name. `docs/stages/mutate.md`
//! lists the tokens and nodes that each operator changes. The families of interchangeable tokens
//! are declared here.
//!
//! The first operators are those of the literature (Offutt and others, "An experimental determination of
//! sufficient mutant operators", 1996).

use super::token::TokenKind::{self, *};

macro_rules! operators {
    ($($variant:ident $group:ident $name:literal $summary:literal $why:literal;)*) => {
        super::numbered! {
            /// The operators, in the order in which the edits of one token are numbered.
            pub enum Operator { $($variant,)* }
        }
        impl Operator {
            /// The name in documents and on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Operator::$variant => $name,)* }
            }
            /// The group that the operator belongs to.
            pub const fn group(self) -> Group {
                match self { $(Operator::$variant => Group::$group,)* }
            }
            /// A short description of the change.
            pub const fn summary(self) -> &'static str {
                match self { $(Operator::$variant => $summary,)* }
            }
            /// What a surviving mutant of this operator means for the tests, as one sentence.
            pub const fn why(self) -> &'static str {
                match self { $(Operator::$variant => $why,)* }
            }
        }
    };
}

super::numbered! {
    /// Groups of operators. Each group includes the groups before it.
    pub enum Group {
        /// The operators used by default.
        Default,
        /// More operators, with coarser changes.
        Strong,
        /// Changes that are more likely to repair a bug than to resemble a common mistake.
        Repair,
    }
}

impl Group {
    /// The name on the command line and in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Default => "default",
            Group::Strong => "strong",
            Group::Repair => "repair",
        }
    }

    /// The most tokens by which an edit of this group lengthens a program.
    pub const fn added(self) -> u32 {
        match self {
            Group::Default | Group::Strong => 4,
            // The longest insertion is a copied statement.
            Group::Repair => caps::STATEMENT,
        }
    }
}

#[expect(clippy::derivable_impls, reason = "the numbers of groups are declared by a macro")]
impl Default for Group {
    fn default() -> Group {
        Group::Default
    }
}

/// Bounds on the number and size of the repair group's edits.
pub mod caps {
    /// Variables that may replace a name.
    pub const VARIABLES: u32 = 16;
    /// Functions that may replace a callee.
    pub const CALLEES: u32 = 4;
    /// Greatest distance in tokens between the heads of an expression and its replacement.
    pub const WINDOW: u32 = 128;
    /// Expressions that may replace one expression.
    pub const EXPRESSIONS: u32 = 24;
    /// Tokens of an expression that is copied elsewhere.
    pub const LONGEST: u32 = 12;
    /// Tokens of a statement that is duplicated.
    pub const STATEMENT: u32 = 24;
    /// Conditions of the function that are copied elsewhere.
    pub const CONDITIONS: u32 = 8;
    /// Variables that generated comparisons use.
    pub const TERMS: u32 = 6;
    /// Bool variables that serve as conditions.
    pub const TRUTHS: u32 = 4;
    /// Variables of a statement that may be exchanged with one of them.
    pub const EXCHANGES: u32 = 8;
    /// Expressions that may be put into an empty list.
    pub const FILLS: u32 = 8;
    /// Numbers of the function that may become an operand.
    pub const NUMBERS: u32 = 2;
    /// Lists, and indices of each, that form the target of an assignment.
    pub const PLACES: u32 = 4;
    /// Assignments that may be inserted, names or numbers of each that may be replaced, and variables that replace one.
    pub const SOURCES: u32 = 6;
    pub const NAMES: u32 = 3;
    pub const OTHERS: u32 = 3;
    /// Occurrences of a replaced name.
    pub const OCCURRENCES: u32 = 6;
}

operators! {
    Arithmetic Default "arithmetic" "+ - * / % replaced by each other, in assignments too"
        "No test depends on the result of this calculation.";
    Relational Default "relational" "== != < <= > >= replaced by each other"
        "No test has values on this comparison's boundary, or on its other side.";
    Logical Default "logical" "&& and || replaced by each other"
        "No test makes exactly one side of this condition true.";
    Bitwise Default "bitwise" "& | ^ replaced by each other, << and >> too, also in assignments"
        "No test has operands for which these operators differ.";
    UnaryInsertion Default "unary-insertion" "- or ~ put before an int variable, ! before a bool variable or call"
        "No test depends on the sign or truth of this value.";
    UnaryRemoval Default "unary-removal" "a prefix operator left out"
        "No test depends on this prefix operator.";
    Constant Default "constant" "a number replaced by 0, 1, -1 or a neighbour, true and false by each other"
        "No test depends on this constant's exact value.";
    Deletion Default "deletion" "an assignment, if, loop, break, continue or return left out"
        "No test needs this statement.";
    Condition Default "condition" "the condition of an if or while made always true or always false"
        "No test depends on which branch is taken here.";
    Jump Strong "jump" "break and continue replaced by each other"
        "No test depends on whether this leaves the loop or continues it.";
    ElsePart Strong "else-part" "the else part of an if left out"
        "No test needs the else part.";
    ReturnValue Strong "return-value" "the value of a return replaced by 0, 1, -1, true, false or [], or by a parameter"
        "No test looks at what is returned here.";
    Element Strong "element" "an element of a list left out"
        "No test needs this element.";
    Argument Strong "argument" "a call replaced by one of its arguments of its type"
        "No test needs what this call does with its argument.";
    Swap Strong "swap" "two neighbouring arguments of one type exchanged"
        "No test depends on the order of these arguments.";
    Bound Strong "bound" "a bound of a slice made one more or one less"
        "No test looks at where this slice begins or ends.";
    Text Strong "string" "a string emptied, its last character left out, or its first one changed"
        "No test looks at all of this string.";
    Once Strong "once" "a break put at the end of a loop's body"
        "No test needs another round of this loop.";
    Variable Repair "variable" "a variable or number replaced by another variable of its type"
        "No test has different values in these variables here.";
    OffByOne Repair "off-by-one" "1 added to an int expression, or taken from it"
        "No test depends on the exact value of this expression.";
    Sign Repair "sign" "- put before an int expression, ! before a bool one"
        "No test depends on the sign or truth of this value.";
    Operand Repair "operand" "an operator replaced by one of its operands"
        "No test needs both sides of this operator.";
    Callee Repair "callee" "a call of another function with the same parameters and result, min and max by each other"
        "No test depends on which of these functions is called.";
    Expression Repair "expression" "an expression replaced by another one of its type from the same function"
        "No test has different values for these expressions here.";
    Join Repair "join" "the condition of an if or while combined with another condition by && or ||"
        "No test depends on this condition alone.";
    Guard Repair "guard" "a statement done only under a condition"
        "No test needs this statement where the condition fails.";
    Copy Repair "copy" "a statement done twice"
        "No test depends on whether this is done once or twice.";
    Order Repair "order" "two neighbouring statements exchanged"
        "No test depends on the order of these statements.";
    Move Repair "move" "a statement moved into the block before it, or out of its own"
        "No test depends on how often, or when, this is done.";
    Target Repair "target" "another variable of its type assigned instead"
        "No test depends on which variable is assigned here.";
    Sides Repair "sides" "the two sides of - / % << >>, or of + on lists, exchanged"
        "No test depends on the order of these operands.";
    Exchange Repair "exchange" "two variables of a statement exchanged"
        "No test has different values in these two variables here.";
    Fill Repair "fill" "an element put into []"
        "No test depends on whether this list is empty.";
    Addend Repair "addend" "a variable, a length or a number added, subtracted, multiplied, or divided by"
        "No test depends on the exact value of this expression.";
    Slice Repair "slice" "a list replaced by a part of it, or a slice by the whole list"
        "No test depends on where this list begins or ends.";
    Place Repair "place" "an element assigned instead of a variable or the reverse, or its sides exchanged"
        "No test depends on where this value is stored.";
    Insert Repair "insert" "a copy of another assignment inserted, with at most one name or number replaced"
        "No test notices that this is done as well.";
    Loop Repair "loop" "a statement moved out of the loop around it, or into the loop after it"
        "No test depends on how often, or when, this is done.";
}

impl Operator {
    pub fn from_name(name: &str) -> Option<Operator> {
        Operator::ALL.iter().copied().find(|operator| operator.name() == name)
    }
}

/// Tokens that replace each other, in the order of their edits. The compound assignments that apply them do
/// so likewise.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub operator: Operator,
    /// Whether the first operand must be an int (`Some(true)`) or must not be one (`Some(false)`); `None` if
    /// both are allowed.
    pub int: Option<bool>,
    pub members: &'static [TokenKind],
}

macro_rules! families {
    ($($operator:ident $int:expr => $($member:ident)*;)*) => {
        /// The families. A token belongs to the first family that lists it.
        pub const FAMILIES: &[Family] =
            &[$(Family { operator: Operator::$operator, int: $int, members: &[$($member,)*] },)*];
    };
}

families! {
    Arithmetic Some(true) => Plus Minus Star Slash Percent;
    Relational Some(true) => EqualEqual BangEqual Less LessEqual Greater GreaterEqual;
    Relational Some(false) => EqualEqual BangEqual;
    Logical None => AmpersandAmpersand BarBar;
    Bitwise None => Ampersand Bar Caret;
    Bitwise None => ShiftLeft ShiftRight;
}

impl Family {
    /// Returns the members, or with `assignments` the compound assignments that apply them.
    pub fn tokens(&self, assignments: bool) -> impl Iterator<Item = TokenKind> + use<> {
        let token = move |member: TokenKind| if assignments { member.assignment() } else { Some(member) };
        self.members.iter().copied().filter_map(token)
    }
}

/// Returns the operator that replaces token `kind` and the whole family of `kind`, `kind` included. `int`
/// says whether the token's first operand is an int.
pub fn family(kind: TokenKind, int: bool) -> Option<(Operator, impl Iterator<Item = TokenKind>)> {
    let applied = kind.compound_operator();
    let operator = applied.unwrap_or(kind);
    let fits =
        |family: &&Family| family.int.is_none_or(|wanted| wanted == int) && family.members.contains(&operator);
    let family = FAMILIES.iter().find(fits)?;
    Some((family.operator, family.tokens(applied.is_some())))
}
