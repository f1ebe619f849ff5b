//! The store of learned code: a folder of the user, with a file for each function and one for rules.
//!
//! Each file is replaced as a whole, so a process that is killed leaves the old file or the new one, and several processes
//! can share the folder. A file ends with a checksum that includes a secret of the folder. A file that is damaged, of
//! another version, or from another folder has a wrong checksum and is ignored; rules are proved again instead.
//! The folder contains no program text, and may be deleted at any time.

mod entry;

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use etcetera::BaseStrategy;

use super::savings;
use crate::compiler::program::Watch;
use crate::compiler::stage::optimize::learned::key::{LearnedKey, hash};
use crate::compiler::stage::optimize::learned::rule::Rule;
use crate::compiler::stage::optimize::learned::{Learned, read_rules};
use crate::host::files;
use crate::testing::prove::{RuleVerdict, rule as prove};
pub use entry::Entry;

/// The environment variable that names another folder. An empty value disables the store.
pub const VARIABLE: &str = "MYRIAD_LEARNED";
/// The maximum number of functions. The ones kept longest ago are removed first.
pub const MOST: usize = 1_024;
/// The maximum number of rules of the user.
pub const MOST_RULES: usize = 256;
/// The maximum number of bytes of a file.
const BYTES: u64 = 1 << 18;
/// Temporary files of killed processes are removed after this time.
const ABANDONED: Duration = Duration::from_secs(3_600);
const RULES: &str = "rules.txt";
const OFF: &str = "off.txt";
const SECRET: &str = "secret";
/// How names of functions' files end.
const ENDING: &str = ".code";

/// A store, at a folder that may not exist yet.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The shipped rules and those of the user, and all functions.
    pub learned: Learned,
    /// The number of the user's own rules, which come last.
    pub own_rules: usize,
    /// The functions, as they were kept.
    pub entries: Vec<Entry>,
    /// Files that were ignored, each with the reason, as a sentence without a period.
    pub ignored: Vec<String>,
}

/// Returns the folder of the user's store; `None` if the environment disables it or the system has no data folder.
pub fn place() -> Option<PathBuf> {
    match std::env::var_os(VARIABLE) {
        Some(name) if name.is_empty() => None,
        Some(name) => Some(name.into()),
        None => Some(etcetera::choose_base_strategy().ok()?.data_dir().join("myriad").join("learned")),
    }
}

impl Store {
    pub fn new(folder: PathBuf) -> Store {
        Store { folder }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Loads everything. Without a folder, only the shipped rules are there.
    pub fn load(&self, watch: &dyn Watch) -> Loaded {
        let mut loaded = Loaded { learned: Learned::shipped(), ..Loaded::default() };
        let Some(secret) = self.secret() else { return loaded };
        let mut names: Vec<PathBuf> = self.files().into_iter().map(|(_, path)| path).collect();
        names.sort();
        for path in names {
            match read_checked(&path, secret).and_then(|text| Entry::read(&text)) {
                Ok(entry) if path.file_name().is_some_and(|name| *name == *file_name(entry.key)) => {
                    loaded.learned.functions.insert(entry.key, Arc::new(entry.code.clone()));
                    loaded.entries.push(entry);
                }
                Ok(_) => loaded.ignored.push(format!("{} is ignored: it has another name", shown(&path))),
                Err(why) => loaded.ignored.push(format!("{} is ignored: {why}", shown(&path))),
            }
        }
        self.load_rules(secret, &mut loaded, watch);
        let off = files::read_text(&self.folder.join(OFF), BYTES).unwrap_or_default();
        loaded.learned.off = off.lines().map(|line| line.trim().to_string()).collect();
        loaded
    }

    /// Adds the user's rules. If their file has a wrong checksum, each is proved first.
    fn load_rules(&self, secret: u128, loaded: &mut Loaded, watch: &dyn Watch) {
        let path = self.folder.join(RULES);
        let Ok(text) = files::read_text(&path, BYTES) else { return };
        let is_own = checked(&text, secret).is_some();
        let body = checked(&text, secret).unwrap_or(&text);
        let known: BTreeSet<String> = loaded.learned.rules.iter().map(|rule| rule.name.clone()).collect();
        let lines = body.lines().filter(|line| !line.starts_with(CHECKSUM));
        for rule in lines.take(MOST_RULES).filter_map(|line| read_rules(line).next()) {
            match rule {
                Ok(rule) if known.contains(&rule.name) => {}
                Ok(rule) if is_own || prove(&rule, watch) == Some(RuleVerdict::Proved) => {
                    loaded.learned.rules.push(rule);
                    loaded.own_rules += 1;
                }
                Ok(rule) => loaded.ignored.push(format!("the rule {} is ignored: it is not proved", rule.name)),
                Err(why) => loaded.ignored.push(format!("a rule is ignored: {why}")),
            }
        }
    }

    /// Returns the entry of a function that [`Self::load`] ignores, to be proved again.
    pub fn unchecked(&self, key: LearnedKey) -> Option<Entry> {
        let text = files::read_text(&self.folder.join(file_name(key)), BYTES).ok()?;
        Entry::read(text.split(CHECKSUM).next()?).ok().filter(|entry| entry.key == key)
    }

    /// Keeps code of a function, which must be proved. Removes the functions kept longest ago if there are too many.
    ///
    /// # Errors
    /// If the folder or the file cannot be written.
    pub fn keep(&self, entry: &Entry) -> io::Result<()> {
        let secret = self.create()?;
        files::write(&self.folder.join(file_name(entry.key)), with_checksum(&entry.text(), secret).as_bytes())?;
        self.bound();
        Ok(())
    }

    /// Keeps the user's own rules, which must be proved.
    ///
    /// # Errors
    /// If the folder or the file cannot be written, or there are too many.
    pub fn keep_rules(&self, rules: &[Rule]) -> io::Result<()> {
        if rules.len() > MOST_RULES {
            return Err(io::Error::other(format!("at most {MOST_RULES} rules can be kept")));
        }
        let secret = self.create()?;
        let lines: String = rules.iter().map(|rule| format!("{rule}\n")).collect();
        files::write(&self.folder.join(RULES), with_checksum(&lines, secret).as_bytes())
    }

    /// Keeps the names of the rules that are switched off.
    ///
    /// # Errors
    /// If the folder or the file cannot be written.
    pub fn keep_off(&self, off: &BTreeSet<String>) -> io::Result<()> {
        self.create()?;
        let lines: String = off.iter().map(|name| format!("{name}\n")).collect();
        files::write(&self.folder.join(OFF), lines.as_bytes())
    }

    /// Deletes the files of the store, and its folder if nothing else is there. Returns whether there were any.
    ///
    /// # Errors
    /// If a file cannot be deleted.
    pub fn forget(&self) -> io::Result<bool> {
        let named = [RULES, OFF, SECRET, savings::FILE].map(|name| self.folder.join(name));
        let all: Vec<PathBuf> = self.files().into_iter().map(|(_, path)| path).chain(named).collect();
        let mut any = false;
        for path in all.iter().filter(|path| path.exists()) {
            fs::remove_file(path)?;
            any = true;
        }
        // A folder with other files stays.
        let _ = fs::remove_dir(&self.folder);
        Ok(any)
    }

    fn secret(&self) -> Option<u128> {
        let text = files::read_text(&self.folder.join(SECRET), BYTES).ok()?;
        u128::from_str_radix(text.trim(), 16).ok()
    }

    /// Creates the folder and its secret, if necessary. If two processes do so at once, one secret remains.
    fn create(&self) -> io::Result<u128> {
        fs::create_dir_all(&self.folder)?;
        let path = self.folder.join(SECRET);
        let exists = path.exists();
        if let Some(secret) = self.secret() {
            return Ok(secret);
        }
        // A folder with a damaged secret gets a new one, and ignores its old files.
        let mut file = tempfile::Builder::new().prefix(".myriad-").suffix(".tmp").tempfile_in(&self.folder)?;
        writeln!(file, "{:032x}", random())?;
        file.as_file().sync_all()?;
        match exists {
            // It is damaged.
            true => drop(file.persist(&path).map_err(|error| error.error)?),
            // Another process may be faster; then its secret remains.
            false => drop(file.persist_noclobber(&path)),
        }
        self.secret().ok_or_else(|| io::Error::other("the secret of the store cannot be read"))
    }

    /// The files of functions, with the times at which they were kept.
    fn files(&self) -> Vec<(SystemTime, PathBuf)> {
        let Ok(folder) = fs::read_dir(&self.folder) else { return Vec::new() };
        let paths = folder.filter_map(|file| Some(file.ok()?.path()));
        let named = paths.filter(|path| path.to_string_lossy().ends_with(ENDING));
        let with_time = named.map(|path| {
            let time = fs::metadata(&path).and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            (time, path)
        });
        with_time.take(4 * MOST).collect()
    }

    /// Removes the functions kept longest ago, and abandoned temporary files. What cannot be removed remains.
    fn bound(&self) {
        let mut files = self.files();
        files.sort();
        for (_, path) in files.iter().take(files.len().saturating_sub(MOST)) {
            let _ = fs::remove_file(path);
        }
        let Ok(folder) = fs::read_dir(&self.folder) else { return };
        for path in folder.filter_map(|file| Some(file.ok()?.path())) {
            let is_temporary = path.file_name().is_some_and(|name| {
                let name = name.to_string_lossy();
                name.starts_with(".myriad-") && name.ends_with(".tmp")
            });
            let modified = fs::metadata(&path).and_then(|meta| meta.modified()).ok();
            let age = modified.and_then(|modified| modified.elapsed().ok());
            if is_temporary && age.is_some_and(|age| age > ABANDONED) {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

/// A number that differs from one call to the next: the standard library seeds hash maps at random.
fn random() -> u128 {
    use std::hash::{BuildHasher, Hasher};
    let draw = || u128::from(std::hash::RandomState::new().build_hasher().finish());
    let states: HashMap<(), ()> = HashMap::new();
    draw() << 64 | draw() ^ u128::from(states.hasher().build_hasher().finish())
}

fn file_name(key: LearnedKey) -> String {
    format!("{:032x}{ENDING}", key.0)
}

fn shown(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// How the last line of a file begins.
const CHECKSUM: &str = "checksum ";

fn checksum(text: &str, secret: u128) -> u128 {
    let secret = (0..4).map(|part| (secret >> (32 * part)) as u32);
    hash(secret.clone().chain(text.bytes().map(u32::from)).chain(secret))
}

fn with_checksum(text: &str, secret: u128) -> String {
    format!("{text}{CHECKSUM}{:032x}\n", checksum(text, secret))
}

/// Returns the text before the checksum, if that is right.
fn checked(text: &str, secret: u128) -> Option<&str> {
    let at = text.rfind(CHECKSUM).filter(|at| *at == 0 || text.as_bytes()[at - 1] == b'\n')?;
    let (body, last) = text.split_at(at);
    let own = u128::from_str_radix(last[CHECKSUM.len()..].strip_suffix('\n')?, 16).ok()?;
    (own == checksum(body, secret)).then_some(body)
}

fn read_checked(path: &Path, secret: u128) -> Result<String, String> {
    let text = files::read_text(path, BYTES).map_err(|why| why.to_string())?;
    checked(&text, secret)
        .map(str::to_string)
        .ok_or("it is damaged, or of another store; `myriad improve` proves it again".into())
}
