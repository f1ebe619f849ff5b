//! Scratch memory of the compile stages' shaders: named columns, allocated here.
//!
//! A stage's columns are uninitialized when it begins; each entry point finds what the previous one left. The
//! columns of a phase reuse the memory of the previous phase's. Shaders get them as constants by `#import
//! layout/scratch/STAGE`.

use crate::compiler::stage::optimize;

/// Names of consecutive columns. A shader may use the columns after a name as an extension of it.
type Columns = &'static [&'static str];

/// The columns of a stage in one index space.
#[derive(Clone, Copy)]
struct ColumnLayout {
    /// Columns that the whole stage uses.
    shared: &'static [Columns],
    /// Columns of single phases, which follow the shared ones and overlap each other.
    phases: &'static [Columns],
}

const NOTHING: ColumnLayout = ColumnLayout { shared: &[], phases: &[] };

macro_rules! columns {
    ($($name:ident)*) => { &[$(stringify!($name)),*] };
}

/// Each stage with its columns per token and per instruction.
const STAGES: &[(&str, ColumnLayout, ColumnLayout)] = &[
    (
        "lex",
        ColumnLayout {
            shared: &[columns! {
                // The slots of the hash table of names (four columns); then for each name its hash and its
                // slot.
                SLOTS SLOTS_1 SLOTS_2 SLOTS_3 HASH SLOT
            }],
            phases: &[],
        },
        NOTHING,
    ),
    (
        "parse",
        ColumnLayout {
            shared: &[columns! {
                // level * 16 + key, for the min-tree.
                TREE_LEAVES TREE_UPPER
                // depth | PAIRED.
                INFO
                // First token of the statement; for that token, one past the statement's last token.
                START END
                // 1 + the last such token up to here, or 0. LAST_BARE: first token of a header that lacks its
                // `{`.
                LAST_ASSIGN LAST_LEXICAL LAST_SWALLOW LAST_FN LAST_BARE
                // The kind of the last earlier token that decides the meaning of an `if` here.
                GUARD
                // First token of the region. For that token: one past the region's last token, start of its
                // stray or muted part, REGION_*.
                REGION REGION_END STRAY REGION_FLAGS
                // The matching bracket, or NONE; the innermost round or square bracket that is open here, or
                // NONE.
                PARTNER GROUP
                // The error that the rules find at the token; later, the number of names declared before it.
                FOUND
                // For a statement's first token: the error that its rules find at the next statement, the
                // error that the previous statement's rules found here, and STMT_SYNTAX if the statement has
                // a syntax error.
                FOUND_BEHIND PENDING BROKEN
            }],
            phases: &[
                columns! {
                    // First token of an assignment before which a `;` is missing.
                    LATE
                },
                columns! {
                    // Two chains: each comma links to the one before it, each `if` to the `if` of its
                    // `else`. REACH becomes a comma's number and the end of an `if`'s last `else`. Rounds
                    // of pointer doubling read one pair of columns and write the other.
                    LINK REACH LINK_B REACH_B
                },
            ],
        },
        NOTHING,
    ),
    (
        "check",
        ColumnLayout {
            shared: &[columns! {
                // Children by slot.
                KID0 KID1 KID2 KID3
                // For a Call or List, the number of its children; for a Fn, of its parameters.
                COUNT
                // Number of constant expressions around the token.
                DEPTH
                // 1 + the item keyword at or before the token.
                ITEM
                // All Params of the program; for a Fn, the index of its first one.
                PARAM_LIST FIRST_PARAM
                // For a Fn: whether a token of its region is broken.
                REGION
                // For a bare node its List, else NONE.
                BARE
                // Proposed error: Code | MODE_* << 8; and the number of errors proposed up to here.
                CAND SUMS
                // For a `)`: its Group.
                CLOSES
            }],
            phases: &[
                columns! {
                    // names: for each sorted declaration its key, its token, the max-tree and the first of
                    // its scope; prefix sums of two counts each.
                    KEY DECLARED LEAVES LEAVES_REST FIRST_A FIRST_B RUN_A RUN_B
                },
                columns! {
                    // types: function << 14 | node that it is applied to.
                    CHAIN_A CHAIN_B
                    // constants: value; the operator that traps, or NONE; for a ConstName whether its value
                    // is known; the constants that use others, in order.
                    VALUE TRAPPED VALUED WAITING
                },
                columns! {
                    // finish: the sources of capacities.
                    SOURCE_A SOURCE_B JOIN_A JOIN_B
                },
                columns! {
                    // flow: for a Block, the least end of a statement in it that ends, or NONE, and its first
                    // Return, Break or Continue; for an If or While, whether control may go past it. By
                    // pointer doubling: an ancestor | number of blocks passed on the way << 14, the body of
                    // the enclosing loop, the outermost If of an else chain.
                    ENDED JUMPED OPEN_END UP_A UP_B LOOP_A LOOP_B HEAD_A HEAD_B
                },
            ],
        },
        NOTHING,
    ),
    (
        "lower",
        ColumnLayout {
            shared: &[columns! {
                // Children with slots 0, 1, 2.
                CHILD CHILD_1 CHILD_2
                // For a List: number of its elements.
                ELEMENTS
                // The next node further in that ends at the same token, by pointer doubling; and the number
                // of instructions of the node and all nodes further in that end at that token.
                INNER INNER_NEXT CHAIN CHAIN_NEXT
                // The statement whose value ends before this token (or with it, without a `;`), or the Block that this
                // token closes.
                STATEMENT
                // For a For: its Block.
                OPENED
                // Number of instructions of the token itself.
                OWN
                // Not 0 inside constant expressions.
                SILENT
                // The Fn, Test or Prop at or before the token.
                ITEM
                // Counts that one loop sums up, so they are adjacent. P(t): number of instructions before the
                // token.
                POSITION
                // Words of variables before the token.
                PLACE
                // Numbers of nodes before the token. FUNCTION: Fns. TEST: Tests and Props. NAMED: Params and Binders.
                // BOUND: Binders.
                FUNCTION TEST NAMED BOUND
                // The Params and Binders in order.
                NAMES
                // CHAIN of the outermost node that ends at the token.
                OUTER
                // The greatest end of the holes that begin up to the token, and ENDS_BODY.
                HOLE
            }],
            phases: &[],
        },
        NOTHING,
    ),
    (
        "optimize",
        ColumnLayout {
            shared: &[columns! {
                // In row 0: number of rounds made, or ROUNDS if nothing is left to do.
                STATE_ROUND
                // By routine, for expansions: a bound on the words of its operands; one past its last
                // instruction; its properties as a callee; the parameters that it stores, and above them those
                // that it loads repeatedly.
                OPERANDS ROUTINE_END CALLEE PARAMETERS
            }],
            phases: &[],
        },
        ColumnLayout { shared: &optimize::SHARED_COLUMNS, phases: &optimize::PRIVATE_COLUMNS },
    ),
    ("emit", NOTHING, ColumnLayout { shared: &[columns! { ADDRESS }], phases: &[] }),
];

impl ColumnLayout {
    const fn size(self) -> usize {
        let (mut shared, mut own, mut i) = (0, 0, 0);
        while i < self.shared.len() {
            shared += self.shared[i].len();
            i += 1;
        }
        i = 0;
        while i < self.phases.len() {
            let phase = self.phases[i].len();
            own = if phase > own { phase } else { own };
            i += 1;
        }
        shared + own
    }

    fn wgsl(self) -> String {
        let shared = self.shared.concat();
        let constants = |columns: &[&str], from: usize| -> String {
            (from..).zip(columns).map(|(place, name)| format!("const {name} = {place}u;\n")).collect()
        };
        let phases = self.phases.iter().map(|phase| constants(phase, shared.len()));
        constants(&shared, 0) + &phases.collect::<String>()
    }
}

impl ColumnLayout {
    /// The columns' names in order. A column that phases share has all its names, separated by `/`.
    fn names(self) -> Vec<String> {
        let mut names: Vec<String> = self.shared.concat().into_iter().map(String::from).collect();
        let shared = names.len();
        for phase in self.phases {
            for (place, name) in (shared..).zip(*phase) {
                match names.get_mut(place) {
                    Some(known) => known.extend(["/", name]),
                    None => names.push(name.to_string()),
                }
            }
        }
        names
    }
}

/// Returns the names of a stage's columns per token and per instruction, in order.
pub fn names(stage: &str) -> (Vec<String>, Vec<String>) {
    let found = STAGES.iter().find(|(name, ..)| *name == stage);
    found.map_or_else(Default::default, |(_, tokens, instructions)| (tokens.names(), instructions.names()))
}

/// Returns the most words that any stage takes per token (space 0) or per instruction (space 1).
const fn room(space: usize) -> u32 {
    let (mut most, mut i) = (0, 0);
    while i < STAGES.len() {
        let (_, tokens, instructions) = STAGES[i];
        let size = if space == 0 { tokens.size() } else { instructions.size() };
        most = if size > most { size } else { most };
        i += 1;
    }
    most as u32
}

/// Scratch words for each token of capacity.
pub const TOKEN_SCRATCH: u32 = room(0);
/// Scratch words for each instruction of capacity.
pub const IR_SCRATCH: u32 = room(1);

/// Returns the columns of a stage as WGSL constants.
pub fn wgsl(stage: &str) -> Option<String> {
    let (_, tokens, instructions) = STAGES.iter().find(|(name, ..)| *name == stage)?;
    Some(tokens.wgsl() + &instructions.wgsl())
}
