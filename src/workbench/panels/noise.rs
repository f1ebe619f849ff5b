//! The Noise panel: how tests hold on a simulated machine that makes errors, and which places are fragile.

use crate::host::measure::origin::Origin;
use crate::host::measure::share::percent;
use crate::lang::index::TokenId;
use crate::session::NOISE_SETTINGS;
use crate::testing::noise::fragile::Runs;
use crate::testing::noise::{Report, TestReport};
use crate::workbench::panels::page::{NEEDS_NO_ERRORS, Page, WAITS};
use crate::workbench::results::Shown;
use crate::workbench::state::State;
use crate::workbench::theme::Look;

/// The maximum number of fragile places listed.
const LISTED: usize = 8;

pub fn lines(state: &State, page: &mut Page) {
    let Some(shown) = state.shown() else { return };
    if shown.has_errors() {
        return page.prose(Look::Dim, NEEDS_NO_ERRORS);
    }
    let [rate, seed] = [NOISE_SETTINGS.rate.to_string(), NOISE_SETTINGS.seed.to_string()];
    page.prose(
        Look::Heading,
        format!(
            "Simulation: {rate} of all steps go wrong; {} times each test, seed {seed}",
            NOISE_SETTINGS.repetitions
        ),
    );
    match state.results.findings.current::<Report>() {
        _ if !shown.has_passing() => page.prose(Look::Dim, "no test passes without noise"),
        None => page.prose(Look::Dim, WAITS),
        Some(found) => report(shown, found, page),
    }
}

fn report(shown: &Shown, report: &Report, page: &mut Page) {
    page.row(["line", "      held", " wrong", " traps", "  fuel"].map(|title| (Look::Dim, title.to_string())));
    report.tests.iter().for_each(|one| test(shown, one, page));
    page.blank();
    page.prose(Look::Dim, "fragile places: lost verdicts / runs with an error there");
    for i in report.fragility.instructions.iter().take(LISTED) {
        place(shown, i.token, i.runs, i.op.name(), page);
    }
    for v in report.fragility.variables.iter().take(LISTED) {
        let name = shown.span(v.token).and_then(|span| shown.compiled.text.get(span)).unwrap_or("");
        place(shown, v.token, v.runs, &format!("variable {name}"), page);
    }
    page.prose(
        Look::Dim,
        format!(
            "{}: counts, in the simulation; {}: votes that bring the error below {}",
            Origin::Measured,
            Origin::Modelled,
            NOISE_SETTINGS.bound
        ),
    );
}

/// Adds a test's row: how often it held, how the other runs ended, and the size of the vote that it needs.
fn test(shown: &Shown, test: &TestReport, page: &mut Page) {
    let line = shown.compiled.entry(test.entry).map_or(0, |entry| shown.compiled.view().line(entry.head()));
    let held = f64::from(test.held) / f64::from(NOISE_SETTINGS.repetitions);
    let (glyph, look) = match held {
        0.99.. => ("✓", Look::Good),
        0.9.. => ("⚠", Look::Warning),
        _ => ("✗", Look::Bad),
    };
    let vote = match test.vote {
        None => "no vote suffices".to_string(),
        Some(vote) => format!("vote of {}", vote.size),
    };
    page.row([
        (Look::Dim, format!("{line:4}")),
        (look, format!(" {glyph}{:>6} %", percent(held, 1))),
        (Look::Text, format!("{:6}", test.wrong)),
        (Look::Text, format!("{:6}", test.trapped)),
        (Look::Text, format!("{:6}", test.timeout)),
        (Look::Text, format!("  {vote}")),
    ]);
}

fn place(shown: &Shown, token: TokenId, runs: Runs, what: &str, page: &mut Page) {
    let line = shown.compiled.view().line(token);
    let look = if runs.lost > 0 { Look::Warning } else { Look::Dim };
    page.row([
        (Look::Dim, format!("{line:4}")),
        (look, format!("{:5} of {:4}", runs.lost, runs.struck)),
        (Look::Text, format!("  {what}")),
    ]);
}
