//! The table of panels, with one file per panel. A panel is a list, whose rows link to places in the source,
//! or a page of prose. Only the rows on screen are computed, however long a list is.

mod ast;
mod bytecode;
mod calls;
mod cfg;
mod code;
pub mod compare;
pub mod counter;
pub mod diagnostics;
pub mod editor;
mod energy;
pub mod explained;
pub mod figures;
mod function;
mod ir;
mod ladder;
mod latency;
pub mod layout;
mod learned;
mod lesson;
mod list;
mod markdown;
mod matrix;
pub mod mutant;
pub mod mutants;
mod neural;
mod noise;
mod own;
mod page;
pub mod paper;
mod predict;
pub mod proof;
mod repairs;
mod rounds;
mod router;
pub mod run;
mod shaders;
mod steps;
mod symbols;
mod task;
pub mod tests;
mod tokens;
pub mod tour;
mod visible;

use std::borrow::Cow;

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::lang::index::TokenId;
use crate::session::job::{self, Job};
pub use crate::workbench::state::Panel;
use crate::workbench::state::{Link, State};
use crate::workbench::text::visible;
use crate::workbench::theme::Theme;
pub use list::List;
pub use markdown::markdown;
pub use page::Page;
pub use repairs::{CHOOSE, Chosen};
pub use task::PanelTask;
pub use visible::{WHOLE_ROW, comparable_lines, head, position_of, row_in, shown_count, text_lines};

/// The definition of a panel. A new panel needs a file and a row here.
pub struct PanelRow {
    pub title: &'static str,
    /// A shorter title.
    pub short: &'static str,
    /// Names of the keys that focus the panel.
    pub keys: &'static [&'static str],
    /// The description of these keys in the table of keys.
    pub help: &'static str,
    /// The description of the panel in docs/workbench.md.
    pub shows: &'static str,
    pub place: Place,
    pub task: PanelTask,
    /// Whether the panel is never old: it shows the text on screen, or nothing of a program.
    pub newest: bool,
    /// Whether the panel shows verdicts and what follows from them, which may be those of an earlier program.
    pub verdicts: bool,
    pub content: Content,
    /// The list whose chosen row the panel is about, if any.
    pub about: Option<Panel>,
    /// Returns the panel's current token, independently of the chosen row.
    pub at: Option<fn(&State) -> Option<TokenId>>,
    /// Whether the panel has a tab while it is hidden. The panels of the laboratory have one if the user shows it.
    pub has_content: fn(&State) -> bool,
    /// Whether the panel needs the full height while it has the focus.
    pub tall: bool,
    /// Whether the source is next to the panel while the panel covers the screen.
    pub with_source: bool,
    /// The idle jobs that produce the panel's content; they run while it is visible.
    pub jobs: &'static [&'static Job],
    /// Returns the most important figures, for the end of the row of tabs while the panel is active, longest first.
    pub figures: fn(&State) -> Vec<String>,
    /// Whether neither the rows nor the last lines of the screen say what the figures say.
    pub needs_figures: bool,
    /// Whether the panel is empty until the program has compiled.
    pub compiled: bool,
    /// The text shown while the panel is empty.
    pub empty: fn(&State) -> Cow<'static, str>,
}

pub enum Content {
    Editor,
    List(&'static dyn List),
    Prose(fn(&State, &mut Page)),
}

/// The places for panels. Each is separate on the largest screens; smaller screens join them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Editor,
    Source,
    Code,
    Tests,
    /// Diagnostics: with the tests, or with the mutants, which a text with errors does not have.
    Problems,
    Mutants,
    /// The chosen mutant.
    Why,
    Costs,
}

/// The defaults of a panel.
const PANEL: PanelRow = PanelRow {
    title: "",
    short: "",
    keys: &[],
    help: "",
    shows: "",
    place: Place::Code,
    task: PanelTask::Inside,
    newest: false,
    verdicts: false,
    content: Content::Editor,
    about: None,
    at: None,
    has_content: |_| true,
    tall: false,
    with_source: false,
    jobs: &[],
    figures: |_| Vec::new(),
    needs_figures: false,
    compiled: false,
    empty: |state| match state.document.buffer.text().trim().is_empty() {
        true => "the text is empty: ctrl-o opens a sample".into(),
        false => "no function or test yet".into(),
    },
};

macro_rules! panels {
    ($($name:ident { $($row:tt)* })*) => {
        panels!(@number 0, $($name)*);
        /// All panels, in the order of tabs and of the next-panel key.
        pub static PANELS: &[PanelRow] = &[$(PanelRow { $($row)*, ..PANEL }),*];
    };
    (@number $number:expr,) => {};
    (@number $number:expr, $name:ident $($rest:ident)*) => {
        impl Panel { pub const $name: Panel = Panel($number); }
        panels!(@number $number + 1, $($rest)*);
    };
}

panels! {
    EDITOR {
        title: "Editor", short: "Edit", task: PanelTask::Screen, keys: &["alt-1"], help: "editor",
        shows: "the text, with marks and messages about each line in its gutter and after its end",
        place: Place::Editor, content: Content::Editor, newest: true, figures: editor::figures
    }
    TOKENS {
        title: "Tokens", short: "Tok", keys: &["alt-2"], help: "tokens",
        shows: "the tokens of the text: number, kind, place, text",
        place: Place::Source, content: Content::List(&tokens::Tokens)
    }
    AST {
        title: "AST", short: "AST", keys: &["alt-3"], help: "syntax tree",
        shows: "the syntax tree, a row for each node, and the types of expressions",
        place: Place::Source, content: Content::List(&ast::Ast)
    }
    IR {
        title: "IR", short: "IR", keys: &["alt-4"], help: "intermediate code",
        shows: "the intermediate code: as lowered, after each pass that changes the function under the cursor, \
            optimized",
        content: Content::List(&ir::Ir), figures: ir::figures, needs_figures: true, compiled: true
    }
    BYTECODE {
        title: "Bytecode", short: "BC", keys: &["alt-5"], help: "bytecode",
        shows: "the code that is executed, and each instruction's place in the source",
        content: Content::List(&bytecode::Bytecode), compiled: true
    }
    LADDER {
        title: "Ladder", short: "Lad", keys: &["alt-k"], help: "ladder: the line under the cursor through all phases",
        shows: "the line under the cursor through all phases, and the steps that the tests take after each pass",
        content: Content::List(&ladder::LadderListed), figures: |state| ladder::figures(&state.ladder), tall: true,
        jobs: &[&job::LADDER, &job::BLOCKS],
        empty: |_| "put the cursor into a line of the program".into()
    }
    TESTS {
        title: "Tests", short: "Test", task: PanelTask::Test, keys: &["alt-6"], help: "tests and properties",
        shows: "each test and property; if one fails, both sides of the comparison and the smallest \
            counterexample found; if one traps, the line that caused it",
        place: Place::Tests, content: Content::List(&tests::Tests), figures: |state| tests::figures(&state.results),
        compiled: true, empty: |state| tests::empty(&state.results).into()
    }
    MUTANTS {
        title: "Mutants", short: "Mut", task: PanelTask::Test, keys: &["alt-7"], help: "mutants",
        shows: "small changes of the program, called mutants: status, place, original → replacement, then the test that noticed it; of a survivor, a test that would, or why none does",
        place: Place::Mutants, content: Content::List(&mutants::Mutants), figures: mutants::figures, verdicts: true,
        jobs: &[&job::SURVIVORS, &job::PROOFS], compiled: true, empty: |state| mutants::empty(state).into()
    }
    MUTANT {
        title: "Why", short: "Why", task: PanelTask::Test, keys: &["alt-y"],
        help: "the mutant chosen in the Mutants panel: what it changes, why it survives, a test that would notice \
            it",
        shows: "the mutant chosen in the Mutants panel: what it changes, why it survives, a test that would notice it",
        place: Place::Why, content: Content::Prose(mutant::lines), verdicts: true, about: Some(Panel::MUTANTS), jobs: &[&job::SURVIVORS, &job::PROOFS], compiled: true, empty: |state| mutants::empty(state).into()
    }
    MATRIX {
        title: "Matrix", short: "Mat", task: PanelTask::Test, keys: &["alt-x"], help: "which test notices which mutant",
        shows: "which test notices which mutant, and a smallest set of tests that notices as much as all",
        place: Place::Tests, content: Content::List(&matrix::MatrixListed), verdicts: true, figures: |state| matrix::figures(&state.results),
        has_content: |state| state.screen.recency(Panel::MATRIX) > 0,
        jobs: &[&job::MATRIX], compiled: true, empty: |state| matrix::empty(state).into()
    }
    DIAGNOSTICS {
        title: "Diagnostics", short: "Diag", task: PanelTask::Write, keys: &["alt-8"], help: "diagnostics",
        shows: "errors and warnings of the newest text, with what to do about them",
        place: Place::Problems, newest: true, content: Content::List(&diagnostics::Diagnostics),
        figures: |state| diagnostics::figures(&state.results), empty: |_| "no diagnostics".into()
    }
    LATENCY {
        title: "Latency", short: "Lat", task: PanelTask::Measure, keys: &["alt-9"], help: "latency",
        shows: "the time of each stage, and of the last keystrokes",
        place: Place::Costs, content: Content::Prose(latency::lines)
    }
    ENERGY {
        title: "Energy", short: "En", task: PanelTask::Measure, keys: &["alt-0"], help: "energy",
        shows: "the energy of the last keystroke, measured or estimated",
        place: Place::Costs, content: Content::Prose(energy::lines)
    }
    REPAIRS {
        title: "Repairs", short: "Rep", task: PanelTask::Test, keys: &["alt-m"], help: "repairs of failing tests",
        shows: "if a test fails, small changes after which every test passes, the best first; the editor shows the lines that the chosen one changes",
        place: Place::Tests, content: Content::List(&repairs::RepairListed), verdicts: true, figures: |state| repairs::figures(&state.results),
        has_content: |state| state.results.needs_repair(),
        jobs: &[&job::REPAIRS], compiled: true, empty: |state| repairs::empty(&state.results).into()
    }
    COUNTER {
        title: "Counter", short: "Cnt", task: PanelTask::Measure, keys: &["alt-B"],
        help: "counter: the variants compiled and tested since the start, and a second, in large digits",
        shows: "how many variants were compiled and tested since the start, and a second, in large digits",
        place: Place::Costs, content: Content::Prose(counter::lines), has_content: |state| state.screen.recency(Panel::COUNTER) > 0, newest: true
    }
    NEURAL {
        title: "Neural", short: "Net", task: PanelTask::Laboratory, keys: &["alt-n"],
        help: "neural compilation of the function under the cursor",
        shows: "the code that a network writes for the function under the cursor; see [neural.md](neural.md)",
        content: Content::Prose(neural::lines), jobs: &[&job::NEURAL],
        compiled: true, empty: |_| "no function to compile yet".into()
    }
    ROUTER {
        title: "Router", short: "Rt", task: PanelTask::Laboratory, keys: &["alt-r"],
        help: "which path the hybrid compiler takes for the function under the cursor, and why",
        shows: "which compiler the router chooses for that function, and why; see [hybrid.md](hybrid.md)",
        content: Content::Prose(router::lines), jobs: &[&job::ROUTER],
        compiled: true, empty: |_| "no function to compile yet".into()
    }
    RUN {
        title: "Run", short: "Run", task: PanelTask::Run, keys: &["alt-u"],
        help: "run the test, property or function under the cursor, step by step, both ways",
        shows: "a run of a test, a counterexample or a call, step by step, forwards and backwards",
        content: Content::List(&run::PanelRun), figures: |state| run::figures(&state.results, &state.run), needs_figures: true, at: Some(|state| run::at(&state.results, &state.run)), has_content: |state| state.run.wish.is_some() && state.screen.recency(Panel::RUN) > 0, tall: true, with_source: true,
        jobs: &[&job::RUN], compiled: true, empty: |state| run::empty(&state.run).into()
    }
    ROUNDS {
        title: "Rounds", short: "Rnd", keys: &["alt-i"],
        help: "how the device compiles this program, round by round",
        shows: "how the shaders compile the program, a round of all threads at a time",
        content: Content::List(&rounds::RoundListed), figures: |state| rounds::figures(&state.results, &state.rounds), needs_figures: true, has_content: |state| state.rounds.recording.is_some() && state.screen.recency(Panel::ROUNDS) > 0, tall: true,
        jobs: &[&job::ROUNDS], compiled: false, empty: |state| rounds::empty(&state.results, &state.engine)
    }
    PAPER {
        title: "Paper", short: "Pap", task: PanelTask::Laboratory, keys: &["alt-q"], help: "the paper's equations: quoted, modelled, measured, with sliders",
        shows: "the paper's equations: quoted, modelled, measured",
        content: Content::Prose(paper::lines), tall: true, figures: |state| paper::figures(&state.results, &state.engine, &state.paper),
        jobs: &[&job::NEURAL, &job::GROWTH], compiled: true
    }
    LESSON {
        title: "Lesson", short: "Les", task: PanelTask::Learn, keys: &["alt-l"], help: "the lesson or the tour: its text, goals and hints",
        shows: "the lesson or the tour: its text, goals and hints; see [learn.md](learn.md)",
        place: Place::Tests, content: Content::Prose(|state, page| match &state.tour {
            Some(view) => tour::lines(state, view, page),
            None => lesson::lines(state, page),
        }), newest: true, has_content: |state| state.document.file.lesson.is_some() || state.tour.is_some(), tall: true,
        figures: |state| match &state.tour {
            Some(view) => tour::figures(view),
            None => lesson::figures(&state.document, &state.lesson),
        },
        empty: |_| "no lesson is open: ctrl-o lists them".into()
    }
    NOISE {
        title: "Noise", short: "Nois", task: PanelTask::Laboratory, keys: &["alt-o"], help: "noise: the tests on a simulated machine that errs",
        shows: "the tests on a simulated machine that errs; see [noise.md](noise.md)",
        place: Place::Tests, content: Content::Prose(noise::lines), jobs: &[&job::NOISE], compiled: true
    }
    COMPARE {
        title: "Compare", short: "Cmp", keys: &["alt-j"], help: "compare: the pinned panel with what it shows now",
        shows: "how the panel that was pinned with `=` differs from what it shows now",
        place: Place::Tests, content: Content::Prose(compare::lines), has_content: |state| state.pinned.is_some(), newest: true,
        empty: |_| "nothing is pinned: `=` in a panel pins what it shows, and this panel then compares it with what the panel shows later".into()
    }
    LEARNED {
        title: "Learned", short: "Lrn", task: PanelTask::Laboratory, keys: &["alt-L"], help: "learned code: what level 3 saves",
        shows: "what learned code saves at level 3; see [improve.md](improve.md)",
        place: Place::Costs, content: Content::Prose(learned::lines)
    }
    CFG {
        title: "CFG", short: "CFG", keys: &["alt-c"], help: "control-flow graph of the function under the cursor",
        shows: "the control-flow graph of the function under the cursor, and what is known where each block begins",
        content: Content::List(&cfg::Cfg), figures: cfg::figures, has_content: |state| state.screen.recency(Panel::CFG) > 0, tall: true,
        jobs: &[&job::BLOCKS], compiled: true, empty: |_| "put the cursor into a function: it is analysed when the engine has nothing else to do".into()
    }
    SYMBOLS {
        title: "Symbols", short: "Sym", keys: &["alt-S"], help: "symbols: all names, with kind, type, scope and uses",
        shows: "all names of the program, each with its kind, type, scope and number of uses",
        place: Place::Source, content: Content::List(&symbols::Symbols), has_content: |state| state.screen.recency(Panel::SYMBOLS) > 0, tall: true, empty: |_| "no names yet".into()
    }
    CALLS {
        title: "Calls", short: "Call", keys: &["alt-C"], help: "call graph: which function calls which",
        shows: "the call graph: which function calls which, how deep, which calls are recursive (`↺`), \
            and which may trap",
        content: Content::List(&calls::PanelCalls), has_content: |state| state.screen.recency(Panel::CALLS) > 0, tall: true, jobs: &[&job::BLOCKS], compiled: true,
        empty: |_| "the calls are analysed when the engine has nothing else to do".into()
    }
}

const _: () = assert!(PANELS.len() <= Panel::MOST);

impl Panel {
    /// Returns every panel, in the order of the table.
    pub fn all() -> impl Iterator<Item = Panel> {
        (0..PANELS.len() as u8).map(Panel)
    }

    /// Returns the panel with a title, or with one that it had before.
    pub fn titled(title: &str) -> Option<Panel> {
        let title = if title.eq_ignore_ascii_case("mutant") { "Why" } else { title };
        Panel::all().find(|panel| panel.title().eq_ignore_ascii_case(title))
    }

    pub fn row(self) -> &'static PanelRow {
        &PANELS[self.index()]
    }

    pub fn title(self) -> &'static str {
        self.row().title
    }

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

impl State {
    /// Returns whether a panel has a tab while it is hidden.
    pub fn has_tab(&self, panel: Panel) -> bool {
        let row = panel.row();
        (row.task != PanelTask::Laboratory || self.laboratory) && (row.has_content)(self)
    }
}

/// The columns of a panel without text: the mark of the selected row, and the scrollbar.
const EDGES: usize = 2;

/// Returns the cells for a row's text; for a hidden panel, those on a small screen.
pub fn cells(state: &State, panel: Panel) -> usize {
    let area = state.layout().content(panel);
    area.map_or(80 - EDGES, cells_of)
}

/// Returns the cells for a row's text in an area.
pub fn cells_of(area: Rect) -> usize {
    usize::from(area.width).saturating_sub(EDGES)
}

pub fn count(state: &State, panel: Panel) -> usize {
    match panel.row().content {
        Content::Editor => 0,
        Content::List(list) => list.count(state),
        // The number of lines of prose depends on the width.
        Content::Prose(_) => prose(state, panel, cells(state, panel) + EDGES, &Theme::plain()).len(),
    }
}

/// Returns the token of the shown program that a row belongs to.
pub fn token(state: &State, panel: Panel, row: usize) -> Option<TokenId> {
    panel.list().filter(|_| state.is_linked(panel))?.token(state, row)
}

/// Returns the byte offset of a row's place in the text on screen.
pub fn target(state: &State, panel: Panel, row: usize) -> Option<usize> {
    let (list, results) = (panel.list()?, &state.results);
    if !panel.row().verdicts {
        return list.target(state, row);
    }
    Some(results.judged_drift.forward(results.judged.as_ref()?.span(list.token(state, row)?)?.start))
}

/// Returns the first row of the element, or else of a part of it.
pub fn row_of(state: &State, panel: Panel, link: Link) -> Option<usize> {
    panel.list()?.row_of(state, link)
}

/// Returns the lines of a prose panel at a width in columns. The first column stays free, the last is for the scrollbar.
pub fn prose(state: &State, panel: Panel, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut page = Page::new(width, theme);
    if let Content::Prose(write) = panel.row().content {
        write(state, &mut page);
    }
    page.into_lines()
}

/// Returns the text that a panel shows while it is empty.
pub fn empty_text(state: &State, panel: Panel) -> Cow<'static, str> {
    let row = panel.row();
    if state.results.latest.is_none() {
        "waiting for the engine".into()
    } else if let Some(program) = state.document.file.fires_in().filter(|_| !row.newest) {
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        format!("rules are not a program: the verdict follows each line; they fire in {}", visible(&name))
            .into()
    } else if row.compiled && !state.shown().is_some_and(|shown| shown.is_lowered()) {
        state.spelled("does not compile yet: alt-8 says why")
    } else if state.mutants.own.is_some() && !state.own_title(panel).is_empty() {
        "the mutant does not compile".into()
    } else {
        (row.empty)(state)
    }
}
