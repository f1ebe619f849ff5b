//! Files about a device that persist between runs of the program, in the user's cache folder.
//!
//! A file belongs to one adapter, one driver version and one version of the program. Files are replaced as a
//! whole. A damaged file, or a file of another adapter, is ignored. All files can be recreated, so they may
//! be deleted at any time.

use std::fs;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::adapter::AdapterSummary;
use crate::host::files;
use crate::lang::hash::fnv64;

/// The environment variable that overrides the folder. If it is empty, no files are kept.
pub const VARIABLE: &str = "MYRIAD_CACHE";
/// The largest file that is read, in bytes.
const LARGEST: u64 = 256 << 20;

#[derive(Clone, Debug)]
pub struct DeviceCache {
    folder: PathBuf,
    /// Identifies adapter, driver and program.
    key: String,
}

impl DeviceCache {
    /// Returns the cache of an adapter in the user's cache folder; `None` if caching is off.
    pub fn of(adapter: &AdapterSummary) -> Option<DeviceCache> {
        let folder = match std::env::var_os(VARIABLE) {
            Some(name) if name.is_empty() => return None,
            Some(name) => PathBuf::from(name),
            None => etcetera::choose_base_strategy().ok()?.cache_dir().join("myriad"),
        };
        Some(DeviceCache::at(&folder.join("devices"), adapter))
    }

    /// Returns the cache of an adapter in `folder`.
    pub fn at(folder: &Path, adapter: &AdapterSummary) -> DeviceCache {
        let AdapterSummary { name, backend, driver, software, model: (vendor, device), bus: _ } = adapter;
        let kind = if *software { "software" } else { "hardware" };
        let version = env!("CARGO_PKG_VERSION");
        let key = format!("{version} {kind} {backend} {vendor:x}:{device:x} {name} {driver}");
        DeviceCache { folder: folder.to_path_buf(), key: key.replace(['\n', '\r'], " ") }
    }

    pub fn path(&self, what: &str) -> PathBuf {
        self.folder.join(format!("{:016x}.{what}", checksum(self.key.as_bytes())))
    }

    /// Returns the contents of a file; `None` if it does not exist, is damaged or belongs to another adapter.
    pub fn read(&self, what: &str) -> Option<Vec<u8>> {
        let bytes = files::read(&self.path(what), LARGEST).ok()?;
        let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
        let (key, sum, contents) = (lines.next()?, lines.next()?, lines.next()?);
        let sound = key == self.key.as_bytes() && sum == format!("{:016x}", checksum(contents)).as_bytes();
        sound.then(|| contents.to_vec())
    }

    /// Replaces a file. Errors are not reported, because a missing file costs only time.
    pub fn write(&self, what: &str, contents: &[u8]) {
        let head = format!("{}\n{:016x}\n", self.key, checksum(contents));
        if make(&self.folder).is_ok() {
            let _ = files::write(&self.path(what), &[head.as_bytes(), contents].concat());
        }
    }

    /// Reads a stored value; `None` as in [`DeviceCache::read`].
    pub fn load<T: DeserializeOwned>(&self, what: &str) -> Option<T> {
        serde_json::from_slice(&self.read(what)?).ok()
    }

    pub fn store<T: Serialize>(&self, what: &str, value: &T) {
        if let Ok(text) = serde_json::to_vec(value) {
            self.write(what, &text);
        }
    }
}

/// Creates a folder and its parents, accessible to the owner only.
fn make(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn checksum(bytes: &[u8]) -> u64 {
    fnv64(bytes.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(driver: &str) -> AdapterSummary {
        AdapterSummary {
            name: "a\ndevice".into(),
            backend: "Vulkan".into(),
            driver: driver.into(),
            software: false,
            model: (1, 2),
            bus: String::new(),
        }
    }

    #[test]
    fn damaged_files_and_files_of_other_drivers_are_ignored() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = DeviceCache::at(&folder.path().join("new"), &adapter("1"));
        assert_eq!(cache.read("x"), None);
        cache.write("x", b"some\nbytes\n\0");
        assert_eq!(cache.read("x").as_deref(), Some(&b"some\nbytes\n\0"[..]));
        let other = DeviceCache::at(&folder.path().join("new"), &adapter("2"));
        fs::copy(cache.path("x"), other.path("x")).expect("copied");
        assert_eq!(other.read("x"), None, "it was copied from another driver's");
        let whole = fs::read(cache.path("x")).expect("there");
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            fs::write(cache.path("x"), &damaged).expect("written");
            assert_eq!(cache.read("x"), None, "byte {place} was changed");
            fs::write(cache.path("x"), &whole[..place]).expect("written");
            assert_eq!(cache.read("x"), None, "cut to {place} bytes");
        }
        cache.store("x", &[1u32, 2]);
        assert_eq!(cache.load::<[u32; 2]>("x"), Some([1, 2]));
        assert_eq!(cache.load::<String>("x"), None, "the value has another type");
    }

    #[test]
    fn unwritable_cache_folder_is_ignored() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        fs::write(&file, "").expect("written");
        let cache = DeviceCache::at(&file, &adapter("1"));
        cache.write("x", b"1");
        assert_eq!(cache.read("x"), None);
    }
}
