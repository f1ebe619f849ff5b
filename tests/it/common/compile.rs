//! A program through all CPU twins, by hand: for tests that look between the stages.

use std::sync::Arc;

use myriad::program::Compiled;
use myriad::stage::{check, emit, lex, lower, optimize, parse};

/// Compiles a text with the twins.
pub fn compile(text: &str) -> Compiled {
    let mut c = Compiled { text: Arc::from(text), ..Compiled::default() };
    lex::run(text, &mut c.tokens, &mut c.facts, &mut lex::Scratch::default());
    if !c.facts.stopped() {
        parse::run(&c.tokens, &mut c.tree, &mut c.facts, &mut parse::Scratch::default());
    }
    if !c.facts.stopped() {
        check::run(&c.tokens, &c.tree, &mut c.checked, &mut c.facts, &mut check::Scratch::default());
    }
    if c.facts.stopped() || c.facts.errors > 0 {
        return c;
    }
    let input = lower::Input { text: text.as_bytes(), tokens: &c.tokens, tree: &c.tree, checked: &c.checked };
    let mut lowered = lower::Lowered::default();
    lower::run(input, &mut lowered, &mut c.facts, &mut lower::Scratch::default());
    c.lowered = lowered.ir;
    c.executable.routines = lowered.routines;
    c.binders = lowered.binders;
    optimize::run(&c.lowered, &mut c.executable.routines, &mut c.ir, &mut optimize::Scratch::default());
    emit::run(&c.ir, &mut c.executable.routines, &mut c.executable.code, &mut emit::Scratch::default());
    c
}
