//! Merges documents of `mutate` and `repair`.

use std::collections::BTreeMap;

use super::order;
use super::shard::{self, ShardDocument, ShardPart};
use crate::lang::diagnostic::Code;
use crate::lang::level::OptLevel;
use crate::report::document;
use crate::report::mutants::Tally;
use crate::report::raw::{compact, elements, is_json, member, members, same};
use crate::report::shard::By;
use crate::report::visible::visible;

#[derive(Debug, PartialEq)]
pub struct Merged {
    pub text: String,
    /// Whether a program in the document has errors, or a search found no repair.
    pub short: bool,
    /// The name of each file with mutants, and its number of mutants by status.
    pub tallies: Vec<(String, Tally)>,
}

/// Merges the documents of one call.
///
/// # Errors
/// If the documents are not all the shards of one call, or one of them is incomplete.
pub fn merge(documents: &[(String, String)]) -> Result<Merged, String> {
    let documents: Vec<(String, String)> =
        documents.iter().map(|(name, text)| (name.clone(), rewritten(text))).collect();
    let read: Vec<ShardDocument> =
        documents.iter().map(|(name, text)| shard::read(name, text)).collect::<Result<_, _>>()?;
    let records: Vec<_> = read.iter().map(|document| (document.name.to_string(), document.record)).collect();
    let order = order(&records)?;
    let read: Vec<&ShardDocument> = order.iter().filter_map(|place| read.get(*place)).collect();
    let (merged, tallies) = match read.first().map(|first| first.record.by) {
        Some(By::Mutants) => mutants(&read)?,
        Some(By::Files) => {
            (read.iter().flat_map(|document| &document.files).map(|file| file.to_string()).collect(), vec![])
        }
        _ => return Err("lines of a batch and documents do not go together".into()),
    };
    let short = merged.iter().any(|file| has_failures(file));
    let level = read.first().map_or("", |first| first.level);
    if let Some(other) = read.iter().find(|document| document.level != level) {
        let (name, other) = (other.name, visible(other.level));
        return Err(format!("{name} was made at level {other}, and other shards at level {}", visible(level)));
    }
    let level = level.parse().ok().and_then(OptLevel::from_number);
    let level = level.ok_or("the level of the shards is unknown to this program")?;
    let text = format!("{}\"files\":[{}]}}\n", document::head(level), merged.join(","));
    Ok(Merged { text, short, tallies })
}

/// Writes a document as this program does, if another program has laid it out again.
fn rewritten(text: &str) -> String {
    if is_json(text) { compact(text) } else { text.into() }
}

/// The merged texts of a document's entries, and the tally of each program's mutants.
type Entries = (Vec<String>, Vec<(String, Tally)>);

fn has_failures(file: &str) -> bool {
    let diagnostics = elements(member(file, "diagnostics").unwrap_or(""));
    let is = |found: &str, key, value: &str| {
        member(found, key).and_then(|raw| serde_json::from_str::<String>(raw).ok()).as_deref() == Some(value)
    };
    let stops = |found: &&str| {
        is(found, "severity", "error")
            || member(file, "mutants").is_some() && is(found, "code", Code::IgnoresNothing.code())
    };
    let nothing = member(file, "repairs") == Some("[]") && member(file, "searched").is_some_and(|n| n != "0");
    diagnostics.iter().any(stops) || nothing
}

/// Merges and counts the mutants of each file.
fn mutants(shards: &[&ShardDocument]) -> Result<Entries, String> {
    let Some(first) = shards.first() else { return Ok(Entries::default()) };
    if let Some(other) = shards.iter().find(|other| other.files.len() != first.files.len()) {
        return Err(format!(
            "{} and {} are not from the same call: their files differ",
            other.name, first.name
        ));
    }
    let (mut merged, mut tallies) = (Vec::new(), Vec::new());
    for (place, file) in first.files.iter().enumerate() {
        let parts: Vec<ShardPart> = shards
            .iter()
            .filter_map(|document| Some(shard::part(document.name, document.files.get(place)?)))
            .collect::<Result<_, _>>()?;
        let rows: Vec<&str> = parts.iter().flat_map(|part| part.rows.iter().copied()).collect();
        let tally = parts.iter().fold(Tally::default(), |sum, part| sum.plus(part.tally));
        let mut text = Vec::new();
        let others: Vec<(&str, BTreeMap<&str, &str>)> =
            parts.iter().map(|part| (part.name, members(part.file).into_iter().rev().collect())).collect();
        for (key, value) in members(file) {
            let value = match key.trim_matches('"') {
                "mutants" => format!("[{}]", rows.join(",")),
                // Times and ids belong to a single shard.
                "timings" | "ids" => continue,
                name => match shard::counted(name, &tally) {
                    Some(counted) => counted,
                    None => {
                        if let Some((other, _)) =
                            others.iter().find(|(_, all)| !all.get(key).is_some_and(|other| same(other, value)))
                        {
                            return Err(format!(
                                "{other} and {} differ in `{name}`: they are from different programs",
                                first.name
                            ));
                        }
                        value.into()
                    }
                },
            };
            text.push(format!("{key}:{value}"));
        }
        adjoin(shards, &parts)?;
        merged.push(format!("{{{}}}", text.join(",")));
        let name = member(file, "file").and_then(|name| serde_json::from_str(name).ok());
        tallies.push((name.unwrap_or_default(), tally));
    }
    Ok((merged, tallies))
}

/// Checks that the mutants of a file are those of all shards, in order and without gaps.
fn adjoin(shards: &[&ShardDocument], parts: &[ShardPart]) -> Result<(), String> {
    let all = parts.last().map_or(0, |part| part.ids.end);
    for (document, part) in shards.iter().zip(parts) {
        let stretch = document.record.shard().stretch(all.into());
        if (stretch.start, stretch.end) != (part.ids.first.into(), part.ids.end.into()) {
            return Err(format!(
                "{} has the mutants {} to {} of {}, which do not belong to its shard: another shard is from a different call",
                part.name,
                part.ids.first,
                part.ids.end,
                shard::name_of(part.file)
            ));
        }
    }
    Ok(())
}
