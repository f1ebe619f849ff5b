//! Reads files up to a size limit, and replaces files atomically.
//!
//! A path may lead anywhere: to a pipe without a writer, an endless device, or a file larger than memory.
//! Therefore only regular files up to a limit are read, and opening a file never blocks. Only regular files
//! are ever replaced.

mod message;

use std::fmt;
use std::fs::{self, File, FileType, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

pub use message::message;

/// The reason why a file was not read.
#[derive(Debug)]
pub enum ReadError {
    System(io::Error),
    /// Not a regular file; describes what it is instead.
    Other(&'static str),
    /// Longer than this limit, in bytes.
    Longer(u64),
}

impl ReadError {
    /// Returns whether no file of that name exists.
    pub fn is_missing(&self) -> bool {
        matches!(self, ReadError::System(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ReadError::System(error) => match error.kind() {
                io::ErrorKind::NotFound => f.write_str("there is no such file"),
                io::ErrorKind::PermissionDenied => f.write_str("reading it is not permitted"),
                _ => f.write_str(&message(error)),
            },
            ReadError::Other(what) => write!(f, "it is {what}"),
            ReadError::Longer(limit) => write!(f, "it is longer than {}", size(*limit)),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> ReadError {
        ReadError::System(error)
    }
}

impl From<ReadError> for io::Error {
    fn from(why: ReadError) -> io::Error {
        match why {
            ReadError::System(error) => error,
            why => io::Error::new(io::ErrorKind::InvalidInput, why.to_string()),
        }
    }
}

/// Formats a limit in words: `64 MiB`.
pub fn size(bytes: u64) -> String {
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.into_iter().find(|(_, unit)| bytes >= *unit && bytes.is_multiple_of(*unit)) {
        Some((name, unit)) => format!("{} {name}", bytes / unit),
        None => format!("{bytes} bytes"),
    }
}

/// Returns all bytes of a regular file. Links are followed.
///
/// # Errors
/// If the file is not regular, is longer than the limit, or cannot be read.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let file = open(path)?;
    if file.metadata()?.len() > limit {
        return Err(ReadError::Longer(limit));
    }
    // The file may grow meanwhile, and some files of length 0 have contents.
    read_stream(file, limit)
}

/// Returns all bytes of a stream, up to a limit.
///
/// # Errors
/// If the stream is longer, or cannot be read.
pub fn read_stream(stream: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    stream.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(ReadError::Longer(limit)) } else { Ok(bytes) }
}

/// Like [`read`], for UTF-8 text.
///
/// # Errors
/// As [`read`], and if the file is not valid UTF-8.
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadError> {
    let bytes = read(path, limit)?;
    String::from_utf8(bytes).map_err(|error| {
        let what = format!("it is not UTF-8: byte {}", error.utf8_error().valid_up_to());
        ReadError::System(io::Error::new(io::ErrorKind::InvalidData, what))
    })
}

/// Opens a regular file for reading, without blocking. Links are followed.
///
/// # Errors
/// If the file is not regular, or cannot be opened.
pub fn open(path: &Path) -> Result<File, ReadError> {
    // Check before opening, because opening a device may have side effects.
    regular(&fs::metadata(path)?)?;
    let mut options = OpenOptions::new();
    let file = nonblocking(options.read(true), false).open(path)?;
    // The file may have been replaced since the check.
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens a regular file for reading, without blocking. Links are refused.
///
/// # Errors
/// If the file is a link or not regular, or cannot be opened.
pub fn open_no_link(path: &Path) -> Result<File, ReadError> {
    regular(&fs::symlink_metadata(path)?)?;
    let mut options = OpenOptions::new();
    let file = nonblocking(options.read(true), true).open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens an existing regular file for reading and writing. Links are followed.
///
/// # Errors
/// If the file is not regular, or cannot be opened.
pub fn open_read_write(path: &Path) -> Result<File, ReadError> {
    regular(&fs::metadata(path)?)?;
    let mut options = OpenOptions::new();
    let file = nonblocking(options.read(true).write(true), false).open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens a regular file for reading and appending. Links are refused. If the file does not exist, it is
/// created with access only for its owner.
///
/// # Errors
/// If the file is a link or not regular, or cannot be opened.
pub fn open_append_private(path: &Path) -> Result<File, ReadError> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() => return Err(ReadError::Other("a link")),
        Ok(meta) => regular(&meta)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
    }
    let mut options = OpenOptions::new();
    options.create(true).read(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = nonblocking(&mut options, true).open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Adds flags that prevent blocking: opening a pipe waits for its other end, and opening a terminal can make
/// it the program's controlling terminal.
#[cfg(unix)]
fn nonblocking(options: &mut OpenOptions, no_link: bool) -> &mut OpenOptions {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let link = if no_link { OFlags::NOFOLLOW } else { OFlags::empty() };
    options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY | link).bits() as i32)
}
#[cfg(not(unix))]
fn nonblocking(options: &mut OpenOptions, _: bool) -> &mut OpenOptions {
    options
}

fn regular(meta: &Metadata) -> Result<(), ReadError> {
    if meta.is_file() { Ok(()) } else { Err(ReadError::Other(kind(meta.file_type()))) }
}

/// Describes the type of a file that is not regular.
fn kind(of: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        match () {
            () if of.is_fifo() => return "a pipe",
            () if of.is_socket() => return "a socket",
            () if of.is_char_device() || of.is_block_device() => return "a device",
            () => {}
        }
    }
    if of.is_dir() { "a directory" } else { "not a regular file" }
}

/// The identity of a file, the same for all names and links of the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Identity {
    /// Its device number and inode number.
    Number(u64, u64),
    Name(PathBuf),
}

pub fn identity(path: &Path) -> Identity {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if let Ok(file) = fs::metadata(path) {
            return Identity::Number(file.dev(), file.ino());
        }
    }
    Identity::Name(whole(path))
}

/// Returns whether two paths lead to the same file.
pub fn is_same(one: &Path, other: &Path) -> bool {
    identity(one) == identity(other)
}

/// Returns the canonical path of a file: absolute, with links followed. The file itself need not exist, but
/// its folder must.
pub fn whole(path: &Path) -> PathBuf {
    let path = follow(path).unwrap_or_else(|_| path.to_path_buf());
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    match (folder(&path).canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => std::path::absolute(&path).unwrap_or(path),
    }
}

/// Checks that a file can be created at a path, or the existing one replaced. Creates nothing permanent.
///
/// # Errors
/// If it cannot.
pub fn check_writable(path: &Path) -> io::Result<()> {
    if path.file_name().is_none() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not the name of a file"));
    }
    let target = follow(path)?;
    if let Ok(meta) = fs::metadata(&target) {
        regular(&meta)?;
    }
    tempfile::tempfile_in(folder(&target)).map(drop)
}

pub fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Atomically and durably replaces the file at a path by these bytes. Links are followed. The file's mode is
/// kept. A file with several names (hard links) keeps them: it is overwritten, once a copy of the new text is on the disk.
///
/// # Errors
/// If the file is not regular, may not be written, or does not fit on the disk.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = follow(path)?;
    let folder = folder(&target);
    let kept = match fs::metadata(&target) {
        Ok(meta) => {
            regular(&meta)?;
            // Refuse to replace a file that may not be written.
            nonblocking(OpenOptions::new().append(true), false).open(&target)?;
            Some((meta.permissions(), has_other_names(&meta)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".myriad-").suffix(".tmp");
    let fresh = fresh_permissions();
    if let (None, Some(permissions)) = (&kept, fresh) {
        builder.permissions(permissions);
    }
    let mut file = builder.tempfile_in(&folder)?;
    file.write_all(bytes)?;
    let has_other_names = kept.as_ref().is_some_and(|(_, has_others)| *has_others);
    if let Some((permissions, _)) = kept {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    if has_other_names {
        return overwrite(&target, bytes);
    }
    file.persist(&target).map_err(|e| e.error)?;
    sync_folder(&folder)
}

#[cfg(unix)]
fn has_other_names(meta: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(meta) > 1
}
#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

/// Durably overwrites an existing file.
fn overwrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = nonblocking(OpenOptions::new().write(true), false).open(path)?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// Returns the mode of a new file before the umask is applied. The mode of temporary files would be private.
#[cfg(unix)]
pub fn fresh_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}
#[cfg(not(unix))]
pub fn fresh_permissions() -> Option<Permissions> {
    None
}

/// Writes the entries of a folder to the disk.
///
/// # Errors
/// If the file system supports this but it fails.
#[cfg(unix)]
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    // Some file systems cannot sync a folder; the file itself is safe on those.
    match File::open(folder)?.sync_all() {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        done => done,
    }
}
/// Does nothing: elsewhere the system itself writes the entries of folders.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Follows a chain of links and returns its end, which need not exist.
///
/// # Errors
/// If the chain has more than 40 links.
pub fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_path_buf();
    for _ in 0..40 {
        match fs::symlink_metadata(&at) {
            Ok(meta) if meta.file_type().is_symlink() => {
                let to = fs::read_link(&at)?;
                at = match at.parent() {
                    Some(parent) => parent.join(to),
                    None => to,
                };
            }
            _ => return Ok(at),
        }
    }
    Err(io::Error::other("too many links"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    #[test]
    fn special_files_are_refused() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RWXU).expect("made");
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).expect("bound");
        symlink("/dev/zero", at("link")).expect("linked");
        symlink("round", at("round")).expect("linked");
        for (path, said) in [
            (at("pipe"), "it is a pipe"),
            (at("socket"), "it is a socket"),
            ("/dev/zero".into(), "it is a device"),
            (at("link"), "it is a device"),
            (at(""), "it is a directory"),
            (at("none"), "there is no such file"),
        ] {
            assert_eq!(read(&path, 10).expect_err("refused").to_string(), said, "{path:?}");
            assert!(said == "there is no such file" || write(&path, b"x").is_err(), "{path:?}");
        }
        assert!(read(&at("round"), 10).is_err() && write(&at("round"), b"x").is_err());
        assert!(open_append_private(&at("link")).is_err() && open_append_private(&at("pipe")).is_err());
    }

    #[test]
    fn file_over_the_size_limit_is_refused_with_the_limit() {
        let folder = folder();
        let path = folder.path().join("file");
        fs::write(&path, "12345").expect("written");
        symlink("file", folder.path().join("link")).expect("linked");
        assert_eq!(read(&folder.path().join("link"), 5).expect("read"), b"12345");
        assert_eq!(read(&path, 4).expect_err("refused").to_string(), "it is longer than 4 bytes");
        assert_eq!(
            read_stream(io::repeat(1), 1 << 20).expect_err("refused").to_string(),
            "it is longer than 1 MiB"
        );
        assert_eq!([1 << 30, 3 << 20, 64 << 10, 1500].map(size), ["1 GiB", "3 MiB", "64 KiB", "1500 bytes"]);
        // A file of length 0 that has contents.
        #[cfg(target_os = "linux")]
        assert!(matches!(read(Path::new("/proc/self/status"), 10), Err(ReadError::Longer(10))));
    }

    #[test]
    fn paths_of_one_file_compare_as_same() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "x").expect("written");
        symlink("file", at("link")).expect("linked");
        fs::hard_link(at("file"), at("hard")).expect("linked");
        symlink("new", at("ahead")).expect("linked");
        assert!(is_same(&at("file"), &at("link")) && is_same(&at("hard"), &at("link")));
        assert!(is_same(&at("new"), &at("./new")) && is_same(&at("new"), &at("ahead")));
        assert!(!is_same(&at("file"), &at("new")) && !is_same(&at("new"), &at("other")));
    }

    #[test]
    fn write_keeps_mode_and_symbolic_link() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder();
        let (real, link) = (folder.path().join("real.myr"), folder.path().join("link.myr"));
        fs::write(&real, "one").expect("written");
        fs::set_permissions(&real, Permissions::from_mode(0o640)).expect("mode set");
        symlink("real.myr", &link).expect("linked");
        write(&link, b"two").expect("saved");
        assert!(fs::symlink_metadata(&link).expect("there").file_type().is_symlink());
        assert_eq!(fs::read(&real).expect("read"), b"two");
        assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
    }
}
