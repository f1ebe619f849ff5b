//! The Learned panel: the steps that level 3 saves, over the revisions of this session and over days; the rules with
//! their hits; moves without success; and the cost of the searches.

use crate::host::measure::date;
use crate::host::measure::numbers::{grouped, plural};
use crate::host::measure::origin::Origin;
use crate::host::measure::share::percent;
use crate::lang::level::OptLevel;
use crate::learned::improve::savings::Day;
use crate::session::{CompareExtent, Learning};
use crate::workbench::panels::figures::{ms, short_energy, short_time};
use crate::workbench::panels::page::{Page, WAITS};
use crate::workbench::state::State;
use crate::workbench::text::visible;
use crate::workbench::theme::Look;

/// The days that have a row.
const DAYS: usize = 7;
/// The length of the longest bar, in cells.
const BAR: usize = 24;

pub fn lines(state: &State, page: &mut Page) {
    let (results, engine) = (&state.results, &state.engine);
    let Some(shown) = results.shown() else { return };
    let is_on = shown.compiled.level == OptLevel::Learned;
    let learning = results.findings.last::<Learning>();
    match (is_on, learning) {
        (false, _) => {
            page.prose(Look::Heading, "level 3 is off");
            page.prose(
                Look::Text,
                "At level 3, the program searches for better code of your functions while nobody types, proves it, and keeps it. `alt-v` chooses the level.",
            );
        }
        (true, None) if engine.idle == CompareExtent::Off => {
            page.prose(Look::Dim, "nothing is searched: `idle` is off in the configuration");
        }
        (true, None) => page.prose(Look::Dim, WAITS),
        (true, Some(_)) => {}
    }
    if let Some(learning) = learning {
        report(learning, page);
    }
}

fn report(learning: &Learning, page: &mut Page) {
    ignored(learning, page);
    if let Some([before, after]) = learning.revisions.last() {
        let less = saved([*before, *after]);
        page.prose(
            Look::Heading,
            format!(
                "level 3 saves {} % of the tests' steps: {} instead of {}",
                percent(less, 1),
                grouped(*after),
                grouped(*before)
            ),
        );
    }
    searched(learning, page);
    if learning.revisions.len() > 1 {
        page.blank();
        page.prose(
            Look::Heading,
            format!("part saved, by revision of this session ({})", learning.revisions.len()),
        );
        page.history(&learning.revisions.iter().map(|steps| saved(*steps)).collect::<Vec<_>>());
    }
    days(&learning.days, page);
    cost(learning, page);
    rules(learning, page);
}

/// The part of the steps of level 2 that level 3 saves, from 0 to 1.
fn saved([before, after]: [u64; 2]) -> f64 {
    before.saturating_sub(after) as f64 / before.max(1) as f64
}

fn ignored(learning: &Learning, page: &mut Page) {
    if learning.ignored.is_empty() {
        return;
    }
    page.prose(Look::Warning, format!("{} ignored in the store of learned code", learning.ignored.len()));
    for file in &learning.ignored {
        page.prose(Look::Text, visible(file));
    }
    page.blank();
}

fn searched(learning: &Learning, page: &mut Page) {
    let Learning { done, all, skipped, better, failed, .. } = learning;
    let skipped = match skipped {
        0 => String::new(),
        count => format!(", {count} of them before: unchanged"),
    };
    page.prose(Look::Text, format!("{done} of {} searched{skipped}", plural(*all as u64, "routine")));
    for (name, [before, after]) in better {
        page.prose(
            Look::Good,
            format!("{}: {} instead of {} steps", visible(name), grouped(*after), grouped(*before)),
        );
    }
    if let Some(why) = failed {
        page.prose(Look::Warning, format!("not kept for later sessions: {}", visible(why)));
    }
}

fn days(days: &[Day], page: &mut Page) {
    if days.is_empty() {
        return;
    }
    page.blank();
    page.prose(Look::Heading, "part saved, by day");
    let most = days.iter().map(|day| saved(day.steps)).fold(f64::MIN_POSITIVE, f64::max);
    for day in days.iter().rev().take(DAYS) {
        let part = saved(day.steps);
        let parts = [
            (Look::Text, date::text(day.day)),
            (Look::Number, format!("{:>7} %", percent(part, 1))),
            (Look::Dim, format!("  {:<12}", plural(day.programs as u64, "program"))),
        ];
        page.bar(parts, part / most, BAR);
    }
    if days.len() > DAYS {
        page.history(&days.iter().map(|day| saved(day.steps)).collect::<Vec<_>>());
    }
}

fn cost(learning: &Learning, page: &mut Page) {
    page.blank();
    page.prose(Look::Heading, "searches of this session");
    let tried = learning.tried;
    page.prose(Look::Text, format!("{} tried", plural(tried.moves.into(), "move")));
    let reasons = [
        (tried.differs, "a test ends differently"),
        (tried.no_gain, "the tests take no fewer steps"),
        (tried.unproved, "no proof was found"),
        (tried.memory, "it needs more memory"),
    ];
    for (count, why) in reasons.into_iter().filter(|(count, _)| *count > 0) {
        page.row([(Look::Number, format!("{:>6}", grouped(count.into()))), (Look::Text, format!("  {why}"))]);
    }
    if let Some(energy) = learning.energy {
        page.row([
            (Look::Number, format!("{:>8}", short_energy(energy.joules))),
            (Look::Dim, format!(" {}", energy.origin())),
            (
                Look::Text,
                format!(", {} of processor time ({})", short_time(ms(learning.time)), Origin::Measured),
            ),
        ]);
    }
}

fn rules(learning: &Learning, page: &mut Page) {
    if learning.rules.is_empty() {
        return;
    }
    page.blank();
    page.prose(Look::Heading, "rules, by hits in this text");
    let hits = learning.rules.iter().filter(|(_, hits, _)| *hits > 0);
    for (name, count, _) in hits {
        page.row([
            (Look::Number, format!("{:>6}", grouped((*count).into()))),
            (Look::Text, format!("  {}", visible(name))),
        ]);
    }
    let without = learning.rules.iter().filter(|(_, hits, on)| *hits == 0 && *on).count();
    let off = learning.rules.iter().filter(|(.., on)| !on).count();
    let off = if off == 0 { String::new() } else { format!(", {off} switched off") };
    page.prose(
        Look::Dim,
        format!("{} without a hit{off}: `myriad improve --list`", plural(without as u64, "rule")),
    );
}
