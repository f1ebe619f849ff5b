//! The compiler of one thread: the stages from lex to emit, with outputs and scratch that are reused between
//! programs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::compiler::program::{
    Binders, Checked, Compiled, Executable, Facts, Ir, Program, Tokens, Tree, View,
};
use crate::compiler::stage::optimize::learned::rule::Rule;
use crate::compiler::stage::optimize::learned::{self, Learned};
use crate::compiler::stage::{Stage, check, emit, lex, lower, optimize, parse};
use crate::lang::level::OptLevel;
use crate::lang::mutation::Group;

/// Compiles programs one after the other. It holds the outputs of the last program, and memory that the next
/// one reuses.
#[derive(Default)]
pub struct Compiler {
    pub tokens: Tokens,
    pub tree: Tree,
    pub checked: Checked,
    pub back: BackEnd,
    pub facts: Facts,
    /// Whether errors of later texts become holes: [`Facts::holes`].
    pub holes: bool,
    /// [`Facts::holes`] of later tokens; other than 0 for a part of a program with errors.
    pub part: u32,
    /// Time spent in each stage since the times were last taken.
    pub times: [Duration; Stage::ALL.len()],
    lex: lex::LexScratch,
    parse: parse::ParseScratch,
    check: check::CheckScratch,
}

/// The stages after check, with their outputs.
#[derive(Default)]
pub struct BackEnd {
    /// The code before optimize.
    pub lowered: Ir,
    pub ir: Ir,
    pub binders: Binders,
    pub executable: Executable,
    pub level: OptLevel,
    pub runs: u64,
    lower: lower::LowerScratch,
    optimize: optimize::OptimizeScratch,
    emit: emit::EmitScratch,
}

impl BackEnd {
    /// Sets the table of level 3 for later programs; without one, that of the process serves.
    pub fn learn(&mut self, learned: Arc<Learned>) {
        self.optimize.learn(learned);
    }

    /// Leaves out what only the processor adds to level 2, for proofs: they compile each survivor.
    pub fn leave_out_processors(&mut self) {
        self.optimize.leave_out_processors();
    }

    /// Returns a program without errors as both engines have it: without what only the processor adds.
    pub fn shared(program: &Compiled) -> Compiled {
        let mut back = BackEnd::default();
        back.leave_out_processors();
        back.compile(program);
        Compiled { ir: back.ir, executable: back.executable, ..program.clone() }
    }

    /// Completes a program that a device has compiled to level 2. Returns whether its code changed.
    pub fn refine(&mut self, program: &mut Compiled) -> bool {
        let changed = optimize::refine(program, &mut self.optimize);
        if changed {
            let Executable { code, routines } = &mut program.executable;
            emit::run(&program.ir, routines, code, &mut self.emit);
        }
        changed
    }

    /// Returns a program after rules on its optimized code. Calls `hits` for each application.
    pub fn with_rules<'a>(
        program: &Compiled,
        rules: impl Iterator<Item = &'a Rule> + Clone,
        hits: &mut dyn FnMut(&Rule),
    ) -> Compiled {
        let mut new = program.clone();
        let Executable { code, routines } = &mut new.executable;
        if learned::rules(&mut new.ir, routines, rules, hits) {
            emit::run(&new.ir, routines, code, &mut emit::EmitScratch::default());
        }
        new
    }

    /// Compiles a checked program without errors to its level. Returns the time taken.
    pub fn compile(&mut self, program: &Compiled) -> Duration {
        self.compile_at(program, program.level)
    }

    /// Likewise, to any level.
    pub fn compile_at(&mut self, program: &Compiled, level: OptLevel) -> Duration {
        self.level = level;
        let started = Instant::now();
        let [.., (_, ended)] = self.run(program.view(), &mut Facts { functions: 0, ..program.facts });
        ended - started
    }

    /// Compiles a checked program, unless it has errors. Returns the time at which each stage ended.
    fn run(&mut self, program: View, facts: &mut Facts) -> [(Stage, Instant); 3] {
        self.runs += 1;
        let Executable { code, routines } = &mut self.executable;
        let out = lower::Output { ir: &mut self.lowered, routines, binders: &mut self.binders };
        lower::run(program, out, facts, &mut self.lower);
        let lowered = Instant::now();
        optimize::run(&self.lowered, routines, self.level, &mut self.ir, &mut self.optimize);
        let optimized = Instant::now();
        emit::run(&self.ir, routines, code, &mut self.emit);
        [(Stage::Lower, lowered), (Stage::Optimize, optimized), (Stage::Emit, Instant::now())]
    }
}

/// Compiles a text, up to the first stage that stops.
pub fn compile(text: &str) -> Compiled {
    compile_at(OptLevel::default(), text)
}

/// Like [`compile`], at a level.
pub fn compile_at(level: OptLevel, text: &str) -> Compiled {
    let mut compiler = Compiler::at(level);
    compiler.compile(text);
    compiler.compiled(&text.into())
}

impl Compiler {
    /// Creates a compiler that optimizes to a level.
    pub fn at(level: OptLevel) -> Compiler {
        Compiler { back: BackEnd { level, ..BackEnd::default() }, ..Compiler::default() }
    }

    /// Compiles a text up to the first stage that stops. Outputs of the stages that do not run are empty.
    pub fn compile(&mut self, text: &str) {
        let started = Instant::now();
        self.tree.clear();
        self.checked.clear();
        self.facts.holes = u32::from(self.holes);
        lex::run(text, &mut self.tokens, &mut self.facts, &mut self.lex);
        let now = self.record_time(Stage::Lex, started);
        self.run_from_parse(text, now, true);
    }

    /// Compiles the tokens of a mutant, which are already in [`Self::tokens`], with the number of names and
    /// the level of its base, or the highest of variants. Unlike [`Self::compile`] it does not check what does not parse.
    pub fn mutant(&mut self, text: &str, names: u32, level: OptLevel) {
        self.tokens_at(text, names, level.of_variants());
    }

    /// Like [`Self::mutant`], at any level.
    pub fn tokens_at(&mut self, text: &str, names: u32, level: OptLevel) {
        self.back.level = level;
        self.facts = Facts { names, holes: self.part, ..Facts::default() };
        self.run_from_parse(text, Instant::now(), self.part != 0);
    }

    /// Runs the stages from parse on. With `all`, a program with lexical or syntax errors is also checked.
    fn run_from_parse(&mut self, text: &str, mut now: Instant, all: bool) {
        if !self.facts.stopped() {
            parse::run(&self.tokens, &mut self.tree, &mut self.facts, &mut self.parse);
            now = self.record_time(Stage::Parse, now);
        }
        if !self.facts.stopped() && (all || self.facts.errors == 0) {
            check::run(&self.tokens, &self.tree, &mut self.checked, &mut self.facts, &mut self.check);
            now = self.record_time(Stage::Check, now);
        }
        let input = View { source: text, tokens: &self.tokens, tree: &self.tree, checked: &self.checked };
        for (stage, ended) in self.back.run(input, &mut self.facts) {
            self.times[stage as usize] += ended - now;
            now = ended;
        }
    }

    /// Returns whether the last program compiled without errors.
    pub fn compiles(&self) -> bool {
        self.facts.compiles()
    }

    /// Returns a view of the last program, which was compiled from `text`.
    pub fn program<'a>(&'a self, text: &'a str) -> Program<'a> {
        let Compiler { tokens, tree, checked, back, facts, .. } = self;
        let view = View { source: text, tokens, tree, checked };
        Program { view, executable: &back.executable, functions: facts.functions() }
    }

    /// Returns a copy of all outputs for the last program, which was compiled from `text`.
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
            level: self.back.level,
        }
    }

    /// Adds the time since `from` to a stage's time. Returns the current time.
    pub fn record_time(&mut self, stage: Stage, from: Instant) -> Instant {
        let now = Instant::now();
        self.times[stage as usize] += now - from;
        now
    }
}
