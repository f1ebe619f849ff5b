//! Parsers of option values, with their error messages.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};

use crate::compiler::stage::optimize;
use crate::paper::race::Contestant;
use crate::report::explain;

/// The names that `explain` knows, for completion. It parses any word, so that an unknown one gets a suggestion.
#[derive(Clone)]
pub struct Explained;

impl TypedValueParser for Explained {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(explain::names().map(PossibleValue::new)))
    }
}

/// The passes that `--after` knows.
pub fn passes() -> PossibleValuesParser {
    let expansions = optimize::expand::all().map(|expansion| expansion.name);
    std::iter::once("lower").chain(optimize::PASSES.iter().map(|pass| pass.name)).chain(expansions).into()
}

/// Returns a parser of the names of some values. Help lists them, each with its description in `about`, if it has one.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    values: &'static [(&'static str, T)],
    about: &'static [(&'static str, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let possible = |(name, _): &(&'static str, T)| {
        let value = PossibleValue::new(*name);
        match about.iter().find(|(own, _)| own == name) {
            Some((_, help)) => value.help(*help),
            None => value,
        }
    };
    let value = move |text: String| values.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    PossibleValuesParser::new(values.iter().map(possible))
        .try_map(move |text| value(text).ok_or("no such value"))
}

/// Parses a number for which `fits` holds.
fn number(text: &str, fits: impl Fn(f64) -> bool, wanted: &str) -> Result<f64, String> {
    text.parse().ok().filter(|n| fits(*n)).ok_or_else(|| format!("expected {wanted}"))
}

pub fn contestant(text: &str) -> Result<Contestant, String> {
    Contestant::from_name(text).ok_or_else(|| {
        let names: Vec<&str> = Contestant::ALL.iter().map(|one| one.name()).collect();
        format!("the contestants are {}", names.join(", "))
    })
}

pub fn seconds(text: &str) -> Result<f64, String> {
    number(text, |s| (0.1..=1e6).contains(&s), "a number of seconds from 0.1 on, such as 45")
}

pub fn minutes(text: &str) -> Result<f64, String> {
    number(text, |m| m > 0.0 && m <= 1e6, "a number of minutes above 0, such as 60 or 0.5")
}

pub fn temperature(text: &str) -> Result<f32, String> {
    let fits = |t: f64| (0.01..=100.0).contains(&t);
    number(text, fits, "a number from 0.01 to 100, such as 0.8").map(|t| t as f32)
}

pub fn nucleus(text: &str) -> Result<f32, String> {
    let fits = |p: f64| (0.001..=1.0).contains(&p);
    number(text, fits, "a probability from 0.001 to 1, such as 0.95").map(|p| p as f32)
}

pub fn theta(text: &str) -> Result<f64, String> {
    // `run` adds a leading space to negative numbers to hide their dash from clap.
    number(text.trim(), |x| !x.is_nan(), "a number such as -1.5, or `inf` (always neural) or `-inf` (never)")
}

pub fn risk(text: &str) -> Result<f64, String> {
    number(text, |r| (1e-6..=0.5).contains(&r), "an error rate from 0.000001 to 0.5, such as 0.001")
}

pub fn confidence(text: &str) -> Result<f64, String> {
    number(text, |c| (0.5..=0.999_999).contains(&c), "a confidence from 0.5 to 0.999999, such as 0.95")
}

pub fn rate(text: &str) -> Result<f64, String> {
    number(text, |r| (0.0..=1.0).contains(&r), "a part from 0 to 1, such as 0.001")
}

pub fn bound(text: &str) -> Result<f64, String> {
    number(text, |r| (1e-12..=0.5).contains(&r), "an error rate from 1e-12 to 0.5, such as 0.001")
}
