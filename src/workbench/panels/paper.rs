//! The Paper panel: each equation of the paper with the paper's numbers, the formula's result with the
//! sliders' values, and the current measurements. Values that have not been measured are omitted.

use unicode_width::UnicodeWidthStr;

use crate::engine::Kind;
use crate::host::measure::origin::Origin;
use crate::learned::synthesis::compile::Compilation;
use crate::learned::synthesis::times::NeuralTime;
use crate::paper::levers::{LEVERS, Range};
use crate::paper::measured::{Draws, MeasuredNeural as Drawn, sizes};
use crate::paper::neural::of_draws;
use crate::paper::rows::live::{self, LiveBatch, LocalFigures, Routed};
use crate::paper::table::{Row, Section};
use crate::session::{Baseline, Growth, Neural, Routing};
use crate::workbench::marks;
use crate::workbench::panels::figures::{ms, timings_so_far};
use crate::workbench::panels::page::Page;
use crate::workbench::paper::PaperView;
use crate::workbench::results::Results;
use crate::workbench::state::{EngineInfo, State};
use crate::workbench::text::visible;
use crate::workbench::theme::Look;

/// The widths of a row's name and of each number, in cells.
const NAME: usize = 28;
const CELL: usize = 13;
/// The width of a number on a narrow page, in cells.
const NARROW: usize = 9;
/// The length of the longest bar, in cells.
const BAR: usize = 24;
/// The first keys that a newcomer needs.
const KEYS: &str = "k P p T: choose · → ← move · a: the paper's · h: this machine's";
/// The text shown for an equation without data.
const UNKNOWN: &str = "no candidates for the function under the cursor yet";
/// A pointer to the rest of the model.
const REST: &str =
    "`myriad model` measures the numbers missing here, and adds memory, tables 1 and 2, and crossover points";

pub fn lines(state: &State, page: &mut Page) {
    let paper = &state.paper;
    if state.shown().is_none() {
        return;
    }
    let here = here(&state.results, &state.engine);
    for range in &LEVERS {
        slider(paper, &here, range, page);
    }
    page.prose(Look::Dim, KEYS);
    page.blank();
    let heads = [Origin::Quoted, Origin::Modelled, Origin::Measured].map(|origin| origin.to_string());
    numbers("", heads, Look::Heading, page);
    for section in live::sections(&here, &paper.levers) {
        section_lines(&section, page);
    }
    page.blank();
    page.prose(Look::Dim, REST);
}

fn slider(paper: &PaperView, here: &LocalFigures, range: &Range, page: &mut Page) {
    let (value, from) = live::lever(here, &paper.levers, range.lever);
    let chosen = paper.chosen == range.lever;
    let glyph = if chosen { marks::SELECTED.glyph } else { " " };
    let part = (value.max(range.least) / range.least).log10() / (range.most / range.least).log10();
    let parts = [
        (marks::SELECTED.look, glyph.to_string()),
        (if chosen { Look::CurrentNumber } else { Look::Text }, format!("{} {:<9}", range.name, range.what)),
        (Look::Number, format!("{:>9}", range.unit.show(value))),
        (Look::Dim, format!(" {:<6}", from.word())),
    ];
    page.bar(parts, part, BAR);
}

/// Adds a section: its equation, its rows and the contradictions.
fn section_lines(section: &Section, page: &mut Page) {
    let number = section.equation.map_or(String::new(), |number| format!("({number}) "));
    page.blank();
    page.prose(Look::Heading, format!("{number}{}", section.title));
    if !section.formula.is_empty() {
        page.prose(Look::Type, section.formula);
    }
    if section.rows.is_empty() {
        page.prose(Look::Dim, UNKNOWN);
    }
    for row in &section.rows {
        let shown = |origin| row.shown(origin).unwrap_or_else(|| "–".to_string());
        let cells = [Origin::Quoted, Origin::Modelled, Origin::Measured].map(shown);
        numbers(&visible(&row.name), cells, Look::Number, page);
        note(row, page);
    }
    for finding in &section.findings {
        page.prose(Look::Warning, format!("→ {}", visible(finding)));
    }
    for sentence in &section.disagreements {
        page.prose(Look::Bad, format!("{} {sentence}", marks::DIVERGES.glyph));
    }
}

fn note(row: &Row, page: &mut Page) {
    if !row.note.is_empty() {
        page.row([(Look::Text, "    ".to_string()), (Look::Comment, visible(&row.note))]);
    }
}

/// Adds a name followed by three numbers, on the next line if necessary; the columns stay aligned.
fn numbers(name: &str, cells: [String; 3], look: Look, page: &mut Page) {
    let cell = if page.room() >= NAME + 3 * CELL { CELL } else { NARROW };
    let [quoted, modelled, measured] = cells.map(|text| format!(" {text:>width$}", width = cell - 1));
    let behind = [(Look::Dim, quoted), (look, modelled), (look, measured)];
    let taken = behind.iter().map(|(_, text)| text.width()).sum::<usize>();
    let pad = page.room().saturating_sub(3 * cell).min(NAME);
    // Numbers wider than their columns reduce the room for the name.
    let pad = (pad + 3 * cell).saturating_sub(taken);
    if name.width() <= pad {
        page.row(std::iter::once((Look::Text, format!("{name:<pad$}"))).chain(behind));
        return;
    }
    page.row([(Look::Text, name.to_string())]);
    page.row(std::iter::once((Look::Text, " ".repeat(pad))).chain(behind));
}

/// Returns the current measurements, from the results of other panels.
fn here(results: &Results, engine: &EngineInfo) -> LocalFigures {
    let (results, sum) = (results, timings_so_far(results));
    let base = results.shown().map(|shown| &shown.timings).filter(|timings| !timings.wall.is_zero());
    let sum = sum.filter(|timings| timings.programs > 0 && !timings.wall.is_zero());
    let threads = sum.map(|timings| timings.threads).filter(|threads| *threads > 0);
    let function = engine.looked.function;
    let name = function.zip(results.shown()).map(|(function, shown)| shown.function_name(function));
    let drawn = function.and_then(|function| results.findings.of_function::<Neural>(function));
    let routing = function.and_then(|function| results.findings.of_function::<Routing>(function));
    LocalFigures {
        stages: base.map(|timings| timings.split().stages.map(ms)),
        wall: base.map(|timings| ms(timings.wall)),
        cores: threads.filter(|_| engine.kind == Some(Kind::Cpu)).map(f64::from),
        batch: sum.map(|timings| LiveBatch {
            programs: timings.programs,
            wall: ms(timings.wall),
            energy: results.batch.map(|batch| (batch.energy, batch.timings.programs)),
        }),
        conventional: results.findings.last::<Baseline>().map(|Baseline(one)| *one),
        neural: match (drawn, &name) {
            (Some(Neural::Done(found)), Some(name)) => {
                let growth = function.and_then(|function| results.findings.of_function::<Growth>(function));
                let times = growth.into_iter().flat_map(|Growth(times)| times).copied();
                Some(neural(name.clone(), found, times.chain(routing.and_then(tried))))
            }
            _ => None,
        },
        routed: routing.zip(name).and_then(|(routing, function)| routed(routing, function)),
    }
}

/// Returns the draws for a function: the Neural panel's, and those for other numbers of candidates.
fn neural(name: String, found: &Compilation, further: impl Iterator<Item = NeuralTime>) -> Drawn {
    let mut drawn = of_draws(name, found, &sizes(found.found.drawn()));
    for time in further {
        if drawn.points.iter().all(|point| point.k != time.k) {
            drawn.points.extend(Draws::of(vec![(time, None)]));
        }
    }
    drawn.points.sort_by_key(|point| point.k);
    drawn
}

/// Returns the time of the candidates that the router's neural path drew.
fn tried(routing: &Routing) -> Option<NeuralTime> {
    routing.outcome.iter().chain(&routing.other).find_map(|outcome| outcome.times.candidates)
}

fn routed(routing: &Routing, function: String) -> Option<Routed> {
    let outcome = routing.outcome.as_ref()?;
    let decision = &outcome.decision;
    let routing = decision.paths.map(|paths| 1e3 * paths.routing);
    Some(Routed { function, score: decision.score.to_string(), routing })
}

/// Returns the page's sections for the current slider values.
pub fn sections(results: &Results, engine: &EngineInfo, paper: &PaperView) -> Vec<Section> {
    live::sections(&here(results, engine), &paper.levers)
}

impl State {
    pub fn levers_here(&self) -> [Option<f64>; LEVERS.len()] {
        here(&self.results, &self.engine).levers()
    }
}

pub fn values(results: &Results, engine: &EngineInfo, paper: &PaperView) -> String {
    let here = here(results, engine);
    let shown = |range: &Range| {
        let (value, _) = live::lever(&here, &paper.levers, range.lever);
        format!("{} {}", range.name, range.unit.show(value))
    };
    LEVERS.iter().map(shown).collect::<Vec<_>>().join(" · ")
}

/// Returns the sliders' values.
pub fn figures(results: &Results, engine: &EngineInfo, paper: &PaperView) -> Vec<String> {
    vec![values(results, engine, paper).to_string()]
}
