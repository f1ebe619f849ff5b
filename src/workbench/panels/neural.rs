//! The Neural panel: the transformer's code for the function under the cursor. It lists candidates as they
//! arrive, then the evidence for the best one, success as a function of k, and the difference from the
//! deterministic compiler's code.

use crate::host::measure::numbers::grouped;
use crate::host::measure::origin::Origin;
use crate::host::measure::statistics;
use crate::learned::synthesis::compile::Compilation;
use crate::learned::synthesis::search::{Evidence, Failures, Judged, Tested};
use crate::learned::synthesis::times::NeuralTime;
use crate::network::sampling::{Candidate, Status};
use crate::network::vocabulary::TAUGHT;
use crate::report::align::{Aligned, align, changes};
use crate::report::words::WordNames;
use crate::session::Neural;
use crate::workbench::panels::figures::taken;
use crate::workbench::panels::function;
use crate::workbench::panels::page::{Page, WAITS};
use crate::workbench::results::Results;
use crate::workbench::state::State;
use crate::workbench::theme::Look;

/// The maximum number of candidates listed.
const LISTED: usize = 12;
/// The numbers of candidates for which success is computed.
const KS: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];
/// The number of equal words shown around a difference.
const AROUND: usize = 2;

/// The length of the longest bar, in cells.
const BAR: usize = 24;

pub fn lines(state: &State, page: &mut Page) {
    function::lines(state, page, |name, found, page| match found {
        Some(Neural::Refused(why)) => page.prose(Look::Dim, format!("{name}: {why}")),
        Some(Neural::Done(found)) => done(&state.results, name, found, page),
        Some(Neural::SamplingArgs(drawn)) if !drawn.is_empty() => {
            let said = match drawn.len() {
                1 => "1 candidate so far".to_string(),
                count => format!("{count} different candidates so far"),
            };
            page.prose(Look::Heading, format!("{name}: {said}"));
            let mut drawn: Vec<&Candidate> = drawn.iter().collect();
            drawn.sort_by_key(|candidate| candidate.number);
            drawn.into_iter().take(LISTED).for_each(|one| candidate(one, None, page));
        }
        _ => page.prose(Look::Heading, format!("{name}: {WAITS}")),
    })
}

fn done(results: &Results, name: &str, done: &Compilation, page: &mut Page) {
    let found = &done.found;
    page.prose(
        Look::Heading,
        format!(
            "{name}: {} draws, with evidence in {} ({})",
            found.drawn(),
            taken(done.wall),
            Origin::Measured
        ),
    );
    times(done, page);
    outcome(done, page);
    success(done, page);
    page.blank();
    page.row(["   ×", "  log p ", "state", "  tests", "  steps"].map(|title| (Look::Dim, title.to_string())));
    let mut order: Vec<usize> = (0..found.candidates.len()).collect();
    order.sort_by_key(|&i| {
        let judged = &found.candidates[i];
        (
            Some(i) != found.best,
            Some(i) != found.tested,
            !judged.is_correct(),
            std::cmp::Reverse(judged.candidate.samples),
        )
    });
    for &i in order.iter().take(LISTED) {
        let judged = &found.candidates[i];
        candidate(&judged.candidate, Some(judged), page);
    }
    if order.len() > LISTED {
        page.prose(Look::Dim, format!("and {} more", order.len() - LISTED));
    }
    difference(results, done, page);
}

/// Adds equation 11 for these draws.
fn times(done: &Compilation, page: &mut Page) {
    let Some(time) = NeuralTime::of(&done.found) else { return };
    let k = time.k;
    page.prose(
        Look::Dim,
        format!(
            "T_neural({k}) {} = T_gen({k}) {} + T_verify({k}) {}",
            taken(time.total()),
            taken(time.generate),
            taken(time.verify)
        ),
    );
}

/// Adds the best candidate, its evidence, and the cost of that evidence.
fn outcome(done: &Compilation, page: &mut Page) {
    let found = &done.found;
    if found.leading().is_none() {
        let failures = found.rounds.iter().map(|round| &round.failures);
        let sum = |of: fn(&Failures) -> u32| failures.clone().map(of).sum::<u32>();
        page.prose(Look::Bad, "no correct program");
        if let Some(given_up) = &found.given_up {
            page.prose(Look::Warning, given_up.text());
        }
        return page.prose(
            Look::Dim,
            format!(
                "invalid {}, trap {}, wrong {}, timeout {}, refuted {}; {} rounds",
                sum(|f| f.invalid),
                sum(|f| f.trap),
                sum(|f| f.wrong),
                sum(|f| f.timeout),
                sum(|f| f.refuted),
                found.rounds.len(),
            ),
        );
    }
    match found.best() {
        Some(best) => extent("✓", best, found.base_steps, page),
        None => page.prose(Look::Good, "the compiler's code stays: no candidate is proved"),
    }
    if let Some(tested) = found.tested() {
        extent("not chosen:", tested, found.base_steps, page);
    }
    page.prose(Look::Dim, format!("the network was taught level 1 of {TAUGHT}"));
    if found.spent > 0 {
        let uniform = found.uniform.map_or(String::new(), |n| format!("; {} if spent uniformly", grouped(n)));
        page.prose(Look::Dim, format!("{} random inputs compared{uniform}", grouped(found.spent)));
    }
}

/// Adds the evidence for a candidate, and its steps.
fn extent(mark: &str, judged: &Judged, base: u64, page: &mut Page) {
    let look = match judged.evidence {
        Evidence::Proved(_) => Look::Good,
        Evidence::Tested(_) => Look::Warning,
        Evidence::Differs => Look::Bad,
    };
    page.prose(look, format!("{mark} {}", judged.evidence));
    let steps = judged.steps();
    let saved = match base as i64 - steps as i64 {
        0 => "as many as the compiler's at level 1".to_string(),
        saved if saved > 0 => {
            format!("{} fewer than the compiler's {} at level 1", grouped(saved as u64), grouped(base))
        }
        more => {
            format!("{} more than the compiler's {} at level 1", grouped(more.unsigned_abs()), grouped(base))
        }
    };
    page.prose(Look::Text, format!("{} steps, {saved}", grouped(steps)));
    for detail in judged.evidence.tested().iter().flat_map(Tested::details) {
        page.prose(Look::Dim, detail);
    }
}

/// Adds p, and the probability of success within k draws by equation 7, with the unbiased estimate.
fn success(done: &Compilation, page: &mut Page) {
    let found = &done.found;
    let (drawn, correct) = (u64::from(found.drawn()), u64::from(found.correct()));
    let interval = found.interval();
    page.prose(
        Look::Text,
        format!(
            "p correct {:.3} ({:.2}–{:.2}), {correct} of {drawn} draws; {} valid",
            found.p_correct(),
            interval.low,
            interval.high,
            found.valid()
        ),
    );
    page.prose(
        Look::Dim,
        format!("success within k draws, {} by eq. 7, {} unbiased", Origin::Modelled, Origin::Measured),
    );
    page.row([(Look::Dim, "   k  eq. 7 unbiased".to_string())]);
    for k in KS.into_iter().filter(|&k| k <= drawn) {
        let model = statistics::success_model(found.p_correct(), k);
        let measured = statistics::pass_at_k(drawn, correct, k).unwrap_or(model);
        let parts = [
            (Look::Text, format!("{k:>4}")),
            (Look::Number, format!("{model:>7.3}")),
            (Look::Number, format!("{measured:>9.3}  ")),
        ];
        page.bar(parts, measured, BAR);
    }
}

fn candidate(candidate: &Candidate, judged: Option<&Judged>, page: &mut Page) {
    let correct = judged.is_none_or(Judged::is_correct);
    let (glyph, word, look) = match candidate.status {
        Status::Invalid => ("∅", "invalid", Look::Dim),
        Status::Trap => ("✗", "trap", Look::Bad),
        Status::Wrong => ("✗", "wrong", Look::Bad),
        Status::Timeout => ("◷", "timeout", Look::Bad),
        Status::Passed if !correct => ("✗", "refuted", Look::Bad),
        Status::Passed => ("✓", "passed", Look::Good),
    };
    let greedy = if candidate.number == 0 { "  greedy" } else { "" };
    page.row([
        (Look::Number, format!("{:>4}", candidate.samples)),
        (Look::Dim, format!("{:>7.2} ", candidate.log_p)),
        (look, format!("{glyph} {word:<7}")),
        (Look::Text, format!("{:>3}", candidate.passed)),
        (Look::Number, format!("{:>7}", grouped(candidate.steps))),
        (Look::Dim, greedy.to_string()),
    ]);
}

/// Adds the difference between the best candidate's words and those of the deterministic compiler's code.
fn difference(results: &Results, done: &Compilation, page: &mut Page) {
    let (Some(best), Some(shown)) = (done.found.leading(), results.shown()) else { return };
    let Some(own) = &done.own_words else { return };
    let names = WordNames::new(&shown.compiled, &done.source.tables);
    let text = |words: &[u16]| words.iter().map(|&word| names.of(word)).collect::<Vec<_>>();
    let compared = |words: &[u16]| words.iter().map(|&word| names.comparable(word)).collect::<Vec<_>>();
    let changes = changes(&align(&compared(own), &compared(&best.candidate.words)), AROUND);
    let (own, new) = (text(own), text(&best.candidate.words));
    page.blank();
    if changes.is_empty() {
        return page.prose(Look::Dim, format!("the compiler's own code, word for word ({} words)", own.len()));
    }
    page.prose(Look::Heading, "against the compiler's code");
    for change in changes {
        let (sign, look, word) = match change {
            Some(Aligned::Equal(_, at)) => (" ", Look::Dim, &new[at]),
            Some(Aligned::Removed(at)) => ("-", Look::Removed, &own[at]),
            Some(Aligned::Added(at)) => ("+", Look::Added, &new[at]),
            None => {
                page.prose(Look::Dim, "…");
                continue;
            }
        };
        page.row([(look, format!("{sign} ")), (look, word.clone())]);
    }
}
