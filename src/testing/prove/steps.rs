//! The steps of an answer, for people.

use std::collections::BTreeMap;

use super::{Method, ProveVerdict, Question};
use crate::compiler::stage::lower;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::{Index, RoutineId, TokenId};
use crate::lang::level::OptLevel;
use crate::lang::opcode::{Op, OperandSource};
use crate::lang::token::BUILTINS;
use crate::testing::decide::Decision;
use crate::testing::equivalence::terms::{Head, Node, Term, Terms};

/// How deep a term is written.
const DEPTH: u32 = 5;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProveStep {
    /// A sentence without a period.
    pub title: String,
    /// Facts, terms and their verdict, a line each.
    pub lines: Vec<String>,
}

impl ProveStep {
    pub fn new(title: impl Into<String>, lines: Vec<String>) -> ProveStep {
        ProveStep { title: title.into(), lines }
    }

    /// The comparison of normal forms, and of all inputs if these are few.
    pub(super) fn at_once(found: Option<&ProveVerdict>) -> ProveStep {
        let line = match found {
            Some(ProveVerdict::Proved(Method::Form)) => "the normal forms are equal: proved".into(),
            Some(ProveVerdict::Proved(Method::Inputs(count))) => {
                format!("the normal forms differ; both do the same on {}: proved", all_inputs(*count))
            }
            Some(_) => "the normal forms differ; all inputs were run, and one shows a difference".into(),
            None => "the normal forms differ, and the inputs are too many to run all".into(),
        };
        ProveStep::new("Compare the code at level 2", vec![line])
    }

    /// The search for deciding inputs.
    pub(super) fn search(decision: &Decision, differs: bool) -> ProveStep {
        let inputs = plural(decision.inputs.into(), "deciding input");
        let line = match differs {
            true => format!("{inputs} tried; the last one shows a difference"),
            false => format!("{inputs} tried; none shows a difference"),
        };
        ProveStep::new("Search for an input on which they differ", vec![line])
    }
}

fn all_inputs(count: u32) -> String {
    if count == 1 { "the only input".into() } else { format!("all {} inputs", grouped(count.into())) }
}

/// The names of a question's variables and functions.
pub struct ProveNames<'a> {
    question: &'a Question<'a>,
    pub level: OptLevel,
    /// By slot. Level 2 has other slots, so none is named there but the parameters.
    slots: BTreeMap<u32, String>,
}

impl<'a> ProveNames<'a> {
    pub fn new(question: &'a Question, level: OptLevel) -> ProveNames<'a> {
        let view = question.base.view();
        let places = lower::places(view);
        let head = question.base.executable.routine(question.function).map(|routine| routine.head());
        let words: u32 =
            question.base.program().parameters(question.function).iter().map(|ty| ty.words()).sum();
        let mut slots: BTreeMap<u32, String> = BTreeMap::new();
        for token in head.into_iter().flat_map(|head| view.extent(head).iter()) {
            let Some(slot) = places.get(token.position()).copied().flatten().map(Index::number) else {
                continue;
            };
            if level == OptLevel::Whole && slot >= words {
                continue;
            }
            let name = view.text(token);
            slots.entry(slot).and_modify(|all| *all = format!("{all}/{name}")).or_insert_with(|| name.into());
        }
        ProveNames { question, level, slots }
    }

    /// The line of a loop of the first program, as text. It does not change when the loop moves.
    pub fn loop_text(&self, token: TokenId) -> String {
        let line = self.question.base.view().line(token);
        let text = self.question.base.text.lines().nth((line as usize).saturating_sub(1)).unwrap_or("");
        let text = text.find("for ").or(text.find("while ")).map_or(text, |at| &text[at..]);
        format!("`{}`", text.split('{').next().unwrap_or(text).trim())
    }

    pub fn variable(&self, slot: u32) -> String {
        self.slots.get(&slot).cloned().unwrap_or_else(|| format!("slot {slot}"))
    }

    fn function(&self, routine: RoutineId) -> String {
        match self.question.base.functions().contains(routine) {
            true => self.question.base.function_name(routine).into(),
            false => "another function".into(),
        }
    }

    /// Writes a term like an expression. Parts that are too deep are left out.
    pub fn term(&self, terms: &Terms, term: Term, symbol: &dyn Fn(u32) -> String) -> String {
        ProveWriter { names: self, terms, symbol }.text(term, DEPTH, false)
    }
}

struct ProveWriter<'a> {
    names: &'a ProveNames<'a>,
    terms: &'a Terms,
    symbol: &'a dyn Fn(u32) -> String,
}

impl ProveWriter<'_> {
    /// Writes a term; an operation in parentheses if it is `inner`.
    fn text(&self, term: Term, depth: u32, inner: bool) -> String {
        let node = self.terms.node(term);
        if depth == 0 && matches!(node, Node::Apply(..) | Node::Sum(..)) {
            return "…".into();
        }
        let part = |term: &Term| self.text(*term, depth - 1, true);
        let (text, is_operation) = match node {
            Node::Constant(value) => (value.to_string(), false),
            Node::Parameter(slot) => (self.names.variable(*slot), false),
            Node::Symbol(number) => ((self.symbol)(*number), false),
            Node::Joined { variable, .. } => (self.names.variable(*variable), false),
            Node::Sum(constant, products) => {
                let mut all: Vec<String> =
                    products.iter().map(|(product, by)| self.product(product, *by, depth)).collect();
                all.extend((*constant != 0).then(|| constant.to_string()));
                let several = all.len() > 1;
                (all.join(" + ").replace("+ -", "- "), several)
            }
            Node::Apply(head, operands) => {
                let all: Vec<String> = operands.iter().map(part).collect();
                self.applied(head, &all)
            }
        };
        if inner && is_operation { format!("({text})") } else { text }
    }

    fn product(&self, product: &[Term], by: i32, depth: u32) -> String {
        let factors: Vec<String> = product.iter().map(|factor| self.text(*factor, depth - 1, true)).collect();
        match by {
            1 => factors.join(" * "),
            -1 => format!("-{}", factors.join(" * ")),
            by => format!("{by} * {}", factors.join(" * ")),
        }
    }

    /// Writes a function of other terms. Returns whether it is an operation between operands.
    fn applied(&self, head: &Head, all: &[String]) -> (String, bool) {
        let list = all.join(", ");
        match (head, all) {
            (Head::Op(op), [a]) => match op.source() {
                OperandSource::Prefix(token) => (format!("{}{a}", token.spelling().unwrap_or_default()), false),
                _ => (format!("{}({a})", builtin(*op)), false),
            },
            (Head::Op(op), [a, b]) => match op.source() {
                OperandSource::Infix(token) | OperandSource::ListInfix(token) => {
                    (format!("{a} {} {b}", token.spelling().unwrap_or_default()), true)
                }
                _ => (format!("{}({list})", builtin(*op)), false),
            },
            (Head::Op(op), _) => (format!("{}({list})", builtin(*op)), false),
            (Head::Zero, [a]) => (format!("{a} == 0"), true),
            (Head::Call(routine), _) => (format!("{}({list})", self.names.function(*routine)), false),
            (Head::Range(closed), [a, b]) => (format!("{a}{}{b}", if *closed { "..=" } else { ".." }), true),
            (Head::If, [condition, then, otherwise]) => {
                (format!("if {condition} then {then} else {otherwise}"), true)
            }
            (Head::Traps, [call]) => (format!("{call} traps"), true),
            (Head::TrapOf, [call, ..]) => (format!("the trap of {call}"), true),
            (Head::Replaced, [list, index, value]) => (format!("{list} with [{index}] = {value}"), true),
            (head, _) => (format!("{}({list})", format!("{head:?}").to_lowercase()), false),
        }
    }
}

/// The name of a built-in function, or of the instruction.
fn builtin(op: Op) -> &'static str {
    match op.source() {
        OperandSource::Builtin(name) => BUILTINS.get(name as usize).copied().unwrap_or_default(),
        _ => op.name(),
    }
}
