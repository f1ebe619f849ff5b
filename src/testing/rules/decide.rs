//! Decides a rule: both sides become functions of the letters, and the prover compares them.

use rayon::prelude::*;

use super::read::{ExpressionRule, Letter, RuleLine, UserRule, name_of, parameters};
use super::smallest::smallest;
use super::trace::{side_conditions, ways};
use super::windows::WindowCounterexample;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::compile;
use crate::compiler::stage::execute::{Machine, Start};
use crate::engine::explain::Value;
use crate::lang::index::{Index, RoutineId};
use crate::lang::ty::Type;
use crate::testing::decide::CallOutcome;
use crate::testing::prove::{self, ProofEffort, ProveVerdict, Question, RuleVerdict};

/// The work for one pair of functions. It does not depend on time.
const EFFORT: ProofEffort =
    ProofEffort { search: 1 << 17, exhaustion: 1 << 22, solver: 4 << 20, plan: 3 << 20, nodes: 1 << 20 };
/// The steps of a run of a side.
const FUEL: u32 = 1 << 12;

#[derive(Clone, Debug, PartialEq)]
pub enum UserVerdict {
    /// Both sides do the same for all values.
    Proved {
        /// Sets of letters, as bits. The rule fires where all letters of one set cannot trap, and end.
        safe: Vec<u32>,
    },
    Differs(Option<Counterexample>),
    /// Of a rule of bytecode.
    WindowsDiffer(WindowCounterexample),
    /// Why neither was found, as a clause.
    Unknown(String),
}

/// Values of the letters for which the sides differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    pub values: Vec<(char, Value)>,
    /// The outcomes of the left and the right side. Of blocks the value is 1 + the number of the one that runs, or 0.
    pub outcomes: [CallOutcome; 2],
}

/// Decides all rules of a file on all threads. A line that is not a rule has no verdict. Returns `None` if the work was
/// cancelled.
pub fn decide_all(lines: &[RuleLine], watch: &(dyn Watch + Sync)) -> Option<Vec<Option<UserVerdict>>> {
    let verdict = |line: &RuleLine| match &line.rule {
        Ok(rule) => decide(rule, watch).map(Some),
        Err(_) => Some(None),
    };
    lines.par_iter().map(verdict).collect()
}

/// Decides a rule. Returns `None` if the work was cancelled.
pub fn decide(rule: &UserRule, watch: &dyn Watch) -> Option<UserVerdict> {
    let rule = match rule {
        UserRule::Expression(rule) => rule,
        UserRule::Window(window) => {
            return Some(match prove::refute(window, watch)? {
                (RuleVerdict::Proved, _) => UserVerdict::Proved { safe: vec![0] },
                (RuleVerdict::Differs, values) => {
                    let found = values.and_then(|values| WindowCounterexample::new(window, values));
                    found.map_or(UserVerdict::Differs(None), UserVerdict::WindowsDiffer)
                }
                (RuleVerdict::Unknown, _) => UserVerdict::Unknown("the solver spent its work".into()),
            });
        }
    };
    // A constant that is a power of two has few values.
    let power = rule.power();
    let values: Vec<Option<u32>> = match power {
        Some(_) => (0..31).map(|power| Some(1 << power)).collect(),
        None => vec![None],
    };
    for value in values {
        match Pair::new(rule, &|letter| value.filter(|_| Some(letter) == power))?.decide(watch)? {
            UserVerdict::Proved { .. } => {}
            verdict => return Some(verdict),
        }
    }
    Some(match ways(rule) {
        Some(ways) => UserVerdict::Proved { safe: side_conditions(rule, &ways) },
        None => UserVerdict::Unknown("it has too many conditions".into()),
    })
}

/// Both sides as functions, with some constants in the place of letters.
struct Pair<'a> {
    rule: &'a ExpressionRule,
    /// The letters that are parameters, and the values of all others.
    open: Vec<Letter>,
    fixed: Vec<Option<u32>>,
    sides: [Compiled; 2],
}

/// Writes a side as a function `f`. Where a condition does not hold, it returns 0 or `false`.
pub fn function(rule: &ExpressionRule, side: usize, fixed: &dyn Fn(u8) -> Option<u32>) -> String {
    let name = |letter: u8| rule.letters[letter as usize].name.to_string();
    let own = &rule.sides[side];
    let result = if own.is_statement() { Type::INT } else { rule.sides[0].result(&rule.types()) };
    let open = (0..).zip(&rule.letters).filter(|(number, _)| fixed(*number).is_none());
    let parameters = parameters(open.map(|(_, letter)| (letter.name, letter.ty)));
    let mut text = format!("fn f({parameters}) -> {} {{ ", name_of(result));
    if let Some(condition) = &rule.condition {
        text.push_str("if !");
        condition.with(fixed, false).write(&name, &mut text);
        text.push_str(if result == Type::BOOL { "{ return false; } " } else { "{ return 0; } " });
    }
    text.push_str(if own.is_statement() { "" } else { "return " });
    own.with(fixed, false).write(&name, &mut text);
    text + if own.is_statement() { " return 0; }\n" } else { "; }\n" }
}

impl Pair<'_> {
    /// Returns `None` only if a side does not compile, which [`super::read`] excludes.
    fn new<'a>(rule: &'a ExpressionRule, fixed: &dyn Fn(u8) -> Option<u32>) -> Option<Pair<'a>> {
        let sides = [0, 1].map(|side| compile(&function(rule, side, fixed)));
        if sides.iter().any(|side| !side.facts.compiles()) {
            return None;
        }
        let fixed: Vec<Option<u32>> = (0..rule.letters.len()).map(|letter| fixed(letter as u8)).collect();
        let open = rule.letters.iter().zip(&fixed).filter(|(_, value)| value.is_none());
        Some(Pair { rule, open: open.map(|(letter, _)| *letter).collect(), fixed, sides })
    }

    fn decide(&self, watch: &dyn Watch) -> Option<UserVerdict> {
        let [base, other] = &self.sides;
        let function = RoutineId::FIRST;
        let question = Question { base, function, other, other_function: function, edit: None };
        Some(match prove::prove(&question, &EFFORT, watch)? {
            ProveVerdict::Proved(_) => UserVerdict::Proved { safe: vec![0] },
            ProveVerdict::Unknown(tried) => UserVerdict::Unknown(tried.text()),
            ProveVerdict::Differs { arguments, .. } => {
                let words: Vec<u32> = arguments.into_iter().flatten().collect();
                UserVerdict::Differs(Some(self.smallest(words)))
            }
        })
    }

    /// Makes an input on which the sides differ smaller, as long as they differ.
    fn smallest(&self, words: Vec<u32>) -> Counterexample {
        let mut machines: [Machine; 2] = Default::default();
        machines.iter_mut().zip(&self.sides).for_each(|(machine, side)| machine.translate(&side.executable));
        let mut run = |words: &[u32]| {
            [0, 1].map(|side| {
                let executable = &self.sides[side].executable;
                let record = machines[side].call(executable, Start::call(RoutineId::FIRST, FUEL), words);
                let result = executable.routine(RoutineId::FIRST).map_or(Type::INT, |routine| routine.result());
                CallOutcome::new(&machines[side], &record, result)
            })
        };
        let is_int = |place: &usize| self.open.get(*place).is_none_or(|letter| letter.ty != Type::BOOL);
        let places: Vec<usize> = (0..words.len()).filter(is_int).collect();
        let words = smallest(words, &places, &mut |words| {
            let [own, new] = run(words);
            own != new
        });
        let outcomes = run(&words);
        let mut open = words.into_iter();
        let letters = self.rule.letters.iter().zip(&self.fixed);
        let values = letters.map(|(letter, fixed)| {
            let word = fixed.or_else(|| open.next()).unwrap_or_default();
            (letter.name, Value::from_words(letter.ty, &[word]))
        });
        Counterexample { values: values.collect(), outcomes }
    }
}

impl UserVerdict {
    /// Returns the counterexample, the reason, or the side condition; `None` if a rule fires wherever it matches.
    pub fn reason(&self, rule: &UserRule) -> Option<String> {
        match (self, rule) {
            (UserVerdict::Proved { safe }, UserRule::Expression(rule)) => safe_text(rule, safe),
            (UserVerdict::Differs(Some(found)), UserRule::Expression(rule)) => Some(found.text(rule)),
            (UserVerdict::WindowsDiffer(found), UserRule::Window(rule)) => Some(found.text(rule)),
            (UserVerdict::Differs(_), _) => Some("the windows differ for some values".into()),
            (UserVerdict::Unknown(why), _) => Some(why.clone()),
            _ => None,
        }
    }
}

impl Counterexample {
    /// Describes it: `x = -1: 2147483647, not -1`. The value of the right side precedes that of the left one.
    pub fn text(&self, rule: &ExpressionRule) -> String {
        let values: Vec<String> = self.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let [own, new] = self.outcomes.each_ref().map(|outcome| outcome_text(rule, outcome));
        let place = if values.is_empty() { String::new() } else { values.join(", ") + ": " };
        format!("{place}{new}, not {own}")
    }
}

/// Writes the outcome of a side: a value, the kind of a trap, or the block that runs.
fn outcome_text(rule: &ExpressionRule, outcome: &CallOutcome) -> String {
    match outcome {
        CallOutcome::Value(Value::Int(number)) if rule.sides[0].is_statement() => {
            let block = usize::try_from(number - 1).ok().and_then(|block| rule.blocks.get(block));
            block.map_or("no block".into(), |name| format!("{{ {name} }}"))
        }
        CallOutcome::Value(value) => value.to_string(),
        CallOutcome::Trap(trap) => format!("trap {}", trap.ident()),
    }
}

/// Writes where a proved rule fires, as a clause; `None` if it fires wherever it matches.
fn safe_text(rule: &ExpressionRule, safe: &[u32]) -> Option<String> {
    if safe.contains(&0) {
        return None;
    }
    let set = |set: &u32| {
        let names = (0..).zip(&rule.letters).filter(|(number, _)| set >> number & 1 == 1);
        let names: Vec<String> = names.map(|(_, letter)| format!("`{}`", letter.name)).collect();
        let verb = if names.len() == 1 { "ends" } else { "end" };
        format!("{} cannot trap and {verb}", names.join(" and "))
    };
    let sets: Vec<String> = safe.iter().map(set).collect();
    Some(format!("fires where {}", sets.join(", or ")))
}
