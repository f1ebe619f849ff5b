//! Names that have an explanation, and their pages: diagnostics, passes, instructions, traps, mutation operators, repair
//! rules, nodes of the syntax tree, and marks. Serves `myriad explain`, the key that explains a row, and the help.

use std::sync::LazyLock;

use crate::lang::diagnostic::Code;
use crate::report::explain::{self, PassPage, TermPage};
use crate::report::steps;
use crate::testing::mutation::repair::Rule;
use crate::workbench::fuzzy::contains_words;
use crate::workbench::marks::{self, Mark};

/// Everything that has one name.
#[derive(Default)]
pub struct ExplainedPlace {
    pub codes: Vec<Code>,
    pub passes: Vec<PassPage>,
    pub terms: Vec<TermPage>,
    /// Marks with the places where they appear.
    pub marks: Vec<(&'static str, &'static Mark)>,
}

impl ExplainedPlace {
    pub fn all() -> ExplainedPlace {
        ExplainedPlace {
            codes: codes().collect(),
            passes: steps::names().filter_map(PassPage::of).collect(),
            terms: terms().collect(),
            marks: all_marks().collect(),
        }
    }

    /// Finds a name, in any case; a mark also by its glyph.
    pub fn named(name: &str) -> ExplainedPlace {
        let is_named = |mark: &Mark| mark.glyph == name || mark.word.eq_ignore_ascii_case(name);
        let rules = rules().filter(|page| page.name.eq_ignore_ascii_case(name));
        ExplainedPlace {
            codes: Code::from_code(name).into_iter().collect(),
            passes: PassPage::of(&name.to_lowercase()).into_iter().collect(),
            terms: TermPage::of(name).into_iter().chain(rules).collect(),
            marks: all_marks().filter(|(_, mark)| !name.is_empty() && is_named(mark)).collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        let ExplainedPlace { codes, passes, terms, marks } = self;
        codes.is_empty() && passes.is_empty() && terms.is_empty() && marks.is_empty()
    }

    /// Returns the whole pages, as Markdown.
    pub fn pages(&self) -> String {
        let codes = self.codes.iter().map(|code| explain::text(*code));
        let terms = self.terms.iter().map(TermPage::markdown);
        let marks = self.marks.iter().map(|(place, mark)| {
            let name = [mark.glyph, mark.word].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
            format!("# {}: {}\n\n{place}.\n", name.join(" "), mark.means)
        });
        let pages: Vec<String> =
            codes.chain(self.passes.iter().map(PassPage::markdown)).chain(terms).chain(marks).collect();
        pages.join("\n")
    }
}

/// A name, its kind, and what it is in a few words.
#[derive(Clone, Debug)]
pub struct ExplainedName {
    pub kind: &'static str,
    pub name: &'static str,
    pub summary: String,
}

/// Returns the names whose kind, name and summary contain all words of a filter; none for an empty filter. Marks are left
/// out.
pub fn matching(filter: &str) -> Vec<&'static ExplainedName> {
    static NAMES: LazyLock<Vec<ExplainedName>> = LazyLock::new(|| {
        let codes = codes().map(|code| ExplainedName {
            kind: "diagnostic",
            name: code.code(),
            summary: code.title().into(),
        });
        let passes = steps::names().map(|name| ExplainedName {
            kind: "pass",
            name,
            summary: steps::summary(name).to_string(),
        });
        let terms =
            terms().map(|page| ExplainedName { kind: page.kind, name: page.name, summary: page.summary });
        codes.chain(passes).chain(terms).collect()
    });
    if filter.trim().is_empty() {
        return Vec::new();
    }
    let fits = |name: &&ExplainedName| {
        contains_words(filter, &format!("{} {} {}", name.kind, name.name, name.summary))
    };
    NAMES.iter().filter(fits).collect()
}

fn codes() -> impl Iterator<Item = Code> {
    Code::ALL.iter().copied().filter(|code| *code != Code::None)
}

fn terms() -> impl Iterator<Item = TermPage> {
    TermPage::all().into_iter().chain(rules())
}

fn rules() -> impl Iterator<Item = TermPage> {
    Rule::ALL.iter().map(|rule| TermPage {
        kind: "repair rule",
        name: rule.name(),
        summary: rule.summary().into(),
        text: format!(
            "Its cost is {}: the size of the change. Repairs of lower cost are listed first, because they are more often right.",
            rule.cost()
        ),
        example: String::new(),
        shown: String::new(),
    })
}

fn all_marks() -> impl Iterator<Item = (&'static str, &'static Mark)> {
    marks::TABLE.iter().flat_map(|(place, marks)| marks.iter().map(move |mark| (*place, *mark)))
}
