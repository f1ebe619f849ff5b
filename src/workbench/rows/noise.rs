//! Noise: how the tests hold on a simulated machine that errs, and what is fragile.

use ratatui::text::{Line, Span};

use super::super::draw::theme::{Look, Theme};
use super::super::draw::wrap;
use super::super::results::Shown;
use super::super::state::State;
use crate::engine::session::NOISE;
use crate::noise::fragile::Runs;
use crate::noise::{Report, TestReport};
use crate::report::origin::Origin;

/// Fragile places listed.
const LISTED: usize = 8;

pub fn lines(state: &State, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let Some(shown) = state.shown().filter(|shown| shown.is_good()) else { return Vec::new() };
    let mut page = Page { theme, width, lines: Vec::new() };
    let [rate, seed] = [NOISE.rate.to_string(), NOISE.seed.to_string()];
    page.prose(
        Look::Heading,
        &format!(
            "Simulation: {rate} of all steps go wrong; {} times each test, seed {seed}",
            NOISE.repetitions
        ),
    );
    match state.results.noise.as_ref().filter(|view| view.revision == shown.revision) {
        None => page.prose(Look::Dim, "waits until the engine has nothing else to do"),
        Some(view) if view.report.tests.is_empty() => page.prose(Look::Dim, "no test passes without noise"),
        Some(view) => page.report(shown, &view.report),
    }
    page.lines
}

/// Lines that grow.
struct Page<'a> {
    theme: &'a Theme,
    width: usize,
    lines: Vec<Line<'static>>,
}

impl Page<'_> {
    fn push(&mut self, parts: Vec<(Look, String)>) {
        let spans = parts.into_iter().map(|(look, text)| Span::styled(text, self.theme.style(look)));
        self.lines.push(Line::from(spans.collect::<Vec<_>>()));
    }

    fn prose(&mut self, look: Look, text: &str) {
        for line in wrap(text, self.width.saturating_sub(2)) {
            self.push(vec![(look, line)]);
        }
    }

    fn report(&mut self, shown: &Shown, report: &Report) {
        self.push(vec![(Look::Dim, " line    held  wrong  traps   fuel   vote of".to_string())]);
        report.tests.iter().for_each(|test| self.test(shown, test));
        self.lines.push(Line::default());
        self.prose(Look::Dim, "fragile: verdicts lost of runs struck there");
        for i in report.fragility.instructions.iter().take(LISTED) {
            self.place(shown, i.token, i.runs, i.op.name());
        }
        for v in report.fragility.variables.iter().take(LISTED) {
            let name = shown.span(v.token).and_then(|span| shown.compiled.text.get(span)).unwrap_or("");
            self.place(shown, v.token, v.runs, &format!("variable {name}"));
        }
        self.prose(
            Look::Dim,
            &format!(
                "{}: counts, in the simulation; {}: votes that bring the error below {}",
                Origin::Measured,
                Origin::Modelled,
                NOISE.bound
            ),
        );
    }

    fn test(&mut self, shown: &Shown, test: &TestReport) {
        let head = shown.compiled.routines.token[(shown.compiled.facts.functions + test.index) as usize];
        let held = f64::from(test.held) / f64::from(NOISE.repetitions) * 100.0;
        let look = match held {
            99.0.. => Look::Good,
            90.0.. => Look::Warning,
            _ => Look::Bad,
        };
        let vote = match test.vote {
            None => "none is enough".to_string(),
            Some(vote) => vote.size.to_string(),
        };
        self.push(vec![
            (Look::Dim, format!("{:5}", shown.compiled.tokens.line[head as usize] + 1)),
            (look, format!(" {held:5.1} %")),
            (Look::Text, format!(" {:6} {:6} {:6}   {vote}", test.wrong, test.trapped, test.timeout)),
        ]);
    }

    fn place(&mut self, shown: &Shown, token: u32, runs: Runs, what: &str) {
        let line = shown.compiled.tokens.line.get(token as usize).map_or(0, |line| line + 1);
        let look = if runs.lost > 0 { Look::Warning } else { Look::Dim };
        self.push(vec![
            (Look::Dim, format!("{line:5}")),
            (look, format!(" {:4} of {:4}", runs.lost, runs.struck)),
            (Look::Text, format!("  {what}")),
        ]);
    }
}
