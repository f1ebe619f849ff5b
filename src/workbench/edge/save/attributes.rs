//! A file's attributes: mode, owner, group, extended attributes (including access lists).

use std::fs::File;
use std::io;

/// Copies the attributes of an old file to a new one. Returns false if that is not permitted; the new file
/// must not replace the old one then.
#[cfg(unix)]
pub fn copy(old: &File, new: &File) -> io::Result<bool> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use rustix::fs::{Gid, Mode, Uid, fchmod, fchown};

    let (had, has) = (old.metadata()?, new.metadata()?);
    if (had.uid(), had.gid()) != (has.uid(), has.gid()) {
        let owner = (had.uid() != has.uid()).then(|| Uid::from_raw(had.uid()));
        let group = (had.gid() != has.gid()).then(|| Gid::from_raw(had.gid()));
        if fchown(new, owner, group).is_err() {
            return Ok(false);
        }
    }
    if !copy_extended(old, new) {
        return Ok(false);
    }
    // Set the mode last: changing the owner clears the set-user-ID and set-group-ID bits.
    let mode = had.permissions().mode() & 0o7777;
    if new.metadata()?.permissions().mode() & 0o7777 != mode {
        let _ = fchmod(new, Mode::from_raw_mode(mode as _));
    }
    Ok(new.metadata()?.permissions().mode() & 0o7777 == mode)
}

/// Copies extended attributes; a file system without them has none to copy.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn copy_extended(old: &File, new: &File) -> bool {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};

    /// The kernel's limit for a list and for a value.
    const MOST: usize = 1 << 16;
    let mut names = vec![0; MOST];
    let Ok(length) = flistxattr(old, &mut names[..]) else { return true };
    let mut value = vec![0; MOST];
    let mut before = vec![0; MOST];
    for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let Ok(length) = fgetxattr(old, name, &mut value[..]) else { return false };
        // The system may have set the same value on the new file.
        let same = fgetxattr(new, name, &mut before[..]).is_ok_and(|n| before[..n] == value[..length]);
        if !same && fsetxattr(new, name, &value[..length], XattrFlags::empty()).is_err() {
            return false;
        }
    }
    true
}
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android", target_vendor = "apple"))))]
fn copy_extended(_: &File, _: &File) -> bool {
    true
}

/// Copies the attributes of an old file to a new one. Returns false if that is not permitted.
#[cfg(not(unix))]
pub fn copy(old: &File, new: &File) -> io::Result<bool> {
    new.set_permissions(old.metadata()?.permissions()).map(|()| true)
}

/// Returns whether a file has several hard links, which must all stay links to it.
#[cfg(unix)]
pub fn has_other_names(file: &File) -> io::Result<bool> {
    Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) > 1)
}
#[cfg(not(unix))]
pub fn has_other_names(_: &File) -> io::Result<bool> {
    Ok(false)
}

/// Returns whether a path refers to this file, without following links.
#[cfg(unix)]
pub fn is_named(file: &File, path: &std::path::Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(file), Ok(named)) = (file.metadata(), std::fs::symlink_metadata(path)) else { return false };
    (file.dev(), file.ino()) == (named.dev(), named.ino())
}
#[cfg(not(unix))]
pub fn is_named(_: &File, _: &std::path::Path) -> bool {
    false
}
