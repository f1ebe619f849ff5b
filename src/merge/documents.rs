//! Documents of `mutate` and `repair`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::order;
use crate::lang::verdict::MutantStatus;
use crate::report::document;
use crate::report::mutants::{Tally, decimal};
use crate::report::raw::{elements, is_json, member, members};
use crate::report::shard::{By, Said};

/// What was put together.
#[derive(Debug, PartialEq)]
pub struct Merged {
    /// The document.
    pub text: String,
    /// Whether a program in it falls short: errors, or nothing repaired.
    pub short: bool,
    /// The lowest score of a file that has one.
    pub score: Option<f64>,
}

/// What is needed of a mutant.
#[derive(Deserialize)]
struct Row {
    id: u32,
    status: String,
    pair: Option<IgnoredAny>,
}

/// What a document says of the shard that it is; `None` where it is none.
pub fn said(text: &str) -> Option<Said> {
    let said = is_json(text).then(|| member(text, "shard")).flatten()?;
    serde_json::from_str(said).ok()
}

/// Puts documents of one call together.
///
/// # Errors
/// If they are not all shards of one call.
pub fn merge(documents: &[(String, String)]) -> Result<Merged, String> {
    let mut all = Vec::new();
    for (name, text) in documents {
        let said = said(text).ok_or_else(|| format!("{name} is no document of a shard"))?;
        all.push((name.clone(), said));
    }
    let order = order(&all)?;
    let texts: Vec<&(String, String)> = order.iter().filter_map(|place| documents.get(*place)).collect();
    let files: Vec<(&str, Vec<&str>)> =
        texts.iter().map(|(name, text)| (&**name, elements(member(text, "files").unwrap_or("")))).collect();
    let by = all.first().map(|(_, said)| said.by);
    let (merged, score) = match by {
        Some(By::Mutants) => mutants(&files)?,
        Some(By::Files) => {
            (files.iter().flat_map(|(_, files)| files).map(|file| file.to_string()).collect(), None)
        }
        _ => return Err("lines of a batch and documents do not go together".into()),
    };
    let short = merged.iter().any(|file| falls_short(file));
    let text = format!("{{\"version\":{},\"files\":[{}]}}\n", document::VERSION, merged.join(","));
    Ok(Merged { text, short, score })
}

fn falls_short(file: &str) -> bool {
    let diagnostics = elements(member(file, "diagnostics").unwrap_or(""));
    let is_error = |found: &&str| member(found, "severity") == Some("\"error\"");
    let nothing = member(file, "repairs") == Some("[]") && member(file, "searched").is_some_and(|n| n != "0");
    diagnostics.iter().any(is_error) || nothing
}

/// Puts the mutants of each file together, and counts them. Also the lowest score.
fn mutants(shards: &[(&str, Vec<&str>)]) -> Result<(Vec<String>, Option<f64>), String> {
    let Some((first_name, first)) = shards.first() else { return Ok((Vec::new(), None)) };
    if let Some((name, _)) = shards.iter().find(|(_, files)| files.len() != first.len()) {
        return Err(format!("{name} and {first_name} are not of one call: they have other files"));
    }
    let mut merged = Vec::new();
    let mut lowest: Option<f64> = None;
    for (place, file) in first.iter().enumerate() {
        let own: Vec<(&str, &str)> =
            shards.iter().filter_map(|(name, files)| Some((*name, *files.get(place)?))).collect();
        let rows: Vec<&str> =
            own.iter().flat_map(|(_, file)| elements(member(file, "mutants").unwrap_or(""))).collect();
        let tally = tally(&rows)?;
        let score = tally.score().map(decimal);
        lowest = lowest.into_iter().chain(score).reduce(f64::min);
        let mut text = Vec::new();
        if let Some((name, _)) = own.iter().find(|(_, file)| member(file, "partial").is_some()) {
            return Err(format!("{name} is partial: it was cut short, so run that shard again"));
        }
        let others: Vec<(&str, BTreeMap<&str, &str>)> =
            own.iter().map(|(name, file)| (*name, members(file).into_iter().rev().collect())).collect();
        for (key, value) in members(file) {
            let value = match key.trim_matches('"') {
                "mutants" => format!("[{}]", rows.join(",")),
                "counts" => document::json(&tally.all()),
                "single_counts" => document::json(&tally.singles),
                "pair_counts" => document::json(&tally.pairs),
                "score" => document::json(&score),
                // Times are of one shard.
                "timings" => continue,
                name => {
                    if let Some((other, _)) = others.iter().find(|(_, all)| all.get(key) != Some(&value)) {
                        return Err(format!(
                            "{other} and {first_name} differ in `{name}`: they are of different programs"
                        ));
                    }
                    value.into()
                }
            };
            text.push(format!("{key}:{value}"));
        }
        merged.push(format!("{{{}}}", text.join(",")));
    }
    Ok((merged, lowest))
}

/// Counts mutants, which have to come in the order of their ids.
fn tally(rows: &[&str]) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let mut next = 0;
    for row in rows {
        let read: Option<(Row, MutantStatus)> = serde_json::from_str(row).ok().and_then(|row: Row| {
            let status = MutantStatus::ALL.iter().find(|status| status.name() == row.status)?;
            Some((row, *status))
        });
        let Some((Row { id, pair, .. }, status)) = read else {
            return Err("there is a mutant without a status".into());
        };
        if id < next {
            return Err(format!("mutant {id} is there twice, or in another order"));
        }
        next = id.saturating_add(1);
        // Whatever its number, a pair says that it is one.
        tally.add(u32::from(pair.is_none()), 0, status);
    }
    Ok(tally)
}
