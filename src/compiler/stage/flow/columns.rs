//! The columns of the flow stage. Index columns count from 0 in the whole program, unless stated otherwise.

use crate::compiler::program::columns;

columns! {
    /// The control-flow graph. Per basic block, in order of the code.
    pub struct Blocks {
        /// Index of its first instruction.
        first,
        /// One past its last instruction.
        end,
        /// The routine that it belongs to. The blocks of a routine are consecutive; its first one is its entry.
        routine,
        /// The block that control falls through to, or `NONE`.
        next,
        /// The block that its last instruction may jump to, or `NONE`. It may equal `next`.
        target,
        /// First row of its incoming edges in [`Edges`]; they end where those of the next block begin.
        edges,
        /// 1 if the routine's entry reaches it, else 0. The remaining columns of other blocks are `NONE`; their
        /// depth is 0.
        reached,
        /// Immediate dominator; `NONE` for an entry.
        dominator,
        /// Head of the innermost loop that contains it, or `NONE`. A head is in its own loop.
        head,
        /// Number of loops that contain it.
        depth,
    }
}

columns! {
    /// Edges of the control-flow graph, by the block that they enter, then by the block that they leave. Two
    /// edges between the same blocks have two rows.
    pub struct Edges {
        /// The block that the edge leaves.
        from,
    }
}

columns! {
    /// Per instruction.
    pub struct Accesses {
        /// The variable that it names: its number in the routine, or `NONE`.
        variable,
    }
}

columns! {
    /// The variables, by routine in order of the table of routines, then by slot.
    pub struct Variables {
        /// The routine that it belongs to.
        routine,
        /// Its place in the frame. The words of a list are one variable.
        slot,
    }
}

columns! {
    /// The parts of the other columns that belong to a routine. Per routine.
    pub struct Spans {
        /// Its first block.
        block,
        /// Number of its blocks.
        blocks,
        /// Its first row in [`Variables`].
        variable,
        /// Number of its variables.
        variables,
    }
}
