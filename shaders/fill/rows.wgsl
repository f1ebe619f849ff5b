// The kept rows and the pieces of work, as the host writes them.

@group(0) @binding(0) var<uniform> fill_params: FillParams;
// For each required input, the words of all rows. Of a row of bools, a word has the bits of 32 inputs; its first words
// hold them all.
@group(0) @binding(1) var<storage, read> columns: array<u32>;
// For each 32 required inputs, the ones for which a row traps, as a word of each row.
@group(0) @binding(2) var<storage, read> traps: array<u32>;
// Records of pieces (FILL_PIECE_*).
@group(0) @binding(3) var<storage, read> pieces: array<u32>;
// What is required: for each input, a mask and a value. First of whole expressions, then of the values of pieces.
@group(0) @binding(4) var<storage, read> targets: array<u32>;

fn piece_at(piece: u32, word: u32) -> u32 { return pieces[piece * FILL_PIECE_WORDS + word]; }

fn is_bools(code: u32) -> bool { return (code & FILL_BOOLS) != 0u; }

// Returns the value of an operand of the operation `code` for an input.
fn word_at(code: u32, rank: u32, input: u32) -> u32 {
    if is_bools(code) { return (columns[(input / 32u) * fill_params.rows + rank] >> (input % 32u)) & 1u; }
    return columns[input * fill_params.rows + rank];
}

fn is_trap(rank: u32, input: u32) -> bool {
    return ((traps[(input / 32u) * fill_params.rows + rank] >> (input % 32u)) & 1u) != 0u;
}
