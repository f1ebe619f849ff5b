//! The rules by which a repair may change a program: one table.
//!
//! Most are the operators of mutation, for a bug is often one of them. The others are templates that tools for program repair
//! share (Kim et al., "PAR", 2013; Liu et al., "TBar", 2019).

use crate::lang::mutation::Operator;

macro_rules! rules {
    ($($variant:ident $name:literal $cost:literal $summary:literal;)*) => {
        /// A rule, in the order in which repairs are sought.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Rule { $($variant,)* }

        impl Rule {
            pub const ALL: &[Rule] = &[$(Rule::$variant,)*];

            /// The name in documents.
            pub const fn name(self) -> &'static str {
                match self { $(Rule::$variant => $name,)* }
            }
            /// What it does, in a few words.
            pub const fn summary(self) -> &'static str {
                match self { $(Rule::$variant => $summary,)* }
            }
            /// How much it changes: of two repairs the one of lower cost is the likelier one.
            pub const fn cost(self) -> u32 {
                match self { $(Rule::$variant => $cost,)* }
            }
        }
    };
}

rules! {
    Operator "operator" 2 "an operator replaced by another one of its family, or .. and ..= by each other";
    Constant "constant" 2 "a number replaced by 0, 1, -1 or a neighbour, true and false by each other";
    Sign "sign" 3 "- or ~ put before a number, ! before a truth, or such a prefix left out";
    Variable "variable" 3 "a variable or a number replaced by another variable of its type";
    Callee "callee" 3 "a function called instead of another one that takes the same";
    Arguments "arguments" 3 "two arguments of a call, or the sides of an assignment, swapped";
    OffByOne "off-by-one" 3 "1 added to a number, or taken from it";
    Wrap "wrap" 4 "a number kept from falling below, or passing, 0, 1 or a variable, or made positive";
    Halve "halve" 4 "half a sum taken without an overflow";
    Operand "operand" 4 "an operator replaced by one of its sides, or a call by one of its arguments";
    Join "join" 4 "a condition joined to another one by && or ||";
    Jump "jump" 4 "break and continue replaced by each other, or a loop left after one round";
    Expression "expression" 5 "an expression replaced by another one of the function, or a string changed";
    Target "target" 5 "another variable assigned to";
    Order "order" 5 "two statements swapped, or one moved out of its block or into the one before";
    Guard "guard" 6 "a statement done under a condition";
    Return "return" 6 "a value returned at once where a condition holds";
    Result "result" 7 "another value returned: 0, 1, -1, true, false, [] or a parameter";
    Copy "copy" 7 "a statement done twice";
    Else "else" 7 "an else left out";
    Deletion "deletion" 8 "a statement or an element of a list left out, or a condition made always true or always false";
}

impl Rule {
    /// The rule that an operator of mutation follows.
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
            Operator::Guard => Rule::Guard,
            Operator::ReturnValue => Rule::Result,
            Operator::Copy => Rule::Copy,
            Operator::ElsePart => Rule::Else,
            Operator::Deletion | Operator::Condition | Operator::Element => Rule::Deletion,
        }
    }
}
