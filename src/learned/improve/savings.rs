//! The steps that level 3 saves, by day and program: a text file in the folder of the store, one record a line.
//!
//! A line is appended as a whole, so several processes can write at once and a killed one leaves at most a line that is
//! skipped. A line ends with a checksum. The newest record of a day and program counts. A file that is too long is
//! replaced as a whole by its newest records.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::compiler::stage::optimize::learned::key::hash;
use crate::host::files;

/// The name of the file in the store's folder.
pub const FILE: &str = "savings.txt";
/// The version of a line.
const VERSION: u32 = 1;
/// The most bytes of a file that is read, and of one that is not cut.
const LARGEST: u64 = 1 << 18;
const LONGEST: u64 = 1 << 16;
/// The records that remain when a file is cut.
const KEPT: usize = 400;

/// The steps of a program's tests on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavingRecord {
    /// Days since 1970.
    pub day: u64,
    /// A hash of the program's file name.
    pub program: u64,
    /// The steps of all tests at levels 2 and 3.
    pub steps: [u64; 2],
}

/// The sums of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Day {
    pub day: u64,
    pub programs: usize,
    /// At levels 2 and 3.
    pub steps: [u64; 2],
}

impl SavingRecord {
    fn line(&self) -> String {
        let SavingRecord { day, program, steps: [before, after] } = self;
        let text = format!("{VERSION} {day} {program:016x} {before} {after}");
        format!("{text} {:08x}\n", checksum(&text))
    }

    fn read(line: &str) -> Option<SavingRecord> {
        let (text, sum) = line.rsplit_once(' ')?;
        if sum.len() != 8 || u32::from_str_radix(sum, 16).ok()? != checksum(text) {
            return None;
        }
        let rest = text.strip_prefix(&format!("{VERSION} "))?;
        let [day, program, before, after] = rest.split(' ').collect::<Vec<_>>().try_into().ok()?;
        Some(SavingRecord {
            day: day.parse().ok()?,
            program: u64::from_str_radix(program, 16).ok()?,
            steps: [before.parse().ok()?, after.parse().ok()?],
        })
    }
}

fn checksum(text: &str) -> u32 {
    hash(text.bytes().map(u32::from)) as u32
}

/// Returns the newest record of each day and program, in order. Lines that cannot be read are skipped.
pub fn load(folder: &Path) -> Vec<SavingRecord> {
    let bytes = files::read(&folder.join(FILE), LARGEST).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let records = text.lines().filter_map(SavingRecord::read);
    let newest: BTreeMap<(u64, u64), SavingRecord> =
        records.map(|record| ((record.day, record.program), record)).collect();
    newest.into_values().collect()
}

/// Adds a record. Nothing is written if it is known already.
///
/// # Errors
/// If the folder or the file cannot be written.
pub fn append(folder: &Path, record: SavingRecord) -> io::Result<()> {
    if load(folder).contains(&record) {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    let path = folder.join(FILE);
    let regular = fs::symlink_metadata(&path).map_or(true, |meta| meta.is_file());
    if !regular {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut file = OpenOptions::new().append(true).create(true).open(&path)?;
    // An unfinished line of a killed process must not spoil this one.
    let text = format!("\n{}", record.line());
    file.write_all(text.as_bytes())?;
    if file.metadata()?.len() > LONGEST {
        let records = load(folder);
        let kept = records.iter().skip(records.len().saturating_sub(KEPT)).map(SavingRecord::line);
        files::write(&path, kept.collect::<String>().as_bytes())?;
    }
    Ok(())
}

/// Adds up the records of each day, in order.
pub fn by_day(records: &[SavingRecord]) -> Vec<Day> {
    let mut days: BTreeMap<u64, Day> = BTreeMap::new();
    for SavingRecord { day, steps, .. } in records {
        let sum = days.entry(*day).or_insert(Day { day: *day, ..Day::default() });
        sum.programs += 1;
        sum.steps = [0, 1].map(|level: usize| sum.steps[level].saturating_add(steps[level]));
    }
    days.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(day: u64, program: u64, after: u64) -> SavingRecord {
        SavingRecord { day, program, steps: [100, after] }
    }

    #[test]
    fn newest_record_of_a_day_and_program_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let deep = folder.path().join("deep");
        assert_eq!(load(&deep), []);
        for one in [record(2, 1, 90), record(1, 7, 50), record(2, 1, 80), record(2, 3, 100)] {
            append(&deep, one).expect("written");
        }
        assert_eq!(load(&deep), [record(1, 7, 50), record(2, 1, 80), record(2, 3, 100)]);
        let days = by_day(&load(&deep));
        assert_eq!(days[1], Day { day: 2, programs: 2, steps: [200, 180] });
        let length = fs::metadata(deep.join(FILE)).expect("a file").len();
        append(&deep, record(2, 1, 80)).expect("known");
        assert_eq!(fs::metadata(deep.join(FILE)).expect("a file").len(), length, "nothing new");
    }

    #[test]
    fn damaged_lines_are_skipped() {
        let folder = tempfile::tempdir().expect("a folder");
        append(folder.path(), record(1, 1, 90)).expect("written");
        let path = folder.path().join(FILE);
        let good = fs::read_to_string(&path).expect("a file");
        let damaged = good.replace("100 90", "100 91");
        let foreign = good.trim().replacen("1 ", "2 ", 1);
        let bytes = [
            good.as_bytes(),
            damaged.as_bytes(),
            foreign.as_bytes(),
            b"\n\xff\xfe 1 2\n",
            &good.as_bytes()[..9],
        ];
        fs::write(&path, bytes.concat()).expect("written");
        assert_eq!(load(folder.path()), [record(1, 1, 90)]);
        // The unfinished line does not spoil the next.
        append(folder.path(), record(2, 1, 90)).expect("written");
        assert_eq!(load(folder.path()), [record(1, 1, 90), record(2, 1, 90)]);
    }

    #[test]
    fn file_stays_bounded_while_several_threads_write() {
        let folder = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            for program in 0..2 {
                let path = folder.path();
                scope.spawn(move || {
                    for day in 0..1_000 {
                        append(path, record(day, program, 90)).expect("written");
                    }
                });
            }
        });
        let length = fs::metadata(folder.path().join(FILE)).expect("a file").len();
        assert!(length <= LONGEST + 200, "{length}");
        let records = load(folder.path());
        assert!(
            records.len() >= KEPT && records.last().is_some_and(|last| last.day == 999),
            "{}",
            records.len()
        );
    }
}
