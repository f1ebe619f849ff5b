//! Scratch memory of the compile stages' shaders: columns by name, allotted here.
//!
//! A stage's columns hold anything when it begins, and what one entry point leaves, the next one finds. Those of a phase take
//! the place of those of the phase before. A shader gets them as constants, by `#import layout/scratch/STAGE`.

use crate::compiler::stage::optimize;

/// Names; what is counted on from a name stands behind it.
type Columns = &'static [&'static str];

/// The columns of a stage in one index space.
#[derive(Clone, Copy)]
struct Space {
    /// Those that all of the stage may use.
    shared: &'static [Columns],
    /// Behind them, those of phases.
    phases: &'static [Columns],
}

const NOTHING: Space = Space { shared: &[], phases: &[] };

macro_rules! columns {
    ($($name:ident)*) => { &[$(stringify!($name)),*] };
}

/// The stages' columns, per token and per instruction.
const STAGES: &[(&str, Space, Space)] = &[
    (
        "lex",
        Space {
            shared: &[columns! {
                // The slots of the hash table of names; then of each name its hash and its slot.
                SLOTS SLOTS_1 SLOTS_2 SLOTS_3 HASH SLOT
            }],
            phases: &[],
        },
        NOTHING,
    ),
    (
        "parse",
        Space {
            shared: &[columns! {
                // level * 16 + key, for the min-tree.
                TREE_LEAVES TREE_UPPER
                // depth | PAIRED.
                INFO
                // First token of the statement; at that token one past its last.
                START END
                // 1 + the last such token up to here, or 0. LAST_BARE: first token of a header that lacks its `{`.
                LAST_ASSIGN LAST_LEXICAL LAST_SWALLOW LAST_FN LAST_BARE
                // The kind of the last token before that says what an `if` here is.
                GUARD
                // First token of the region. At that token: one past its last, where its muted part begins, REGION_*.
                REGION REGION_END STRAY REGION_FLAGS
                // The other bracket of a pair, or NONE; the innermost round or square bracket that is open here, or NONE.
                PARTNER GROUP
                // The error that the rules find at the token; later the names declared before it.
                FOUND
                // At a statement's first token: the error that its rules find at the next statement, the one that the
                // statement before found there, and STMT_SYNTAX if it has a syntax error.
                FOUND_BEHIND PENDING BROKEN
            }],
            phases: &[
                columns! {
                    // First token of an assignment before which a `;` is missing.
                    LATE
                },
                columns! {
                    // Two chains by pointer doubling: commas to the left, `if`s to the right. Of a comma its number, of an
                    // `if` where its chain ends.
                    LINK REACH LINK_B REACH_B
                },
            ],
        },
        NOTHING,
    ),
    (
        "check",
        Space {
            shared: &[columns! {
                // Children by slot.
                KID0 KID1 KID2 KID3
                // Of a Call or List its children, of a Fn its parameters.
                COUNT
                // Constant expressions that the token stands in.
                DEPTH
                // 1 + the item keyword at or before the token.
                ITEM
                // All Params of the program; at a Fn the index of its first one.
                PARAM_LIST FIRST_PARAM
                // At a Fn: whether a token of its region is broken.
                REGION
                // Of a bare node its List, else NONE.
                BARE
                // Proposed error: Code | MODE_* << 8; and how many are proposed up to here.
                CAND SUMS
                // At a `)`: its Group.
                CLOSES
            }],
            phases: &[
                columns! {
                    // names: of sorted declarations the key, the token, the max-tree and the first of their scope; sums, two
                    // counts each.
                    KEY DECLARED LEAVES LEAVES_REST FIRST_A FIRST_B RUN_A RUN_B
                },
                columns! {
                    // types: function << 14 | node that it is applied to.
                    CHAIN_A CHAIN_B
                    // constants: value, the operator that traps or NONE; at a ConstName whether its value is known;
                    // constants that use others, in order.
                    VALUE TRAPPED VALUED WAITING
                },
                columns! {
                    // finish: where capacities come from.
                    SOURCE_A SOURCE_B JOIN_A JOIN_B
                },
                columns! {
                    // flow: of a Block the least end of a statement in it that ends, or NONE, and its first Return, Break or
                    // Continue; of an If or While whether control may go past it. By doubling: a node above | blocks passed
                    // on the way << 14, the body of the loop around, the outermost If of an else chain.
                    ENDED JUMPED OPEN_END UP_A UP_B LOOP_A LOOP_B HEAD_A HEAD_B
                },
            ],
        },
        NOTHING,
    ),
    (
        "lower",
        Space {
            shared: &[columns! {
                // Children with slots 0, 1, 2.
                CHILD CHILD_1 CHILD_2
                // Of a List: number of its elements.
                ELEMENTS
                // The node one further in that ends at the same token, doubled; and the instructions of the node and all
                // those further in that end with it.
                INNER INNER_NEXT CHAIN CHAIN_NEXT
                // The statement whose value ends before this token, or the Block that this token closes.
                STATEMENT
                // Of a For: its Block.
                OPENED
                // Instructions of the token itself.
                OWN
                // Not 0 inside of constant expressions.
                SILENT
                // The Fn, Test or Prop at or before the token.
                ITEM
                // Counts that one loop sums, so they stand side by side. P(t): instructions before the token.
                POSITION
                // Words of variables before the token.
                PLACE
                // Before the token: Fns, Tests and Props, Params and Binders, Binders.
                FUNCTION TEST NAMED BOUND
                // The Params and Binders in order.
                NAMES
                // CHAIN of the outermost node that ends at the token.
                OUTER
            }],
            phases: &[],
        },
        NOTHING,
    ),
    (
        "optimize",
        Space {
            shared: &[columns! {
                // In row 0: rounds made; ROUNDS when there is nothing left to do.
                STATE_ROUND
            }],
            phases: &[],
        },
        Space { shared: &optimize::LEFT, phases: &optimize::OWN },
    ),
    ("emit", NOTHING, Space { shared: &[columns! { ADDRESS }], phases: &[] }),
];

impl Space {
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

impl Space {
    /// The columns' names by their places; those that phases share have the names of all.
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

/// The names of a stage's columns, per token and per instruction, by their places.
pub fn names(stage: &str) -> (Vec<String>, Vec<String>) {
    let found = STAGES.iter().find(|(name, ..)| *name == stage);
    found.map_or_else(Default::default, |(_, tokens, instructions)| (tokens.names(), instructions.names()))
}

/// The most words that a stage takes per token (0) or per instruction (1).
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

/// Scratch words per token of room.
pub const TOKEN_SCRATCH: u32 = room(0);
/// Scratch words per instruction of room.
pub const IR_SCRATCH: u32 = room(1);

/// The columns of a stage as constants.
pub fn wgsl(stage: &str) -> Option<String> {
    let (_, tokens, instructions) = STAGES.iter().find(|(name, ..)| *name == stage)?;
    Some(tokens.wgsl() + &instructions.wgsl())
}
