//! learned: the code and the rules of level 3, which earlier searches have found and proved (`docs/improve.md`).
//!
//! After all passes of level 2, a function whose key is known takes its learned code. Then rules apply to all routines.

pub mod code;
pub mod key;
pub mod memory;
pub mod rule;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use crate::compiler::program::{Ir, Routines};
use crate::lang::NONE;
use crate::lang::opcode::Op;
use code::Instruction;
use key::{Keyed, LearnedKey, keys};
use rule::Rule;

/// The names of the steps of level 3, and what they do.
pub const STEPS: [(&str, &str); 2] = [
    ("learned", "replaces functions by learned code"),
    ("rules", "applies learned rules to short windows of code"),
];

/// The rules that ship with the program, one a line.
pub const SHIPPED: &str = include_str!("../../../../../assets/learned/rules.txt");

/// Code that was proved to do the same as a function. Functions and the places of tokens are relative to the closure of its
/// key: a call's operand is an index into the closure; a token is an index into it and the distance from the function's
/// `fn`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LearnedCode {
    pub frame: u32,
    /// Tokens are left out.
    pub code: Vec<Instruction>,
    pub tokens: Vec<[u32; 2]>,
    /// The tokens of the calls that instructions were inlined at, or [`NONE`] twice.
    pub sites: Vec<[u32; 2]>,
}

/// Everything that level 3 adds to level 2.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    pub rules: Vec<Rule>,
    /// The names of the rules that are switched off.
    pub off: BTreeSet<String>,
    pub functions: HashMap<LearnedKey, Arc<LearnedCode>>,
}

impl Learned {
    /// The rules that ship with the program, and no functions.
    pub fn shipped() -> Learned {
        let rules = read_rules(SHIPPED).filter_map(Result::ok).collect();
        Learned { rules, ..Learned::default() }
    }

    /// The rules that are switched on.
    pub fn active(&self) -> impl Iterator<Item = &Rule> + Clone {
        self.rules.iter().filter(|rule| !self.off.contains(&rule.name))
    }
}

/// Reads rules, one a line. Empty lines and those that begin with `#` are skipped.
pub fn read_rules(text: &str) -> impl Iterator<Item = Result<Rule, String>> + '_ {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| Rule::read(line).map_err(|why| format!("`{line}`: {why}")))
}

/// The table of level 3 for compilers that have none of their own.
static CURRENT: LazyLock<RwLock<Arc<Learned>>> = LazyLock::new(|| RwLock::new(Arc::new(Learned::shipped())));

/// Returns the table that compilers of this process use.
pub fn current() -> Arc<Learned> {
    CURRENT.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Replaces the table that compilers of this process use. Later programs are compiled with it.
pub fn set_current(learned: Learned) {
    *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(learned);
}

/// Adds code of a function to the table that compilers of this process use.
pub fn add_function(key: LearnedKey, code: LearnedCode) {
    let mut current = CURRENT.write().unwrap_or_else(PoisonError::into_inner);
    let mut learned = Learned::clone(&current);
    learned.functions.insert(key, Arc::new(code));
    *current = Arc::new(learned);
}

impl LearnedCode {
    /// Makes code of a function relative to its closure. Returns `None` if it refers to other functions.
    pub fn new(code: &[Instruction], frame: u32, keyed: &Keyed, routines: &Routines) -> Option<LearnedCode> {
        let member = |routine: u32| keyed.closure.iter().position(|own| *own == routine);
        let place = |token: u32| {
            if token == NONE {
                return Some([NONE; 2]);
            }
            let heads = keyed.closure.iter().map(|routine| routines.token[*routine as usize]);
            let (nearest, head) =
                heads.enumerate().filter(|(_, head)| *head <= token).max_by_key(|(_, head)| *head)?;
            Some([nearest as u32, token - head])
        };
        let mut learned = LearnedCode { frame, code: Vec::new(), tokens: Vec::new(), sites: Vec::new() };
        for own in code {
            let arg = if own.op == Op::Call { member(own.arg)? as u32 } else { own.arg };
            learned.code.push(Instruction { arg, token: 0, site: 0, ..*own });
            learned.tokens.push(place(own.token)?);
            learned.sites.push(place(own.site)?);
        }
        Some(learned)
    }

    /// Returns the code for a function of a program, or `None` if it does not fit there.
    pub fn placed(&self, keyed: &Keyed, routines: &Routines) -> Option<Vec<Instruction>> {
        let token = |[member, distance]: [u32; 2]| {
            if member == NONE {
                return Some(NONE);
            }
            routines.token.get(*keyed.closure.get(member as usize)? as usize)?.checked_add(distance)
        };
        let all = self.code.iter().zip(self.tokens.iter().zip(&self.sites));
        all.map(|(own, (from, site))| {
            let arg = if own.op == Op::Call { *keyed.closure.get(own.arg as usize)? } else { own.arg };
            let jumps = own.target().is_none_or(|target| (target as usize) < self.code.len());
            jumps.then_some(Instruction { arg, token: token(*from)?, site: token(*site)?, ..*own })
        })
        .collect()
    }
}

/// The keys of a program's routines, taken before the passes of level 2.
pub(super) fn begin(lowered: &Ir, routines: &Routines, learned: &Learned) -> Vec<Keyed> {
    if learned.functions.is_empty() { Vec::new() } else { keys(lowered, routines) }
}

/// Puts learned code in the place of the code of level 2. Returns whether any was put.
pub(super) fn functions(ir: &mut Ir, routines: &mut Routines, keyed: &[Keyed], learned: &Learned) -> bool {
    let mut new = BTreeMap::new();
    for (routine, own) in keyed.iter().enumerate() {
        let Some(found) = learned.functions.get(&own.key) else { continue };
        let Some(code) = found.placed(own, routines) else { continue };
        let of = |routine: usize| new.get(&routine).cloned().unwrap_or_else(|| code::of(ir, routines, routine));
        if fits(&of, routines, routine, (&code, found.frame)) {
            routines.frame[routine] = found.frame.max(routines.frame[routine]);
            new.insert(routine, code);
        }
    }
    code::replace(ir, routines, &new);
    !new.is_empty()
}

/// Returns whether a routine may have other code: if that needs no more memory, or all calls of the program fit in memory.
/// `of` returns the code of each routine.
pub fn fits(
    of: &dyn Fn(usize) -> Vec<Instruction>,
    routines: &Routines,
    routine: usize,
    (code, frame): (&[Instruction], u32),
) -> bool {
    let words = |code: &[Instruction], frame: u32| Some(memory::operands(code, routines)? + frame);
    let Some(new) = words(code, frame.max(routines.frame[routine])) else { return false };
    if words(&of(routine), routines.frame[routine]).is_some_and(|old| new <= old) {
        return true;
    }
    let (mut own, mut calls) = (Vec::new(), Vec::new());
    for other in 0..routines.ir.len() {
        let code = of(other);
        own.push(if other == routine { Some(new) } else { words(&code, routines.frame[other]) });
        calls.extend(code.iter().filter(|i| i.op == Op::Call).map(|i| [other as u32, i.arg]));
    }
    memory::fits(&own, &calls)
}

/// Applies rules to all routines. Calls `hits` for each application. Returns whether any applied.
pub fn rules<'a>(
    ir: &mut Ir,
    routines: &mut Routines,
    rules: impl Iterator<Item = &'a Rule> + Clone,
    hits: &mut dyn FnMut(&Rule),
) -> bool {
    let mut new = BTreeMap::new();
    for routine in 0..routines.ir.len() {
        let mut code = code::of(ir, routines, routine);
        if rule::apply(rules.clone(), &mut code, hits) {
            new.insert(routine, code);
        }
    }
    code::replace(ir, routines, &new);
    !new.is_empty()
}
