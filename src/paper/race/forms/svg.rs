//! A race as a bar chart on a logarithmic scale.

use std::fmt::Write;

use super::super::Race;
use super::{end, grouped, population, quoted, repeated, seconds, times, variants};
use crate::paper::race::Contestant;
use crate::report::html::escaped_line;

const WIDTH: u32 = 860;
const ROW: u32 = 46;
const TOP: u32 = 78;
const LINE: u32 = 20;
/// The left edge of the bars, and the maximum length.
const LEFT: u32 = 190;
const LONGEST: f64 = 380.0;

/// Returns the SVG document.
pub fn picture(name: &str, race: &Race) -> String {
    let verdicts = population(race);
    let height = TOP + ROW * race.scores.len() as u32 + 50 + LINE * verdicts.len() as u32;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let title = format!("{}: {}, seed {}", escaped(name), variants(race), race.seed);
    let _ = writeln!(out, "<text x=\"20\" y=\"32\" font-size=\"18\" fill=\"#1b1e28\">{title}</text>");
    let said = "variants a second, measured (the median repetition); bars are logarithmic; figures of the paper are quoted";
    let _ = writeln!(out, "<text x=\"20\" y=\"54\" fill=\"#666f86\">{said}</text>");
    let rates = || race.scores.iter().filter_map(|score| score.per_second());
    // The scale runs from a power of ten below the slowest to the fastest.
    let least = rates().fold(f64::INFINITY, f64::min).log10().floor();
    let greatest = rates().fold(0.0, f64::max).log10().max(least + 1.0);
    for (i, score) in race.scores.iter().enumerate() {
        let y = TOP + ROW * i as u32;
        let title = score.contestant.title();
        let _ = writeln!(out, "<text x=\"20\" y=\"{}\" fill=\"#1b1e28\">{title}</text>", y + 21);
        let (Some(rate), Some(middle)) = (score.per_second(), score.middle()) else {
            let (word, why) = end(score);
            let said = format!("{word}: {}", escaped(why.unwrap_or("")));
            let _ = writeln!(out, "<text x=\"{LEFT}\" y=\"{}\" fill=\"#666f86\">{said}</text>", y + 21);
            continue;
        };
        let length = (rate.log10() - least) / (greatest - least) * LONGEST;
        let _ = writeln!(
            out,
            "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{length:.1}\" height=\"30\" rx=\"3\" fill=\"#5b7bd5\"/>"
        );
        let mut said =
            format!("{} ({} in {}, {})", grouped(rate), score.done, seconds(middle.time), repeated(score));
        if let Some(factor) = race.speedup(score, Contestant::Conventional) {
            let _ = write!(said, ", {} the loop", times(factor));
        }
        if let Some(paper) = quoted(score.contestant) {
            let _ = write!(said, "; paper {paper}");
        }
        let x = f64::from(LEFT) + length + 8.0;
        let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{}\" fill=\"#1b1e28\">{said}</text>", y + 20);
    }
    let differ = race.disagreements().len();
    let verdict = match differ {
        0 => "all verdicts agree".to_string(),
        1 => "the verdicts on one variant differ".to_string(),
        n => format!("the verdicts on {n} variants differ"),
    };
    for (i, line) in verdicts.iter().chain([&verdict]).enumerate() {
        let y = height - 20 - LINE * (verdicts.len() - i) as u32;
        let _ = writeln!(out, "<text x=\"20\" y=\"{y}\" fill=\"#666f86\">{line}</text>");
    }
    out + "</svg>\n"
}

fn escaped(text: &str) -> String {
    escaped_line(text).replace('\'', "&#39;")
}
