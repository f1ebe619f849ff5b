//! Neural: what the transformer makes of the function under the cursor. The candidates as they arrive; then the evidence for
//! the best, how success grows with k, and where its code differs from the deterministic compiler's.

use ratatui::text::{Line, Span};
use similar::{ChangeTag, TextDiff};

use super::super::draw::theme::{Look, Theme};
use super::super::draw::wrap;
use super::super::neural::View;
use super::super::state::State;
use super::model::{ms, short_time};
use super::tests::grouped;
use crate::neural::compile::Compilation;
use crate::neural::sampling::{Candidate, Status};
use crate::neural::search::{Evidence, Judged};
use crate::neural::statistics;
use crate::report::words::Names;

/// Candidates listed.
const LISTED: usize = 12;
/// Numbers of candidates at which success is reckoned.
const KS: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Equal words around a difference.
const AROUND: usize = 2;

pub fn lines(state: &State, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let Some(view) = &state.results.neural else { return Vec::new() };
    let mut page = Page { theme, width, lines: Vec::new() };
    if let Some(refused) = &view.refused {
        page.dim(format!("{}: {refused}", view.name));
        return page.lines;
    }
    match &view.done {
        Some(done) => page.done(state, view, done),
        None => {
            page.heading(match view.candidates.len() {
                0 => format!("{}: waits until the engine has nothing else to do", view.name),
                count => format!("{}: {count} different candidates so far", view.name),
            });
            let mut candidates: Vec<&Candidate> = view.candidates.iter().collect();
            candidates.sort_by_key(|candidate| candidate.number);
            candidates.into_iter().take(LISTED).for_each(|candidate| page.candidate(candidate, None));
        }
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
    fn heading(&mut self, text: String) {
        self.push(vec![(Look::Heading, text)]);
    }
    fn dim(&mut self, text: String) {
        self.prose(Look::Dim, &text);
    }
    /// Sentences, broken between words where a line is full.
    fn prose(&mut self, look: Look, text: &str) {
        for line in wrap(text, self.width.saturating_sub(2)) {
            self.push(vec![(look, line)]);
        }
    }

    fn done(&mut self, state: &State, view: &View, done: &Compilation) {
        let found = &done.found;
        self.heading(format!("{}: {} draws in {}", view.name, found.drawn(), short_time(ms(done.wall))));
        self.outcome(done);
        self.success(done);
        self.lines.push(Line::default());
        self.push(vec![(Look::Dim, "   ×  log p  state     tests    steps".to_string())]);
        let mut order: Vec<usize> = (0..found.candidates.len()).collect();
        order.sort_by_key(|&i| {
            let judged = &found.candidates[i];
            (Some(i) != found.best, !judged.is_correct(), std::cmp::Reverse(judged.candidate.samples))
        });
        for &i in order.iter().take(LISTED) {
            let judged = &found.candidates[i];
            self.candidate(&judged.candidate, Some(judged));
        }
        if order.len() > LISTED {
            self.dim(format!("and {} more", order.len() - LISTED));
        }
        self.difference(state, done);
    }

    /// The best candidate, the evidence for it, and what was spent on it.
    fn outcome(&mut self, done: &Compilation) {
        let found = &done.found;
        let Some(best) = found.best() else {
            let failures = found.rounds.iter().map(|round| &round.failures);
            let sum = |of: fn(&crate::neural::search::Failures) -> u32| failures.clone().map(of).sum::<u32>();
            self.push(vec![(Look::Bad, "no correct program".to_string())]);
            self.dim(format!(
                "invalid {}, trap {}, wrong {}, timeout {}, refuted {}; {} rounds",
                sum(|f| f.invalid),
                sum(|f| f.trap),
                sum(|f| f.wrong),
                sum(|f| f.timeout),
                sum(|f| f.refuted),
                found.rounds.len(),
            ));
            return;
        };
        let look = match best.evidence {
            Evidence::Proved(_) | Evidence::Verified { .. } => Look::Good,
            Evidence::TestsPassed => Look::Warning,
            Evidence::Failed => Look::Bad,
        };
        self.prose(look, &format!("✓ {}", best.evidence));
        let (steps, base) = (best.steps(), found.base_steps);
        let saved = match base as i64 - steps as i64 {
            0 => "as many as the compiler's".to_string(),
            saved if saved > 0 => {
                format!("{} fewer than the compiler's {}", grouped(saved as u64), grouped(base))
            }
            more => {
                format!("{} more than the compiler's {}", grouped(more.unsigned_abs()), grouped(base))
            }
        };
        self.prose(Look::Text, &format!("{} steps, {saved}", grouped(steps)));
        if found.spent > 0 {
            let uniform =
                found.uniform.map_or(String::new(), |n| format!("; {} if spent uniformly", grouped(n)));
            self.dim(format!("{} inputs compared{uniform}", grouped(found.spent)));
        }
    }

    /// p, and success within k by equation 7 beside the unbiased estimate.
    fn success(&mut self, done: &Compilation) {
        let found = &done.found;
        let (drawn, correct) = (u64::from(found.drawn()), u64::from(found.correct()));
        let interval = found.interval();
        self.prose(
            Look::Text,
            &format!(
                "p correct {:.3} ({:.2}–{:.2}), {correct} of {drawn} draws; {} valid",
                found.p_correct(),
                interval.low,
                interval.high,
                found.valid()
            ),
        );
        self.push(vec![(Look::Dim, "success within k   eq. 7  unbiased".to_string())]);
        for k in KS.into_iter().filter(|&k| k <= drawn) {
            let model = statistics::success_model(found.p_correct(), k);
            let measured = statistics::pass_at_k(drawn, correct, k).unwrap_or(model);
            let room = self.width.saturating_sub(34).min(24);
            self.push(vec![
                (Look::Text, format!("{k:>16}   ")),
                (Look::Number, format!("{model:>5.3}     {measured:>5.3}  ")),
                (Look::Bar, "▆".repeat((measured * room as f64).round() as usize)),
            ]);
        }
    }

    fn candidate(&mut self, candidate: &Candidate, judged: Option<&Judged>) {
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
        self.push(vec![
            (Look::Number, format!("{:>4}", candidate.samples)),
            (Look::Dim, format!(" {:>6.2}  ", candidate.log_p)),
            (look, format!("{glyph} {word:<8}")),
            (Look::Text, format!("{:>5}", candidate.passed)),
            (Look::Number, format!("{:>9}", grouped(candidate.steps))),
            (Look::Dim, greedy.to_string()),
        ]);
    }

    /// The best candidate's words against those of the deterministic compiler's code.
    fn difference(&mut self, state: &State, done: &Compilation) {
        let (Some(best), Some(shown)) = (done.found.best(), state.shown()) else { return };
        let Some(own) = &done.own_words else { return };
        let names = Names::new(&shown.compiled, &done.source.tables);
        let text = |words: &[u16]| words.iter().map(|&word| names.of(word)).collect::<Vec<_>>();
        let (own, new) = (text(own), text(&best.candidate.words));
        self.lines.push(Line::default());
        if own == new {
            self.dim(format!("the compiler's own code, word for word ({} words)", own.len()));
            return;
        }
        self.heading("against the compiler's code".to_string());
        let [own, new]: [Vec<&str>; 2] = [&own, &new].map(|words| words.iter().map(String::as_str).collect());
        let diff = TextDiff::configure().diff_slices(&own, &new);
        for group in diff.grouped_ops(AROUND) {
            for op in group {
                for change in diff.iter_changes(&op) {
                    let (sign, look) = match change.tag() {
                        ChangeTag::Equal => (" ", Look::Dim),
                        ChangeTag::Delete => ("-", Look::Removed),
                        ChangeTag::Insert => ("+", Look::Added),
                    };
                    self.push(vec![(look, format!("{sign} {}", change.value()))]);
                }
            }
            self.dim("…".to_string());
        }
    }
}
