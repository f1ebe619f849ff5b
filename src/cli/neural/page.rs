//! The text output of `neural`.

use std::fmt::Write;

use crate::compiler::program::Compiled;
use crate::host::measure::numbers::grouped;
use crate::host::measure::share::percent;
use crate::lang::index::RoutineId;
use crate::learned::synthesis::compile::Compilation;
use crate::learned::synthesis::search::{Judged, Round, SearchSettings, Tested};
use crate::network::vocabulary::TAUGHT;
use crate::report::listing;

/// Formats a file's functions as text, after the pages of each.
pub fn page(name: &str, compiled: usize, all: usize, pages: &str) -> String {
    let why = if compiled > 0 { WHY_TWO } else { "" };
    format!("{name}: {compiled} of {all} functions compiled\n{pages}{why}")
}

const WHY_TWO: &str = "
Equation 7, 1 − (1 − p)^k, takes p for known and draws for independent; with the p that these draws gave it is
biased, and averaged over unlike functions it promises too much. The unbiased estimate, 1 − C(n−c, k) / C(n, k), counts what k of
these very draws would have found.
";

pub fn function_page(
    program: &Compiled,
    function: RoutineId,
    name: &str,
    compilation: &Compilation,
    settings: &SearchSettings,
) -> String {
    let found = &compilation.found;
    let mut page = String::new();
    let _ = writeln!(
        page,
        "\n{name}: {} drawn, {} valid, {} correct",
        found.drawn(),
        found.valid(),
        found.correct()
    );
    let interval = found.interval();
    let _ = writeln!(
        page,
        "  p of a correct draw {:.3}, from {:.3} to {:.3} at {} % (temperature {}, top-p {})",
        found.p_correct(),
        interval.low,
        interval.high,
        rounded(100.0 * settings.confidence),
        settings.sampling.temperature,
        settings.sampling.top_p,
    );
    let points = found.curve();
    let cells = |text: &dyn Fn(usize) -> String| (0..points.len()).map(text).collect::<Vec<_>>().join(" ");
    let _ = writeln!(page, "  success within  {}", cells(&|i| format!("{:>6}", points[i].k)));
    let _ = writeln!(page, "    equation 7    {}", cells(&|i| format!("{:>6.3}", points[i].model)));
    let _ = writeln!(page, "    unbiased      {}", cells(&|i| format!("{:>6.3}", points[i].unbiased)));
    if let Some(k) = found.k_for_99() {
        let _ = writeln!(page, "  {k} draws succeed with 99 % by equation 8");
    }
    for (number, round) in found.rounds.iter().enumerate() {
        let failures = &round.failures;
        if failures.total() == 0 {
            continue;
        }
        let _ = write!(
            page,
            "  failed in round {}, {} draws{}: {} invalid, {} trap, {} wrong, {} timeout, {} differ on inputs",
            number + 1,
            round.sampling.k,
            match number {
                0 => String::new(),
                _ => format!(" with feedback ({} % of the model's probability was refuted)", refuted(round)),
            },
            failures.invalid,
            failures.trap,
            failures.wrong,
            failures.timeout,
            failures.refuted,
        );
        if let Some((test, samples)) = failures.sharpest() {
            let _ = write!(page, "; test {test} noticed {samples} of them first");
        }
        page.push('\n');
    }
    if let Some(given_up) = &found.given_up {
        let _ = writeln!(page, "  {}", given_up.text());
    }
    match found.best() {
        Some(best) => {
            let _ = writeln!(page, "  best: {}", best.evidence);
            page.push_str(&extent(best, found.base_steps));
        }
        None if found.tested.is_some() => {
            let level = settings.aim.level().ident();
            let _ = writeln!(page, "  answer: the deterministic compiler's code, as no candidate is {level}");
        }
        None => return page,
    }
    if let Some(tested) = found.tested() {
        let _ =
            writeln!(page, "  not chosen: {}; `--evidence tested` or `tests` may choose it", tested.evidence);
        page.push_str(&extent(tested, found.base_steps));
    }
    let _ = write!(page, "  {} random inputs compared for all candidates", grouped(found.spent));
    let _ = match found.uniform {
        Some(uniform) => {
            writeln!(page, "; {} if all that pass the tests had equal shares", grouped(uniform))
        }
        None => writeln!(page),
    };
    let Some(best) = found.best() else { return page };
    let lines = listing::replacement(program, function, &best.candidate.code, program.executable.end());
    for line in listing::page(&lines).lines().skip(1) {
        let _ = writeln!(page, "  {line}");
    }
    page
}

/// Returns lines about a candidate's steps and the extent of its comparison.
fn extent(judged: &Judged, base_steps: u64) -> String {
    let steps = format!(
        "{} steps; the deterministic compiler's code at level 1 takes {base_steps} (the network was taught level 1 of {TAUGHT})",
        judged.steps()
    );
    let details = judged.evidence.tested().iter().flat_map(Tested::details).collect::<Vec<_>>();
    [steps].into_iter().chain(details).map(|line| format!("    {line}\n")).collect()
}

/// Removes the digits that are left by rounding to f32 or by a product.
fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

/// Returns the percentage of the model's probability that was refuted before a round.
fn refuted(round: &Round) -> String {
    percent(1.0 - f64::from(round.left), 1)
}
