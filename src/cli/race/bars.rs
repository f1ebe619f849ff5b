//! Live progress of a race on standard error if it is a terminal: a bar for each contestant, redrawn in place.

use std::fmt::Write;
use std::io::{self, IsTerminal};

use super::super::output::print_over;
use crate::paper::race::forms::{count, end, grouped};
use crate::paper::race::{Contestant, RaceEvent};
use crate::report::visible::visible;

const LENGTH: u32 = 30;

pub struct Bars {
    k: u32,
    repetitions: u32,
    wanted: bool,
    lines: Vec<(Contestant, String)>,
    shown: usize,
}

impl Bars {
    pub fn new(k: u32, repetitions: u32) -> Bars {
        Bars { k, repetitions, wanted: io::stderr().is_terminal(), lines: vec![], shown: 0 }
    }

    pub fn take(&mut self, event: &RaceEvent) {
        if !self.wanted {
            return;
        }
        let (contestant, said) = match event {
            RaceEvent::Prepares(contestant) => (*contestant, "prepares".to_string()),
            RaceEvent::Progress { contestant, repetition, done, time } => {
                let rate = f64::from(*done) / time.as_secs_f64().max(1e-9);
                (*contestant, self.bar(*done, rate, *repetition))
            }
            RaceEvent::Between(score) | RaceEvent::Ended(score) => (
                score.contestant,
                match (score.per_second(), end(score)) {
                    (Some(rate), _) => self.bar(score.done, rate, score.runs.len() as u32),
                    (None, (word, why)) => format!("{word}: {}", why.unwrap_or("before its first variant")),
                },
            ),
        };
        match self.lines.iter_mut().find(|(one, _)| *one == contestant) {
            Some((_, line)) => *line = said,
            None => self.lines.push((contestant, said)),
        }
        self.draw();
    }

    /// Formats the progress and rate of a repetition.
    fn bar(&self, done: u32, rate: f64, repetition: u32) -> String {
        let full = (u64::from(LENGTH) * u64::from(done) / u64::from(self.k.max(1))) as usize;
        let (full, rest) = ("█".repeat(full), "░".repeat((LENGTH as usize).saturating_sub(full)));
        let (rate, all) = (grouped(rate), self.repetitions);
        format!("{full}{rest} {:>7} of {}  {rate:>8} a second  {repetition}/{all}", count(done), count(self.k))
    }

    fn draw(&mut self) {
        let mut out = String::new();
        // A wrapped line would take two rows.
        let width = crossterm::terminal::size().map_or(80, |(width, _)| usize::from(width)).max(2);
        for (contestant, said) in &self.lines {
            let line = visible(&format!("{} {:<22} {said}", contestant.letter(), contestant.title()));
            let _ = writeln!(out, "{}", line.chars().take(width - 1).collect::<String>());
        }
        print_over(self.shown, &out);
        self.shown = self.lines.len();
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        if self.shown > 0 {
            print_over(self.shown, "");
        }
    }
}
