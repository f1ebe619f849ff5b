//! Records the rounds of flow with its own shader. The recorded words follow the tables.
//!
//! Flow has many tables, and its rounds are as many as its worklists need. Its scans are not recorded. So the entry points are dispatched one
//! at a time, and each records only the tables that it writes. An entry point stops once its recording is full
//! (`shaders/round_tracing/pause.wgsl`), and goes on in the next dispatch.

use std::ops::Range;

use crate::compiler::layout::numbers::{round_trace, traced_arena};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::rounds::{Rows, Site, StageRounds};
use crate::compiler::stage::Stage;
use crate::compiler::stage::flow::tables::{ENTRIES, HEAD, Rooms, Space, Table, places, rooms, tables};
use crate::compiler::stage::flow::{self, Flow};
use crate::engine::EngineError;
use crate::engine::gpu::device::Gpu;
use crate::engine::gpu::flow::{FINISHED, SUBMISSIONS, bind};
use crate::engine::gpu::kernel::{self, Kernel};
use crate::engine::gpu::records::incomplete;
use crate::engine::gpu::shaders;
use crate::host::measure::numbers::grouped;
use crate::lang::opcode::number::CALL;

use super::pieces::{ColumnLayout, Piece};
use super::{ITERATIONS, push, text};

/// The tables that each entry point writes, without memory of single threads.
pub const WRITTEN: [(&str, &[&str]); ENTRIES.len()] = [
    ("graph", &["blocks", "edges", "spans", "walk"]),
    ("variables", &["blocks", "spans", "accesses", "variables", "slots", "frames"]),
    ("paths", &["walk", "blocks"]),
    ("dominators", &["relations", "walk", "blocks"]),
    ("loops", &["relations", "walk", "blocks"]),
    ("liveness", &["live"]),
    ("callees", &["frames", "sites"]),
    ("reaching", &["reaches", "frames", "calls"]),
    ("bounds", &["calls"]),
    ("constants", &["constants", "cells", "arrivals", "sweeps", "progress"]),
    ("ranges", &["ranges", "cells", "arrivals", "sweeps", "progress"]),
    ("expressions", &["expressions"]),
    ("values", &["expressions", "value_spans", "values", "numbers", "changes", "readers", "reading"]),
    ("changes", &["changes", "available"]),
    ("available", &["available"]),
];
/// Of this table only the first column is recorded: the sweep that a block has made. The others are copies of
/// facts at the ends of blocks.
const FIRST_COLUMN_ONLY: &str = "sweeps";

/// The fewest and the most rounds that a dispatch records. An entry point makes fewer before it asks
/// whether it must stop, and after it.
const ROUNDS: Range<usize> = 16..64;
/// The most loop iterations per invocation to record one round.
const LARGEST: usize = 24_000 / ROUNDS.start;

/// The shader of flow, instrumented.
pub struct FlowTracer {
    kernel: Kernel,
    sites: Vec<Site>,
}

/// The recorded part of an entry point: the pieces of its tables, and their places in the state of the stage.
struct Written {
    pieces: ColumnLayout,
    places: Vec<Range<usize>>,
}

impl Written {
    /// Returns the most rounds of a dispatch, and the words for them.
    fn room(&self) -> (usize, usize) {
        let rounds = (ITERATIONS / self.pieces.iterations().max(1)).clamp(ROUNDS.start, ROUNDS.end);
        (rounds, rounds * (self.pieces.words() + 1))
    }
}

impl FlowTracer {
    /// Assembles the shader. Its entry points are compiled for the first program.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(gpu: &Gpu) -> Result<FlowTracer, EngineError> {
        let (text, sites) = text(Stage::Flow, &shaders::FLOW, Vec::new()).map_err(EngineError::Bug)?;
        Ok(FlowTracer { kernel: Kernel::of_text(gpu, &shaders::FLOW, text)?, sites })
    }

    /// Returns whether all entry points are compiled. The first program waits for them.
    pub fn is_compiled(&self) -> bool {
        self.kernel.missing().next().is_none()
    }

    /// Records the rounds of flow for the code of a program, in at most `most` bytes.
    ///
    /// # Errors
    /// If it is cancelled, the program or its rounds are too large, or the device fails.
    pub fn record(
        &self,
        gpu: &Gpu,
        program: &Compiled,
        watch: &dyn Watch,
        most: usize,
    ) -> Result<StageRounds, EngineError> {
        let (ir, routines) = (&program.ir, &program.executable.routines);
        let too_large = |why: &str| EngineError::TooLarge(why.into());
        let rooms =
            rooms(ir, routines).ok_or_else(|| too_large("its code exceeds the limits of flow's shader"))?;
        let (stage, written) = layout(program, &rooms);
        if written.iter().any(|own| own.pieces.iterations() > LARGEST) {
            return Err(too_large("its facts take more words than a round can record"));
        }
        kernel::compile(gpu, [&self.kernel])?;
        let room = written.iter().map(|own| own.room().1).max().unwrap_or(0);
        let (_, base) = places(&rooms);
        let (facts, group) = bind(&self.kernel, gpu, ir, routines, &rooms, round_trace::WORDS + room as u32)?;
        let mut rounds = StageRounds::new(Stage::Flow, self.sites.clone(), stage.columns());
        let (head, words) = (u64::from(base), u64::from(base + round_trace::WORDS));
        for ((number, entry), own) in ENTRIES.iter().enumerate().zip(&written) {
            let (rounds_room, words_room) = own.room();
            let mut finished = false;
            for _ in 0..SUBMISSIONS {
                if watch.cancelled() {
                    return Err(EngineError::Cancelled);
                }
                let counts = own.pieces.head(0, rounds_room as u32, words_room as u32);
                gpu.write(&facts, head * 4, bytemuck::cast_slice(&counts));
                let mut encoder = gpu.encoder();
                self.kernel.dispatch(&mut encoder.begin_compute_pass(&Default::default()), entry, &group, 1);
                let parts = [(&facts, 0, u64::from(HEAD)), (&facts, head, u64::from(round_trace::WORDS))];
                let read = gpu.read(encoder, &parts)?;
                let [states, counts] = &read[..] else { return Err(incomplete()) };
                let count = |place: u32| counts.get(place as usize).copied().unwrap_or(0);
                let used = count(round_trace::USED).min(words_room as u32);
                if count(round_trace::KEPT) != count(round_trace::ROUNDS) {
                    return Err(incomplete());
                }
                finished = states.get(Space::NAMES.len() + number) == Some(&FINISHED);
                let recorded = gpu.read(gpu.encoder(), &[(&facts, words, u64::from(used))])?;
                let recorded = recorded.first().ok_or_else(incomplete)?;
                push(&mut rounds, &own.places, finished, recorded)?;
                if rounds.bytes() > most {
                    let most = grouped((most >> 20) as u64);
                    return Err(EngineError::TooLarge(format!(
                        "its rounds take more than {most} MiB of memory"
                    )));
                }
                if finished {
                    break;
                }
            }
            if !finished {
                return Err(incomplete());
            }
        }
        Ok(rounds)
    }
}

/// Returns the pieces of all recorded tables, and those that each entry point writes.
fn layout(program: &Compiled, rooms: &Rooms) -> (ColumnLayout, Vec<Written>) {
    let mut flow = Flow::default();
    flow::run(&program.ir, &program.executable.routines, &mut flow, &mut flow::Scratch::default());
    let (places, _) = places(rooms);
    let recorded = |table: &&Table| WRITTEN.iter().any(|(_, names)| names.contains(&table.name));
    let pieces = tables().zip(places).filter(|(table, _)| recorded(table)).filter_map(|(table, place)| {
        let columns = if table.name == FIRST_COLUMN_ONLY { &table.columns[..1] } else { table.columns };
        let piece = Piece {
            arena: traced_arena::SCRATCH,
            first: place,
            stride: rooms[table.space as usize],
            rows: rows(table.space, program, &flow, rooms),
            of: rows_of(table.space)?,
            scratch: !Flow::TABLES.iter().any(|own| own.name == table.name),
            names: columns.iter().map(|column| format!("{}.{column}", table.name)).collect(),
        };
        (piece.rows > 0).then_some((table.name, piece))
    });
    let pieces: Vec<(&str, Piece)> = pieces.collect();
    let mut at = 0;
    let in_state: Vec<Range<usize>> = pieces
        .iter()
        .map(|(_, piece)| {
            let first = at;
            at += piece.words();
            first..at
        })
        .collect();
    let written = WRITTEN.iter().map(|(_, names)| {
        let own = pieces.iter().zip(&in_state).filter(|((name, _), _)| names.contains(name));
        let (pieces, places) = own.map(|((_, piece), place)| (piece.clone(), place.clone())).unzip();
        Written { pieces: ColumnLayout::of(pieces), places }
    });
    let written = written.collect();
    (ColumnLayout::of(pieces.into_iter().map(|(_, piece)| piece).collect()), written)
}

/// Returns the number of rows that a table has for a program.
fn rows(space: Space, program: &Compiled, flow: &Flow, rooms: &Rooms) -> u32 {
    let known = Flow::TABLES.iter().zip(flow.tables()).find(|(table, _)| table.space == space);
    if let Some((_, columns)) = known {
        return columns.first().map_or(0, |column| column.len() as u32);
    }
    match space {
        Space::Call => {
            let ir = &program.ir;
            let is_call = |i: &usize| ir.op[*i] == CALL && flow.blocks.reached[ir.block[*i] as usize] == 1;
            (0..ir.op.len()).filter(is_call).count() as u32
        }
        Space::Reader => {
            let each = flow.spans.variables.iter().zip(&flow.value_spans.values);
            each.map(|(variables, values)| variables * values.div_ceil(32)).sum()
        }
        _ => rooms[space as usize],
    }
}

/// Returns the kind of a space's rows in a recording; `None` if it is memory of single threads.
fn rows_of(space: Space) -> Option<Rows> {
    Some(match space {
        Space::Instruction => Rows::Instructions,
        Space::Block => Rows::Blocks,
        Space::Edge => Rows::Edges,
        Space::Routine => Rows::Routines,
        Space::Variable => Rows::Variables,
        Space::Fact => Rows::VariableSets,
        Space::Slot => Rows::Slots,
        Space::Relation => Rows::BlockSets,
        Space::Reach => Rows::RoutineSets,
        Space::Call => Rows::Calls,
        Space::Cell => Rows::Cells,
        Space::Value => Rows::Values,
        Space::ValueSet => Rows::ValueSets,
        Space::Reader => Rows::ReaderSets,
        Space::Bin | Space::Bucket => return None,
    })
}
