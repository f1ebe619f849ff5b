//! The Lesson panel. While it has the focus, the teaching text is on top; otherwise, and once all goals are
//! reached, the goals are.

use crate::host::measure::numbers::plural;
use crate::workbench::learn::{Course, HINTS, judge};
use crate::workbench::lesson::LessonView;
use crate::workbench::marks;
use crate::workbench::panels::Panel;
use crate::workbench::panels::page::Page;
use crate::workbench::state::{Screen, State, WorkbenchDocument};
use crate::workbench::text::{visible, wrap};
use crate::workbench::theme::Look;

pub fn lines(state: &State, page: &mut Page) {
    let (screen, lesson) = (&state.screen, &state.lesson);
    let Some(course) = &state.document.file.lesson else { return };
    if screen.focus == Panel::LESSON && !lesson.is_done() {
        teaches(course, page);
        page.blank();
        goals(screen, lesson, course, page);
        hints(screen, lesson, course, page);
    } else {
        goals(screen, lesson, course, page);
        hints(screen, lesson, course, page);
        page.blank();
        teaches(course, page);
    }
}

/// Adds the title, the text and the keys.
fn teaches(course: &Course, page: &mut Page) {
    page.prose(Look::Heading, visible(&course.called()));
    for paragraph in &course.lesson.teaches {
        page.blank();
        page.prose(Look::Text, visible(paragraph));
    }
    if !course.lesson.keys.is_empty() {
        page.blank();
    }
    for key in &course.lesson.keys {
        page.row([
            (Look::Keyword, format!("{:<9}", visible(&key.key))),
            (Look::Dim, format!(" {}", visible(&key.does))),
        ]);
    }
}

/// Adds each goal with its progress, missing parts of the lesson, and the next lesson once all goals are
/// reached.
fn goals(screen: &Screen, lesson: &LessonView, course: &Course, page: &mut Page) {
    let judged = lesson.judged.as_ref();
    page.prose(Look::Heading, format!("Goals: {}", count(lesson, course)));
    for (i, aim) in course.lesson.aims.iter().enumerate() {
        let standing = judged.and_then(|judged| judged.standings.get(i));
        let mark = standing.map_or(&marks::OPEN, |standing| marks::of_goal(standing.state));
        let mut lines = wrap(&visible(&aim.text), page.room().saturating_sub(2).max(1)).into_iter().peekable();
        let mut front = format!("{} ", mark.glyph);
        while let Some(line) = lines.next() {
            let mut row =
                vec![(mark.look, std::mem::replace(&mut front, "  ".to_string())), (Look::Text, line)];
            // Omit the progress if the goal's text already contains it.
            let standing =
                standing.filter(|standing| lines.peek().is_none() && !aim.text.ends_with(&standing.text));
            row.extend(standing.map(|standing| (Look::Dim, format!("  {}", visible(&standing.text)))));
            page.row(row);
        }
    }
    for gone in judged.iter().flat_map(|judged| &judged.gone) {
        page.row([
            (marks::GONE.look, format!("{} ", marks::GONE.glyph)),
            (marks::GONE.look, visible(gone)),
            (Look::Dim, "  must stay unchanged".to_string()),
        ]);
    }
    if lesson.is_done() {
        let next = course.shipped.and_then(|shipped| shipped.next());
        let said = match next.and_then(|next| Course::shipped(next).ok()) {
            Some(next) => format!("Done. {}n: the next lesson, {}", to_here(screen), next.called()),
            None if course.shipped.is_some() => {
                format!("Done. {}n: a lesson that is not done", to_here(screen))
            }
            None => "Done.".to_string(),
        };
        page.prose(Look::Good, visible(&said));
    }
}

fn hints(screen: &Screen, lesson: &LessonView, course: &Course, page: &mut Page) {
    let shown = lesson.hints.min(HINTS);
    for (number, hint) in (1..).zip(course.lesson.hints.iter().take(shown)) {
        page.blank();
        page.prose(Look::Comment, format!("Hint {number}: {}", visible(hint)));
    }
    if shown < HINTS && !lesson.is_done() {
        page.prose(Look::Dim, format!("{}h: a hint, {} of {HINTS}", to_here(screen), shown + 1));
    }
}

/// Returns the keys to press before one of the panel's own keys.
fn to_here(screen: &Screen) -> &'static str {
    if screen.focus == Panel::LESSON { "" } else { "alt-l, then " }
}

/// Formats `2 of 3`.
fn count(lesson: &LessonView, course: &Course) -> String {
    let reached = lesson.judged.as_ref().map_or(0, judge::Judgement::reached);
    format!("{reached} of {}", course.lesson.aims.len())
}

/// Returns the number of goals reached.
pub fn figures(document: &WorkbenchDocument, lesson: &LessonView) -> Vec<String> {
    let Some(course) = &document.file.lesson else { return Vec::new() };
    let goals = course.lesson.aims.len() as u64;
    let reached = lesson.judged.as_ref().map_or(0, judge::Judgement::reached);
    vec![format!("{reached} of {}", plural(goals, "goal")), format!("{reached}/{goals}")]
}
