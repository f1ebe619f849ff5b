//! `frames`: how long the user waits for the screen, measured in the workbench without a terminal.
//!
//! The workbench types into a program with one panel open. Measured are the times from a key to the frame that
//! shows it, and to the frame that shows its results. Between two keys the panel has time to compute its
//! content, as it has while a person types, so its cost is included.

use std::time::{Duration, Instant};

use super::keyboard::{PATIENCE, TestWorkbench};
use super::table::{BenchRow, BenchSubject, Contender, Section};
use super::{Bench, programs, recording};
use crate::cli::args::{Common, Effort};
use crate::cli::exit::{Exit, Failure};
use crate::cli::input::InputSource;
use crate::cli::progress::CliProgress;
use crate::workbench::key::Key;

/// The panels that are opened one after the other, and the keys that open each; `alone` keeps the initial
/// layout.
const PANELS: [(&str, &[&str]); 7] = [
    ("alone", &[]),
    ("Run", &["alt-u"]),
    ("Paper", &["alt-q"]),
    ("Ladder", &["alt-k"]),
    ("Rounds", &["alt-i"]),
    ("Why", &["alt-y"]),
    ("all in turn", &["alt-u", "alt-q", "alt-k", "alt-i"]),
];
/// The text that is typed into a function and erased again.
const TYPED: &str = "let _spare = 1 + 2;";
/// Time between two keys of a fast typist.
const PAUSE: Duration = Duration::from_millis(40);
/// Types into each program; then the built-in runs are recorded and stepped through.
pub fn run(bench: &mut Bench) -> Result<Vec<Section>, Failure> {
    let (effort, common) = (bench.effort.clone(), bench.common);
    let mut sections = bench.each(programs::one, |source| measure(common, source, &effort))?;
    sections.push(Section { file: "built in".into(), rows: recording::measure(common, &effort)? });
    Ok(sections)
}

fn measure(common: Common, source: &InputSource, effort: &Effort) -> Result<Vec<BenchRow>, Failure> {
    let mut progress = CliProgress::new("panels measured");
    let mut rows = Vec::new();
    for (number, (panel, keys)) in PANELS.iter().enumerate() {
        let mut bench = TestWorkbench::open(common, &source.text)?;
        let tests = bench.off.state().results.entries().len();
        let description = bench.off.state().engine.description.clone();
        let engine = bench.off.state().engine.kind.map_or("cpu", |kind| match kind {
            crate::engine::Kind::Cpu => "cpu",
            crate::engine::Kind::Gpu => "gpu",
        });
        let who = Contender { engine: engine.into(), adapter: description };
        for key in *keys {
            bench.named(key);
            // Where a call of a function is proposed, accepts it.
            bench.named("enter");
            bench.off.settle(PATIENCE);
        }
        let (frames, answers) = typed(&mut bench, source, effort.repetitions)?;
        let subject = BenchSubject { k: 1, bytes: source.text.len(), tests };
        let most = frames.iter().copied().fold(0.0, f64::max);
        let row = |name: &str, values: Vec<f64>| {
            let keystrokes = Some(values.len() as u32);
            BenchRow { keystrokes, ..BenchRow::new(format!("{name}, {panel}"), "ms", subject, &who, values) }
        };
        rows.extend([row("frame", frames), row("slowest frame", vec![most]), row("answer", answers)]);
        progress.update(number + 1, PANELS.len());
    }
    Ok(rows)
}

/// Types into the first block of a program and erases it; returns the times of frames and of results.
fn typed(
    bench: &mut TestWorkbench,
    source: &InputSource,
    rounds: u32,
) -> Result<(Vec<f64>, Vec<f64>), Failure> {
    bench.named("alt-1");
    let line = source.text.lines().position(|line| line.trim_end().ends_with('{')).map_or(0, |line| line + 1);
    bench.named("ctrl-home");
    for _ in 0..line {
        bench.named("down");
    }
    bench.named("home");
    bench.named("home");
    let backspace = || Key::parse("backspace");
    let (mut frames, mut answers) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let keys = TYPED.chars().map(|c| Key::parse(&c.to_string())).chain(TYPED.chars().map(|_| backspace()));
        for key in keys.flatten() {
            let since = Instant::now();
            frames.push(bench.press(key));
            let answer = bench.answered(since).ok_or_else(|| Failure {
                exit: Exit::Engine,
                message: "the engine does not answer what is typed".into(),
                help: "report this bug".into(),
            })?;
            answers.push(answer);
            bench.off.settle(PAUSE.saturating_sub(since.elapsed()));
        }
    }
    Ok((frames, answers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::choose::Preference;

    #[test]
    fn typing_with_a_panel_open_yields_a_frame_per_keystroke() {
        let mut common = Common { engine: Some(Preference::Cpu), ..Common::default() };
        common.config.engine.shaders = false;
        let source = programs::sample();
        let mut desk = TestWorkbench::open(common, &source.text).expect("a workbench");
        desk.named("alt-u");
        desk.off.settle(PATIENCE);
        let run = desk.off.state().run.wish.clone();
        assert!(
            run.is_some() || desk.off.state().prompts.overlay.is_some(),
            "a run, or a call that is offered"
        );
        desk.named("enter");
        desk.off.settle(PATIENCE);
        let (frames, answers) = typed(&mut desk, &source, 1).expect("answers");
        assert_eq!((frames.len(), answers.len()), (2 * TYPED.len(), 2 * TYPED.len()));
        assert!(desk.off.state().run.trace().is_some(), "it is recorded again and again");
        assert_eq!(**desk.off.state().document.buffer.text(), *source.text, "what was typed is taken back");
    }
}
