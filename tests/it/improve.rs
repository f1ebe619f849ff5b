//! Level 3: rules and code that searches find, prove, keep and apply.

mod attack;
mod command;
mod store;

use std::sync::Arc;

use crate::common::cases::programs;
use crate::common::compile::compile_at;
use crate::common::extent::one_in;
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::Compiler;
use myriad::compiler::stage::optimize::learned::code::{self, Instruction};
use myriad::compiler::stage::optimize::learned::rule::{Rule, apply};
use myriad::compiler::stage::optimize::learned::{Learned, SHIPPED, read_rules};
use myriad::compiler::stage::optimize::{self, lowered_routines};
use myriad::lang::level::OptLevel;
use myriad::lang::opcode::Op;
use myriad::learned::improve::{LearnOutcome, RuleSearch, learn, steps};
use myriad::testing::prove::{RuleVerdict, rule as prove};

/// Compiles a text at level 3 with a table.
fn compile_with(learned: &Learned, text: &str) -> Compiled {
    let mut compiler = Compiler::at(OptLevel::Learned);
    compiler.back.learn(Arc::new(learned.clone()));
    compiler.compile(text);
    compiler.compiled(&text.into())
}

/// The code of all routines at level 1, without its rules about comparisons with zero.
fn without_zero_rules(program: &Compiled) -> Vec<Vec<Instruction>> {
    let (mut routines, mut ir) = (lowered_routines(program), Default::default());
    let mut scratch = optimize::OptimizeScratch::without_zero_rules();
    optimize::run(&program.lowered, &mut routines, OptLevel::Local, &mut ir, &mut scratch);
    (0..routines.ir.len()).map(|routine| code::of(&ir, &routines, routine)).collect()
}

/// The system finds, proves, generalizes and applies the rule by itself.
#[test]
fn comparison_with_zero_is_found_proved_and_applied() {
    let text = "fn f(a: int, b: int) -> int {
        let n = 0;
        while a != 0 { a = a / 2; n += 1; }
        if b != 0 { n = n + b; }
        return n;
    }
    test f(8, 1) == 5;";
    let codes = without_zero_rules(&compile_at(OptLevel::Lowered, text));
    let mut search = RuleSearch::new(codes.iter().map(Vec::as_slice), Vec::new(), 60);
    while search.left() > 0 {
        search.step(&|| false);
    }
    let found: Vec<String> = search.found().iter().map(Rule::to_string).collect();
    let rule = "const-ne-unless: LOAD_CONST 0; COMPARE_NE; JUMP_IF_FALSE @ => JUMP_IF_FALSE @";
    assert!(found.iter().any(|found| found == rule), "{found:#?}");
    for rule in search.found() {
        assert_eq!(prove(rule, &|| false), Some(RuleVerdict::Proved), "{rule}");
    }
    // It applies to another program, with other variables and jumps.
    let other = "fn g(x: [int], k: int) -> int { for y in x { if y != 0 { if k != 0 { k -= y; } } } return k; }
        test g([1, 0], 3) == 2;";
    let rule = [Rule::read(rule).expect("a rule")];
    let mut hits = 0;
    for mut code in without_zero_rules(&compile_at(OptLevel::Lowered, other)) {
        let compares = |code: &[Instruction]| code.iter().filter(|own| own.op == Op::Ne).count();
        let before = compares(&code);
        apply(rule.iter(), &mut code, &mut |_| hits += 1);
        assert!(before == 0 || compares(&code) == 0);
    }
    assert_eq!(hits, 2);
}

#[test]
fn shipped_rules_are_proved_and_have_names_of_their_own() {
    let rules: Vec<Rule> = read_rules(SHIPPED).map(|rule| rule.expect("a rule")).collect();
    assert!(rules.len() >= 10, "{} rules", rules.len());
    for (place, rule) in rules.iter().enumerate() {
        assert_eq!(prove(rule, &|| false), Some(RuleVerdict::Proved), "{rule}");
        assert!(rules[..place].iter().all(|other| other.name != rule.name), "{rule}");
        assert_eq!(Rule::read(&rule.to_string()).as_ref(), Ok(rule));
    }
}

#[test]
fn level_3_takes_no_more_steps_than_level_2() {
    let mut fewer = 0;
    for (name, text) in one_in(3, programs(&["samples", "tests/repair", "tests/learned"])) {
        let [whole, learned] = [OptLevel::Whole, OptLevel::Learned].map(|level| compile_at(level, &text));
        let [before, after] = [&whole, &learned].map(|program| steps(program, &|| false).expect("steps"));
        assert!(after <= before, "{name}: {after} steps at level 3, {before} at level 2");
        fewer += u32::from(after < before);
    }
    assert!(fewer > 0, "no program takes fewer steps");
}

#[test]
fn rule_that_is_switched_off_does_not_apply() {
    let text = "fn f(a: int) -> int { let b = a + 1; return b * b; } test f(2) == 9;";
    let mut learned = Learned {
        rules: vec![Rule::read("r: STORE_VAR x; LOAD_VAR x; LOAD_VAR x => DUP if dead x").expect("a rule")],
        ..Learned::default()
    };
    let dups = |learned: &Learned| {
        compile_with(learned, text).ir.op.iter().filter(|op| **op == Op::Dup as u32).count()
    };
    assert!(dups(&learned) > 0);
    learned.off.insert("r".into());
    assert_eq!(dups(&learned), 0);
}

/// A function with these names, too long for level 2 to put it into its callers.
fn long(name: &str, n: &str, s: &str, i: &str) -> String {
    format!(
        "fn {name}({n}: [int; 9]) -> int {{
            let {s} = 0;
            let {i} = 0;
            while {i} < len({n}) {{ {s} += {n}[{i}]; {i} += 1; }}
            {i} = 0;
            while {i} < len({n}) {{ {s} = {s} + ({i} ^ {s}); {i} += 1; }}
            {i} = 0;
            while {i} < len({n}) {{ {s} = ({s} + {i} & 3) + {n}[{i}]; {i} += 1; }}
            return {s};
        }}"
    )
}

/// A function is found again in another file, at another place, under another name.
#[test]
fn learned_code_serves_every_file_with_the_function() {
    let text = format!("{} test f([]) == 0; prop k in [0..9; 6] => f(k) * 0 == 0;", long("f", "n", "s", "i"));
    let program = compile_at(OptLevel::Whole, &text);
    let function = program.functions().iter().next().expect("a function");
    let Some(LearnOutcome::Better(entry, _)) = learn(&program, function, &Learned::default(), None, &|| false)
    else {
        panic!("nothing better is found");
    };
    assert!(entry.moves.iter().any(|name| name == "count"), "{:?}", entry.moves);
    let mut learned = Learned::default();
    learned.functions.insert(entry.key, entry.code.clone().into());
    let other = format!(
        "// Another file.\nfn h(k: [int; 9]) -> int {{ return sum(k) + 1; }} {} test h([]) == 1; prop k in [0..9; 6] => h(k) * 0 == 0;",
        long("sum", "most", "all", "at")
    );
    let (before, after) = (compile_at(OptLevel::Whole, &other), compile_with(&learned, &other));
    let [before, after] = [&before, &after].map(|program| steps(program, &|| false).expect("steps"));
    assert!(after < before, "{after} {before}");
}
