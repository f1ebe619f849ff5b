//! The second machine: both sides of a rule, as written, become functions that run on extreme values.

use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::{Machine, Start};
use myriad::engine::explain::Value;
use myriad::lang::index::{Index, RoutineId};
use myriad::lang::level::OptLevel;
use myriad::lang::random::Rng;
use myriad::lang::trap::Trap;
use myriad::lang::ty::Type;
use myriad::testing::decide::CallOutcome;
use myriad::testing::rules::{ExpressionRule, UserVerdict};

use crate::common::compile::compile_at;

const EXTREMES: [i32; 15] =
    [0, 1, -1, 2, -2, 3, 7, 8, 31, 32, 65_536, i32::MAX, i32::MIN, i32::MAX - 1, i32::MIN + 1];
/// The maximum number of inputs of a rule.
const INPUTS: u64 = 2_100;
/// The steps after which a run counts as one that does not end.
const FUEL: u32 = 2_000;

/// The ways in which a letter's expression can end: with its value, with a trap, or never.
pub const MODES: u32 = 3;

/// Splits the text of a rule of expressions into its sides and its condition.
pub fn parts(rule: &str) -> (&str, &str) {
    let (left, right) = rule.split_once("=>").expect("a rule");
    let from = right.trim_start().strip_prefix("if ").map_or(0, |_| right.rfind('}').map_or(0, |at| at));
    let end = right[from..].find(" if ").map_or(right.len(), |at| from + at);
    (left.trim(), right[..end].trim())
}

/// Replaces each letter outside of braces by `own`, and blocks by ones that `block` writes.
pub fn replaced(side: &str, own: &dyn Fn(char) -> String, block: &dyn Fn(Option<char>) -> String) -> String {
    let (mut out, mut rest) = (String::new(), side);
    while let Some(first) = rest.chars().next() {
        let inside = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(inside, _)| inside);
        if let Some(inside) = inside.filter(|inside| inside.trim().len() < 2) {
            out += &block(inside.trim().chars().next());
            rest = &rest[inside.len() + 2..];
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len()).max(1);
        out += &if end == 1 && first.is_ascii_alphabetic() { own(first) } else { rest[..end].to_string() };
        rest = &rest[end..];
    }
    out
}

/// A side as it is written, as the function `f`. `own` writes a letter, and `head` what precedes `f`.
pub fn program(
    rule: &ExpressionRule,
    (side, is_block): (&str, bool),
    (head, parameters): (&str, &str),
    own: &dyn Fn(char) -> String,
    level: OptLevel,
) -> Compiled {
    let number = |name: char| rule.blocks.iter().position(|own| *own == name).map_or(0, |place| place + 1);
    let block = |name: Option<char>| match name {
        Some(name) => format!("{{ return {}; }}", number(name)),
        None => "{ }".into(),
    };
    let body = replaced(side, own, &block);
    let texts = match is_block {
        true => vec![format!("{head} fn f({parameters}) -> int {{ {body} return 0; }}")],
        false => {
            ["int", "bool"].map(|ty| format!("{head} fn f({parameters}) -> {ty} {{ return {body}; }}")).to_vec()
        }
    };
    let found = texts.iter().map(|text| compile_at(level, text)).find(|program| program.facts.compiles());
    found.unwrap_or_else(|| panic!("{texts:?}"))
}

/// A machine for the runs of a program.
pub fn machine(program: &Compiled) -> Machine {
    let mut machine = Machine::default();
    machine.translate(&program.executable);
    machine
}

/// Runs the last function of a program. Returns the trap, the value and the steps.
pub fn run(machine: &mut Machine, program: &Compiled, words: &[u32]) -> (Trap, u32, u32) {
    let function = RoutineId::at(program.functions().len() as usize - 1);
    let record = machine.call(&program.executable, Start::call(function, FUEL), words);
    (record.trap, if record.trap == Trap::None { record.value } else { 0 }, record.steps)
}

/// Chooses words for parameters: all combinations if these are few, else random ones.
pub fn inputs(domains: &[Vec<u32>], rng: &mut Rng) -> Vec<Vec<u32>> {
    let all: u64 = domains.iter().map(|domain| domain.len() as u64).product();
    let of = |mut number: u64| -> Vec<u32> {
        let nth = domains.iter().map(|domain| {
            let word = domain[(number % domain.len() as u64) as usize];
            number /= domain.len() as u64;
            word
        });
        nth.collect()
    };
    match all <= INPUTS {
        true => (0..all).map(of).collect(),
        false => (0..INPUTS / 4).map(|_| of(rng.bits() % all)).collect(),
    }
}

pub fn values(ty: Type) -> Vec<u32> {
    if ty == Type::BOOL { vec![0, 1] } else { EXTREMES.iter().map(|value| *value as u32).collect() }
}

/// The values of constants that meet the conditions, as one list of literals for each choice.
pub fn constants(rule: &ExpressionRule, rng: &mut Rng) -> Vec<Vec<Option<u32>>> {
    let mut domain = values(Type::INT);
    domain.extend((0..31).map(|power| 1u32 << power));
    let domains: Vec<Vec<u32>> =
        rule.letters.iter().map(|letter| if letter.is_constant { domain.clone() } else { vec![0] }).collect();
    let choices = inputs(&domains, rng).into_iter().map(|words| {
        let letters = rule.letters.iter().zip(words);
        letters.map(|(letter, word)| letter.is_constant.then_some(word)).collect::<Vec<_>>()
    });
    let mut all: Vec<_> = choices.filter(|choice| rule.allows(&|letter| choice[letter as usize])).collect();
    while all.len() > 6 {
        all.swap_remove(rng.below(all.len()));
    }
    all
}

/// Both sides with letters that trap or never end if their mode says so, for one choice of constants.
pub struct Sides {
    programs: [Compiled; 2],
    types: Vec<Type>,
    /// The letters that are parameters.
    open: Vec<usize>,
}

/// Writes the function of a letter: its value, a trap, or a loop without an end.
pub fn letter_function(name: char, ty: &str) -> String {
    const BODY: &str = "{ if m == 1 { return [v][m]; } if m == 2 { while true { m = 2; } } return v; }";
    format!("fn {name}(v: {ty}, m: int) -> {ty} {BODY} ")
}

impl Sides {
    pub fn new(rule: &ExpressionRule, text: &str, fixed: &[Option<u32>], level: OptLevel) -> Sides {
        let (left, right) = parts(text);
        let open: Vec<usize> = (0..fixed.len()).filter(|letter| fixed[*letter].is_none()).collect();
        let types: Vec<Type> = open.iter().map(|letter| rule.letters[*letter].ty).collect();
        let name = |ty: &Type| if *ty == Type::BOOL { "bool" } else { "int" };
        let (mut head, mut parameters) = (String::new(), Vec::new());
        for (letter, ty) in open.iter().zip(&types) {
            let own = rule.letters[*letter].name;
            head += &letter_function(own, name(ty));
            parameters.push(format!("v{own}: {}, m{own}: int", name(ty)));
        }
        let own = |letter: char| {
            let place = rule.letters.iter().position(|own| own.name == letter).expect("a letter");
            match fixed[place] {
                Some(value) => format!("({})", value as i32),
                None => format!("{letter}(v{letter}, m{letter})"),
            }
        };
        let is_block = left.starts_with("if");
        let programs = [left, right].map(|side| {
            // The exponent of a constant.
            let side = match side.split_once("log2(") {
                Some((before, after)) => {
                    let value = fixed.iter().flatten().find(|value| value.is_power_of_two()).expect("a power");
                    format!(
                        "{before}{}{}",
                        value.trailing_zeros(),
                        after.split_once(')').expect("an argument").1
                    )
                }
                None => side.to_string(),
            };
            program(rule, (&side, is_block), (&head, &parameters.join(", ")), &own, level)
        });
        Sides { programs, types, open }
    }

    /// Returns an input on which the sides differ; letters in `safe` have values.
    pub fn difference(&self, safe: u32, rng: &mut Rng) -> Option<Vec<u32>> {
        let mut domains = Vec::new();
        for (letter, ty) in self.open.iter().zip(&self.types) {
            domains.push(values(*ty));
            domains.push(if safe >> letter & 1 == 1 { vec![0] } else { (0..MODES).collect() });
        }
        let mut machines = self.programs.each_ref().map(machine);
        inputs(&domains, rng).into_iter().find(|words| {
            let [own, new] = [0, 1].map(|side| run(&mut machines[side], &self.programs[side], words));
            (own.0, own.1) != (new.0, new.1)
        })
    }
}

/// Confirms or refutes a verdict by runs. Returns what is wrong.
pub fn refuted(rule: &ExpressionRule, text: &str, verdict: &UserVerdict, rng: &mut Rng) -> Option<String> {
    match verdict {
        UserVerdict::Proved { safe } => {
            for fixed in constants(rule, rng) {
                let sides = Sides::new(rule, text, &fixed, OptLevel::Local);
                for set in safe {
                    if let Some(words) = sides.difference(*set, rng) {
                        return Some(format!("{text}: {fixed:?}, {words:?} with {set:b} safe"));
                    }
                }
            }
            None
        }
        UserVerdict::Differs(found) => {
            let found = found.as_ref().expect("a counterexample");
            let values = format!("{:?}", found.values);
            let words: Vec<u32> = found.values.iter().map(|(_, value)| value_word(value)).collect();
            let fixed: Vec<Option<u32>> = rule
                .letters
                .iter()
                .zip(&words)
                .map(|(letter, word)| letter.is_constant.then_some(*word))
                .collect();
            let sides = Sides::new(rule, text, &fixed, OptLevel::Local);
            let words: Vec<u32> = sides.open.iter().flat_map(|letter| [words[*letter], 0]).collect();
            let outcomes = sides.programs.each_ref().map(|program| run(&mut machine(program), program, &words));
            let said = found.outcomes.each_ref().map(|outcome| match outcome {
                CallOutcome::Value(value) => (Trap::None, value_word(value)),
                CallOutcome::Trap(trap) => (*trap, 0),
            });
            let is_right = outcomes.map(|(trap, value, _)| (trap, value)) == said && said[0] != said[1];
            (!is_right).then(|| format!("{text}: {values} yields {outcomes:?}, not {said:?}"))
        }
        UserVerdict::Unknown(_) | UserVerdict::WindowsDiffer(_) => None,
    }
}

fn value_word(value: &Value) -> u32 {
    match value {
        Value::Int(value) => *value as u32,
        Value::Bool(value) => u32::from(*value),
        value => panic!("{value}"),
    }
}
