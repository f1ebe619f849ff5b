//! Reads a file of rules, one a line: `x * 2 => x << 1`, `x % k == 0 => x & (k - 1) == 0 if k is a power of two`, or a
//! window of bytecode as `myriad improve` writes it. `//` begins a comment.

use std::fmt::Write;
use std::ops::Range;

use super::pattern::{Builtin, LOG2, Operation, Pattern};
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
    pub conditions: Vec<Condition>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letter {
    pub name: char,
    pub ty: Type,
    /// Whether it means only constants.
    pub is_constant: bool,
}

/// A condition on constants.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    PowerOfTwo(u8),
    Holds(Pattern),
}

impl ExpressionRule {
    pub fn types(&self) -> Vec<Type> {
        self.letters.iter().map(|letter| letter.ty).collect()
    }

    /// Returns whether all constants meet the conditions.
    pub fn allows(&self, of: &dyn Fn(u8) -> Option<u32>) -> bool {
        self.conditions.iter().all(|condition| match condition {
            Condition::PowerOfTwo(letter) => of(*letter).is_some_and(is_positive_power),
            Condition::Holds(pattern) => pattern.value(of) == Some(1),
        })
    }
}

/// Returns whether an int is 1, 2, 4 … 2^30.
pub fn is_positive_power(value: u32) -> bool {
    value.is_power_of_two() && value as i32 > 0
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

/// Reads a rule. Its columns are those of the line.
fn read_line(line: &str) -> Result<UserRule, RuleError> {
    let tokens = RuleTokens::of(line)?;
    let error = |at: usize, message: String| Err(tokens.error(at, message));
    if tokens.position(TokenKind::Colon).is_some() {
        let start = line.len() - line.trim_start().len();
        let window = WindowRule::read(line.trim()).map_err(|why| tokens.error(start, why))?;
        return Ok(UserRule::Window(window));
    }
    let arrow = match tokens.position(TokenKind::FatArrow) {
        Some(arrow) => arrow,
        None => return error(line.trim_end().len(), "a rule has the form `left => right`".into()),
    };
    let end = tokens.condition(arrow).unwrap_or(tokens.all.len());
    let [left, right] = [0..arrow, arrow + 1..end];
    if left.is_empty() {
        return error(0, "nothing is on the left of `=>`".into());
    }
    if right.is_empty() {
        return error(
            tokens.all[arrow].end,
            "nothing is on the right of `=>`; a block without statements is `{}`".into(),
        );
    }
    let mut names = Names::default();
    let conditions = tokens.conditions(end, &mut names)?;
    for (place, side) in [left.clone(), right.clone()].into_iter().enumerate() {
        tokens.collect(side, place == 0, &mut names)?;
    }
    let unknown = names.constants.iter().find(|(name, _)| !names.letters.contains(name));
    if let Some((name, at)) = unknown {
        return error(*at, format!("`{name}` is not on the left of `=>`"));
    }
    tokens.typed([left, right], &conditions, &names).map(UserRule::Expression)
}

/// The letters of a rule, in order.
#[derive(Default)]
struct Names {
    letters: Vec<char>,
    blocks: Vec<char>,
    /// The letters that conditions name, with their places.
    constants: Vec<(char, usize)>,
}

/// A condition as it is written.
enum RawCondition {
    Constant,
    PowerOfTwo(char),
    Holds(Range<usize>),
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

    /// Reads the conditions after an `if`, which `and` separates.
    fn conditions(&self, at: usize, names: &mut Names) -> Result<Vec<RawCondition>, RuleError> {
        let (mut all, mut from) = (Vec::new(), at + 1);
        while from <= self.all.len() && at < self.all.len() {
            let is_end = |token: &usize| *token == self.all.len() || self.text(*token) == "and";
            let to = (from..=self.all.len()).find(is_end).unwrap_or(self.all.len());
            let words: Vec<&str> = (from..to).map(|token| self.text(token)).collect();
            let letter = words.first().and_then(|word| letter_of(word));
            let place = self.all.get(from).map_or(self.line.trim_end().len(), |bytes| bytes.start);
            match (letter, words.get(1..).unwrap_or(&[])) {
                (Some(name), ["is", "a", "power", "of", "two"]) => all.push(RawCondition::PowerOfTwo(name)),
                (Some(_), ["is", "a", "constant"]) => all.push(RawCondition::Constant),
                (_, rest) if rest.is_empty() || rest.contains(&"is") => {
                    let known = "`k is a constant`, `k is a power of two`, or a comparison of constants, such as `k > 0`";
                    return Err(self.error(place, format!("a condition is {known}")));
                }
                _ => all.push(RawCondition::Holds(from..to)),
            }
            let own =
                if matches!(all.last(), Some(RawCondition::Holds(_))) { from..to } else { from..from + 1 };
            for token in own {
                match (self.kind(token), letter_of(self.text(token))) {
                    (TokenKind::Name, Some(name)) => names.constants.push((name, self.all[token].start)),
                    _ => self.check(token)?,
                }
            }
            from = to + 1;
        }
        Ok(all)
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
            if other.contains(&name)
                || is_block && names.constants.iter().any(|(constant, _)| *constant == name)
            {
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
        raw: &[RawCondition],
        names: &Names,
    ) -> Result<ExpressionRule, RuleError> {
        let is_constant = |name: char| names.constants.iter().any(|(constant, _)| *constant == name);
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
                let generated = self.generated(&sides, raw, (names, &types, *result, is_statement));
                let errors = generated.program.facts.errors + u32::from(generated.program.facts.stopped());
                if errors == 0 {
                    return self.rule(generated, raw, names, &types, &is_constant);
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
        raw: &[RawCondition],
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
        for condition in raw {
            if let RawCondition::Holds(range) = condition {
                let _ = write!(text, "fn f{}({parameters}) -> bool {{ return ", range.start);
                tokens(&mut text, range.clone());
                text.push_str("; }\n");
            }
        }
        let _ = writeln!(text, "fn {LOG2}(x: int) -> int {{ return x; }}");
        Generated { program: compile(&text), places }
    }

    /// Reads the functions of a generated program as a rule.
    fn rule(
        &self,
        generated: Generated,
        raw: &[RawCondition],
        names: &Names,
        types: &[Type],
        is_constant: &dyn Fn(char) -> bool,
    ) -> Result<ExpressionRule, RuleError> {
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
        let mut holds = (2..).map_while(body);
        let conditions = raw.iter().filter_map(|condition| match condition {
            RawCondition::Constant => None,
            RawCondition::PowerOfTwo(name) => number(*name).map(Condition::PowerOfTwo),
            RawCondition::Holds(_) => holds.next().map(Condition::Holds),
        });
        let conditions: Vec<Condition> = conditions.collect();
        let powers: Vec<u8> = conditions
            .iter()
            .filter_map(|c| if let Condition::PowerOfTwo(k) = c { Some(*k) } else { None })
            .collect();
        if powers.iter().any(|power| *power != powers[0]) {
            return Err(refuse("at most one letter is a power of two"));
        }
        let mut logs = true;
        for (side, is_left) in [(&left, true), (&right, false)] {
            side.each(&mut |part| {
                if let Pattern::Apply(Operation::Call(Builtin::Log2), parts) = part {
                    logs &= !is_left && matches!(parts[..], [Pattern::Letter(k)] if powers.contains(&k));
                }
            });
        }
        if !logs {
            return Err(refuse("`log2(k)` is for the right side, with the condition `if k is a power of two`"));
        }
        let letters = names.letters.iter().zip(types);
        let letters = letters
            .map(|(name, ty)| Letter { name: *name, ty: *ty, is_constant: is_constant(*name) })
            .collect();
        let blocks = names.blocks.clone();
        Ok(ExpressionRule { letters, blocks, sides: [left, right], conditions })
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
