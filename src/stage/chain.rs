//! One thread's compiler: the stages from lex to emit, their outputs and scratch, kept from program to program.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::program::{Binders, Checked, Compiled, Executable, Facts, Ir, Program, Tokens, Tree, View};
use crate::stage::Stage;
use crate::stage::{check, emit, lex, lower, optimize, parse};

/// The program compiled last, and what the next one reuses.
#[derive(Default)]
pub struct Compiler {
    pub tokens: Tokens,
    pub tree: Tree,
    pub checked: Checked,
    /// As lowered, before any pass.
    pub lowered: Ir,
    pub ir: Ir,
    pub binders: Binders,
    pub executable: Executable,
    pub facts: Facts,
    /// Time spent in each stage since it was last taken.
    pub times: [Duration; Stage::ALL.len()],
    lex: lex::Scratch,
    parse: parse::Scratch,
    check: check::Scratch,
    lower: lower::Scratch,
    optimize: optimize::Scratch,
    emit: emit::Scratch,
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
        let routines = &mut self.executable.routines;
        let out = lower::Output { ir: &mut self.lowered, routines, binders: &mut self.binders };
        lower::run(input, out, &mut self.facts, &mut self.lower);
        now = self.took(Stage::Lower, now);
        optimize::run(&self.lowered, &mut self.executable.routines, &mut self.ir, &mut self.optimize);
        now = self.took(Stage::Optimize, now);
        let Executable { code, routines } = &mut self.executable;
        emit::run(&self.ir, routines, code, &mut self.emit);
        self.took(Stage::Emit, now);
    }

    /// Whether the last program runs.
    pub fn compiles(&self) -> bool {
        !self.facts.stopped() && self.facts.errors == 0
    }

    /// What was compiled last of `text`, to be read.
    pub fn program<'a>(&'a self, text: &'a str) -> Program<'a> {
        let Compiler { tokens, tree, checked, executable, .. } = self;
        Program {
            view: View { source: text, tokens, tree, checked },
            executable,
            functions: self.facts.functions,
        }
    }

    /// All that the stages left of `text`, which was compiled last.
    pub fn compiled(&self, text: &Arc<str>) -> Compiled {
        Compiled {
            text: text.clone(),
            facts: self.facts,
            tokens: self.tokens.clone(),
            tree: self.tree.clone(),
            checked: self.checked.clone(),
            lowered: self.lowered.clone(),
            ir: self.ir.clone(),
            binders: self.binders.clone(),
            executable: self.executable.clone(),
        }
    }

    /// Adds the time since `from` to a stage's; returns now.
    pub fn took(&mut self, stage: Stage, from: Instant) -> Instant {
        let now = Instant::now();
        self.times[stage as usize] += now - from;
        now
    }
}
