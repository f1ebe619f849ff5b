//! `myriad mutate --history FILE`: a line of JSON with the scores of each call, and a plot of them.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::cli::exit::Failure;
use crate::cli::plot::{self, Curve, Scale};
use crate::host::files;
use crate::host::measure::share::Share;
use crate::report::document::{self, Object};
use crate::report::mutants::Counts;
use crate::report::visible::visible;

/// The size limit of the file, in bytes, and the number of calls that the plot shows.
const BYTES: u64 = 64 << 20;
const SHOWN: usize = 60;

/// A line. The plot needs the score alone; another document has not all of these.
#[derive(Deserialize)]
struct HistoryPoint {
    #[serde(rename = "time")]
    _time: u64,
    score: Option<f64>,
    #[serde(rename = "files")]
    _files: Vec<IgnoredAny>,
}

/// The scores of a call.
pub struct History<'a> {
    path: &'a Path,
    rows: Vec<Object>,
    total: Counts,
}

impl<'a> History<'a> {
    pub fn new(path: &'a OsString) -> History<'a> {
        History { path: Path::new(path), rows: Vec::new(), total: Counts::default() }
    }

    /// Adds a file with the counts of its first-order mutants.
    pub fn add(&mut self, file: &str, counts: Counts) {
        self.total = self.total.plus(counts);
        let row = Object::new().field("file", file).option("score", counts.score().map(Share::decimal));
        self.rows.push(row.field("counts", counts));
    }

    /// Appends a line to the file. Returns the plot of the last calls.
    pub fn write(self) -> Result<String, Failure> {
        let shown = visible(&self.path.to_string_lossy());
        let failed = |why: &dyn std::fmt::Display| {
            let help = "name a file of earlier calls, or a new one in a folder that is writable";
            Failure::call(format!("{shown}: the history cannot be continued: {why}"), help)
        };
        let before = match files::read_text(self.path, BYTES) {
            Ok(text) => text,
            Err(why) if why.is_missing() => String::new(),
            Err(why) => return Err(failed(&why)),
        };
        let mut scores = Vec::new();
        for (number, line) in (1..).zip(before.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let point: HistoryPoint = serde_json::from_str(line)
                .map_err(|_| failed(&format!("line {number} is not a line of a history")))?;
            scores.push(point.score);
        }
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs());
        let score = self.total.score().map(Share::decimal);
        // The time is in seconds since 1970.
        let line = Object::new().field("time", time).option("score", score).list("files", self.rows);
        let line = document::json(&line);
        let begin = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        let written = OpenOptions::new().create(true).append(true).open(self.path);
        let written = written.and_then(|mut file| file.write_all(format!("{begin}{line}\n").as_bytes()));
        written.map_err(|error| failed(&files::message(&error)))?;
        scores.push(score);
        Ok(plot(&scores))
    }
}

/// Draws the scores of the last calls; empty if there are fewer than two.
fn plot(scores: &[Option<f64>]) -> String {
    let first = scores.len().saturating_sub(SHOWN);
    let points: Vec<(f64, f64)> = (first + 1..)
        .zip(scores.iter().skip(first))
        .filter_map(|(call, score)| Some((call as f64, (*score)?)))
        .collect();
    if points.len() < 2 {
        return String::new();
    }
    let (from, to) = ((first + 1) as f64, scores.len() as f64);
    let lowest = points.iter().map(|(_, score)| *score).fold(100.0, f64::min);
    let bottom = ((lowest / 10.0).floor() * 10.0).min(90.0);
    let x = Scale { bounds: [from, to.max(from + 1.0)], labels: vec![from.to_string(), to.to_string()] };
    let y = Scale { bounds: [bottom, 100.0], labels: vec![format!("{bottom} %"), "100 %".into()] };
    plot::draw("score of each call", &[Curve { name: "score".into(), mark: Some('*'), points }], x, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_is_plotted_from_two_scores() {
        assert_eq!(plot(&[Some(50.0)]), "");
        assert_eq!(plot(&[Some(50.0), None]), "");
        let drawn = plot(&[Some(50.0), None, Some(75.5), Some(100.0)]);
        assert!(drawn.starts_with("score of each call\n") && drawn.contains("50 %"), "{drawn}");
        assert!(drawn.matches('*').count() >= 3, "{drawn}");
    }
}
