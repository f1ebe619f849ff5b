//! The items of a lesson that must remain unchanged: its tests and properties, and the items that it keeps.
//! They are compared by tokens, so layout, comments and position may change.

use crate::compiler::program::{Compiled, View};
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::role::Role;

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
        LessonItems { items: view.nodes().filter(is_item).map(|t| Item::new(view, t)).collect(), names }
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
            view.text(*t) == first && after.iter().zip(rest).all(|(other, text)| view.text(other) == text)
        };
        Indices::first((view.len() + 1).saturating_sub(count)).iter().find(is_here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::stage::Compiler;

    fn compiled(text: &str) -> Compiled {
        let mut compiler = Compiler::default();
        compiler.compile(text);
        compiler.compiled(&text.into())
    }

    #[test]
    fn lesson_items_are_found_by_their_tokens() {
        let own = LessonItems::new(&compiled(
            "const A = 1;\nfn f() -> int { return A; }\ntest f() == 1;\nprop \"all\": x in 0..3 => f() < x + 2;\n",
        ));
        let called: Vec<String> = own.items.iter().map(Item::called).collect();
        assert_eq!(called, ["const A", "fn f", "test f() == 1", "prop \"all\""]);
        let changed = compiled(
            "// moved\ntest  f() ==\n 1; fn f() -> int { return 1; } prop \"all\": x in 0..2 => f() < x + 2;",
        );
        let found: Vec<bool> = own.items.iter().map(|item| item.find(changed.view()).is_some()).collect();
        assert_eq!(found, [false, false, true, false]);
        assert!(own.labelled("all").is_some() && own.labelled("f").is_none() && own.named("f").is_some());
        assert_eq!(own.names, ["f"]);
    }

    #[test]
    fn commented_out_test_is_not_found() {
        let own = LessonItems::new(&compiled("test 1 == 1;\n"));
        assert_eq!(own.items[0].find(compiled("// test 1 == 1;\n").view()), None);
        assert_eq!(own.items[0].find(compiled("").view()), None);
    }
}
