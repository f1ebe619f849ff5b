//! The one table of keys: what the help screen shows, what dispatch obeys, what `docs/keys.md` lists.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use crate::paper::levers::Lever;
use crate::workbench::key::Key;
use crate::workbench::learn::HINTS;
use crate::workbench::panels::Panel;
use crate::workbench::rounds::{RoundPart, RoundWay};
use crate::workbench::run::Way;
use crate::workbench::state::State;
use crate::workbench::text::Motion;

/// Where a key means what the table says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// Everywhere but in a prompt.
    Anywhere,
    Editor,
    /// In every panel but the editor.
    Panels,
    /// In this panel alone.
    Of(Panel),
    /// In the search line.
    Search,
}

impl Context {
    pub const ALL: [Context; 14] = [
        Context::Anywhere,
        Context::Editor,
        Context::Panels,
        Context::Of(Panel::PROBLEMS),
        Context::Of(Panel::MUTANTS),
        Context::Of(Panel::MUTANT),
        Context::Of(Panel::REPAIRS),
        Context::Of(Panel::IR),
        Context::Of(Panel::RUN),
        Context::Of(Panel::LADDER),
        Context::Of(Panel::ROUNDS),
        Context::Of(Panel::LESSON),
        Context::Of(Panel::PAPER),
        Context::Search,
    ];
    pub fn title(self) -> String {
        match self {
            Context::Anywhere => "Anywhere".to_string(),
            Context::Editor => "In the editor".to_string(),
            Context::Panels => "In the other panels".to_string(),
            Context::Of(panel) => format!("In the {} panel", panel.title()),
            Context::Search => "While searching".to_string(),
        }
    }
}

/// Everything that a key can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    Help,
    Open,
    Save,
    SaveAs,
    Answer,
    Quit,
    Suspend,
    CopyRow,
    Redraw,
    SwitchEngine,
    WriteTest,
    Race,
    Zoom,
    Present,
    Predict,
    NextPanel,
    PreviousPanel,
    Go(Panel),
    NextProblem,
    Escape,
    /// Closes the search line where it is.
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
    AddTest,
    ApplyRepair,
    NextPass,
    PreviousPass,
    // Runs
    InRun(Way),
    /// To the next phase of a line, or the one before.
    OnLadder(bool),
    InRounds(RoundWay),
    ShowOfRounds(RoundPart),
    AskForStep,
    AskForCall,
    CompareRuns,
    FoldCall,
    Breakpoint,
    Condition,
    // The paper's model
    ChooseLever(Lever),
    /// To the next notch above, or below.
    TurnLever(bool),
    /// As the paper has them, or as this machine does.
    SetLevers(bool),
    // Lessons
    NextHint,
    NextLesson,
}

/// A row of the table.
#[derive(Clone)]
pub struct Binding {
    pub context: Context,
    /// Names of keys; any of them does it.
    pub keys: &'static [&'static str],
    pub command: Command,
    /// What it does, in a few words.
    pub does: &'static str,
    /// Why it cannot be done now, if so.
    pub disabled: fn(&State) -> Option<&'static str>,
}

impl Binding {
    /// Its keys as shown to people.
    pub fn shown_keys(&self) -> String {
        let keys = self.keys.iter().filter_map(|name| Key::parse(name));
        keys.map(|key| key.to_string()).collect::<Vec<_>>().join(" ")
    }
}

fn always(_: &State) -> Option<&'static str> {
    None
}
fn needs_undo(state: &State) -> Option<&'static str> {
    (!state.buffer.can_undo()).then_some("nothing to undo")
}
fn needs_redo(state: &State) -> Option<&'static str> {
    (!state.buffer.can_redo()).then_some("nothing to redo")
}
fn needs_query(state: &State) -> Option<&'static str> {
    state.finder.query.is_empty().then_some("nothing searched for yet: ctrl-f")
}
fn needs_problem(state: &State) -> Option<&'static str> {
    state.results.problems.is_empty().then_some("no diagnostics")
}
fn needs_code(state: &State) -> Option<&'static str> {
    let known = state.results.shown.as_ref().is_some_and(|s| !s.compiled.ir.op.is_empty());
    (!known).then_some("nothing compiled yet")
}

fn needs_function(state: &State) -> Option<&'static str> {
    let shown = state.results.shown.as_ref().filter(|shown| shown.is_good());
    match shown {
        Some(shown) if shown.compiled.facts.functions > 0 && shown.revision == state.revision => None,
        Some(shown) if shown.compiled.facts.functions > 0 => Some("the text on screen is not compiled yet"),
        _ => Some("there is no function yet that compiles"),
    }
}

fn needs_run(state: &State) -> Option<&'static str> {
    state.run.trace().is_none().then_some("nothing is recorded yet")
}

fn needs_columns(state: &State) -> Option<&'static str> {
    state.ladder.columns.is_none().then_some("phases stand side by side where there is room: f7 makes it")
}

fn needs_rounds(state: &State) -> Option<&'static str> {
    state.rounds.round().is_none().then_some("no round is told of yet")
}

fn needs_offer(state: &State) -> Option<&'static str> {
    state.offered_test().err()
}

fn needs_hint(state: &State) -> Option<&'static str> {
    match state.file.lesson {
        None => Some("no lesson is open"),
        Some(_) => (state.lesson.hints >= HINTS).then_some("there are no more hints"),
    }
}

fn needs_lesson(state: &State) -> Option<&'static str> {
    state.file.lesson.is_none().then_some("no lesson is open")
}

fn needs_repair(state: &State) -> Option<&'static str> {
    state.chosen_repair().err()
}

macro_rules! table {
    ($($context:ident $(($panel:ident))? [$($keys:literal),+], $command:expr, $does:literal $(, if $disabled:path)?;)*) => {
        &[$(Binding {
            context: Context::$context $((Panel::$panel))?,
            keys: &[$($keys),+],
            command: $command,
            does: $does,
            disabled: table!(@disabled $($disabled)?),
        },)*]
    };
    (@disabled) => { always };
    (@disabled $disabled:path) => { $disabled };
}

/// All keys. A key with shift that is not here moves as without it and selects.
pub static TABLE: LazyLock<Vec<Binding>> =
    LazyLock::new(|| [OF_THE_PROGRAM, &of_the_panels(), OTHERS].concat());

/// The keys that go to a panel, which the table of panels has.
fn of_the_panels() -> Vec<Binding> {
    let binding = |panel: Panel| Binding {
        context: Context::Anywhere,
        keys: panel.row().keys,
        command: Command::Go(panel),
        does: panel.row().help,
        disabled: always,
    };
    Panel::all().map(binding).collect()
}

static OF_THE_PROGRAM: &[Binding] = {
    use Command::*;
    table! {
        Anywhere ["f1", "ctrl-p"], Help, "this help; type to filter it, enter does what is chosen";
        Anywhere ["ctrl-o"], Open, "open another file, or a sample";
        Anywhere ["ctrl-s"], Save, "save the file";
        Anywhere ["alt-s"], SaveAs, "save under another name";
        Anywhere ["alt-a", "f10"], Answer, "decide what waits to be decided; else list what earlier runs left unsaved";
        Anywhere ["ctrl-q"], Quit, "quit; asks when something is not saved";
        Anywhere ["ctrl-z"], Suspend, "suspend to the shell; fg comes back";
        Anywhere ["f6", "ctrl-t"], NextPanel, "next panel";
        Anywhere ["shift-f6", "f5"], PreviousPanel, "panel before";
    }
};

static OTHERS: &[Binding] = {
    use Command::*;
    use Motion::*;
    table! {
        Anywhere ["f7"], Zoom, "the focused panel alone, or all again";
        Anywhere ["shift-f7", "alt-e"], Present, "presenter's mode: each key in large letters, high contrast; again: as before";
        Anywhere ["alt-g"], Predict, "predict: Run, IR and Mutants hide what comes next; again: guess it; esc ends it";
        Anywhere ["f8"], NextProblem, "to the next diagnostic", if needs_problem;
        Anywhere ["f9"], SwitchEngine, "engine: automatic, CPU, GPU, all together in turn";
        Anywhere ["alt-t"], WriteTest, "write a test of the function under the cursor, with the value that it gives now", if needs_function;
        Anywhere ["alt-p"], Breakpoint, "a breakpoint in the line of the cursor, or none any more";
        Anywhere ["f4"], Race, "race every way of compiling against every other", if needs_code;
        Anywhere ["ctrl-l"], Redraw, "draw everything anew";
        Anywhere ["ctrl-f"], Find, "search";
        Anywhere ["f3"], FindNext, "next match", if needs_query;
        Anywhere ["shift-f3", "f2"], FindPrevious, "match before", if needs_query;
        Anywhere ["ctrl-g"], GotoLine, "go to a line, or LINE:COLUMN";
        Anywhere ["esc"], Escape, "leave: a prompt, predicting, a selection, a panel";

        Editor ["left"], Move(Left), "a character left; with shift: select";
        Editor ["right"], Move(Right), "a character right";
        Editor ["up"], Move(Up(1)), "a line up";
        Editor ["down"], Move(Down(1)), "a line down";
        Editor ["ctrl-left", "alt-b"], Move(WordLeft), "a word left";
        Editor ["ctrl-right", "alt-f"], Move(WordRight), "a word right";
        Editor ["home"], Move(LineStart), "start of the line, first behind its indent";
        Editor ["end", "ctrl-e"], Move(LineEnd), "end of the line";
        Editor ["ctrl-home"], Move(TextStart), "start of the text";
        Editor ["ctrl-end"], Move(TextEnd), "end of the text";
        Editor ["pageup"], PageUp, "a page up";
        Editor ["pagedown"], PageDown, "a page down";
        Editor ["ctrl-a"], SelectAll, "select everything";
        Editor ["enter"], NewLine, "new line, with the indent";
        Editor ["tab"], Indent, "indent by four spaces";
        Editor ["shift-tab"], Unindent, "one level of indent less";
        Editor ["ctrl-/"], Comment, "comment lines in or out";
        Editor ["backspace", "ctrl-h"], Erase(Left), "erase to the left";
        Editor ["delete"], Erase(Right), "erase to the right";
        Editor ["ctrl-w", "ctrl-backspace"], Erase(WordLeft), "erase a word to the left";
        Editor ["ctrl-delete", "alt-d"], Erase(WordRight), "erase a word to the right";
        Editor ["ctrl-k"], DeleteLine, "delete the line";
        Editor ["ctrl-u"], Undo, "undo", if needs_undo;
        Editor ["ctrl-y", "ctrl-r"], Redo, "redo", if needs_redo;
        Editor ["ctrl-x"], Cut, "cut the selection or the line";
        Editor ["ctrl-c"], Copy, "copy the selection or the line";
        Editor ["ctrl-v"], Paste, "paste";
        Editor ["f12", "ctrl-]", "ctrl-5"], GotoDefinition, "to the declaration of the name";

        Panels ["tab"], NextPanel, "next panel";
        Panels ["shift-tab"], PreviousPanel, "panel before";
        Panels ["?"], Help, "this help";
        Panels ["up", "k"], RowUp, "a row up; its place shows in the source and in every panel";
        Panels ["down", "j"], RowDown, "a row down";
        Panels ["pageup"], RowPageUp, "a page up";
        Panels ["pagedown"], RowPageDown, "a page down";
        Panels ["home", "g"], FirstRow, "first row";
        Panels ["end", "G"], LastRow, "last row";
        Panels ["enter"], Jump, "to the row's place in the editor";
        Panels ["ctrl-u"], Undo, "undo, as in the editor", if needs_undo;
        Panels ["ctrl-y", "ctrl-r"], Redo, "redo", if needs_redo;
        Panels ["q"], Escape, "close: back to the editor";
        Panels ["ctrl-c"], CopyRow, "copy the chosen row";

        Of(PROBLEMS) ["e"], Explain, "what the chosen diagnostic means, with an example and its mending; again: without", if needs_problem;

        Of(MUTANTS) ["f", "right"], NextFilter, "only the mutants of the next state";
        Of(MUTANTS) ["F", "left"], PreviousFilter, "only the mutants of the state before";
        Of(MUTANTS) ["y"], Go(Panel::MUTANT), "the chosen mutant by itself";
        Of(MUTANTS) ["t"], AddTest, "add the test that would notice the chosen survivor", if needs_offer;

        Of(MUTANT) ["t"], AddTest, "add the test that would notice the mutant", if needs_offer;

        Of(REPAIRS) ["enter"], ApplyRepair, "make the chosen repair, or add the chosen answer as a test; undo takes it back", if needs_repair;

        Of(IR) ["]", "right"], NextPass, "after the next pass", if needs_code;
        Of(IR) ["[", "left"], PreviousPass, "before the pass", if needs_code;

        Of(RUN) ["right", "l"], InRun(Way::Forward), "a step on", if needs_run;
        Of(RUN) ["left", "h"], InRun(Way::Back), "a step back", if needs_run;
        Of(RUN) ["n"], InRun(Way::Over), "over: a step on, what it calls included", if needs_run;
        Of(RUN) ["N"], InRun(Way::BackOver), "back over", if needs_run;
        Of(RUN) ["]"], InRun(Way::NextLine), "to the next line", if needs_run;
        Of(RUN) ["["], InRun(Way::LineBefore), "to the line before", if needs_run;
        Of(RUN) ["o"], InRun(Way::Out), "out: behind the end of this call", if needs_run;
        Of(RUN) ["O"], InRun(Way::Caller), "to the caller: before the begin of this call", if needs_run;
        Of(RUN) ["w"], InRun(Way::Maker), "who made the chosen value? to that step; again: who made that", if needs_run;
        Of(RUN) ["W"], InRun(Way::MakerBack), "back from there", if needs_run;
        Of(RUN) ["v"], InRun(Way::NextChange), "to where the chosen variable is set next", if needs_run;
        Of(RUN) ["V"], InRun(Way::ChangeBefore), "to where it was set before", if needs_run;
        Of(RUN) ["c"], InRun(Way::NextVisit), "to the next time in the line of the editor's cursor", if needs_run;
        Of(RUN) ["C"], InRun(Way::VisitBefore), "to the time before in that line", if needs_run;
        Of(RUN) ["home", "0"], InRun(Way::Start), "to the start", if needs_run;
        Of(RUN) ["end", "$"], InRun(Way::End), "to the end, or to the trap", if needs_run;
        Of(RUN) ["s"], AskForStep, "to a step by its number", if needs_run;
        Of(RUN) ["f"], InRun(Way::Failure), "to what fails or traps", if needs_run;
        Of(RUN) ["enter"], InRun(Way::Row), "to the step of the chosen row, or to the place in the editor", if needs_run;
        Of(RUN) ["x"], CompareRuns, "another run beside it: before the last change, on the input before, on one that passes, of the chosen mutant; alone", if needs_run;
        Of(RUN) ["X"], InRun(Way::Parting), "to where the two runs part", if needs_run;
        Of(RUN) ["space"], FoldCall, "fold the chosen call, or unfold it", if needs_run;
        Of(RUN) ["b"], Breakpoint, "a breakpoint in this line, or none any more";
        Of(RUN) ["B"], Condition, "a breakpoint in this line with a condition";
        Of(RUN) ["r"], InRun(Way::On), "run on to the next breakpoint", if needs_run;
        Of(RUN) ["R"], InRun(Way::OnBack), "back to the breakpoint before", if needs_run;
        Of(LADDER) ["right", "l"], OnLadder(true), "to the next phase, at the same token, where they stand side by side", if needs_columns;
        Of(LADDER) ["left", "h"], OnLadder(false), "to the phase before", if needs_columns;
        Of(ROUNDS) ["right", "l"], InRounds(RoundWay::Forward), "a round on", if needs_rounds;
        Of(ROUNDS) ["left", "h"], InRounds(RoundWay::Back), "a round back", if needs_rounds;
        Of(ROUNDS) ["]"], InRounds(RoundWay::NextEntry), "to the next entry point", if needs_rounds;
        Of(ROUNDS) ["["], InRounds(RoundWay::EntryBefore), "to the entry point before", if needs_rounds;
        Of(ROUNDS) ["n"], InRounds(RoundWay::NextStage), "to the next stage", if needs_rounds;
        Of(ROUNDS) ["N"], InRounds(RoundWay::StageBefore), "to the stage before", if needs_rounds;
        Of(ROUNDS) ["v"], InRounds(RoundWay::NextWrite), "to the next round that writes to the chosen row's token", if needs_rounds;
        Of(ROUNDS) ["V"], InRounds(RoundWay::WriteBefore), "to the round before that did", if needs_rounds;
        Of(ROUNDS) ["home", "0"], InRounds(RoundWay::Start), "to the first round", if needs_rounds;
        Of(ROUNDS) ["end", "$"], InRounds(RoundWay::End), "to the last round", if needs_rounds;
        Of(ROUNDS) ["c"], ShowOfRounds(RoundPart::Code), "the lines of the shader, or none", if needs_rounds;
        Of(ROUNDS) ["s"], ShowOfRounds(RoundPart::Scans), "rounds of scans, too, or not", if needs_rounds;
        Of(ROUNDS) ["a"], ShowOfRounds(RoundPart::Rows), "all rows, or those that change", if needs_rounds;
        Of(RUN) ["e"], AskForCall, "run another call", if needs_function;

        Of(LESSON) ["h"], NextHint, "the next hint", if needs_hint;
        Of(LESSON) ["n"], NextLesson, "the next lesson; what is written is saved first", if needs_lesson;

        Of(PAPER) ["k"], ChooseLever(Lever::Programs), "choose the slider k: programs, or candidates of one";
        Of(PAPER) ["P"], ChooseLever(Lever::Cores), "choose the slider P: how many are worked on at once";
        Of(PAPER) ["p"], ChooseLever(Lever::Correct), "choose the slider p: the probability that a candidate is correct";
        Of(PAPER) ["T", "t"], ChooseLever(Lever::Time), "choose the slider T: what one program takes";
        Of(PAPER) ["right"], TurnLever(true), "the chosen slider to its next notch: 1, 2, 5, 10, 20 …";
        Of(PAPER) ["left"], TurnLever(false), "the chosen slider to the notch before";
        Of(PAPER) ["a"], SetLevers(true), "all sliders as the paper has them";
        Of(PAPER) ["h"], SetLevers(false), "all sliders as this machine has them";

        Search ["enter"], Accept, "stay at the match";
        Search ["down", "f3"], FindNext, "next match";
        Search ["up", "shift-f3", "f2"], FindPrevious, "match before";
        Search ["esc"], Escape, "back to where the search began";
    }
};

/// The bindings that all words of a filter are found in, context by context.
pub fn matching(filter: &str) -> Vec<&'static Binding> {
    let wanted = filter.to_lowercase();
    let fits = |binding: &&Binding| {
        let context = binding.context.title();
        let text = format!("{} {} {context}", binding.shown_keys(), binding.does).to_lowercase();
        wanted.split_whitespace().all(|word| text.contains(word))
    };
    let of = |context| TABLE.iter().filter(move |binding| binding.context == context);
    Context::ALL.into_iter().flat_map(of).filter(fits).collect()
}

/// What a key does in a context, if anything.
pub fn binding(context: Context, key: Key) -> Option<&'static Binding> {
    static INDEX: OnceLock<HashMap<(Context, Key), usize>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index = HashMap::new();
        for (row, binding) in TABLE.iter().enumerate() {
            for key in binding.keys.iter().filter_map(|name| Key::parse(name)) {
                index.insert((binding.context, key), row);
            }
        }
        index
    });
    index.get(&(context, key)).map(|row| &TABLE[*row])
}

/// The table as a page of Markdown.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Keys\n\nF1 shows this table in the workbench, filtered as one types; enter does what is chosen in it.\n",
    );
    for context in Context::ALL {
        page.push_str(&format!("\n## {}\n\n| key | does |\n|---|---|\n", context.title()));
        for binding in TABLE.iter().filter(|b| b.context == context) {
            let keys: Vec<String> =
                binding.keys.iter().filter_map(|name| Key::parse(name)).map(|key| format!("`{key}`")).collect();
            page.push_str(&format!("| {} | {} |\n", keys.join(" "), binding.does));
        }
    }
    page.push_str(
        "\nThe mouse places the cursor, selects by dragging and by double click, scrolls what is under it, and \
         chooses panels, tabs and rows.\n",
    );
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_name_and_one_meaning() {
        let mut seen = std::collections::HashSet::new();
        for binding in TABLE.iter() {
            for name in binding.keys {
                let key = Key::parse(name).unwrap_or_else(|| panic!("no such key: {name}"));
                assert!(seen.insert((binding.context, key)), "{name} twice in {:?}", binding.context);
            }
        }
    }

    /// `MYRIAD_BLESS=1 cargo test` writes the page anew.
    #[test]
    fn the_page_of_keys_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/keys.md");
        if std::env::var_os("MYRIAD_BLESS").is_some() {
            std::fs::write(path, markdown()).expect("docs/keys.md can be written");
        }
        let page = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(page, markdown(), "run MYRIAD_BLESS=1 cargo test --lib keys");
    }
}
