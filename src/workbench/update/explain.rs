//! Pages that explain a row or a name.

use crossterm::event::KeyCode;

use crate::workbench::explained::ExplainedPlace;
use crate::workbench::key::Key;
use crate::workbench::keys::{Context, shown};
use crate::workbench::paint::page;
use crate::workbench::panels::{Panel, token};
use crate::workbench::state::{Overlay, PageView, State, Tone};

impl State {
    /// Explains the selected row of the focused panel.
    pub(super) fn explain_row(&mut self) {
        let text = page_of_row(self, self.screen.focus);
        self.prompts.overlay = Some(Overlay::Page(PageView { text: Some(text), top: 0 }));
    }

    pub(super) fn explain_name(&mut self, name: &str) {
        let text = ExplainedPlace::named(name).pages();
        self.prompts.overlay = Some(Overlay::Page(PageView { text: Some(text), top: 0 }));
    }

    /// Shows the proof of the chosen mutant.
    pub(super) fn show_proof(&mut self) {
        match self.chosen_proof() {
            Ok(_) => self.prompts.overlay = Some(Overlay::Page(PageView { text: None, top: 0 })),
            Err(why) => self.say(Tone::Bad, why),
        }
    }

    /// Scrolls the page. Returns false if the key closes it; so does the key that opened it.
    pub(super) fn page_key(&self, view: &mut PageView, key: Key) -> bool {
        let opens = if view.text.is_some() { 'K' } else { 'p' };
        let top = scrolled(view.top, key, self.screen.size.1).filter(|_| key.code != KeyCode::Char(opens));
        view.top = top.unwrap_or_default().min(page::last_top(self, view));
        top.is_some()
    }
}

/// Returns the page about the selected row of a panel, as Markdown: the pages of the names in the row, else that of the node
/// of its token, else that of the panel.
fn page_of_row(state: &State, panel: Panel) -> String {
    let about = if panel.is_list() { Some(panel) } else { panel.row().about };
    let list = about.and_then(|about| Some((about, about.list()?)));
    let row = about.map_or(0, |about| state.list(about).selected);
    let names = list.filter(|(_, list)| row < list.count(state)).map_or(Vec::new(), |(_, list)| {
        let names = list.explains(state, row);
        match names.is_empty() && list.explains_node() {
            true => about.and_then(|about| node(state, about, row)).into_iter().collect(),
            false => names,
        }
    });
    let pages: Vec<String> =
        names.iter().map(|name| ExplainedPlace::named(name).pages()).filter(|page| !page.is_empty()).collect();
    if pages.is_empty() { of_panel(state, panel) } else { pages.join("\n") }
}

/// Returns the kind of the node that a row's token heads or belongs to.
fn node(state: &State, panel: Panel, row: usize) -> Option<String> {
    let shown = state.shown()?;
    let node = shown.node_of(token(state, panel, row)?);
    Some(shown.compiled.view().role(node).ident().to_string())
}

/// Returns the page about a panel: its content, and its own keys.
fn of_panel(state: &State, panel: Panel) -> String {
    let mut page = format!("# {}, panel\n\nIt shows {}.\n", panel.title(), panel.row().shows);
    let own: Vec<_> = state.keymap().rows().filter(|row| row.binding.context == Context::Of(panel)).collect();
    if !own.is_empty() {
        page.push_str("\n```text\n");
        own.iter().for_each(|row| page.push_str(&format!("{:<8}  {}\n", shown(row.keys), row.binding.does)));
        page.push_str("```\n");
    }
    page
}

/// Returns the first visible line of a page after a key, on a screen of `height` rows; `None` if the key closes the page.
fn scrolled(top: usize, key: Key, height: u16) -> Option<usize> {
    let page = usize::from(height).saturating_sub(2).max(1);
    Some(match key.code {
        KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q') => return None,
        KeyCode::Up | KeyCode::Char('k') => top.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') => top + 1,
        KeyCode::PageUp => top.saturating_sub(page),
        KeyCode::PageDown | KeyCode::Char(' ') => top + page,
        KeyCode::Home | KeyCode::Char('g') => 0,
        KeyCode::End | KeyCode::Char('G') => usize::MAX,
        _ => top,
    })
}
