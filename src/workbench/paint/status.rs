//! Draws the last lines: the gauge for latency and verdicts, and the status bar.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::engine::Kind;
use crate::engine::choose::Preference;
use crate::host::measure::numbers::{grouped, plural};
use crate::host::measure::origin::Origin;
use crate::lang::level::{LevelChoice, OptLevel};
use crate::session::{Compared, Progress};
use crate::workbench::keys::hints::hints;
use crate::workbench::marks;
use crate::workbench::paint::editor;
use crate::workbench::panels::figures::{awaited, differs, ms, short_time, sparkline};
use crate::workbench::panels::tour;
use crate::workbench::panels::{Panel, tests};
use crate::workbench::results::{Running, TextOrigin};
use crate::workbench::state::{State, Tone};
use crate::workbench::text::{fit, visible, wrap};
use crate::workbench::theme::{Look, Theme};

/// The length of the gauge. Shorter lengths drop the least important parts first, so verdicts, score and
/// times are kept longest, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Length {
    /// With all words.
    Long,
    /// Without the words that name each figure.
    Short,
    /// Without the origin of the times.
    Bare,
    /// Without the word for tests.
    Terse,
    /// Without the number of mutants.
    Brief,
    /// Without times.
    Timeless,
    /// Verdicts only.
    Least,
}

/// Draws tests, mutants and latency in one line, for screens whose panels for them are behind tabs.
pub fn gauge(state: &State, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    buffer.set_string(area.x, area.y, " ".repeat(area.width.into()), theme.style(Look::Tabs));
    let room = usize::from(area.width);
    let width = |parts: &[(Look, String)]| parts.iter().map(|(_, text)| text.width()).sum::<usize>();
    let mut parts = gauge_parts(state, Length::Long);
    use Length::*;
    for length in [Short, Bare, Terse, Brief, Timeless, Least] {
        if width(&parts) > room {
            parts = gauge_parts(state, length);
        }
    }
    let bars = room.saturating_sub(width(&parts) + 1).min(40);
    let all: Vec<f64> =
        state.results.history.iter().filter_map(|k| k.all.filter(|all| !all.is_zero()).map(ms)).collect();
    parts.push((Look::Bar, sparkline(&all[all.len().saturating_sub(bars)..])));
    let tabs = theme.style(Look::Tabs);
    let spans = parts.into_iter().map(|(look, text)| Span::styled(text, tabs.patch(theme.style(look))));
    buffer.set_line(area.x, area.y, &Line::from(spans.collect::<Vec<_>>()), area.width);
}

fn gauge_parts(state: &State, length: Length) -> Vec<(Look, String)> {
    let mut parts = Vec::new();
    let mut say = |look: Look, text: String| parts.push((look, text));
    let results = &state.results;
    if let Some(predict) = &state.predict {
        say(Look::Heading, format!(" guesses {} ", predict.count()));
    }
    if let Some([_, step, _]) = state.tour.as_ref().map(tour::figures).as_deref() {
        say(Look::Text, format!(" {step} "));
    } else if let Some(course) = &state.document.file.lesson {
        let (goals, reached) =
            (course.lesson.aims.len(), state.lesson.judged.as_ref().map_or(0, |j| j.reached()));
        let look = if state.lesson.is_done() { Look::Good } else { Look::Text };
        say(look, format!(" goals {reached}/{goals} "));
    }
    let (errors, warnings) = (results.marked(&marks::ERROR), results.marked(&marks::WARNING));
    if state.shown().is_some_and(|shown| shown.is_lowered()) {
        let [long, short] = tests::counts(results.entries());
        let mark = results.tests_mark();
        let said = if length < Length::Terse { long } else { short };
        match results.entries() {
            [] => say(Look::Dim, format!(" {said}")),
            // These may be of an earlier text.
            _ => say(if state.stale() { Look::Dim } else { mark.look }, format!(" {} {said}", mark.glyph)),
        }
    } else {
        say(Look::Dim, format!(" {}", marks::AWAITED.glyph));
    }
    if errors == 0 && warnings > 0 {
        let mark = &marks::WARNING;
        let said = match length {
            Length::Long => plural(warnings as u64, mark.word),
            _ => grouped(warnings as u64),
        };
        say(mark.look, format!("  {} {said}", mark.glyph));
    }
    let mutants = &results.mutants;
    let long = length == Length::Long;
    // These may belong to an earlier text.
    let current = |look| if results.has_old_verdicts() { Look::Dim } else { look };
    let counts = |look| if results.score_counts() { current(look) } else { Look::Dim };
    // Counts of verdicts would reveal answers while the user predicts.
    if mutants.total > 0 && state.predict.is_none() {
        let (scores, survived) = results.scores();
        let scores = scores.map(|[full, brief]| if length < Length::Bare { full } else { brief });
        let score = scores.unwrap_or(marks::NO_SCORE.glyph.to_string());
        let words = if long { " mutants, score" } else { " mutants" };
        if length < Length::Brief {
            say(current(Look::Text), format!("  {}{words} ", mutants.first_order_text()));
            say(counts(Look::Text), score);
        } else if length < Length::Least {
            say(counts(Look::Text), format!("  {score}"));
        }
        let mark = if survived > 0 { &marks::SOME_SURVIVED } else { mutants.mark() };
        let survived = grouped(survived.into());
        let word = if length < Length::Brief { " survived" } else { "" };
        let look = if results.is_scored() { current(mark.look) } else { Look::Dim };
        say(look, format!("  {} {survived}{word} ", mark.glyph));
    }
    // Times are those of keys; the Latency panel has those of opening a text.
    if let Some((TextOrigin::Typed, last)) = results.last_answer()
        && length < Length::Timeless
        && !last.base.is_zero()
    {
        let (panels, verdicts) = if long { ("after the key: tests ", "mutants ") } else { ("", "→ ") };
        let has_verdicts = last.awaited || last.all.is_some();
        let all = if has_verdicts { format!("{verdicts}{} ", awaited(last)) } else { String::new() };
        say(Look::Number, format!("  {panels}{} {all}", short_time(ms(last.base))));
        if length < Length::Bare {
            say(Look::Dim, format!("{} ", Origin::Measured));
        }
    }
    // Last, so that nothing moves when an error comes or goes.
    if errors > 0 {
        let mark = &marks::ERROR;
        say(mark.look, format!("  {} {} ", mark.glyph, plural(errors as u64, mark.word)));
    }
    parts
}

/// Draws the status bar: a message, or else the problem in the cursor's line, the selected row if its panel
/// cuts it, or the engine's state, followed by the first keys to know. A long message covers lines above.
pub fn draw(state: &State, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    // A long message must hide the panels' lines below it.
    let style = theme.ground().patch(theme.style(Look::Status));
    let width = usize::from(area.width);
    if let Some(message) = &state.status.message {
        let (glyph, look) = match message.tone {
            Tone::Plain => ("", Look::Text),
            Tone::Good => (marks::DONE.glyph, marks::DONE.look),
            Tone::Bad => (marks::FAILED.glyph, marks::FAILED.look),
        };
        let said = format!("{glyph} {}", message.text);
        let lines = wrap(&visible(said.trim_start()), width.saturating_sub(2));
        let height = lines.len().min(usize::from(area.bottom() / 2).max(1));
        for (line, y) in lines.iter().zip(area.bottom() - height as u16..area.bottom()) {
            buffer.set_string(area.x, y, " ".repeat(width), style);
            buffer.set_string(area.x + 1, y, line, style.patch(theme.style(look)));
        }
        return;
    }
    buffer.set_string(area.x, area.y, " ".repeat(width), style);
    let (number, column) = state.document.buffer.place_in_characters(state.document.buffer.head());
    let mode = state.modal.shown().map_or(String::new(), |mode| format!(" {mode} ·"));
    let ended = if state.prompts.tape_ended {
        format!(" {} tape ended ·", marks::FAILED.glyph)
    } else {
        String::new()
    };
    let (line, place) = (number - 1, format!("{ended}{mode} {number}:{column} "));
    let ended_at = area.right().saturating_sub(place.width() as u16);
    let help = state.spelled("F1");
    // The keys of the focused panel, from all of them down to the help's.
    let hints = hints(state);
    let with = |count: usize| -> String { hints[..count].iter().map(|hint| format!("{hint} · ")).collect() };
    let mut keys: Vec<String> =
        (0..=hints.len()).rev().map(|count| format!("{}{help} keys ·{place}", with(count))).collect();
    keys.push(place);
    let in_editor = state.screen.focus == Panel::EDITOR;
    let described = state.described().map(|text| visible(&text));
    let is_wrong = |mark| mark != &marks::UNFINISHED && in_editor;
    let problem = state.worst_on(line).filter(|(_, mark)| is_wrong(*mark)).or_else(|| state.exceeded_limit());
    // A rule has no panel, so its whole verdict is here.
    let buffer_of = &state.document.buffer;
    let window = [line, line + 1].map(|line| buffer_of.byte_of(buffer_of.line_start(line)));
    let rule = state.outcomes_by_line(&(window[0]..window[1].max(window[0]))).remove(&line);
    let rule = rule.filter(|own| in_editor && [&marks::PROVED, &marks::WRONG].contains(&own.mark));
    let rule = rule
        .and_then(|own| Some((visible(&format!("{} {}", own.mark.glyph, own.said.first()?)), own.mark.look)));
    let banner = state.banner().map(|said| visible(&format!("{} {said}", marks::WARNING.glyph)));
    let remarks = editor::remarks_on(state, line).filter(|_| in_editor);
    let remarks = remarks.map(|text| visible(&format!("{} {text}", marks::NOT_EXPANDED.glyph)));
    // Unsaved texts of earlier runs are less urgent than a problem in the line.
    let urgent = banner.clone().filter(|_| problem.is_none() || !state.only_unsaved_waits());
    // The name of the engine leaves room for the keys; any other text is cut last.
    let mut yields = false;
    let (texts, look) = match (problem, cut_row(state, width)) {
        _ if urgent.is_some() => (urgent.into_iter().collect(), Look::Bad),
        _ if state.engine.stopped => engine_texts(state),
        (Some((problem, mark)), _) => {
            let said = visible(&format!("{} {}", mark.glyph, problem.message));
            // A waiting notice stays visible, in brief if there is little room.
            let brief = state.spelled("alt-a: unsaved text").into_owned();
            let both = banner.map(|banner| {
                [format!("{said} · {banner}"), format!("{} {brief} · {said}", marks::WARNING.glyph)]
            });
            (both.map_or(vec![said], Vec::from), mark.look)
        }
        (None, _) if let Some((said, look)) = rule => (vec![said], look),
        (None, _) if remarks.is_some() => (remarks.into_iter().collect(), Look::Text),
        (None, Some(row)) => (vec![row], Look::Text),
        (None, None) => {
            let (texts, look) = engine_texts(state);
            let compares = state.results.findings.current::<Compared>();
            let idle = compares.is_none_or(|compared| compared.progress == Progress::Waiting);
            yields = look == Look::Text && state.results.running.is_none() && idle;
            // The name under the cursor matters more than the engine.
            match described.filter(|_| look == Look::Text && state.results.running.is_none()) {
                Some(described) => {
                    yields = true;
                    let both = texts.iter().map(|text| format!("{described} · {text}"));
                    (both.chain([described.clone()]).collect(), look)
                }
                None => (texts, look),
            }
        }
    };
    let fits = |text: &str, keys: &str| text.width() + keys.width() + 2 <= width;
    let last = keys.len() - 1;
    let (text, right) = if yields {
        let least = texts.last().map_or("", String::as_str);
        let right = keys.iter().find(|keys| fits(least, keys)).unwrap_or(&keys[last]);
        (texts.iter().find(|text| fits(text, right)).map_or(least, String::as_str), right.as_str())
    } else {
        let text = texts.iter().find(|text| fits(text, &keys[last - 1])).or(texts.last());
        let text = text.map_or("", String::as_str);
        (text, keys.iter().find(|keys| fits(text, keys)).unwrap_or(&keys[last]).as_str())
    };
    let left = fit(&format!(" {text}"), width.saturating_sub(right.width() + 1));
    buffer.set_string(area.x, area.y, left, style.patch(theme.style(look)));
    buffer.set_string(
        area.right().saturating_sub(right.width() as u16),
        area.y,
        right,
        style.patch(theme.style(Look::Dim)),
    );
    buffer.set_stringn(
        ended_at,
        area.y,
        &ended,
        area.right().saturating_sub(ended_at).into(),
        style.patch(theme.style(marks::FAILED.look)),
    );
}

/// Returns the focused panel's selected row at `width` columns, if its own panel cuts it.
fn cut_row(state: &State, width: usize) -> Option<String> {
    let (list, area) = (state.screen.focus.list()?, state.layout().content(state.screen.focus)?);
    let row = state.list(state.screen.focus).selected;
    let theme = Theme::plain();
    // The mark of the selected row takes the first cell.
    let room = usize::from(area.width).saturating_sub(1);
    let whole = list.line(state, row, width, &theme).to_string();
    let own = list.line(state, row, room.saturating_sub(1), &theme).to_string();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    (own.trim_end().width() > room || words(&own) != words(&whole)).then(|| words(&whole))
}

/// Returns texts about the engine: its name, the reason for it, the level if it is not the usual one, and whether the
/// other engine agrees; longest first.
fn engine_texts(state: &State) -> (Vec<String>, Look) {
    let engine = &state.engine;
    if engine.stopped {
        let said = state.spelled("engine stopped; F9 starts it again");
        return (vec![said.into_owned()], Look::Bad);
    }
    let Some(kind) = engine.kind else { return (vec!["starting the engine".to_string()], Look::Text) };
    let short = match kind {
        Kind::Cpu => "CPU engine".to_string(),
        Kind::Gpu if engine.wanted == Preference::All => visible(&without_drivers(&engine.description)),
        Kind::Gpu => "GPU engine".to_string(),
    };
    let name = if engine.description.is_empty() { short.clone() } else { visible(&engine.description) };
    let reason =
        if engine.reason.is_empty() { String::new() } else { format!(" ({})", visible(&engine.reason)) };
    let level = state.shown().map_or(engine.level.level(), |shown| shown.compiled.level);
    let is_usual = engine.level == LevelChoice::Automatic && level != OptLevel::Whole;
    let level = if is_usual { String::new() } else { format!(" · optimizer {}", engine.level.name(level)) };
    let compared = state.results.findings.current::<Compared>();
    if let Some(Compared { other, difference: Some(difference), .. }) = compared {
        // A difference takes precedence over everything else.
        let differs = differs(other, difference);
        return (vec![format!("{differs}{reason}"), differs], Look::Bad);
    }
    if let Some(running) =
        state.results.running.as_ref().filter(|running| running.revision == state.document.revision)
    {
        return (running_texts(running), Look::Text);
    }
    let (agrees, brief) = compared.map_or(Default::default(), comparison_texts);
    let texts = vec![
        format!("{name}{reason}{level}{agrees}"),
        format!("{name}{level}{agrees}"),
        format!("{name}{agrees}"),
        format!("{short}{agrees}"),
        format!("{name}{brief}"),
        format!("{short}{brief}"),
        name,
        short,
    ];
    (texts, Look::Text)
}

/// Returns the names of engines that share the work, without driver descriptions.
fn without_drivers(name: &str) -> String {
    let brief = |engine: &str| engine.split(" (").next().unwrap_or(engine).to_string();
    name.split(" + ").map(brief).collect::<Vec<_>>().join(" + ")
}

/// Returns texts about a test that runs long, with its progress; longest first.
fn running_texts(running: &Running) -> Vec<String> {
    let name = visible(&running.name);
    let taken = format!("{:.1} s", running.taken.as_secs_f64());
    let inputs = match running.inputs {
        0 => String::new(),
        n => format!(", input {}", grouped(u64::from(n) + 1)),
    };
    vec![
        format!("{name} runs long{inputs}: {taken}"),
        format!("{name}: {taken}"),
        format!("a test runs: {taken}"),
    ]
}

/// Describes the idle comparison of engines: a long text, and a short one that omits the other engine's
/// driver.
fn comparison_texts(compared: &Compared) -> (String, String) {
    let Compared { other, progress, checked, of, total, .. } = compared;
    let brief = other.split(" (").next().unwrap_or(other);
    let numbers = [checked, of, total].map(|n| grouped(u64::from(*n)));
    let [checked, of, total] = &numbers;
    let (long, short) = match progress {
        Progress::Preparing if compared.of > 0 => {
            (format!("in the background: preparing {brief}, {checked} of {of}"), String::new())
        }
        Progress::Preparing => (format!("in the background: preparing {brief}"), String::new()),
        // No comparison has been made yet.
        Progress::Waiting => (String::new(), String::new()),
        Progress::Running if of == total => (
            format!("in the background: {other} agrees on {checked} of {total}"),
            format!("{brief} agrees so far"),
        ),
        Progress::Running => (
            format!("in the background: {other} agrees on {checked} of a sample of {of}"),
            format!("{brief} agrees so far"),
        ),
        Progress::Done => (format!("{other} agrees on {checked} of {total}"), format!("{brief} agrees")),
        Progress::TooSlow => (format!("{brief} is too slow to compare"), String::new()),
    };
    let behind = |text: String| if text.is_empty() { text } else { visible(&format!(" · {text}")) };
    (behind(long), behind(short))
}
