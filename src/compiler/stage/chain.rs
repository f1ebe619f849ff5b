//! One thread's compiler: the stages from lex to emit, their outputs and scratch, kept from program to program.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::compiler::program::{
    Binders, Checked, Compiled, Executable, Facts, Ir, Program, Tokens, Tree, View,
};
use crate::compiler::stage::Stage;
use crate::compiler::stage::{check, emit, lex, lower, optimize, parse};
use crate::lang::mutation::Group;

/// The program compiled last, and what the next one reuses.
#[derive(Default)]
pub struct Compiler {
    pub tokens: Tokens,
    pub tree: Tree,
    pub checked: Checked,
    pub back: BackEnd,
    pub facts: Facts,
    /// Time spent in each stage since it was last taken.
    pub times: [Duration; Stage::ALL.len()],
    lex: lex::Scratch,
    parse: parse::Scratch,
    check: check::Scratch,
}

/// The stages behind check, and what they leave.
#[derive(Default)]
pub struct BackEnd {
    /// As lowered, before any pass.
    pub lowered: Ir,
    pub ir: Ir,
    pub binders: Binders,
    pub executable: Executable,
    /// How often it has compiled.
    pub runs: u64,
    lower: lower::Scratch,
    optimize: optimize::Scratch,
    emit: emit::Scratch,
}

impl BackEnd {
    /// Compiles a checked program without errors; says what it took.
    pub fn compile(&mut self, program: &Compiled) -> Duration {
        let started = Instant::now();
        let [.., (_, ended)] = self.run(program.view(), &mut Facts { functions: 0, ..program.facts });
        ended - started
    }

    /// Compiles what check has left, unless it has errors; says when each stage ended.
    fn run(&mut self, program: View, facts: &mut Facts) -> [(Stage, Instant); 3] {
        self.runs += 1;
        let Executable { code, routines } = &mut self.executable;
        let out = lower::Output { ir: &mut self.lowered, routines, binders: &mut self.binders };
        lower::run(program, out, facts, &mut self.lower);
        let lowered = Instant::now();
        optimize::run(&self.lowered, routines, &mut self.ir, &mut self.optimize);
        let optimized = Instant::now();
        emit::run(&self.ir, routines, code, &mut self.emit);
        [(Stage::Lower, lowered), (Stage::Optimize, optimized), (Stage::Emit, Instant::now())]
    }
}

impl Compiler {
    /// Compiles a text as far as it goes; stages that do not run leave nothing.
    pub fn compile(&mut self, text: &str) {
        let started = Instant::now();
        self.tree.clear();
        self.checked.clear();
        lex::run(text, &mut self.tokens, &mut self.facts, &mut self.lex);
        let now = self.took(Stage::Lex, started);
        self.parse_on(text, now, true);
    }

    /// Compiles the tokens that have been put in [`Self::tokens`], a mutant's: with the names of its base, and no
    /// further than to its first error.
    pub fn mutant(&mut self, text: &str, names: u32) {
        self.facts = Facts { names, ..Facts::default() };
        self.parse_on(text, Instant::now(), false);
    }

    /// From parse on. `all` says to check also what does not parse.
    fn parse_on(&mut self, text: &str, mut now: Instant, all: bool) {
        if !self.facts.stopped() {
            parse::run(&self.tokens, &mut self.tree, &mut self.facts, &mut self.parse);
            now = self.took(Stage::Parse, now);
        }
        if !self.facts.stopped() && (all || self.facts.errors == 0) {
            check::run(&self.tokens, &self.tree, &mut self.checked, &mut self.facts, &mut self.check);
            now = self.took(Stage::Check, now);
        }
        let input = View { source: text, tokens: &self.tokens, tree: &self.tree, checked: &self.checked };
        for (stage, ended) in self.back.run(input, &mut self.facts) {
            self.times[stage as usize] += ended - now;
            now = ended;
        }
    }

    /// Whether the last program runs.
    pub fn compiles(&self) -> bool {
        self.facts.compiles()
    }

    /// What was compiled last of `text`, to be read.
    pub fn program<'a>(&'a self, text: &'a str) -> Program<'a> {
        let Compiler { tokens, tree, checked, back, facts, .. } = self;
        let view = View { source: text, tokens, tree, checked };
        Program { view, executable: &back.executable, functions: facts.functions }
    }

    /// All that the stages left of `text`, which was compiled last.
    pub fn compiled(&self, text: &Arc<str>) -> Compiled {
        Compiled {
            text: text.clone(),
            facts: self.facts,
            tokens: self.tokens.clone(),
            tree: self.tree.clone(),
            checked: self.checked.clone(),
            lowered: self.back.lowered.clone(),
            ir: self.back.ir.clone(),
            binders: self.back.binders.clone(),
            executable: self.back.executable.clone(),
            group: Group::default(),
        }
    }

    /// Adds the time since `from` to a stage's; returns now.
    pub fn took(&mut self, stage: Stage, from: Instant) -> Instant {
        let now = Instant::now();
        self.times[stage as usize] += now - from;
        now
    }
}
