//! Dispatches commands.

use crate::engine::choose::Preference;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::level::OptLevel;
use crate::session::VisibleJobs;
use crate::workbench::event::Effect;
use crate::workbench::field::Field;
use crate::workbench::keys::Command;
use crate::workbench::panels::figures::{ms, short_time};
use crate::workbench::panels::{PANELS, Panel, counter};
use crate::workbench::state::{Ask, HelpView, Overlay, State, Tone};
use crate::workbench::text::{Finder, Selection};

impl Command {
    /// Returns whether the command moves the cursor, so that shift selects.
    pub fn moves(self) -> bool {
        matches!(self, Command::Move(_) | Command::PageUp | Command::PageDown)
    }

    /// Returns whether the command selects another row of a list.
    pub fn moves_in_rows(self) -> bool {
        use Command::{FirstRow, LastRow, RowDown, RowPageDown, RowPageUp, RowUp};
        matches!(self, RowUp | RowDown | RowPageUp | RowPageDown | FirstRow | LastRow)
    }
}

impl State {
    pub(super) fn run(&mut self, command: Command, extend: bool, effects: &mut Vec<Effect>) {
        match command {
            Command::Help => self.prompts.overlay = Some(Overlay::Help(HelpView::default())),
            // Handled before keys are looked up; chosen from the list, it starts as well.
            Command::Prefix => self.prompts.prefixed = true,
            Command::Welcome => self.welcome(),
            Command::Open => self.ask_what_to_open(),
            Command::Save => self.save(effects),
            Command::SaveAs => {
                self.prompts.overlay =
                    Some(Overlay::Ask(Ask::FileName, Field::new(&self.document.file.suggested())));
            }
            Command::Quit => self.ask_to_quit(effects),
            Command::Close if self.dirty() => self.prompts.overlay = Some(Overlay::Close),
            Command::Close => self.close(effects),
            Command::FileBefore => self.go_back(false, effects),
            Command::FileAfter => self.go_back(true, effects),
            Command::Answer => self.answer_waiting(effects),
            Command::Suspend => effects.push(Effect::Suspend),
            Command::Redraw => effects.push(Effect::Redraw),
            Command::Arrange => self.choose_arrangement(),
            Command::Laboratory => self.toggle_laboratory(),
            Command::ShowOwn => self.toggle_own(),
            Command::FilterRows => self.ask_for_filter(),
            Command::Pin => self.pin(),
            Command::CopyRow => self.copy_row(effects),
            Command::SwitchEngine => self.switch_engine(effects),
            Command::SwitchLevel => self.switch_level(effects),
            Command::JudgeAll => self.judge_all(effects),
            Command::ChooseTheme => self.choose_theme(),
            Command::ClosePanel => self.close_panel(),
            Command::Zoom => self.screen.zoomed = !self.screen.zoomed,
            Command::Present => self.present(self.status.echo.is_none()),
            Command::WriteTest if self.write_value() => {}
            Command::WriteTest => {
                // Outside any function, use the first one.
                let function = self.function_under_cursor().unwrap_or_default();
                effects.push(Effect::WriteTest { revision: self.document.revision, function });
            }
            Command::Race => self.show_race(effects),
            Command::NextPanel => self.cycle_panel(1),
            Command::PreviousPanel => self.cycle_panel(PANELS.len() - 1),
            Command::Go(Panel::RUN) => self.watch_run(effects),
            Command::Go(panel) => self.focus_on(panel),
            Command::MoveInRun(go) => self.go_in_run(go),
            Command::MoveInLadder(on) => self.go_on_ladder(on),
            Command::MoveInRounds(way) => self.go_in_rounds(way),
            Command::ToggleInRounds(part) => self.show_of_rounds(part),
            Command::AskForStep => self.prompts.overlay = Some(Overlay::Ask(Ask::Step, Field::default())),
            Command::AskForCall => self.ask_for_call(),
            Command::CompareRuns => self.compare_runs(effects),
            Command::FoldCall => self.fold_call(),
            Command::Breakpoint => self.toggle_breakpoint(self.breakpoint_line(), effects),
            Command::Condition => self.ask_for_condition(),
            Command::Predict => self.predict(),
            Command::ChooseLever(lever) => self.choose_lever(lever),
            Command::MoveLever(up) => self.turn_lever(up),
            Command::SetLevers(as_paper) => self.set_levers(as_paper),
            Command::NextHint => self.next_hint(),
            Command::NextLesson => self.next_lesson(effects),
            Command::NextProblem => self.next_problem(),
            Command::Escape => self.escape(),
            Command::Find => self.start_search(),
            Command::FindNext => self.find_next(),
            Command::FindPrevious => self.find_previous(),
            Command::GotoLine => self.prompts.overlay = Some(Overlay::Ask(Ask::Line, Field::default())),
            Command::RowUp => self.select_row(|row, _| row.saturating_sub(1)),
            Command::RowDown => self.select_row(|row, _| row + 1),
            Command::RowPageUp => self.select_row(|row, page| row.saturating_sub(page)),
            Command::RowPageDown => self.select_row(|row, page| row + page),
            Command::FirstRow => self.select_row(|_, _| 0),
            Command::LastRow => self.select_row(|_, _| usize::MAX),
            Command::Jump => self.jump_to_row(),
            Command::Explain => self.explain_problem(),
            Command::ExplainRow => self.explain_row(),
            Command::NextFilter => self.cycle_filter(1),
            Command::PreviousFilter => self.cycle_filter(-1),
            Command::ApplyRepair => self.apply_repair(),
            Command::ListSuggestions => self.list_suggestions(),
            Command::RemoveTests => self.remove_superfluous_tests(),
            Command::ShowProof => self.show_proof(),
            Command::AddTest => self.add_offered_test(),
            Command::NextPass => self.walk_passes(1),
            Command::PreviousPass => self.walk_passes(-1),
            Command::Reasons => self.toggle_reasons(),
            Command::Rules => self.toggle_rules(),
            Command::Remarks => self.toggle_remarks(),
            _ => self.edit(command, extend, effects),
        }
    }

    fn switch_engine(&mut self, effects: &mut Vec<Effect>) {
        self.results.forget_sent();
        if self.engine.stopped {
            self.engine.stopped = false;
            self.say(Tone::Plain, "starting the engine again");
            effects.extend([
                Effect::RestartEngine,
                Effect::Use(self.engine.wanted),
                Effect::Optimize(self.engine.level),
            ]);
            // The new engine has no requests yet; send the current ones again.
            self.engine.looked = VisibleJobs::default();
            effects.extend(self.run.wish.clone().map(Effect::Run));
            return;
        }
        let next = self.engine.wanted.next();
        self.engine.wanted = next;
        let name = match next {
            Preference::Auto => "the engine chosen automatically",
            Preference::Cpu => "the CPU engine",
            Preference::Gpu => "the GPU engine",
            Preference::All => "all engines together",
        };
        self.say(Tone::Plain, format!("switching to {name}"));
        effects.push(Effect::Use(next));
    }

    /// Raises the budget of this program to all of its variants, and says how long that takes, or lowers it again.
    fn judge_all(&mut self, effects: &mut Vec<Effect>) {
        let (count, time) = counter::all_variants(self);
        if !self.engine.all && count > counter::MOST {
            let said =
                format!("not raised: {} variants are more than {}", grouped(count), grouped(counter::MOST));
            return self.say(Tone::Bad, said);
        }
        self.engine.all = !self.engine.all;
        self.results.forget_sent();
        let time = time.map_or(String::new(), |time| format!(", about {} each time", short_time(ms(time))));
        let said = match self.engine.all {
            true => format!("each key judges all {} variants of this program{time}", grouped(count)),
            false => "each key judges the usual number of variants again".to_string(),
        };
        self.say(Tone::Plain, said);
        effects.push(Effect::JudgeAll(self.engine.all));
    }

    fn switch_level(&mut self, effects: &mut Vec<Effect>) {
        let level = self.engine.level.next();
        self.engine.level = level;
        self.results.forget_sent();
        self.say(Tone::Plain, level.summary());
        effects.push(Effect::Optimize(level));
    }

    fn toggle_laboratory(&mut self) {
        self.laboratory = !self.laboratory;
        let said = match self.laboratory {
            true => "the laboratory: tabs and keys of Neural, Router, Paper, Noise and Learned; F4 races",
            false => "the laboratory's tabs and keys are hidden; its keys still open its panels",
        };
        self.say(Tone::Plain, said);
    }

    fn toggle_remarks(&mut self) {
        self.screen.remarks = !self.screen.remarks;
        let Some(shown) =
            self.shown().filter(|shown| self.screen.remarks && shown.compiled.level >= OptLevel::Whole)
        else {
            return;
        };
        let text = match shown.remarks().len() {
            0 => "everything that could be expected is expanded".to_string(),
            count => {
                let places = plural(count as u64, "place");
                format!(
                    "{places} not expanded; the reasons follow the lines, and appear here at the cursor's; alt-h hides them"
                )
            }
        };
        self.say(Tone::Plain, text);
    }

    /// Leaves the innermost state: predicting, a panel, the selection, the search, or the whole-screen view.
    fn escape(&mut self) {
        let focus = self.screen.focus;
        if self.end_predicting() || self.screen.take_filter(focus).is_some() {
        } else if self.screen.focus != Panel::EDITOR {
            self.focus_on(Panel::EDITOR);
        } else if self.document.buffer.keep_main_caret() {
        } else if !self.document.buffer.selection().is_empty() {
            let head = self.document.buffer.head();
            self.document.buffer.select(Selection::at(head));
        } else if !self.document.search.finder.is_empty() {
            self.document.search.finder = Finder::default();
            self.document.search.found = None;
        } else {
            self.screen.zoomed = false;
        }
    }
}
