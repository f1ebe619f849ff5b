//! The items of a lesson that must remain unchanged: its tests and properties, and the items that it keeps.
//! They are compared by tokens, so layout, comments and position may change.

use std::collections::BTreeSet;

use crate::compiler::program::{Compiled, View};
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::role::Role;
use crate::lang::token::TokenKind;

/// A test, property, function or constant of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub role: Role,
    /// Its name or label; tests may have none.
    pub name: Option<String>,
    /// Its source text, on one line.
    pub text: String,
    tokens: Vec<String>,
}

/// The items of a lesson's program, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonItems {
    pub items: Vec<Item>,
    /// All names of functions that the program declares or calls.
    pub names: Vec<String>,
    /// Pairs of functions, as indices of items, that a test or property compares with each other.
    pub compared: Vec<[usize; 2]>,
}

impl LessonItems {
    pub fn new(program: &Compiled) -> LessonItems {
        let view = program.view();
        let is_item = |t: &TokenId| matches!(view.role(*t), Role::Fn | Role::Const | Role::Test | Role::Prop);
        let names = view
            .nodes()
            .filter(|t| matches!(view.role(*t), Role::FnName | Role::Call))
            .map(|t| view.text(t).to_string());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names.dedup();
        let items = view.nodes().filter(is_item).map(|t| Item::new(view, t)).collect();
        let mut own = LessonItems { items, names, compared: Vec::new() };
        own.compared = own.comparisons(view);
        own
    }

    /// Finds the functions that only one side of a comparison in a test or property calls, directly or through others.
    fn comparisons(&self, view: View) -> Vec<[usize; 2]> {
        let heads = |role| view.nodes().filter(move |t| view.is(*t, role));
        let calls = |node: TokenId| {
            let calls = view.extent(node).iter().filter(|t| view.is(*t, Role::Call));
            calls.filter_map(|t| self.function(view.text(t))).collect::<Vec<usize>>()
        };
        let mut callees = vec![Vec::new(); self.items.len()];
        for head in heads(Role::Fn) {
            if let Some(function) = view.child(head, 0).and_then(|name| self.function(view.text(name))) {
                callees[function] = calls(head);
            }
        }
        let reached = |node: Option<TokenId>| {
            let (mut reached, mut open) = (BTreeSet::new(), node.map(calls).unwrap_or_default());
            while let Some(function) = open.pop() {
                if reached.insert(function) {
                    open.extend(&callees[function]);
                }
            }
            reached
        };
        let mut pairs = BTreeSet::new();
        for head in heads(Role::Test).chain(heads(Role::Prop)) {
            let is_comparison = |t: &TokenId| view.is(*t, Role::Binary) && view.kind(*t).is_comparison();
            for operator in view.extent(head).iter().filter(is_comparison) {
                let [left, right] = [0, 1].map(|side| reached(view.child(operator, side)));
                for one in left.difference(&right) {
                    pairs.extend(right.difference(&left).map(|other| [*one.min(other), *one.max(other)]));
                }
            }
        }
        pairs.into_iter().collect()
    }

    /// Returns the functions and constants that judge the learner's code, if learners may change only what a solution
    /// changes: those that a test or property uses, directly or through other judges.
    pub fn judges(&self, solution: View) -> Vec<usize> {
        let stays = |item: usize| self.items[item].find(solution).is_some();
        let entries = (0..self.items.len()).filter(|item| self.items[*item].is_entry());
        let mut judges: Vec<usize> = entries.flat_map(|entry| self.reached(entry, stays)).collect();
        judges.retain(|item| stays(*item));
        judges
    }

    /// Returns functions and constants that one test or property uses and that may change: at least two, of which any
    /// could judge the others. `kept` has the items that stay.
    pub fn unclear(&self, kept: &[usize]) -> Option<Vec<usize>> {
        let entries = (0..self.items.len()).filter(|item| self.items[*item].is_entry());
        let free = |entry| -> Vec<usize> {
            self.reached(entry, |_| true).into_iter().filter(|item| !kept.contains(item)).collect()
        };
        entries.map(free).find(|free| free.len() > 1)
    }

    /// Returns the functions and constants that an item uses, directly or through those that stay.
    fn reached(&self, from: usize, stays: impl Fn(usize) -> bool) -> BTreeSet<usize> {
        let uses = |item: usize, used: usize| {
            let Item { name: Some(name), .. } = &self.items[used] else { return false };
            used != item && !self.items[used].is_entry() && self.items[item].tokens.contains(name)
        };
        let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(item) = open.pop() {
            for used in (0..self.items.len()).filter(|used| uses(item, *used)) {
                if reached.insert(used) && stays(used) {
                    open.push(used);
                }
            }
        }
        reached
    }

    fn function(&self, name: &str) -> Option<usize> {
        self.items.iter().position(|item| item.role == Role::Fn && item.name.as_deref() == Some(name))
    }

    /// Returns the test or property with this label.
    pub fn labelled(&self, label: &str) -> Option<&Item> {
        self.items.iter().find(|item| item.is_entry() && item.name.as_deref() == Some(label))
    }

    /// Returns the function or constant with this name.
    pub fn named(&self, name: &str) -> Option<&Item> {
        self.items.iter().find(|item| !item.is_entry() && item.name.as_deref() == Some(name))
    }
}

impl Item {
    fn new(view: View, head: TokenId) -> Item {
        let label = |t: &TokenId| matches!(view.role(*t), Role::Label | Role::FnName | Role::ConstName);
        let name = view.child(head, 0).filter(label).map(|t| view.text(t).trim_matches('"').to_string());
        let text = view.extent_span(head).and_then(|bytes| view.source.get(bytes)).unwrap_or("");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let tokens = view.extent(head).iter().map(|t| view.text(t).to_string()).collect();
        Item { role: view.role(head), name, text, tokens }
    }

    /// Returns whether it is a test or a property.
    pub fn is_entry(&self) -> bool {
        matches!(self.role, Role::Test | Role::Prop)
    }

    /// Returns its name for messages: `fn gcd`, `test "coprime"`, or a test's whole text.
    pub fn called(&self) -> String {
        match (&self.name, self.role) {
            (Some(name), Role::Fn) => format!("fn {name}"),
            (Some(name), Role::Const) => format!("const {name}"),
            (Some(label), Role::Prop) => format!("prop \"{label}\""),
            (Some(label), _) => format!("test \"{label}\""),
            (None, _) => self.text.trim_end_matches(';').to_string(),
        }
    }

    /// Returns its first token in a program that contains it.
    pub fn find(&self, view: View) -> Option<TokenId> {
        let count = self.tokens.len() as u32;
        let (first, rest) = self.tokens.split_first()?;
        let is_here = |t: &TokenId| {
            let after = (*t + 1).up_to(view.all().end());
            // More may follow the tokens, as in `test f(1) == 2 || true;`.
            let ends =
                self.role == Role::Fn || view.has(*t + count) && view.kind(*t + count) == TokenKind::Semicolon;
            ends && view.text(*t) == first
                && after.iter().zip(rest).all(|(other, text)| view.text(other) == text)
        };
        Indices::first((view.len() + 1).saturating_sub(count)).iter().find(is_here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::stage::compile;

    #[test]
    fn lesson_items_are_found_by_their_tokens() {
        let own = LessonItems::new(&compile(
            "const A = 1;\nfn f() -> int { return A; }\ntest f() == 1;\nprop \"all\": x in 0..3 => f() < x + 2;\n",
        ));
        let called: Vec<String> = own.items.iter().map(Item::called).collect();
        assert_eq!(called, ["const A", "fn f", "test f() == 1", "prop \"all\""]);
        let changed = compile(
            "// moved\ntest  f() ==\n 1; fn f() -> int { return 1; } prop \"all\": x in 0..2 => f() < x + 2;",
        );
        let found: Vec<bool> = own.items.iter().map(|item| item.find(changed.view()).is_some()).collect();
        assert_eq!(found, [false, false, true, false]);
        assert!(own.labelled("all").is_some() && own.labelled("f").is_none() && own.named("f").is_some());
        assert_eq!(own.names, ["f"]);
    }

    #[test]
    fn extended_test_is_not_found() {
        let own = LessonItems::new(&compile("const A = 1;\ntest A == 1;\nprop x in 0..3 => x < 3;\n"));
        let found =
            |text: &str| own.items.iter().map(|item| item.find(compile(text).view()).is_some()).collect();
        let all: Vec<bool> = found("const A = 1; test A == 1; prop x in 0..3 => x < 3;");
        let none: Vec<bool> = found("const A = 1 + 2; test A == 1 || true; prop x in 0..3 => x < 3 + x;");
        assert_eq!((all, none), (vec![true; 3], vec![false; 3]));
    }

    #[test]
    fn compared_functions_are_found_on_both_sides() {
        let text = "fn f(x: int) -> int { return h(x); } fn g(x: int) -> int { return k(x); }
            fn h(x: int) -> int { return x; } fn k(x: int) -> int { return h(x); }
            test f(g(1)) == 1; prop x in 0..3 => f(x) == g(x) && true; test g(2) == k(1) + 1;";
        let own = LessonItems::new(&compile(text));
        let named = |[one, other]: &[usize; 2]| [*one, *other].map(|item| own.items[item].called());
        let pairs: Vec<[String; 2]> = own.compared.iter().map(named).collect();
        assert_eq!(pairs, [["fn f", "fn g"], ["fn f", "fn k"]].map(|pair| pair.map(String::from)));
    }

    #[test]
    fn commented_out_test_is_not_found() {
        let own = LessonItems::new(&compile("test 1 == 1;\n"));
        assert_eq!(own.items[0].find(compile("// test 1 == 1;\n").view()), None);
        assert_eq!(own.items[0].find(compile("").view()), None);
    }
}
