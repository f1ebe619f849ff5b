//! Overwrites a file in place. This is necessary if the file has several names, if a new file could not have
//! its owner or attributes, or if the folder accepts no new file. Overwriting is not atomic, so the journal
//! holds the text meanwhile.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::host::files;
use crate::workbench::edge::disk;
use crate::workbench::edge::journal::Journal;
use crate::workbench::edge::save::{Written, describe_error};

/// Overwrites a file whose contents equal `expected`.
pub fn write(
    target: &Path,
    text: &str,
    bytes: &[u8],
    expected: &[u8],
    journal: &Journal,
) -> io::Result<Written> {
    let mut file = files::open_read_write(target)?;
    let net = journal.net(target, text).map_err(|error| {
        let why = describe_error(&error);
        io::Error::other(format!(
            "it can only be overwritten, and no folder can keep the text meanwhile ({why})"
        ))
    })?;
    let written = match write_over(&mut file, bytes, expected) {
        Ok(written) => Ok(written),
        Err(Failed::Intact(error)) => Err(error),
        // The copy in the journal stays.
        Err(Failed::Corrupted(error)) => {
            return Err(io::Error::other(format!(
                "{}, and the file may be damaged; the text is kept and offered when the file is opened again",
                describe_error(&error)
            )));
        }
    };
    net.release();
    written
}

/// The state of a file after a failed overwrite.
enum Failed {
    /// It still holds its previous contents.
    Intact(io::Error),
    /// It may hold neither its previous contents nor the new text.
    Corrupted(io::Error),
}

fn write_over(file: &mut File, bytes: &[u8], expected: &[u8]) -> Result<Written, Failed> {
    // Fail on a full disk before anything is overwritten.
    reserve(file, expected.len(), bytes.len()).map_err(Failed::Intact)?;
    let mut now = Vec::new();
    (&mut *file).take(disk::LARGEST + 4).read_to_end(&mut now).map_err(Failed::Intact)?;
    if now != expected {
        return Ok(Written::Changed);
    }
    let Err(error) = put(file, bytes) else {
        return Ok(Written::Done { note: None, old: None });
    };
    Err(if put(file, expected).is_ok() { Failed::Intact(error) } else { Failed::Corrupted(error) })
}

fn put(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// Reserves disk space for a growing file. File systems without support are ignored.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn reserve(file: &File, from: usize, to: usize) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    let more = to.saturating_sub(from) as u64;
    match more {
        0 => Ok(()),
        _ => match fallocate(file, FallocateFlags::KEEP_SIZE, from as u64, more) {
            Err(rustix::io::Errno::NOSPC) => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        },
    }
}
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn reserve(_: &File, _: usize, _: usize) -> io::Result<()> {
    Ok(())
}
