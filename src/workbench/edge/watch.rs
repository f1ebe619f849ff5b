//! The file as others change it: its folder is watched, so that files renamed over it, removed and made again are
//! noticed too.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify_debouncer_full::notify::{RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};

use crate::workbench::edge::save;

/// Changes are reported once nothing has happened for so long.
const QUIET: Duration = Duration::from_millis(80);

/// Watches until dropped.
pub struct Watch {
    _debouncer: Debouncer<RecommendedWatcher, RecommendedCache>,
}

/// Watches a file, and what it links to; calls back when something happened to it.
pub fn watch(path: &Path, changed: impl Fn() + Send + 'static) -> notify_debouncer_full::notify::Result<Watch> {
    let path = path.to_path_buf();
    let target = save::follow(&path).unwrap_or_else(|_| path.clone());
    let names: Vec<OsString> =
        [&path, &target].into_iter().filter_map(|p| p.file_name().map(|n| n.to_os_string())).collect();
    let mut folders: Vec<PathBuf> = [&path, &target].into_iter().map(|p| save::folder(p)).collect();
    folders.dedup();
    let on_change = move |result: DebounceEventResult| {
        // Where changes could not be told, as where there were too many at once, the file may be among what changed.
        let Ok(events) = result else { return changed() };
        let ours = |p: &PathBuf| p.file_name().is_some_and(|n| names.iter().any(|ours| ours == n));
        let accessed = |e: &notify_debouncer_full::DebouncedEvent| e.kind.is_access();
        if !events.iter().filter(|e| !accessed(e)).any(|e| e.need_rescan() || e.paths.iter().any(ours)) {
            return;
        }
        changed();
    };
    // By itself it looks four times as often, also while nothing happens.
    let mut debouncer = new_debouncer(QUIET, Some(QUIET), on_change)?;
    for folder in folders {
        debouncer.watch(&folder, RecursiveMode::NonRecursive)?;
    }
    Ok(Watch { _debouncer: debouncer })
}
