//! What is not saved when the program ends abruptly goes to a file beside the source, `.NAME.myriad-recovered`, and
//! is offered at the next start.
//!
//! The newest unsaved text is kept here after each edit, so that a panic's hook or a signal can write it without
//! touching the state.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::save;
use crate::report::visible::visible;

struct Unsaved {
    side: PathBuf,
    text: Arc<str>,
}

static UNSAVED: Mutex<Option<Unsaved>> = Mutex::new(None);

/// The file that recovered text goes to.
pub fn side_file(path: Option<&Path>) -> PathBuf {
    let path = path.unwrap_or(Path::new("untitled"));
    let path = save::follow(path).unwrap_or_else(|_| path.to_path_buf());
    let name = path.file_name().map_or_else(|| "untitled".into(), |n| n.to_string_lossy().into_owned());
    path.with_file_name(format!(".{name}.myriad-recovered"))
}

/// Remembers what would be lost now; `None` where everything is saved.
pub fn remember(unsaved: Option<(PathBuf, Arc<str>)>) {
    let mut slot = UNSAVED.lock().unwrap_or_else(PoisonError::into_inner);
    *slot = unsaved.map(|(side, text)| Unsaved { side, text });
}

/// Writes what would be lost, once. Where its folder does not take it, the folder for temporary files may.
pub fn rescue() -> Option<io::Result<PathBuf>> {
    let unsaved = UNSAVED.lock().unwrap_or_else(PoisonError::into_inner).take()?;
    let bytes = unsaved.text.as_bytes();
    Some(save::write(&unsaved.side, bytes).map(|()| unsaved.side.clone()).or_else(|_| {
        let name = unsaved.side.file_name().map(|n| n.to_os_string()).unwrap_or_default();
        let elsewhere = std::env::temp_dir().join(name);
        save::write(&elsewhere, bytes).map(|()| elsewhere)
    }))
}

/// Says where the text is, on standard error, if anybody still listens.
pub fn announce(rescued: Option<io::Result<PathBuf>>) {
    let text = match rescued {
        Some(Ok(path)) => {
            format!("unsaved text is in {}; opening the file again offers it", path.display())
        }
        Some(Err(error)) => format!("unsaved text could not be kept: {error}"),
        None => return,
    };
    let _ = writeln!(io::stderr(), "myriad: {}", visible(&text));
}
