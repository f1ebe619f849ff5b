//! check on generated programs: well-typed ones have no errors, broken ones have at most one error per token
//! and never stop it, and its output does not depend on earlier programs.

use myriad::compiler::program::{
    Checked, ERROR_MUTED, Facts, STMT_LEXICAL, STMT_MUTED, STMT_SYNTAX, Tokens, Tree,
};
use myriad::compiler::stage::{check, lex, parse};
use myriad::lang::NONE;

#[derive(Default)]
struct Front {
    tokens: Tokens,
    tree: Tree,
    checked: Checked,
    facts: Facts,
    lex: lex::LexScratch,
    parse: parse::ParseScratch,
    check: check::CheckScratch,
}

impl Front {
    fn run(&mut self, text: &str) {
        lex::run(text, &mut self.tokens, &mut self.facts, &mut self.lex);
        self.checked.clear();
        if !self.facts.stopped() {
            parse::run(&self.tokens, &mut self.tree, &mut self.facts, &mut self.parse);
        }
        if !self.facts.stopped() {
            check::run(&self.tokens, &self.tree, &mut self.checked, &mut self.facts, &mut self.check);
        }
    }
}

#[test]
fn well_typed_programs_are_free_of_errors() {
    let mut front = Front::default();
    for seed in 0..300 {
        let text = crate::common::typed::program(seed);
        front.run(&text);
        let errors: Vec<_> = front.checked.error.iter().filter(|e| **e != 0).collect();
        assert_eq!(front.facts.errors, 0, "seed {seed}: {errors:?}\n{text}");
    }
}

#[test]
fn reused_checker_matches_a_fresh_one_on_broken_programs() {
    let mut used = Front::default();
    for seed in 0..1500 {
        let text = crate::common::broken::program(seed);
        used.run(&text);
        let mut fresh = Front::default();
        fresh.run(&text);
        assert_eq!(used.checked, fresh.checked, "seed {seed}\n{text}");
        assert_eq!(used.facts, fresh.facts);
        for (t, error) in used.checked.error.iter().enumerate() {
            let stmt = used.tree.stmt[t];
            assert!(
                *error == 0 || stmt & (STMT_LEXICAL | STMT_SYNTAX) == 0,
                "seed {seed}: an error without rows"
            );
            assert_eq!(
                *error & ERROR_MUTED != 0,
                *error != 0 && stmt & STMT_MUTED != 0,
                "seed {seed}: {error:#x}"
            );
            assert!(used.checked.decl[t] == NONE || (used.checked.decl[t] as usize) < used.tokens.kind.len());
        }
    }
}

#[test]
fn long_chains_are_walked_without_recursion() {
    let chain = |op: &str, n| format!("fn f(a: int) -> int {{ return a{}; }}", format!("{op}a").repeat(n));
    let else_ifs = "if a > 1 { return 1; } else ".repeat(650);
    let lists = |n| format!("fn f(a: [int; 1]) -> [int] {{ let x = a{}; return x; }}", "+a".repeat(n));
    let cases = [
        chain("+", 4000),
        chain("-", 4000),
        chain("|", 4000),
        format!("fn f(a: int) -> int {{ return {}a; }}", "-".repeat(8000)),
        format!("fn f(a: int) -> int {{ {else_ifs} {{ return 2; }} }}"),
        format!("const A = 1{};", "+1".repeat(4000)),
        format!("fn f(a: int) -> int {{ return {}a{}; }}", "(".repeat(63), ")".repeat(63)),
        lists(4000),
    ];
    let mut front = Front::default();
    for text in cases {
        front.run(&text);
        assert!(!front.facts.stopped());
        assert_eq!(front.facts.errors, 0, "{}", &text[..60]);
    }
}

#[test]
fn exceeded_limit_is_reported_at_the_first_excess_item() {
    let mut front = Front::default();
    let functions =
        |n: usize| (0..n).map(|i| format!("fn f{i}() -> int {{ return {i}; }}\n")).collect::<String>();
    let tests = |n: usize| "test true;\n".repeat(n);
    let locals = |n: usize| {
        let lets: String = (0..n).map(|i| format!("let x{i} = {i};\n")).collect();
        format!("fn f() -> int {{\n{lets} return 1; }}")
    };
    let params = |n: usize| {
        let params: Vec<_> = (0..n).map(|i| format!("p{i}: int")).collect();
        format!("fn f({}) -> int {{ return 1; }}", params.join(", "))
    };
    for (good, bad, code) in [
        (functions(256), functions(258), "E0605"),
        (tests(256), tests(258), "E0606"),
        (locals(64), locals(66), "E0604"),
        (params(16), params(18), "E0604"),
    ] {
        front.run(&good);
        assert_eq!(front.facts.errors, 0);
        front.run(&bad);
        let found: Vec<_> = (0..front.checked.error.len()).filter(|t| front.checked.error[*t] != 0).collect();
        assert_eq!(found.len(), 1, "{code}");
        let error = myriad::lang::diagnostic::Code::from_u32(front.checked.error[found[0]]);
        assert_eq!(error.map(|c| c.code()), Some(code));
        assert!(matches!(front.checked.detail[found[0]], 258 | 66 | 18));
    }
}

#[test]
fn ill_typed_programs_trigger_every_rule() {
    let mut front = Front::default();
    let mut met = std::collections::BTreeMap::new();
    let mut intact = 0;
    for seed in 0..600 {
        front.run(&crate::common::confused::program(seed));
        intact += front.tree.stmt.iter().all(|stmt| stmt >> 24 == 0) as u32;
        for error in front.checked.error.iter().filter(|error| **error != 0) {
            *met.entry(myriad::lang::diagnostic::Code::from_u32(*error).map_or("", |c| c.code()))
                .or_insert(0) += 1;
        }
    }
    let rules = [
        "E0301", "E0302", "E0303", "E0304", "E0401", "E0402", "E0403", "E0404", "E0405", "E0406", "E0501",
        "E0502", "E0503", "E0607",
    ];
    let missing: Vec<_> = rules.iter().filter(|code| !met.contains_key(*code)).collect();
    assert!(missing.is_empty() && intact > 300, "missing {missing:?}; {intact} of 600 parse; {met:?}");
}
