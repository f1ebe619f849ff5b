//! The one table of panels, and a file for each. A panel is a list, whose rows stand for places in the source, or a page of
//! prose. Nothing here depends on how many rows a list has but for those on screen.

mod ast;
mod bytecode;
mod code;
pub mod diagnostics;
mod editor;
mod energy;
pub mod figures;
mod function;
mod ir;
mod ladder;
mod latency;
pub mod layout;
mod lesson;
mod list;
mod matrix;
mod mutant;
mod mutants;
mod neural;
mod noise;
mod page;
pub mod paper;
mod predict;
mod repairs;
mod rounds;
mod router;
pub mod run;
mod shaders;
mod tests;
mod tokens;

use std::borrow::Cow;

use ratatui::text::Line;

use crate::session::idle::{self, Job};
pub use crate::workbench::state::Panel;
use crate::workbench::state::{Link, State};
use crate::workbench::theme::Theme;
pub use list::List;
pub use repairs::Chosen;

/// All that is known of a panel: adding one is its file and its row here.
pub struct Row {
    pub title: &'static str,
    /// The title where there is little room.
    pub short: &'static str,
    /// Names of the keys that go there.
    pub keys: &'static [&'static str],
    /// What the table of keys says that they do.
    pub help: &'static str,
    /// What the page on the workbench says that it shows.
    pub shows: &'static str,
    pub place: Place,
    /// Whether it is the one of its place that shows before any is asked for.
    pub first: bool,
    /// Whether it is of the newest text, compiled or not; the others may lag behind.
    pub newest: bool,
    pub content: Content,
    /// The list whose chosen row it is about, if it is about one.
    pub about: Option<Panel>,
    /// The token that it is at, whichever row is chosen.
    pub at: Option<fn(&State) -> Option<u32>>,
    /// Whether it has a tab while it does not show: what has not been asked for has none.
    pub begun: fn(&State) -> bool,
    /// Whether it needs all the height that there is, where it has the focus.
    pub tall: bool,
    /// What finds what it shows, while it shows.
    pub jobs: &'static [&'static Job],
    /// What its tab says where it shows, the longest first; its titles if nothing else.
    pub tab: Option<fn(&State) -> Vec<String>>,
    /// Whether it has nothing to show before the program has compiled.
    pub compiled: bool,
    /// What it says while it has nothing to show.
    pub empty: fn(&State) -> Cow<'static, str>,
}

/// What is in a panel.
pub enum Content {
    Editor,
    List(&'static dyn List),
    /// Lines in so many columns, the first of which is free and the last the scrollbar's.
    Prose(fn(&State, usize, &Theme) -> Vec<Line<'static>>),
}

/// The places that a screen has room for, side by side on the largest and joined on smaller ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Editor,
    Source,
    Code,
    Tests,
    Mutants,
    Latency,
    Energy,
}

/// A panel as most are.
const PANEL: Row = Row {
    title: "",
    short: "",
    keys: &[],
    help: "",
    shows: "",
    place: Place::Code,
    first: false,
    newest: false,
    content: Content::Editor,
    about: None,
    at: None,
    begun: |_| true,
    tall: false,
    jobs: &[],
    tab: None,
    compiled: false,
    empty: |state| match state.buffer.text().trim().is_empty() {
        true => "the text is empty: ctrl-o opens a sample".into(),
        false => "no function and no test is here yet".into(),
    },
};

macro_rules! panels {
    ($($name:ident { $($row:tt)* })*) => {
        panels!(@number 0, $($name)*);
        /// All panels, in the order of tabs and of the keys that go to the next.
        pub static PANELS: &[Row] = &[$(Row { $($row)*, ..PANEL }),*];
    };
    (@number $number:expr,) => {};
    (@number $number:expr, $name:ident $($rest:ident)*) => {
        impl Panel { pub const $name: Panel = Panel($number); }
        panels!(@number $number + 1, $($rest)*);
    };
}

panels! {
    EDITOR {
        title: "Editor", short: "Edit", keys: &["alt-1"], help: "editor",
        shows: "the text, and in its gutter and behind its lines what is known of each line",
        place: Place::Editor, content: Content::Editor, newest: true, tab: Some(editor::tab)
    }
    TOKENS {
        title: "Tokens", short: "Tok", keys: &["alt-2"], help: "tokens",
        shows: "what the text is cut into: number, kind, place, text",
        place: Place::Source, content: Content::List(&tokens::Tokens)
    }
    AST {
        title: "AST", short: "AST", keys: &["alt-3"], help: "syntax tree",
        shows: "the syntax tree, a row for each node, and the types of expressions",
        place: Place::Source, first: true, content: Content::List(&ast::Ast)
    }
    IR {
        title: "IR", short: "IR", keys: &["alt-4"], help: "intermediate code",
        shows: "the intermediate code: as lowered, after each pass of the optimizer, optimized; the tab says which",
        content: Content::List(&ir::Ir), tab: Some(ir::tab), compiled: true
    }
    BYTECODE {
        title: "Bytecode", short: "BC", keys: &["alt-5"], help: "bytecode",
        shows: "what is executed: address, instruction, operands, and the place in the source that each is of",
        content: Content::List(&bytecode::Bytecode), compiled: true
    }
    TESTS {
        title: "Tests", short: "Test", keys: &["alt-6"], help: "tests and properties",
        shows: "each test and property with its steps or inputs, and how many of these did not meet its condition; where one \
                fails, both sides of the comparison and the smallest counterexample found; where one traps, the line of what \
                caused it",
        place: Place::Tests, first: true, content: Content::List(&tests::Tests), tab: Some(tests::tab),
        compiled: true, empty: |state| tests::empty(state).into()
    }
    MUTANTS {
        title: "Mutants", short: "Mut", keys: &["alt-7"], help: "mutants",
        shows: "the program's mutants: state, place, what was there → what is there instead, the test that noticed it",
        place: Place::Mutants, content: Content::List(&mutants::Mutants), tab: Some(mutants::tab),
        jobs: &[&idle::SURVIVORS], compiled: true, empty: |state| mutants::empty(state).into()
    }
    MUTANT {
        title: "Mutant", short: "Why", keys: &["alt-y"],
        help: "the mutant chosen among the mutants: what it changes, why it survives, a test that would notice it",
        shows: "the mutant that is chosen in the Mutants panel: what it changes, why it survives, a test that would \
                notice it, and where its IR and bytecode part from the program's",
        content: Content::Prose(mutant::lines), about: Some(Panel::MUTANTS), jobs: &[&idle::SURVIVORS], compiled: true, empty: |state| mutants::empty(state).into()
    }
    MATRIX {
        title: "Matrix", short: "Mat", keys: &["alt-x"], help: "which test notices which mutant",
        shows: "which test notices which mutant: what each test is for, a smallest set of tests that notices as much, and \
                the mutants that stand for all others",
        place: Place::Tests, content: Content::List(&matrix::Listed), tab: Some(matrix::tab),
        jobs: &[&idle::MATRIX], compiled: true, empty: |state| matrix::empty(state).into()
    }
    PROBLEMS {
        title: "Diagnostics", short: "Diag", keys: &["alt-8"], help: "diagnostics",
        shows: "errors and warnings of the newest text, with what to do about them",
        place: Place::Tests, newest: true, content: Content::List(&diagnostics::Diagnostics),
        tab: Some(diagnostics::tab), empty: |_| "no diagnostics".into()
    }
    REPAIRS {
        title: "Repairs", short: "Rep", keys: &["alt-m"], help: "repairs of what fails",
        shows: "where a test fails, small changes after which every test passes, the best first; enter makes the chosen \
                one",
        place: Place::Tests, content: Content::List(&repairs::Listed), tab: Some(repairs::tab),
        jobs: &[&idle::REPAIRS], compiled: true, empty: |state| repairs::empty(state).into()
    }
    LATENCY {
        title: "Latency", short: "Lat", keys: &["alt-9"], help: "latency",
        shows: "what each stage took, for the program, its mutants, and the program through the shaders; the last keystrokes' times, and the paper's model beside them",
        place: Place::Latency, content: Content::Prose(latency::lines)
    }
    ENERGY {
        title: "Energy", short: "En", keys: &["alt-0"], help: "energy",
        shows: "what the last keystroke took, by which meter or by which stated power, and the paper's figures",
        place: Place::Energy, content: Content::Prose(energy::lines)
    }
    NEURAL {
        title: "Neural", short: "Net", keys: &["alt-n"],
        help: "neural compilation of the function under the cursor",
        shows: "what a network makes of the function under the cursor, and the evidence for it; see \
                [neural.md](neural.md)",
        content: Content::Prose(neural::lines), jobs: &[&idle::NEURAL],
        compiled: true, empty: |_| "no function to compile yet".into()
    }
    ROUTER {
        title: "Router", short: "Rt", keys: &["alt-r"],
        help: "which path the hybrid compiler takes for the function under the cursor, and why",
        shows: "which path the hybrid compiler takes for that function, and what the other would cost; see \
                [hybrid.md](hybrid.md)",
        content: Content::Prose(router::lines), jobs: &[&idle::ROUTER],
        compiled: true, empty: |_| "no function to compile yet".into()
    }
    RUN {
        title: "Run", short: "Run", keys: &["alt-u"],
        help: "run what is under the cursor: a test, a property with its input, a function; step by step, both ways",
        shows: "a run of a test, a property's counterexample or a call, step by step and both ways: source, instructions, operands, \
                variables, calls, and who made each value",
        content: Content::List(&run::Run), tab: Some(run::tab), at: Some(run::at), begun: |state| state.run.wish.is_some(), tall: true,
        jobs: &[&idle::RUN], compiled: true, empty: |state| run::empty(state).into()
    }
    LADDER {
        title: "Ladder", short: "Lad", keys: &["alt-k"], help: "ladder: the line under the cursor through all phases",
        shows: "the line under the cursor through all phases: source, tokens, tree, intermediate code, what each pass of the optimizer \
                makes of it, bytecode; and the steps that the tests take after each pass; alone on the screen (`F7`) the phases stand \
                side by side, and what belongs to the token under the cursor is marked in each",
        content: Content::List(&ladder::Listed), tab: Some(ladder::tab), begun: |state| state.ladder.count() > 0, tall: true,
        jobs: &[&idle::LADDER],
        empty: |_| "put the cursor into a line of the program".into()
    }
    ROUNDS {
        title: "Rounds", short: "Rnd", keys: &["alt-i"],
        help: "how the device compiles this program: inside the shaders, a round of all threads at a time",
        shows: "how the shaders compile the program, a round of all threads at a time: what each round does, in a sentence and in \
                the shader's own lines, and the words that it has changed",
        content: Content::List(&rounds::Listed), tab: Some(rounds::tab), begun: |state| state.rounds.recording.is_some(), tall: true,
        jobs: &[&idle::ROUNDS], compiled: false, empty: rounds::empty
    }
    PAPER {
        title: "Paper", short: "Pap", keys: &["alt-q"], help: "the paper's equations: quoted, modelled, measured, with sliders",
        shows: "each equation of the paper: its own numbers, what its formula gives with the sliders' k, P, p and T, and what is \
                measured here; where the paper disagrees with itself, it says so",
        content: Content::Prose(paper::lines), begun: |state| state.recency[Panel::PAPER.index()] > 0, tall: true, tab: Some(paper::tab),
        jobs: &[&idle::NEURAL, &idle::GROWTH], compiled: true
    }
    LESSON {
        title: "Lesson", short: "Les", keys: &["alt-l"], help: "the lesson: what it teaches, its goals, hints",
        shows: "where the file is the work in a lesson (`myriad learn`): what it teaches, which keys it needs, how far each goal \
                is, and hints one by one; see [learn.md](learn.md)",
        place: Place::Tests, content: Content::Prose(lesson::lines), newest: true, begun: |state| state.file.lesson.is_some(), tall: true, tab: Some(lesson::tab),
        empty: |_| "no lesson is open: `myriad learn` lists all".into()
    }
    NOISE {
        title: "Noise", short: "Nois", keys: &["alt-o"], help: "noise: the tests on a simulated machine that errs",
        shows: "the tests on a simulated machine that errs; see [noise.md](noise.md)",
        place: Place::Tests, content: Content::Prose(noise::lines), jobs: &[&idle::NOISE], compiled: true
    }
}

const _: () = assert!(PANELS.len() <= Panel::MOST);

impl Panel {
    /// Every panel, in the order of the table.
    pub fn all() -> impl Iterator<Item = Panel> {
        (0..PANELS.len() as u8).map(Panel)
    }

    pub fn row(self) -> &'static Row {
        &PANELS[self.index()]
    }

    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// The title, and the one where there is little room.
    pub fn titles(self) -> impl Iterator<Item = String> {
        [self.row().title, self.row().short].into_iter().map(String::from)
    }

    /// The rows of a panel that is a list: they can be selected and stand for places in the source.
    pub fn list(self) -> Option<&'static dyn List> {
        match self.row().content {
            Content::List(list) => Some(list),
            _ => None,
        }
    }

    pub fn is_list(self) -> bool {
        self.list().is_some()
    }
}

/// Columns of a panel that are not for its text: the mark of the selected row, and the scrollbar.
const EDGES: usize = 2;

/// Cells for a row's text: as many as the panel has where it shows, and else as many as on a small screen.
pub fn cells(state: &State, panel: Panel) -> usize {
    let area = state.layout().content(panel);
    area.map_or(80, |area| usize::from(area.width)).saturating_sub(EDGES)
}

/// How many rows a panel has.
pub fn count(state: &State, panel: Panel) -> usize {
    match panel.row().content {
        Content::Editor => 0,
        Content::List(list) => list.count(state),
        // How many lines prose has depends on how wide it is set.
        Content::Prose(lines) => lines(state, cells(state, panel) + EDGES, &Theme::plain()).len(),
    }
}

/// Rows of a panel that stay on top of so many lines; half of these are for the others in any case.
pub fn head(state: &State, panel: Panel, lines: usize) -> usize {
    panel.list().map_or(0, |list| list.head(state)).min(lines / 2)
}

/// The row that stands in one of a panel's lines.
pub fn row_in(state: &State, panel: Panel, line: usize, lines: usize) -> usize {
    if line < head(state, panel, lines) { line } else { state.list(panel).top + line }
}

/// The token of the shown program that a row stands for.
pub fn token(state: &State, panel: Panel, row: usize) -> Option<u32> {
    panel.list()?.token(state, row)
}

/// The byte of the text on screen that a row stands for.
pub fn target(state: &State, panel: Panel, row: usize) -> Option<usize> {
    panel.list()?.target(state, row)
}

/// The first row that stands for an element itself, or else for a part of it.
pub fn row_of(state: &State, panel: Panel, link: Link) -> Option<usize> {
    panel.list()?.row_of(state, link)
}

/// The text of a panel that is prose, in so many columns.
pub fn prose(state: &State, panel: Panel, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    match panel.row().content {
        Content::Prose(lines) => lines(state, width, theme),
        _ => Vec::new(),
    }
}

/// What a panel says while it has nothing to show.
pub fn empty_text(state: &State, panel: Panel) -> Cow<'static, str> {
    let row = panel.row();
    if state.results.latest.is_none() {
        "waiting for the engine".into()
    } else if row.compiled && !state.shown().is_some_and(|shown| shown.is_good()) {
        "does not compile yet".into()
    } else {
        (row.empty)(state)
    }
}

/// The table as a table of Markdown.
pub fn markdown() -> String {
    let mut table = String::from("| panel | key | shows |\n|---|---|---|\n");
    for row in PANELS {
        let keys: Vec<String> = row.keys.iter().map(|key| format!("`{key}`")).collect();
        table.push_str(&format!("| {} | {} | {} |\n", row.title, keys.join(" "), row.shows));
    }
    table
}

#[cfg(test)]
mod page_of_panels {
    use super::markdown;

    /// `MYRIAD_BLESS=1 cargo test` writes the page's table anew.
    #[test]
    fn is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/workbench.md");
        let page = std::fs::read_to_string(path).unwrap_or_default();
        let begin = page.find("| panel |").unwrap_or(page.len());
        let end = page[begin..].find("\n\n").map_or(page.len(), |end| begin + end + 1);
        if std::env::var_os("MYRIAD_BLESS").is_some() {
            let page = format!("{}{}{}", &page[..begin], markdown(), &page[end..]);
            return std::fs::write(path, page).expect("docs/workbench.md can be written");
        }
        assert_eq!(page[begin..end], markdown(), "run MYRIAD_BLESS=1 cargo test --lib panels");
    }
}
