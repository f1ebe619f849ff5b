//! Where learners work: a copy of each lesson's program, without its header, in the user's data folder. It stays there for the next time.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use etcetera::BaseStrategy;

use super::format::Fault;
use super::lesson::Lesson;
use super::progress;
use super::shipped::Shipped;
use crate::compiler::stage::judge::hash;
use crate::host::files;

/// A lesson file is no larger: a program has 64 KiB, and a header is no book.
pub const LARGEST: u64 = 1 << 20;

/// A lesson that somebody takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// What progress knows it by: the name of one that ships, the path of another.
    pub key: String,
    /// Which of those that ship.
    pub shipped: Option<Shipped>,
    pub lesson: Lesson,
}

/// A course with the file to work in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    pub course: Arc<Course>,
    pub path: PathBuf,
    /// Where the copy of before has gone, if it was begun anew.
    pub aside: Option<PathBuf>,
}

/// Why there is no course.
#[derive(Debug)]
pub enum Trouble {
    /// The file is no lesson.
    Faults { text: String, faults: Vec<Fault> },
    /// A file cannot be read or made.
    File(PathBuf, String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Trouble::Faults { faults, .. } => match faults.first() {
                Some(fault) => write!(f, "it is no lesson: {}", fault.message),
                None => f.write_str("it is no lesson"),
            },
            Trouble::File(path, why) => write!(f, "{}: {why}", path.display()),
        }
    }
}

impl Course {
    /// One that ships.
    ///
    /// # Errors
    /// If it is no lesson; a test sees to it that it is.
    pub fn shipped(shipped: Shipped) -> Result<Course, Trouble> {
        let lesson = Lesson::read(shipped.text)
            .map_err(|faults| Trouble::Faults { text: shipped.text.to_string(), faults })?;
        Ok(Course { key: shipped.name.to_string(), shipped: Some(shipped), lesson })
    }

    /// One in a file.
    ///
    /// # Errors
    /// If the file cannot be read or is no lesson.
    pub fn of_file(path: &Path) -> Result<Course, Trouble> {
        let text = files::read_text(path, LARGEST)
            .map_err(|why| Trouble::File(path.to_path_buf(), why.to_string()))?;
        match Lesson::read(&text) {
            Ok(lesson) => {
                let key = files::whole(path).to_string_lossy().into_owned();
                Ok(Course { key, shipped: None, lesson })
            }
            Err(faults) => Err(Trouble::Faults { text, faults }),
        }
    }

    /// What it is called in a sentence: `3. What a name means`.
    pub fn called(&self) -> String {
        match self.shipped {
            Some(shipped) => format!("{}. {}", shipped.number, self.lesson.title),
            None => self.lesson.title.clone(),
        }
    }

    /// The file to work in, in a folder of all such files.
    pub fn work(&self, folder: &Path) -> PathBuf {
        match self.shipped {
            Some(shipped) => folder.join(format!("{}.myr", shipped.name)),
            None => {
                // Two lessons of one name in two folders are two.
                let words: Vec<u32> = self.key.bytes().map(u32::from).collect();
                let [a, b] = hash(&words);
                let stem = Path::new(&self.key).file_stem().unwrap_or_default().to_string_lossy().into_owned();
                folder.join("own").join(format!("{stem}-{a:08x}{b:08x}.myr"))
            }
        }
    }

    /// Makes the file to work in where there is none; `again` puts the one that is there aside, as `NAME.before.myr`.
    ///
    /// # Errors
    /// If there is no folder for it, or the file cannot be made.
    pub fn begin(self, again: bool) -> Result<Begun, Trouble> {
        let folder = folder().ok_or_else(|| {
            Trouble::File("the data folder".into(), "the home folder is not known".to_string())
        })?;
        let path = self.work(&folder);
        let made = || -> io::Result<Option<PathBuf>> {
            fs::create_dir_all(files::folder(&path))?;
            let there = fs::symlink_metadata(&path).is_ok();
            let mut aside = None;
            if there && again {
                let before = path.with_extension("before.myr");
                fs::rename(&path, &before)?;
                aside = Some(before);
            }
            if !there || again {
                files::write(&path, self.lesson.code.as_bytes())?;
            }
            Ok(aside)
        };
        match made() {
            Ok(aside) => Ok(Begun { course: Arc::new(self), path, aside }),
            Err(error) => Err(Trouble::File(path.clone(), error.to_string())),
        }
    }
}

/// The folder of all files that learners work in.
pub fn folder() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.data_dir().join("myriad").join("learn"))
}

/// The file that says which lessons are done.
pub fn progress_file() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    let folder = folders.state_dir().unwrap_or_else(|| folders.data_dir());
    Some(folder.join("myriad").join(progress::NAME))
}
