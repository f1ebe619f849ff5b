//! Learners' working copies: each lesson's program without its header, in the user's data folder. They persist
//! between sessions.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, fs, io};

use etcetera::BaseStrategy;

use super::format::FormatFault;
use super::lesson::Lesson;
use super::progress;
use super::shipped::Shipped;
use crate::compiler::stage::judge::hash;
use crate::host::files;

/// Size limit of a lesson file, in bytes: 64 KiB of program and a generous header.
pub const LARGEST: u64 = 1 << 20;

/// A lesson that a user works on, with its key in the progress file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// Its key in the progress file: the name of a shipped lesson, or the path of another.
    pub key: String,
    /// The shipped lesson that it is, if it is one.
    pub shipped: Option<Shipped>,
    pub lesson: Lesson,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartedCourse {
    pub course: Arc<Course>,
    pub path: PathBuf,
    /// Where the previous copy was moved, if the lesson was restarted.
    pub aside: Option<PathBuf>,
}

/// The reason why a course cannot be opened.
#[derive(Debug)]
pub enum CourseError {
    /// The file is not a valid lesson.
    Faults { text: String, faults: Vec<FormatFault> },
    /// A file cannot be read or created.
    File(PathBuf, String),
}

impl fmt::Display for CourseError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            CourseError::Faults { faults, .. } => match faults.first() {
                Some(fault) => write!(f, "it is not a lesson: {}", fault.message),
                None => f.write_str("it is not a lesson"),
            },
            CourseError::File(path, why) => write!(f, "{}: {why}", path.display()),
        }
    }
}

impl Course {
    /// Opens a shipped lesson.
    ///
    /// # Errors
    /// If the lesson is not valid; a test checks that all shipped lessons are.
    pub fn shipped(shipped: Shipped) -> Result<Course, CourseError> {
        let lesson = Lesson::read(shipped.text)
            .map_err(|faults| CourseError::Faults { text: shipped.text.to_string(), faults })?;
        Ok(Course { key: shipped.name.to_string(), shipped: Some(shipped), lesson })
    }

    /// Opens a lesson from a file.
    ///
    /// # Errors
    /// If the file cannot be read or is not a valid lesson.
    pub fn of_file(path: &Path) -> Result<Course, CourseError> {
        let text = files::read_text(path, LARGEST)
            .map_err(|why| CourseError::File(path.to_path_buf(), why.to_string()))?;
        match Lesson::read(&text) {
            Ok(lesson) => {
                let key = files::whole(path).to_string_lossy().into_owned();
                Ok(Course { key, shipped: None, lesson })
            }
            Err(faults) => Err(CourseError::Faults { text, faults }),
        }
    }

    /// Returns its title for use in a sentence: `3. What a name means`.
    pub fn called(&self) -> String {
        match self.shipped {
            Some(shipped) => format!("{}. {}", shipped.number, self.lesson.title),
            None => self.lesson.title.clone(),
        }
    }

    /// Returns the path of its working copy in the folder of all copies.
    pub fn work(&self, folder: &Path) -> PathBuf {
        match self.shipped {
            Some(shipped) => folder.join(format!("{}.myr", shipped.name)),
            None => {
                // The hash separates lessons with the same file name in different folders.
                let words: Vec<u32> = self.key.bytes().map(u32::from).collect();
                let [a, b] = hash(&words);
                let stem = Path::new(&self.key).file_stem().unwrap_or_default().to_string_lossy().into_owned();
                folder.join("own").join(format!("{stem}-{a:08x}{b:08x}.myr"))
            }
        }
    }

    /// Creates the working copy if it does not exist. With `again`, an existing copy is first renamed to
    /// `NAME.before.myr`.
    ///
    /// # Errors
    /// If the data folder is unknown, or the file cannot be created.
    pub fn begin(self, again: bool) -> Result<StartedCourse, CourseError> {
        let folder = folder().ok_or_else(|| {
            CourseError::File("the data folder".into(), "the home folder is not known".to_string())
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
            Ok(aside) => Ok(StartedCourse { course: Arc::new(self), path, aside }),
            Err(error) => Err(CourseError::File(path.clone(), error.to_string())),
        }
    }
}

/// Returns the folder of all working copies.
pub fn folder() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.data_dir().join("myriad").join("learn"))
}

pub fn progress_file() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    let folder = folders.state_dir().unwrap_or_else(|| folders.data_dir());
    Some(folder.join("myriad").join(progress::NAME))
}
