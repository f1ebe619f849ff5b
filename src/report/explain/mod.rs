//! Explanations for `myriad explain`, of passes ([`PassPage`]), of instructions, traps, mutation operators and syntax ([`TermPage`]), and of codes: a page for each code, with an example of the mistake and of its
//! correction.
//!
//! A page is Markdown in `pages/CODE.md` with two fenced blocks, `myr,wrong` and `myr,mended`. If an example is
//! too large to write out, `repeat=N` in its fence repeats each line that contains `{n}` N times, for n from 0.
//! A test compiles both examples of every page: the wrong one must yield exactly this code, the corrected one
//! nothing.

mod passes;
mod syntax;
mod terms;

use crate::lang::diagnostic::Code;
use crate::lang::verdict::MutantStatus;
use crate::report::steps;
pub use passes::PassPage;
pub use syntax::SYNTAX;
pub use terms::TermPage;

macro_rules! pages {
    ($($code:literal)*) => { &[$(($code, include_str!(concat!("pages/", $code, ".md"))),)*] };
}

const PAGES: &[(&str, &str)] = pages! {
    "E0101" "E0102" "E0103" "E0104" "E0105"
    "E0201" "E0202" "E0203" "E0204" "E0205" "E0206"
    "E0301" "E0302" "E0303" "E0304"
    "E0401" "E0402" "E0403" "E0404" "E0405" "E0406"
    "E0501" "E0502" "E0503"
    "E0601" "E0602" "E0603" "E0604" "E0605" "E0606" "E0607"
    "W0001" "W0002" "W0003" "W0004" "W0005" "W0006" "W0007"
};

/// Returns the names that have an explanation, apart from those of marks.
pub fn names() -> impl Iterator<Item = &'static str> {
    let codes = Code::ALL.iter().filter(|code| **code != Code::None).map(|code| code.code());
    let statuses = MutantStatus::ALL.iter().map(|status| status.name());
    steps::names().chain(codes).chain(TermPage::names()).chain(statuses)
}

fn page(code: Code) -> &'static str {
    PAGES.iter().find(|(name, _)| *name == code.code()).map_or("", |(_, page)| page)
}

/// Returns the explanation as Markdown, with long repetitions shortened.
pub fn text(code: Code) -> String {
    let mut out = format!("# {}: {}\n\n", code.code(), code.title());
    for block in blocks(page(code)) {
        match block {
            Block::Prose(lines) => out.push_str(lines),
            Block::Example { body, repeat, .. } => {
                out.push_str("```myr\n");
                out.push_str(&expand(body, repeat, repeat > SHORT));
                out.push_str("```\n");
            }
        }
    }
    out
}

/// Returns the example of the mistake, a whole program.
pub fn wrong(code: Code) -> String {
    example(code, "wrong")
}

/// Returns the corrected example, a whole program.
pub fn mended(code: Code) -> String {
    example(code, "mended")
}

/// Repetitions up to this number are shown in full.
const SHORT: usize = 4;

enum Block<'a> {
    Prose(&'a str),
    Example { kind: &'a str, body: &'a str, repeat: usize },
}

/// Splits a page at its fences.
fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut rest = page;
    while let Some((prose, behind)) = rest.split_once("```myr,") {
        let (info, body) = behind.split_once('\n').unwrap_or((behind, ""));
        let (body, after) = body.split_once("```\n").unwrap_or((body, ""));
        let (kind, repeat) = info.split_once(",repeat=").unwrap_or((info, "1"));
        blocks.push(Block::Prose(prose));
        blocks.push(Block::Example { kind, body, repeat: repeat.parse().unwrap_or(1) });
        rest = after;
    }
    blocks.push(Block::Prose(rest));
    blocks
}

fn example(code: Code, wanted: &str) -> String {
    for block in blocks(page(code)) {
        if let Block::Example { kind, body, repeat } = block
            && kind == wanted
        {
            return expand(body, repeat, false);
        }
    }
    String::new()
}

/// Repeats each line that contains `{n}`; with `short`, only the first two and the last repetitions are
/// written.
fn expand(body: &str, repeat: usize, short: bool) -> String {
    let mut out = String::new();
    for line in body.lines() {
        if !line.contains("{n}") {
            out.push_str(line);
            out.push('\n');
            continue;
        }
        for n in 0..repeat {
            if short && n == 2 {
                out.push_str("// …\n");
            }
            if !short || n < 2 || n + 1 == repeat {
                out.push_str(&line.replace("{n}", &n.to_string()));
                out.push('\n');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page_with_both_examples() {
        for &code in Code::ALL.iter().filter(|code| **code != Code::None) {
            assert!(!page(code).is_empty(), "{} has no page", code.code());
            assert!(!wrong(code).is_empty() && !mended(code).is_empty(), "{} lacks an example", code.code());
        }
        assert_eq!(PAGES.len(), Code::ALL.len() - 1);
    }

    #[test]
    fn repetitions_are_expanded_in_programs_and_short_in_pages() {
        let program = wrong(Code::TooManyFunctions);
        assert_eq!(program.lines().count(), 257);
        assert!(text(Code::TooManyFunctions).lines().count() < 20);
    }
}
