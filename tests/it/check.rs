//! lex, parse and check on generated programs: well-typed ones have no errors, broken ones have at most one error per
//! token and never stop them, columns are consistent, and the output does not depend on earlier programs.

use myriad::compiler::program::{
    Checked, ERROR_MUTED, Facts, STMT_INDEX, STMT_LEXICAL, STMT_MUTED, STMT_SYNTAX, Tokens, Tree,
};
use myriad::compiler::stage::{check, lex, parse};
use myriad::lang::NONE;
use myriad::lang::diagnostic::Code;
use myriad::lang::role::Role;

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

    /// Checks invariants of every program: tokens are in order, nodes are inside of their parents and do not
    /// overlap.
    fn check_columns(&self, text: &str) {
        let (tokens, tree) = (&self.tokens, &self.tree);
        let n = tokens.kind.len();
        for t in 0..n {
            assert!(tokens.lo[t] < tokens.hi[t] && (t == 0 || tokens.hi[t - 1] <= tokens.lo[t]), "{text}");
            assert!(
                text.is_char_boundary(tokens.lo[t] as usize) && text.is_char_boundary(tokens.hi[t] as usize)
            );
        }
        if self.facts.stopped() {
            return;
        }
        assert_eq!(tree.role.len(), n);
        let mut places = vec![];
        for t in 0..n {
            let first = (tree.stmt[t] & STMT_INDEX) as usize;
            assert!(first <= t && tree.stmt[first] == tree.stmt[t], "token {t} of {text}");
            if tree.role[t] == Role::None as u32 {
                assert_eq!((tree.parent[t], tree.slot[t], tree.lo[t], tree.hi[t]), (NONE, 0, 0, 0), "{text}");
                continue;
            }
            let (lo, hi) = (tree.lo[t], tree.hi[t]);
            assert!(lo <= t as u32 && (t as u32) < hi && hi as usize <= n, "token {t} of {text}");
            let parent = tree.parent[t];
            if parent != NONE {
                let p = parent as usize;
                assert_ne!(tree.role[p], Role::None as u32, "token {t} of {text}");
                assert!(tree.lo[p] <= lo && hi <= tree.hi[p], "token {t} of {text}");
                if tree.role[p] != Role::Block as u32 {
                    places.push((parent, tree.slot[t]));
                }
            }
        }
        // Siblings do not overlap.
        let mut end = vec![0; n];
        for t in 0..n {
            if tree.role[t] != Role::None as u32 && tree.parent[t] != NONE && tree.lo[t] == t as u32 {
                let p = tree.parent[t] as usize;
                assert!(end[p] <= tree.lo[t], "token {t} of {text}");
                end[p] = tree.hi[t];
            }
        }
        let count = places.len();
        places.sort();
        places.dedup();
        assert_eq!(places.len(), count, "two children in one place: {text}");
        let broken = tree.stmt.iter().any(|stmt| stmt & (STMT_LEXICAL | STMT_SYNTAX) != 0);
        assert!(!broken || self.facts.errors > 0, "{text}");
        let mut errors = tree.error.iter().chain(&self.checked.error);
        assert_eq!(self.facts.errors > 0, broken || errors.any(|error| *error != 0), "{text}");
    }
}

#[test]
fn well_typed_programs_are_free_of_errors() {
    let mut front = Front::default();
    for seed in 0..2_000 {
        let text = crate::common::typed::program(seed);
        front.run(&text);
        front.check_columns(&text);
        let errors: Vec<_> = front.checked.error.iter().filter(|e| **e != 0).collect();
        assert_eq!(front.facts.errors, 0, "seed {seed}: {errors:?}\n{text}");
    }
}

#[test]
fn reused_checker_matches_a_fresh_one_on_broken_programs() {
    let mut used = Front::default();
    for seed in 0..4_000 {
        let text = crate::common::broken::program(seed);
        used.run(&text);
        used.check_columns(&text);
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

#[test]
fn errors_of_a_body_that_is_never_closed_are_not_reported() {
    let mut front = Front::default();
    let mut muted = 0;
    for seed in 0..2_000 {
        let text = crate::common::broken::without_bracket(seed);
        front.run(&text);
        front.check_columns(&text);
        let Front { tree, checked, .. } = &front;
        for t in (0..tree.stmt.len()).filter(|t| tree.stmt[*t] & STMT_MUTED != 0) {
            let first = (tree.stmt[t] & STMT_INDEX) as usize;
            let reports = tree.error[t] == Code::NeverClosed as u32;
            let is_header = tree.role[first] == Role::Fn as u32;
            assert_eq!(reports, is_header && tree.role[t] == Role::Block as u32, "token {t} of {text}");
            assert!(reports || tree.error[t] == 0, "token {t} of {text}");
            assert!(checked.error[t] == 0 || checked.error[t] & ERROR_MUTED != 0, "token {t} of {text}");
            muted += 1;
        }
    }
    assert!(muted > 20_000, "{muted} muted tokens");
}

#[test]
fn statements_of_a_body_that_is_never_closed_keep_their_rows() {
    let (mut front, mut open) = (Front::default(), Front::default());
    for seed in 0..500 {
        let mut text = crate::common::typed::program(seed);
        front.run(&text);
        let (tokens, tree) = (&front.tokens, &front.tree);
        let of_function = |t: &usize| {
            let parent = tree.parent[*t] as usize;
            tree.role[*t] == Role::Block as u32 && tree.role[parent] == Role::Fn as u32
        };
        let Some(block) = (0..tree.role.len()).filter(of_function).nth(seed as usize % 3) else { continue };
        let closer = tree.hi[block] as usize - 1;
        text.replace_range(tokens.lo[closer] as usize..tokens.hi[closer] as usize, " ");
        open.run(&text);
        open.check_columns(&text);
        let moved = |t: u32| if t != NONE && t as usize > closer { t - 1 } else { t };
        for t in (0..tree.role.len()).filter(|t| *t != closer) {
            let found = moved(t as u32) as usize;
            let row = |tree: &Tree, t: usize| (tree.role[t], tree.slot[t], tree.lo[t]);
            let (role, slot, lo) = row(tree, t);
            assert_eq!(row(&open.tree, found), (role, slot, moved(lo)), "token {t} of {text}");
            assert_eq!(open.tree.parent[found], moved(tree.parent[t]), "token {t} of {text}");
        }
        assert_eq!(open.facts.errors, 1, "{text}");
        assert_eq!(open.tree.error[block], Code::NeverClosed as u32, "{text}");
    }
}
