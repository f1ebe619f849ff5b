//! The history of neural compilations: rows of features and successes, stored in the user's data folder.
//!
//! Each row is one line: `2 draws f0 f1 … f10 drawn correct`. `draws` has 16 hexadecimal digits that identify the draws
//! ([`draws`]), so that repeated draws are counted once. Lines of version 1 lack this field. A row contains no program
//! text. Only the owner can read the file. It has at most [`ROWS`] rows and may be deleted at any time. A file that
//! does not begin with such a row is treated as foreign: it is never extended, truncated or deleted.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::host::files::{self, ReadError};
use crate::host::measure::statistics::{pass_at_k, success_model};
use crate::lang::hash::fnv64;

use super::router::K;
use crate::compiler::stage::route::features::{FEATURES, Features, MOST};
use crate::network::sampling::Sampling;
use crate::network::source::Source;
use crate::network::weights::Weights;

/// The environment variable that names another file. An empty value disables the history.
pub const VARIABLE: &str = "MYRIAD_HISTORY";
pub const ROWS: usize = 4_096;
/// The number of rows kept when the file exceeds the maximum.
const LEFT: usize = ROWS / 4 * 3;
/// The maximum length of a line in bytes. Reading is limited to this number of bytes per row.
const LINE: usize = 128;
const VERSION: &str = "2";
/// The version whose lines do not identify their draws.
const WITHOUT_DRAWS: &str = "1";
/// The number of hexadecimal digits that identify the draws.
const DIGITS: usize = 16;

/// The result of one neural compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryRow {
    pub features: Features,
    pub drawn: u32,
    /// The number of correct ones among them.
    pub correct: u32,
    /// Identifies the draws. With fewer candidates, they are the first of the same draws.
    pub draws: u64,
}

/// Returns a hash of all that determines the draws for a function: the network's input, the weights, and the sampling
/// parameters. It excludes k, as the first draws are the same for every k.
pub fn draws(source: &Source, sampling: &Sampling, weights: &Weights) -> u64 {
    let Source { words, ty, depth, statement, height, .. } = source;
    let Sampling { seed, temperature, top_p, .. } = *sampling;
    let words = words.iter().flat_map(|word| word.to_le_bytes());
    let columns = [ty, depth, statement, height].into_iter().flatten().copied();
    let numbers = [seed, temperature.to_bits(), top_p.to_bits(), weights.data.len() as u32];
    let numbers = numbers.into_iter().chain(weights.data.iter().take(SAMPLED).map(|number| number.to_bits()));
    let training = [weights.steps, weights.examples].into_iter().flat_map(u64::to_le_bytes);
    let all = words.chain(columns).chain(numbers.flat_map(u32::to_le_bytes)).chain(training);
    fnv64(all)
}

/// The number of weights that are hashed, to distinguish weights of equal training.
const SAMPLED: usize = 64;

impl HistoryRow {
    /// Returns the probability that one of [`K`] candidates is correct. Unbiased if at least [`K`] were drawn,
    /// otherwise by equation 7.
    pub fn success(&self) -> f64 {
        let (drawn, correct) = (u64::from(self.drawn), u64::from(self.correct));
        let p = f64::from(self.correct) / f64::from(self.drawn.max(1));
        pass_at_k(drawn, correct, K.into()).unwrap_or_else(|| success_model(p, K.into()))
    }

    fn line(&self) -> String {
        let numbers = self.features.into_iter().chain([self.drawn, self.correct]);
        let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
        format!("{VERSION} {:0DIGITS$x} {}\n", self.draws, numbers.join(" "))
    }

    fn read(line: &str) -> Option<HistoryRow> {
        let (version, rest) = line.split_once(' ')?;
        let (draws, rest) = match version {
            VERSION => {
                let (digits, rest) = rest.split_once(' ')?;
                let plain = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                (u64::from_str_radix(digits, 16).ok().filter(|_| plain)?, rest)
            }
            // Equal lines are assumed to be the same draws, repeated.
            WITHOUT_DRAWS => (fnv64(rest.bytes()), rest),
            _ => return None,
        };
        let numbers: Vec<u32> = rest.split(' ').map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let (features, counts) = numbers.split_at_checked(FEATURES)?;
        let &[drawn, correct] = counts else { return None };
        let features: Features = features.try_into().ok()?;
        let sound = features.iter().all(|feature| *feature <= MOST) && correct <= drawn && drawn > 0;
        sound.then_some(HistoryRow { features, drawn, correct, draws })
    }

    /// Returns whether this row supersedes an earlier one: it has the same draws, and no fewer of them.
    fn replaces(&self, earlier: &HistoryRow) -> bool {
        self.draws == earlier.draws && self.drawn >= earlier.drawn
    }
}

/// Deduplicates rows by their draws, oldest first.
fn once(rows: impl IntoIterator<Item = HistoryRow>) -> Vec<HistoryRow> {
    let mut at: HashMap<u64, usize> = HashMap::new();
    let mut kept: Vec<Option<HistoryRow>> = Vec::new();
    for row in rows {
        let before = at.get(&row.draws).copied();
        let known = before.and_then(|place| kept.get_mut(place));
        match known {
            Some(earlier) if !earlier.as_ref().is_some_and(|earlier| row.replaces(earlier)) => continue,
            // An equal row keeps its place.
            Some(earlier) if *earlier == Some(row) => continue,
            Some(earlier) => *earlier = None,
            None => {}
        }
        at.insert(row.draws, kept.len());
        kept.push(Some(row));
    }
    kept.into_iter().flatten().collect()
}

/// Returns the history's path, or `None` if the environment disables it or the system has no data folder.
pub fn place() -> Option<PathBuf> {
    match std::env::var_os(VARIABLE) {
        Some(name) if name.is_empty() => None,
        Some(name) => Some(name.into()),
        None => {
            let folders = etcetera::choose_base_strategy().ok()?;
            Some(folders.data_dir().join("myriad").join("router-history"))
        }
    }
}

/// Loads the newest rows of a file, oldest first. Returns no rows if the file does not exist. Skips unreadable lines.
pub fn load(path: &Path) -> io::Result<Vec<HistoryRow>> {
    match files::open(path) {
        Ok(mut file) => newest(&mut file),
        Err(why) if why.is_missing() => Ok(Vec::new()),
        Err(why) => Err(why.into()),
    }
}

/// Reads the newest rows of an open file, oldest first.
fn newest(file: &mut File) -> io::Result<Vec<HistoryRow>> {
    let limit = (ROWS * LINE) as u64;
    let behind = file.metadata()?.len().saturating_sub(limit);
    file.seek(SeekFrom::Start(behind))?;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let rows = once(text.lines().filter_map(HistoryRow::read));
    Ok(rows[rows.len().saturating_sub(ROWS)..].to_vec())
}

/// Opens a file that is a history or empty.
fn open_append_private(path: &Path) -> io::Result<File> {
    let mut file = files::open_append_private(path)?;
    let mut first = Vec::new();
    (&mut file).take(LINE as u64).read_to_end(&mut first)?;
    let line = first.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_row = || std::str::from_utf8(line).ok().and_then(HistoryRow::read).is_some();
    if first.is_empty() || is_row() {
        return Ok(file);
    }
    Err(ReadError::Other("not a history file: its first line is not a history record").into())
}

/// Appends rows to a file, which is created if necessary. The oldest rows are removed if there are too many. A row with
/// known draws is skipped, unless it has more of them or another result.
pub fn append(path: &Path, rows: &[HistoryRow]) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = open_append_private(path)?;
    let known: HashMap<u64, HistoryRow> = newest(&mut file)?.into_iter().map(|row| (row.draws, row)).collect();
    let says_more =
        |row: &&HistoryRow| known.get(&row.draws).is_none_or(|known| row != &known && row.replaces(known));
    let lines: String = rows.iter().filter(says_more).map(HistoryRow::line).collect();
    file.write_all(lines.as_bytes())?;
    // A full file is cut occasionally, not at every row.
    let shortest = 2 * (FEATURES + 3) + DIGITS + 1;
    if file.metadata()?.len() > (ROWS * shortest) as u64 {
        cut(path, &mut file)?;
    }
    Ok(())
}

/// Keeps only the newest rows if the file has too many or is too large.
fn cut(path: &Path, file: &mut File) -> io::Result<()> {
    let mut lines = 0;
    let limit = (ROWS * LINE) as u64;
    if file.metadata()?.len() <= limit {
        file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes)?;
        lines = bytes.iter().filter(|byte| **byte == b'\n').count();
    }
    if (1..=ROWS).contains(&lines) {
        return Ok(());
    }
    let rows = newest(file)?;
    let kept = &rows[rows.len().saturating_sub(LEFT)..];
    // Other processes see either the old or the new file, never a partial one. Temporary files are private.
    let mut fresh = tempfile::NamedTempFile::new_in(files::folder(path))?;
    let lines: String = kept.iter().map(HistoryRow::line).collect();
    fresh.write_all(lines.as_bytes())?;
    fresh.persist(path)?;
    Ok(())
}

/// Deletes a history file. Returns whether it existed.
///
/// # Errors
/// If the file is not a history, or cannot be deleted.
pub fn reset(path: &Path) -> io::Result<bool> {
    // Opening would create a missing file.
    if fs::symlink_metadata(path).is_ok() {
        open_append_private(path)?;
    }
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(n: u32) -> HistoryRow {
        HistoryRow { features: [n % 1_000; FEATURES], drawn: 100, correct: n % 100, draws: n.into() }
    }

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn appended_rows_are_loaded() {
        let folder = folder();
        let path = folder.path().join("deep").join("history");
        assert_eq!(load(&path).unwrap(), []);
        append(&path, &[row(1), row(2)]).unwrap();
        append(&path, &[row(3)]).unwrap();
        append(&path, &[]).unwrap();
        assert_eq!(load(&path).unwrap(), [row(1), row(2), row(3)]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert!(reset(&path).unwrap());
        assert!(!reset(&path).unwrap());
        assert_eq!(load(&path).unwrap(), []);
    }

    #[test]
    fn history_stays_bounded_and_keeps_the_newest_rows() {
        let folder = folder();
        let path = folder.path().join("history");
        for part in 0..25 {
            let rows: Vec<HistoryRow> = (part * 400..(part + 1) * 400).map(row).collect();
            append(&path, &rows).unwrap();
        }
        let rows = load(&path).unwrap();
        assert!((LEFT..=ROWS).contains(&rows.len()), "{}", rows.len());
        assert_eq!(rows.last(), Some(&row(9_999)));
        assert!(fs::read_to_string(&path).unwrap().lines().count() <= ROWS);
    }

    #[test]
    fn malformed_lines_are_skipped() {
        let folder = folder();
        let path = folder.path().join("history");
        append(&path, &[row(5)]).unwrap();
        let good = fs::read_to_string(&path).unwrap();
        let lines = [
            "",
            "nonsense",
            "1 2 3",
            "2 5 5 5 5 5 5 5 5 5 5 5 100 5",
            "2 +000000000000005 5 5 5 5 5 5 5 5 5 5 5 100 5",
            "3 0000000000000005 5 5 5 5 5 5 5 5 5 5 5 100 5",
            "1 5 5 5 5 5 5 5 5 5 5 5 100 500",
            "1 5 5 5 5 5 5 5 5 5 5 5 0 0",
            "1 5 5 5 5 5 5 5 5 5 5 9999 100 5",
            "1 5 5 5 5 5 5 5 5 5 5 5 100 5 7",
            "1 -5 5 5 5 5 5 5 5 5 5 5 100 5",
        ];
        let mut bytes = [good.as_str(), &lines.join("\n")].concat().into_bytes();
        bytes.extend(b"\n\xff\xfe\x00\n");
        bytes.extend(good.as_bytes());
        bytes.extend(&good.as_bytes()[..10]);
        fs::write(&path, &bytes).unwrap();
        assert_eq!(load(&path).unwrap(), [row(5)]);
        // A line without a terminator corrupts only the next row.
        append(&path, &[row(6), row(7)]).unwrap();
        assert_eq!(load(&path).unwrap(), [row(5), row(7)]);
        // A huge file does no harm either.
        fs::write(&path, good.clone() + &"x".repeat(3 << 20)).unwrap();
        append(&path, &[row(8)]).unwrap();
        append(&path, &[row(9)]).unwrap();
        assert_eq!(load(&path).unwrap().last(), Some(&row(9)));
        assert!(fs::metadata(&path).unwrap().len() < 1 << 20);
    }

    #[test]
    fn repeated_draws_are_counted_once() {
        let folder = folder();
        let path = folder.path().join("history");
        let lines = || fs::read_to_string(&path).unwrap().lines().count();
        for _ in 0..5 {
            append(&path, &[row(1), row(2), row(1)]).unwrap();
        }
        assert_eq!((load(&path).unwrap(), lines()), (vec![row(1), row(2)], 3));
        // A row with fewer draws is skipped; a row with more draws or another result replaces the earlier one.
        let of = |drawn, correct| HistoryRow { drawn, correct, ..row(1) };
        append(&path, &[of(10, 1)]).unwrap();
        assert_eq!(load(&path).unwrap(), [row(1), row(2)]);
        append(&path, &[of(100, 7)]).unwrap();
        assert_eq!(load(&path).unwrap(), [row(2), of(100, 7)]);
        append(&path, &[of(1_000, 70)]).unwrap();
        assert_eq!(load(&path).unwrap(), [row(2), of(1_000, 70)]);
        // Lines of version 1 do not identify their draws: equal lines count once.
        let old = "1 5 5 5 5 5 5 5 5 5 5 5 100 5\n";
        fs::write(&path, [old, old, &old.replace("100 5", "100 6")].concat()).unwrap();
        assert_eq!(load(&path).unwrap().iter().map(|row| row.correct).collect::<Vec<_>>(), [5, 6]);
    }

    #[test]
    fn files_that_are_not_histories_are_left_unchanged() {
        let folder = folder();
        let path = folder.path().join("history");
        let row = row(5);
        for text in
            ["a = 1\n", "\n", "1 2 3\n", "x", &format!(" {}", row.line()), &format!("3{}", &row.line()[1..])]
        {
            fs::write(&path, text).unwrap();
            let why = append(&path, &[row]).unwrap_err().to_string();
            assert!(why.contains("not a history"), "{text}: {why}");
            assert!(reset(&path).is_err());
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        // An empty file becomes a history.
        fs::write(&path, "").unwrap();
        append(&path, &[row]).unwrap();
        assert_eq!(load(&path).unwrap(), [row]);
        #[cfg(unix)]
        {
            use rustix::fs::{CWD, Mode, mkfifoat};
            let (link, pipe) = (folder.path().join("link"), folder.path().join("pipe"));
            std::os::unix::fs::symlink(&path, &link).unwrap();
            mkfifoat(CWD, &pipe, Mode::RWXU).unwrap();
            for (path, what) in [(&link, "a link"), (&pipe, "a pipe"), (&"/dev/null".into(), "a device")] {
                let why = append(path, &[row]).unwrap_err().to_string();
                assert!(why.contains(what), "{why}");
                assert!(reset(path).is_err());
            }
            assert!(link.exists() && pipe.exists() && load(&pipe).is_err());
            assert_eq!(load(&path).unwrap(), [row]);
        }
    }

    #[test]
    fn row_success_is_the_chance_within_a_hundred_draws() {
        let of = |drawn, correct| HistoryRow { features: [0; FEATURES], drawn, correct, draws: 0 }.success();
        assert_eq!((of(100, 0), of(100, 1), of(200, 200)), (0.0, 1.0, 1.0));
        assert!((of(200, 1) - 0.5).abs() < 1e-12);
        assert!((of(64, 1) - (1.0 - (63f64 / 64.0).powi(100))).abs() < 1e-12);
    }
}
