//! The columns that stages pass on: structs of `Vec<u32>`, with one word per token, instruction, function or
//! the like.
//!
//! The device's buffers have the same layout, so CPU stages and shaders are compared column by column.
//! `docs/stages/` states the contents of each column.

/// Declares a struct of word columns that all have the same length.
macro_rules! columns {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$cmeta:meta])* $column:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name { $($(#[$cmeta])* pub $column: Vec<u32>,)* }

        impl $name {
            /// The columns' names, in the order of [`Self::columns`]. For each, the WGSL prelude has a
            /// constant with its index.
            pub const COLUMNS: &'static [&'static str] = &[$(stringify!($column),)*];

            /// All columns, in order.
            pub fn columns(&self) -> Vec<&[u32]> {
                vec![$(&self.$column,)*]
            }
            /// All columns, to be filled from a device.
            pub fn columns_mut(&mut self) -> Vec<&mut Vec<u32>> {
                vec![$(&mut self.$column,)*]
            }
            /// Resizes every column to `len` words and fills it with `fill`; keeps the capacity.
            pub fn reset(&mut self, len: usize, fill: u32) {
                $(self.$column.clear(); self.$column.resize(len, fill);)*
            }
            /// Allocated bytes of the columns.
            pub fn bytes(&self) -> u64 {
                0 $(+ self.$column.capacity() as u64 * 4)*
            }
            /// Empties every column; keeps the capacity.
            pub fn clear(&mut self) {
                $(self.$column.clear();)*
            }
        }
    };
}
pub(crate) use columns;

columns! {
    /// Output of lex: the tokens. Per token.
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
    /// Output of parse: the syntax tree. Per token.
    pub struct Tree {
        /// `Role`.
        role,
        /// Head token of the parent node, or `NONE`.
        parent,
        /// The node's slot in its parent: see `Role`. 0 if the token heads no node.
        slot,
        /// First token of the node's extent; 0 if the token heads no node.
        lo,
        /// One past the last token of the node's extent; 0 if the token heads no node.
        hi,
        /// First token of the statement that the token belongs to, with flags in the top bits (`STMT_*`).
        stmt,
        /// `Code` of the syntax error reported at this token, or 0; see [`ERROR_BEHIND`].
        error,
    }
}

/// Flag in `Tree::error`: the error is located just after this token.
pub const ERROR_BEHIND: u32 = 1 << 16;

/// Mask in `Tree::stmt`: the index of the statement's first token.
pub const STMT_INDEX: u32 = 0x00ff_ffff;
/// Flag in `Tree::stmt`: the statement ends in a `{` that nothing closes.
pub const STMT_UNCLOSED: u32 = 1 << 28;
/// Flag in `Tree::stmt`: the statement is in an open region or lacks only its `;`, so none of its other errors is
/// reported.
pub const STMT_MUTED: u32 = 1 << 29;
/// Flag in `Tree::stmt`: the statement has a lexical error.
pub const STMT_LEXICAL: u32 = 1 << 30;
/// Flag in `Tree::stmt`: the statement has a syntax error.
pub const STMT_SYNTAX: u32 = 1 << 31;
/// Flags in `Tree::stmt` of statements in which check reports nothing.
pub const STMT_BROKEN: u32 = STMT_MUTED | STMT_LEXICAL | STMT_SYNTAX;

/// Flag in `Checked::error`: the error is in a muted statement, so it is neither reported nor counted.
pub const ERROR_MUTED: u32 = 1 << 17;

columns! {
    /// Output of check: names, types and flow. Per token.
    pub struct Checked {
        /// `Type` of an expression node, declared name or type node. For `FnName` and `Fn`: the return type.
        /// 0 if there is no type or if an error hides it.
        ty,
        /// For a Var or the target of an assignment: the declaring name's token. For a Call of a user's
        /// function: the token of the function's name. For break and continue: the loop's head. For return:
        /// the `fn`. Else `NONE`.
        decl,
        /// The value of an expression that must be constant (a const's value, a capacity, a count, a binder's
        /// bound), at its root and at each ConstName. Else 0.
        constant,
        /// `Code` of the error reported at this node, or 0.
        error,
        /// Detail for the error's message. For TypeMismatch: the expected `Type`, lists with capacity 16. For
        /// AlreadyDeclared: the first declaration's token, `NONE` for a built-in. For ArgumentCount: the
        /// expected number. For limits: the count. Else 0.
        detail,
    }
}

columns! {
    /// Output of lower and optimize: the intermediate code, linear and typed. Per instruction.
    pub struct Ir {
        /// `Op`.
        op,
        /// First operand: a value, a slot, a count, a function's index; for jumps the target instruction.
        arg,
        /// Second operand: a capacity; for FOR_* the target instruction; else 0.
        aux,
        /// Token that the instruction comes from.
        token,
        /// For a copy of a callee's instruction, the token of its call; else `NONE`.
        site,
        /// Index of the first instruction of the expression whose value this instruction pushes; its own
        /// index if it pushes none. So the last operand of `i` ends at `i - 1`, the one before it at `start[i
        /// - 1] - 1` … `NONE` if code of an inlined call precedes the value.
        start,
        /// Number of the basic block, from 0 in order.
        block,
    }
}

columns! {
    /// Output of lower: the functions, in source order, followed by the tests and properties. Per routine.
    pub struct Routines {
        /// Token of `fn`, `test` or `prop`.
        token,
        /// Index of its first instruction in the IR (updated by optimize).
        ir,
        /// Words of its frame. (Level 2 adds those of inlined functions.)
        frame,
        /// Number of parameters or binders. Their variables come first in the frame, in order.
        params,
        /// Capacities of parameters or binders 0–3, a byte each, lowest first; 0 for an int or bool.
        caps0, caps1, caps2, caps3,
        /// `Type` of the result.
        result,
        /// First row of its binders in [`Binders`].
        binders,
        /// Output of emit: address of its first instruction in the bytecode.
        address,
    }
}

columns! {
    /// Output of lower: the domains of all properties' binders. Per binder, in source order.
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
    /// Output of emit: the bytecode. Per word.
    pub struct Bytecode {
        /// An instruction, or the second word of one.
        word,
        /// Token that the instruction comes from (also for its second word).
        token,
    }
}
