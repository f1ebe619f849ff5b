//! The table of rules by which a repair may change a program.
//!
//! Most rules are mutation operators, since a bug often resembles a mutation. The others are templates shared by
//! program repair tools (Kim et al., "PAR", 2013; Liu et al., "TBar", 2019).

use crate::lang::mutation::Operator;

macro_rules! rules {
    ($($variant:ident $name:literal $cost:literal $summary:literal;)*) => {
        /// A repair rule, in the order in which rules are tried.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Rule { $($variant,)* }

        impl Rule {
            pub const ALL: &[Rule] = &[$(Rule::$variant,)*];

            /// Returns the name in documents.
            pub const fn name(self) -> &'static str {
                match self { $(Rule::$variant => $name,)* }
            }
            /// Returns a short description of the change.
            pub const fn summary(self) -> &'static str {
                match self { $(Rule::$variant => $summary,)* }
            }
            /// Returns the size of the change. A repair of lower cost is more likely to be right.
            pub const fn cost(self) -> u32 {
                match self { $(Rule::$variant => $cost,)* }
            }
        }
    };
}

rules! {
    Hole "hole" 1 "a ? filled with an expression";
    Operator "operator" 2 "an operator replaced by another of its family, or .. and ..= by each other";
    Constant "constant" 2 "a number replaced by 0, 1, -1 or a neighbour, true and false by each other";
    Sign "sign" 3 "- or ~ put before a number, ! before a bool, or such a prefix removed";
    Variable "variable" 3 "a variable or a number replaced by another variable of its type";
    Callee "callee" 3 "a call of another function with the same parameters";
    Arguments "arguments" 3 "two arguments of a call, or the sides of an assignment, swapped";
    OffByOne "off-by-one" 3 "1 added to a number, or subtracted from it";
    Wrap "wrap" 4 "a number limited by 0, 1 or a variable with min or max, or made positive with abs";
    Sides "sides" 3 "the two sides of - / % << >>, or of + on lists, exchanged";
    Exchange "exchange" 4 "two variables of a statement exchanged";
    Slice "slice" 4 "a list replaced by a part of it, or a slice by the whole list";
    Fill "fill" 4 "an element put into []";
    Halve "halve" 4 "half of a sum computed without overflow";
    RoundUp "round-up" 4 "a division rounded up";
    Chain "chain" 4 "all conditions of a chain joined by || instead of &&, or the reverse";
    Case "case" 5 "another case added to a comparison with a number or character";
    Operand "operand" 4 "an operator replaced by one of its sides, or a call by one of its arguments";
    Join "join" 4 "a condition joined to another by && or ||";
    Jump "jump" 4 "break and continue replaced by each other, or a loop ended after one iteration";
    Expression "expression" 5 "an expression replaced by another of the function, or a string changed";
    Target "target" 5 "the target of an assignment replaced by another variable, or by an element that its value reads";
    Order "order" 5 "two statements swapped, or one moved out of its block or into the one before";
    Addend "addend" 5 "a variable, a length or a number added, subtracted, multiplied, or divided by; a list joined to another";
    Place "place" 5 "an element assigned instead of a variable or the reverse, or the sides of an assignment exchanged";
    Loop "loop" 5 "a statement moved out of the loop around it, or into the loop after it";
    Insert "insert" 6 "an assignment inserted: a copy of another one with at most one name or number replaced, or of a variable to another or to a list's end";
    Guard "guard" 6 "a statement put under a condition";
    Return "return" 6 "an early return under a condition inserted";
    Result "result" 7 "a returned value replaced by 0, 1, -1, true, false, [] or a parameter";
    Copy "copy" 7 "a statement duplicated";
    Else "else" 7 "an else branch removed";
    Deletion "deletion" 8 "a statement or a list element removed, or a condition made always true or always false";
}

impl Rule {
    pub const fn of(operator: Operator) -> Rule {
        match operator {
            Operator::Arithmetic | Operator::Relational | Operator::Logical | Operator::Bitwise => {
                Rule::Operator
            }
            Operator::Constant => Rule::Constant,
            Operator::UnaryInsertion | Operator::UnaryRemoval | Operator::Sign => Rule::Sign,
            Operator::Variable => Rule::Variable,
            Operator::Callee => Rule::Callee,
            Operator::Swap => Rule::Arguments,
            Operator::Bound | Operator::OffByOne => Rule::OffByOne,
            Operator::Argument | Operator::Operand => Rule::Operand,
            Operator::Join => Rule::Join,
            Operator::Jump | Operator::Once => Rule::Jump,
            Operator::Text | Operator::Expression => Rule::Expression,
            Operator::Target => Rule::Target,
            Operator::Order | Operator::Move => Rule::Order,
            Operator::Sides => Rule::Sides,
            Operator::Exchange => Rule::Exchange,
            Operator::Fill => Rule::Fill,
            Operator::Addend => Rule::Addend,
            Operator::Slice => Rule::Slice,
            Operator::Place => Rule::Place,
            Operator::Insert => Rule::Insert,
            Operator::Loop => Rule::Loop,
            Operator::Guard => Rule::Guard,
            Operator::ReturnValue => Rule::Result,
            Operator::Copy => Rule::Copy,
            Operator::ElsePart => Rule::Else,
            Operator::Deletion | Operator::Condition | Operator::Element => Rule::Deletion,
        }
    }
}
