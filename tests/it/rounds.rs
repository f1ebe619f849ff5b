//! Rounds recorded by the stages' shaders: the last state equals the output of the twins, and no round is
//! missing.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::extent::{one_in, scaled};
use crate::common::round_tracer::round_tracer;
use crate::common::{broken, extremes, twins, typed};
use myriad::compiler::program::Compiled;
use myriad::compiler::rounds::{Recording, RoundChange, SiteKind, StageRounds};
use myriad::compiler::stage::Stage;
use myriad::engine::EngineError;
use myriad::engine::gpu::{round_tracing, shaders};
use myriad::lang::level::OptLevel;
use naga::valid::{Capabilities, ValidationFlags, Validator};

#[test]
fn tracing_shaders_are_valid_and_describe_every_barrier() {
    let more = [(Stage::Optimize, shaders::EXPAND)];
    for (stage, shader) in shaders::COMPILE.iter().chain(&more) {
        let (text, sites) =
            round_tracing::text(*stage, shader, vec![]).unwrap_or_else(|error| panic!("{error}"));
        let module = naga::front::wgsl::parse_str(&text)
            .unwrap_or_else(|error| panic!("{}: {}", shader.file, error.emit_to_string(&text)));
        Validator::new(ValidationFlags::all(), Capabilities::empty())
            .validate(&module)
            .unwrap_or_else(|error| panic!("{}: {}", shader.file, error.emit_to_string(&text)));
        let mut lines = text.lines().peekable();
        let mut silent = 0;
        while let Some(line) = lines.next() {
            if line.trim() == "storageBarrier();" {
                silent +=
                    u32::from(!lines.peek().is_some_and(|next| next.trim().starts_with("trace_columns(")));
            }
        }
        assert_eq!(silent, 1, "{}: only `trace_columns` ends with a barrier of its own", shader.file);
        let ends: Vec<&str> = sites.iter().filter_map(|site| site.ends.as_deref()).collect();
        for entry in shader.entries {
            assert!(ends.contains(entry), "{}: `{entry}` says nothing at its end", stage.name());
        }
        for site in &sites {
            let place = format!("{}:{}", site.file, site.line);
            assert!(site.sentence.ends_with('.'), "{place}: {}", site.sentence);
            assert!(site.sentence.starts_with(char::is_uppercase), "{place}: {}", site.sentence);
            if let SiteKind::Columns(work) = &site.kind {
                assert!(!work.is_empty() && work.len() < 10, "{place}: {work}");
            }
        }
    }
}

/// Returns the columns that a stage writes, with the recorder's names.
fn left(stage: Stage, compiled: &Compiled) -> Vec<(String, Vec<u32>)> {
    macro_rules! named {
        ($prefix:literal, $columns:expr, $ty:ident) => {{
            let names = myriad::compiler::program::$ty::COLUMNS
                .iter()
                .map(|name| format!(concat!($prefix, ".{}"), name));
            names.zip($columns.columns().into_iter().map(<[u32]>::to_vec)).collect::<Vec<_>>()
        }};
    }
    match stage {
        Stage::Lex => named!("tokens", compiled.tokens, Tokens),
        Stage::Parse => named!("tree", compiled.tree, Tree),
        Stage::Check => named!("checked", compiled.checked, Checked),
        Stage::Lower => {
            [named!("lowered", compiled.lowered, Ir), named!("binders", compiled.binders, Binders)].concat()
        }
        Stage::Optimize => named!("ir", compiled.ir, Ir),
        Stage::Emit => [
            named!("code", compiled.executable.code, Bytecode),
            named!("routines", compiled.executable.routines, Routines),
        ]
        .concat(),
        _ => vec![],
    }
}

/// Checks the rounds of one program.
fn check(text: &str, recording: &Recording, found: &Compiled) {
    let expected = twins::device_at(found.level, text, Stage::Emit);
    if let Some(difference) = twins::difference(&expected, found) {
        panic!("{difference}\n---- of this program:\n{text}");
    }
    for rounds in &recording.stages {
        let name = rounds.stage.name();
        let last = rounds.state(rounds.rounds.len());
        for (column, rows) in left(rounds.stage, &expected) {
            let Some(told) = rounds.columns.iter().find(|told| told.name == column && !told.scratch) else {
                assert!(rows.is_empty(), "{name}: nothing is told of {column}");
                continue;
            };
            // There may be one more row after the last.
            let told = &last[told.place.clone()];
            assert_eq!(told[..rows.len()], rows, "{name}: {column} of\n{text}");
        }
        assert!(rounds.entry(rounds.rounds.len() - 1).is_some(), "{name}: the last round ends an entry point");
        let numbers: Vec<usize> = (0..rounds.rounds.len()).collect();
        assert!(
            numbers.iter().all(|round| rounds.site(*round).is_some()),
            "{name}: every round has a sentence"
        );
        steps(rounds);
    }
}

/// Checks that the changes lead from each state to the next.
fn steps(rounds: &StageRounds) {
    let mut state = rounds.state(0);
    for round in 0..rounds.rounds.len() {
        for change in rounds.changes(round) {
            assert_eq!(state[change.place as usize], change.before, "round {round} of {}", rounds.stage.name());
            state[change.place as usize] = change.after;
        }
        // Each state is computed from a keyframe, so checking some is enough.
        if round % 7 == 0 {
            assert_eq!(rounds.state(round + 1), state, "after round {round} of {}", rounds.stage.name());
        }
    }
    assert_eq!(rounds.state(rounds.rounds.len()), state);
}

fn program(text: &str) -> Arc<Compiled> {
    program_at(OptLevel::default(), text)
}

fn program_at(level: OptLevel, text: &str) -> Arc<Compiled> {
    Arc::new(twins::compile_at(level, text, Stage::Emit))
}

/// At level 2, the rounds of each expansion follow those of the passes before it.
#[test]
fn rounds_of_expansions_are_recorded_at_level_2() {
    let held = round_tracer();
    let (gpu, tracer) = &*held;
    let text = "fn g(n: int) -> int { return n * n; }
fn f(n: int) -> int { let s = 0; for i in 0..3 { s += g(n + i); } while s > 9 { s -= len([1, 2]); } return s; }
test f(1) == 0;
";
    let texts = one_in(9, twins::files()).into_iter().chain((0..scaled(2)).map(typed::program));
    for text in texts.chain([text.to_string()]) {
        let program = program_at(OptLevel::Whole, &text);
        let (recording, found) =
            tracer.record(gpu, &program, &|| false).unwrap_or_else(|error| panic!("{error}\n{text}"));
        check(&text, &recording, &found);
    }
    let (recording, _) = tracer.record(gpu, &program_at(OptLevel::Whole, text), &|| false).expect("rounds");
    let stage = recording.stages.iter().find(|stage| stage.stage == Stage::Optimize).expect("a stage");
    let entries: BTreeSet<&str> = (0..stage.rounds.len()).filter_map(|round| stage.entry(round)).collect();
    assert!(shaders::EXPAND.entries.iter().all(|entry| entries.contains(entry)), "{entries:?}");
    let ir = |change: &&RoundChange| {
        stage.cell(change.place).is_some_and(|(at, _)| stage.columns[at].name == "ir.op")
    };
    for name in ["inline", "unroll", "rotate", "lists"] {
        let entry = format!("expand_{name}");
        let own = |round: &usize| stage.entry(*round) == Some(&entry);
        let mut rounds = (0..stage.rounds.len()).filter(own);
        assert!(rounds.any(|round| stage.changes(round).iter().any(|change| ir(&change))), "{name}");
    }
}

#[test]
fn recorded_rounds_end_with_the_output_of_the_twins() {
    let held = round_tracer();
    let (gpu, tracer) = &*held;
    let mut texts = one_in(2, twins::files());
    let count = scaled(6);
    for generate in [typed::program, broken::program] {
        texts.extend((0..count).map(generate));
    }
    for text in &texts {
        let (recording, found) =
            tracer.record(gpu, &program(text), &|| false).unwrap_or_else(|error| panic!("{error}\n{text}"));
        check(text, &recording, &found);
    }
}

#[test]
fn program_too_large_for_rounds_is_refused() {
    let held = round_tracer();
    let (gpu, tracer) = &*held;
    let mut refused = 0;
    for text in extremes::extremes().into_iter().step_by(4) {
        let program = program(&text);
        let large = program.tokens.kind.len().max(program.lowered.op.len()) > 2048;
        refused += u32::from(large);
        match tracer.record(gpu, &program, &|| false) {
            Ok((recording, found)) => {
                assert!(!large, "it has {} tokens", program.tokens.kind.len());
                check(&text, &recording, &found);
            }
            Err(error) => {
                let begin: String = text.chars().take(200).collect();
                let said = error.to_string();
                let known = matches!(error, EngineError::TooLarge(_)) && said.contains("at most 2,048 tokens");
                assert!(large && known, "{said}: {begin}");
            }
        }
    }
    assert!(refused > 0, "some of these are too large");
}

#[test]
fn sample_has_rounds_of_each_stage() {
    let held = round_tracer();
    let (gpu, tracer) = &*held;
    let text = include_str!("../../samples/gcd.myr");
    let (recording, _) =
        tracer.record(gpu, &program(text), &|| false).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let stages: Vec<&str> = recording.stages.iter().map(|rounds| rounds.stage.name()).collect();
    assert_eq!(stages, ["lex", "parse", "check", "lower", "optimize", "emit"]);
    let lex = &recording.stages[0];
    let scans = lex.rounds.iter().filter(|round| round.lanes.is_some()).count();
    assert!(scans >= 7, "a scan of composition has seven rounds: {scans}");
    assert_eq!(lex.entry(0), Some("split"));
    assert!(recording.find(recording.len()).is_none());
}

#[test]
fn stages_command_describes_each_round() {
    use crate::common::command::{call, call_with};
    let called = call("stages samples/gcd.myr --rounds");
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(called.stdout.contains("parse · parse_brackets"), "{}", called.stdout);
    assert!(called.stdout.contains("Every name has the number of its first token."), "{}", called.stdout);
    let document = call_with("stages - --rounds --format json", "fn f(a: int) -> int { return a; }\n").file();
    let rounds = document["rounds"].as_array().expect("rounds").clone();
    let stages: Vec<&str> = rounds.iter().filter_map(|round| round["stage"].as_str()).collect();
    assert!(stages.contains(&"lex") && stages.contains(&"emit"), "{stages:?}");
    let kinds =
        rounds.iter().find(|round| round["changes"]["tokens.kind"] == 14).expect("the round that classifies");
    assert_eq!(kinds["work"], "n");
    let large = "test 1 == 1;\n".repeat(500);
    let refused = call_with("stages - --rounds", &large);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("too large") && refused.stderr.contains("2048"), "{}", refused.stderr);
}
