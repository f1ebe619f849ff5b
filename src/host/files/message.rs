//! Describes errors of the system in words.

use std::io;

/// Describes an error of opening or writing a file, without technical terms.
pub fn message(error: &io::Error) -> String {
    let code = system_code(error);
    // Errors that this program creates are already in words.
    let own = error.get_ref().is_some() && code.is_none();
    let known = match error.kind() {
        _ if own => "",
        io::ErrorKind::PermissionDenied => "it is not permitted",
        io::ErrorKind::NotFound => "there is no such file or folder",
        io::ErrorKind::NotADirectory => "its parent is not a folder",
        io::ErrorKind::IsADirectory => "it is a folder",
        io::ErrorKind::StorageFull => "the disk is full",
        io::ErrorKind::QuotaExceeded => "the user's disk quota is used up",
        io::ErrorKind::FileTooLarge => "the file would be larger than the system allows",
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
        io::ErrorKind::OutOfMemory => "there is not enough memory",
        _ => match code {
            Some(codes::IO) => "the device reports an input/output error",
            Some(codes::TOO_MANY_OPEN) => "this program has too many files open (see `ulimit -n`)",
            Some(codes::TOO_MANY_IN_SYSTEM) => "the system has too many files open",
            Some(codes::LOOP) => "its symbolic links form a loop",
            Some(codes::NAME_TOO_LONG) => "its name is too long",
            _ => "",
        },
    };
    if !known.is_empty() {
        return known.into();
    }
    // Remove the name of a temporary file and the number of the error, which do not help the user.
    let text = error.to_string();
    let text = text.split(" at path ").next().unwrap_or(&text);
    text.split(" (os error ").next().unwrap_or(text).to_string()
}

/// Returns the system's error number. An error that wraps another one may contain it only in its text.
fn system_code(error: &io::Error) -> Option<i32> {
    let of_text = || {
        let text = error.to_string();
        let (_, rest) = text.rsplit_once("(os error ")?;
        rest.split_once(')')?.0.parse().ok()
    };
    error.raw_os_error().or_else(of_text)
}

/// Error numbers of the system that have no `ErrorKind`.
#[cfg(unix)]
mod codes {
    use rustix::io::Errno;

    pub const IO: i32 = Errno::IO.raw_os_error();
    pub const TOO_MANY_OPEN: i32 = Errno::MFILE.raw_os_error();
    pub const TOO_MANY_IN_SYSTEM: i32 = Errno::NFILE.raw_os_error();
    pub const LOOP: i32 = Errno::LOOP.raw_os_error();
    pub const NAME_TOO_LONG: i32 = Errno::NAMETOOLONG.raw_os_error();
}
#[cfg(not(unix))]
mod codes {
    pub const IO: i32 = -1;
    pub const TOO_MANY_OPEN: i32 = 4; // ERROR_TOO_MANY_OPEN_FILES
    pub const TOO_MANY_IN_SYSTEM: i32 = -2;
    pub const LOOP: i32 = -3;
    pub const NAME_TOO_LONG: i32 = 206; // ERROR_FILENAME_EXCED_RANGE
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::host::files::ReadError;

    #[test]
    fn system_errors_are_described_in_words() {
        use rustix::io::Errno;
        let folder = tempfile::tempdir().expect("a folder");
        let within = tempfile::Builder::new().tempfile_in(folder.path().join("none")).expect_err("no folder");
        assert_eq!(message(&within), "there is no such file or folder");
        for (errno, said) in [
            (Errno::IO, "input/output error"),
            (Errno::MFILE, "too many files open"),
            (Errno::NFILE, "too many files open"),
            (Errno::NOSPC, "the disk is full"),
            (Errno::DQUOT, "used up"),
            (Errno::LOOP, "form a loop"),
            (Errno::NAMETOOLONG, "name is too long"),
            (Errno::ROFS, "read-only"),
            (Errno::ACCESS, "not permitted"),
            (Errno::NXIO, "No such device or address"),
        ] {
            let plain = io::Error::from_raw_os_error(errno.raw_os_error());
            let wrapped = io::Error::new(plain.kind(), io::Error::from_raw_os_error(errno.raw_os_error()));
            for error in [plain, wrapped] {
                let told = message(&error);
                assert!(told.contains(said), "{errno:?}: {told}");
                assert!(!told.contains("os error") && !told.contains("uncategorized"), "{told}");
            }
            let read = ReadError::System(io::Error::from_raw_os_error(errno.raw_os_error())).to_string();
            assert!(!read.contains("os error"), "{read}");
        }
    }
}
