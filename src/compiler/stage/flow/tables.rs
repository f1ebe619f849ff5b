//! The tables of flow, as its shader stores them in one buffer: first a count for each space and a state for each
//! entry point, then the columns of each table.
//!
//! A new analysis adds a row to [`Flow`] for its columns, one to [`SCRATCH`] for its memory, a space if its rows
//! are new, and its entry points to [`ENTRIES`].

use super::{
    Accesses, Arrivals, Available, Blocks, Calls, Cells, Constants, Edges, Live, Numbers, Ranges, Spans,
    ValueSpans, Values, Variables,
};
use crate::compiler::program::{Ir, Routines};
use crate::lang::opcode::has_slot;

/// The things that tables have rows for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Space {
    Instruction,
    Block,
    Edge,
    Routine,
    Variable,
    /// A set of 32 variables in a block.
    Fact,
    /// A slot of a frame, and one after the last.
    Slot,
    /// A set of 32 blocks in a block.
    Relation,
    /// A set of 32 routines in a routine.
    Reach,
    /// A call, in order of the code.
    Call,
    /// A block, for each thread.
    Bin,
    /// A variable in a block.
    Cell,
    /// A value of a routine.
    Value,
    /// A set of 32 values in a block.
    ValueSet,
    /// A set of 32 values, for each variable.
    Reader,
    /// A place of a hash table.
    Bucket,
}

impl Space {
    /// The names of all spaces in the shader, in order.
    pub const NAMES: [&str; 16] = [
        "instruction",
        "block",
        "edge",
        "routine",
        "variable",
        "fact",
        "slot",
        "relation",
        "reach",
        "call",
        "bin",
        "cell",
        "value",
        "value_set",
        "reader",
        "bucket",
    ];
}

/// Columns of one space.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The name in the shader.
    pub name: &'static str,
    pub columns: &'static [&'static str],
    pub space: Space,
}

/// Declares the output of flow.
macro_rules! tables {
    ($(#[$meta:meta])* pub struct Flow { $($name:ident: $columns:ident per $space:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Flow { $(pub $name: $columns,)* }

        impl Flow {
            /// The tables, in order.
            pub const TABLES: &'static [Table] = &[$(Table {
                name: stringify!($name),
                columns: $columns::COLUMNS,
                space: Space::$space,
            },)*];

            /// The columns of each table.
            pub fn tables(&self) -> Vec<Vec<&[u32]>> {
                vec![$(self.$name.columns(),)*]
            }

            /// The columns of each table, to be filled from a device.
            pub fn tables_mut(&mut self) -> Vec<Vec<&mut Vec<u32>>> {
                vec![$(self.$name.columns_mut(),)*]
            }
        }
    };
}

tables! {
    /// The output of flow.
    pub struct Flow {
        blocks: Blocks per Block,
        edges: Edges per Edge,
        spans: Spans per Routine,
        accesses: Accesses per Instruction,
        variables: Variables per Variable,
        live: Live per Fact,
        calls: Calls per Routine,
        cells: Cells per Routine,
        arrivals: Arrivals per Block,
        constants: Constants per Cell,
        ranges: Ranges per Cell,
        value_spans: ValueSpans per Routine,
        values: Values per Value,
        numbers: Numbers per Instruction,
        available: Available per ValueSet,
    }
}

/// Memory of the shader.
pub const SCRATCH: &[Table] = &[
    Table {
        name: "walk",
        // The routine that begins here, from 1; whether the walk has been here, with the operands where it
        // begins; whether it has gone on; the first row of its sets of blocks; the size of its set.
        columns: &["owner", "state", "passed", "sets", "size"],
        space: Space::Block,
    },
    // The edges that a thread has found to a block.
    Table { name: "bins", columns: &["edges"], space: Space::Bin },
    // For each slot that is named its routine, from 1; the number of named slots before.
    Table { name: "slots", columns: &["named", "number"], space: Space::Slot },
    // The blocks that dominate a block; the heads of its loops.
    Table { name: "relations", columns: &["dominators", "heads"], space: Space::Relation },
    Table {
        name: "frames",
        // Row of the first slot; the numbers of arguments; words of the longest list pushed; most words of
        // operands; whether its own code may trap; whether it may reach a recursive function.
        columns: &["slot", "arguments", "list", "operands", "traps", "unbounded"],
        space: Space::Routine,
    },
    // The routines that a routine reaches by calls.
    Table { name: "reaches", columns: &["routines"], space: Space::Reach },
    Table { name: "sites", columns: &["caller", "callee"], space: Space::Call },
    // The facts where blocks end, in two versions, for sweeps of even and odd numbers.
    Table {
        name: "ends",
        columns: &["x", "y", "z", "w", "x_odd", "y_odd", "z_odd", "w_odd"],
        space: Space::Cell,
    },
    Table {
        name: "tests",
        // Likewise the comparison that decides a jump, and its operands.
        columns: &[
            "op",
            "left",
            "left_x",
            "left_y",
            "left_z",
            "left_w",
            "right",
            "right_x",
            "right_y",
            "right_z",
            "right_w",
            "op_odd",
            "left_odd",
            "left_x_odd",
            "left_y_odd",
            "left_z_odd",
            "left_w_odd",
            "right_odd",
            "right_x_odd",
            "right_y_odd",
            "right_z_odd",
            "right_w_odd",
        ],
        space: Space::Block,
    },
    // Twice the last sweep, and whether that was in this round; the last sweeps of both versions if control arrives;
    // the block that begins the loop that goes on here, or NONE; in both versions, the numbers of the loop that begins
    // here.
    Table {
        name: "sweeps",
        columns: &[
            "state",
            "valid",
            "valid_next",
            "begun",
            "x",
            "y",
            "z",
            "w",
            "x_odd",
            "y_odd",
            "z_odd",
            "w_odd",
        ],
        space: Space::Block,
    },
    // The current sweep, or 0; sweeps that are left; whether a fact has changed; blocks that are done; all blocks.
    Table { name: "progress", columns: &["sweep", "left", "changed", "done", "blocks"], space: Space::Routine },
    // The operands of a block.
    Table { name: "operands", columns: &["variable", "x", "y", "z", "w"], space: Space::Instruction },
    // The expression that an instruction ends: its first instruction, or NONE; the first one in the routine that is
    // equal; the number of different expressions that end before.
    Table { name: "expressions", columns: &["begin", "first", "rank"], space: Space::Instruction },
    // An instruction, from 1, or 0. Later, for each thread, its next set of values.
    Table { name: "buckets", columns: &["instruction"], space: Space::Bucket },
    // The first of the sets of values that read a routine's variables, and these sets.
    Table { name: "readers", columns: &["first"], space: Space::Routine },
    Table { name: "reading", columns: &["values"], space: Space::Reader },
    // The block of a set of values; the values that are added in it, and those that are removed.
    Table { name: "changes", columns: &["block", "added", "removed"], space: Space::ValueSet },
];

/// The entry points, in order. Each begins once the one before has finished, and may need several dispatches.
pub const ENTRIES: &[&str] = &[
    "graph",
    "variables",
    "paths",
    "dominators",
    "loops",
    "liveness",
    "callees",
    "reaching",
    "bounds",
    "constants",
    "ranges",
    "expressions",
    "values",
    "changes",
    "available",
];

/// Threads of the shader.
pub const THREADS: u32 = 64;
/// Limits of the shader: the maximum number of instructions of a program; of words of all its frames together; and
/// of its sets of blocks, so that a round stays well within the loop budget of an invocation.
pub const LARGEST: u32 = 16_384;
pub const LARGEST_FRAMES: u32 = 1 << 18;
pub const LARGEST_SETS: u32 = 1 << 16;
/// Limits on the variables of all blocks together: those of the program, and those of a routine, in which one
/// block may follow all others.
pub const LARGEST_CELLS: u32 = 1 << 18;
pub const LARGEST_OWN_CELLS: u32 = 1 << 14;
/// Limits on the sets of values: those of all its blocks together, and those of all its variables.
pub const LARGEST_VALUE_SETS: u32 = 1 << 18;

/// An upper bound on the rows of each space.
pub type Rooms = [u32; Space::NAMES.len()];

/// Returns room for a program; `None` if it is too large for the shader.
pub fn rooms(ir: &Ir, routines: &Routines) -> Option<Rooms> {
    let instructions = ir.op.len() as u32;
    let slots = routines.frame.iter().sum::<u32>();
    if instructions > LARGEST || slots > LARGEST_FRAMES {
        return None;
    }
    let blocks = ir.block.last().map_or(0, |last| last + 1);
    let count = routines.ir.len() as u32;
    let mut rooms = [0; Space::NAMES.len()];
    let mut set = |space: Space, room: u32| rooms[space as usize] = room;
    let (mut variables, mut facts, mut relations, mut cells) = (0, 0, 0, 0);
    let (mut value_sets, mut readers, mut own_cells) = (0, 0, 0);
    for routine in 0..routines.ir.len() {
        let first = routines.ir[routine] as usize;
        let end =
            routines.ir.iter().map(|ir| *ir as usize).filter(|ir| *ir > first).min().unwrap_or(ir.op.len());
        let named = (first..end).filter(|i| has_slot(ir.op[*i])).count() as u32;
        let most = routines.frame[routine].min(named + routines.params[routine]);
        let own = ir.block[end - 1] + 1 - ir.block[first];
        variables += most;
        facts += own * most.div_ceil(32);
        relations += own * own.div_ceil(32);
        cells += own * most;
        own_cells = own_cells.max(own * most);
        let words = ((end - first) as u32).div_ceil(32);
        value_sets += own * words;
        readers += most * words;
    }
    if relations > LARGEST_SETS
        || cells > LARGEST_CELLS
        || own_cells > LARGEST_OWN_CELLS
        || value_sets > LARGEST_VALUE_SETS
        || readers > LARGEST_VALUE_SETS
    {
        return None;
    }
    set(Space::Instruction, instructions);
    set(Space::Block, blocks);
    set(Space::Edge, 2 * blocks);
    set(Space::Routine, count);
    set(Space::Variable, variables);
    set(Space::Fact, facts);
    set(Space::Slot, slots + 1);
    set(Space::Relation, relations);
    set(Space::Reach, count * count.div_ceil(32));
    set(Space::Call, instructions);
    set(Space::Bin, blocks * THREADS);
    set(Space::Cell, cells);
    set(Space::Value, instructions);
    set(Space::ValueSet, value_sets);
    set(Space::Reader, readers);
    set(Space::Bucket, 2 * instructions.max(THREADS));
    Some(rooms)
}

/// The words before the tables: a count for each space, then a state for each entry point.
pub const HEAD: u32 = (Space::NAMES.len() + ENTRIES.len()) as u32;

/// All tables, those of the output first.
pub fn tables() -> impl Iterator<Item = &'static Table> {
    Flow::TABLES.iter().chain(SCRATCH)
}

/// Returns the first word of each table, and the number of all words.
pub fn places(rooms: &Rooms) -> (Vec<u32>, u32) {
    let mut end = HEAD;
    let place = |table: &Table| {
        let first = end;
        end += table.columns.len() as u32 * rooms[table.space as usize];
        first
    };
    (tables().map(place).collect(), end)
}
