//! Watches a file for changes by other programs. Its folder is watched, so that replacing, removing and
//! recreating the file is noticed, too.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify_debouncer_full::notify::{RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};

use crate::workbench::edge::save;

/// Changes are reported after this much time without further changes.
const QUIET: Duration = Duration::from_millis(80);

/// Watches until it is dropped.
pub struct Watch {
    _debouncer: Debouncer<RecommendedWatcher, RecommendedCache>,
}

/// Watches a file and the target of its link; calls back when either changes.
pub fn watch(path: &Path, changed: impl Fn() + Send + 'static) -> notify_debouncer_full::notify::Result<Watch> {
    let path = path.to_path_buf();
    let target = save::follow(&path).unwrap_or_else(|_| path.clone());
    let names: Vec<OsString> =
        [&path, &target].into_iter().filter_map(|p| p.file_name().map(|n| n.to_os_string())).collect();
    let mut folders: Vec<PathBuf> = [&path, &target].into_iter().map(|p| save::folder(p)).collect();
    folders.dedup();
    let on_change = move |result: DebounceEventResult| {
        // If events were lost, for instance because there were too many, the file may have changed.
        let Ok(events) = result else { return changed() };
        let ours = |p: &PathBuf| p.file_name().is_some_and(|n| names.iter().any(|ours| ours == n));
        let accessed = |e: &notify_debouncer_full::DebouncedEvent| e.kind.is_access();
        if !events.iter().filter(|e| !accessed(e)).any(|e| e.need_rescan() || e.paths.iter().any(ours)) {
            return;
        }
        changed();
    };
    // The default tick rate would be four times as high, even while nothing happens.
    let mut debouncer = new_debouncer(QUIET, Some(QUIET), on_change)?;
    for folder in folders {
        debouncer.watch(&folder, RecursiveMode::NonRecursive)?;
    }
    Ok(Watch { _debouncer: debouncer })
}
