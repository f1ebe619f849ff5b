//! Merges records of `batch`. With `n` shards, each has every `n`-th line.

use std::io::{BufRead, Read};

use serde::Deserialize;

use super::order;
use crate::report::raw;
use crate::report::shard::{By, ShardMark, ShardRecord};
use crate::report::visible::visible;
use crate::testing::batch::line::Label;
use crate::testing::batch::pass::Groups;
use crate::testing::batch::record::Status;

/// The maximum length of a record in bytes.
const LONGEST: u64 = 64 << 20;

#[derive(Debug, Default)]
pub struct MergeSummary {
    pub lines: u64,
    pub short: bool,
    pub bad: bool,
    pub groups: Groups,
}

/// The fields of a record that merging reads.
#[derive(Deserialize)]
struct MergeRecord {
    status: String,
}

/// Reads the next line, without its terminator. Returns `None` at the end.
fn next(stream: &mut impl BufRead) -> Result<Option<String>, String> {
    let mut line = Vec::new();
    let read = stream.take(LONGEST).read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
    if read as u64 == LONGEST {
        return Err("it has a line that is too long".into());
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    match String::from_utf8(line) {
        Ok(line) => Ok((read > 0).then_some(line)),
        Err(_) => Err("it is not valid UTF-8".into()),
    }
}

fn mark(line: &str) -> Option<ShardRecord> {
    serde_json::from_str::<ShardMark>(line).ok().map(|mark| mark.shard)
}

/// Checks that a stream holds all records of one shard, and returns that shard.
///
/// # Errors
/// If the stream is incomplete or not the records of a shard.
pub fn shard_record(mut stream: impl BufRead) -> Result<ShardRecord, String> {
    let first = next(&mut stream)?.and_then(|line| mark(&line));
    let Some(first) = first.filter(|record| record.by == By::Lines) else {
        return Err("it does not begin with a `shard` record".into());
    };
    let (mut lines, mut last) = (0, None);
    while let Some(line) = next(&mut stream)? {
        lines += 1;
        last = Some(line);
    }
    let whole = ShardRecord { lines: Some(lines.max(1) - 1), ..first };
    match last.and_then(|line| mark(&line)) {
        Some(last) if last == whole => Ok(whole),
        _ => Err(format!("shard {} of {} did not end: run it again", first.index, first.of)),
    }
}

/// Takes records from the shards in turn and passes each to `sink`, until `sink` returns false. Each shard has already
/// been checked by [`shard_record`].
///
/// # Errors
/// If the streams are not all the shards of one call.
pub fn merge<R: BufRead>(
    shards: Vec<(String, ShardRecord, R)>,
    grouped: bool,
    sink: &mut dyn FnMut(&str) -> bool,
) -> Result<MergeSummary, String> {
    let records: Vec<(String, ShardRecord)> =
        shards.iter().map(|(name, record, _)| (name.clone(), *record)).collect();
    let order = order(&records)?;
    let mut shards: Vec<Option<(String, ShardRecord, R)>> = shards.into_iter().map(Some).collect();
    let mut shards: Vec<(String, ShardRecord, R)> =
        order.into_iter().filter_map(|place| shards.get_mut(place)?.take()).collect();
    let all: u64 = records.iter().filter_map(|(_, record)| record.lines).sum();
    let count = shards.len() as u64;
    for (place, (name, record, stream)) in (0u64..).zip(&mut shards) {
        // Lines are distributed in turn, so this shard must have `wanted` of them.
        let wanted = (all + count - 1 - place) / count;
        if record.lines != Some(wanted) {
            return Err(format!("{name} does not have the number of lines of a shard of this call"));
        }
        next(stream)?;
    }
    let mut summary = MergeSummary::default();
    for turn in 0..all {
        let Some((name, _, stream)) = shards.get_mut((turn % count) as usize) else { break };
        let line = next(stream)?.ok_or_else(|| format!("{name} has become shorter"))?;
        let record: MergeRecord =
            serde_json::from_str(&line).map_err(|_| format!("{name} has a line that is not a record"))?;
        if !Status::ALL.iter().any(|status| status.name() == record.status) {
            return Err(format!("{name} has a line with the unknown status `{}`", visible(&record.status)));
        }
        summary.lines += 1;
        match record.status.as_str() {
            "pass" => {}
            "error" => summary.bad = true,
            _ => summary.short = true,
        }
        if grouped && record.status != "error" {
            let group = raw::member(&line, "group").and_then(|text| Label::read(text).ok());
            summary.groups.count(&group, record.status == "pass");
        }
        if !sink(&raw::compact(&line)) {
            break;
        }
    }
    Ok(summary)
}
