//! Shards: parts of the work of one call, and how documents record them.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Shard number `index` of `of`; both count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub index: u32,
    pub of: u32,
}

/// The things that are divided among shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Contiguous ranges of the mutants of each file.
    Mutants,
    /// Contiguous ranges of the files.
    Files,
    /// Every N-th line.
    Lines,
}

/// A shard in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardRecord {
    pub index: u32,
    pub of: u32,
    pub by: By,
    /// At the end of the records of a batch: the number of lines.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lines: Option<u64>,
    /// In a document: the number of files.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub files: Option<u64>,
}

/// The range of a program's mutants that a shard judges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ids {
    pub first: u32,
    /// The id after the last one.
    pub end: u32,
    /// Whether every mutant of the range is listed, rather than only those that a filter selects.
    pub all: bool,
    /// The number of the program's tests and properties.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<u32>,
}

/// A record that consists only of a shard.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ShardMark {
    pub shard: ShardRecord,
}

const MOST: u32 = 1_000_000;

impl Shard {
    /// Returns its range of `all` things in order.
    pub fn stretch(self, all: u64) -> Range<u64> {
        let to = |index: u32| (u128::from(all) * u128::from(index) / u128::from(self.of.max(1))) as u64;
        to(self.index.saturating_sub(1))..to(self.index)
    }

    /// Returns whether it takes the thing with this number, from 0, if things are dealt to the shards in turn.
    pub fn takes(self, number: u64) -> bool {
        number % u64::from(self.of.max(1)) == u64::from(self.index.saturating_sub(1))
    }

    pub fn record(self, by: By) -> ShardRecord {
        ShardRecord { index: self.index, of: self.of, by, lines: None, files: None }
    }
}

impl ShardRecord {
    pub fn shard(self) -> Shard {
        Shard { index: self.index, of: self.of }
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers =
            text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((index, of)) if 1 <= index && index <= of && of <= MOST => Ok(Shard { index, of }),
            _ => Err(format!("expected a shard such as 2/5: from 1/N to N/N, with N at most {MOST}")),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_cover_all_items_once() {
        for (all, of) in [(0, 3), (2, 3), (10, 3), (7, 7), (u64::MAX, 1_000_000)] {
            let stretches: Vec<Range<u64>> = (1..=of).map(|index| Shard { index, of }.stretch(all)).collect();
            assert_eq!((stretches[0].start, stretches[of as usize - 1].end), (0, all));
            assert!(stretches.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
        assert!((0..20).all(|n| (1..=3).filter(|index| Shard { index: *index, of: 3 }.takes(n)).count() == 1));
        assert_eq!("2/5".parse(), Ok(Shard { index: 2, of: 5 }));
        for wrong in ["", "1", "0/3", "4/3", "1/0", "1/3/5", "-1/3", "1/1000001", "1/99999999999", "a/b"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
