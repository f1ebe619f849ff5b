//! Reads a lesson from its file, or reports all its mistakes.

use std::sync::Arc;

use super::format::{Field, FormatFault, split_header};
use super::goal::Goal;
use super::goals;
use super::own::LessonItems;
use crate::compiler::stage::compile;
use crate::report::names::nearest;

/// The fields of a header with their descriptions.
pub const FIELDS: [(&str, &str); 8] = [
    ("lesson", "the title; the first line of the file"),
    ("teaches", "prose, in one paragraph or several"),
    ("key", "a key of the workbench that the lesson needs, and what it does; one field for each key"),
    ("keep", "functions or constants that stay as they are, with commas between"),
    ("goal", "something to reach; one field for each goal"),
    ("hint 1", "where to look"),
    ("hint 2", "what to do"),
    ("hint 3", "nearly the answer"),
];

pub const HINTS: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonGoal {
    pub goal: Goal,
    pub text: String,
}

/// A key that the lesson mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonKey {
    pub key: String,
    pub does: String,
    /// Byte range of the key in the file.
    pub span: std::ops::Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    pub title: String,
    /// The prose, one string for each paragraph.
    pub teaches: Vec<String>,
    pub keys: Vec<LessonKey>,
    pub aims: Vec<LessonGoal>,
    pub hints: [String; HINTS],
    /// The initial program.
    pub code: Arc<str>,
    pub own: LessonItems,
    /// Indices of the items that must remain unchanged.
    pub kept: Vec<usize>,
}

impl Lesson {
    /// Reads a lesson.
    ///
    /// # Errors
    /// Returns all mistakes, in the order of the text.
    pub fn read(text: &str) -> Result<Lesson, Vec<FormatFault>> {
        let mut file = split_header(text);
        let own = LessonItems::new(&compile(file.code));
        let mut faults = std::mem::take(&mut file.faults);
        let fields = &file.fields;
        if fields.first().is_none_or(|field| field.name != "lesson") {
            let end = text.find('\n').unwrap_or(text.len());
            let fault = FormatFault::new(0..end, "this is not a lesson");
            faults.push(fault.help("the first line of a lesson is `//! lesson: TITLE`"));
            return Err(faults);
        }
        faults.extend(fields.iter().filter_map(unknown));
        let once = |name: &str, faults: &mut Vec<FormatFault>| -> String {
            let mut all = fields.iter().filter(|field| field.name == name);
            let first = all.next();
            faults.extend(
                all.map(|again| FormatFault::new(again.span.clone(), format!("there is a `{name}` above"))),
            );
            let text = first.map_or(String::new(), |field| field.paragraphs().join(" "));
            match first {
                None => faults.push(missing(text_span(fields), name)),
                Some(field) if text.is_empty() => faults.push(empty(field)),
                Some(_) => {}
            }
            text
        };
        let title = once("lesson", &mut faults);
        let hints = ["hint 1", "hint 2", "hint 3"].map(|name| once(name, &mut faults));
        let of = |name: &'static str| fields.iter().filter(move |field| field.name == name);
        let teaches: Vec<String> = of("teaches").flat_map(Field::paragraphs).collect();
        if teaches.is_empty() {
            faults.push(of("teaches").next().map_or_else(|| missing(text_span(fields), "teaches"), empty));
        }
        let (mut keys, mut aims) = (Vec::new(), Vec::new());
        for field in of("key") {
            match field.lines[0].text.split_once(' ') {
                Some((key, does)) if field.lines.len() == 1 => {
                    let at = field.lines[0].at;
                    keys.push(LessonKey {
                        key: key.into(),
                        does: does.trim().into(),
                        span: at..at + key.len(),
                    });
                }
                _ => faults.push(FormatFault::new(
                    field.value_span(),
                    "a key is one line: the key, then what it does",
                )),
            }
        }
        for field in of("goal") {
            let line = field.lines[0];
            match goals::read(line, &own) {
                _ if line.text.is_empty() => faults.push(empty(field)),
                _ if field.lines.len() > 1 => {
                    faults.push(FormatFault::new(field.lines[1].span(), "a goal is one line"))
                }
                Ok(goal) => aims.push(LessonGoal { goal, text: line.text.to_string() }),
                Err(fault) => faults.push(fault),
            }
        }
        if of("goal").next().is_none() {
            faults.push(missing(text_span(fields), "goal"));
        }
        let keeps = aims.iter().any(|aim: &LessonGoal| aim.goal.keeps_program());
        let mut kept: Vec<usize> =
            (0..own.items.len()).filter(|item| keeps || own.items[*item].is_entry()).collect();
        for field in of("keep") {
            for piece in &field.lines {
                for name in piece.text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                    let place = own
                        .items
                        .iter()
                        .position(|item| !item.is_entry() && item.name.as_deref() == Some(name));
                    let at = piece.at + (name.as_ptr() as usize - piece.text.as_ptr() as usize);
                    match place {
                        Some(item) => kept.push(item),
                        None => faults.push(no_item(name, at, &own)),
                    }
                }
            }
        }
        if file.code.trim().is_empty() {
            faults.push(FormatFault::new(text_span(fields), "there is no program after the header"));
        }
        kept.sort_unstable();
        kept.dedup();
        faults.sort_by_key(|fault| fault.span.start);
        let code = Arc::from(file.code);
        let lesson = Lesson { title, teaches, keys, aims, hints, code, own, kept };
        if faults.is_empty() { Ok(lesson) } else { Err(faults) }
    }

    /// Returns whether one of its goals depends on the verdicts on mutants.
    pub fn needs_verdicts(&self) -> bool {
        self.aims.iter().any(|aim| aim.goal.needs_verdicts())
    }
}

/// Returns where a missing field is reported: at the first line.
fn text_span(fields: &[Field]) -> std::ops::Range<usize> {
    fields.first().map_or(0..0, Field::value_span)
}

fn missing(span: std::ops::Range<usize>, name: &str) -> FormatFault {
    let about = FIELDS.iter().find(|(known, _)| *known == name).map_or("", |(_, about)| about);
    FormatFault::new(span, format!("the lesson has no `{name}`")).help(format!("`//! {name}: …`: {about}"))
}

fn empty(field: &Field) -> FormatFault {
    FormatFault::new(field.span.clone(), format!("there is no text after `{}:`", field.name))
}

/// Returns a fault if the field does not exist.
fn unknown(field: &Field) -> Option<FormatFault> {
    let names = FIELDS.map(|(name, _)| name);
    if names.contains(&field.name) {
        return None;
    }
    let fault = FormatFault::new(field.span.clone(), format!("there is no field `{}`", field.name));
    Some(match nearest(field.name, &names) {
        Some(name) => fault.help(format!("did you mean `{name}`?")),
        None => fault.help(format!("there are {}", names.join(", "))),
    })
}

fn no_item(name: &str, at: usize, own: &LessonItems) -> FormatFault {
    let names: Vec<&str> =
        own.items.iter().filter(|item| !item.is_entry()).filter_map(|item| item.name.as_deref()).collect();
    let fault =
        FormatFault::new(at..at + name.len(), format!("the program has no function or constant `{name}`"));
    match nearest(name, &names) {
        Some(name) => fault.help(format!("did you mean `{name}`?")),
        None => fault.help("tests and properties stay in any case"),
    }
}
