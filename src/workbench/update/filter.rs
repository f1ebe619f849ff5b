//! Filtering the rows of a list, copying, and pinning a panel.

use crate::workbench::event::Effect;
use crate::workbench::field::Field;
use crate::workbench::panels::{self, Panel};
use crate::workbench::state::{Ask, Filter, Overlay, Pinned, State, Tone};
use crate::workbench::theme::Theme;

impl State {
    /// Opens the prompt for the focused list's filter.
    pub(super) fn ask_for_filter(&mut self) {
        let query = self.screen.filter(self.screen.focus).map_or("", Filter::query);
        self.prompts.overlay = Some(Overlay::Ask(Ask::Filter, Field::new(query)));
    }

    /// Sets the focused list's filter; an empty query removes it.
    pub(super) fn filter_rows(&mut self, query: &str) {
        let focus = self.screen.focus;
        self.screen.set_filter(focus, (!query.trim().is_empty()).then(|| Filter::new(query)));
    }

    /// Compares rows with the filters of the panels on screen. After an event that may have changed a list, all its rows are
    /// compared again.
    pub(super) fn refresh_filters(&mut self, changed: bool, effects: &mut Vec<Effect>) {
        let shown: Vec<Panel> = self.layout().slots.iter().map(|slot| slot.active).collect();
        for panel in shown {
            let (Some(mut filter), Some(list)) = (self.screen.take_filter(panel), panel.list()) else {
                continue;
            };
            if changed {
                filter.restart();
            }
            let theme = Theme::plain();
            let text = |row| list.line(self, row, panels::WHOLE_ROW, &theme).to_string();
            filter.compare(list.count(self), list.head(self), text);
            if filter.is_scanning() {
                effects.push(Effect::Scan);
            } else if let Some(last) = filter.rows().len().checked_sub(1) {
                // The selected row is one that passes.
                let rows = filter.rows();
                let selected = self.list(panel).selected;
                let at = rows.partition_point(|row| *row < selected).min(last);
                self.screen.select(panel, rows[at]);
            }
            self.screen.set_filter(panel, Some(filter));
        }
    }

    /// Copies the selected row of a list at full width, or the whole page of a panel without rows.
    pub(super) fn copy_row(&mut self, effects: &mut Vec<Effect>) {
        let panel = self.screen.focus;
        let (what, text) = match panel.list() {
            Some(list) => {
                let row = self.list(panel).selected;
                let text = (row < list.count(self))
                    .then(|| list.line(self, row, panels::WHOLE_ROW, &Theme::plain()).to_string());
                ("the selected row", text.map(|text| text.trim().to_string()))
            }
            None => ("the page", Some(panels::text_lines(self, panel).join("\n").trim_end().to_string())),
        };
        match text.filter(|text| !text.is_empty()) {
            Some(text) => {
                self.say(Tone::Plain, format!("copied: {what}"));
                self.document.clipboard.clone_from(&text);
                effects.push(Effect::Copy(text));
            }
            None => self.say(Tone::Plain, "nothing to copy; q closes the panel, ctrl-q quits"),
        }
    }

    /// Pins the focused panel: the Compare panel then shows how it differs from what it shows later. In the Compare panel,
    /// removes the pin.
    pub(super) fn pin(&mut self) {
        let panel = self.screen.focus;
        if panel == Panel::COMPARE {
            self.pinned = None;
            return self.say(Tone::Plain, "nothing is pinned any more");
        }
        let (title, lines) = (panels::compare::title(self, panel), panels::comparable_lines(self, panel));
        if lines.is_empty() {
            return self.say(Tone::Bad, "the panel is empty: nothing to pin");
        }
        self.say(Tone::Good, format!("pinned: {title}; alt-j shows how it differs from what you see later"));
        self.pinned = Some(Pinned { panel, title, lines });
    }
}
