//! Reads a file of rules, one a line: `x * 2 => x << 1`, `x % k == 0 => x & (k - 1) == 0 if k is a power of two`, or a
//! window of bytecode as `myriad improve` writes it. `//` begins a comment.

use std::fmt::Write;
use std::ops::Range;

use super::pattern::{Builtin, LOG2, Pattern};
use crate::compiler::program::Compiled;
use crate::compiler::stage::optimize::learned::rule::Rule as WindowRule;
use crate::compiler::stage::{Compiler, compile};
use crate::lang::index::TokenId;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;
use crate::report::diagnostics::diagnostics;

/// The maximum numbers of tokens of a rule, of its letters for expressions, and of those for blocks.
const TOKENS: usize = 96;
pub const LETTERS: usize = 6;
const BLOCKS: usize = 4;
/// The maximum number of rules of a file.
pub const MOST: usize = 256;

/// The beginning of a line with a rule in a program.
pub const IN_PROGRAMS: &str = "//=";

/// A line of a file that has a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleLine {
    /// From 1.
    pub number: u32,
    /// The rule without spaces around it and without a comment.
    pub text: String,
    pub rule: Result<UserRule, RuleError>,
}

/// Why a line is not a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// From 1, in characters.
    pub column: u32,
    /// A sentence without a period.
    pub message: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum UserRule {
    Expression(ExpressionRule),
    /// Replaces a window of bytecode, as rules of level 3 do.
    Window(WindowRule),
}

/// A rule that replaces an expression, or an `if`.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionRule {
    /// The letters of expressions, by number.
    pub letters: Vec<Letter>,
    /// The letters of blocks, by number.
    pub blocks: Vec<char>,
    pub sides: [Pattern; 2],
    /// What holds for the constants. `log2` of a letter makes it a power of two.
    pub condition: Option<Pattern>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letter {
    pub name: char,
    pub ty: Type,
    /// Whether it means only constants.
    pub is_constant: bool,
}

impl ExpressionRule {
    pub fn types(&self) -> Vec<Type> {
        self.letters.iter().map(|letter| letter.ty).collect()
    }

    /// Returns whether the constants meet the condition.
    pub fn allows(&self, of: &dyn Fn(u8) -> Option<u32>) -> bool {
        self.condition.as_ref().is_none_or(|condition| condition.value(of) == Some(1))
    }

    /// Returns the letter that is a power of two.
    pub fn power(&self) -> Option<u8> {
        self.condition.as_ref().and_then(|condition| condition.logarithms().into_iter().flatten().next())
    }
}

/// Reads all rules of a file, up to [`MOST`]. Those of a program are its lines that begin with [`IN_PROGRAMS`].
pub fn read(text: &str, is_program: bool) -> Vec<RuleLine> {
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        // Spaces in the place of what precedes a rule keep its columns.
        let blank = line.find(IN_PROGRAMS).filter(|at| is_program && line[..*at].trim().is_empty());
        let line = match blank {
            Some(at) => " ".repeat(at + IN_PROGRAMS.len()) + &line[at + IN_PROGRAMS.len()..],
            None if is_program => continue,
            None => line.to_string(),
        };
        let own = line.split_once("//").map_or(line.as_str(), |(own, _)| own);
        if own.trim().is_empty() {
            continue;
        }
        let too_many = RuleError { column: 1, message: format!("a file has at most {MOST} rules") };
        let rule = if lines.len() < MOST { read_line(own) } else { Err(too_many) };
        let stops = lines.len() >= MOST;
        lines.push(RuleLine { number, text: own.trim().into(), rule });
        if stops {
            break;
        }
    }
    lines
}

/// Returns the rules of a file as lines of a program.
pub fn as_program(text: &str) -> String {
    text.lines().map(|line| format!("{IN_PROGRAMS} {line}\n")).collect()
}

/// Reads a rule. Its columns are those of the line.
fn read_line(line: &str) -> Result<UserRule, RuleError> {
    // Windows of bytecode have signs that are not tokens of the language.
    if line.contains(':') {
        let column = (line.chars().count() - line.trim_start().chars().count()) as u32 + 1;
        let window = WindowRule::read(line.trim()).map_err(|message| RuleError { column, message })?;
        return Ok(UserRule::Window(window));
    }
    let tokens = RuleTokens::of(line)?;
    let error = |at: usize, message: String| Err(tokens.error(at, message));
    let arrow = match tokens.position(TokenKind::FatArrow) {
        Some(arrow) => arrow,
        None => return error(line.trim_end().len(), "a rule has the form `left => right`".into()),
    };
    let end = tokens.condition(arrow).unwrap_or(tokens.all.len());
    let [left, right] = [0..arrow, arrow + 1..end];
    if left.is_empty() || right.is_empty() {
        let message = "a side of `=>` is empty; a block without statements is `{}`";
        return error(tokens.all[arrow].start, message.into());
    }
    let condition = tokens.condition_text(end)?;
    let condition = RuleTokens::of(&condition)?;
    let mut names = Names::default();
    for token in 0..condition.all.len() {
        match letter_of(condition.text(token)) {
            Some(name) => names.constants.push(name),
            None => condition.check(token).map_err(|error| tokens.error(tokens.start(end), error.message))?,
        }
    }
    for (side, is_left) in [(left.clone(), true), (right.clone(), false)] {
        tokens.collect(side, is_left, &mut names)?;
    }
    if let Some(name) = names.constants.iter().find(|name| !names.letters.contains(name)) {
        return error(tokens.start(end), format!("`{name}` is not on the left of `=>`"));
    }
    tokens.typed([left, right], (&condition, end), &names).map(UserRule::Expression)
}

/// The letters of a rule, in order.
#[derive(Default)]
struct Names {
    letters: Vec<char>,
    blocks: Vec<char>,
    /// The letters that the condition names.
    constants: Vec<char>,
}

/// The tokens of a line, each with its bytes.
struct RuleTokens<'a> {
    line: &'a str,
    kinds: Vec<TokenKind>,
    all: Vec<Range<usize>>,
}

impl RuleTokens<'_> {
    fn of(line: &str) -> Result<RuleTokens<'_>, RuleError> {
        let mut compiler = Compiler::default();
        compiler.compile(line);
        let tokens = &compiler.tokens;
        let bytes = tokens.lo.iter().zip(&tokens.hi).map(|(lo, hi)| *lo as usize..*hi as usize);
        let kinds = tokens.kind.iter().map(|kind| TokenKind::from_u32(*kind).unwrap_or(TokenKind::Error));
        let own = RuleTokens { line, kinds: kinds.collect(), all: bytes.collect() };
        if own.all.len() > TOKENS {
            return Err(own.error(own.all[TOKENS].start, format!("a rule has at most {TOKENS} tokens")));
        }
        if let Some(at) = own.kinds.iter().position(|kind| *kind == TokenKind::Error) {
            return Err(
                own.error(own.all[at].start, format!("`{}` is not a token of the language", own.text(at)))
            );
        }
        Ok(own)
    }

    fn error(&self, byte: usize, message: String) -> RuleError {
        let before = self.line.get(..byte).unwrap_or(self.line);
        RuleError { column: before.chars().count() as u32 + 1, message }
    }

    fn text(&self, token: usize) -> &str {
        self.all.get(token).and_then(|bytes| self.line.get(bytes.clone())).unwrap_or("")
    }

    fn kind(&self, token: usize) -> TokenKind {
        self.kinds.get(token).copied().unwrap_or(TokenKind::Error)
    }

    fn position(&self, kind: TokenKind) -> Option<usize> {
        self.kinds.iter().position(|own| *own == kind)
    }

    /// The `if` of the condition after the right side: outside of braces, and neither its first token nor after `else`.
    fn condition(&self, arrow: usize) -> Option<usize> {
        let mut open = 0;
        (arrow + 1..self.all.len()).find(|token| {
            open += i32::from(self.kind(*token) == TokenKind::LeftBrace);
            open -= i32::from(self.kind(*token) == TokenKind::RightBrace);
            let begins = *token == arrow + 1 || self.kind(token - 1) == TokenKind::Else;
            open == 0 && !begins && self.kind(*token) == TokenKind::If
        })
    }

    /// The first byte of a token, or the end of the line.
    fn start(&self, token: usize) -> usize {
        self.all.get(token).map_or(self.line.trim_end().len(), |bytes| bytes.start)
    }

    /// Writes the condition after the `if` at a token in the language; empty without one.
    fn condition_text(&self, at: usize) -> Result<String, RuleError> {
        let words: Vec<&str> = (at + 1..self.all.len()).map(|token| self.text(token)).collect();
        if at >= self.all.len() {
            return Ok(String::new());
        }
        let (mut text, mut rest) = (String::from("("), &words[..]);
        while let [word, after @ ..] = rest {
            rest = after;
            if let ["is", "a", "power", "of", "two", others @ ..] = rest {
                (text, rest) = (format!("{text} {LOG2}({word}) >= 0"), others);
            } else if let ["is", "a", "constant", others @ ..] = rest {
                (text, rest) = (format!("{text} {word} == {word}"), others);
            } else {
                text += &if *word == "and" { " ) && (".into() } else { format!(" {word}") };
            }
        }
        if words.is_empty() || text.contains(" is ") {
            let known =
                "`k is a constant`, `k is a power of two`, or a comparison of constants, such as `k > 0`";
            return Err(self.error(self.start(at), format!("a condition is {known}")));
        }
        Ok(text + " )")
    }

    /// Adds the letters of a side.
    fn collect(&self, side: Range<usize>, is_left: bool, names: &mut Names) -> Result<(), RuleError> {
        for token in side {
            let at = self.all[token].start;
            let Some(name) = letter_of(self.text(token)).filter(|_| self.kind(token) == TokenKind::Name) else {
                self.check(token)?;
                continue;
            };
            let is_block = self.is_block(token);
            let (own, other, most) = match is_block {
                true => (&mut names.blocks, &names.letters, BLOCKS),
                false => (&mut names.letters, &names.blocks, LETTERS),
            };
            if other.contains(&name) || is_block && names.constants.contains(&name) {
                return Err(self.error(at, format!("`{name}` means both a block and an expression")));
            }
            if own.contains(&name) {
                continue;
            }
            if !is_left {
                return Err(self.error(at, format!("`{name}` is not on the left of `=>`")));
            }
            if own.len() == most {
                return Err(self.error(
                    at,
                    format!("a rule has at most {LETTERS} letters for expressions, {BLOCKS} for blocks"),
                ));
            }
            own.push(name);
        }
        Ok(())
    }

    /// Returns whether a token is the letter of a block: `{ p }`.
    fn is_block(&self, token: usize) -> bool {
        let before = token.checked_sub(1).map(|before| self.kind(before));
        before == Some(TokenKind::LeftBrace) && self.kind(token + 1) == TokenKind::RightBrace
    }

    /// Refuses what rules cannot have.
    fn check(&self, token: usize) -> Result<(), RuleError> {
        use TokenKind::*;
        let (kind, text) = (self.kind(token), self.text(token));
        let fits = match kind {
            Int | Char | True | False | If | Else | LeftParen | RightParen | LeftBrace | RightBrace | Comma => {
                true
            }
            Name | IntType => Builtin::named(text).is_some() && self.kind(token + 1) == LeftParen,
            kind => kind.infix_strength() > 0 || kind.is_prefix(),
        };
        let message = match kind {
            Name => format!("`{text}` is not a letter: `x` means any expression, `{{ p }}` any block"),
            _ => format!(
                "`{text}` cannot be in a rule, which has operators, literals, `abs`, `min`, `max`, `int`, `if` and blocks"
            ),
        };
        if fits { Ok(()) } else { Err(self.error(self.all[token].start, message)) }
    }

    /// Finds the types of all letters: ints, unless the rule forces bools. Then reads the sides as trees.
    fn typed(
        &self,
        sides: [Range<usize>; 2],
        condition: (&RuleTokens, usize),
        names: &Names,
    ) -> Result<ExpressionRule, RuleError> {
        let is_constant = |name: char| names.constants.contains(&name);
        let count = names.letters.len();
        let mut masks: Vec<u32> = (0..1 << count).collect();
        masks.retain(|mask| (0..count).all(|i| mask >> i & 1 == 0 || !is_constant(names.letters[i])));
        masks.sort_by_key(|mask| (mask.count_ones(), *mask));
        let is_statement = self.kind(sides[0].start) == TokenKind::If;
        let results: &[Type] = if is_statement { &[Type::INT] } else { &[Type::INT, Type::BOOL] };
        let mut best: Option<(u32, Generated)> = None;
        for mask in masks {
            let types: Vec<Type> =
                (0..count).map(|i| if mask >> i & 1 == 1 { Type::BOOL } else { Type::INT }).collect();
            for result in results {
                let generated = self.generated(&sides, condition, (names, &types, *result, is_statement));
                let errors = generated.program.facts.errors + u32::from(generated.program.facts.stopped());
                if errors == 0 {
                    return self.rule(generated, names, &types);
                }
                if best.as_ref().is_none_or(|(least, _)| errors < *least) {
                    best = Some((errors, generated));
                }
            }
        }
        let found = best.and_then(|(_, generated)| {
            let first = diagnostics(&generated.program).into_iter().next()?;
            let place = generated.places.iter().rev().find(|(own, _)| *own <= first.span.start);
            Some(self.error(place.map_or(0, |(_, place)| *place), first.message.replace("`;`", "the end")))
        });
        Err(found.unwrap_or_else(|| self.error(0, "this is not a rule".into())))
    }

    /// Writes both sides and the conditions as functions of one program, and compiles it.
    fn generated(
        &self,
        sides: &[Range<usize>; 2],
        (condition, end): (&RuleTokens, usize),
        (names, types, result, is_statement): (&Names, &[Type], Type, bool),
    ) -> Generated {
        let (mut text, mut places) = (String::new(), Vec::new());
        let parameters = parameters(names.letters.iter().copied().zip(types.iter().copied()));
        let mut tokens = |text: &mut String, range: Range<usize>| {
            for token in range {
                places.push((text.len(), self.all[token].start));
                let block = names.blocks.iter().position(|name| self.text(token).chars().eq([*name]));
                match block.filter(|_| self.is_block(token)) {
                    Some(block) => text.push_str(&format!("return {};", block + 1)),
                    None => text.push_str(self.text(token)),
                }
                if self.kind(token) == TokenKind::LeftBrace && self.kind(token + 1) == TokenKind::RightBrace {
                    text.push_str("return 0;");
                }
                text.push(' ');
            }
        };
        for side in sides {
            // Writing to a string does not fail.
            let _ = write!(text, "fn f{}({parameters}) -> {} {{ ", side.start, name_of(result));
            text.push_str(if is_statement { "" } else { "return " });
            tokens(&mut text, side.clone());
            text.push_str(if is_statement { "return 0; }\n" } else { "; }\n" });
        }
        if !condition.all.is_empty() {
            places.push((text.len(), self.start(end)));
            let _ = writeln!(text, "fn f{end}({parameters}) -> bool {{ return {}; }}", condition.line);
        }
        let _ = writeln!(text, "fn {LOG2}(x: int) -> int {{ return x; }}");
        Generated { program: compile(&text), places }
    }

    /// Reads the functions of a generated program as a rule.
    fn rule(&self, generated: Generated, names: &Names, types: &[Type]) -> Result<ExpressionRule, RuleError> {
        let view = generated.program.view();
        let children = view.children();
        let number = |name: char| names.letters.iter().position(|own| *own == name).map(|place| place as u8);
        let letter = |text: &str| number(letter_of(text)?);
        let heads: Vec<TokenId> = view.nodes().filter(|node| view.is(*node, Role::Fn)).collect();
        let body = |function: usize| {
            let statements: Vec<TokenId> = children.of(children.at(*heads.get(function)?, 2)?).collect();
            match statements[..] {
                [own] if view.is(own, Role::Return) => {
                    Pattern::of(view, &children, children.at(own, 0)?, &letter)
                }
                // The second one returns 0.
                [own, _] => Pattern::of(view, &children, own, &letter),
                _ => None,
            }
        };
        let refuse = |message: &str| self.error(0, message.into());
        let (Some(left), Some(right)) = (body(0), body(1)) else {
            return Err(refuse("a rule has expressions, or an `if` with blocks"));
        };
        if !matches!(left, Pattern::Apply(..) | Pattern::If(_)) {
            return Err(refuse("the left side must have an operator, or be an `if`"));
        }
        if left.is_statement() != right.is_statement() {
            return Err(refuse("both sides must be expressions, or both statements: a block is `{ p }`"));
        }
        let condition = if names.constants.is_empty() { None } else { body(2) };
        let powers: Vec<Option<u8>> = condition.iter().flat_map(Pattern::logarithms).collect();
        if powers.iter().any(|power| *power != powers[0]) {
            return Err(refuse("at most one letter is a power of two"));
        }
        let uses = right.logarithms();
        if !left.logarithms().is_empty() || uses.iter().any(|of| of.is_none() || !powers.contains(of)) {
            return Err(refuse("`log2(k)` is for the right side, with the condition `if k is a power of two`"));
        }
        let letters = names.letters.iter().zip(types).map(|(name, ty)| {
            let is_constant = names.constants.contains(name);
            Letter { name: *name, ty: *ty, is_constant }
        });
        let (letters, blocks) = (letters.collect(), names.blocks.clone());
        Ok(ExpressionRule { letters, blocks, sides: [left, right], condition })
    }
}

/// A program with the parts of a rule. `places` maps its bytes to those of the line.
struct Generated {
    program: Compiled,
    places: Vec<(usize, usize)>,
}

pub fn name_of(ty: Type) -> &'static str {
    if ty == Type::BOOL { "bool" } else { "int" }
}

/// Writes the parameters of a function.
pub fn parameters(letters: impl Iterator<Item = (char, Type)>) -> String {
    letters.map(|(name, ty)| format!("{name}: {}", name_of(ty))).collect::<Vec<_>>().join(", ")
}

/// Returns the letter that a word is.
fn letter_of(word: &str) -> Option<char> {
    let mut all = word.chars();
    all.next().filter(|c| c.is_ascii_alphabetic() && all.next().is_none())
}
