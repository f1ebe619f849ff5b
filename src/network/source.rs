//! Turns a checked function into the words that the model reads, and the tables that define its slots.
//!
//! Names become slots, so functions that differ only in names have the same words. Constants become slots,
//! too; their values are stored in a table, from which the model can copy every literal.

mod constants;
mod features;
mod marks;

use std::fmt;

use crate::compiler::program::{Program, Routine};
use crate::compiler::stage::lower;
use crate::lang::index::{Index, RoutineId, Slot, TokenId};
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;
use crate::network::vocabulary::{
    CALLEES, CONSTANTS, Family, LITERALS, Mark, SOURCE_MAX, VARIABLES, is_taught,
};
use marks::Reading;

/// A function as the model reads it: columns of equal length, with a row per word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    pub words: Vec<u16>,
    /// Type of the node that the token heads: 0 none, 1 int, 2 bool, 3 list of int, 4 list of bool.
    pub ty: Vec<u8>,
    /// Number of brackets open around the token, at most 15.
    pub depth: Vec<u8>,
    /// Number of statements begun before the token, at most 31.
    pub statement: Vec<u8>,
    /// Number of expression nodes above the token, at most 15.
    pub height: Vec<u8>,
    pub tables: Tables,
}

impl Source {
    /// The function itself, which is its first callee.
    pub fn function(&self) -> Option<RoutineId> {
        self.tables.callees.first().map(|own| own.function)
    }
}

/// The variables, constants and callees to which the slots in a function's words refer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// Parameters first, then other variables in the order of declaration.
    pub variables: Vec<SourceVariable>,
    /// Number of variables that are parameters.
    pub params: u32,
    /// Values of the copy slots.
    pub constants: Vec<i32>,
    /// The function itself, then others in the order of first use.
    pub callees: Vec<SourceCallee>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceVariable {
    /// Its first word in the frame.
    pub place: Slot,
    /// The capacity of a list; 0 for an int or bool.
    pub capacity: u32,
    pub looping: LoopKind,
}

/// The kind of loop of a loop variable, whose frame has further words for the loop itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    No,
    Range,
    /// Iterates over a list; the frame holds a copy of this capacity.
    List {
        capacity: u32,
    },
}

/// A function that may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceCallee {
    /// Its index among the functions.
    pub function: RoutineId,
    pub params: u32,
    /// Bit j: parameter j is a list.
    pub lists: u32,
    /// Capacity of the list that the function returns; 0 for an int or bool.
    pub result: u32,
}

/// The reason why the model cannot read or write a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// The program does not compile, or has no such function.
    NoFunction,
    SourceWords(usize),
    Variables,
    Constants,
    Callees,
    Elements(u32),
    /// The corpus that the weights were trained on had no list literal of this length.
    Untaught(u32),
    /// The bytecode has a value, count or variable that the tables lack.
    Value(u32),
    Labels,
    TargetWords(usize),
    /// The vocabulary has no word for this operator or operation, which is newer than the vocabulary.
    NoWord(&'static str),
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        use crate::network::vocabulary::{ELEMENTS, LABELS, TARGET_MAX};
        match self {
            Unsupported::NoFunction => f.write_str("there is no such function"),
            Unsupported::SourceWords(n) => write!(f, "{n} source words, more than {SOURCE_MAX}"),
            Unsupported::Variables => write!(f, "more than {VARIABLES} variables"),
            Unsupported::Constants => write!(f, "more than {CONSTANTS} different constants"),
            Unsupported::Callees => write!(f, "more than {} functions called", CALLEES - 1),
            Unsupported::Elements(n) => write!(f, "a list literal of {n} elements, more than {ELEMENTS}"),
            Unsupported::Untaught(n) => {
                write!(f, "a list literal of {n} elements, a length that the network was not taught")
            }
            Unsupported::Value(word) => {
                write!(f, "the bytecode has the value {}, which does not appear in the source", *word as i32)
            }
            Unsupported::Labels => write!(f, "more than {LABELS} labels"),
            Unsupported::TargetWords(n) => write!(f, "{n} target words, more than {TARGET_MAX}"),
            Unsupported::NoWord(name) => write!(f, "the network's vocabulary has no word for `{name}`"),
        }
    }
}

impl std::error::Error for Unsupported {}

/// Reads function `function` of a program that compiles.
///
/// # Errors
/// If the function exceeds the model's vocabulary or limits.
pub fn read(program: &Program, function: RoutineId) -> Result<Source, Unsupported> {
    let routine = program.function(function).ok_or(Unsupported::NoFunction)?;
    let tokens = program.extent(routine.head());
    let mut token = tokens.start();
    let mut reader = Reader::new(program, routine);
    let folded = constants::fold(program, tokens);
    while token < tokens.end() {
        token = match folded.of(token) {
            Some((value, ty, hi)) => {
                let word = reader.value(value, ty)?;
                reader.push(token, word, ty);
                hi
            }
            None => reader.token(token)?,
        };
    }
    let Reader { mut source, .. } = reader;
    if source.words.len() > SOURCE_MAX {
        return Err(Unsupported::SourceWords(source.words.len()));
    }
    source.tables.constants.shrink_to_fit();
    Ok(source)
}

/// Checks that the shipped weights were taught what a function needs.
///
/// # Errors
/// If a list literal has a length that they were not taught.
pub fn check_taught(program: &Program, function: RoutineId) -> Result<(), Unsupported> {
    let routine = program.function(function).ok_or(Unsupported::NoFunction)?;
    let tokens = program.extent(routine.head());
    for list in tokens.iter().filter(|token| program.is_node(*token) && program.role(*token) == Role::List) {
        let (elements, indexed) = list_literal(program, list);
        if !is_taught(elements, indexed) {
            return Err(Unsupported::Untaught(elements));
        }
    }
    Ok(())
}

/// Returns the number of elements of the list literal at `list`, and whether one of them is taken.
pub fn list_literal(program: &Program, list: TokenId) -> (u32, bool) {
    let within = program.extent(list).iter().filter(|token| *token != list && program.is_node(*token));
    let elements = within.filter(|token| program.parent(*token) == Some(list)).count() as u32;
    let parent = program.parent(list).filter(|parent| program.role(*parent) == Role::Index);
    (elements, parent.is_some_and(|parent| program.child(parent, 0) == Some(list)))
}

/// Reads the tokens of a function in order.
struct Reader<'a> {
    program: &'a Program<'a>,
    features: features::Features,
    /// For each token that declares a variable, its offset in the frame.
    places: Vec<Option<Slot>>,
    /// Tokens that declare the variables, in order.
    declared: Vec<TokenId>,
    source: Source,
}

impl<'a> Reader<'a> {
    fn new(program: &'a Program<'a>, function: Routine) -> Self {
        let mut source = Source::default();
        source.tables.callees.push(callee(function));
        source.tables.params = function.params();
        Reader {
            program,
            features: features::Features::new(program, program.extent(function.head())),
            places: lower::places(program.view),
            declared: Vec::new(),
            source,
        }
    }

    /// Reads the construct that begins at a token, and returns the token after it.
    fn token(&mut self, token: TokenId) -> Result<TokenId, Unsupported> {
        let program = self.program;
        let (kind, role, next) = (program.kind(token), program.role(token), token + 1);
        let word = match role {
            Role::Fn | Role::FnName => return Ok(next),
            Role::Param | Role::LetName | Role::LoopVar => self.declare(token)?,
            Role::Var => self.variable(token)?,
            Role::Call if kind == TokenKind::Name && program.declaration(token).is_some() => {
                self.call(token)?
            }
            Role::TypeList => {
                let mark = match program.ty(token).element() {
                    Type::BOOL => Mark::BoolListType,
                    _ => Mark::IntListType,
                };
                self.push(token, mark_word(mark), program.ty(token));
                return Ok(program.extent(token).end());
            }
            Role::Str => {
                self.string(token)?;
                return Ok(next);
            }
            _ => match marks::of(kind, role, program.value(token)) {
                Reading::Word(mark) => mark_word(mark),
                Reading::Skipped => return Ok(next),
                Reading::NoWord => return Err(Unsupported::NoWord(kind.spelling().unwrap_or("?"))),
            },
        };
        self.push(token, word, program.ty(token));
        Ok(next)
    }

    fn push(&mut self, token: TokenId, word: u16, ty: Type) {
        let source = &mut self.source;
        source.words.push(word);
        source.ty.push(ty.kind() as u8);
        let [depth, statement, height] = self.features.at(self.program, token);
        source.depth.push(depth);
        source.statement.push(statement);
        source.height.push(height);
    }

    fn declare(&mut self, token: TokenId) -> Result<u16, Unsupported> {
        let index = self.declared.len() as u32;
        if index >= VARIABLES {
            return Err(Unsupported::Variables);
        }
        let program = self.program;
        let looping = if program.role(token) == Role::LoopVar {
            let list = program.parent(token).and_then(|head| program.child(head, 1));
            let ty = list.map_or(Type::INT, |list| program.ty(list));
            if ty.is_list() { LoopKind::List { capacity: ty.capacity() } } else { LoopKind::Range }
        } else {
            LoopKind::No
        };
        self.declared.push(token);
        self.source.tables.variables.push(SourceVariable {
            place: self.places[token.position()].ok_or(Unsupported::NoFunction)?,
            capacity: program.ty(token).capacity(),
            looping,
        });
        Ok(Family::Variable.word(index))
    }

    fn variable(&self, token: TokenId) -> Result<u16, Unsupported> {
        let declaration = self.program.declaration(token);
        let index = self.declared.iter().position(|&token| Some(token) == declaration);
        index.map(|index| Family::Variable.word(index as u32)).ok_or(Unsupported::NoFunction)
    }

    /// Returns the word of the called function.
    fn call(&mut self, token: TokenId) -> Result<u16, Unsupported> {
        let function = self.program.callee(token).ok_or(Unsupported::NoFunction)?;
        let callees = &mut self.source.tables.callees;
        let index = callees.iter().position(|callee| callee.function == function.id).unwrap_or_else(|| {
            callees.push(callee(function));
            callees.len() - 1
        });
        if index as u32 >= CALLEES { Err(Unsupported::Callees) } else { Ok(Family::Callee.word(index as u32)) }
    }

    /// Returns the word of a constant.
    fn value(&mut self, value: i32, ty: Type) -> Result<u16, Unsupported> {
        if ty == Type::BOOL {
            return Ok(mark_word(if value != 0 { Mark::True } else { Mark::False }));
        }
        if let Some(index) = LITERALS.iter().position(|&literal| literal == value) {
            return Ok(Family::Value.word(index as u32));
        }
        let constants = &mut self.source.tables.constants;
        let index = constants.iter().position(|&constant| constant == value).unwrap_or_else(|| {
            constants.push(value);
            constants.len() - 1
        });
        if index as u32 >= CONSTANTS {
            Err(Unsupported::Constants)
        } else {
            Ok(Family::Constant.word(index as u32))
        }
    }

    /// Reads a string as the list of its codes.
    fn string(&mut self, token: TokenId) -> Result<(), Unsupported> {
        let ty = self.program.ty(token);
        let literal = self.program.text(token).as_bytes();
        self.push(token, mark_word(Mark::List), ty);
        for (i, code) in lower::string_codes(literal).enumerate() {
            if i > 0 {
                self.push(token, mark_word(Mark::Comma), Type::UNKNOWN);
            }
            let word = self.value(code as i32, Type::INT)?;
            self.push(token, word, Type::INT);
        }
        self.push(token, mark_word(Mark::RightBracket), Type::UNKNOWN);
        Ok(())
    }
}

fn mark_word(mark: Mark) -> u16 {
    Family::Mark.word(mark as u32)
}

fn callee(function: Routine) -> SourceCallee {
    let params = function.params();
    let is_list = |j: &u32| function.capacity(*j) > 0;
    let lists = (0..params.min(16)).filter(is_list).fold(0, |lists, j| lists | 1 << j);
    SourceCallee { function: function.id, params, lists, result: function.result().capacity() }
}
