//! Finds programs that equal a base except in some functions, by comparing bytes.
//!
//! The text between the functions and their headers must be equal to the byte. The function ends found here are only
//! guesses. The stage that compiles a function alone (`stage::splice`) checks them, so a wrong guess costs only time.

use std::collections::HashMap;
use std::ops::Range;

use crate::compiler::program::{Compiled, Facts, Routine, Tokens};
use crate::compiler::stage::lex;
use crate::lang::index::{Index, RoutineId};
use crate::lang::role::Role;
use crate::lang::token::TokenKind;

/// The text of a program with the byte ranges of its functions.
pub struct Outline {
    text: String,
    places: Vec<NearPlace>,
    numbers: HashMap<String, RoutineId>,
    /// The functions that tests and properties call, in ascending order.
    used: Vec<RoutineId>,
}

struct NearPlace {
    /// From `fn` to after the closing brace.
    whole: Range<usize>,
    /// The index after the block's opening brace.
    header: usize,
}

/// The program that a line requests.
pub struct AssembledProgram {
    pub text: String,
    /// The functions that differ from the base, and their byte ranges in the text. `None` if the program is not near.
    pub changes: Option<Vec<(RoutineId, Range<usize>)>>,
    /// The functions of the base that the text of a line replaces, in ascending order.
    pub replaced: Vec<RoutineId>,
    /// Whether the text of a line has tests or properties.
    pub brings_tests: bool,
}

/// The buffers that a thread needs to lex functions.
#[derive(Default)]
pub struct LineLexer {
    tokens: Tokens,
    scratch: lex::LexScratch,
}

/// Returns a text with `behind` appended on the following lines.
pub fn joined(text: &str, behind: &str) -> String {
    match behind {
        "" => text.into(),
        behind => [text, if text.is_empty() || text.ends_with('\n') { "" } else { "\n" }, behind].concat(),
    }
}

impl AssembledProgram {
    pub fn new(text: String) -> AssembledProgram {
        AssembledProgram { text, changes: None, replaced: Vec::new(), brings_tests: false }
    }

    /// Checks whether the program is near to a base.
    pub fn compare(&mut self, base: &Outline) {
        self.changes = base.changes(&self.text);
    }

    pub fn is_near(&self) -> bool {
        self.changes.is_some()
    }
}

impl Outline {
    /// Returns the outline of a program without errors.
    pub fn new(program: &Compiled) -> Outline {
        let view = program.view();
        let place = |routine: Routine| {
            let whole = view.span(view.extent(routine.head())).unwrap_or_default();
            let brace = view.extent(routine.head()).iter().find(|t| view.kind(*t) == TokenKind::LeftBrace);
            let header = brace.and_then(|t| view.span(t)).map_or(whole.end, |span| span.end);
            NearPlace { whole, header }
        };
        let functions = program.facts.functions;
        let places = program.executable.routines().take(functions as usize).map(place).collect();
        let numbers = program.functions().iter().map(|f| (program.function_name(f).to_string(), f)).collect();
        let entries = program.entries().iter().filter_map(|entry| program.entry(entry));
        let tokens = entries.flat_map(|entry| view.extent(entry.head()).iter());
        let calls = tokens.filter(|t| view.is(*t, Role::Call));
        let mut used: Vec<RoutineId> =
            calls.filter_map(|call| Some(program.program().callee(call)?.id)).collect();
        used.sort_unstable();
        used.dedup();
        Outline { text: program.text.to_string(), places, numbers, used }
    }

    /// Returns the functions that tests and properties call, in order.
    pub fn used(&self) -> &[RoutineId] {
        &self.used
    }

    /// Returns the byte at which a function begins.
    pub fn start(&self, function: RoutineId) -> usize {
        self.places.get(function.position()).map_or(0, |place| place.whole.start)
    }

    pub fn name(&self, function: RoutineId) -> &str {
        self.numbers.iter().find(|(_, number)| **number == function).map_or("", |(name, _)| name)
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn function(&self, name: &str) -> Option<RoutineId> {
        self.numbers.get(name).copied()
    }

    /// Returns the names of the functions, in order.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<(&str, RoutineId)> =
            self.numbers.iter().map(|(name, number)| (name.as_str(), *number)).collect();
        names.sort_by_key(|(_, number)| *number);
        names.into_iter().map(|(name, _)| name).collect()
    }

    fn bytes(&self, range: Range<usize>) -> &[u8] {
        self.text.as_bytes().get(range).unwrap_or_default()
    }

    /// Returns the functions in which a program may differ from this one, or `None` if anything else differs.
    fn changes(&self, text: &str) -> Option<Vec<(RoutineId, Range<usize>)>> {
        let bytes = text.as_bytes();
        let (mut changes, mut at, mut known) = (Vec::new(), 0, 0);
        for (function, NearPlace { whole, header }) in (0..).map(RoutineId::new).zip(&self.places) {
            let before = self.bytes(known..whole.start);
            let start = at + before.len();
            let rest = bytes.get(at..)?.strip_prefix(before)?;
            at = start + whole.len();
            if !rest.starts_with(self.bytes(whole.clone())) {
                let begin = self.bytes(whole.start..*header);
                let own = rest.strip_prefix(begin)?;
                at = start + begin.len() + block(own)?;
                changes.push((function, start..at));
            }
            known = whole.end;
        }
        (bytes.get(at..)? == self.bytes(known..self.text.len())).then_some(changes)
    }

    /// Combines a text of functions with this program. The text comes first, so that its lines and columns stay valid.
    /// The rest is this program without the functions of the same names.
    pub fn with(&self, text: &str, LineLexer { tokens, scratch }: &mut LineLexer) -> AssembledProgram {
        let mut facts = Facts::default();
        lex::run(text, tokens, &mut facts, scratch);
        let tokens = &*tokens;
        let word = |t: usize| text.get(tokens.lo[t] as usize..tokens.hi[t] as usize).unwrap_or("");
        let is = |t: usize, kind: TokenKind| tokens.kind.get(t) == Some(&(kind as u32));
        let heads = (0..tokens.kind.len()).filter(|t| is(*t, TokenKind::Fn) && is(t + 1, TokenKind::Name));
        let named: Vec<(usize, Option<RoutineId>)> =
            heads.map(|t| (t, self.numbers.get(word(t + 1)).copied())).collect();
        let mut taken: Vec<RoutineId> = named.iter().filter_map(|(_, function)| *function).collect();
        taken.sort_unstable();
        taken.dedup();
        let brings_tests = (0..tokens.kind.len()).any(|t| is(t, TokenKind::Test) || is(t, TokenKind::Prop));
        let mut whole = joined(text, "\n");
        let mut known = 0;
        for place in taken.iter().filter_map(|function| self.places.get(function.position())) {
            whole.push_str(self.text.get(known..place.whole.start).unwrap_or(""));
            known = place.whole.end;
        }
        whole.push_str(self.text.get(known..).unwrap_or(""));
        // The program is near only if the text consists of functions of the base, each once.
        let mut changes = Vec::with_capacity(named.len());
        let mut next = 0;
        for (head, function) in &named {
            let end = (*head..tokens.kind.len())
                .scan(0i32, |depth, t| {
                    *depth += i32::from(is(t, TokenKind::LeftBrace)) - i32::from(is(t, TokenKind::RightBrace));
                    Some((t, *depth))
                })
                .find(|(t, depth)| is(*t, TokenKind::RightBrace) && *depth == 0);
            let (Some(function), Some((end, _)), true) = (function, end, *head == next) else {
                return AssembledProgram { replaced: taken, brings_tests, ..AssembledProgram::new(whole) };
            };
            changes.push((*function, tokens.lo[*head] as usize..tokens.hi[end] as usize));
            next = end + 1;
        }
        let near = !facts.stopped() && next == tokens.kind.len() && changes.len() == taken.len();
        AssembledProgram { text: whole, changes: near.then_some(changes), replaced: taken, brings_tests }
    }
}

/// Returns the length in bytes of a block, from after its opening brace to after its closing brace.
fn block(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0, 1);
    while depth > 0 {
        match bytes.get(at)? {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += bytes[at..].iter().position(|byte| *byte == b'\n')?;
            }
            quote @ (b'"' | b'\'') => {
                at += 1;
                while !lex::ends_line(bytes, at) && bytes[at] != *quote {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
            }
            _ => {}
        }
        at += 1;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::stage::compile;

    const BASE: &str = "const A = 2;\nfn f(x: int) -> int { return x; } // f\nfn g() -> int {\n  return f(1);\n}\n\
                        test g() == 1;\n";

    fn outline() -> Outline {
        Outline::new(&compile(BASE))
    }

    fn changed(text: &str) -> Option<Vec<(RoutineId, String)>> {
        let of = |(function, range): (RoutineId, Range<usize>)| (function, text[range].to_string());
        Some(outline().changes(text)?.into_iter().map(of).collect())
    }

    #[test]
    fn programs_that_differ_only_in_functions_are_matched() {
        assert_eq!(changed(BASE), Some(vec![]));
        let body = "{ if x == 1 { return '}'; } // }\n return \"\\\"}\"[0]; }";
        let other = BASE.replace("{ return x; }", body);
        assert_eq!(changed(&other), Some(vec![(RoutineId::new(0), format!("fn f(x: int) -> int {body}"))]));
        let both = other.replace("f(1)", "2");
        assert_eq!(changed(&both).map(|changes| changes.len()), Some(2));
        for (from, to) in [("A = 2", "A = 3"), ("x: int", "y: int"), ("== 1", "== 2"), ("}\ntest", "}}\ntest")]
        {
            assert_eq!(changed(&BASE.replacen(from, to, 1)), None, "{to}");
        }
        for text in ["", "const A = 2;\nfn f(x: int) -> int {", "const A = 2;\nfn f(x: int) -> int { \"\\"] {
            assert_eq!(changed(text), None, "{text}");
        }
    }

    #[test]
    fn functions_replace_base_functions_of_the_same_name() {
        let (base, reader) = (outline(), &mut LineLexer::default());
        let whole = base.with("fn g() -> int { return 3; }", reader);
        assert!(
            whole.text.starts_with("fn g() -> int { return 3; }\nconst")
                || whole.text.starts_with("fn g() -> int { return 3; }\n\nconst")
        );
        assert!(!whole.text.contains("return f(1)") && whole.text.contains("return x;"));
        assert_eq!(whole.changes, Some(vec![(RoutineId::new(1), 0..27)]));
        for far in [
            "fn h() -> int { return 3; }",
            "fn g() -> int { return 3; } fn g() -> int { return 3; }",
            "test 1 == 1;",
            "fn g() {",
            "}",
        ] {
            assert_eq!(base.with(far, reader).changes, None, "{far}");
        }
        assert!(base.with("fn h() -> int { return 3; }", reader).text.contains("return f(1)"));
    }
}
