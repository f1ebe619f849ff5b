//! The grammar of commands: count, register, operator, and a motion or an object. Both key sets share it; their keys are rows
//! of one table. Parsing is a pure function of the keys typed so far.

use super::absent::{ABSENT, Rest};
use super::command::context::{NORMAL, PENDING};
use super::command::{Action, Command, Motion, Object, Operand, Operator, What, Words};
use super::table::{ROWS, Verb};

/// The maximum of a count before a command.
pub const MOST: usize = 9_999;

/// The maximum number of keys of a command.
const KEYS: usize = 40;

/// The keys that may follow an unfinished command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A command, where arrows and enter act as letters.
    Letter,
    /// A character.
    Argument,
    /// A text that enter ends.
    Line,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parsed {
    Done(Command),
    More(Next),
    Refused(&'static str),
}

/// Parses the keys of a command in a context.
pub fn parse(context: u8, keys: &[char]) -> Parsed {
    if keys.len() > KEYS {
        return Parsed::Refused("no command has so many keys");
    }
    let (mut rest, mut count, mut register) = (keys, None, None);
    loop {
        count = times(count, number(&mut rest));
        match rest {
            ['"'] => return Parsed::More(Next::Argument),
            ['"', name, tail @ ..] => (register, rest) = (Some(*name), tail),
            _ => break,
        }
    }
    let done = |count, what| match register {
        Some(name) if !super::registers::is_name(name) => {
            Parsed::Refused("no such register: registers are a to z, 0 and _")
        }
        _ => Parsed::Done(Command { register, count, what }),
    };
    let (verb, own, tail) = match lookup(context, rest) {
        Found::Row(verb, own, tail) => (verb, own, tail),
        Found::More => {
            return Parsed::More(if rest.is_empty() { Next::Letter } else { Next::Argument });
        }
        Found::Nothing => return Parsed::Refused(ABSENT),
    };
    if let Verb::Operator(operator) = verb
        && context & NORMAL != 0
    {
        return operand(own, operator, tail, |more, operand| {
            done(times(count, more), What::Operate(operator, operand))
        });
    }
    let what = match verb.complete(tail) {
        Ok(Completed::Motion(motion)) => What::Move(motion),
        Ok(Completed::Object { object, is_around }) => What::Select { object, is_around },
        Ok(Completed::Action(action)) => What::Act(action),
        Ok(Completed::Operation(operator, operand)) => What::Operate(operator, operand),
        Err(other) => return other,
    };
    if let What::Operate(Operator::Absent(rest), _) = what {
        return absent(rest);
    }
    done(count, what)
}

/// Parses the part of a command after its operator.
fn operand(
    own: &str,
    operator: Operator,
    keys: &[char],
    done: impl Fn(Option<usize>, Operand) -> Parsed,
) -> Parsed {
    let mut rest = keys;
    let count = number(&mut rest);
    let typed: String = rest.iter().collect();
    let is_doubled = typed == own || (rest.len() == 1 && own.ends_with(&typed));
    let operand = match lookup(PENDING, rest) {
        _ if is_doubled => Operand::Lines,
        Found::More => return Parsed::More(if rest.is_empty() { Next::Letter } else { Next::Argument }),
        Found::Nothing if !typed.is_empty() && own.starts_with(&typed) => return Parsed::More(Next::Argument),
        Found::Nothing => return Parsed::Refused("no such motion; docs/keys-modal.md lists all"),
        Found::Row(verb, _, tail) => match verb.complete(tail) {
            Ok(Completed::Motion(motion)) => Operand::Motion(motion),
            Ok(Completed::Object { object, is_around }) => Operand::Object { object, is_around },
            Ok(_) => return Parsed::Refused(ABSENT),
            Err(other) => return other,
        },
    };
    match operator {
        Operator::Absent(rest) => absent(rest),
        _ => done(count, operand),
    }
}

/// Returns the answer for an absent command all of whose keys are typed, except the text that may follow.
fn absent(rest: Option<Rest>) -> Parsed {
    match rest {
        Some(Rest::Line) => Parsed::More(Next::Line),
        _ => Parsed::Refused(ABSENT),
    }
}

/// A row of the table with the characters that follow it.
enum Completed {
    Motion(Motion),
    Object { object: Object, is_around: bool },
    Operation(Operator, Operand),
    Action(Action),
}

impl Verb {
    /// Adds the characters after the keys of a row.
    fn complete(self, tail: &[char]) -> Result<Completed, Parsed> {
        let more = Parsed::More(Next::Argument);
        let first = tail.first().copied();
        let argument = first.ok_or(more);
        Ok(match self {
            Verb::Move(motion) => Completed::Motion(motion),
            Verb::Find(find) => Completed::Motion(Motion::Find(find, argument?)),
            Verb::Mark { is_line } => Completed::Motion(Motion::Mark { name: mark(argument?)?, is_line }),
            Verb::Object { is_around } => {
                let object = object(argument?).ok_or(Parsed::Refused(ABSENT))?;
                Completed::Object { object, is_around }
            }
            Verb::Operator(operator) => Completed::Operation(operator, Operand::Selection),
            Verb::Shortcut(operator, operand) => Completed::Operation(operator, operand),
            Verb::Act(action) => Completed::Action(action),
            Verb::ActWith(action) => Completed::Action(action(argument?)),
            Verb::SetMark => Completed::Action(Action::SetMark(mark(argument?)?)),
            Verb::ReplaceSurround => match tail {
                [old, new, ..] => Completed::Action(Action::ReplaceSurround(*old, *new)),
                _ => return Err(more),
            },
            Verb::Absent(Rest::Line) => return Err(Parsed::More(Next::Line)),
            Verb::Absent(Rest::Keys(n)) if tail.len() < n => return Err(more),
            Verb::Absent(_) => return Err(Parsed::Refused(ABSENT)),
        })
    }
}

fn mark(name: char) -> Result<char, Parsed> {
    match name {
        'a'..='z' => Ok(name),
        _ => Err(Parsed::Refused("no such mark: marks are a to z")),
    }
}

fn object(c: char) -> Option<Object> {
    Some(match c {
        'w' => Object::Word(Words::Small),
        'W' => Object::Word(Words::Big),
        '(' | ')' | 'b' => Object::Pair('('),
        '[' | ']' => Object::Pair('['),
        '{' | '}' | 'B' => Object::Pair('{'),
        '"' | '\'' | '`' => Object::Quote(c),
        'p' => Object::Paragraph,
        _ => return None,
    })
}

/// Takes the number at the start of keys. A zero does not begin one.
fn number(keys: &mut &[char]) -> Option<usize> {
    let mut number = None;
    while let Some(digit) = keys.first().and_then(|c| c.to_digit(10)).filter(|d| *d > 0 || number.is_some()) {
        number = Some((number.unwrap_or(0) * 10 + digit as usize).min(MOST));
        *keys = &keys[1..];
    }
    number
}

/// Returns the product of two counts.
fn times(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    match (a, b) {
        (None, None) => None,
        (a, b) => Some((a.unwrap_or(1) * b.unwrap_or(1)).min(MOST)),
    }
}

enum Found<'a> {
    /// The row's meaning, its keys, and the keys after it.
    Row(Verb, &'static str, &'a [char]),
    More,
    Nothing,
}

/// Looks up the row that keys begin with.
fn lookup(context: u8, keys: &[char]) -> Found<'_> {
    let mut found = Found::Nothing;
    for (_, own, verb) in ROWS.iter().filter(|(contexts, ..)| contexts & context != 0) {
        let common = own.chars().zip(keys).take_while(|(own, typed)| own == *typed).count();
        match () {
            () if common == own.chars().count() => return Found::Row(*verb, own, &keys[common..]),
            () if common == keys.len() => found = Found::More,
            () => {}
        }
    }
    found
}
