//! Reads one shard's document and checks it against its own metadata, so that missing parts are detected.

use crate::host::measure::numbers::plural;
use crate::host::measure::share::Share;
use crate::report::document;
use crate::report::mutants::Tally;
use crate::report::raw::{elements, is_json, member, same};
use crate::report::shard::{By, Ids, ShardRecord};
use crate::report::visible::visible;
use crate::testing::merge::row;

pub struct ShardDocument<'a> {
    /// The name of its file.
    pub name: &'a str,
    pub record: ShardRecord,
    /// The number of the level at which its programs ran.
    pub level: &'a str,
    /// The texts of the entries.
    pub files: Vec<&'a str>,
}

/// The mutants of one program as listed in a document.
pub struct ShardPart<'a> {
    /// The name of the document's file.
    pub name: &'a str,
    /// The text of the entry.
    pub file: &'a str,
    pub ids: Ids,
    /// The texts of the mutant rows.
    pub rows: Vec<&'a str>,
    pub tally: Tally,
}

/// Returns the shard that a document declares, or `None` if it does not declare one.
pub fn shard_record(text: &str) -> Option<ShardRecord> {
    let record = is_json(text).then(|| member(text, "shard")).flatten()?;
    serde_json::from_str(record).ok()
}

/// Reads and checks a document.
///
/// # Errors
/// If the text is not the document of a shard, has an unsupported version, or lacks entries that it declares.
pub fn read<'a>(name: &'a str, text: &'a str) -> Result<ShardDocument<'a>, String> {
    let record = shard_record(text).ok_or_else(|| format!("{name} is not the document of a shard"))?;
    let version = member(text, "version").unwrap_or("none");
    if version != document::VERSION.to_string() {
        return Err(format!(
            "{name} has the version {}; this program merges version {}",
            visible(version),
            document::VERSION
        ));
    }
    let files = array(text, "files").ok_or_else(|| format!("{name} has no `files`"))?;
    if record.by != By::Lines && record.files != Some(files.len() as u64) {
        let wanted = record.files.map_or("an unknown number".into(), |count| count.to_string());
        return Err(format!("{name} has {} of {wanted}: it is incomplete", plural(files.len() as u64, "file")));
    }
    for file in &files {
        if array(file, "diagnostics").is_none() || member(file, "file").is_none() {
            return Err(format!("{name} has an entry without `file` or `diagnostics`: it is incomplete"));
        }
        let own = if record.by == By::Mutants { "mutants" } else { "repairs" };
        if array(file, own).is_none() {
            return Err(format!("{name} has no `{own}` of {}: it is incomplete", name_of(file)));
        }
    }
    let level = member(text, "opt").ok_or_else(|| format!("{name} has no `opt`: it is incomplete"))?;
    Ok(ShardDocument { name, record, level, files })
}

/// Reads one program's mutants from a document.
///
/// # Errors
/// If mutants are missing, or the document's counts do not match the mutants.
pub fn part<'a>(name: &'a str, file: &'a str) -> Result<ShardPart<'a>, String> {
    if member(file, "partial").is_some() {
        return Err(format!("{name} is partial: it was cut short, so run that shard again"));
    }
    let broken = |what: &str| format!("{name} has {what} of {}: it is incomplete", name_of(file));
    let ids: Option<Ids> = member(file, "ids").and_then(|ids| serde_json::from_str(ids).ok());
    let ids = ids.filter(|ids| ids.first <= ids.end).ok_or_else(|| broken("no `ids`"))?;
    let rows = array(file, "mutants").ok_or_else(|| broken("no `mutants`"))?;
    let tally = tally(&rows, ids).map_err(|what| broken(&what))?;
    for count in ["counts", "single_counts", "pair_counts", "score"] {
        let written = member(file, count);
        let needed = count != "pair_counts" || tally.second_order.judged() > 0;
        if written.map_or(needed, |written| !counted(count, &tally).is_some_and(|own| same(&own, written))) {
            return Err(broken(&format!("mutants that do not add up to the `{count}`")));
        }
    }
    Ok(ShardPart { name, file, ids, rows, tally })
}

/// Returns the value of a field that is computed from counts, or `None` for any other field.
pub fn counted(field: &str, tally: &Tally) -> Option<String> {
    match field {
        "counts" => Some(document::json(&tally.all())),
        "single_counts" => Some(document::json(&tally.first_order)),
        "pair_counts" => Some(document::json(&tally.second_order)),
        "score" => Some(document::json(&tally.score().map(Share::decimal))),
        _ => None,
    }
}

/// Returns the name of an entry's program, for people.
pub fn name_of(file: &str) -> String {
    let name = member(file, "file").and_then(|name| serde_json::from_str::<String>(name).ok());
    visible(&name.unwrap_or_else(|| "a file without a name".into()))
}

/// Returns the elements of a member that is an array.
fn array<'a>(object: &'a str, key: &str) -> Option<Vec<&'a str>> {
    member(object, key).filter(|value| value.starts_with('[')).map(elements)
}

/// Counts mutants, which must be in the order of their ids.
fn tally(rows: &[&str], ids: Ids) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let mut next = ids.first;
    for text in rows {
        let (row, status) = row::read(text)?;
        let id = row.id;
        if id < next {
            return Err(format!("mutant {id} twice or in another order"));
        }
        if id >= ids.end {
            return Err(format!("mutant {id}, which is not of this shard,"));
        }
        if ids.all && id > next {
            return Err(format!("no mutant {next}"));
        }
        if let Some(what) = row.fault(status, ids.tests) {
            return Err(format!("mutant {id} with {what}"));
        }
        if row.pair.is_none() && tally.second_order.judged() > 0 {
            return Err(format!("mutant {id} after a second-order mutant"));
        }
        next = id + 1;
        // The `pair` field decides whether the mutant is a pair, whatever its id.
        let counts = if row.pair.is_none() { &mut tally.first_order } else { &mut tally.second_order };
        counts.add(status);
    }
    if ids.all && next < ids.end {
        return Err(format!("no mutant {next}"));
    }
    Ok(tally)
}
