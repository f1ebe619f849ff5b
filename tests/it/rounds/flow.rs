//! The rounds of flow: each iterates until nothing changes, and takes no more rounds than its equations need.

use std::collections::BTreeMap;

use crate::common::extent::{one_in, scaled};
use crate::common::round_tracer::round_tracer;
use crate::common::{called, looped, twins};
use myriad::compiler::program::Compiled;
use myriad::compiler::rounds::{Change, StageRounds};
use myriad::compiler::stage::Stage;
use myriad::compiler::stage::flow::tables::ENTRIES;
use myriad::compiler::stage::flow::{self, Flow};
use myriad::lang::level::OptLevel;

/// The functions of the shader that apply the equations of an analysis once to all blocks or calls.
const ROUNDS: [(&str, &str); 6] = [
    ("dominators", "narrow_dominators"),
    ("loops", "widen_loops"),
    ("liveness", "widen_liveness"),
    ("reaching", "widen_reaching"),
    ("bounds", "raise_bounds"),
    ("available", "narrow_available"),
];

/// Returns the flow of a program by the twin.
fn analyzed(compiled: &Compiled) -> Flow {
    let mut flow = Flow::default();
    if !compiled.ir.op.is_empty() {
        flow::run(&compiled.ir, &compiled.executable.routines, &mut flow, &mut flow::Scratch::default());
    }
    flow
}

/// Returns all columns of flow by the twin, with the recorder's names.
pub fn left(compiled: &Compiled) -> Vec<(String, Vec<u32>)> {
    let flow = analyzed(compiled);
    let tables = Flow::TABLES.iter().zip(flow.tables());
    let named = tables.flat_map(|(table, columns)| {
        let names = table.columns.iter().map(|column| format!("{}.{column}", table.name));
        names.zip(columns.into_iter().map(<[u32]>::to_vec)).collect::<Vec<_>>()
    });
    named.collect()
}

/// Returns the rounds that a function of the shader has made.
fn rounds_of(stage: &StageRounds, function: &str) -> Vec<usize> {
    let head = format!("fn {function}(");
    let own = |round: &usize| {
        let site = stage.site(*round).expect("a site");
        site.code.first().is_some_and(|line| line.starts_with(&head)) && stage.rounds[*round].lanes.is_none()
    };
    (0..stage.rounds.len()).filter(own).collect()
}

/// Returns the rounds that an analysis needs if each round reads only what the previous one has left, with the last
/// one, which changes nothing.
fn synchronous<T: Clone + PartialEq>(mut state: Vec<T>, next: impl Fn(&[T], usize) -> T) -> usize {
    let mut rounds = 1;
    loop {
        let new: Vec<T> = (0..state.len()).map(|at| next(&state, at)).collect();
        if new == state {
            return rounds;
        }
        state = new;
        rounds += 1;
    }
}

/// Returns the rounds that liveness needs.
fn of_liveness(flow: &Flow) -> usize {
    let entry = |live: &[Vec<u32>], block: usize| -> Vec<u32> {
        let exit = |word: usize| flow.blocks.successors(block).fold(0, |all, to| all | live[to][word]);
        let word = |(word, row): (usize, usize)| flow.live.reads[row] | exit(word) & !flow.live.stores[row];
        match flow.blocks.reached[block] {
            1 => flow.facts(block).enumerate().map(word).collect(),
            _ => vec![0; flow.facts(block).len()],
        }
    };
    let nothing = (0..flow.blocks.len()).map(|block| vec![0; flow.facts(block).len()]);
    // A further round copies the last sets to the ends of the blocks before.
    synchronous(nothing.collect(), entry) + 1
}

/// Returns the rounds that dominators need.
fn of_dominators(flow: &Flow) -> usize {
    let own = |block: usize| flow.spans.blocks(flow.blocks.routine[block] as usize);
    let is_fixed = |block: usize| own(block).start == block || flow.blocks.reached[block] == 0;
    let begin = |block: usize| if is_fixed(block) { vec![block] } else { own(block).collect::<Vec<usize>>() };
    let next = |sets: &[Vec<usize>], block: usize| -> Vec<usize> {
        let mut before = flow.predecessors(block).filter(|from| flow.blocks.reached[*from] == 1);
        match is_fixed(block) {
            true => sets[block].clone(),
            false => {
                let first = before.next().expect("a reached block");
                let mut common = sets[first].clone();
                before.for_each(|from| common.retain(|d| sets[from].contains(d)));
                let kept = sets[block].iter().filter(|d| **d == block || common.contains(d));
                kept.copied().collect()
            }
        }
    };
    synchronous((0..flow.blocks.len()).map(begin).collect(), next)
}

/// Checks the rounds of each analysis of one program.
fn check(stage: &StageRounds, flow: &Flow, text: &str) {
    for (entry, function) in ROUNDS {
        let rounds = rounds_of(stage, function);
        let (last, before) =
            rounds.split_last().unwrap_or_else(|| panic!("{entry} makes no round for\n{text}"));
        // Sets at the ends of blocks may still take over the last ones where blocks begin.
        let counts = |change: &&Change| {
            let (column, _) = stage.cell(change.place).expect("a cell");
            stage.columns[column].name != "live.exit"
        };
        assert!(!stage.changes(*last).iter().any(|change| counts(&change)), "{entry} ends too early:\n{text}");
        assert!(before.iter().all(|round| !stage.changes(*round).is_empty()), "{entry}:\n{text}");
        assert!(rounds.iter().all(|round| stage.entry(*round) == Some(entry)), "{entry}:\n{text}");
        let most = match entry {
            "liveness" => of_liveness(flow),
            "dominators" => of_dominators(flow),
            _ => continue,
        };
        assert!(rounds.len() <= most, "{entry}: {} rounds, and {most} are enough for\n{text}", rounds.len());
    }
    let entries: Vec<&str> = (0..stage.rounds.len()).filter_map(|round| stage.entry(round)).collect();
    let mut distinct = entries.clone();
    distinct.dedup();
    assert_eq!(distinct, ENTRIES, "every entry point ends once, in order:\n{text}");
}

/// Checks that each sweep executes each reached block once, and returns the most sweeps of a routine.
fn sweeps(stage: &StageRounds, flow: &Flow, entry: &str) -> u32 {
    let mut of_block: BTreeMap<usize, u32> = BTreeMap::new();
    for round in (0..stage.rounds.len()).filter(|round| stage.entry(*round) == Some(entry)) {
        for change in stage.changes(round) {
            let (column, row) = stage.cell(change.place).expect("a cell");
            if stage.columns[column].name == "sweeps.state" && change.after & 1 == 1 {
                *of_block.entry(row).or_default() += 1;
            }
        }
    }
    for block in 0..flow.blocks.len() {
        let first = flow.spans.block[flow.blocks.routine[block] as usize] as usize;
        let expected = if flow.blocks.reached[block] == 1 { of_block.get(&first) } else { None };
        assert_eq!(of_block.get(&block), expected, "block {block} in {entry}");
    }
    of_block.into_values().max().unwrap_or(0)
}

#[test]
fn analyses_end_when_a_round_changes_nothing() {
    let held = round_tracer();
    let (gpu, tracer) = &*held;
    let mut texts = one_in(9, twins::files());
    texts.extend((0..scaled(8)).flat_map(|seed| [called::program(seed), looped::program(seed)]));
    let mut checked = 0;
    for text in texts {
        for level in [OptLevel::default(), OptLevel::Whole] {
            let program = twins::compile_at(level, &text, Stage::Emit);
            let (recording, _) =
                tracer.record(gpu, &program, &|| false).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let Some(stage) = recording.stages.iter().find(|stage| stage.stage == Stage::Flow) else {
                assert!(program.ir.op.is_empty() || recording.without_flow.is_some(), "no flow of\n{text}");
                continue;
            };
            let flow = analyzed(&program);
            check(stage, &flow, &text);
            // Constants change nothing in the last sweep, so there are two; ranges are narrowed in two more.
            assert!(sweeps(stage, &flow, "constants") >= 2, "{text}");
            assert!(sweeps(stage, &flow, "ranges") >= 4, "{text}");
            checked += 1;
        }
    }
    assert!(checked > 4, "{checked} programs are checked");
}

/// In a loop, a variable becomes live one block further back in each round.
#[test]
fn live_sets_grow_until_a_round_changes_nothing() {
    let text = "fn f(n: int) -> int {\n    let s = 0;\n    let i = 0;\n    while i < n { if i % 3 == 0 { s += i; } i += 1; }\n    return s;\n}\ntest f(4) == 3;\n";
    let held = round_tracer();
    let (gpu, tracer) = &*held;
    let program = twins::compile_at(OptLevel::default(), text, Stage::Emit);
    let (recording, _) = tracer.record(gpu, &program, &|| false).expect("rounds");
    let stage = recording.stages.iter().find(|stage| stage.stage == Stage::Flow).expect("flow");
    let entry = stage.columns.iter().find(|column| column.name == "live.entry").expect("a column");
    let sizes: Vec<u32> = rounds_of(stage, "widen_liveness")
        .iter()
        .map(|round| stage.state(round + 1)[entry.place.clone()].iter().map(|word| word.count_ones()).sum())
        .collect();
    let twin: u32 = analyzed(&program).live.entry.iter().map(|word| word.count_ones()).sum();
    assert!(sizes.windows(2).all(|pair| pair[0] <= pair[1]), "{sizes:?}");
    assert!(sizes.len() >= 2 && sizes.last() == Some(&twin) && sizes[sizes.len() - 2] == twin, "{sizes:?}");
}

/// A program that the shader of flow cannot take shows its other stages, and the reason.
#[test]
fn program_too_large_for_flow_keeps_its_other_stages() {
    let held = round_tracer();
    let (gpu, tracer) = &*held;
    // Many variables in many blocks of one function.
    let variables: String = (0..63).map(|i| format!("let v{i} = n; ")).collect();
    let blocks: String = (0..133).map(|i| format!("if n > {i} {{ n = v{}; }}\n", i % 63)).collect();
    let text = format!("fn f(n: int) -> int {{\n{variables}\n{blocks}return n;\n}}\ntest f(1) == 1;\n");
    let program = twins::compile_at(OptLevel::default(), &text, Stage::Emit);
    let (recording, _) = tracer.record(gpu, &program, &|| false).unwrap_or_else(|error| panic!("{error}"));
    assert!(recording.stages.iter().all(|stage| stage.stage != Stage::Flow));
    assert_eq!(recording.stages.len(), 6);
    let why = recording.without_flow.as_deref().expect("a reason");
    assert!(why.contains("flow's shader"), "{why}");
    let page = myriad::report::rounds::page(&recording);
    assert!(page.ends_with(&format!("flow · not recorded: {why}\n")), "{page}");
}
