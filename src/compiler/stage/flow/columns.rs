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
        /// Number of ints and bools on the operand stack where it begins; 0 if it is not reached.
        words,
        /// Number of lists on the operand stack where it begins; 0 if it is not reached.
        lists,
        /// Its first row in [`Live`]. A row has a bit for each of 32 variables of its routine.
        facts,
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

columns! {
    /// Liveness: sets of variables. Bit v % 32 of row `facts` + v / 32 of a block is variable v of its routine.
    /// The sets of a block that is not reached are empty.
    pub struct Live {
        /// Variables that the block reads before it stores them.
        reads,
        /// Variables that the block stores as a whole.
        stores,
        /// Variables that are live where the block begins.
        entry,
        /// Variables that are live where the block ends.
        exit,
    }
}

columns! {
    /// The effects of calling a routine. Code in blocks that are not reached does not count. Per routine.
    pub struct Calls {
        /// 1 if it may call itself, directly or through other routines, else 0.
        recursive,
        /// 1 if it may trap for another reason than lack of steps, depth or memory, else 0.
        traps,
        /// Maximum number of nested calls that it makes; `NONE` if it may reach a recursive function.
        depth,
        /// Bound on the words of memory that it takes with all that it calls; `NONE` if it may reach a recursive
        /// function.
        words,
    }
}

columns! {
    /// Per routine: its first row in the columns of variables.
    pub struct Cells {
        /// In [`Constants`] and [`Ranges`]: a row for each block and variable.
        first,
    }
}

columns! {
    /// Per routine: its first row in the other columns of values.
    pub struct ValueSpans {
        /// In [`Values`].
        value,
        /// Number of its values.
        values,
        /// In [`Available`]: the number of rows for each block, which have a bit for each value.
        words,
    }
}

columns! {
    /// Per block: whether control may arrive there by the analysis. If not, the block's rows are 0.
    pub struct Arrivals {
        constants,
        ranges,
    }
}

columns! {
    /// Constants and copies. Per block and variable of its routine.
    pub struct Constants {
        /// 1 if the variable has only one value.
        known,
        /// This value, or 0.
        value,
        /// The least variable of the routine that equals it: its own number if no other one does.
        same,
    }
}

columns! {
    /// Ranges and known bits. Per block and variable of its routine.
    pub struct Ranges {
        /// The least value, as an i32; of a list, the least length.
        lo,
        /// The greatest one.
        hi,
        /// The bits that are 0.
        zeros,
        /// The bits that are 1.
        ones,
    }
}

columns! {
    /// The different values of expressions. Per value of a routine, in order of the code.
    pub struct Values {
        /// The first instruction of the code that computes it.
        begin,
        /// One past the last instruction of this code.
        end,
    }
}

columns! {
    /// Per instruction.
    pub struct Numbers {
        /// The value that it pushes: its number in the routine, or `NONE`.
        value,
    }
}

columns! {
    /// The available values. Per block and word.
    pub struct Available {
        /// A bit for each value. The first value has the lowest bit.
        bits,
    }
}
