//! Any events at any size: the state accepts them, the screen is drawn, and memory does not grow.

use crate::common::extent::{scaled, seed};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

use myriad::workbench::event::Event;
use myriad::workbench::highlight::Highlighter;
use myriad::workbench::paint::draw;
use myriad::workbench::panels::layout::MOST;
use myriad::workbench::state::{FileInfo, Overlay, State};
use myriad::workbench::theme::{Depth, Theme};
use myriad::workbench::world;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::chance::Chance;
use super::harness::{picture_at, state, type_keys};

/// Number of runs of events, each with its own seed.
const SEEDS: u64 = 5;
/// Events of all runs together, before scaling.
const EVENTS: usize = 5_000;
/// From this number on there is only one run, and its memory is checked: everything that has a bound, mainly
/// the undo history, is full after a fourth of these events.
const MANY: usize = 500_000;
/// Number of events shown of a failing run.
const SHOWN: usize = 30;

/// A state that receives events and is drawn after each.
struct Run {
    seed: u64,
    chance: Chance,
    state: State,
    highlighter: Highlighter,
    screen: Buffer,
    last: VecDeque<Event>,
    /// How often panels were on screen without an overlay.
    panels: usize,
}

impl Run {
    fn new(seed: u64) -> Run {
        Run {
            seed,
            chance: Chance::new(seed),
            state: State::new("", FileInfo::default()),
            highlighter: Highlighter::default(),
            screen: Buffer::default(),
            last: VecDeque::new(),
            panels: 0,
        }
    }

    /// Applies the next event; on failure, prints the events that led there.
    fn step(&mut self, number: usize) {
        let event = self.chance.event(&self.state);
        if self.last.len() == SHOWN {
            self.last.pop_front();
        }
        self.last.push_back(event.clone());
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.happen(event))) {
            eprintln!("event {number} of seed {}, the last of these:", self.seed);
            for event in &self.last {
                eprintln!("    {}", format!("{event:?}").chars().take(300).collect::<String>());
            }
            resume_unwind(panic);
        }
    }

    fn happen(&mut self, event: Event) {
        if world::handle(&mut self.state, &mut self.chance, event) {
            world::compile(&self.state.document, &mut self.chance, Instant::now());
        }
        let covered = self.state.prompts.overlay.is_some() || self.state.race.shown().is_some();
        self.panels += usize::from(!covered && !self.state.layout().slots.is_empty());
        let (width, height) = self.state.screen.size;
        assert!(width <= MOST.0 && height <= MOST.1, "{width}×{height}");
        let screen = Rect::new(0, 0, width, height);
        self.screen.resize(screen);
        self.screen.reset();
        let theme = Theme::new([Depth::Mono, Depth::True][usize::from(width % 2)]);
        let cursor = draw(&self.state, &theme, &mut self.highlighter, &mut self.screen);
        assert!(cursor.is_none_or(|cursor| screen.contains(cursor)), "{cursor:?} in {width}×{height}");
        for cell in self.screen.content() {
            let symbol = cell.symbol();
            assert!(symbol.len() == 1 || symbol.chars().all(harmless), "{symbol:?} would reach the terminal");
        }
    }
}

/// Returns whether a character is neither a control nor changes the text direction.
fn harmless(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

/// Returns the memory in use in KiB, if it can be determined.
fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(pages.split_whitespace().nth(1)?.parse::<u64>().ok()? * 4)
}

/// `MYRIAD_SCALE=100` feeds 500,000 events to one run and checks that its memory stays bounded.
#[test]
fn screen_is_drawn_after_any_events() {
    let all = scaled(EVENTS as u64) as usize;
    let runs = if all < MANY { SEEDS } else { 1 };
    let each = all.div_ceil(runs as usize);
    let first = seed();
    for seed in first..first + runs {
        let mut run = Run::new(seed);
        // Maximum of each half of the run: bounded memory does not grow in the second.
        let mut most = [0; 2];
        for number in 1..=each {
            run.step(number);
            if all < MANY || number % (each / 20) != 0 {
                continue;
            }
            let Some(kilobytes) = resident() else { continue };
            println!("{number} events, panels in {} frames, {kilobytes} KB in use", run.panels);
            let half = &mut most[usize::from(number > each / 2)];
            *half = kilobytes.max(*half);
        }
        assert!(most[1] * 100 <= most[0] * 105, "at most {} KB, then {} KB", most[0], most[1]);
        assert!(run.panels > each / 3, "seed {seed}: of {each} frames {} show panels", run.panels);
    }
}

#[test]
fn extreme_screen_sizes_are_clamped() {
    let mut s = state("fn f() -> int {\n    return 1;‸\n}\n");
    for (width, height) in
        [(0, 0), (0, 24), (80, 0), (1, 1), (u16::MAX, 1), (1, u16::MAX), (u16::MAX, u16::MAX)]
    {
        picture_at(&mut s, width, height);
        assert_eq!(s.screen.size, (width.min(MOST.0), height.min(MOST.1)));
    }
    assert!(picture_at(&mut s, 80, 24).contains("return 1;"));
}

/// Text from outside may have any length.
#[test]
fn overlong_text_is_truncated() {
    let mut s = state("fn f() -> int {\n    return 1;‸\n}\n");
    s.apply(Event::Notice("漢".repeat(10_000_000)));
    let said = &s.status.message.as_ref().expect("a message").text;
    assert!(said.len() < 10_000 && said.ends_with('…'));
    picture_at(&mut s, 80, 24);
    for prompt in ["<ctrl-f>", "<ctrl-g>", "<alt-s>", "<ctrl-o>", "<f1>"] {
        type_keys(&mut s, prompt);
        s.apply(Event::Paste("漢 ".repeat(5_000_000)));
        let typed = s.prompts.overlay.as_mut().and_then(Overlay::field).expect("a field").text.chars().count();
        assert!(typed > 1_000 && typed <= 10_000, "{prompt}: {typed}");
        picture_at(&mut s, 80, 24);
        type_keys(&mut s, "<esc>");
    }
}
