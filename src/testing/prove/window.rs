//! Proves a rule of level 3: both windows do the same for all operands, variables and constants.

use std::collections::HashMap;

use super::aig::{Bit, TRUE, word_value};
use super::blast::{BlastKind, Blaster, Symbol};
use super::guess::{Inputs, guess};
use super::logic::choose;
use super::region::trap;
use super::sat::{SatAnswer, SatSearch};
use crate::compiler::program::{Executable, Watch};
use crate::compiler::stage::flow::Endings;
use crate::compiler::stage::flow::ranges::Range;
use crate::compiler::stage::optimize::learned::rule::{CONSTANTS, Constant, Operand, Rule, RulePiece, SLOTS};
use crate::lang::index::{Index, TokenId};
use crate::lang::opcode::{Class, Op};
use crate::testing::equivalence::state::{
    EquivalenceEffect, EquivalenceInstruction, EquivalenceState, EquivalenceStep,
};
use crate::testing::equivalence::terms::{Node, Rules, Term, TermValue, Terms};

/// The number of operands below a window.
pub const BELOW: u32 = 10;
/// The first slot of constants and of operands, as unknown values.
const CONSTANT: u32 = 64;
const OPERAND: u32 = 128;
/// The work of the solver for a rule: conflicts times gates.
const WORK: u64 = 4 << 20;

/// The answer about a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleVerdict {
    /// Both windows do the same for all values.
    Proved,
    /// They differ for some values.
    Differs,
    /// The solver's work was spent.
    Unknown,
}

struct WindowEnd {
    state: EquivalenceState,
    /// The code of the trap, or 0.
    code: Term,
    /// The condition on which it jumps.
    jumps: Option<Term>,
}

/// The values before a window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WindowValues {
    /// By hole.
    pub variables: [u32; SLOTS.len()],
    pub constants: [u32; CONSTANTS.len()],
    /// The stack, its top last.
    pub stack: [u32; BELOW as usize],
}

impl WindowValues {
    /// Returns the values with which a model makes two windows differ.
    fn of(model: &Inputs, terms: &Terms, blaster: &mut Blaster) -> Option<WindowValues> {
        let mut words = Vec::new();
        for slot in 0..OPERAND + BELOW {
            if let Some(term) = terms.find(&Node::Parameter(slot)) {
                words.push((slot, blaster.word(term)?));
            }
        }
        let (bits, mut values) = (blaster.aig.evaluate(model), WindowValues::default());
        for (slot, word) in words {
            let (group, place) = match slot {
                0..CONSTANT => (&mut values.variables[..], slot),
                CONSTANT..OPERAND => (&mut values.constants[..], slot - CONSTANT),
                _ => (&mut values.stack[..], slot - OPERAND),
            };
            *group.get_mut(place as usize)? = word_value(&bits, &word);
        }
        Some(values)
    }
}

/// Proves a rule, or finds that its windows differ. Returns `None` if the work was cancelled.
pub fn rule(rule: &Rule, watch: &dyn Watch) -> Option<RuleVerdict> {
    Some(refute(rule, watch)?.0)
}

/// Likewise, with values for which its windows differ, if they do. No values are needed if the stacks differ in height.
pub fn refute(rule: &Rule, watch: &dyn Watch) -> Option<(RuleVerdict, Option<WindowValues>)> {
    let always = || Some((RuleVerdict::Differs, Some(WindowValues::default())));
    if rule.check().is_err() {
        return always();
    }
    let mut terms = Terms::new(Rules::ALL);
    let start = start(&mut terms);
    let own = run(&rule.pattern, &|place| place, &start, &mut terms);
    let sources: Vec<usize> = rule.replacement.iter().map(|piece| rule.source(piece)).collect();
    let new = run(&rule.replacement, &|place| sources[place], &start, &mut terms);
    let (Some(own), Some(new)) = (own, new) else { return Some((RuleVerdict::Unknown, None)) };
    if own.state.stack.len() != new.state.stack.len() {
        return always();
    }
    // Pairs of terms that must be equal unless the window traps.
    let mut pairs: Vec<(Term, Term)> = Vec::new();
    pairs.extend(own.state.stack.iter().zip(&new.state.stack).map(|(a, b)| (a.term, b.term)));
    let alive = (0..SLOTS.len() as u32).filter(|slot| !rule.dead.iter().any(|dead| u32::from(*dead) == *slot));
    pairs
        .extend(alive.map(|slot| [&own, &new].map(|end| end.state.variables[&slot].term)).map(|[a, b]| (a, b)));
    pairs.extend(own.jumps.zip(new.jumps));
    pairs.retain(|(a, b)| a != b);
    if pairs.is_empty() && own.code == new.code {
        return Some((RuleVerdict::Proved, None));
    }
    let symbols = symbols(&terms);
    let mut blaster = Blaster::new(&terms, &symbols, &|_| None, watch);
    match differ(&mut blaster, &pairs, [own.code, new.code]) {
        None if watch.cancelled() => None,
        None => Some((RuleVerdict::Unknown, None)),
        Some(wanted) => {
            let guessed = guess(&blaster.aig, wanted, &blaster.constants, None, watch);
            let (found, mut work) = (guessed.map(SatAnswer::Model), WORK);
            match found.unwrap_or_else(|| SatSearch::new(watch).find(&blaster.aig, wanted, &mut work)) {
                SatAnswer::Never => Some((RuleVerdict::Proved, None)),
                SatAnswer::Model(model) => {
                    Some((RuleVerdict::Differs, WindowValues::of(&model, &terms, &mut blaster)))
                }
                SatAnswer::Open if watch.cancelled() => None,
                SatAnswer::Open => Some((RuleVerdict::Unknown, None)),
            }
        }
    }
}

/// Whether the codes of the traps differ, or no trap occurs and a pair differs.
fn differ(blaster: &mut Blaster, pairs: &[(Term, Term)], codes: [Term; 2]) -> Option<Bit> {
    let [a, b] = [blaster.word(codes[0])?, blaster.word(codes[1])?];
    let same_code = blaster.aig.equal(&a, &b);
    let ends = blaster.aig.is_nonzero(&a);
    let mut same = TRUE;
    for (a, b) in pairs {
        let (a, b) = (blaster.word(*a)?, blaster.word(*b)?);
        let equal = blaster.aig.equal(&a, &b);
        same = blaster.aig.and(same, equal);
    }
    let alike = blaster.aig.or(ends, same);
    let alike = blaster.aig.and(same_code, alike);
    let constraints = blaster.constraints.clone();
    Some(blaster.aig.all(constraints.into_iter().chain([!alike])))
}

/// The state before both windows: nothing is known about any value.
fn start(terms: &mut Terms) -> EquivalenceState {
    let mut unknown = |slot: u32| TermValue { term: terms.intern(Node::Parameter(slot)), known: Range::ANY };
    let mut state = EquivalenceState::default();
    for slot in (0..SLOTS.len() as u32).chain((0..CONSTANTS.len() as u32).map(|hole| CONSTANT + hole)) {
        state.variables.insert(slot, unknown(slot));
    }
    for place in 0..BELOW {
        state.stack.push(unknown(OPERAND + place));
    }
    state
}

fn symbols(terms: &Terms) -> HashMap<Term, Symbol> {
    let slots = (0..OPERAND + BELOW).filter_map(|slot| terms.find(&Node::Parameter(slot)));
    slots.map(|term| (term, Symbol { kind: BlastKind::Word, known: Range::ANY, bools: false })).collect()
}

/// Executes a window on terms. `source` returns the place whose name a trap of an instruction has.
fn run(
    pieces: &[RulePiece],
    source: &dyn Fn(usize) -> usize,
    start: &EquivalenceState,
    terms: &mut Terms,
) -> Option<WindowEnd> {
    let (mut state, mut jumps) = (start.clone(), None);
    let nothing = Executable::default();
    // 0 is the code of no trap.
    let token = |token: TokenId| token.number() + 1;
    let (callee, endings) = (|callee| callee, Endings::default());
    let mut step = EquivalenceStep {
        terms,
        program: &nothing,
        token: &token,
        callee: &callee,
        endings: &endings,
        effects: Vec::new(),
        ends: false,
    };
    for (place, piece) in pieces.iter().enumerate() {
        let token = TokenId::at(source(place));
        let instruction = |op, arg| EquivalenceInstruction { op, arg, aux: 0, token };
        match (&piece.operand, piece.op.class()) {
            (Operand::Constant(constant), _) => load(constant, &mut step, &mut state, token)?,
            (Operand::Slot(slot), _) => step.run(&mut state, instruction(piece.op, u32::from(*slot)))?,
            (Operand::Target, Class::Branch { on }) => {
                let condition = state.stack.pop()?;
                let zero = step.terms.zero(condition);
                jumps = Some(if on { step.terms.not(zero) } else { zero });
            }
            (Operand::Target, _) => return None,
            (Operand::None, _) => step.run(&mut state, instruction(piece.op, 0))?,
        }
    }
    let effects: Vec<EquivalenceEffect> = step.effects;
    let mut code = terms.constant(0);
    for effect in effects.iter().rev() {
        let (traps, own) = trap(terms, effect)?;
        code = choose(terms, traps, own, code);
    }
    Some(WindowEnd { state, code, jumps })
}

/// Pushes a constant, computed from unknown ones.
fn load(
    constant: &Constant,
    step: &mut EquivalenceStep,
    state: &mut EquivalenceState,
    token: TokenId,
) -> Option<()> {
    let instruction = |op, arg| EquivalenceInstruction { op, arg, aux: 0, token };
    match constant {
        Constant::Value(value) => step.run(state, instruction(Op::LoadConst, *value as u32)),
        Constant::Hole(hole) => step.run(state, instruction(Op::LoadVar, CONSTANT + u32::from(*hole))),
        Constant::Unary(op, of) => {
            load(of, step, state, token)?;
            step.run(state, instruction(*op, 0))
        }
        Constant::Binary(op, of) => {
            of.iter().try_for_each(|of| load(of, step, state, token))?;
            step.run(state, instruction(*op, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> RuleVerdict {
        rule(&Rule::read(text).expect(text), &|| false).expect("not cancelled")
    }

    #[test]
    fn right_rules_are_proved() {
        for text in [
            "r: LOAD_CONST 0; COMPARE_NE; JUMP_IF_TRUE @ => JUMP_IF_TRUE @",
            "r: LOAD_CONST 0; COMPARE_EQ; JUMP_IF_TRUE @ => JUMP_IF_FALSE @",
            "r: LOAD_CONST a; BINARY_ADD; LOAD_CONST b; BINARY_ADD => LOAD_CONST BINARY_ADD(a, b); BINARY_ADD",
            "r: STORE_VAR x; LOAD_VAR x; LOAD_VAR x => DUP if dead x",
            "r: STORE_VAR x; LOAD_VAR y; LOAD_VAR x; BINARY_ADD => LOAD_VAR y; BINARY_ADD if dead x",
            "r: UNARY_NEGATIVE; UNARY_NEGATIVE => nothing",
            "r: LOAD_VAR x; LOAD_VAR y; BINARY_DIV; LOAD_CONST 1; BINARY_MUL => LOAD_VAR x; LOAD_VAR y; BINARY_DIV",
        ] {
            assert_eq!(verdict(text), RuleVerdict::Proved, "{text}");
            assert_eq!(Rule::read(text).expect(text).to_string(), text);
        }
    }

    #[test]
    fn wrong_rules_differ() {
        for text in [
            "r: LOAD_CONST 0; COMPARE_NE; JUMP_IF_TRUE @ => JUMP_IF_FALSE @",
            "r: LOAD_CONST 0; COMPARE_NE; UNARY_NOT => UNARY_NEGATIVE",
            "r: STORE_VAR x; LOAD_VAR x; LOAD_VAR x => DUP",
            "r: LOAD_CONST a; BINARY_ADD; LOAD_CONST b; BINARY_SUB => LOAD_CONST BINARY_ADD(a, b); BINARY_ADD",
            "r: LOAD_CONST 2; BINARY_MOD; UNARY_NOT => LOAD_CONST 1; BINARY_AND",
            // They trap where the first one does, at another division.
            "r: LOAD_VAR x; BINARY_DIV; LOAD_VAR x; BINARY_DIV => LOAD_VAR x; BINARY_DIV",
        ] {
            assert_eq!(verdict(text), RuleVerdict::Differs, "{text}");
        }
    }

    #[test]
    fn malformed_rules_are_refused() {
        for text in [
            "",
            "r",
            "r: DUP => DUP",
            "r: JUMP_IF_TRUE @; DUP => DUP",
            "r: LOAD_VAR x; LOAD_VAR y => LOAD_VAR z",
            "r: LOAD_CONST a; UNARY_NOT => LOAD_CONST BINARY_DIV(a, a)",
            "r: CALL 1; DUP => DUP",
            "bad name: UNARY_NOT; UNARY_NOT => nothing",
            "r: LOAD_CONST ((((((((; DUP => DUP",
            "r: UNARY_NOT; UNARY_NOT; UNARY_NOT => LOAD_CONST 1; LOAD_CONST 2",
        ] {
            assert!(Rule::read(text).is_err(), "{text}");
        }
    }
}
