//! The JSON document of `neural`.

use crate::cli::network::evidence;
use crate::compiler::program::{Compiled, ExecutableInstruction, Instructions};
use crate::learned::synthesis::compile::Compilation;
use crate::learned::synthesis::search::{GivenUp, Judged, Round, SearchSettings};
use crate::report::document::Object;
use crate::report::stages::InstructionRow;

pub fn row(program: &Compiled, name: &str, compilation: &Compilation, settings: &SearchSettings) -> Object {
    let (found, sampling) = (&compilation.found, settings.sampling);
    let (interval, best) = (found.interval(), found.best());
    let candidate = |judged: &Judged| {
        Object::new()
            .field("steps", judged.steps())
            .field("base_steps", found.base_steps)
            .join(evidence(judged.evidence))
            .field("inputs", judged.inputs)
    };
    let given_up = |GivenUp { drawn, remained, success }| {
        Object::new().field("draws", drawn).field("remaining", remained).field("p_success", success)
    };
    let origin = program.executable.end();
    let code = best.map_or(&[][..], |judged| &judged.candidate.code);
    let instruction = |own: ExecutableInstruction| InstructionRow::new(origin + own.at as u32, own);
    Object::new()
        .field("function", name)
        .field("k", found.drawn())
        .field("seed", sampling.seed)
        .field("temperature", sampling.temperature)
        .field("top_p", sampling.top_p)
        .field("valid", found.valid())
        .field("correct", found.correct())
        .field("p_correct", found.p_correct())
        .field("p_correct_low", interval.low)
        .field("p_correct_high", interval.high)
        .list("p_success", found.curve())
        .option("k_for_99", found.k_for_99())
        .list("rounds", found.rounds.iter().map(round))
        .option("given_up", found.given_up.map(given_up))
        .option("best", best.map(candidate))
        // A candidate that lacks the required evidence.
        .option("tested", found.tested().map(candidate))
        .unless_empty("bytecode", Instructions::of(code).map(instruction))
        .field("inputs_spent", found.spent)
        .option("inputs_uniform", found.uniform)
}

fn round(round: &Round) -> Object {
    let failures = &round.failures;
    Object::new()
        .field("draws", round.sampling.k)
        .field("refuted_before", 1.0 - round.left)
        .field("temperature", round.sampling.temperature)
        .field("top_p", round.sampling.top_p)
        .field("invalid", failures.invalid)
        .field("trap", failures.trap)
        .field("wrong", failures.wrong)
        .field("timeout", failures.timeout)
        .field("refuted", failures.refuted)
        .option("first_differing", failures.sharpest().map(|(test, _)| test))
}
