//! lex and parse on generated programs: they never panic, well-typed programs have no errors, and the columns
//! are consistent for any input.

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
    facts: Facts,
    lex: lex::LexScratch,
    parse: parse::ParseScratch,
}

impl Front {
    fn run(&mut self, text: &str) {
        lex::run(text, &mut self.tokens, &mut self.facts, &mut self.lex);
        self.tree.clear();
        if !self.facts.stopped() {
            parse::run(&self.tokens, &mut self.tree, &mut self.facts, &mut self.parse);
        }
    }

    /// Checks invariants of every program: tokens are in order, nodes are inside of their parents and do not
    /// overlap.
    fn check(&self, text: &str) {
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
        assert_eq!(self.facts.errors > 0, broken || tree.error.iter().any(|error| *error != 0), "{text}");
    }
}

#[test]
fn well_typed_programs_have_no_error() {
    let mut front = Front::default();
    for seed in 0..2_000 {
        let text = crate::common::typed::program(seed);
        front.run(&text);
        front.check(&text);
        assert_eq!(front.facts.errors, 0, "seed {seed}: {text}");
    }
}

#[test]
fn broken_programs_leave_consistent_columns() {
    let mut front = Front::default();
    for seed in 0..4_000 {
        let text = crate::common::broken::program(seed);
        front.run(&text);
        front.check(&text);
    }
}

#[test]
fn errors_of_a_body_that_is_never_closed_are_not_reported() {
    let mut front = Front::default();
    let (mut muted, mut checked) = (0, Checked::default());
    for seed in 0..2_000 {
        let text = crate::common::broken::without_bracket(seed);
        front.run(&text);
        front.check(&text);
        let Front { tokens, tree, facts, .. } = &mut front;
        check::run(tokens, tree, &mut checked, facts, &mut Default::default());
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
        open.check(&text);
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

/// Not a check: prints the time of lex and parse for a program of a few hundred tokens.
#[test]
#[ignore = "a measurement; run it in release with --nocapture"]
fn lex_and_parse_times_are_printed() {
    let text = include_str!("../conformance/lists.myr");
    let mut front = Front::default();
    front.run(text);
    let rounds = 2_000;
    let start = std::time::Instant::now();
    for _ in 0..rounds {
        lex::run(text, &mut front.tokens, &mut front.facts, &mut front.lex);
    }
    let lexed = start.elapsed() / rounds;
    let start = std::time::Instant::now();
    for _ in 0..rounds {
        parse::run(&front.tokens, &mut front.tree, &mut front.facts, &mut front.parse);
    }
    let parsed = start.elapsed() / rounds;
    println!("{} tokens: lex {lexed:?}, parse {parsed:?}", front.tokens.kind.len());
}
