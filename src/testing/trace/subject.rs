//! The subject of a run: a test, a property with an input, or a call. It is identified by name, so that it can be found
//! again after the text has changed.

use super::argument::{self, Refused};
use crate::compiler::program::{Compiled, Routine};
use crate::compiler::stage::execute::Domain;
use crate::engine::EntryResult;
use crate::engine::explain::{self, Value};
use crate::host::measure::numbers::plural;
use crate::lang::index::{EntryId, Index, RoutineId, TokenId};
use crate::lang::limits;
use crate::lang::role::Role;
use crate::lang::ty::Type;
use crate::report::visible::visible;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A test or property, by its label. The number decides if no entry or several have this label. A property runs on
    /// its counterexample if it has one, otherwise on the first input that meets its condition.
    Entry { label: String, id: EntryId },
    /// A function, or a property by its label, with literals as arguments.
    Call { function: String, arguments: Vec<String> },
}

/// A subject resolved in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub routine: RoutineId,
    /// The arguments, in their frame slots.
    pub frame: Vec<u32>,
    /// The name for people, including the input.
    pub title: String,
}

impl Subject {
    /// Parses a call: `gcd(12, 18)`, or `"commutes"(12, 18)` for a property.
    ///
    /// # Errors
    /// If the text is not a call.
    pub fn of_call(text: &str) -> Result<Subject, String> {
        let text = text.trim();
        let wrong = || format!("`{}` is not a call: write it like f(12, [1, 2])", visible(text));
        let text = text.trim_end_matches([' ', '\t', ';']);
        let inside = text.strip_suffix(')').ok_or_else(wrong)?;
        // A property without a label is named by its expression, which may contain parentheses.
        let (function, arguments) = inside.split_at(last_bracket(inside).ok_or_else(wrong)?);
        let arguments = split(&arguments[1..]);
        let function = function.trim();
        let quoted = function.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        Ok(Subject::Call { function: quoted.unwrap_or(function).to_string(), arguments })
    }

    /// Returns the name without arguments.
    pub fn name(&self) -> &str {
        match self {
            Subject::Entry { label, .. } => label,
            Subject::Call { function, .. } => function,
        }
    }

    /// Returns the text of a call on these values, or `None` for a test, which has no input.
    pub fn call_on(&self, compiled: &Compiled, values: &[Value]) -> Option<String> {
        let given: Vec<String> = values.iter().map(ToString::to_string).collect();
        let name = match self {
            Subject::Call { function, .. } => function.clone(),
            Subject::Entry { label, id } => {
                let entry = compiled.entry(entry_of(compiled, label, *id)?)?;
                let first = compiled.view().child(entry.head(), 0);
                match first.is_some_and(|t| compiled.view().is(t, Role::Label)) {
                    true => format!("\"{label}\""),
                    false => label.clone(),
                }
            }
        };
        (!given.is_empty()).then(|| format!("{name}({})", given.join(", ")))
    }

    pub fn routine(&self, compiled: &Compiled) -> Option<RoutineId> {
        let entry = |id: Option<EntryId>| id.map(|id| compiled.facts.entry(id));
        match self {
            Subject::Entry { label, id } => entry(entry_of(compiled, label, *id)),
            Subject::Call { function, .. } => {
                let found = compiled.functions().iter().find(|f| compiled.function_name(*f) == function);
                found.or_else(|| {
                    entry(compiled.entries().iter().find(|id| entry_label(compiled, *id) == *function))
                })
            }
        }
    }

    /// Returns the subject as written by a user.
    pub fn text(&self) -> String {
        match self {
            Subject::Entry { label, .. } => label.clone(),
            Subject::Call { function, arguments } => format!("{function}({})", arguments.join(", ")),
        }
    }

    /// Finds the subject in a program, given the results of its entries.
    ///
    /// # Errors
    /// If the subject does not exist, or the arguments do not fit.
    pub fn find(&self, compiled: &Compiled, entries: &[EntryResult]) -> Result<Target, String> {
        match self {
            Subject::Entry { label, id } => {
                let id = entry_of(compiled, label, *id).ok_or("this test no longer exists")?;
                entry(compiled, id, entries.get(id.position()))
            }
            Subject::Call { function, arguments } => call(compiled, function, arguments),
        }
    }
}

/// Returns the entry with this label. If several or none have it, the one with this number is preferred.
fn entry_of(compiled: &Compiled, label: &str, id: EntryId) -> Option<EntryId> {
    let named = |id: &EntryId| entry_label(compiled, *id) == label;
    let known = Some(id).filter(|id| compiled.entries().contains(*id));
    known.filter(named).or_else(|| compiled.entries().iter().find(named)).or(known)
}

/// Returns the label of a test or property: its name, or its expression as written.
pub fn entry_label(compiled: &Compiled, id: EntryId) -> String {
    let view = compiled.view();
    let Some(head) = compiled.entry(id).map(Routine::head) else { return String::new() };
    match view.child(head, 0).filter(|t| view.is(*t, Role::Label)) {
        Some(label) => view.text(label).trim_matches('"').to_string(),
        None => {
            let body = view.child(head, 1).and_then(|body| view.extent_span(body));
            let text = body.and_then(|bytes| view.source.get(bytes)).unwrap_or("");
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        }
    }
}

impl Target {
    /// Resolves an entry on the input that its result is about.
    ///
    /// # Errors
    /// If the entry does not exist, or has no input.
    pub fn of_result(compiled: &Compiled, id: EntryId, result: &EntryResult) -> Result<Target, String> {
        entry(compiled, id, Some(result))
    }
}

/// Resolves a test, or a property with its default input.
fn entry(compiled: &Compiled, id: EntryId, result: Option<&EntryResult>) -> Result<Target, String> {
    on_input(compiled, id, &input(compiled, id, result))
}

/// Returns the input for an entry: its counterexample, or the first input that meets its condition.
fn input(compiled: &Compiled, id: EntryId, result: Option<&EntryResult>) -> Vec<(String, Value)> {
    match result.filter(|result| result.failing_input.is_some()) {
        Some(result) => explain::explain(compiled, id, result).counterexample,
        None => explain::input(compiled, id, explain::first_met(compiled, id)),
    }
}

/// Resolves an entry on an input with known values.
pub(super) fn on_input(compiled: &Compiled, id: EntryId, values: &[(String, Value)]) -> Result<Target, String> {
    let routine = compiled.facts.entry(id);
    let label = entry_label(compiled, id);
    let here = compiled.executable.routine(routine).ok_or("this test does not exist")?;
    let mut frame = vec![0; (here.frame() as usize).min(limits::STACK_WORDS as usize)];
    let domain = Domain::new(&compiled.executable.routines, &compiled.binders, routine, limits::SAMPLES);
    if domain.inputs().is_empty() {
        return Err(format!("{} has no input", visible(&label)));
    }
    for (binder, (_, value)) in values.iter().enumerate() {
        let Some((slot, _)) = domain.place(binder) else { continue };
        let words = words_of(value);
        if let Some(place) = frame.get_mut(slot..slot + words.len()) {
            place.copy_from_slice(&words);
        }
    }
    let given: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let title = if given.is_empty() { label } else { format!("{label} with {}", given.join(", ")) };
    Ok(Target { routine, frame, title })
}

pub(super) fn words_of(value: &Value) -> Vec<u32> {
    let list = |words: Vec<u32>| [vec![words.len() as u32], words].concat();
    match value {
        Value::Int(n) => vec![*n as u32],
        Value::Bool(b) => vec![u32::from(*b)],
        Value::Ints(ints) => list(ints.iter().map(|n| *n as u32).collect()),
        Value::Bools(bools) => list(bools.iter().map(|b| u32::from(*b)).collect()),
    }
}

/// Resolves a function with its arguments, or else a property with this label.
fn call(compiled: &Compiled, function: &str, arguments: &[String]) -> Result<Target, String> {
    let found = compiled.functions().iter().find(|f| compiled.function_name(*f) == function);
    if found.is_none()
        && let Some(id) = compiled.entries().iter().find(|id| entry_label(compiled, *id) == function)
    {
        return property(compiled, id, arguments);
    }
    let routine = found.ok_or_else(|| format!("there is no function `{}`", visible(function)))?;
    let parameters = compiled.program().parameters(routine);
    as_many(function, parameters.len(), arguments)?;
    let frame = frame(&parameters, arguments).map_err(|refused| refused.message)?;
    let frame = frame.ok_or("a list is too long for its parameter")?;
    Ok(Target { routine, frame, title: format!("{function}({})", arguments.join(", ")) })
}

/// Resolves a property on an input given as literals.
fn property(compiled: &Compiled, id: EntryId, arguments: &[String]) -> Result<Target, String> {
    let routine = compiled.executable.routine(compiled.facts.entry(id)).ok_or("this test does not exist")?;
    let (view, binders) = (compiled.view(), routine.binders());
    as_many(&entry_label(compiled, id), binders.len(), arguments)?;
    let value = |(position, (row, text)): (usize, (usize, &String))| {
        let token = TokenId::new(compiled.binders.token[row]);
        let ty = view.ty(token);
        let words = argument::words(text, ty, position + 1).map_err(|refused| refused.message)?;
        if words.len() > ty.words() as usize {
            return Err("a list is too long for its binder".to_string());
        }
        let own = if ty.is_list() { &words[1..] } else { &words[..] };
        Ok((view.text(token).to_string(), Value::from_words(ty, own)))
    };
    let values: Result<Vec<_>, String> = binders.zip(arguments).enumerate().map(value).collect();
    on_input(compiled, id, &values?)
}

/// Checks that the number of arguments equals `wanted`.
fn as_many(name: &str, wanted: usize, arguments: &[String]) -> Result<(), String> {
    match wanted == arguments.len() {
        true => Ok(()),
        false => {
            let wanted = plural(wanted as u64, "argument");
            Err(format!("`{}` takes {wanted}, not {}", visible(name), arguments.len()))
        }
    }
}

/// Returns the frame words of parameters of these types. Lists are padded to their capacity. Returns `None` if a list
/// is too long for its parameter. Surplus arguments or types are ignored.
///
/// # Errors
/// If an argument is not a literal of its type; the first such argument is reported.
pub fn frame(types: &[Type], arguments: &[String]) -> Result<Option<Vec<u32>>, Refused> {
    let mut frame = Vec::new();
    let mut fits = true;
    for (position, (text, ty)) in arguments.iter().zip(types).enumerate() {
        let words = argument::words(text, *ty, position + 1)?;
        fits &= words.len() <= ty.words() as usize;
        let end = frame.len() + ty.words() as usize;
        frame.extend(words);
        frame.resize(end, 0);
    }
    Ok(fits.then_some(frame))
}

/// Returns each character with its bracket depth and whether it is outside quotes, both before the character is read.
fn depths(text: &str) -> impl Iterator<Item = (usize, char, i32, bool)> {
    let (mut depth, mut quote, mut escaped) = (0_i32, None, false);
    text.char_indices().map(move |(at, c)| {
        let before = (at, c, depth, quote.is_none());
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth -= 1,
            _ => {}
        }
        before
    })
}

/// Returns the start of the last outermost parenthesis, in a text whose final `)` has been removed.
fn last_bracket(text: &str) -> Option<usize> {
    let outer = |(at, c, depth, plain)| (plain && depth == 0 && c == '(').then_some(at);
    depths(text).filter_map(outer).last()
}

/// Splits the arguments between the parentheses of a call.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for (_, c, depth, plain) in depths(text) {
        if plain && depth == 0 && c == ',' {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    let parts: Vec<String> = parts.into_iter().map(|part| part.trim().to_string()).collect();
    if parts == [""] { Vec::new() } else { parts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_text_is_parsed_and_normalized() {
        let of = |text: &str| Subject::of_call(text).map(|subject| subject.text());
        assert_eq!(of(" f( 1 ,[2, 3] ) ;"), Ok("f(1, [2, 3])".to_string()));
        assert_eq!(of("f(\"a,b\", ',')"), Ok("f(\"a,b\", ',')".to_string()));
        assert_eq!(of("f()"), Ok("f()".to_string()));
        // Properties, with and without a label.
        assert_eq!(of("\"ends in (\"(3)"), Ok("ends in ((3)".to_string()));
        assert_eq!(of("f(a) == g(a)(3, 4)"), Ok("f(a) == g(a)(3, 4)".to_string()));
        assert!(of("f").is_err() && of("f(1").is_err() && of(")").is_err());
    }
}
