//! Rules on the command line: found, listed, exported, imported, switched.

use std::ffi::OsStr;
use std::fmt::Write;

use rayon::prelude::*;
use serde::Serialize;

use super::{keep, load};
use crate::cli::args::{Common, Format, ImproveArgs};
use crate::cli::exit::{Exit, Failure};
use crate::cli::limit::{Limit, Limits, Partial};
use crate::cli::progress::Progress;
use crate::cli::{input, output};
use crate::compiler::program::Compiled;
use crate::compiler::stage::optimize::learned::code::{self, Instruction};
use crate::compiler::stage::optimize::learned::read_rules;
use crate::compiler::stage::optimize::learned::rule::Rule;
use crate::host::files;
use crate::host::measure::numbers::{grouped, plural};
use crate::learned::improve::RuleSearch;
use crate::learned::improve::store::{self, Loaded, MOST_RULES, Store};
use crate::report::document;
use crate::report::visible::visible;
use crate::testing::prove::{RuleVerdict, rule as prove};

/// The number of rules that are proved between two looks at the progress.
const AT_ONCE: usize = 16;

/// A document of a call without programs.
#[derive(Serialize)]
struct Document<T> {
    version: u32,
    #[serde(flatten)]
    own: T,
}

#[derive(Serialize)]
struct Exported {
    rules: Vec<String>,
}

#[derive(Default, Serialize)]
struct Imported {
    kept: Vec<String>,
    refused: Vec<Refused>,
    /// Why rules are left, if any are.
    #[serde(skip_serializing_if = "Option::is_none")]
    partial: Option<Partial>,
}

/// A rule that is not kept, and the reason.
#[derive(Serialize)]
struct Refused {
    rule: String,
    reason: String,
}

#[derive(Serialize)]
struct Switched<'a> {
    rule: &'a str,
    on: bool,
}

#[derive(Serialize)]
struct Forgotten {
    deleted: bool,
}

#[derive(Serialize)]
struct Listed<'a> {
    routines: Vec<Routine>,
    rules: Vec<Row<'a>>,
}

/// Learned code of a routine.
#[derive(Serialize)]
struct Routine {
    key: String,
    /// The steps of the tests for which it was found, on few inputs, before and after.
    steps: [u64; 2],
    moves: Vec<String>,
    time: u64,
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    rule: String,
    on: bool,
    /// Whether it ships with the program.
    shipped: bool,
}

/// The user's own rules.
pub fn own(loaded: &Loaded) -> &[Rule] {
    let rules = &loaded.learned.rules;
    &rules[rules.len() - loaded.own_rules..]
}

/// The most windows that are tried in a file.
const WINDOWS: usize = 400;

/// Searches for rules in the code of a program at level 2, and adds them. Returns them as text.
pub fn search(program: &Compiled, loaded: &mut Loaded, limit: &Limit) -> Vec<String> {
    let routines = &program.executable.routines;
    let codes: Vec<Vec<Instruction>> =
        (0..routines.ir.len()).map(|routine| code::of(&program.ir, routines, routine)).collect();
    let mut search =
        RuleSearch::new(codes.iter().map(Vec::as_slice), std::mem::take(&mut loaded.learned.rules), WINDOWS);
    let (total, room) = (search.left(), MOST_RULES - loaded.own_rules.min(MOST_RULES));
    let mut progress = Progress::new("windows tried");
    while search.left() > 0 && limit.reached().is_none() && search.found().len() < room {
        search.step(limit);
        progress.update(search.tried, total);
    }
    let found: Vec<String> = search.found().iter().map(Rule::to_string).collect();
    loaded.own_rules += found.len();
    loaded.learned.rules = search.rules;
    found
}

/// Does what a call without programs asks for.
pub fn manage(common: Common, args: &ImproveArgs, store: Option<&Store>) -> Option<Result<Exit, Failure>> {
    let format = common.format;
    if args.list {
        return Some(list(format, store));
    }
    if args.export {
        return Some(export(format, store));
    }
    if let Some(path) = &args.import {
        return Some(import(format, path, args.seconds, store));
    }
    if let Some(name) = &args.off {
        return Some(switch(format, name, false, store));
    }
    if let Some(name) = &args.on {
        return Some(switch(format, name, true, store));
    }
    args.forget.then(|| forget(format, store))
}

/// Prints text, or a document.
fn print(format: Format, text: &str, own: impl Serialize) -> Result<Exit, Failure> {
    match format {
        Format::Text => output::print(text)?,
        Format::Json => output::print_data(&format!("{}\n", document::json(&Document { version: 1, own })))?,
    };
    Ok(Exit::Good)
}

fn list(format: Format, store: Option<&Store>) -> Result<Exit, Failure> {
    let loaded = load(store, true);
    let shipped = loaded.learned.rules.len() - loaded.own_rules;
    let rows: Vec<Row> = { loaded.learned.rules.iter().enumerate() }
        .map(|(place, rule)| Row {
            name: &rule.name,
            rule: rule.to_string(),
            on: !loaded.learned.off.contains(&rule.name),
            shipped: place < shipped,
        })
        .collect();
    let routines = loaded.entries.iter().map(|entry| Routine {
        key: format!("{:032x}", entry.key.0),
        steps: entry.steps,
        moves: entry.moves.clone(),
        time: entry.time,
    });
    let routines: Vec<Routine> = routines.collect();
    let mut text = String::new();
    let _ = writeln!(text, "{} with better code", plural(loaded.entries.len() as u64, "routine"));
    let mut entries: Vec<_> = loaded.entries.iter().collect();
    entries.sort_by_key(|entry| (entry.time, entry.key));
    for entry in entries {
        let [before, after] = entry.steps.map(grouped);
        let _ = writeln!(
            text,
            "  {:032x}  {after} instead of {before} steps, by {}",
            entry.key.0,
            visible(&entry.moves.join(", "))
        );
    }
    let _ = writeln!(text, "{}", plural(rows.len() as u64, "rule"));
    for row in &rows {
        let off = if row.on { "" } else { "(off) " };
        let own = if row.shipped { "" } else { "(own) " };
        let _ = writeln!(text, "  {off}{own}{}", row.rule);
    }
    print(format, &text, Listed { routines, rules: rows })
}

fn export(format: Format, store: Option<&Store>) -> Result<Exit, Failure> {
    let rules: Vec<String> = load(store, true).learned.rules.iter().map(Rule::to_string).collect();
    let text: String = rules.iter().map(|rule| format!("{rule}\n")).collect();
    match format {
        Format::Text => output::print_data(&text).map(|_| Exit::Good),
        Format::Json => print(format, &text, Exported { rules }),
    }
}

/// Proves the rules of a file and keeps them. At the limit, those that are proved are kept.
fn import(format: Format, path: &OsStr, seconds: Option<f64>, store: Option<&Store>) -> Result<Exit, Failure> {
    let limits = Limits::new(seconds);
    let limit = limits.whole();
    let source = input::read(path)?;
    let mut loaded = load(store, true);
    let mut imported = Imported::default();
    let lines = source.text.lines().filter_map(|line| Some((line, read_rules(line).next()?)));
    let lines: Vec<(&str, Result<Rule, String>)> = lines.collect();
    let (mut progress, mut done) = (Progress::new("rules tried"), 0);
    'all: for some in lines.chunks(AT_ONCE) {
        let verdict = |(_, read): &(&str, Result<Rule, String>)| prove(read.as_ref().ok()?, &limit);
        let verdicts: Vec<Option<RuleVerdict>> = some.par_iter().map(verdict).collect();
        for ((line, read), verdict) in some.iter().zip(verdicts) {
            let known = |rule: &Rule| loaded.learned.rules.iter().any(|known| known.name == rule.name);
            let refused = match (read, verdict) {
                (Err(reason), _) => Some(reason.clone()),
                (Ok(_), None) if limit.reached().is_some() => break 'all,
                _ if loaded.own_rules >= MOST_RULES => Some("there are too many rules".to_string()),
                (Ok(rule), _) if known(rule) => Some("its name is taken".to_string()),
                (Ok(rule), Some(RuleVerdict::Proved)) => {
                    imported.kept.push(rule.to_string());
                    loaded.learned.rules.push(rule.clone());
                    loaded.own_rules += 1;
                    None
                }
                (_, Some(RuleVerdict::Differs)) => Some("its windows differ".to_string()),
                _ => Some("no proof was found".to_string()),
            };
            imported.refused.extend(refused.map(|reason| Refused { rule: line.trim().to_string(), reason }));
            done += 1;
        }
        progress.update(done, lines.len());
    }
    drop(progress);
    keep(store, |store| store.keep_rules(own(&loaded)))?;
    let mut text: String = imported.kept.iter().map(|rule| format!("proved   {rule}\n")).collect();
    for Refused { rule, reason } in &imported.refused {
        let _ = writeln!(text, "refused  {}: {}", visible(rule), visible(reason));
    }
    let (kept, refused) = (imported.kept.len(), imported.refused.len());
    let _ = writeln!(text, "{} kept, {refused} refused", plural(kept as u64, "rule"));
    imported.partial = limit.reached().filter(|_| done < lines.len());
    let partial = imported.partial;
    print(format, &text, imported)?;
    if let Some(partial) = partial {
        output::report_failure(&Failure {
            exit: Exit::ProgramFailed,
            message: format!("{}: {done} of {} are tried", partial.text(), plural(lines.len() as u64, "rule")),
            help: "the proved ones are kept: import the file again, with a longer --seconds".into(),
        });
    }
    Ok(if refused > 0 || partial.is_some() { Exit::ProgramFailed } else { Exit::Good })
}

fn switch(format: Format, name: &str, on: bool, store: Option<&Store>) -> Result<Exit, Failure> {
    let mut loaded = load(store, true);
    if !loaded.learned.rules.iter().any(|rule| rule.name == name) {
        return Err(Failure::call(
            format!("there is no rule `{}`", visible(name)),
            "`myriad improve --list` lists all rules",
        ));
    }
    let off = &mut loaded.learned.off;
    let changed = if on { off.remove(name) } else { off.insert(name.to_string()) };
    keep(store, |store| store.keep_off(off))?;
    let state = if on { "on" } else { "off" };
    let text = format!("{name} is {}{state}\n", if changed { "now " } else { "already " });
    print(format, &text, Switched { rule: name, on })
}

fn forget(format: Format, store: Option<&Store>) -> Result<Exit, Failure> {
    let Some(store) = store else {
        return print(format, "nothing is kept\n", Forgotten { deleted: false });
    };
    let deleted = store.forget().map_err(|error| {
        Failure::call(
            format!("cannot delete {}: {}", store.folder().display(), files::message(&error)),
            format!("delete it by hand, or name another folder by {}", store::VARIABLE),
        )
    })?;
    let folder = visible(&store.folder().display().to_string());
    let text = match deleted {
        true => format!("everything learned is deleted: {folder}\n"),
        false => format!("nothing was learned: {folder}\n"),
    };
    print(format, &text, Forgotten { deleted })
}
