//! Explanations of the optimizer's passes and expansions for `myriad explain`: a page for each in
//! `passes/NAME.md`, with an example program. The compiler produces the code before and after.

use super::{Block, blocks};
use crate::compiler::program::Compiled;
use crate::compiler::stage::compile_at;
use crate::compiler::stage::optimize::PASSES;
use crate::lang::level::OptLevel;
use crate::report::{listing, steps};

macro_rules! pages {
    ($($name:literal)*) => { &[$(($name, include_str!(concat!("passes/", $name, ".md"))),)*] };
}

const PAGES: &[(&str, &str)] = pages! {
    "fold" "combine" "branch" "thread" "unreachable" "compact"
    "calls" "inline" "unroll" "hoist" "share" "rotate" "lists" "tails" "known"
};

/// The explanation of a pass or expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassPage {
    pub name: &'static str,
    pub summary: &'static str,
    /// The lowest level that runs it.
    pub level: OptLevel,
    /// When it applies and when it does not, as Markdown.
    pub text: &'static str,
    pub example: &'static str,
    /// The code of one function of the program before the pass and after it, as `stages` lists it.
    pub before: String,
    pub after: String,
}

impl PassPage {
    /// Returns the page of the pass or expansion with this name.
    pub fn of(name: &str) -> Option<PassPage> {
        let name = steps::names().find(|own| *own == name)?;
        let page = PAGES.iter().find(|(own, _)| *own == name).map_or("", |(_, page)| page);
        let (mut text, mut example) = ("", "");
        for block in blocks(page) {
            match block {
                Block::Prose(prose) if text.is_empty() => text = prose,
                Block::Prose(_) => {}
                Block::Example { body, .. } => example = body,
            }
        }
        let level = PASSES.iter().find(|pass| pass.name == name).map_or(OptLevel::Whole, |pass| pass.level);
        let program = compile_at(level, example);
        let [before, after] = code(&program, name).unwrap_or_default();
        Some(PassPage { name, summary: steps::summary(name), level, text, example, before, after })
    }

    pub fn markdown(&self) -> String {
        let PassPage { name, summary, level, text, example, before, after } = self;
        let level = match level {
            OptLevel::Whole => "It runs at level 2 (`--opt 2`).",
            _ => "It runs at level 1, the default, and at level 2.",
        };
        format!(
            "# {name}: {summary}\n\n{level} {}\n\n```myr\n{example}```\n\nBefore:\n\n```text\n{before}```\n\nAfter:\n\n\
             ```text\n{after}```\n",
            text.trim()
        )
    }
}

/// Returns the first change that a pass makes, as two listings.
fn code(program: &Compiled, name: &str) -> Option<[String; 2]> {
    let page = |lines: &[listing::Line]| listing::page(lines);
    steps::first_change(program, name).map(|[before, after]| [page(&before), page(&after)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::stage::compile;

    #[test]
    fn every_pass_has_a_page_whose_example_it_changes() {
        for name in steps::names() {
            let page = PassPage::of(name).expect("it is a pass");
            assert!(!page.text.trim().is_empty(), "write src/report/explain/passes/{name}.md and list it here");
            assert!(compile(page.example).facts.compiles(), "the example of {name} has an error");
            assert!(!page.before.is_empty(), "{name} does not change its example");
            assert_ne!(page.before, page.after, "{name}");
            let document = page.markdown();
            assert!(document.contains(&page.before) && document.contains(page.summary));
        }
        assert_eq!(PassPage::of("foldd"), None);
    }
}
