//! What mutants of one base are made of: the table of its parts, which of them a chunk needs, and where their segments are kept.
//!
//! The segment of a single edit serves all pairs that it is in, as far as the other edit is of another function: it is made once and kept.

use std::collections::HashMap;

use crate::engine::gpu::arena::{Room, Shape};
use crate::lang::NONE;
use crate::layout::numbers::{mark_of_word, part, segment};
use crate::program::Compiled;
use crate::stage::mutate;
use crate::stage::splice::addresses;
use crate::stage::splice::part::{Part, Row};

/// Words for segments that are kept, at most.
const KEPT: u32 = 1 << 22;
/// Words for those of one chunk alone, if one mutant's do not take more.
const PASSING: u32 = 1 << 18;

/// What is known of the parts of a base without errors.
pub struct Plan {
    functions: Vec<Function>,
    /// How many edits there are.
    edits: u32,
    /// Room of a mutant whose functions have grown by nothing.
    mutant: Room,
    /// Of each edit whether its segment is there.
    kept: Vec<bool>,
    /// Words of all segments that may be kept; behind them those of a chunk.
    kept_words: u32,
    /// What the shaders know of the base: marks, rows of functions, and what these point to.
    pub table: Vec<u32>,
}

/// What a function needs.
struct Function {
    /// Number of its first edit.
    first: u32,
    /// Room of its part with two edits.
    room: Room,
    /// The most words of its code, and those that it has in the base.
    most: u32,
    now: u32,
    /// Where the segment of its first edit is kept, with those of the others behind it; `None` where there is no room.
    kept: Option<u32>,
}

/// The programs of a chunk.
pub struct Chunk {
    pub parts: Shape,
    pub mutants: Shape,
    /// What each part is, then what each mutant is made of.
    pub orders: Vec<u32>,
    /// The edits whose segments are there once it is done.
    pub kept: Vec<u32>,
}

/// A changed function of a mutant: one edit of it, or two.
#[derive(Clone, Copy)]
struct Changed {
    function: u32,
    first: u32,
    second: Option<u32>,
}

impl Function {
    /// Words of a segment of it.
    fn segment(&self) -> u32 {
        segment::CODE + 2 * self.most
    }

    /// Where the segment of one of its edits is kept.
    fn place(&self, edit: u32) -> Option<u32> {
        self.kept.map(|kept| kept + (edit - self.first) * self.segment())
    }
}

impl Plan {
    /// `sites` has for each token the number of edits of those before it.
    pub fn new(base: &Compiled, sites: &[u32]) -> Plan {
        let parts = Part::all(base);
        let words = base.executable.code.word.len();
        let before = |token: u32| sites.get(token as usize).copied().unwrap_or(0);
        let edits = before(base.tokens.kind.len() as u32);
        let mut kept_words = 0;
        let functions = parts.iter().map(|part| {
            let (first, behind) = (before(part.tokens.start), before(part.tokens.end));
            let most = room(base, &part.rows[part.at as usize..]).code;
            let (room, now) = (room(base, &part.rows), part.words.len() as u32);
            let mut function = Function { first, room, most, now, kept: None };
            let wanted = u64::from(behind - first) * u64::from(function.segment());
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
        Plan { functions, edits, mutant, kept, kept_words, table }
    }

    /// Words for segments: those that are kept, and those of a chunk.
    pub fn segment_words(&self) -> u64 {
        let most = self.functions.iter().map(Function::segment).max().unwrap_or(0);
        u64::from(self.kept_words) + u64::from(PASSING.max(2 * most))
    }

    /// The most bytes that a mutant of one function takes.
    pub fn bytes_each(&self) -> u64 {
        let bytes = |own: &Function| {
            own.room.bytes()
                + grown(self.mutant, own).bytes()
                + u64::from(own.segment()) * size_of::<u32>() as u64
        };
        self.functions.iter().map(bytes).max().unwrap_or(0)
    }

    /// Lays out the first mutants of so many from an id on: as many as fit.
    pub fn chunk(&self, base: &Compiled, first: u32, most: u32, limits: &wgpu::Limits) -> Chunk {
        let mut parts = Shape::default();
        let at = parts.push_text(&base.text);
        let mut mutants = Shape::default();
        let (mut made_for, mut made_of) = (Vec::new(), Vec::new());
        // Segments of single edits that the chunk makes.
        let mut fresh: HashMap<u32, u32> = HashMap::new();
        let (mut kept, mut passing) = (Vec::new(), self.kept_words);
        for id in first..first.saturating_add(most) {
            let changed = self.changed(id);
            let own = |changed: Changed| self.functions.get(changed.function as usize);
            // At most: some segments are there already.
            let needed = changed.into_iter().flatten().filter_map(own);
            let part = { needed.clone() }.fold(Room::default(), |sum, own| sum.with(own.room));
            let mutant = { needed.clone() }.fold(self.mutant, grown);
            let passes: u32 = needed.map(Function::segment).sum();
            let fits = parts.fits_with(part, 0, limits)
                && mutants.fits_with(mutant, 0, limits)
                && u64::from(passing + passes) <= self.segment_words();
            if !fits && mutants.params.programs > 0 {
                break;
            }
            for changed in changed {
                let Some((changed, own)) = changed.and_then(|changed| Some((changed, own(changed)?))) else {
                    made_of.extend([NONE, NONE]);
                    continue;
                };
                let Changed { function, first, second } = changed;
                let single = second.is_none();
                let there = own.place(first).filter(|_| self.kept.get(first as usize) == Some(&true));
                let there = there.or_else(|| fresh.get(&first).copied()).filter(|_| single);
                let place = there.unwrap_or_else(|| {
                    let place = own.place(first).filter(|_| single).unwrap_or_else(|| {
                        passing += own.segment();
                        passing - own.segment()
                    });
                    if single {
                        fresh.insert(first, place);
                        kept.extend(own.kept.map(|_| first));
                    }
                    made_for.extend([function, first, second.unwrap_or(NONE), place]);
                    parts.push(own.room, at, base.text.len() as u32);
                    place
                });
                made_of.extend([place, function]);
            }
            mutants.push(mutant, 0, 0).variant = id;
        }
        Chunk { parts, mutants, orders: [made_for, made_of].concat(), kept }
    }

    /// Notes that the segments of single edits are there.
    pub fn keep(&mut self, edits: &[u32]) {
        for edit in edits {
            self.kept.get_mut(*edit as usize).into_iter().for_each(|kept| *kept = true);
        }
    }

    /// The functions that a mutant changes, in their order.
    fn changed(&self, id: u32) -> [Option<Changed>; 2] {
        let function =
            |edit: u32| self.functions.partition_point(|own| own.first <= edit).saturating_sub(1) as u32;
        let single = |edit: u32| Changed { function: function(edit), first: edit, second: None };
        match mutate::pair(self.edits, id) {
            None => [Some(single(id)), None],
            Some((i, j)) if function(i) == function(j) => {
                [Some(Changed { second: Some(j), ..single(i) }), None]
            }
            Some((i, j)) => [Some(single(i)), Some(single(j))],
        }
    }
}

/// Room of a mutant that changes one function more.
fn grown(room: Room, own: &Function) -> Room {
    Room { code: room.code + own.most - own.now.min(room.code), ..room }
}

/// Room for a program of these tokens with two edits.
fn room(base: &Compiled, rows: &[Row]) -> Room {
    let codes = rows.iter().map(|row| base.view().codes(row.token)).sum();
    Room::new(rows.len() as u32 + 2 * base.group.added(), codes)
}

fn table(base: &Compiled, parts: &[Part]) -> Vec<u32> {
    let words = &base.executable.code.word;
    let mut table = vec![mark_of_word::NO_ADDRESS; words.len()];
    for (at, in_operand) in addresses(words) {
        table[at] = if in_operand { mark_of_word::IN_OPERAND } else { mark_of_word::ADDRESS };
    }
    let mut behind = (words.len() + parts.len() * part::WORDS as usize) as u32;
    for own in parts {
        let mut row = [0; part::WORDS as usize];
        let functions = behind + own.rows.len() as u32;
        let fields = [
            (part::ROWS, behind),
            (part::LENGTH, own.rows.len() as u32),
            (part::AT, own.at),
            (part::LO, own.tokens.start),
            (part::HI, own.tokens.end),
            (part::FUNCTIONS, functions),
            (part::ADDRESS, own.words.start as u32),
            (part::SIZE, own.words.len() as u32),
        ];
        fields.iter().for_each(|(field, word)| row[*field as usize] = *word);
        table.extend(row);
        behind = functions + own.functions.len() as u32;
    }
    for own in parts {
        let word = |row: &Row| row.token | row.kind.map_or(part::OWN, |kind| kind as u32) << part::KIND_BITS;
        table.extend(own.rows.iter().map(word));
        table.extend(&own.functions);
    }
    table
}
