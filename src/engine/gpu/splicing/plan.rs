//! Plans the mutants of one base: the table of its parts, the parts that a chunk needs, and the places of
//! their segments.
//!
//! The segment of a single edit serves all pairs with an edit of another function. It is compiled once and
//! kept.

use std::collections::HashMap;

use crate::compiler::layout::numbers::{address_mark, edits, part, put, segment};
use crate::compiler::program::Compiled;
use crate::compiler::stage::mutate::{self, PIECES, Piece};
use crate::compiler::stage::splice::addresses;
use crate::compiler::stage::splice::part::{SplicePart, SpliceRow};
use crate::engine::Hunk;
use crate::engine::gpu::arena::{Room, Shape};
use crate::lang::NONE;
use crate::lang::index::{EditId, Index, Indices, MutantId, RoutineId, TokenId};
use crate::lang::token::TokenKind;

/// The maximum number of words for kept segments.
const KEPT: u32 = 1 << 22;

/// The plan for mutants of a base without errors, or with holes.
pub struct Plan {
    functions: Vec<PlanFunction>,
    /// The number of first-order edits.
    edits: u32,
    /// Room of a mutant with unchanged code size.
    mutant: Room,
    /// The maximum number of tokens that an edit adds.
    added: u32,
    /// For each edit, whether its segment is on the device.
    kept: Vec<bool>,
    /// The words of all segments that can be kept; the segments of a chunk follow.
    kept_words: u32,
    /// Words for the segments of one chunk, unless one mutant needs more.
    passing: u32,
    /// The base's table for the shaders: marks of words, rows of functions, and the lists that these refer
    /// to.
    pub table: Vec<u32>,
}

struct PlanFunction {
    tokens: Indices<TokenId>,
    first: EditId,
    /// [`Facts::holes`](crate::compiler::program::Facts) of its part, and the part's room with two edits.
    holes: u32,
    room: Room,
    /// The maximum length of its code in words, and the length in the base.
    most: u32,
    now: u32,
    /// The place of its first edit's segment, followed by those of its other edits; `None` if they are not
    /// kept.
    kept: Option<u32>,
}

pub struct PlanChunk {
    pub parts: Shape,
    pub mutants: Shape,
    /// The description of each part, then of each mutant.
    pub orders: Vec<u32>,
    /// Rows of edits that have no number, each with the index of its part.
    pub written: Vec<(u32, EditWords)>,
    /// The edits whose segments the chunk leaves on the device.
    pub kept: Vec<EditId>,
}

/// A row of edits in the shaders' format.
pub type EditWords = [u32; edits::WORDS as usize];

#[derive(Clone)]
pub struct Changed {
    function: RoutineId,
    by: EditSource,
}

/// The edits of a function: by number or written out.
#[derive(Clone)]
enum EditSource {
    One(EditId),
    Two(EditId, EditId),
    Words(Box<EditWords>),
}

/// The functions that a mutant changes, in order: at most two.
pub type ChangedFunctions = [Option<Changed>; 2];

impl PlanFunction {
    /// Returns the words of one of its segments.
    fn segment(&self) -> u32 {
        segment::CODE + 2 * self.most
    }

    /// Returns the place of the segment of one of its edits, if it is kept.
    fn place(&self, edit: EditId) -> Option<u32> {
        self.kept.map(|kept| kept + (edit.number() - self.first.number()) * self.segment())
    }
}

impl Plan {
    /// Creates the plan. `sites` has, for each token, the number of edits at earlier tokens. The segments of a chunk
    /// take `passing` words, or more if one mutant needs more.
    pub fn new(base: &Compiled, sites: &[u32], passing: u32) -> Plan {
        let parts = SplicePart::all(base);
        let words = base.executable.code.word.len();
        let before = |token: TokenId| sites.get(token.position()).copied().unwrap_or(0);
        let edits = before(TokenId::at(base.tokens.kind.len()));
        let mut kept_words = 0;
        let functions = parts.iter().map(|part| {
            let (first, behind) = (before(part.tokens.start()), before(part.tokens.end()));
            let most = room(base, &part.rows[part.at as usize..]).code;
            let (room, now) = (room(base, &part.rows), part.words.len() as u32);
            let (tokens, holes, first) = (part.tokens, part.holes, EditId::new(first));
            let mut function = PlanFunction { tokens, first, holes, room, most, now, kept: None };
            let wanted = u64::from(behind - first.number()) * u64::from(function.segment());
            if u64::from(kept_words) + wanted <= u64::from(KEPT) {
                function.kept = Some(kept_words);
                kept_words += wanted as u32;
            }
            function
        });
        let functions = functions.collect();
        let routines = base.executable.routines.token.len() as u32;
        let mutant = Room { tokens: routines.max(1), ir: 1, code: words as u32 };
        let (kept, table) = (vec![false; edits as usize], table(base, &parts));
        Plan { functions, edits, mutant, added: base.group.added(), kept, kept_words, passing, table }
    }

    /// Returns the words for segments: kept ones and those of a chunk.
    pub fn segment_words(&self) -> u64 {
        let most = self.functions.iter().map(PlanFunction::segment).max().unwrap_or(0);
        u64::from(self.kept_words) + u64::from(self.passing.max(2 * most))
    }

    /// Returns the maximum bytes for a mutant of one function.
    pub fn bytes_each(&self) -> u64 {
        let bytes = |own: &PlanFunction| {
            own.room.bytes()
                + grown(self.mutant, own).bytes()
                + u64::from(own.segment()) * size_of::<u32>() as u64
        };
        self.functions.iter().map(bytes).max().unwrap_or(0)
    }

    /// Lays out the first of some mutants: as many as fit.
    pub fn chunk(&self, base: &Compiled, ids: Indices<MutantId>, limits: &wgpu::Limits) -> PlanChunk {
        self.lay_out(base, ids.iter().map(|id| (id.number(), self.changed(id))), limits)
    }

    /// Lays out as many of the wanted mutants as fit, from the first on. Each comes with its id.
    pub fn lay_out(
        &self,
        base: &Compiled,
        wanted: impl Iterator<Item = (u32, ChangedFunctions)>,
        limits: &wgpu::Limits,
    ) -> PlanChunk {
        let mut parts = Shape::default();
        parts.params.level = base.level.number();
        let at = parts.push_text(&base.text);
        let mut mutants = Shape::default();
        let (mut made_for, mut made_of) = (Vec::new(), Vec::new());
        // Segments of single edits that this chunk compiles.
        let mut fresh: HashMap<EditId, u32> = HashMap::new();
        let (mut kept, mut passing, mut written) = (Vec::new(), self.kept_words, Vec::new());
        for (id, changed) in wanted {
            let own = |changed: &Changed| self.functions.get(changed.function.position());
            // An upper bound, because some segments exist already.
            let needed = changed.iter().flatten().filter_map(own);
            let part = { needed.clone() }.fold(Room::default(), |sum, own| sum.with(own.room));
            let mutant = { needed.clone() }.fold(self.mutant, grown);
            let passes: u32 = needed.map(PlanFunction::segment).sum();
            let fits = parts.fits_with(part, 0, limits)
                && mutants.fits_with(mutant, 0, limits)
                && u64::from(passing + passes) <= self.segment_words();
            if !fits && mutants.params.programs > 0 {
                break;
            }
            for changed in changed {
                let Some((changed, own)) = changed.and_then(|changed| own(&changed).map(|own| (changed, own)))
                else {
                    made_of.extend([NONE, NONE]);
                    continue;
                };
                let Changed { function, by } = changed;
                let single = if let EditSource::One(edit) = &by { Some(*edit) } else { None };
                let there = single.and_then(|edit| {
                    let there = own.place(edit).filter(|_| self.kept.get(edit.position()) == Some(&true));
                    there.or_else(|| fresh.get(&edit).copied())
                });
                let place = there.unwrap_or_else(|| {
                    let place = single.and_then(|edit| own.place(edit)).unwrap_or_else(|| {
                        passing += own.segment();
                        passing - own.segment()
                    });
                    if let Some(edit) = single {
                        fresh.insert(edit, place);
                        kept.extend(own.kept.map(|_| edit));
                    }
                    let (first, second) = match by {
                        EditSource::One(edit) => (edit.number(), NONE),
                        EditSource::Two(first, second) => (first.number(), second.number()),
                        EditSource::Words(words) => {
                            written.push((parts.params.programs, *words));
                            (NONE, NONE)
                        }
                    };
                    made_for.extend([function.number(), first, second, place]);
                    parts.push(own.room, at, base.text.len() as u32).holes = own.holes;
                    place
                });
                made_of.extend([place, function.number()]);
            }
            mutants.push(mutant, 0, 0).variant = id;
        }
        PlanChunk { parts, mutants, orders: [made_for, made_of].concat(), written, kept }
    }

    /// Records that the segments of single edits are on the device.
    pub fn keep(&mut self, edits: &[EditId]) {
        for edit in edits {
            self.kept.get_mut(edit.position()).into_iter().for_each(|kept| *kept = true);
        }
    }

    fn changed(&self, id: MutantId) -> ChangedFunctions {
        let place = |edit: EditId| self.functions.partition_point(|own| own.first <= edit);
        let function = |edit: EditId| RoutineId::at(place(edit).saturating_sub(1));
        let single = |edit: EditId| Changed { function: function(edit), by: EditSource::One(edit) };
        match mutate::unrank_pair(self.edits, id) {
            None => [Some(single(EditId::new(id.number()))), None],
            Some((i, j)) if function(i) == function(j) => {
                [Some(Changed { function: function(i), by: EditSource::Two(i, j) }), None]
            }
            Some((i, j)) => [Some(single(i)), Some(single(j))],
        }
    }

    /// Returns the functions that a patch changes; `None` if the patch is not of the form of a mutant. It
    /// must have at most two edits per function and two functions, edits no longer than the group's, and
    /// pieces copied from the same function.
    pub fn patched(&self, base: &Compiled, hunks: &[Hunk]) -> Option<ChangedFunctions> {
        let mut made = [None, None];
        let function =
            |hunk: &Hunk| self.functions.partition_point(|own| own.tokens.start() <= hunk.lo).checked_sub(1);
        let mut places = made.iter_mut();
        for own in hunks.chunk_by(|a, b| function(a) == function(b)) {
            let function = function(own.first()?)?;
            let tokens = self.functions.get(function)?.tokens;
            if !own.iter().all(|hunk| self.is_edit(base, hunk, tokens)) {
                return None;
            }
            let number = |hunk: &Hunk| hunk.number.filter(|edit| edit.number() < self.edits);
            let by = match own {
                [one] => {
                    number(one).map_or_else(|| EditSource::Words(Box::new(words(one, None))), EditSource::One)
                }
                [one, two] => match (number(one), number(two)) {
                    (Some(first), Some(second)) => EditSource::Two(first, second),
                    _ => EditSource::Words(Box::new(words(one, Some(two)))),
                },
                _ => return None,
            };
            *places.next()? = Some(Changed { function: RoutineId::at(function), by });
        }
        Some(made)
    }

    /// Whether an edit only affects and copies these tokens, and is no longer than a mutant's.
    fn is_edit(&self, base: &Compiled, hunk: &Hunk, tokens: Indices<TokenId>) -> bool {
        let inside = |lo, hi| tokens.start() <= lo && lo <= hi && hi <= tokens.end();
        let copies = |piece: &Piece| match *piece {
            Piece::Copy(own) => inside(own.start(), own.end()),
            Piece::New(..) => true,
        };
        // The character codes of a string take as much room as tokens.
        let size =
            |tokens: Indices<TokenId>| tokens.iter().map(|token| 1 + base.view().codes(token)).sum::<u32>();
        let put = |piece: &Piece| match *piece {
            Piece::Copy(own) => size(own),
            Piece::New(TokenKind::Str, codes) => 1 + (codes & 0xffff),
            Piece::New(..) => 1,
        };
        inside(hunk.lo, hunk.end())
            && hunk.pieces.len() <= PIECES
            && hunk.pieces.iter().all(copies)
            && hunk.pieces.iter().map(put).sum::<u32>() <= self.added + size(hunk.lo.up_to(hunk.hi))
    }
}

/// Returns the edits of a part in the shaders' format, in order.
fn words(first: &Hunk, second: Option<&Hunk>) -> EditWords {
    let mut row = [0; edits::WORDS as usize];
    // Without a second edit, an edit after the end changes nothing.
    row[(edits::SECOND + edits::LO) as usize] = NONE;
    row[(edits::SECOND + edits::HI) as usize] = NONE;
    for (at, hunk) in [(0, Some(first)), (edits::SECOND, second)] {
        let Some(hunk) = hunk else { continue };
        let growth = hunk.inserted_tokens().wrapping_sub(hunk.hi - hunk.lo);
        row[(at + edits::LO) as usize] = hunk.lo.number();
        row[(at + edits::HI) as usize] = hunk.hi.number();
        row[edits::GROWTH as usize] = row[edits::GROWTH as usize].wrapping_add(growth);
        for (place, piece) in (at + edits::PUT..).step_by(put::WORDS as usize).zip(hunk.pieces) {
            let (kind, says) = match *piece {
                Piece::New(kind, value) => (kind as u32, value),
                Piece::Copy(tokens) => (put::COPY, tokens.start().number()),
            };
            row[place as usize] = kind | piece.tokens() << put::BITS;
            row[place as usize + 1] = says;
        }
    }
    row[edits::INVALID as usize] = u32::from(second.is_some_and(|second| second.lo < first.end()));
    row
}

/// Returns the room of a mutant that changes one more function.
fn grown(room: Room, own: &PlanFunction) -> Room {
    Room { code: room.code + own.most - own.now.min(room.code), ..room }
}

/// Returns the room for a program of these tokens with two edits.
fn room(base: &Compiled, rows: &[SpliceRow]) -> Room {
    let codes = rows.iter().map(|row| base.view().codes(row.token)).sum();
    Room::new(rows.len() as u32 + 2 * base.group.added(), codes)
}

fn table(base: &Compiled, parts: &[SplicePart]) -> Vec<u32> {
    let words = &base.executable.code.word;
    let mut table = vec![address_mark::NO_ADDRESS; words.len()];
    for (at, in_operand) in addresses(words) {
        table[at] = if in_operand { address_mark::IN_OPERAND } else { address_mark::ADDRESS };
    }
    let mut behind = (words.len() + parts.len() * part::WORDS as usize) as u32;
    for own in parts {
        let mut row = [0; part::WORDS as usize];
        let functions = behind + own.rows.len() as u32;
        let fields = [
            (part::ROWS, behind),
            (part::LENGTH, own.rows.len() as u32),
            (part::AT, own.at),
            (part::LO, own.tokens.start().number()),
            (part::HI, own.tokens.end().number()),
            (part::FUNCTIONS, functions),
            (part::ADDRESS, own.words.start as u32),
            (part::SIZE, own.words.len() as u32),
        ];
        fields.iter().for_each(|(field, word)| row[*field as usize] = *word);
        table.extend(row);
        behind = functions + own.functions.len() as u32;
    }
    for own in parts {
        let word = |row: &SpliceRow| {
            row.token.number() | row.kind.map_or(part::OWN, |kind| kind as u32) << part::KIND_BITS
        };
        table.extend(own.rows.iter().map(word));
        table.extend(own.functions.iter().map(|function| function.number()));
    }
    table
}
