//! The score as a badge: a small SVG picture, or the JSON of shields.io's endpoint, which dashboards read.

use super::{JudgedFile, total};
use crate::host::measure::share::{Percent, Share};
use crate::report::document::{self, Object};

const LABEL: &str = "mutation score";
/// The width of a character and the space around a text, in pixels.
const CHARACTER: usize = 7;
const SPACE: usize = 10;

/// Returns the text and the colour of the score of all files.
fn score(files: &[JudgedFile]) -> (String, &'static str) {
    let score = total(files).score();
    let below = |score: Share, least: &str| least.parse::<Percent>().is_ok_and(|least| score.is_below(least));
    match score {
        None => ("unknown".into(), "#6b7280"),
        Some(score) if below(score, "60") => (score.to_string(), "#c2272d"),
        Some(score) if below(score, "80") => (score.to_string(), "#9a6700"),
        Some(score) => (score.to_string(), "#17803d"),
    }
}

/// Returns the JSON, on one line.
pub fn json(files: &[JudgedFile]) -> String {
    let (message, color) = score(files);
    let endpoint = Object::new().field("schemaVersion", 1).field("label", LABEL);
    document::json(&endpoint.field("message", message).field("color", color)) + "\n"
}

pub fn svg(files: &[JudgedFile]) -> String {
    let (message, colour) = score(files);
    let [left, right] = [LABEL, &message].map(|text| text.chars().count() * CHARACTER + SPACE);
    let (all, middle) = (left + right, left + right / 2);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{all}\" height=\"20\" role=\"img\" aria-label=\"{LABEL}: {message}\">\n\
         <rect width=\"{left}\" height=\"20\" fill=\"#444\"/>\n\
         <rect x=\"{left}\" width=\"{right}\" height=\"20\" fill=\"{colour}\"/>\n\
         <g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana, DejaVu Sans, sans-serif\" font-size=\"11\">\n\
         <text x=\"{}\" y=\"14\">{LABEL}</text>\n<text x=\"{middle}\" y=\"14\">{message}</text>\n</g>\n</svg>\n",
        left / 2
    )
}
