//! The columns that stages hand on: structs of `Vec<u32>`, one word per token, instruction, function …
//!
//! That is the layout of the device's buffers, too, so a twin and a shader are compared column by column.
//! `docs/stages.md` states what each column means.

/// Declares a struct of word columns that all have the same length.
macro_rules! columns {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$cmeta:meta])* $column:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name { $($(#[$cmeta])* pub $column: Vec<u32>,)* }

        impl $name {
            /// The columns' names, in the order of [`Self::columns`]; a shader finds column `C` of this record as
            /// the prelude's constant for it.
            pub const COLUMNS: &'static [&'static str] = &[$(stringify!($column),)*];

            /// All columns, in order.
            pub fn columns(&self) -> Vec<&[u32]> {
                vec![$(&self.$column,)*]
            }
            /// All columns, to fill from a device.
            pub fn columns_mut(&mut self) -> Vec<&mut Vec<u32>> {
                vec![$(&mut self.$column,)*]
            }
            /// Makes every column `len` long, all `fill`; keeps capacity.
            pub fn reset(&mut self, len: usize, fill: u32) {
                $(self.$column.clear(); self.$column.resize(len, fill);)*
            }
            /// Bytes that the columns take, as allocated.
            pub fn bytes(&self) -> u64 {
                0 $(+ self.$column.capacity() as u64 * 4)*
            }
            /// Empties every column; keeps capacity.
            pub fn clear(&mut self) {
                $(self.$column.clear();)*
            }
        }
    };
}
pub(crate) use columns;

columns! {
    /// lex: the tokens. Per token.
    pub struct Tokens {
        /// `TokenKind`.
        kind,
        /// First byte of its text.
        lo,
        /// One past its last byte.
        hi,
        /// Literal value, string length, name id or lexical error: see `TokenKind`.
        value,
        /// Line, from 0.
        line,
    }
}

columns! {
    /// parse: the syntax tree. Per token.
    pub struct Tree {
        /// `Role`.
        role,
        /// Head token of the parent node, or `NONE`.
        parent,
        /// What the node is to its parent: see `Role`. 0 for what is no node.
        slot,
        /// First token of the node's extent; 0 for what is no node.
        lo,
        /// One past the last token of the node's extent; 0 for what is no node.
        hi,
        /// First token of the statement that the token belongs to; its top bits say how it is broken (`STMT_*`).
        stmt,
        /// `Code` of the syntax error reported at this token, or 0; see [`ERROR_BEHIND`].
        error,
    }
}

/// In `Tree::error`: the place is just behind this token.
pub const ERROR_BEHIND: u32 = 1 << 16;

/// In `Tree::stmt`: the index itself.
pub const STMT_INDEX: u32 = 0x00ff_ffff;
/// In `Tree::stmt`: not even lexical errors are reported of the statement.
pub const STMT_MUTED: u32 = 1 << 29;
/// In `Tree::stmt`: the statement has a lexical error.
pub const STMT_LEXICAL: u32 = 1 << 30;
/// In `Tree::stmt`: the statement has a syntax error.
pub const STMT_SYNTAX: u32 = 1 << 31;

columns! {
    /// check: names, types and flow. Per token.
    pub struct Checked {
        /// `Type` of an expression node, declared name or type node; 0 where it has none or an error hides it. Of
        /// `FnName` and `Fn`: the return type.
        ty,
        /// For a Var or the name of an assignment's target: token of the name's declaration. For a Call of a user's
        /// function: the `fn` name's token. For break and continue: the loop's head. For return: the `fn`. Else
        /// `NONE`.
        decl,
        /// The value of a constant expression that had to be one (a const's value, a capacity, a count, a binder's
        /// bound), at its root; also at each ConstName. Else 0.
        constant,
        /// `Code` of the error reported at this node, or 0.
        error,
        /// What the message needs: for TypeMismatch the `Type` that was expected, lists with capacity 16; for
        /// AlreadyDeclared the first declaration's token, `NONE` for a built-in; for ArgumentCount the number
        /// expected; for the limits the count. Else 0.
        detail,
    }
}

columns! {
    /// lower, optimize: the intermediate code, linear and typed. Per instruction.
    pub struct Ir {
        /// `Op`.
        op,
        /// First operand: a value, a slot, a count, a function's index; for jumps the target instruction.
        arg,
        /// Second operand: a capacity; for FOR_* the target instruction; 0 where there is none.
        aux,
        /// Token that the instruction comes from.
        token,
        /// Index of the first instruction of the expression whose value this instruction leaves; its own index for
        /// what leaves none. So the last operand of `i` ends at `i - 1`, the one before it at `start[i - 1] - 1` …
        start,
        /// Number of the basic block, from 0 in order.
        block,
    }
}

columns! {
    /// lower: the functions. Per function, in source order; then, in the same columns, per test or property.
    pub struct Routines {
        /// Token of `fn`, `test` or `prop`.
        token,
        /// First instruction in the IR (rewritten by optimize).
        ir,
        /// Words of its variables.
        frame,
        /// Number of parameters or binders. Their variables come first in the frame, in order.
        params,
        /// Capacities of parameters or binders 0–3, a byte each, lowest first; 0 for an int or bool.
        caps0, caps1, caps2, caps3,
        /// `Type` of the result.
        result,
        /// First row of its binders in [`Binders`].
        binders,
        /// emit: address of its first instruction in the bytecode.
        address,
    }
}

columns! {
    /// lower: the domains of all properties' binders. Per binder, in source order.
    pub struct Binders {
        /// Least value drawn, as an i32.
        lo,
        /// One past the greatest value drawn.
        hi,
        /// Greatest length of a list; `NONE` for an int.
        max_len,
        /// Token of the binder's name.
        token,
    }
}

columns! {
    /// emit: the bytecode. Per word.
    pub struct Bytecode {
        /// Instruction or second word.
        word,
        /// Token that the instruction comes from (also for its second word).
        token,
    }
}
