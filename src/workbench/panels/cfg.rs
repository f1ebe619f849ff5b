//! The CFG panel: the control-flow graph of the function under the cursor, a row for each block. The rows above the
//! blocks say what is known where the block under the cursor begins.

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::compiler::program::Ir;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::{EntryId, Index, Indices, RoutineId, TokenId};
use crate::report::cfg::{BlockRow, RoutineRow};
use crate::report::facts::FactRow;
use crate::session::BlockProfile;
use crate::workbench::panels::{List, Panel, cells, tests};
use crate::workbench::results::Shown;
use crate::workbench::state::{Link, State};
use crate::workbench::text::{visible, wrap};
use crate::workbench::theme::{Look, Theme};

/// The number of rows about the block under the cursor: its title, live variables, and facts.
const HEAD: usize = 7;
/// The number of these rows that list facts.
const FACTS: usize = 3;

pub struct Cfg;

/// The function under the cursor with its graph.
struct View<'a> {
    shown: &'a Shown,
    profile: &'a BlockProfile,
    routine: &'a RoutineRow,
    /// The tokens of the function.
    extent: Indices<TokenId>,
}

impl State {
    fn cfg_view(&self) -> Option<View<'_>> {
        let shown = self.shown().filter(|shown| shown.is_lowered())?;
        let profile = self.results.findings.current::<BlockProfile>()?;
        let routine = profile.graph.routines.get(shown.order_of_routine(self.screen.ir_routine))?;
        let head = shown.compiled.executable.routine(RoutineId::at(self.screen.ir_routine))?.head();
        Some(View { shown, profile, routine, extent: shown.extent_tokens(head) })
    }

    /// Returns the index of the block under the cursor among those of the function.
    fn block_under_cursor(&self, view: &View) -> usize {
        let last = view.routine.blocks.len().saturating_sub(1);
        if self.screen.focus == Panel::CFG {
            return self.list(Panel::CFG).selected.saturating_sub(HEAD).min(last);
        }
        self.screen.followed.and_then(|link| view.block_of(link)).unwrap_or(0)
    }

    /// Keeps the selection below the rows about the block. When a graph arrives, selects the block at the editor's
    /// cursor.
    pub fn refresh_cfg(&mut self) {
        let Some(view) = self.cfg_view() else { return };
        let (shown, revision) = (view.shown, view.shown.revision);
        let mut selected = self.list(Panel::CFG).selected.max(HEAD);
        if self.screen.cfg_revision != revision {
            let byte = self.document.buffer.byte_of(self.document.buffer.head());
            let token = self.results.shown_drift.back(byte).and_then(|byte| shown.token_at(byte));
            let block = token.and_then(|token| {
                let node = shown.node_of(token);
                view.block_of(Link { token, node, tokens: shown.extent_tokens(node) })
            });
            selected = HEAD + block.unwrap_or(0);
        }
        self.screen.cfg_revision = revision;
        self.screen.select(Panel::CFG, selected);
    }
}

impl View<'_> {
    fn ir(&self) -> &Ir {
        &self.shown.compiled.ir
    }

    /// Returns an instruction's place in this function: for inlined code, the call.
    fn place(&self, i: usize) -> Option<TokenId> {
        let own = |token: Option<TokenId>| token.filter(|token| self.extent.contains(*token));
        own(TokenId::from_word(self.ir().site[i])).or_else(|| own(TokenId::from_word(self.ir().token[i])))
    }

    fn places(&self, block: &BlockRow) -> impl Iterator<Item = TokenId> + '_ {
        (block.first as usize..block.end as usize).filter_map(|i| self.place(i))
    }

    /// Returns the first block that belongs to an element.
    fn block_of(&self, link: Link) -> Option<usize> {
        let find = |is: &dyn Fn(TokenId) -> bool| {
            self.routine.blocks.iter().position(|block| self.places(block).any(is))
        };
        find(&|token| token == link.token).or_else(|| find(&|token| link.tokens.contains(token)))
    }

    fn lines(&self, block: &BlockRow) -> String {
        let view = self.shown.compiled.view();
        let lines: Vec<u32> = self.places(block).map(|token| view.line(token)).collect();
        match (lines.iter().min(), lines.iter().max()) {
            (Some(first), Some(last)) if first < last => format!("{first}–{last}"),
            (Some(line), _) => line.to_string(),
            _ => String::new(),
        }
    }

    /// Returns how often a test executes a block.
    fn count(&self, entry: EntryId, block: &BlockRow) -> Option<u64> {
        self.profile.counts.get(entry.position())?.get(block.block as usize).copied()
    }

    /// Returns the test whose counts are shown: the chosen one if it runs the function, else the first that does.
    fn counted(&self, state: &State) -> Option<EntryId> {
        let chosen = tests::chosen(state)?;
        let runs = |entry: &EntryId| self.routine.blocks.iter().any(|own| self.count(*entry, own) > Some(0));
        let all = self.shown.compiled.entries();
        Some([chosen].into_iter().chain(all.iter()).find(runs).unwrap_or(chosen))
    }

    /// Describes where control goes after a block. A jump back to the head of a loop around it is marked.
    fn edges(&self, block: &BlockRow) -> String {
        let to = |next: u32| {
            let loops = self.routine.blocks.iter().any(|other| other.block == next && other.head == Some(next));
            let back = loops && next <= block.block;
            if back { format!("↺ b{next}") } else { format!("→ b{next}") }
        };
        let all: Vec<String> = block.next.into_iter().chain(block.target).map(to).collect();
        match all.is_empty() {
            true if !block.reached => "never reached".to_string(),
            true => "returns".to_string(),
            false => all.join("  "),
        }
    }

    fn fact(&self, block: &BlockRow) -> Option<&FactRow> {
        self.profile.graph.facts.get(block.block as usize)
    }

    /// Returns the facts about the live variables of a block.
    fn known(&self, block: &BlockRow) -> String {
        let Some(row) = self.fact(block) else { return String::new() };
        let live = row.variables.iter().filter(|variable| variable.live);
        let facts: Vec<&str> = live.flat_map(|variable| variable.facts.iter().map(String::as_str)).collect();
        match facts.is_empty() {
            true if !row.reached => "control never arrives here".to_string(),
            true => "nothing is known about their values".to_string(),
            false => facts.join("; "),
        }
    }
}

impl List for Cfg {
    fn count(&self, state: &State) -> usize {
        state.cfg_view().map_or(0, |view| HEAD + view.routine.blocks.len())
    }

    fn head(&self, _: &State) -> usize {
        HEAD
    }

    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        let view = state.cfg_view()?;
        view.places(view.routine.blocks.get(row.checked_sub(HEAD)?)?).next()
    }

    fn row_of(&self, state: &State, link: Link) -> Option<usize> {
        state.cfg_view()?.block_of(link).map(|block| HEAD + block)
    }

    fn explains_node(&self) -> bool {
        false
    }

    fn line(&self, state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
        let Some(view) = state.cfg_view() else { return Line::default() };
        let parts = match row.checked_sub(HEAD) {
            None => head(state, &view, cells(state, Panel::CFG)).into_iter().nth(row),
            Some(block) => view.routine.blocks.get(block).map(|block| block_line(state, &view, block, width)),
        };
        let span = |(look, text): (Look, String)| Span::styled(visible(&text), theme.style(look));
        Line::from_iter(parts.unwrap_or_default().into_iter().map(span))
    }
}

type CfgPart = (Look, String);

/// Builds the rows about the block under the cursor.
fn head(state: &State, view: &View, width: usize) -> Vec<Vec<CfgPart>> {
    let blocks = &view.routine.blocks;
    let loops = blocks.iter().filter(|block| block.head == Some(block.block)).count();
    let mut rows = vec![vec![
        (Look::Heading, view.routine.routine.clone()),
        (Look::Dim, format!("  {}, {}", plural(blocks.len() as u64, "block"), plural(loops as u64, "loop"))),
    ]];
    let counted = match view.counted(state) {
        Some(entry) if view.profile.counts.len() > entry.position() => {
            format!("counts of {}", view.shown.label(entry))
        }
        Some(_) => "counts follow".to_string(),
        None => "no test to count".to_string(),
    };
    rows.push(vec![(Look::Dim, counted)]);
    let Some(block) = blocks.get(state.block_under_cursor(view)) else { return rows };
    let names = |names: &[String]| if names.is_empty() { "–".to_string() } else { names.join(", ") };
    let title = format!("b{}", block.block);
    rows.push(vec![
        (Look::Heading, title.clone()),
        (Look::Dim, " begins with ".to_string()),
        (Look::Text, names(&block.live_in)),
    ]);
    rows.push(vec![
        (Look::Heading, title),
        (Look::Dim, " leaves      ".to_string()),
        (Look::Text, names(&block.live_out)),
    ]);
    let mut known = wrap(&visible(&view.known(block)), width.max(10));
    if known.len() > FACTS {
        known.truncate(FACTS);
        if let Some(last) = known.last_mut() {
            last.push('…');
        }
    }
    known.resize(FACTS, String::new());
    rows.extend(known.into_iter().map(|line| vec![(Look::Number, line)]));
    rows
}

/// Builds the row of a block, indented by the depth of its loops.
fn block_line(state: &State, view: &View, block: &BlockRow, width: usize) -> Vec<CfgPart> {
    let guides = "│ ".repeat(block.depth as usize);
    let is_head = block.head == Some(block.block);
    let name = format!("b{}", block.block);
    let lines = format!("line {}", view.lines(block));
    let count = match view.counted(state).and_then(|entry| view.count(entry, block)) {
        Some(count) => format!("{}×", grouped(count)),
        None => String::new(),
    };
    let edges = view.edges(block);
    let own = if is_head { Look::Keyword } else { Look::Text };
    let look = if count == "0×" { Look::Dim } else { Look::Number };
    let mut parts = vec![
        (Look::Rule, guides),
        (own, format!("{name:<4}")),
        (Look::Dim, format!("{lines:<11}")),
        (look, format!("{count:>7}  ")),
        (Look::Operator, edges),
    ];
    let used: usize = parts.iter().map(|(_, text)| text.width()).sum();
    if is_head && used + "  loop".len() <= width {
        parts.push((Look::Keyword, "  loop".to_string()));
    }
    parts
}

/// Returns the function's name.
pub fn figures(state: &State) -> Vec<String> {
    state.cfg_view().map(|view| view.routine.routine.to_string()).into_iter().collect()
}
