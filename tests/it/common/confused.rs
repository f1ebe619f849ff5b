//! Random programs that parse but make little sense: names, operands, operators and types of well-formed
//! programs are exchanged. They stress check.

use myriad::compiler::program::{Facts, Tokens, Tree};
use myriad::compiler::stage::{lex, parse};
use myriad::lang::role::Role;
use myriad::lang::token::TokenKind;

use super::rng::Rng;
use super::typed;

const OPERANDS: &[&str] = &[
    "1",
    "true",
    "[]",
    "([])",
    "[1, 2]",
    "[true]",
    "\"ab\"",
    "'a'",
    "missing",
    "[1; 3]",
    "[0; K0]",
    "len([1])",
    "(1 + 2)",
    "-1",
    "!false",
    "[[]]",
    "[1, true]",
    "int(true)",
    "abs(1)",
    "min(1)",
    "nothing(1)",
    "[1; 65]",
    "[1][0]",
    "[1][0..1]",
    "1 / 0",
    "K0",
];
const TYPES: &[&str] =
    &["int", "bool", "[int]", "[bool; 3]", "[int; 64]", "[int; K0]", "[bool; 0]", "[int; 1 + 1]"];
const INFIX: &[&str] = &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||", "+", "+"];
const COMPARE: &[&str] = &["==", "!=", "<", "<=", ">", ">="];
const ASSIGN: &[&str] = &["=", "+=", "-=", "&=", "<<=", "+=", "="];
const STATEMENTS: &[&str] = &[
    "break;",
    "continue;",
    "return 1;",
    "return [];",
    "let x = 1;",
    "let x = [];",
    "{ let x = true; }",
    "x = 1;",
    "K0 = 2;",
    "while true { break; }",
    "while true { }",
    "if true { return 1; } else { return 2; }",
    "for x in x { x = x; }",
];

/// Returns a program made from a well-typed one, determined by the seed.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0xc0f5);
    let rate = 4 + rng.below(30);
    from(&typed::program(seed), rate, &mut rng)
}

/// Replaces about one in `rate` of the replaceable tokens of a text.
pub fn from(text: &str, rate: usize, rng: &mut Rng) -> String {
    let (mut tokens, mut tree, mut facts) = (Tokens::default(), Tree::default(), Facts::default());
    lex::run(text, &mut tokens, &mut facts, &mut lex::LexScratch::default());
    if facts.stopped() {
        return text.into();
    }
    parse::run(&tokens, &mut tree, &mut facts, &mut parse::ParseScratch::default());
    let spelled = |t: usize| &text[tokens.lo[t] as usize..tokens.hi[t] as usize];
    let names: Vec<&str> =
        (0..tokens.kind.len()).filter(|t| tokens.kind[*t] == TokenKind::Name as u32).map(spelled).collect();
    let mut out = String::new();
    let mut at = 0;
    for t in 0..tokens.kind.len() {
        out += &text[at..tokens.lo[t] as usize];
        at = tokens.hi[t] as usize;
        let role = tree.role.get(t).and_then(|role| Role::from_u32(*role)).unwrap_or(Role::None);
        let kind = TokenKind::from_u32(tokens.kind[t]);
        let wrong = rng.one_in(rate);
        let mut pick = |from: &[&str]| from[rng.below(from.len())].to_string();
        let new = match role {
            _ if !wrong => spelled(t).to_string(),
            Role::Int | Role::Bool | Role::Str => pick(OPERANDS),
            Role::Var if tree.slot[t] == 0 && !names.is_empty() => pick(&names),
            Role::Var => pick(OPERANDS),
            Role::Call | Role::Param | Role::LetName | Role::LoopVar | Role::Binder | Role::ConstName
                if kind == Some(TokenKind::Name) =>
            {
                pick(&names)
            }
            Role::FnName => pick(&[&names[..], &["len", "abs"]].concat()),
            Role::TypeInt | Role::TypeBool => pick(TYPES),
            Role::Assign => pick(ASSIGN),
            Role::Unary => pick(&["-", "!", "~"]),
            Role::Binary if kind.is_some_and(|k| COMPARE.contains(&k.spelling().unwrap_or(""))) => {
                pick(COMPARE)
            }
            Role::Binary => pick(INFIX),
            Role::Let | Role::Return | Role::If | Role::While | Role::For => {
                pick(STATEMENTS) + " " + spelled(t)
            }
            _ => spelled(t).to_string(),
        };
        out += &new;
    }
    out + &text[at..]
}
