//! The Counter panel: how many variants were compiled and tested, in digits that an audience reads.

use std::time::Duration;

use unicode_width::UnicodeWidthStr;

use crate::host::measure::numbers::grouped;
use crate::workbench::block::{BlockSize, word};
use crate::workbench::panels::figures::{ms, short_time};
use crate::workbench::panels::page::Page;
use crate::workbench::state::State;
use crate::workbench::theme::Look;

/// The maximum number of variants that a key judges. Each verdict is kept.
pub const MOST: u64 = 1 << 20;

pub fn lines(state: &State, page: &mut Page) {
    let judged = state.engine.judged;
    number(judged.ever, page);
    let said = format!("{} variants compiled and tested since the start", grouped(judged.ever));
    page.prose(Look::Text, said);
    page.blank();
    if let (Some((count, wall)), Some(rate)) = (judged.last, judged.rate()) {
        number(rate as u64, page);
        let per_second = grouped(rate as u64);
        let said = format!(
            "{per_second} a second: the last text had {} in {}, measured",
            grouped(count),
            short_time(ms(wall))
        );
        page.prose(Look::Text, said);
        page.blank();
    }
    let (all, time) = all_variants(state);
    if all == 0 {
        return;
    }
    let time = time.map_or(String::new(), |time| format!(", about {} each time", short_time(ms(time))));
    if state.engine.all {
        page.prose(Look::Good, format!("Each key judges all {} variants of this program{time}.", grouped(all)));
        page.prose(Look::Dim, "a: the usual number again");
    } else {
        let now = grouped(state.results.mutants.total.into());
        page.prose(
            Look::Text,
            format!("Each key judges {now} of the {} variants of this program.", grouped(all)),
        );
        page.prose(Look::Dim, format!("a: all of them{time}"));
    }
}

/// Adds a number in the largest digits that fit, if any do.
fn number(value: u64, page: &mut Page) {
    let text = grouped(value);
    let mut sizes = [BlockSize::Double, BlockSize::Half].into_iter().filter_map(|size| word(&text, size));
    let fits = |lines: &Vec<String>| lines.iter().all(|line| line.trim_end().width() <= page.room());
    for line in sizes.find(fits).unwrap_or_default() {
        page.row([(Look::Heading, line.trim_end().to_string())]);
    }
}

/// Returns the number of the program's variants with one change or two, and the time to judge them at the last rate.
pub fn all_variants(state: &State) -> (u64, Option<Duration>) {
    let Some(shown) = state.shown() else { return (0, None) };
    let all = u64::from(shown.variants());
    let time = state.engine.judged.rate().map(|rate| Duration::from_secs_f64(all as f64 / rate));
    (all, time)
}
