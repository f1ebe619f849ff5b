//! Types texts as a person does in the editor: it closes brackets and indents lines, and the person mends what it gets
//! wrong.

use std::time::Instant;

use crate::cli::exit::Failure;
use crate::compiler::program::Compiled;
use crate::lang::index::{Index, RoutineId, TokenId};
use crate::lang::role::Role;
use crate::workbench::text::{Buffer, Motion, Selection};

/// Is called after each key, with the time at which it was pressed.
pub type AfterKey<'a> = dyn FnMut(&Buffer, Instant) -> Result<(), Failure> + 'a;

/// Types a text at the cursor.
pub fn type_text(buffer: &mut Buffer, text: &str, after: &mut AfterKey<'_>) -> Result<(), Failure> {
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            press(buffer, after, Buffer::new_line)?;
        }
        let ink = line.trim();
        // A closing bracket finds its own indent.
        if number > 0 && !ink.is_empty() && !ink.starts_with('}') {
            let wanted = line.chars().take_while(|c| c.is_whitespace()).count();
            while indent(buffer) > wanted {
                press(buffer, after, |buffer| buffer.erase(Motion::Left))?;
            }
            while indent(buffer) < wanted {
                press(buffer, after, |buffer| buffer.type_char(' ', true))?;
            }
        }
        let mut quote = None;
        let mut before = ' ';
        for c in ink.chars() {
            let length = buffer.len();
            press(buffer, after, |buffer| buffer.type_char(c, true))?;
            if quote.is_some() && buffer.len() == length + 2 {
                // No bracket is to be closed in a string or a comment.
                press(buffer, after, |buffer| buffer.erase(Motion::Right))?;
            }
            quote = match (quote, c) {
                (None, '"' | '\'') => Some(c),
                (None, '/') if before == '/' => Some('\n'),
                (Some(end), _) if end == c && before != '\\' => None,
                _ => quote,
            };
            before = if before == '\\' { ' ' } else { c };
        }
    }
    Ok(())
}

/// Erases the body of a function and types it again.
pub fn retype(program: &Compiled, function: RoutineId, after: &mut AfterKey<'_>) -> Result<Buffer, Failure> {
    let (mut buffer, view) = (Buffer::new(&program.text), program.view());
    let head = program.executable.routine(function).map(|routine| routine.head());
    let block = view.nodes().find(|t| view.is(*t, Role::Block) && view.parent(*t) == head);
    let Some(body) = block.and_then(|block| view.extent_span(block)) else { return Ok(buffer) };
    let body = body.start + 1..body.end - 1;
    let [anchor, head] = [body.start, body.end].map(|byte| buffer.position_of_byte(byte));
    buffer.select(Selection { anchor, head });
    press(&mut buffer, after, |buffer| buffer.erase(Motion::Left))?;
    type_text(&mut buffer, program.text[body].trim_end(), after)?;
    Ok(buffer)
}

fn press(buffer: &mut Buffer, after: &mut AfterKey<'_>, key: impl FnOnce(&mut Buffer)) -> Result<(), Failure> {
    let pressed = Instant::now();
    key(buffer);
    after(buffer, pressed)
}

/// Returns the number of characters between the start of the line and the cursor, all of them blanks.
fn indent(buffer: &Buffer) -> usize {
    buffer.head() - buffer.line_start(buffer.line_of(buffer.head()))
}

/// Returns the items of a program in order, each with the comments before it, and whether it is a test or property, a
/// function or a constant.
pub fn items(program: &Compiled) -> Vec<(Role, &str)> {
    let (view, mut end) = (program.view(), 0);
    let is_item = |t: &TokenId| matches!(view.role(*t), Role::Fn | Role::Const | Role::Test | Role::Prop);
    let item = |head: TokenId| {
        let tokens = view.extent(head);
        // The `;` of a test, a property or a constant comes after it.
        let last = if view.is(head, Role::Fn) { tokens.end().previous()? } else { tokens.end() };
        let start = std::mem::replace(&mut end, view.span(last)?.end);
        Some((view.role(head), view.source[start..end].trim()))
    };
    view.nodes().filter(is_item).filter_map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::stage::compile;
    use crate::lang::samples;

    fn ink(text: &str) -> String {
        text.split_whitespace().collect()
    }

    #[test]
    fn typed_samples_are_the_samples() {
        for sample in samples::all() {
            let mut buffer = Buffer::new("");
            let mut keys = 0;
            let mut count = |_: &Buffer, _| {
                keys += 1;
                Ok(())
            };
            type_text(&mut buffer, sample.text, &mut count).expect("no failure");
            assert_eq!(ink(buffer.text()), ink(sample.text), "{}", sample.name);
            let program = compile(sample.text);
            for function in program.functions().iter() {
                let again = retype(&program, function, &mut count).expect("no failure");
                assert_eq!(ink(again.text()), ink(sample.text), "{}", sample.name);
            }
            assert!(keys > 700, "{keys}");
            if program.facts.compiles() {
                let items: Vec<&str> = items(&program).into_iter().map(|(_, text)| text).collect();
                assert!(ink(sample.text).starts_with(&ink(&items.concat())), "{items:?}");
            }
        }
    }

    #[test]
    fn brackets_are_closed_and_typed_over_while_typing() {
        let mut buffer = Buffer::new("");
        let mut texts = Vec::new();
        let mut note = |buffer: &Buffer, _| {
            texts.push(buffer.text().to_string());
            Ok(())
        };
        type_text(&mut buffer, "fn f() {\n    g('(');\n}", &mut note).expect("no failure");
        assert_eq!(&**buffer.text(), "fn f() {\n    g('(');\n}");
        assert_eq!(&texts[4..6], ["fn f()", "fn f()"], "the bracket is typed over");
        assert_eq!(&texts[7..9], ["fn f() {}", "fn f() {\n    \n}"]);
        let quoted: Vec<&String> = texts.iter().filter(|text| text.contains("'(")).collect();
        assert!(quoted[0].contains("'())") && quoted[1].contains("'()"), "{quoted:?}");
    }
}
