//! The recorded data of a stage: the columns that it fills, and its scratch.

use crate::compiler::layout::numbers::{piece, round_trace, traced_arena};
use crate::compiler::layout::scratch::{self, TOKEN_SCRATCH};
use crate::compiler::layout::{Params, WORKGROUP};
use crate::compiler::program::{Binders, Bytecode, Checked, Compiled, Ir, Routines, Tokens, Tree};
use crate::compiler::rounds::{RecordingColumn, Rows};
use crate::compiler::stage::{Stage, optimize};
use crate::lang::level::OptLevel;

/// Adjacent columns in one arena.
pub struct TracingPiece {
    pub arena: u32,
    pub first: u32,
    pub stride: u32,
    pub rows: u32,
    pub of: Rows,
    pub scratch: bool,
    pub names: Vec<String>,
}

impl TracingPiece {
    pub fn words(&self) -> usize {
        self.rows as usize * self.names.len()
    }
}

/// All pieces of a stage's state, in order.
pub struct ColumnLayout(Vec<TracingPiece>);

/// The number of pieces that the table has room for, besides an empty one at the end.
const MOST: usize = 7;

impl ColumnLayout {
    /// Returns the non-empty pieces of a stage, sized for a program that is alone in its arena.
    pub fn new(stage: Stage, program: &Compiled, params: &Params) -> ColumnLayout {
        let mut pieces = ColumnLayout::all(stage, program, params);
        pieces.0.retain(|piece| piece.rows > 0 && !piece.names.is_empty());
        pieces.0.truncate(MOST);
        pieces
    }

    fn all(stage: Stage, program: &Compiled, params: &Params) -> ColumnLayout {
        let Params { token_capacity, ir_capacity, code_capacity, .. } = *params;
        let tokens = (program.tokens.kind.len() as u32 + 1).min(token_capacity);
        let lowered = (most_instructions(stage, program) + 1).min(ir_capacity);
        let words = program.executable.code.word.len() as u32;
        let routines = program.executable.routines.token.len() as u32;
        let binders = program.binders.token.len() as u32;
        let behind_code = Bytecode::COLUMNS.len() as u32 * code_capacity;
        let behind_routines = behind_code + Routines::COLUMNS.len() as u32 * token_capacity;
        let named =
            |prefix: &str, names: &[&str]| names.iter().map(|name| format!("{prefix}.{name}")).collect();
        let piece = |arena, first, stride, rows, of, names| TracingPiece {
            arena,
            first,
            stride,
            rows,
            of,
            scratch: false,
            names,
        };
        let of_tokens = |arena, prefix: &str, names: &[&str]| {
            piece(arena, 0, token_capacity, tokens, Rows::Tokens, named(prefix, names))
        };
        let code = |prefix, first, stride, rows, of, names| {
            piece(traced_arena::CODE, first, stride, rows, of, named(prefix, names))
        };
        let table =
            || code("routines", behind_code, token_capacity, routines, Rows::Routines, Routines::COLUMNS);
        let instructions = |prefix, first| {
            piece(traced_arena::IR, first, ir_capacity, lowered, Rows::Instructions, named(prefix, Ir::COLUMNS))
        };
        let mut pieces = match stage {
            Stage::Lex => vec![of_tokens(traced_arena::TOKENS, "tokens", Tokens::COLUMNS)],
            Stage::Parse => vec![of_tokens(traced_arena::TREE, "tree", Tree::COLUMNS)],
            Stage::Check => vec![of_tokens(traced_arena::CHECKED, "checked", Checked::COLUMNS)],
            Stage::Lower => vec![
                instructions("lowered", 0),
                table(),
                code("binders", behind_routines, token_capacity, binders, Rows::Binders, Binders::COLUMNS),
            ],
            Stage::Optimize => {
                vec![instructions("ir", Ir::COLUMNS.len() as u32 * ir_capacity), table()]
            }
            Stage::Emit => {
                vec![code("code", 0, code_capacity, words, Rows::Words, Bytecode::COLUMNS), table()]
            }
            _ => vec![],
        };
        let (by_token, by_instruction) = scratch::names(stage.name());
        let behind = TOKEN_SCRATCH * token_capacity;
        for (first, stride, rows, of, names) in [
            (0, token_capacity, tokens, Rows::Tokens, by_token),
            (behind, ir_capacity, lowered, Rows::Instructions, by_instruction),
        ] {
            pieces.push(TracingPiece {
                arena: traced_arena::SCRATCH,
                first,
                stride,
                rows,
                of,
                scratch: true,
                names,
            });
        }
        ColumnLayout(pieces)
    }

    /// Returns a WGSL function that reads a word from the arenas of a stage's pieces.
    pub fn reader(stage: Stage) -> String {
        let ColumnLayout(pieces) = ColumnLayout::all(stage, &Compiled::default(), &Params::default());
        let mut arenas: Vec<u32> = pieces.iter().map(|piece| piece.arena).collect();
        arenas.dedup();
        let mut text = String::from("fn traced_column_word(arena: u32, at: u32) -> u32 {\n");
        for arena in arenas {
            let column = match arena {
                traced_arena::TOKENS => "tokens[at]",
                traced_arena::TREE => "tree[at]",
                traced_arena::CHECKED => "checked[at]",
                traced_arena::IR => "ir[at]",
                traced_arena::CODE => "code[at]",
                _ => break,
            };
            text.push_str(&format!("    if arena == {arena}u {{ return {column}; }}\n"));
        }
        text.push_str("    return scratch_word(at);\n}\n");
        text
    }

    pub fn words(&self) -> usize {
        self.0.iter().map(TracingPiece::words).sum()
    }

    /// Returns the loop iterations per invocation for recording a state.
    pub fn iterations(&self) -> usize {
        let of = |piece: &TracingPiece| piece.words().div_ceil(WORKGROUP as usize);
        self.0.iter().map(|piece| 1 + of(piece)).sum()
    }

    /// Returns the columns, with their places in a state.
    pub fn columns(&self) -> Vec<RecordingColumn> {
        let mut at = 0;
        let each = self.0.iter().flat_map(|piece| piece.names.iter().map(move |name| (piece, name)));
        let column = |(piece, name): (&TracingPiece, &String)| {
            let place = at..at + piece.rows as usize;
            at = place.end;
            RecordingColumn { name: name.clone(), rows: piece.of, scratch: piece.scratch, place }
        };
        each.map(column).collect()
    }

    /// Returns the words that the shader reads before the first round. A dispatch records `most` rounds.
    pub fn head(&self, first: u32, most: u32, room: u32) -> Vec<u32> {
        let mut head = vec![0; round_trace::WORDS as usize];
        let mut put = |place: u32, word: u32| head[place as usize] = word;
        put(round_trace::FIRST, first);
        put(round_trace::ROOM, room);
        put(round_trace::MOST, most);
        put(round_trace::SIZE, self.words() as u32);
        for (piece, at) in self.0.iter().zip((round_trace::TABLE..).step_by(piece::WORDS as usize)) {
            put(at + piece::ARENA, piece.arena);
            put(at + piece::FIRST, piece.first);
            put(at + piece::STRIDE, piece.stride);
            put(at + piece::COLUMNS, piece.names.len() as u32);
            put(at + piece::ROWS, piece.rows);
        }
        head
    }
}

/// Returns the most instructions that a program has during a stage.
fn most_instructions(stage: Stage, program: &Compiled) -> u32 {
    if stage == Stage::Optimize && program.level == OptLevel::Whole {
        let lengths = optimize::snapshots(program).into_iter().map(|snapshot| snapshot.ir.op.len() as u32);
        return lengths.max().unwrap_or(0);
    }
    program.lowered.op.len() as u32
}
