//! The table of keys, used by the help screen, by dispatch and by `docs/keys.md`.

pub mod hints;
pub mod map;
mod table;

use std::sync::LazyLock;

use crate::paper::levers::Lever;
use crate::workbench::key::Key;
use crate::workbench::keymap::Keymap;
use crate::workbench::panels::{Panel, PanelTask};
use crate::workbench::rounds::{RoundMove, RoundPart};
use crate::workbench::run::RunMove;
use crate::workbench::state::State;
use crate::workbench::text::Motion;

pub use map::{KeyRow, Rebinding};

/// Where a binding applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// Everywhere except in a prompt.
    Anywhere,
    Editor,
    /// In every panel except the editor.
    Panels,
    /// In this panel only.
    Of(Panel),
    /// In the search line.
    Search,
}

impl Context {
    pub const ALL: [Context; 16] = [
        Context::Anywhere,
        Context::Editor,
        Context::Panels,
        Context::Of(Panel::DIAGNOSTICS),
        Context::Of(Panel::MUTANTS),
        Context::Of(Panel::MUTANT),
        Context::Of(Panel::MATRIX),
        Context::Of(Panel::REPAIRS),
        Context::Of(Panel::IR),
        Context::Of(Panel::RUN),
        Context::Of(Panel::LADDER),
        Context::Of(Panel::ROUNDS),
        Context::Of(Panel::LESSON),
        Context::Of(Panel::PAPER),
        Context::Of(Panel::COUNTER),
        Context::Search,
    ];
    /// Returns the index in the list of all contexts.
    pub fn number(self) -> usize {
        Context::ALL.iter().position(|context| *context == self).unwrap_or(Context::ALL.len())
    }
    /// Returns the name of the place in the configuration.
    pub fn name(self) -> String {
        match self {
            Context::Anywhere => "anywhere".to_string(),
            Context::Editor => "editor".to_string(),
            Context::Panels => "panels".to_string(),
            Context::Of(panel) => panel.title().to_lowercase(),
            Context::Search => "search".to_string(),
        }
    }
    /// Returns the place with a name in the configuration.
    pub fn named(name: &str) -> Option<Context> {
        let of_panel = Panel::titled(name).map(Context::Of);
        Context::ALL.into_iter().find(|context| context.name() == name || Some(*context) == of_panel)
    }
    /// Returns whether keys that type a character do so there, so they cannot invoke a command.
    pub fn types(self) -> bool {
        matches!(self, Context::Anywhere | Context::Editor | Context::Search)
    }
    pub fn title(self) -> String {
        match self {
            Context::Anywhere => "anywhere".to_string(),
            Context::Editor => "in the editor".to_string(),
            Context::Panels => "in the other panels".to_string(),
            Context::Of(panel) => format!("in the {} panel", panel.title()),
            Context::Search => "while searching".to_string(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    Help,
    /// Makes the next key act as alt with that key.
    Prefix,
    Welcome,
    Open,
    Save,
    SaveAs,
    Answer,
    /// Closes the file on screen.
    Close,
    /// To the file that was on screen before, and forward again.
    FileBefore,
    FileAfter,
    Quit,
    Suspend,
    CopyRow,
    /// Filters the rows of the focused list.
    FilterRows,
    /// Keeps what the focused panel shows, for the Compare panel.
    Pin,
    Redraw,
    SwitchEngine,
    SwitchLevel,
    WriteTest,
    Race,
    Zoom,
    /// Judges all variants of the program at each key, or as many as the budget says.
    JudgeAll,
    /// Lists the palettes.
    ChooseTheme,
    /// Takes the focused panel's tab away, or brings the panel that was before it to the front.
    ClosePanel,
    /// Lists the arrangements of the screen.
    Arrange,
    /// Shows or hides the tabs and keys of the laboratory.
    Laboratory,
    Present,
    Predict,
    NextPanel,
    PreviousPanel,
    Go(Panel),
    NextProblem,
    Escape,
    /// Closes the search line and keeps the cursor at the match.
    Accept,
    // Editor
    Move(Motion),
    PageUp,
    PageDown,
    SelectAll,
    NewLine,
    Indent,
    Unindent,
    Comment,
    Format,
    Erase(Motion),
    DeleteLine,
    Undo,
    Redo,
    Cut,
    Copy,
    Paste,
    Find,
    FindNext,
    FindPrevious,
    GotoLine,
    GotoDefinition,
    /// Back to the place before the last jump.
    JumpBack,
    JumpAhead,
    Rename,
    Complete,
    /// Says what is under the cursor.
    Describe,
    MoveLines {
        is_down: bool,
    },
    DuplicateLines,
    SoftWrap,
    /// Shows or hides the values after each line.
    Values,
    Round {
        is_next: bool,
    },
    CallOfValues {
        is_next: bool,
    },
    /// Selects the word, or adds a cursor at the next text like the selection.
    AddCursor,
    AddCursorOnLine {
        is_below: bool,
    },
    // The search bar
    SwitchField,
    ReplaceAll,
    ToggleRegex,
    // Panels
    RowUp,
    RowDown,
    RowPageUp,
    RowPageDown,
    FirstRow,
    LastRow,
    Jump,
    NextFilter,
    PreviousFilter,
    Explain,
    /// Explains the selected row of any panel.
    ExplainRow,
    AddTest,
    /// Shows the chosen mutant's own program in the panels of code, or the program again.
    ShowOwn,
    /// Lists all suggested tests, to keep, drop or correct each.
    ListSuggestions,
    /// Removes the tests that add nothing.
    RemoveTests,
    ShowProof,
    ApplyRepair,
    NextPass,
    PreviousPass,
    /// Shows or hides why a pass changed code.
    Reasons,
    /// Shows the code after the proved rules of the text, or the program's again.
    Rules,
    /// Shows or hides in the editor what level 2 does not expand.
    Remarks,
    // Runs
    MoveInRun(RunMove),
    /// To a line's next phase, or to the previous one.
    MoveInLadder(bool),
    MoveInRounds(RoundMove),
    ToggleInRounds(RoundPart),
    AskForStep,
    AskForCall,
    CompareRuns,
    FoldCall,
    Breakpoint,
    Condition,
    // The paper's model
    ChooseLever(Lever),
    /// One notch up if true, else one notch down.
    MoveLever(bool),
    /// To the paper's values if true, else to this machine's.
    SetLevers(bool),
    // Lessons
    NextHint,
    NextLesson,
}

/// A row of the table.
#[derive(Clone)]
pub struct Binding {
    pub context: Context,
    pub task: PanelTask,
    /// A short name of the command; each is different in its context.
    pub name: &'static str,
    /// Names of the default keys; each of them invokes the command.
    pub keys: &'static [&'static str],
    pub command: Command,
    /// A short description of the command.
    pub does: &'static str,
    /// Returns why the command is not available now, or `None` if it is.
    pub disabled: fn(&State) -> Option<&'static str>,
}

impl Binding {
    /// Returns the name of the command in the configuration.
    pub fn action(&self) -> String {
        self.name.to_lowercase()
    }
    /// Returns the heading above the binding: its task, and where it applies if that is not anywhere.
    pub fn heading(&self) -> String {
        match self.context {
            Context::Anywhere => self.task.title().to_string(),
            context => format!("{}: {}", self.task.title(), context.title()),
        }
    }
    pub fn default_keys(&self) -> Vec<Key> {
        self.keys.iter().filter_map(|name| Key::parse(name)).collect()
    }
}

pub fn shown(keys: &[Key]) -> String {
    keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
}

/// All bindings. A key with shift that is not listed here acts as the key without shift, and selects.
pub static TABLE: LazyLock<Vec<Binding>> = LazyLock::new(|| [&table::of_panels(), table::OTHERS].concat());

impl State {
    /// Returns the contexts that apply now, the narrowest first.
    pub fn contexts(&self) -> Vec<Context> {
        match self.screen.focus {
            Panel::EDITOR => vec![Context::Editor, Context::Anywhere],
            panel => vec![Context::Of(panel), Context::Panels, Context::Anywhere],
        }
    }
}

/// Renders the table as a page of Markdown.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Keys\n\n`F1` shows this list in the workbench, after the panels on screen and the keys of the place where you are: type to filter it, \
         `enter` runs the chosen command. `myriad config` prints the section `[keys]` of the configuration, which binds \
         commands to other keys.\n",
    );
    let mut heading = String::new();
    for row in Keymap::standard().matching("") {
        let (binding, new) = (row.binding, row.binding.heading());
        if new != heading {
            page.push_str(&format!("\n## {new}\n\n"));
            heading = new;
        }
        let keys: Vec<String> = row.keys.iter().map(|key| format!("`{key}`")).collect();
        page.push_str(&format!("- {}: {}\n", keys.join(" "), binding.does));
    }
    page + include_str!("keys/conventions.md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_parses_and_is_bound_once_per_context() {
        let mut seen = std::collections::HashSet::new();
        let mut names = std::collections::HashSet::new();
        for binding in TABLE.iter() {
            let (context, name) = (binding.context, binding.action());
            assert!(names.insert((context, name.clone())), "two commands are named {name} in {context:?}");
            assert!(Context::ALL.contains(&context), "{context:?} is not listed");
            for name in binding.keys {
                let key = Key::parse(name).unwrap_or_else(|| panic!("no such key: {name}"));
                assert!(seen.insert((binding.context, key)), "{name} twice in {:?}", binding.context);
            }
        }
    }

    /// `MYRIAD_BLESS=1 cargo test` rewrites the page.
    #[test]
    fn keys_page_matches_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/keys.md");
        if std::env::var_os("MYRIAD_BLESS").is_some() {
            std::fs::write(path, markdown()).expect("docs/keys.md can be written");
        }
        let page = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(page, markdown(), "run MYRIAD_BLESS=1 cargo test --lib keys");
    }
}
