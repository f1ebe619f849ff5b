//! Rules on the command line: found, listed, exported, imported, switched.

use std::ffi::OsStr;
use std::fmt::Write;

use rayon::prelude::*;

use super::{keep, load};
use crate::cli::args::{Common, Format, ImproveArgs};
use crate::cli::exit::{Exit, Failure};
use crate::cli::limit::{Limit, Limits};
use crate::cli::progress::CliProgress;
use crate::cli::{input, output};
use crate::compiler::program::Compiled;
use crate::compiler::stage::optimize::learned::code::{self, Instruction};
use crate::compiler::stage::optimize::learned::read_rules;
use crate::compiler::stage::optimize::learned::rule::Rule;
use crate::host::files;
use crate::host::measure::numbers::{grouped, plural};
use crate::learned::improve::RuleSearch;
use crate::learned::improve::store::{self, Entry, Loaded, MOST_RULES, Store};
use crate::report::document::{Object, VERSION};
use crate::report::visible::visible;
use crate::testing::prove::{RuleVerdict, rule as prove};

/// The number of rules that are proved between two looks at the progress.
const AT_ONCE: usize = 16;

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
    let mut progress = CliProgress::new("windows tried");
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

/// Prints text, or a document of a call without programs.
fn print(format: Format, text: &str, own: Object) -> Result<Exit, Failure> {
    output::print_result(format, text, &Object::new().field("version", VERSION).join(own))
}

fn list(format: Format, store: Option<&Store>) -> Result<Exit, Failure> {
    let loaded = load(store, true);
    let (entries, rules) = (&loaded.entries, &loaded.learned.rules);
    let shipped = rules.len() - loaded.own_rules;
    let is_on = |rule: &Rule| !loaded.learned.off.contains(&rule.name);
    // The steps are those of the tests for which the code was found, on few inputs, before and after.
    let routine = |entry: &Entry| {
        let key = Object::new().field("key", format!("{:032x}", entry.key.0)).field("steps", entry.steps);
        key.field("moves", &entry.moves).field("time", entry.time)
    };
    let row = |(place, rule): (usize, &Rule)| {
        let row = Object::new().field("name", &rule.name).field("rule", rule.to_string());
        row.field("on", is_on(rule)).field("shipped", place < shipped)
    };
    let mut text = format!("{} with better code\n", plural(entries.len() as u64, "routine"));
    let mut in_order: Vec<_> = entries.iter().collect();
    in_order.sort_by_key(|entry| (entry.time, entry.key));
    for entry in in_order {
        let ([before, after], moves) = (entry.steps.map(grouped), visible(&entry.moves.join(", ")));
        let _ = writeln!(text, "  {:032x}  {after} instead of {before} steps, by {moves}", entry.key.0);
    }
    let _ = writeln!(text, "{}", plural(rules.len() as u64, "rule"));
    for (place, rule) in rules.iter().enumerate() {
        let off = if is_on(rule) { "" } else { "(off) " };
        let own = if place < shipped { "" } else { "(own) " };
        let _ = writeln!(text, "  {off}{own}{rule}");
    }
    let routines = Object::new().list("routines", entries.iter().map(routine));
    print(format, &text, routines.list("rules", rules.iter().enumerate().map(row)))
}

fn export(format: Format, store: Option<&Store>) -> Result<Exit, Failure> {
    let rules: Vec<String> = load(store, true).learned.rules.iter().map(Rule::to_string).collect();
    match format {
        Format::Text => output::print_data(&rules.iter().map(|rule| rule.clone() + "\n").collect::<String>())
            .map(|_| Exit::Good),
        Format::Json => print(format, "", Object::new().field("rules", rules)),
    }
}

/// Proves the rules of a file and keeps them. At the limit, those that are proved are kept.
fn import(format: Format, path: &OsStr, seconds: Option<f64>, store: Option<&Store>) -> Result<Exit, Failure> {
    let limits = Limits::new(seconds);
    let limit = limits.whole();
    let source = input::read(path)?;
    let mut loaded = load(store, true);
    let (mut kept, mut all_refused) = (Vec::new(), Vec::new());
    let lines = source.text.lines().filter_map(|line| Some((line, read_rules(line).next()?)));
    let lines: Vec<(&str, Result<Rule, String>)> = lines.collect();
    let (mut progress, mut done) = (CliProgress::new("rules tried"), 0);
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
                    kept.push(rule.to_string());
                    loaded.learned.rules.push(rule.clone());
                    loaded.own_rules += 1;
                    None
                }
                (_, Some(RuleVerdict::Differs)) => Some("its windows differ".to_string()),
                _ => Some("no proof was found".to_string()),
            };
            all_refused.extend(refused.map(|reason| (line.trim(), reason)));
            done += 1;
        }
        progress.update(done, lines.len());
    }
    drop(progress);
    keep(store, |store| store.keep_rules(own(&loaded)))?;
    let mut text: String = kept.iter().map(|rule| format!("proved   {rule}\n")).collect();
    for (rule, reason) in &all_refused {
        let _ = writeln!(text, "refused  {}: {}", visible(rule), visible(reason));
    }
    let refused = all_refused.len();
    let _ = writeln!(text, "{} kept, {refused} refused", plural(kept.len() as u64, "rule"));
    let partial = limit.reached().filter(|_| done < lines.len());
    let rows =
        all_refused.iter().map(|(rule, reason)| Object::new().field("rule", rule).field("reason", reason));
    let document = Object::new().field("kept", kept).list("refused", rows).option("partial", partial);
    print(format, &text, document)?;
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
    print(format, &text, Object::new().field("rule", name).field("on", on))
}

fn forget(format: Format, store: Option<&Store>) -> Result<Exit, Failure> {
    let print = |text: &str, deleted: bool| print(format, text, Object::new().field("deleted", deleted));
    let Some(store) = store else { return print("nothing is kept\n", false) };
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
    print(&text, deleted)
}
