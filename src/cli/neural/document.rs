//! The JSON document of `neural`.

use serde::Serialize;

use crate::cli::network::EvidenceFields;
use crate::compiler::program::{self, Compiled, Instructions};
use crate::lang::index::{Address, EntryId, Index};
use crate::lang::opcode::Shape;
use crate::learned::synthesis::compile::Compilation;
use crate::learned::synthesis::search::{GivenUp, Judged, Settings};

#[derive(Serialize)]
pub struct Document {
    pub functions: Vec<Function>,
}

/// The result for one function.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Function {
    Compiled(Box<Row>),
    Unsupported { function: String, out_of_reach: String },
}

#[derive(Serialize)]
pub struct Row {
    function: String,
    k: u32,
    seed: u32,
    temperature: f32,
    top_p: f32,
    valid: u32,
    correct: u32,
    p_correct: f64,
    p_correct_low: f64,
    p_correct_high: f64,
    p_success: Vec<Success>,
    #[serde(skip_serializing_if = "Option::is_none")]
    k_for_99: Option<u64>,
    rounds: Vec<RoundRow>,
    /// Why the search ended before its last draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    given_up: Option<GivenUpRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<Best>,
    /// A candidate that lacks the required evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    tested: Option<Best>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bytecode: Vec<Instruction>,
    inputs_spent: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs_uniform: Option<u64>,
    /// Text output.
    #[serde(skip)]
    pub page: String,
}

#[derive(Serialize)]
struct Success {
    k: u64,
    model: f64,
    unbiased: f64,
}

#[derive(Serialize)]
struct RoundRow {
    draws: u32,
    refuted_before: f32,
    temperature: f32,
    top_p: f32,
    invalid: u32,
    trap: u32,
    wrong: u32,
    timeout: u32,
    refuted: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_differing: Option<EntryId>,
}

#[derive(Serialize)]
struct GivenUpRow {
    draws: u32,
    remaining: u32,
    p_success: f64,
}

#[derive(Serialize)]
struct Best {
    steps: u64,
    base_steps: u64,
    #[serde(flatten)]
    evidence: EvidenceFields,
    inputs: u64,
}

/// An instruction, as in `stages`.
#[derive(Serialize)]
struct Instruction {
    address: Address,
    op: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    operand: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capacity: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Address>,
}

impl Row {
    /// Returns whether a correct candidate was found.
    pub fn is_compiled(&self) -> bool {
        self.best.is_some() || self.tested.is_some()
    }
}

/// Builds the row of a compiled function.
pub fn row(
    program: &Compiled,
    name: &str,
    compilation: &Compilation,
    settings: &Settings,
    page: String,
) -> Row {
    let found = &compilation.found;
    let interval = found.interval();
    let origin = program.executable.end();
    let best = found.best();
    let sampling = settings.sampling;
    let one = |judged: &Judged| Best {
        steps: judged.steps(),
        base_steps: found.base_steps,
        evidence: judged.evidence.into(),
        inputs: judged.inputs,
    };
    Row {
        function: name.to_string(),
        k: found.drawn(),
        seed: sampling.seed,
        temperature: sampling.temperature,
        top_p: sampling.top_p,
        valid: found.valid(),
        correct: found.correct(),
        p_correct: found.p_correct(),
        p_correct_low: interval.low,
        p_correct_high: interval.high,
        p_success: found
            .curve()
            .iter()
            .map(|point| Success { k: point.k, model: point.model, unbiased: point.unbiased })
            .collect(),
        k_for_99: found.k_for_99(),
        rounds: found
            .rounds
            .iter()
            .map(|round| RoundRow {
                draws: round.sampling.k,
                refuted_before: 1.0 - round.left,
                temperature: round.sampling.temperature,
                top_p: round.sampling.top_p,
                invalid: round.failures.invalid,
                trap: round.failures.trap,
                wrong: round.failures.wrong,
                timeout: round.failures.timeout,
                refuted: round.failures.refuted,
                first_differing: round.failures.sharpest().map(|(test, _)| test),
            })
            .collect(),
        given_up: found.given_up.map(|GivenUp { drawn, remained, success }| GivenUpRow {
            draws: drawn,
            remaining: remained,
            p_success: success,
        }),
        best: best.map(one),
        tested: found.tested().map(one),
        bytecode: best.map_or(vec![], |judged| instructions(&judged.candidate.code, origin)),
        inputs_spent: found.spent,
        inputs_uniform: found.uniform,
        page,
    }
}

fn instructions(code: &[u32], origin: Address) -> Vec<Instruction> {
    let row = |instruction: program::Instruction| {
        let program::Instruction { at, op, operand, second } = instruction;
        let shape = op.shape();
        Instruction {
            address: origin + at as u32,
            op: op.name(),
            operand: match shape {
                Shape::Plain => None,
                Shape::Value | Shape::Wide => Some(i64::from(operand as i32)),
                _ => Some(i64::from(operand)),
            },
            capacity: (shape == Shape::SlotCapacity).then_some(second),
            target: (shape == Shape::SlotTarget).then_some(Address::new(second)),
        }
    };
    Instructions::of(code).map(row).collect()
}
