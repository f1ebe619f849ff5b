//! The rows of the table of keys, by the task that they serve.

use super::{Binding, Command, Context};
use crate::lang::level::OptLevel;
use crate::paper::levers::Lever;
use crate::testing::rules::IN_PROGRAMS;
use crate::workbench::learn::HINTS;
use crate::workbench::panels::mutant::SEARCHING;
use crate::workbench::panels::{Panel, PanelTask};
use crate::workbench::rounds::{RoundMove, RoundPart};
use crate::workbench::run::RunMove;
use crate::workbench::state::State;
use crate::workbench::text::Motion;

fn always(_: &State) -> Option<&'static str> {
    None
}
fn needs_list(state: &State) -> Option<&'static str> {
    let focus = state.screen.focus;
    let whole = focus == Panel::RUN || focus.list().is_some_and(|list| list.by_cell(state));
    (whole || !focus.is_list()).then_some("this panel has no rows to filter")
}
fn needs_other_file(state: &State) -> Option<&'static str> {
    state.files.others.is_empty().then_some("no other file is open: ctrl-o opens one")
}
fn needs_undo(state: &State) -> Option<&'static str> {
    (!state.document.buffer.can_undo()).then_some("nothing to undo")
}
fn needs_redo(state: &State) -> Option<&'static str> {
    (!state.document.buffer.can_redo()).then_some("nothing to redo")
}
fn needs_query(state: &State) -> Option<&'static str> {
    state.document.search.finder.is_empty().then_some("nothing searched for yet: press ctrl-f")
}
fn needs_way_back(state: &State) -> Option<&'static str> {
    (!state.document.buffer.can_jump_back()).then_some("no jump to go back from")
}
fn needs_way_ahead(state: &State) -> Option<&'static str> {
    (!state.document.buffer.can_jump_ahead()).then_some("no way back to undo")
}
fn needs_problem(state: &State) -> Option<&'static str> {
    state.results.problems.is_empty().then_some("no diagnostics")
}
fn needs_code(state: &State) -> Option<&'static str> {
    let known = state.results.shown.as_ref().is_some_and(|s| !s.compiled.ir.op.is_empty());
    (!known).then_some("nothing compiled yet")
}

fn needs_rules(state: &State) -> Option<&'static str> {
    let text = state.document.buffer.text();
    match state.document.file.is_rules() {
        true => Some("passes are those of a program: write the rules there, as lines `//= RULE`"),
        false => {
            (!text.contains(IN_PROGRAMS)).then_some("the text has no rules: a line `//= x + 0 => x` is one")
        }
    }
}

fn needs_level_2(state: &State) -> Option<&'static str> {
    let level = state.shown().map_or(state.engine.level.level(), |shown| shown.compiled.level);
    (level < OptLevel::Whole).then_some("only level 2 expands code: press alt-v")
}

fn needs_function(state: &State) -> Option<&'static str> {
    let shown = state.results.shown.as_ref().filter(|shown| shown.is_lowered());
    match shown {
        Some(shown) if shown.compiled.facts.functions > 0 && shown.revision == state.document.revision => None,
        Some(shown) if shown.compiled.facts.functions > 0 => Some("the text on screen is not compiled yet"),
        _ => Some("no function compiles yet"),
    }
}

fn needs_run(state: &State) -> Option<&'static str> {
    state.run.trace().is_none().then_some("no run is recorded yet")
}

fn needs_columns(state: &State) -> Option<&'static str> {
    state.ladder.columns.is_none().then_some("phases are side by side only where there is room: press F7")
}

fn needs_rounds(state: &State) -> Option<&'static str> {
    state.rounds.round().is_none().then_some("no round is recorded yet")
}

fn needs_mutant(state: &State) -> Option<&'static str> {
    if state.predict.is_some() {
        return Some("esc ends predicting first");
    }
    state.chosen_mutant().is_none().then_some("no mutant is chosen")
}

fn needs_offer(state: &State) -> Option<&'static str> {
    // A test that is not found yet is added later.
    state.offered_test().err().filter(|why| *why != SEARCHING)
}

fn needs_proof(state: &State) -> Option<&'static str> {
    state.chosen_proof().err()
}

fn needs_suggestions(state: &State) -> Option<&'static str> {
    state.suggestions().is_empty().then_some("no test is found yet that would notice a survivor")
}

fn needs_superfluous(state: &State) -> Option<&'static str> {
    state.superfluous_tests().err()
}

fn needs_hint(state: &State) -> Option<&'static str> {
    match state.document.file.lesson {
        None => Some("no lesson is open"),
        Some(_) => (state.lesson.hints >= HINTS).then_some("there are no more hints"),
    }
}

fn needs_lesson(state: &State) -> Option<&'static str> {
    (state.document.file.lesson.is_none() && state.tour.is_none()).then_some("no lesson is open")
}

fn needs_repair(state: &State) -> Option<&'static str> {
    state.chosen_repair().err().filter(|_| !state.asks_here())
}

macro_rules! table {
    ($($task:ident {
        $($context:ident $(($panel:ident))? $name:ident [$($keys:literal),+], $command:expr, $does:literal $(, if $disabled:path)?;)*
    })*) => {
        &[$($(Binding {
            context: Context::$context $((Panel::$panel))?,
            task: PanelTask::$task,
            name: stringify!($name),
            keys: &[$($keys),+],
            command: $command,
            does: $does,
            disabled: table!(@disabled $($disabled)?),
        },)*)*]
    };
    (@disabled) => { always };
    (@disabled $disabled:path) => { $disabled };
}

/// Returns the bindings that focus a panel, from the table of panels.
pub(super) fn of_panels() -> Vec<Binding> {
    let binding = |panel: Panel| Binding {
        context: Context::Anywhere,
        task: panel.row().task,
        name: panel.title(),
        keys: panel.row().keys,
        command: Command::Go(panel),
        does: panel.row().help,
        disabled: always,
    };
    Panel::all().map(binding).collect()
}

pub(super) static OTHERS: &[Binding] = {
    use Command::*;
    use Motion::*;
    table! {
        Write {
            Anywhere next_problem ["f8"], NextProblem, "to the next diagnostic", if needs_problem;

            Editor select_all ["ctrl-a"], SelectAll, "select everything";
            Editor new_line ["enter"], NewLine, "new line, with the indent";
            Editor indent ["tab"], Indent, "indent by four spaces";
            Editor unindent ["shift-tab"], Unindent, "remove one level of indent";
            Editor comment ["ctrl-/"], Comment, "comment or uncomment lines";
            Editor format ["alt-=", "shift-f11"], Format, "write the text in the standard layout";
            Editor erase_left ["backspace", "ctrl-h"], Erase(Left), "erase to the left";
            Editor erase_right ["delete"], Erase(Right), "erase to the right";
            Editor erase_word_left ["ctrl-w", "ctrl-backspace"], Erase(WordLeft), "erase a word to the left";
            Editor erase_word_right ["ctrl-delete", "alt-d"], Erase(WordRight), "erase a word to the right";
            Editor delete_line ["ctrl-k"], DeleteLine, "delete the line";
            Editor undo ["ctrl-u"], Undo, "undo", if needs_undo;
            Editor redo ["ctrl-y", "ctrl-r"], Redo, "redo", if needs_redo;
            Editor cut ["ctrl-x"], Cut, "cut the selection or the line";
            Editor copy ["ctrl-c"], Copy, "copy the selection or the line";
            Editor paste ["ctrl-v"], Paste, "paste";
            Editor rename ["f2", "ctrl-n"], Rename, "rename the name under the cursor";
            Editor complete ["ctrl-space"], Complete, "complete the word: tab chooses, enter accepts, esc leaves";
            Editor move_lines_up ["alt-up", "ctrl-up"], MoveLines { is_down: false }, "move the lines up";
            Editor move_lines_down ["alt-down", "ctrl-down"], MoveLines { is_down: true }, "move the lines down";
            Editor duplicate_lines ["alt-shift-down", "ctrl-shift-down"], DuplicateLines, "duplicate the lines";
            Editor soft_wrap ["alt-z", "shift-f5"], SoftWrap, "continue long lines on the next row, or cut them again";
            Editor values ["alt-V", "shift-f10"], Values, "values next to the code: show those of a test's run, or hide them";
            Editor next_round ["alt-."], Round { is_next: true }, "next round of the loop around the cursor: show its values";
            Editor round_before ["alt-,"], Round { is_next: false }, "round before: show its values";
            Editor next_call ["alt->"], CallOfValues { is_next: true }, "next call of the function: show its values";
            Editor call_before ["alt-<"], CallOfValues { is_next: false }, "call before: show its values";
            Editor add_cursor ["ctrl-d"], AddCursor, "select the word; again: add a cursor at the next text like it; esc leaves one cursor";
            Editor add_cursor_below ["ctrl-alt-down", "shift-f8"], AddCursorOnLine { is_below: true }, "cursor below: add one on the next line";
            Editor add_cursor_above ["ctrl-alt-up", "shift-f9"], AddCursorOnLine { is_below: false }, "cursor above: add one on the line before";

            Of(DIAGNOSTICS) explain ["e"], Explain, "explain the chosen diagnostic, or hide this", if needs_problem;
        }
        Find {
            Anywhere search ["ctrl-f"], Find, "search";
            Anywhere next_match ["f3"], FindNext, "next match", if needs_query;
            Anywhere previous_match ["shift-f3"], FindPrevious, "previous match", if needs_query;
            Anywhere go_to_line ["ctrl-g"], GotoLine, "go to a line, or LINE:COLUMN";

            Editor left ["left"], Move(Left), "a character left; with shift: select";
            Editor right ["right"], Move(Right), "a character right";
            Editor up ["up"], Move(Up(1)), "a line up";
            Editor down ["down"], Move(Down(1)), "a line down";
            Editor word_left ["ctrl-left", "alt-b"], Move(WordLeft), "a word left";
            Editor word_right ["ctrl-right", "alt-f"], Move(WordRight), "a word right";
            Editor line_start ["home"], Move(LineStart), "start of the line's text, then of the line";
            Editor line_end ["end", "ctrl-e"], Move(LineEnd), "end of the line";
            Editor text_start ["ctrl-home"], Move(TextStart), "start of the text";
            Editor text_end ["ctrl-end"], Move(TextEnd), "end of the text";
            Editor page_up ["pageup"], PageUp, "a page up";
            Editor page_down ["pagedown"], PageDown, "a page down";
            Editor go_to_definition ["f12", "ctrl-]", "ctrl-5"], GotoDefinition, "go to the declaration of the name";
            Editor jump_back ["shift-f12", "ctrl-b"], JumpBack, "back to the place before the last jump", if needs_way_back;
            Editor jump_ahead ["shift-f2"], JumpAhead, "forward again after going back", if needs_way_ahead;
            Editor describe ["f11"], Describe, "say what is under the cursor: its declaration, type and comment";

            Search accept ["enter"], Accept, "stay at the match; in the replacement: replace it";
            Search switch_field ["tab"], SwitchField, "to the text that replaces the matches, and back";
            Search replace_all ["ctrl-a"], ReplaceAll, "replace all matches";
            Search toggle_regex ["ctrl-r"], ToggleRegex, "search for a regular expression, or for plain text again";
            Search next_match ["down", "f3"], FindNext, "next match";
            Search previous_match ["up", "shift-f3"], FindPrevious, "previous match";
            Search leave ["esc"], Escape, "back to where the search began";
        }
        Files {
            Anywhere welcome ["alt-w"], Welcome, "the welcome: the tour, recent files, samples and lessons";
            Anywhere open ["ctrl-o"], Open, "open a file, a sample or a lesson, or show one that is open";
            Anywhere previous_file ["alt-left"], FileBefore, "back to the file that was on screen before", if needs_other_file;
            Anywhere next_file ["alt-right"], FileAfter, "forward again to the next file", if needs_other_file;
            Anywhere close_file ["alt-W"], Close, "close the file; asks when it is not saved";
            Anywhere save ["ctrl-s"], Save, "save the file";
            Anywhere save_as ["alt-s"], SaveAs, "save under another name";
            Anywhere answer ["alt-a", "f10"], Answer, "answer the pending question, or list unsaved texts of earlier runs";
        }
        Test {
            Anywhere write_test ["alt-t"], WriteTest, "write a test of the function under the cursor, with the value that it returns now; of a probe, in its place", if needs_function;

            Of(MUTANTS) next_status ["f", "right"], NextFilter, "list the mutants of the next status";
            Of(MUTANTS) previous_status ["F", "left"], PreviousFilter, "list the mutants of the previous status";
            Of(MUTANTS) show_mutant ["y"], Go(Panel::MUTANT), "show the chosen mutant in its own panel";
            Of(MUTANTS) show_own_code ["v"], ShowOwn, "show the mutant's own tokens, tree and code in their panels; again: the program's", if needs_mutant;
            Of(MUTANTS) add_test ["t"], AddTest, "add the test that would notice the chosen survivor", if needs_offer;
            Of(MUTANTS) list_suggestions ["T"], ListSuggestions, "list the tests found for all survivors", if needs_suggestions;
            Of(MUTANTS) show_proof ["p"], ShowProof, "show step by step how the prover answers", if needs_proof;

            Of(MUTANT) show_proof ["p"], ShowProof, "show step by step how the prover answers", if needs_proof;
            Of(MUTANT) show_own_code ["v"], ShowOwn, "show the mutant's own tokens, tree and code in their panels; again: the program's", if needs_mutant;
            Of(MUTANT) add_test ["t"], AddTest, "add the test that would notice the mutant", if needs_offer;
            Of(MUTANT) list_suggestions ["T"], ListSuggestions, "list the tests found for all survivors", if needs_suggestions;

            Of(MATRIX) remove_tests ["D"], RemoveTests, "remove the tests without which no more mutants survive", if needs_superfluous;

            Of(REPAIRS) apply_repair ["enter"], ApplyRepair, "apply the chosen repair, or add the chosen answer as a test; undo reverts it", if needs_repair;
        }
        Inside {
            Anywhere switch_level ["alt-v"], SwitchLevel, "switch the level that the program is optimized to: automatic, 2, 3, 0, 1";
            Anywhere show_remarks ["alt-h"], Remarks, "show or hide in the editor what level 2 does not expand, and why", if needs_level_2;

            Of(IR) next_pass ["]", "right"], NextPass, "to the next pass that changes this function", if needs_code;
            Of(IR) previous_pass ["[", "left"], PreviousPass, "to the previous one, or to the code as lowered", if needs_code;
            Of(IR) show_rules ["r"], Rules, "show the code after the proved rules `//= RULE` of the text, each as a pass, run on the processor; again: without them", if needs_rules;
            Of(IR) show_reasons ["y"], Reasons, "why: show the reason for each change of the chosen pass, or hide them", if needs_code;

            Of(LADDER) next_phase ["right", "l"], MoveInLadder(true), "to the next phase, at the same token, where phases are side by side", if needs_columns;
            Of(LADDER) previous_phase ["left", "h"], MoveInLadder(false), "to the previous phase", if needs_columns;

            Of(ROUNDS) forward ["right", "l"], MoveInRounds(RoundMove::Forward), "a round forward", if needs_rounds;
            Of(ROUNDS) back ["left", "h"], MoveInRounds(RoundMove::Back), "a round back", if needs_rounds;
            Of(ROUNDS) next_entry ["]"], MoveInRounds(RoundMove::NextEntry), "to the next entry point", if needs_rounds;
            Of(ROUNDS) previous_entry ["["], MoveInRounds(RoundMove::EntryBefore), "to the previous entry point", if needs_rounds;
            Of(ROUNDS) next_stage ["n"], MoveInRounds(RoundMove::NextStage), "to the next stage", if needs_rounds;
            Of(ROUNDS) previous_stage ["N"], MoveInRounds(RoundMove::StageBefore), "to the previous stage", if needs_rounds;
            Of(ROUNDS) next_write ["v"], MoveInRounds(RoundMove::NextWrite), "to the next round that writes to the chosen row's token", if needs_rounds;
            Of(ROUNDS) previous_write ["V"], MoveInRounds(RoundMove::WriteBefore), "to the previous round that writes to the chosen row's token", if needs_rounds;
            Of(ROUNDS) start ["home", "0"], MoveInRounds(RoundMove::Start), "to the first round", if needs_rounds;
            Of(ROUNDS) end ["end", "$"], MoveInRounds(RoundMove::End), "to the last round", if needs_rounds;
            Of(ROUNDS) show_code ["c"], ToggleInRounds(RoundPart::Code), "show or hide the lines of the shader", if needs_rounds;
            Of(ROUNDS) show_scans ["s"], ToggleInRounds(RoundPart::Scans), "show or hide rounds of scans", if needs_rounds;
            Of(ROUNDS) show_rows ["a"], ToggleInRounds(RoundPart::Rows), "show all rows, or only those that change", if needs_rounds;
        }
        Run {
            Anywhere breakpoint ["alt-p"], Breakpoint, "set or remove a breakpoint on the cursor's line";

            Of(RUN) forward ["right", "l"], MoveInRun(RunMove::Forward), "a step forward", if needs_run;
            Of(RUN) back ["left", "h"], MoveInRun(RunMove::Back), "a step back", if needs_run;
            Of(RUN) over ["n"], MoveInRun(RunMove::Over), "step over: a step forward, including all calls that it makes", if needs_run;
            Of(RUN) back_over ["N"], MoveInRun(RunMove::BackOver), "step back over", if needs_run;
            Of(RUN) next_line ["]"], MoveInRun(RunMove::NextLine), "to the next line", if needs_run;
            Of(RUN) previous_line ["["], MoveInRun(RunMove::LineBefore), "to the previous line", if needs_run;
            Of(RUN) out ["o"], MoveInRun(RunMove::Out), "step out: to just after the end of this call", if needs_run;
            Of(RUN) caller ["O"], MoveInRun(RunMove::Caller), "to the caller: just before the start of this call", if needs_run;
            Of(RUN) maker ["w"], MoveInRun(RunMove::Maker), "to the step that made the chosen value", if needs_run;
            Of(RUN) maker_back ["W"], MoveInRun(RunMove::MakerBack), "back to the step before `w`", if needs_run;
            Of(RUN) next_change ["v"], MoveInRun(RunMove::NextChange), "to where the chosen variable is set next", if needs_run;
            Of(RUN) previous_change ["V"], MoveInRun(RunMove::ChangeBefore), "to where it was last set", if needs_run;
            Of(RUN) next_visit ["c"], MoveInRun(RunMove::NextVisit), "to the next execution of the line at the editor's cursor", if needs_run;
            Of(RUN) previous_visit ["C"], MoveInRun(RunMove::VisitBefore), "to the previous execution of that line", if needs_run;
            Of(RUN) start ["home", "0"], MoveInRun(RunMove::Start), "to the start", if needs_run;
            Of(RUN) end ["end", "$"], MoveInRun(RunMove::End), "to the end, or to the trap", if needs_run;
            Of(RUN) ask_for_step ["s"], AskForStep, "to a step by its number", if needs_run;
            Of(RUN) failure ["f"], MoveInRun(RunMove::Failure), "to the step that fails or traps", if needs_run;
            Of(RUN) go_to_row ["enter"], MoveInRun(RunMove::Row), "to the step of the chosen row, or to the place in the editor", if needs_run;
            Of(RUN) compare_runs ["x"], CompareRuns, "compare with another run; again: with the next one", if needs_run;
            Of(RUN) divergence ["X"], MoveInRun(RunMove::Divergence), "to where the two runs diverge", if needs_run;
            Of(RUN) fold_call ["space"], FoldCall, "fold the chosen call, or unfold it", if needs_run;
            Of(RUN) breakpoint ["b"], Breakpoint, "set or remove a breakpoint on this line";
            Of(RUN) breakpoint_condition ["B"], Condition, "set a breakpoint with a condition on this line";
            Of(RUN) run_on ["r"], MoveInRun(RunMove::On), "run on to the next breakpoint", if needs_run;
            Of(RUN) run_back ["R"], MoveInRun(RunMove::OnBack), "run back to the previous breakpoint", if needs_run;
            Of(RUN) ask_for_call ["e"], AskForCall, "run another call", if needs_function;
        }
        Measure {
            Of(COUNTER) judge_all ["a"], JudgeAll, "judge all variants of this program at each key, or the usual number again", if needs_code;
            Anywhere switch_engine ["f9"], SwitchEngine, "switch the engine: automatic, CPU, GPU, all together";
        }
        Learn {
            Anywhere present ["shift-f7", "alt-e"], Present, "presenter's mode: each key in large letters, high contrast; again to end it";
            Anywhere predict ["alt-g"], Predict, "predict: Run, IR and Mutants hide what comes next; again to guess it, esc to end it";

            Of(LESSON) next_hint ["h"], NextHint, "the next hint", if needs_hint;
            Of(LESSON) next_lesson ["n"], NextLesson, "save, and go to the next lesson; in the tour, the next step", if needs_lesson;
        }
        Screen {
            Anywhere prefix ["ctrl-t"], Prefix, "then a key: the same as alt with that key, where the terminal does not send alt";
            Anywhere next_panel ["f6"], NextPanel, "next panel";
            Anywhere previous_panel ["shift-f6", "f5"], PreviousPanel, "previous panel";
            Anywhere zoom ["f7"], Zoom, "show only the focused panel, or all panels again";
            Anywhere arrange ["alt-Z"], Arrange, "arrange the screen: teach, test, perf, or as you kept it; the mouse drags borders";
            Anywhere theme ["alt-T"], ChooseTheme, "choose the colours: the list shows each as you move, esc takes it back";
            Anywhere laboratory ["alt-N", "shift-f4"], Laboratory, "show or hide the paper's laboratory: its tabs and keys";
            Anywhere leave ["esc"], Escape, "leave a prompt, predicting, a panel or a selection";

            Panels next_panel ["tab"], NextPanel, "next panel";
            Panels previous_panel ["shift-tab"], PreviousPanel, "previous panel";
            Panels help ["?"], Help, "this help";
            Panels row_up ["up", "k", "ctrl-p", "ctrl-k"], RowUp, "a row up";
            Panels row_down ["down", "j", "ctrl-n", "ctrl-j"], RowDown, "a row down";
            Panels row_page_up ["pageup"], RowPageUp, "a page up";
            Panels row_page_down ["pagedown"], RowPageDown, "a page down";
            Panels first_row ["home", "g"], FirstRow, "first row";
            Panels last_row ["end", "G"], LastRow, "last row";
            Panels go_to_source ["enter"], Jump, "to the row's place in the editor";
            Panels undo ["ctrl-u"], Undo, "undo, as in the editor", if needs_undo;
            Panels redo ["ctrl-y", "ctrl-r"], Redo, "redo", if needs_redo;
            Panels close_panel ["ctrl-w", "Q"], ClosePanel, "close the panel: its tab goes, or the panel before it comes to the front";
            Panels leave ["q"], Escape, "back to the editor; the panel stays";
            Panels filter_rows ["/"], FilterRows, "show only the rows that contain all words of a filter; `12:` is line 12", if needs_list;
            Panels explain_row ["K"], ExplainRow, "explain what is in the row, as `myriad explain` does; esc closes it";
            Panels pin ["="], Pin, "pin what the panel shows, for the Compare panel (alt-j)";
            Panels copy_row ["ctrl-c"], CopyRow, "copy the selected row, or the page";
        }
        Laboratory {
            Anywhere race ["f4"], Race, "race all ways of compiling against each other", if needs_code;

            Of(PAPER) choose_programs ["k"], ChooseLever(Lever::Programs), "choose the slider k: programs, or candidates for one";
            Of(PAPER) choose_cores ["P"], ChooseLever(Lever::Cores), "choose the slider P: how many are processed at once";
            Of(PAPER) choose_correct ["p"], ChooseLever(Lever::Correct), "choose the slider p: how often a candidate is correct";
            Of(PAPER) choose_time ["T", "t"], ChooseLever(Lever::Time), "choose the slider T: the time for one program";
            Of(PAPER) more ["right"], MoveLever(true), "move the chosen slider up a notch: 1, 2, 5, 10, 20 …";
            Of(PAPER) less ["left"], MoveLever(false), "move the chosen slider down a notch";
            Of(PAPER) set_as_paper ["a"], SetLevers(true), "set all sliders to the paper's values";
            Of(PAPER) set_as_machine ["h"], SetLevers(false), "set all sliders to this machine's values";
        }
        Program {
            Anywhere help ["f1", "ctrl-p", "alt-?"], Help, "this help; type to filter it, enter runs the chosen command";
            Anywhere quit ["ctrl-q"], Quit, "quit; asks about each file that is not saved";
            Anywhere suspend ["ctrl-z"], Suspend, "suspend to the shell; fg resumes";
            Anywhere redraw ["ctrl-l"], Redraw, "redraw the screen";
        }
    }
};
