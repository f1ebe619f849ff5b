//! The phases of a line as columns. The column of tokens is always first; the other columns show as space
//! allows. Below each phase are the steps that the tests take with its code.

use std::ops::Range;

use similar::ChangeTag;
use unicode_width::UnicodeWidthStr;

use super::{LadderRow, LineFindings, changed, flow, instructions, tokens_of};
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::{EntryId, Index, TokenId};
use crate::lang::ty::Type;
use crate::report::listing::Line;
use crate::session::{PassPoint, PassProfile};
use crate::workbench::marks;
use crate::workbench::results::Shown;
use crate::workbench::text::visible;
use crate::workbench::theme::Look;

/// The number of rows above the cells: the source line and the column titles.
pub const HEAD: usize = 2;
/// The minimum and maximum width of a column, including its mark, and the gap between columns, in cells.
const NARROWEST: usize = 12;
const WIDEST: usize = 34;
pub const GAP: usize = 2;

/// A phase of the line.
#[derive(Clone, Debug, Default)]
pub struct Column {
    pub title: String,
    /// A summary of the column's contents.
    pub more: String,
    pub cells: Vec<LadderRow>,
    /// The pass whose code this is, if it is that of a pass; the last one of several.
    pub rung: Option<String>,
    /// Results of the tests on the phase's code: how they end, their total steps, and the steps of each.
    pub tests: Vec<LadderRow>,
    pub width: usize,
}

/// All phases of a line.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    pub line: usize,
    pub source: String,
    /// The byte offset of the line in the program's text.
    pub start: usize,
    /// The tokens' column is first.
    pub all: Vec<Column>,
}

impl Columns {
    /// Returns the number of rows: the tallest column, and the rows above and below it.
    pub fn height(&self) -> usize {
        let below = self.all.first().map_or(0, |tokens| tokens.tests.len());
        self.tests_from() + below
    }

    /// Returns the first row of the tests.
    fn tests_from(&self) -> usize {
        let tallest = self.all.iter().map(|column| column.cells.len()).max().unwrap_or(0);
        HEAD + tallest + 1
    }

    pub fn cell(&self, column: usize, row: usize) -> Option<&LadderRow> {
        let column = self.all.get(column)?;
        match row.checked_sub(self.tests_from()) {
            Some(test) => column.tests.get(test),
            None => column.cells.get(row.checked_sub(HEAD)?),
        }
    }

    /// Returns the token of a row, if the cursor is in `column`.
    pub fn token(&self, column: usize, row: usize) -> Option<TokenId> {
        // The labels of tests are in the first column.
        let column = if row >= self.tests_from() { 0 } else { column };
        self.cell(column, row)?.token
    }

    /// Returns whether any cell of a column belongs to a token of the line.
    pub fn has_tokens(&self, column: usize) -> bool {
        self.all.get(column).is_some_and(|column| column.cells.iter().any(|cell| cell.token.is_some()))
    }

    /// Returns the columns displayed next to the tokens in `cells` cells: the cursor's column and the next
    /// one, then as many before them as fit, then as many after.
    pub fn showing(&self, cursor: usize, cells: usize) -> Range<usize> {
        let room = cells.saturating_sub(self.all.first().map_or(0, |tokens| tokens.width));
        let last = self.all.len();
        let own = cursor.clamp(1, last.max(2) - 1);
        let fits = |columns: &Range<usize>| {
            let columns = self.all.get(columns.clone()).unwrap_or_default();
            columns.iter().map(|column| column.width + GAP).sum::<usize>() <= room
        };
        let up_to = |end: usize| (1..=own).map(|start| start..end).find(fits);
        let alone = own..(own + 1).min(last);
        let mut range = up_to((own + 2).min(last)).or_else(|| up_to(alone.end)).unwrap_or(alone);
        while range.end < last && fits(&(range.start..range.end + 1)) {
            range.end += 1;
        }
        range
    }
}

/// Returns all phases of a line of the source, counted from 1.
pub fn columns(shown: &Shown, line: usize, findings: LineFindings) -> Columns {
    let own = tokens_of(shown, line);
    let text = &shown.compiled.text;
    let whole = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let source = whole.trim();
    let start = (source.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let mut all = vec![tokens(shown, &own), tree(shown, &own)];
    if shown.is_lowered() {
        all.extend(code(shown, &own));
    }
    if let Some(climbed) = findings.climbed.filter(|climbed| !climbed.rungs.is_empty()) {
        add_tests(shown, climbed, &mut all);
    }
    if let Some(graph) = findings.graph.filter(|_| shown.is_lowered()) {
        let flow = flow::of_line(shown, &own, graph);
        let more = format!(" · {}", plural(flow.blocks as u64, "block"));
        all.push(Column { title: "flow".into(), more, cells: flow.cells, ..Column::default() });
    }
    for column in &mut all {
        let head = column.title.width() + column.more.width();
        let cells = column.cells.iter().map(width);
        // The tests' labels may be cut.
        let counts = column.tests.iter().filter(|cell| cell.token.is_none()).map(width);
        column.width = cells.chain(counts).chain([head]).max().unwrap_or(0).saturating_add(1);
        column.width = column.width.clamp(NARROWEST, WIDEST);
    }
    Columns { line, source: source.to_string(), start, all }
}

fn width(cell: &LadderRow) -> usize {
    cell.parts.iter().map(|(_, text)| text.width()).sum()
}

fn cell(token: Option<TokenId>, parts: impl IntoIterator<Item = (Look, String)>) -> LadderRow {
    LadderRow { token, parts: parts.into_iter().map(|(look, text)| (look, visible(&text))).collect() }
}

fn tokens(shown: &Shown, own: &[TokenId]) -> Column {
    let view = shown.compiled.view();
    let longest = own.iter().map(|t| visible(view.text(*t)).width()).max().unwrap_or(0).min(WIDEST / 2);
    let token = |t: &TokenId| {
        let text = visible(view.text(*t));
        let gap = " ".repeat(longest.saturating_sub(text.width()) + 1);
        cell(Some(*t), [(Look::Text, text + &gap), (Look::Dim, view.kind(*t).ident().to_string())])
    };
    let more = format!(" · {}", own.len());
    Column { title: "tokens".into(), more, cells: own.iter().map(token).collect(), ..Column::default() }
}

fn tree(shown: &Shown, own: &[TokenId]) -> Column {
    let view = shown.compiled.view();
    let nodes: Vec<_> = shown.nodes.iter().filter(|(t, _)| own.contains(t)).copied().collect();
    let least = nodes.iter().map(|(_, depth)| *depth).min().unwrap_or(0);
    let node = |(t, depth): &(TokenId, u16)| {
        let guides = "│".repeat(usize::from((depth - least).min(16)));
        let ty = Some(view.ty(*t)).filter(|ty| *ty != Type::UNKNOWN).map(|ty| (Look::Type, format!(" {ty}")));
        let role = (Look::Text, view.role(*t).ident().to_string());
        let text = (Look::Str, format!(" {}", view.text(*t)));
        cell(Some(*t), [(Look::Rule, guides), role, text].into_iter().chain(ty))
    };
    let more = format!(" · {}", plural(nodes.len() as u64, "node"));
    Column { title: "tree".into(), more, cells: nodes.iter().map(node).collect(), ..Column::default() }
}

fn instruction(sign: &str, look: Look, line: &Line) -> LadderRow {
    let name = (look, format!("{sign}{:>3} {}", line.at, line.op));
    let look = if look == Look::Text { Look::Number } else { look };
    cell(line.token, [name, (look, format!(" {}", line.operands))])
}

/// Returns the IR as lowered, the IR after each pass, and the bytecode.
fn code(shown: &Shown, own: &[TokenId]) -> Vec<Column> {
    let column = |title: &str, more: String, cells: Vec<LadderRow>| Column {
        title: title.to_string(),
        more,
        cells,
        ..Column::default()
    };
    let listed = |title: &str, lines: &[&Line]| {
        let cells = lines.iter().map(|line| instruction(" ", Look::Text, line)).collect();
        column(title, format!(" · {}", lines.len()), cells)
    };
    let mut before = instructions(shown.lowered_rows(), own);
    let mut all = vec![listed("IR as lowered", &before)];
    // Passes that leave the line as it is share a column.
    let mut idle: Vec<&str> = Vec::new();
    let close = |idle: &mut Vec<&str>, all: &mut Vec<Column>| {
        let (Some(first), Some(last)) = (idle.first().copied(), idle.last().copied()) else { return };
        let title = match idle.len() {
            1 => format!("after {first}"),
            _ => format!("after {}–{last}", number(first)),
        };
        let cells = vec![cell(None, [(Look::Dim, "as before".to_string())])];
        all.push(Column { rung: Some(last.to_string()), ..column(&title, String::new(), cells) });
        idle.clear();
    };
    for pass in shown.passes() {
        let after = instructions(&pass.rows, own);
        match changed(&before, &after) {
            None => idle.push(&pass.name),
            Some(diff) => {
                close(&mut idle, &mut all);
                let cells = diff.into_iter().map(|(tag, line)| match tag {
                    ChangeTag::Delete => instruction("-", Look::Removed, line),
                    ChangeTag::Insert => instruction("+", Look::Added, line),
                    ChangeTag::Equal => instruction(" ", Look::Dim, line),
                });
                let title = format!("after {}", pass.name);
                let column = column(&title, String::new(), cells.collect());
                all.push(Column { rung: Some(pass.name.clone()), ..column });
            }
        }
        before = after;
    }
    close(&mut idle, &mut all);
    all.push(listed("bytecode", &instructions(shown.code_rows(), own)));
    all
}

/// Adds the tests' results below each column: the steps taken with its code, and whether the outcome equals
/// the previous column's.
fn add_tests(shown: &Shown, climbed: &PassProfile, all: &mut [Column]) {
    let say = |look, text: &str| cell(None, [(look, text.to_string())]);
    let labels = EntryId::all().zip(&shown.labels).map(|(id, label)| {
        let head = shown.compiled.entry(id).map(|entry| entry.head());
        cell(head, [(Look::Text, label.clone())])
    });
    let titles = [say(Look::Heading, "tests, in steps"), say(Look::Text, "all tests")];
    let mut code = all.iter_mut();
    if let Some(tokens) = code.next() {
        tokens.tests = titles.into_iter().chain(labels).collect();
    }
    let ended = |number: usize, rung: &PassPoint| match rung.different.first() {
        Some(test) => say(Look::Bad, &format!("{} test {} ends differently", marks::FAILS.glyph, test + 1)),
        None if number == 0 => say(Look::Dim, ""),
        None => say(Look::Good, &format!("{} end as before", marks::PASSES.glyph)),
    };
    // The tree has no code. The bytecode has the results of the last pass.
    for (number, column) in code.skip(1).enumerate() {
        let rung = if number == 0 {
            climbed.rungs.first()
        } else {
            let own = |rung: &&PassPoint| column.rung.as_ref() == Some(&rung.name);
            climbed.rungs.iter().find(own).or(climbed.rungs.last())
        };
        let Some(rung) = rung else { continue };
        let count = |steps: u64| say(Look::Number, &grouped(steps));
        let total = say(Look::Number, &plural(rung.steps.iter().sum(), "step"));
        let each = rung.steps.iter().map(|steps| count(*steps));
        column.tests = [ended(number, rung), total].into_iter().chain(each).collect();
    }
}

/// Returns the number of a pass: `4` of `4 fold`.
fn number(pass: &str) -> &str {
    pass.split(' ').next().unwrap_or(pass)
}
