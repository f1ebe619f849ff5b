//! Rounds of the stages, as recorded by the shaders.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::compiler::rounds::{Recording, SiteKind, StageRounds};
use crate::host::measure::numbers::plural;

#[derive(Debug, Serialize)]
pub struct RoundRow<'a> {
    pub stage: &'static str,
    /// The entry point of the shader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<&'a str>,
    /// From 1, within the stage.
    pub round: usize,
    /// The shader's file, and the line of the barrier that ends the round.
    pub shader: String,
    pub line: u32,
    pub sentence: &'a str,
    /// The work that the threads divide; absent in rounds of a scan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<&'a str>,
    /// The number of words that it changes in each column.
    pub changes: BTreeMap<&'a str, usize>,
}

pub fn rows(recording: &Recording) -> Vec<RoundRow<'_>> {
    let of_stage = |stage| (0..).map_while(move |round| row(stage, round));
    recording.stages.iter().flat_map(of_stage).collect()
}

fn row(stage: &StageRounds, round: usize) -> Option<RoundRow<'_>> {
    let site = stage.site(round)?;
    let mut changes = BTreeMap::new();
    for change in stage.changes(round) {
        if let Some((column, _)) = stage.cell(change.place) {
            *changes.entry(stage.columns[column].name.as_str()).or_default() += 1;
        }
    }
    let work = match &site.kind {
        SiteKind::Columns(work) => Some(work.as_str()),
        SiteKind::Numbers | SiteKind::Functions => None,
    };
    Some(RoundRow {
        stage: stage.stage.name(),
        entry: stage.entry(round),
        round: round + 1,
        shader: format!("shaders/{}.wgsl", site.file),
        line: site.line,
        sentence: &site.sentence,
        work,
        changes,
    })
}

/// Formats the rounds as text: a heading for each entry point, a line for each round.
pub fn page(recording: &Recording) -> String {
    let mut page = format!("recorded by {}\n", recording.device);
    let mut heading = None;
    let rows = rows(recording);
    let mut scan = None;
    for (row, next) in rows.iter().zip(rows.iter().skip(1).map(Some).chain([None])) {
        let part = (row.stage, row.entry);
        if heading != Some(part) {
            heading = Some(part);
            page.push_str(&format!("\n{} · {}\n", row.stage, row.entry.unwrap_or_default()));
        }
        // Consecutive steps of a scan are one line, with the last step's sentence, which describes the result.
        let goes_on = |next: &RoundRow| next.work.is_none() && (next.stage, next.entry) == part;
        if row.work.is_none() && next.is_some_and(goes_on) {
            scan.get_or_insert(row.round);
            continue;
        }
        let first = scan.take().map_or(String::new(), |first| format!("{first}–"));
        let words: usize = row.changes.values().sum();
        let columns: Vec<&str> =
            row.changes.keys().map(|name| name.split('/').next().unwrap_or(name)).collect();
        let did = match row.work {
            None => "scans".to_string(),
            Some(work) if words == 0 => format!("work {work}, nothing changes"),
            Some(work) => format!("work {work}, {} of {}", plural(words as u64, "word"), columns.join(" ")),
        };
        page.push_str(&format!("{:>9}  {}\n           {did}\n", format!("{first}{}", row.round), row.sentence));
    }
    page
}
