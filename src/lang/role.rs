//! The roles of tokens in the syntax tree. A node of the tree *is* its head token.

use super::numbered;

numbered! {
    /// The syntactic role of a head token. `None` for a token that heads no node.
    ///
    /// Each variant lists its head token, then its children as `slot: child`. Children without a stated slot
    /// have slot 0 and are ordered by position.
    pub enum Role {
        None,
        /// `fn`. 0: FnName; 1: return type; 2: Block; 3 + j: Param j.
        Fn,
        /// `const`. 0: ConstName; 1: value.
        Const,
        /// `test`. 0: Label, if any; 1: expression.
        Test,
        /// `prop`. 0: Label, if any; 1: body; 2: condition, if any; 3 + j: Binder j.
        Prop,
        /// The string that names a test or property.
        Label,
        /// The name after `fn`.
        FnName,
        /// The name of a parameter. 0: its type.
        Param,
        /// The name after `const`.
        ConstName,
        /// The name after `let`.
        LetName,
        /// The name after `for`.
        LoopVar,
        /// The name of a binder. 0: lower bound; 1: upper bound; 2: greatest length, for a list domain.
        Binder,
        /// `int` as a type.
        TypeInt,
        /// `bool` as a type.
        TypeBool,
        /// `[` of a list type. 0: capacity, if written. The next token is the element type.
        TypeList,
        /// `{`. Its children are statements.
        Block,
        /// `let`. 0: LetName; 1: type, if written; 2: value.
        Let,
        /// `=` or a compound assignment. 0: target, a Var or an Index of a Var; 1: value.
        Assign,
        /// `if`. 0: condition; 1: Block; 2: the Block or If after `else`.
        If,
        /// `while`. 0: condition; 1: Block.
        While,
        /// `for`. 0: LoopVar; 1: lower bound or list; 2: upper bound of a range; 3: Block.
        For,
        Break,
        Continue,
        /// `return`. 0: value.
        Return,
        /// First token of a statement with a lexical or syntax error, unless that token keeps another role.
        Broken,
        /// Integer or character literal.
        Int,
        /// `true` or `false`.
        Bool,
        /// String literal as an expression.
        Str,
        /// Use of a variable, parameter or constant.
        Var,
        /// The name (or `int`) before `(`. j: argument j.
        Call,
        /// `(` around an expression. 0: inside.
        Group,
        /// `[` after an operand. 0: indexed list; 1: index.
        Index,
        /// `[` after an operand. 0: sliced list; 1, 2: bounds.
        Slice,
        /// `[` of a list literal. j: element j.
        List,
        /// `[` of `[E; N]`. 0: element; 1: count.
        Repeat,
        /// Prefix operator. 0: operand.
        Unary,
        /// Infix operator. 0: left; 1: right.
        Binary,
        /// `?`, an operand that is not written yet.
        Hole,
    }
}

impl Role {
    /// Returns whether this is the role of an expression, a node that has a value.
    pub const fn is_expression(self) -> bool {
        (self as u32) >= (Role::Int as u32)
    }

    /// Returns whether this is the role of a statement, except a block and a broken one.
    pub const fn is_statement(self) -> bool {
        (self as u32) >= (Role::Let as u32) && (self as u32) <= (Role::Return as u32)
    }

    /// Returns whether this is the role of a name being declared.
    pub const fn declares(self) -> bool {
        matches!(
            self,
            Role::FnName | Role::Param | Role::ConstName | Role::LetName | Role::LoopVar | Role::Binder
        )
    }
}
